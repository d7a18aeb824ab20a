//! `reduce_by_index`: the generalised histogram.

use spelt_core::reducers::Reducer;
use spelt_core::tools::algorithm;
use spelt_core::{Element, ExecutionSpace, Layout, ReadView, Result, WriteView};

use super::Contributions;
use crate::IndexElement;
use crate::bounds::{all_inside, same_length};

/// Joins `values[i]` to `bins[indices[i]]`, for all `i`; indices outside are ignored.
///
/// Each bin becomes its old value joined with the values for it by ascending `i`: the reducer need not be commutative. The
/// values are cut into n / (4 k) contiguous blocks for n values and k bins, at least 1 and at most 1024; in each block the values
/// of a bin join one another, and the blocks join the bin. A single block joins the bins directly. No identity takes part, and
/// bins without contributions keep their bits, including those of `-0.0` and NaN. So the bits depend only on values,
/// indices and extents: they are **the same on every space, thread count and run, for floats too**.
///
/// # Errors
/// [`Extents`](spelt_core::ErrorKind::Extents) if the numbers of values and indices differ;
/// [`OutOfMemory`](spelt_core::ErrorKind::OutOfMemory).
///
/// # Panics
/// If a join panics; `bins` are then joined in part.
///
/// # Complexity
/// Work O(n): n joins of values and at most n / 4 of blocks, where k is at most n / 8; n joins where k is more. A reducer without a
/// [neutral](Reducer::neutral) value reads and writes one more byte for each value, if there are several blocks. With at least as
/// many blocks as threads, values and indices are read once, span O(n / threads + blocks). With fewer, indices are read twice
/// and values sorted into up to 512 buckets of neighbouring bins: span O(n / threads) if bins are about equally full, n if
/// one bin gets all. On a device, where no order of joins changes a bit, both are read once for any number of bins.
///
/// # Source
/// Futhark: `reduce_by_index`; Henriksen, Hellfritzsch, Sadayappan, Oancea, *Compiling generalized histograms for GPU*, 2020.
///
/// # Examples
/// ```
/// use spelt_algorithms::reduce_by_index;
/// use spelt_core::{Serial, View, reducers::Max};
/// let values = View::from_vec("values", [4], vec![1.5, 2.5, 3.5, 4.5])?;
/// let indices = View::from_vec("indices", [4], vec![2, 0, 2, -1])?;
/// let mut most = View::from_vec("most", [3], vec![0.0; 3])?;
/// reduce_by_index(&Serial::new(), &values, &indices, &mut most, Max::new())?;
/// assert_eq!(most.as_slice(), Some(&[2.5, 0.0, 3.5][..]));
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn reduce_by_index<S, T, I, R, LV, LI, L>(
    space: &S,
    values: &impl ReadView<T, 1, S::Memory, LV>,
    indices: &impl ReadView<I, 1, S::Memory, LI>,
    bins: &mut impl WriteView<T, 1, S::Memory, L>,
    reducer: R,
) -> Result<()>
where
    S: ExecutionSpace,
    I: IndexElement,
    T: Element,
    R: Reducer<Value = T, Output = T> + Copy + Send + Sync,
    LI: Layout,
    LV: Layout,
    L: Layout,
{
    let _region = algorithm("reduce_by_index");
    let (keys, values) = (indices.read(), values.read());
    same_length("reduce_by_index", values, keys)?;
    Contributions { keys, values, bin: I::place, lift: core::convert::identity::<T> }.join_into(
        space,
        bins.write(),
        reducer,
    )
}

/// [`reduce_by_index`] that refuses indices outside `bins`; nothing is joined then.
///
/// # Errors
/// As [`reduce_by_index`], and [`Extents`](spelt_core::ErrorKind::Extents) with the number of indices outside and the first of
/// them.
///
/// # Panics
/// As [`reduce_by_index`].
///
/// # Complexity
/// As [`reduce_by_index`]; the indices are read once more.
///
/// # Examples
/// ```
/// use spelt_algorithms::reduce_by_index_checked;
/// use spelt_core::{Serial, View, reducers::Sum};
/// let (values, indices) = (View::from_vec("values", [2], vec![1, 2])?, View::from_vec("indices", [2], vec![0, 5])?);
/// let mut sums = View::<i32, 1>::zeros("sums", [5])?;
/// assert!(reduce_by_index_checked(&Serial::new(), &values, &indices, &mut sums, Sum::new()).is_err());
/// assert_eq!(sums[0], 0);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn reduce_by_index_checked<S, T, I, R, LV, LI, L>(
    space: &S,
    values: &impl ReadView<T, 1, S::Memory, LV>,
    indices: &impl ReadView<I, 1, S::Memory, LI>,
    bins: &mut impl WriteView<T, 1, S::Memory, L>,
    reducer: R,
) -> Result<()>
where
    S: ExecutionSpace,
    I: IndexElement,
    T: Element,
    R: Reducer<Value = T, Output = T> + Copy + Send + Sync,
    LI: Layout,
    LV: Layout,
    L: Layout,
{
    let _region = algorithm("reduce_by_index_checked");
    all_inside(space, "reduce_by_index_checked", indices.read(), bins.read().len())?;
    reduce_by_index(space, values, indices, bins, reducer)
}
