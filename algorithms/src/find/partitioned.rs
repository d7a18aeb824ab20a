//! `is_partitioned` and `partition_point`: elements of one kind before those of the other.

use spelt_core::reducers::Sum;
use spelt_core::tools::algorithm;
use spelt_core::{Element, ExecutionSpace, Layout, ReadView, Result, parallel_for, parallel_map_reduce};

use super::pieces::{Pieces, Wanted};

/// Whether all elements for which `test` returns true come before all others; true if there are none.
///
/// `test` is called at most once for each element. It must accept every element: for which ones it is called once the answer is known
/// depends on the run, and a panic there is a panic of the search. The result is the same on every space, thread count and run.
///
/// # Errors
/// Any error of the launch on a device.
///
/// # Panics
/// If `test` panics.
///
/// # Complexity
/// Work O(n), span O(n / threads); elements are read once. If they are not partitioned, all threads stop within 1024 elements once two
/// in the wrong order are known, on one thread within 64.
///
/// # Source
/// C++ and Kokkos: `is_partitioned`.
///
/// # Examples
/// ```
/// use spelt_algorithms::is_partitioned;
/// use spelt_core::{Serial, View};
/// let x = View::from_vec("x", [5], vec![1, 3, 5, 2, 4])?;
/// assert!(is_partitioned(&Serial::new(), &x, |x| x % 2 == 1)?);
/// assert!(!is_partitioned(&Serial::new(), &x, |x| x % 2 == 0)?);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn is_partitioned<S, T, L, P>(space: &S, x: &impl ReadView<T, 1, S::Memory, L>, test: P) -> Result<bool>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    P: Fn(&T) -> bool + Sync,
{
    let _region = algorithm("is_partitioned");
    let x = x.read();
    let n = x.len();
    let pieces = Pieces::new(n, Wanted::Any);
    // One past the last element of the first kind, and the number of elements from the first one of the other kind on.
    let mut ends = space.zeros::<usize, 1>("ends", [2])?;
    parallel_for(
        "is_partitioned",
        pieces.policy(space),
        (x.lookup(), ends.atomic()),
        move |piece, (x, ends)| {
            let x = x.line([0], 0);
            let (mut last, mut first) = (0, n);
            for part in pieces.parts(piece.get(), S::IS_DEVICE) {
                (last, first) = (last.max(ends.load(0)), first.min(n - ends.load(1)));
                if last > first {
                    return;
                }
                for group in pieces.groups(part, n, S::IS_DEVICE) {
                    let Some(x) = x.part(group.start, group.len()) else { return };
                    for (k, x) in group.zip(x.iter()) {
                        if test(x) {
                            last = last.max(k + 1);
                        } else {
                            first = first.min(k);
                        }
                    }
                    if last > first {
                        break;
                    }
                }
                ends.max(0, last);
                ends.max(1, n - first);
            }
        },
    )?;
    let ends = ends.to_host()?;
    Ok(ends[0] <= n - ends[1])
}

/// The number of elements for which `test` returns true, given that they come before all others.
///
/// If they do not, the result is some number from 0 to the number of elements: the same one on every space, thread count and run.
///
/// # Errors
/// Any error of the launch on a device.
///
/// # Panics
/// If `test` panics.
///
/// # Complexity
/// With n elements: work and span O(log n), at most log2 n + 1 calls. Kokkos's function reads all elements.
///
/// # Source
/// C++ and Kokkos: `partition_point`; Rust: `slice::partition_point`.
///
/// # Examples
/// ```
/// use spelt_algorithms::partition_point;
/// use spelt_core::{Serial, View};
/// let x = View::from_vec("x", [5], vec![1, 3, 5, 2, 4])?;
/// assert_eq!(partition_point(&Serial::new(), &x, |x| x % 2 == 1)?, 3);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn partition_point<S, T, L, P>(space: &S, x: &impl ReadView<T, 1, S::Memory, L>, test: P) -> Result<usize>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    P: Fn(&T) -> bool + Sync,
{
    let _region = algorithm("partition_point");
    let x = x.read();
    let n = x.len();
    parallel_map_reduce(
        "partition_point",
        space.range(0..1),
        x.lookup(),
        move |_, x| {
            let (mut first, mut end) = (0, n);
            while first < end {
                let middle = first + (end - first) / 2;
                if test(&x[middle]) {
                    first = middle + 1;
                } else {
                    end = middle;
                }
            }
            first
        },
        Sum::<usize>::new(),
    )
}
