//! Search in sorted keys.

use core::hint::select_unpredictable;
use core::ops::Range;

use spelt_core::reducers::Sum;
use spelt_core::tools::algorithm;
use spelt_core::{
    Error, ErrorKind, ExecutionSpace, Layout, LookupAccess, ReadView, Result, WriteView, look_up,
    parallel_for, parallel_reduce,
};

use crate::sort::RadixKey;

/// For each needle, the number of keys that are smaller: the first index at which it could be inserted.
///
/// `sorted` is in ascending order, floats in the total order of [`sort`](crate::sort). If it is not, each result is still a
/// number from 0 to the number of keys.
///
/// # Errors
/// [`ErrorKind::Extents`] if the lengths of needles and positions differ.
///
/// # Complexity
/// With n keys and m needles: work O(m log n), span O(log n) and m / threads of it. Sorted needles find their keys in
/// the caches.
///
/// # Examples
/// ```
/// use spelt_algorithms::lower_bound;
/// use spelt_core::{Serial, View};
/// let sorted = View::from_vec("sorted", [4], vec![1, 3, 3, 7])?;
/// let needles = View::from_vec("needles", [3], vec![3, 0, 9])?;
/// let mut positions = View::<usize, 1>::zeros("positions", [3])?;
/// lower_bound(&Serial::new(), &sorted, &needles, &mut positions)?;
/// assert_eq!(positions.to_vec(), [1, 0, 4]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn lower_bound<S, K, L1, L2, L3>(
    space: &S,
    sorted: &impl ReadView<K, 1, S::Memory, L1>,
    needles: &impl ReadView<K, 1, S::Memory, L2>,
    positions: &mut impl WriteView<usize, 1, S::Memory, L3>,
) -> Result<()>
where
    S: ExecutionSpace,
    K: RadixKey,
    L1: Layout,
    L2: Layout,
    L3: Layout,
{
    let _region = algorithm("lower_bound");
    bounds::<false, _, _, _, _, _>(space, sorted, needles, positions)
}

/// For each needle, the number of keys that are not larger: the last index at which it could be inserted.
///
/// # Errors
/// As [`lower_bound`].
///
/// # Complexity
/// As [`lower_bound`].
///
/// # Examples
/// ```
/// use spelt_algorithms::upper_bound;
/// use spelt_core::{Serial, View};
/// let sorted = View::from_vec("sorted", [4], vec![1, 3, 3, 7])?;
/// let needles = View::from_vec("needles", [3], vec![3, 0, 9])?;
/// let mut positions = View::<usize, 1>::zeros("positions", [3])?;
/// upper_bound(&Serial::new(), &sorted, &needles, &mut positions)?;
/// assert_eq!(positions.to_vec(), [3, 0, 4]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn upper_bound<S, K, L1, L2, L3>(
    space: &S,
    sorted: &impl ReadView<K, 1, S::Memory, L1>,
    needles: &impl ReadView<K, 1, S::Memory, L2>,
    positions: &mut impl WriteView<usize, 1, S::Memory, L3>,
) -> Result<()>
where
    S: ExecutionSpace,
    K: RadixKey,
    L1: Layout,
    L2: Layout,
    L3: Layout,
{
    let _region = algorithm("upper_bound");
    bounds::<true, _, _, _, _, _>(space, sorted, needles, positions)
}

/// [`lower_bound`] of one needle.
///
/// # Errors
/// Any error that a device reports.
///
/// # Complexity
/// With n keys: work and span O(log n).
///
/// # Examples
/// ```
/// use spelt_algorithms::{lower_bound_of, upper_bound_of};
/// use spelt_core::{Serial, View};
/// let space = Serial::new();
/// let sorted = View::from_vec("sorted", [4], vec![1, 3, 3, 7])?;
/// assert_eq!(lower_bound_of(&space, &sorted, 3)?..upper_bound_of(&space, &sorted, 3)?, 1..3);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn lower_bound_of<S, K, L>(
    space: &S,
    sorted: &impl ReadView<K, 1, S::Memory, L>,
    needle: K,
) -> Result<usize>
where
    S: ExecutionSpace,
    K: RadixKey,
    L: Layout,
{
    let _region = algorithm("lower_bound_of");
    bound::<false, _, _, _>(space, sorted, needle)
}

/// [`upper_bound`] of one needle.
///
/// # Errors
/// As [`lower_bound_of`].
///
/// # Complexity
/// As [`lower_bound_of`].
///
/// # Examples
/// ```
/// use spelt_algorithms::upper_bound_of;
/// use spelt_core::{Serial, View};
/// let sorted = View::from_vec("sorted", [4], vec![1.0, 3.0, 3.0, f64::NAN])?;
/// assert_eq!(upper_bound_of(&Serial::new(), &sorted, 3.0)?, 3);
/// assert_eq!(upper_bound_of(&Serial::new(), &sorted, f64::NAN)?, 4);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn upper_bound_of<S, K, L>(
    space: &S,
    sorted: &impl ReadView<K, 1, S::Memory, L>,
    needle: K,
) -> Result<usize>
where
    S: ExecutionSpace,
    K: RadixKey,
    L: Layout,
{
    let _region = algorithm("upper_bound_of");
    bound::<true, _, _, _>(space, sorted, needle)
}

/// The indices of the keys that equal a needle, from [`lower_bound_of`] to [`upper_bound_of`]: on a host both in one search.
///
/// If `sorted` is not in ascending order, it is still a range of its indices.
///
/// # Errors
/// Any error that a device reports.
///
/// # Complexity
/// With n keys: work and span O(log n). One search on a host, two launches on a device.
///
/// # Examples
/// ```
/// use spelt_algorithms::equal_range_of;
/// use spelt_core::{Serial, View};
/// let sorted = View::from_vec("sorted", [4], vec![1, 3, 3, 7])?;
/// assert_eq!(equal_range_of(&Serial::new(), &sorted, 3)?, 1..3);
/// assert_eq!(equal_range_of(&Serial::new(), &sorted, 5)?, 3..3);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn equal_range_of<S, K, L>(
    space: &S,
    sorted: &impl ReadView<K, 1, S::Memory, L>,
    needle: K,
) -> Result<Range<usize>>
where
    S: ExecutionSpace,
    K: RadixKey,
    L: Layout,
{
    let _region = algorithm("equal_range_of");
    let (start, end) = if const { S::IS_DEVICE } {
        (bound::<false, _, _, _>(space, sorted, needle)?, bound::<true, _, _, _>(space, sorted, needle)?)
    } else {
        let needle = needle.to_radix();
        let [start, end] = look_up(
            "equal range",
            space,
            sorted,
            #[inline(always)]
            |sorted| {
                search(sorted, |key, number| {
                    let key = key.to_radix();
                    if number == 0 { key < needle } else { key <= needle }
                })
            },
        )?;
        (start, end)
    };
    // Also where keys are not in order: the searches part at a key that equals the needle, and the lower one stays before it.
    Ok(start..end)
}

/// Needles that a thread of a host searches together. Unit: needles. Source: estimated: a fetch from the second cache takes some 14
/// cycles, and a step of a search two or three.
const TOGETHER: usize = 8;

/// For each of some searches, the number of keys for which `before(key, number of the search)` holds, which are the first ones.
///
/// They take the same steps, one after the other, so that their fetches overlap.
#[inline(always)]
fn search<K: RadixKey, L: Layout, const N: usize>(
    sorted: &LookupAccess<'_, K, 1, L>,
    before: impl Fn(K, usize) -> bool,
) -> [usize; N] {
    let (mut firsts, mut len) = ([0; N], sorted.extent(0));
    while len > 1 {
        let half = len / 2;
        for number in 0..N {
            let first = firsts[number];
            let Some(&key) = sorted.get(first + half) else { return firsts };
            // A choice without a branch: every other guess at one would be wrong.
            firsts[number] = select_unpredictable(before(key, number), first + half, first);
        }
        len -= half;
    }
    for (number, first) in firsts.iter_mut().enumerate() {
        *first += usize::from(sorted.get(*first).is_some_and(|&key| before(key, number)));
    }
    firsts
}

/// For each of some needles, the number of keys before it, including equal keys if `EQUAL` is true.
#[inline(always)]
fn search_bounds<const EQUAL: bool, K: RadixKey, L: Layout, const N: usize>(
    sorted: &LookupAccess<'_, K, 1, L>,
    needles: [K; N],
) -> [usize; N] {
    let needles = needles.map(RadixKey::to_radix);
    search(
        sorted,
        |key, number| {
            if EQUAL { key.to_radix() <= needles[number] } else { key.to_radix() < needles[number] }
        },
    )
}

fn bounds<const EQUAL: bool, S, K, L1, L2, L3>(
    space: &S,
    sorted: &impl ReadView<K, 1, S::Memory, L1>,
    needles: &impl ReadView<K, 1, S::Memory, L2>,
    positions: &mut impl WriteView<usize, 1, S::Memory, L3>,
) -> Result<()>
where
    S: ExecutionSpace,
    K: RadixKey,
    L1: Layout,
    L2: Layout,
    L3: Layout,
{
    let (needles, mut positions) = (needles.read(), positions.write());
    let (n, m) = (needles.len(), positions.len());
    if n != m {
        return Err(Error::new(
            ErrorKind::Extents,
            format!(
                "view `{}` has {n} needles, view `{}` has {m} positions: each needle needs one",
                needles.label(),
                positions.label()
            ),
        ));
    }
    let sorted = sorted.read().lookup();
    if const { S::IS_DEVICE } {
        // Threads of a warp overlap their fetches as it is.
        return parallel_for(
            "bounds",
            space.range(0..n),
            (sorted, needles, positions),
            move |i, (sorted, needles, mut positions)| {
                [positions[i]] = search_bounds::<EQUAL, _, _, 1>(&sorted, [needles[i]]);
            },
        );
    }
    parallel_for(
        "bounds",
        space.range(0..n.div_ceil(TOGETHER)),
        (sorted, needles.by_blocks(TOGETHER), positions.by_blocks_mut(TOGETHER)),
        move |block, (sorted, needles, mut positions)| {
            let (needles, mut positions) = (needles.part(block), positions.part_mut(block));
            let Some(&first) = needles.iter().next() else { return };
            // The last block may be shorter: the first needle takes the free places.
            let mut together = [first; TOGETHER];
            together.iter_mut().zip(needles.iter()).for_each(|(copy, needle)| *copy = *needle);
            let found = search_bounds::<EQUAL, _, _, TOGETHER>(&sorted, together);
            positions.iter_mut().zip(found).for_each(|(position, found)| *position = found);
        },
    )
}

fn bound<const EQUAL: bool, S, K, L>(
    space: &S,
    sorted: &impl ReadView<K, 1, S::Memory, L>,
    needle: K,
) -> Result<usize>
where
    S: ExecutionSpace,
    K: RadixKey,
    L: Layout,
{
    if const { !S::IS_DEVICE } {
        let [position] = look_up(
            "bound",
            space,
            sorted,
            #[inline(always)]
            |sorted| search_bounds::<EQUAL, _, _, 1>(sorted, [needle]),
        )?;
        return Ok(position);
    }
    parallel_reduce(
        "bound",
        space.range(0..1),
        sorted.read().lookup(),
        move |_, position, sorted| {
            let [found] = search_bounds::<EQUAL, _, _, 1>(&sorted, [needle]);
            *position += found;
        },
        Sum::<usize>::new(),
    )
}
