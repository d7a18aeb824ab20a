//! `partition` and its variants: all elements, those of one kind before those of another.

use spelt_core::reducers::Sum;
use spelt_core::tools::algorithm;
use spelt_core::{
    Element, ExecutionSpace, Layout, ReadView, Result, View, ViewRef, parallel_reduce, parallel_scan,
};

use super::compact::{Flags, count};
use crate::bounds::same_length;

/// The elements of `x` for which `first` returns true, then the others, and the number of the former.
///
/// Both parts keep their order. `first` is called once for each element. The result is the same on every space, thread count
/// and run.
///
/// # Errors
/// [`OutOfMemory`](spelt_core::ErrorKind::OutOfMemory) if there is not enough memory for the result and a flag for each element.
///
/// # Panics
/// If `first` panics.
///
/// # Complexity
/// Work O(n), n calls; span O(n / threads + log n). Two launches and one number read back: `x` is read twice and written
/// once, and 3 n bytes of flags are written and read.
///
/// # Source
/// Futhark: `partition`. CUB's `DevicePartition` reverses the second part; this function does not.
///
/// # Examples
/// ```
/// use spelt_algorithms::partition;
/// use spelt_core::{Serial, View};
/// let x = View::from_vec("x", [5], vec![1, 2, 3, 4, 5])?;
/// let (parts, odd) = partition(&Serial::new(), &x, |x| x % 2 == 1)?;
/// assert_eq!(parts.as_slice(), Some(&[1, 3, 5, 2, 4][..]));
/// assert_eq!(odd, 3);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn partition<S, T, L, P>(
    space: &S,
    x: &impl ReadView<T, 1, S::Memory, L>,
    first: P,
) -> Result<(View<T, 1, S::Memory>, usize)>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    P: Fn(&T) -> bool + Sync,
{
    let _region = algorithm("partition");
    let x = x.read();
    let Flags { flags, set } = Flags::of(space, x, first)?;
    Ok((in_two(space, x, flags.view(), set)?, set))
}

/// The elements of `x` with a set flag, then the others, and the number of the former.
///
/// # Errors
/// [`Extents`](spelt_core::ErrorKind::Extents) if the numbers of flags and elements differ;
/// [`OutOfMemory`](spelt_core::ErrorKind::OutOfMemory).
///
/// # Complexity
/// As [`partition`], without its calls.
///
/// # Source
/// CUB: `DevicePartition::Flagged`, except that both parts keep their order.
///
/// # Examples
/// ```
/// use spelt_algorithms::partition_flagged;
/// use spelt_core::{Serial, View};
/// let x = View::from_vec("x", [3], vec![10, 20, 30])?;
/// let flags = View::from_vec("flags", [3], vec![false, false, true])?;
/// let (parts, set) = partition_flagged(&Serial::new(), &x, &flags)?;
/// assert_eq!((parts.to_vec(), set), (vec![30, 10, 20], 1));
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn partition_flagged<S, T, L, LF>(
    space: &S,
    x: &impl ReadView<T, 1, S::Memory, L>,
    flags: &impl ReadView<bool, 1, S::Memory, LF>,
) -> Result<(View<T, 1, S::Memory>, usize)>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    LF: Layout,
{
    let _region = algorithm("partition_flagged");
    let (x, flags) = (x.read(), flags.read());
    same_length("partition_flagged", x, flags)?;
    let set = count(space, flags)?;
    Ok((in_two(space, x, flags, set)?, set))
}

/// The `set` elements with a flag, then those without.
fn in_two<S, T, L, LF>(
    space: &S,
    x: ViewRef<'_, T, 1, S::Memory, L>,
    flags: ViewRef<'_, bool, 1, S::Memory, LF>,
    set: usize,
) -> Result<View<T, 1, S::Memory>>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    LF: Layout,
{
    let mut out = space.zeros::<T, 1>(x.label(), [x.len()])?;
    // SAFETY: an iteration whose flag is set writes at the number of flags set before it, the others at `set`, which is the
    // number of all that are set, and the number of flags not set before them: no two at one place. The flags are data that
    // nothing writes meanwhile, and only this module counts them.
    let places = unsafe { out.distinct() };
    parallel_scan(
        "partition",
        space.range(0..x.len()),
        (flags, x, places),
        move |i, before, last, (flags, x, mut out)| {
            let flag = flags[i];
            if last {
                out[if flag { *before } else { set + (i.get() - *before) }] = x[i];
            }
            *before += usize::from(flag);
        },
        Sum::<usize>::new(),
    )?;
    Ok(out)
}

/// The elements of `x` for which `first` returns true, then the others for which `second` returns true, then the rest, and the
/// starts of the second and the third part.
///
/// All three parts keep their order. `first` is called once for each element, `second` once for each for which `first` returns false.
///
/// # Errors
/// As [`partition`].
///
/// # Panics
/// If `first` or `second` panics.
///
/// # Complexity
/// As [`partition`], with at most 2 n calls.
///
/// # Source
/// Futhark: `partition2`; CUB: `DevicePartition::If` with two selections.
///
/// # Examples
/// ```
/// use spelt_algorithms::partition_three_way;
/// use spelt_core::{Serial, View};
/// let x = View::from_fn("x", [10], |[i]| i)?;
/// let (parts, begins) = partition_three_way(&Serial::new(), &x, |x| x % 2 == 0, |x| x % 3 == 0)?;
/// assert_eq!(parts.as_slice(), Some(&[0, 2, 4, 6, 8, 3, 9, 1, 5, 7][..]));
/// assert_eq!(begins, [5, 7]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn partition_three_way<S, T, L, P, Q>(
    space: &S,
    x: &impl ReadView<T, 1, S::Memory, L>,
    first: P,
    second: Q,
) -> Result<(View<T, 1, S::Memory>, [usize; 2])>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    P: Fn(&T) -> bool + Sync,
    Q: Fn(&T) -> bool + Sync,
{
    let _region = algorithm("partition_three_way");
    let x = x.read();
    let n = x.len();
    let mut parts = space.zeros::<u8, 1>("parts", [n])?;
    let [firsts, seconds] = parallel_reduce(
        "parts",
        space.range(0..n),
        (x, &mut parts),
        move |i, sizes, (x, mut parts)| {
            let part = if first(&x[i]) { 0 } else { 1 + u8::from(!second(&x[i])) };
            parts[i] = part;
            sizes[0] += usize::from(part == 0);
            sizes[1] += usize::from(part == 1);
        },
        Sum::<[usize; 2]>::new(),
    )?;
    Ok((in_three(space, x, &parts, [firsts, seconds])?, [firsts, firsts + seconds]))
}

/// The elements of parts 0 (`firsts` of them), 1 (`seconds`) and 2 (the rest).
fn in_three<S, T, L>(
    space: &S,
    x: ViewRef<'_, T, 1, S::Memory, L>,
    parts: &View<u8, 1, S::Memory>,
    [firsts, seconds]: [usize; 2],
) -> Result<View<T, 1, S::Memory>>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
{
    let mut out = space.zeros::<T, 1>(x.label(), [x.len()])?;
    // SAFETY: an iteration writes where its part begins, past as many places as elements of its part come before it: no two
    // at one place. The parts are stored, so that they are the same whenever they are counted.
    let places = unsafe { out.distinct() };
    parallel_scan(
        "partition in three",
        space.range(0..x.len()),
        (parts, x, places),
        move |i, before, last, (parts, x, mut out)| {
            let part = parts[i];
            if last {
                // A table instead of branches, which would be guessed wrong.
                let rest = i.get() - before[0] - before[1];
                let next = [before[0], firsts + before[1], firsts + seconds + rest];
                out[next[usize::from(part.min(2))]] = x[i];
            }
            before[0] += usize::from(part == 0);
            before[1] += usize::from(part == 1);
        },
        Sum::<[usize; 2]>::new(),
    )?;
    Ok(out)
}
