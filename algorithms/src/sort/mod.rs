//! Sorting: keys, keys with values, and permutations that sort.

mod bucket;
mod by_bins;
mod device;
mod digit;
mod host;
mod key;
mod lines;
mod look;
mod memory;
mod ordered;
mod pass;
mod radix;
mod split;

use spelt_core::tools::algorithm;
use spelt_core::{
    Element, Error, ErrorKind, ExecutionSpace, Layout, ReadView, Result, WriteView, deep_copy, parallel_for,
};

use crate::dense::write_densely;
pub use by_bins::order_by_bins;
pub(crate) use key::Direction;
pub use key::{RadixBits, RadixKey};
pub use ordered::{is_sorted, is_sorted_descending, is_sorted_until};
pub(crate) use pass::{Blocks, PairViews, RADIX, places, starts};
pub(crate) use radix::sort_pairs;

/// Sorts keys in place, the smallest first.
///
/// Floats are sorted in their total order: -NaN, -inf, .., -0.0, 0.0, .., inf, NaN, with their bits kept. The result is the
/// same on every space, because it is unique.
///
/// # Errors
/// [`ErrorKind::OutOfMemory`] if there is not enough memory for a copy of the keys; they are then unchanged.
///
/// # Complexity
/// With n keys that differ in b bytes: work O(b n), span O(b (n / threads + log n)), and memory for n more keys, on a host also
/// at most 3 MB for each thread. On a host a thread may have a quarter of the keys, those that share their high
/// bits. Keys that are already sorted are only read, once.
///
/// On the host keys are read three times and written twice in memory, and read once more if they do not differ in the highest
/// bit of their type. In between they move within a thread's caches, by digits of up to 11 bits: only by the highest ones
/// if that leaves few out of order. If one value of the highest 13 bits that differ (fewer for less than 2^19 keys) has more
/// than a quarter of the keys, they are read 2 b times more and written b times, or once more if b is odd. On a device they
/// are read 2 b + 1 times and written b times, or once more if b is odd; few keys are sorted by one team, in one
/// launch: as many as its shared memory has room for, on an H100 16,384 of 4 bytes or 11,700 of 8, on an A100 14,600 or 8,100, fewer with values.
///
/// Radix sort: Hollerith; Knuth, The Art of Computer Programming 3, 5.2.5.
///
/// # Examples
/// ```
/// use spelt_algorithms::sort;
/// use spelt_core::{Serial, View};
/// let mut keys = View::from_vec("keys", [4], vec![3, -1, 2, 0])?;
/// sort(&Serial::new(), &mut keys)?;
/// assert_eq!(keys.to_vec(), [-1, 0, 2, 3]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn sort<S, K, L>(space: &S, keys: &mut impl WriteView<K, 1, S::Memory, L>) -> Result<()>
where
    S: ExecutionSpace,
    K: RadixKey,
    L: Layout,
{
    let _region = algorithm("sort");
    sort_keys(space, keys, false)
}

/// Sorts keys in place, the largest first: [`sort`] in descending order.
///
/// # Errors
/// As [`sort`].
///
/// # Complexity
/// As [`sort`].
///
/// # Examples
/// ```
/// use spelt_algorithms::sort_descending;
/// use spelt_core::{Serial, View};
/// let mut keys = View::from_vec("keys", [4], vec![0.5, -0.0, f32::NAN, 2.0])?;
/// sort_descending(&Serial::new(), &mut keys)?;
/// assert!(keys[0].is_nan());
/// assert_eq!(keys.to_vec()[1..], [2.0, 0.5, -0.0]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn sort_descending<S, K, L>(space: &S, keys: &mut impl WriteView<K, 1, S::Memory, L>) -> Result<()>
where
    S: ExecutionSpace,
    K: RadixKey,
    L: Layout,
{
    let _region = algorithm("sort_descending");
    sort_keys(space, keys, true)
}

/// Sorts keys in place, the smallest first, and moves the value of each along; equal keys keep their order.
///
/// Values move as often as keys: sort large ones by [`argsort`], whose result gives the origin of each.
///
/// # Errors
/// [`ErrorKind::Extents`] if the lengths of keys and values differ; as [`sort`].
///
/// # Complexity
/// As [`sort`], with a value moved with each key, and memory for n more values.
///
/// # Examples
/// ```
/// use spelt_algorithms::sort_by_key;
/// use spelt_core::{Serial, View};
/// let mut keys = View::from_vec("keys", [4], vec![2_u8, 1, 2, 1])?;
/// let mut values = View::from_vec("values", [4], vec!['a', 'b', 'c', 'd'])?;
/// sort_by_key(&Serial::new(), &mut keys, &mut values)?;
/// assert_eq!(keys.to_vec(), [1, 1, 2, 2]);
/// assert_eq!(values.to_vec(), ['b', 'd', 'a', 'c']);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn sort_by_key<S, K, V, L1, L2>(
    space: &S,
    keys: &mut impl WriteView<K, 1, S::Memory, L1>,
    values: &mut impl WriteView<V, 1, S::Memory, L2>,
) -> Result<()>
where
    S: ExecutionSpace,
    K: RadixKey,
    V: Element,
    L1: Layout,
    L2: Layout,
{
    let _region = algorithm("sort_by_key");
    sort_values(space, keys, values, false)
}

/// Sorts keys in place, the largest first, and moves the value of each along; equal keys keep their order.
///
/// # Errors
/// As [`sort_by_key`].
///
/// # Complexity
/// As [`sort_by_key`].
///
/// # Examples
/// ```
/// use spelt_algorithms::sort_by_key_descending;
/// use spelt_core::{Serial, View};
/// let mut keys = View::from_vec("keys", [4], vec![2_u8, 1, 2, 1])?;
/// let mut values = View::from_vec("values", [4], vec!['a', 'b', 'c', 'd'])?;
/// sort_by_key_descending(&Serial::new(), &mut keys, &mut values)?;
/// assert_eq!(values.to_vec(), ['a', 'c', 'b', 'd']);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn sort_by_key_descending<S, K, V, L1, L2>(
    space: &S,
    keys: &mut impl WriteView<K, 1, S::Memory, L1>,
    values: &mut impl WriteView<V, 1, S::Memory, L2>,
) -> Result<()>
where
    S: ExecutionSpace,
    K: RadixKey,
    V: Element,
    L1: Layout,
    L2: Layout,
{
    let _region = algorithm("sort_by_key_descending");
    sort_values(space, keys, values, true)
}

/// Writes the permutation that sorts the keys, the smallest first: the indices of the keys in sorted order, where equal keys
/// keep theirs.
///
/// # Errors
/// [`ErrorKind::Extents`] if the lengths of keys and indices differ; [`ErrorKind::Overflow`] if an index does not fit `I`;
/// as [`sort`].
///
/// # Complexity
/// As [`sort_by_key`], after a copy of the keys.
///
/// # Examples
/// ```
/// use spelt_algorithms::argsort;
/// use spelt_core::{Serial, View};
/// let keys = View::from_vec("keys", [4], vec![2.5, 0.5, 2.5, 1.5])?;
/// let mut order = View::<u32, 1>::zeros("order", [4])?;
/// argsort(&Serial::new(), &keys, &mut order)?;
/// assert_eq!(order.to_vec(), [1, 3, 0, 2]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn argsort<S, K, I, L1, L2>(
    space: &S,
    keys: &impl ReadView<K, 1, S::Memory, L1>,
    order: &mut impl WriteView<I, 1, S::Memory, L2>,
) -> Result<()>
where
    S: ExecutionSpace,
    K: RadixKey,
    I: SortIndex,
    L1: Layout,
    L2: Layout,
{
    let _region = algorithm("argsort");
    argsort_directed(space, keys, order, false)
}

/// Writes the permutation that sorts the keys, the largest first: [`argsort`] in descending order, with equal keys still in their
/// order.
///
/// # Errors
/// As [`argsort`].
///
/// # Complexity
/// As [`argsort`].
///
/// # Examples
/// ```
/// use spelt_algorithms::argsort_descending;
/// use spelt_core::{Serial, View};
/// let keys = View::from_vec("keys", [4], vec![2.5, 0.5, 2.5, 1.5])?;
/// let mut order = View::<usize, 1>::zeros("order", [4])?;
/// argsort_descending(&Serial::new(), &keys, &mut order)?;
/// assert_eq!(order.to_vec(), [0, 2, 3, 1]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn argsort_descending<S, K, I, L1, L2>(
    space: &S,
    keys: &impl ReadView<K, 1, S::Memory, L1>,
    order: &mut impl WriteView<I, 1, S::Memory, L2>,
) -> Result<()>
where
    S: ExecutionSpace,
    K: RadixKey,
    I: SortIndex,
    L1: Layout,
    L2: Layout,
{
    let _region = algorithm("argsort_descending");
    argsort_directed(space, keys, order, true)
}

/// An index of a permutation: `u32`, for fewer than 2^32 keys, or `usize`. Sealed.
pub trait SortIndex: Element + sealed::Sealed {
    /// The largest number of keys that it can distinguish.
    #[doc(hidden)]
    const MOST: usize;

    /// The index, which is below [`MOST`](Self::MOST).
    #[doc(hidden)]
    fn from_index(index: usize) -> Self;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for u32 {}
    impl Sealed for usize {}
}

impl SortIndex for u32 {
    const MOST: usize = u32::MAX as usize;
    #[inline(always)]
    fn from_index(index: usize) -> Self {
        index as Self
    }
}

impl SortIndex for usize {
    const MOST: usize = usize::MAX;
    #[inline(always)]
    fn from_index(index: usize) -> Self {
        index
    }
}

fn sort_keys<S, K, L>(
    space: &S,
    keys: &mut impl WriteView<K, 1, S::Memory, L>,
    descending: bool,
) -> Result<()>
where
    S: ExecutionSpace,
    K: RadixKey,
    L: Layout,
{
    let mut nothing = space.zeros::<(), 1>("sort: nothing", [keys.read().len()])?;
    write_densely(space, keys, |keys| {
        sort_pairs(space, PairViews { keys, values: nothing.view_mut() }, descending)
    })
}

fn sort_values<S, K, V, L1, L2>(
    space: &S,
    keys: &mut impl WriteView<K, 1, S::Memory, L1>,
    values: &mut impl WriteView<V, 1, S::Memory, L2>,
    descending: bool,
) -> Result<()>
where
    S: ExecutionSpace,
    K: RadixKey,
    V: Element,
    L1: Layout,
    L2: Layout,
{
    let (n, m) = (keys.read().len(), values.read().len());
    if n != m {
        return Err(Error::new(
            ErrorKind::Extents,
            format!(
                "view `{}` has {n} keys, view `{}` has {m} values: each key needs a value",
                keys.read().label(),
                values.read().label()
            ),
        ));
    }
    write_densely(space, keys, |keys| {
        write_densely(space, values, |values| sort_pairs(space, PairViews { keys, values }, descending))
    })
}

fn argsort_directed<S, K, I, L1, L2>(
    space: &S,
    keys: &impl ReadView<K, 1, S::Memory, L1>,
    order: &mut impl WriteView<I, 1, S::Memory, L2>,
    descending: bool,
) -> Result<()>
where
    S: ExecutionSpace,
    K: RadixKey,
    I: SortIndex,
    L1: Layout,
    L2: Layout,
{
    let keys = keys.read();
    let (n, m) = (keys.len(), order.read().len());
    if n != m {
        return Err(Error::new(
            ErrorKind::Extents,
            format!(
                "view `{}` has {n} keys, view `{}` has {m} indices: each key needs an index",
                keys.label(),
                order.read().label()
            ),
        ));
    }
    if n > I::MOST {
        return Err(Error::new(
            ErrorKind::Overflow,
            format!(
                "the indices of the {n} keys of view `{}` do not fit {} bytes: use usize",
                keys.label(),
                size_of::<I>()
            ),
        ));
    }
    let mut copy = space.zeros::<K, 1>(keys.label(), [n])?;
    deep_copy(&mut copy, &keys)?;
    write_densely(space, order, |mut order| {
        parallel_for("sort: indices", space.range(0..n), &mut order, move |i, mut order| {
            order[i] = I::from_index(i.get());
        })?;
        sort_pairs(space, PairViews { keys: copy.view_mut(), values: order }, descending)
    })
}
