//! `reduce_by_key`: one value for each run of equal keys.

use spelt_core::reducers::Reducer;
use spelt_core::tools::algorithm;
use spelt_core::{Element, ExecutionSpace, Layout, ReadView, Result, View};

use super::compact::{Flags, element};
use crate::bounds::same_length;
use crate::dense::Dense;
use crate::segmented::{offsets_from_flags, segmented_reduce};

/// Reduces the values of each run of equal neighbouring keys: the first key of each run, and its values joined and finished.
///
/// The values of a run join as in [`segmented_reduce_by_offsets`](crate::segmented_reduce_by_offsets): the order depends on
/// their number, the size of the reducer's value and whether it commutes, so the bits are the same on every space, thread count
/// and run. NaN equals nothing, so each NaN is a separate run. `==` is called once for each two neighbours.
///
/// # Errors
/// [`Extents`](spelt_core::ErrorKind::Extents) if the numbers of values and keys differ;
/// [`OutOfMemory`](spelt_core::ErrorKind::OutOfMemory) if there is not enough memory for the results and a flag for each key.
///
/// # Panics
/// If `==` or a join panics.
///
/// # Complexity
/// For n keys: work O(n), n - 1 comparisons and the joins of `segmented_reduce_by_offsets`; span O(n / threads + log n),
/// regardless of the lengths of the runs. Keys are read twice and values once; n bytes of flags are written and read four times,
/// and a `usize` for each run written and read.
///
/// # Source
/// CUB: `DeviceReduce::ReduceByKey`.
///
/// # Examples
/// ```
/// use spelt_algorithms::reduce_by_key;
/// use spelt_core::{Serial, View, reducers::Sum};
/// let keys = View::from_vec("keys", [4], vec![1, 1, 2, 1])?;
/// let values = View::from_vec("values", [4], vec![1, 2, 3, 4])?;
/// let (keys, sums) = reduce_by_key(&Serial::new(), &keys, &values, Sum::new())?;
/// assert_eq!(keys.as_slice(), Some(&[1, 2, 1][..]));
/// assert_eq!(sums.as_slice(), Some(&[3, 3, 4][..]));
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[allow(clippy::type_complexity)]
pub fn reduce_by_key<S, K, T, R, LK, LV>(
    space: &S,
    keys: &impl ReadView<K, 1, S::Memory, LK>,
    values: &impl ReadView<T, 1, S::Memory, LV>,
    reducer: R,
) -> Result<(View<K, 1, S::Memory>, View<R::Output, 1, S::Memory>)>
where
    S: ExecutionSpace,
    K: Element + PartialEq,
    T: Element,
    R: Reducer<Value = T, Output: Element> + Copy + Sync,
    LK: Layout,
    LV: Layout,
{
    let _region = algorithm("reduce_by_key");
    let (keys, values) = (keys.read(), values.read());
    same_length("reduce_by_key", keys, values)?;
    let heads = Flags::of_heads(space, keys)?;
    let firsts = heads.compact(space, keys, element)?;
    let offsets = offsets_from_flags(space, &heads.flags)?;
    let mut results = space.zeros::<R::Output, 1>(values.label(), [heads.set])?;
    let values = Dense::of(space, values)?;
    segmented_reduce(space, values.view(), offsets.view(), results.view_mut(), usize::MAX, reducer)?;
    Ok((firsts, results))
}
