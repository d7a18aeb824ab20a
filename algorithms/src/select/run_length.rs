//! `run_length` and `non_trivial_runs`: runs of equal neighbours, with their lengths.

use spelt_core::tools::algorithm;
use spelt_core::{Element, ExecutionSpace, Layout, ReadView, Result, View, parallel_for};

use super::compact::{Flags, element, index};
use super::long_runs::long_runs;

/// The runs of equal neighbours: the first element of each, and its length.
///
/// The lengths add up to the number of elements. NaN equals nothing, so each NaN is a separate run. `==` is called once for each two
/// neighbours. The result is the same on every space, thread count and run.
///
/// # Errors
/// [`OutOfMemory`](spelt_core::ErrorKind::OutOfMemory) if there is not enough memory for the results, a flag for each element and an index
/// for each run.
///
/// # Panics
/// If `==` panics.
///
/// # Complexity
/// For n elements in r runs: work O(n), n - 1 comparisons; span O(n / threads + log n). Three launches, on a host five, and one number read back:
/// `x` is read once and at the beginning of each run, 3 n bytes of flags are written and read, and 3 r indices.
///
/// # Source
/// CUB: `DeviceRunLengthEncode::Encode`.
///
/// # Examples
/// ```
/// use spelt_algorithms::run_length;
/// use spelt_core::{Serial, View};
/// let x = View::from_vec("x", [8], vec![0, 2, 2, 9, 5, 5, 5, 8])?;
/// let (values, lengths) = run_length(&Serial::new(), &x)?;
/// assert_eq!(values.as_slice(), Some(&[0, 2, 9, 5, 8][..]));
/// assert_eq!(lengths.as_slice(), Some(&[1, 2, 1, 3, 1][..]));
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[allow(clippy::type_complexity)]
pub fn run_length<S, T, L>(
    space: &S,
    x: &impl ReadView<T, 1, S::Memory, L>,
) -> Result<(View<T, 1, S::Memory>, View<usize, 1, S::Memory>)>
where
    S: ExecutionSpace,
    T: Element + PartialEq,
    L: Layout,
{
    let _region = algorithm("run_length");
    let x = x.read();
    let begins = begins(space, x)?;
    let (runs, n) = (begins.len(), x.len());
    let mut values = space.zeros::<T, 1>(x.label(), [runs])?;
    let mut lengths = space.zeros::<usize, 1>("lengths", [runs])?;
    parallel_for(
        "run lengths",
        space.range(0..runs),
        (begins.lookup(), x.lookup(), &mut values, &mut lengths),
        move |run, (begins, x, mut values, mut lengths)| {
            let begin = begins[run.get()];
            values[run] = x[begin];
            lengths[run] = begins.get(run.get() + 1).unwrap_or(&n) - begin;
        },
    )?;
    Ok((values, lengths))
}

/// The starts and lengths of the runs of more than one element.
///
/// Everything else is as for [`run_length`].
///
/// # Errors
/// As [`run_length`].
///
/// # Panics
/// If `==` panics.
///
/// # Complexity
/// As [`run_length`]; on a device with two more launches, over the runs, and one more number read back. A host reads `x` once and the flags
/// twice, and writes the results once, but for the lengths, which are read and written again.
///
/// # Source
/// CUB: `DeviceRunLengthEncode::NonTrivialRuns`.
///
/// # Examples
/// ```
/// use spelt_algorithms::non_trivial_runs;
/// use spelt_core::{Serial, View};
/// let x = View::from_vec("x", [8], vec![0, 2, 2, 9, 5, 5, 5, 8])?;
/// let (begins, lengths) = non_trivial_runs(&Serial::new(), &x)?;
/// assert_eq!(begins.as_slice(), Some(&[1, 4][..]));
/// assert_eq!(lengths.as_slice(), Some(&[2, 3][..]));
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[allow(clippy::type_complexity)]
pub fn non_trivial_runs<S, T, L>(
    space: &S,
    x: &impl ReadView<T, 1, S::Memory, L>,
) -> Result<(View<usize, 1, S::Memory>, View<usize, 1, S::Memory>)>
where
    S: ExecutionSpace,
    T: Element + PartialEq,
    L: Layout,
{
    let _region = algorithm("non_trivial_runs");
    let x = x.read();
    let heads = Flags::of_heads(space, x)?;
    if const { !S::IS_DEVICE } {
        return long_runs(space, heads.flags.view());
    }
    let begins = heads.compact(space, x, index)?;
    let (runs, n) = (begins.len(), x.len());
    let mut spans = space.zeros::<[usize; 2], 1>("runs", [runs])?;
    parallel_for(
        "run spans",
        space.range(0..runs),
        (begins.lookup(), &mut spans),
        move |run, (begins, mut spans)| {
            let begin = begins[run.get()];
            spans[run] = [begin, begins.get(run.get() + 1).unwrap_or(&n) - begin];
        },
    )?;
    longer_than_one(space, &spans)
}

/// Of all runs, the starts and lengths of those with more than one element.
#[allow(clippy::type_complexity)]
fn longer_than_one<S: ExecutionSpace>(
    space: &S,
    spans: &View<[usize; 2], 1, S::Memory>,
) -> Result<(View<usize, 1, S::Memory>, View<usize, 1, S::Memory>)> {
    let spans = spans.view();
    let long = Flags::of(space, spans, |[_, length]| *length > 1)?.compact(space, spans, element)?;
    let mut begins = space.zeros::<usize, 1>("begins", [long.len()])?;
    let mut lengths = space.zeros::<usize, 1>("lengths", [long.len()])?;
    parallel_for(
        "long runs",
        space.range(0..long.len()),
        (&long, &mut begins, &mut lengths),
        move |run, (long, mut begins, mut lengths)| [begins[run], lengths[run]] = long[run],
    )?;
    Ok((begins, lengths))
}

/// The start of each run.
fn begins<S, T, L>(
    space: &S,
    x: spelt_core::ViewRef<'_, T, 1, S::Memory, L>,
) -> Result<View<usize, 1, S::Memory>>
where
    S: ExecutionSpace,
    T: Element + PartialEq,
    L: Layout,
{
    Flags::of_heads(space, x)?.compact(space, x, index)
}
