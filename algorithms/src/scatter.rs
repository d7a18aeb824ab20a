//! `scatter`: elements sent to indices.

use core::hint::select_unpredictable;

use spelt_core::tools::algorithm;
use spelt_core::{
    Element, ExecutionSpace, Layout, ReadView, Result, ViewMut, ViewRef, WriteView, deep_copy_scalar,
    parallel_for,
};

use crate::IndexElement;
use crate::bounds::{all_inside, same_length};
use crate::dense::{Dense, write_densely};

/// The maximum number of threads for which each thread of a host reads all indices. Unit: threads. Source: an atomic maximum takes as long
/// as some eight looks at an index.
const FEW_THREADS: usize = 8;

/// The number of values from which threads share the places. Unit: elements. Source: measured: as long as the places are in caches, one
/// thread takes a third of two threads' time, because it does not have to select.
const SHARED: usize = 1 << 18;

/// The number of values sent at a time: the index of a place's value plus one, or 0 for none, must fit in 32 bits.
const AT_A_TIME: usize = u32::MAX as usize;

/// Writes `values[i]` to `out[indices[i]]`, as a loop over ascending `i` does; indices outside are ignored.
///
/// **If several values have the same place, the last one remains**, on every space, thread count and run. Places without an index
/// are unchanged.
///
/// # Errors
/// [`Extents`](spelt_core::ErrorKind::Extents) if the numbers of values and indices differ;
/// [`OutOfMemory`](spelt_core::ErrorKind::OutOfMemory) if there is not enough memory for a number for each place, or on a host for copies of
/// Views with gaps.
///
/// # Complexity
/// For n values and m places: work O(n + m), span O((n + m) / threads), and n in the worst case, where all go to one place. Two
/// launches: one finds which value each place gets, by an atomic maximum, one fetches it. The indices are read once, the
/// values where they are needed; m numbers of 4 bytes are written twice and read. On a host of up to eight threads each thread has a
/// share of the places and reads all indices and values in order: one launch, span O(n), each place written as often as it is
/// named.
///
/// # Source
/// Futhark: `scatter`, where the result of different values for one place is undefined.
///
/// # Examples
/// ```
/// use spelt_algorithms::scatter;
/// use spelt_core::{Serial, View};
/// let indices = View::from_vec("indices", [4], vec![2, 0, -1, 2])?;
/// let values = View::from_vec("values", [4], vec![10, 20, 30, 40])?;
/// let mut out = View::<i32, 1>::zeros("out", [3])?;
/// scatter(&Serial::new(), &values, &indices, &mut out)?;
/// assert_eq!(out.as_slice(), Some(&[20, 0, 40][..]));
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn scatter<S, T, I, L, LI, LO>(
    space: &S,
    values: &impl ReadView<T, 1, S::Memory, L>,
    indices: &impl ReadView<I, 1, S::Memory, LI>,
    out: &mut impl WriteView<T, 1, S::Memory, LO>,
) -> Result<()>
where
    S: ExecutionSpace,
    I: IndexElement,
    T: Element,
    LI: Layout,
    L: Layout,
    LO: Layout,
{
    let _region = algorithm("scatter");
    let (indices, values, mut out) = (indices.read(), values.read(), out.write());
    same_length("scatter", indices, values)?;
    let places = out.len();
    // A constant: the host's code is not compiled for a device.
    if const { !S::IS_DEVICE } && space.concurrency() <= FEW_THREADS {
        let indices = Dense::of(space, indices)?;
        let values = Dense::of(space, values)?;
        return write_densely(space, &mut out, |out| by_shares(space, indices.view(), values.view(), out));
    }
    let mut winners = space.zeros::<u32, 1>("winners", [places])?;
    for first in (0..indices.len()).step_by(AT_A_TIME) {
        let past = indices.len().min(first + AT_A_TIME);
        if first != 0 {
            deep_copy_scalar(&mut winners, 0)?;
        }
        parallel_for(
            "scatter: winners",
            space.range(first..past),
            (indices, winners.atomic()),
            move |i, (indices, winners)| {
                let place = indices[i].place();
                if place < places {
                    winners.max(place, (i.get() - first) as u32 + 1);
                }
            },
        )?;
        parallel_for(
            "scatter",
            space.range(0..places),
            (&winners, values.lookup(), &mut out),
            move |place, (winners, values, mut out)| {
                if let Some(winner) = winners[place].checked_sub(1) {
                    out[place] = values[first + winner as usize];
                }
            },
        )?;
    }
    Ok(())
}

/// Each thread reads all indices, in order, and writes to the places in its share.
fn by_shares<S, I, T>(
    space: &S,
    indices: ViewRef<'_, I, 1, S::Memory>,
    values: ViewRef<'_, T, 1, S::Memory>,
    mut out: ViewMut<'_, T, 1, S::Memory>,
) -> Result<()>
where
    S: ExecutionSpace,
    I: IndexElement,
    T: Element,
{
    let (n, places) = (indices.len(), out.len());
    if n == 0 || places == 0 {
        return Ok(());
    }
    let shares = if n < SHARED { 1 } else { space.concurrency().min(places) };
    let share = places.div_ceil(shares);
    // SAFETY: iteration `s` writes to the places from `s * share` to below `(s + 1) * share`, and to no other.
    let out = unsafe { out.distinct() };
    parallel_for(
        "scatter",
        space.range(0..places.div_ceil(share)).chunk(1),
        (indices.lookup(), values.lookup(), out),
        move |number, (indices, values, mut out)| {
            let first = number.get() * share;
            let Some(out) = out.slice_mut(first..places.min(first + share)) else { return };
            for (index, value) in indices.as_slice().iter().zip(values.as_slice()) {
                let place = index.place().wrapping_sub(first);
                // Values outside the share are written to a dummy: cheaper than a branch that is mispredicted.
                let mut waste = *value;
                let inside = place < out.len();
                let to = select_unpredictable(inside, out.as_mut_ptr().wrapping_add(place), &raw mut waste);
                // SAFETY: an element of `out`, which is borrowed exclusively, or the variable.
                unsafe { *to = *value };
            }
        },
    )
}

/// [`scatter`] with an error for indices outside `out`; nothing is written then.
///
/// # Errors
/// As [`scatter`], and [`Extents`](spelt_core::ErrorKind::Extents) with the number of indices outside and the first of them.
///
/// # Complexity
/// As [`scatter`]; the indices are read twice.
///
/// # Examples
/// ```
/// use spelt_algorithms::scatter_checked;
/// use spelt_core::{Serial, View};
/// let (indices, values) = (View::from_vec("indices", [2], vec![0, 3])?, View::from_vec("values", [2], vec![10, 20])?);
/// let mut out = View::<i32, 1>::zeros("out", [3])?;
/// assert!(scatter_checked(&Serial::new(), &values, &indices, &mut out).is_err());
/// assert_eq!(out.as_slice(), Some(&[0, 0, 0][..]));
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn scatter_checked<S, T, I, L, LI, LO>(
    space: &S,
    values: &impl ReadView<T, 1, S::Memory, L>,
    indices: &impl ReadView<I, 1, S::Memory, LI>,
    out: &mut impl WriteView<T, 1, S::Memory, LO>,
) -> Result<()>
where
    S: ExecutionSpace,
    I: IndexElement,
    T: Element,
    LI: Layout,
    L: Layout,
    LO: Layout,
{
    let _region = algorithm("scatter_checked");
    all_inside(space, "scatter_checked", indices.read(), out.read().len())?;
    scatter(space, values, indices, out)
}
