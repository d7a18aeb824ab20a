//! `serial_reduce`: the canonical order, run by the calling thread.

use spelt_order::cursor::Line;
use spelt_reducers::Reducer;

use crate::team::{Nested, reduce_here};

/// Reduces over `0..n` on the calling thread, inside a kernel or outside, to the bits of [`parallel_reduce`].
///
/// `contribute(k, value)` contributes iteration `k` to a running value; it is called exactly once for each `k` below `n`, in an
/// unspecified order. Use `serial_reduce` for a reduction of some thousand iterations in each iteration of a launch, such as the
/// sum of a row: nothing is launched, nothing is allocated for values up to 512 bytes, and the loop is compiled for the
/// processor's vectors.
///
/// # Guarantee
/// The bits depend on `n` and on the reducer only: they are those of `parallel_reduce` over `0..n`, on every space.
///
/// # Panics
/// If a contribution or a join panics.
///
/// # Complexity
/// Work and span O(n); as many joins as in `parallel_reduce`.
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Serial, View, parallel_for, reducers::Sum, serial_reduce};
/// let x = View::from_fn("x", [3, 100], |[i, j]| (i * j) as u32)?;
/// let mut sums = View::<u32, 1>::zeros("sums", [3])?;
/// let space = Serial::new();
/// parallel_for("sums of rows", space.range(0..3), (x.by_rows(), &mut sums), |i, (x, mut sums)| {
///     let row = &x[i];
///     sums[i] = serial_reduce(row.len(), |k, sum| *sum += row[k], &Sum::new());
/// })?;
/// assert_eq!(sums.to_vec(), [0, 4950, 9900]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
///
/// [`parallel_reduce`]: crate::parallel_reduce()
#[inline(always)]
pub fn serial_reduce<R: Reducer>(
    n: usize,
    mut contribute: impl FnMut(usize, &mut R::Value),
    reducer: &R,
) -> R::Output {
    let mut body = Nested::reduction(|place: Line, distance: usize, value: &mut R::Value| {
        contribute(place.index + distance, value);
    });
    reduce_here(reducer, n, |first| Line { index: first }, &mut body)
}
