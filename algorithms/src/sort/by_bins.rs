//! `order_by_bins`: a counting sort.

use spelt_core::tools::algorithm;
use spelt_core::{Error, ErrorKind, ExecutionSpace, Layout, Offsets, ReadView, Result, WriteView};

use super::{RadixKey, SortIndex, argsort};
use crate::{IndexElement, histogram, offsets_from_counts};

/// Sorts by small numbers, each below `bins`: writes the permutation that puts the elements of bin 0 first, then those of bin 1, .., and
/// returns where each bin begins. It is a counting sort: Kokkos's `BinSort`.
///
/// Elements of one bin keep their order, so the result is unique, and the same on every space, thread count and run.
/// [`gather`](crate::gather) applies the permutation to any number of Views, and
/// [`by_segments_mut`](spelt_core::View::by_segments_mut) takes the bins of the sorted elements as segments.
///
/// # Errors
/// [`ErrorKind::Extents`] if a number is not below `bins`, which leaves `order` as it was, or if the lengths of numbers and `order` differ;
/// [`ErrorKind::Overflow`] if an index does not fit `J`; [`ErrorKind::OutOfMemory`].
///
/// # Complexity
/// A [`histogram`] of the numbers, a scan of the counts, and an [`argsort`] by the bits in which the numbers differ.
///
/// # Examples
/// ```
/// use spelt_algorithms::{gather, order_by_bins};
/// use spelt_core::{Serial, View};
/// let space = Serial::new();
/// let cells = View::from_vec("cells", [5], vec![2_u32, 0, 2, 3, 0])?;
/// let mut order = View::<u32, 1>::zeros("order", [5])?;
/// let first = order_by_bins(&space, &cells, 4, &mut order)?;
/// assert_eq!(order.to_vec(), [1, 4, 0, 2, 3]);
/// assert_eq!(first.view().to_vec(), [0, 2, 2, 4, 5]);
///
/// let names = View::from_vec("names", [5], vec!['a', 'b', 'c', 'd', 'e'])?;
/// let mut sorted = View::from_vec("sorted", [5], vec![' '; 5])?;
/// gather(&space, &names, &order, &mut sorted)?;
/// assert_eq!(sorted.to_vec(), ['b', 'e', 'a', 'c', 'd']);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn order_by_bins<S, I, J, L1, L2>(
    space: &S,
    numbers: &impl ReadView<I, 1, S::Memory, L1>,
    bins: usize,
    order: &mut impl WriteView<J, 1, S::Memory, L2>,
) -> Result<Offsets<S::Memory>>
where
    S: ExecutionSpace,
    I: IndexElement + RadixKey,
    J: SortIndex,
    L1: Layout,
    L2: Layout,
{
    let _region = algorithm("order_by_bins");
    let mut counts = space.zeros::<usize, 1>("elements of bins", [bins])?;
    histogram(space, numbers, &mut counts)?;
    let offsets = offsets_from_counts(space, &counts)?;
    let numbers = numbers.read();
    let (n, inside) = (numbers.len(), offsets.end());
    if inside != n {
        return Err(Error::new(
            ErrorKind::Extents,
            format!(
                "view `{}`: {} of {n} numbers name no bin: all must be below {bins}, and none below 0",
                numbers.label(),
                n - inside
            ),
        ));
    }
    argsort(space, &numbers, order)?;
    Ok(offsets)
}
