//! `sort` and `sort_by` of a team: a bitonic sort in scratch.
//!
//! Batcher, *Sorting networks and their applications*, 1968, for any number of elements: in each step the last block ascends, and the
//! directions of the others alternate from there. So elements that are missing in the last block are as good as infinite ones, which stay
//! at the end.

use spelt_core::{Element, ScratchView, Team};

use crate::RadixKey;

/// Sorts the keys in scratch that the team writes, the smallest first.
///
/// Keys have the order of [`sort`](crate::sort): floats that of `total_cmp`. The result is unique, and so the same for every size of team.
///
/// # Panics
/// If the team's threads do not all make this call, with the same array.
///
/// # Complexity
/// As [`sort_by`].
///
/// # Source
/// Kokkos: `sort_team`, `sort_thread`.
///
/// # Examples
/// Each row is sorted in place, through scratch:
/// ```
/// use spelt_algorithms::team;
/// use spelt_core::{AUTO, ExecutionSpace, Serial, View, parallel_for};
/// let space = Serial::new();
/// let mut a = View::from_vec("a", [2, 3], vec![3, 1, 2, 6, 5, 4])?;
/// let policy = space.team(2, AUTO).scratch(3 * size_of::<i32>(), 0);
/// parallel_for("sort rows", policy, &mut a, |t, mut a| {
///     t.with_scratch_mut([3], |_| 0, |t, mut keys| {
///         keys.write_nested(t, 3, |rj, key| *key = a[rj]);
///         team::sort(t, &mut keys);
///         t.parallel_for(t.thread_range(3), |rj| a[rj] = keys[rj.inner()]);
///     });
/// })?;
/// assert_eq!(a.to_vec(), [1, 2, 3, 4, 5, 6]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[track_caller]
pub fn sort<'k, V, K, T: RadixKey>(team: &mut Team<'k, V, K>, keys: &mut ScratchView<'k, '_, T, 1>) {
    // Keys with the same bits are the same key, so it does not matter which of them comes first.
    sort_by(team, keys, |a, b| a.to_radix() < b.to_radix());
}

/// Sorts the elements in scratch that the team writes by `before`, which returns whether one must come before another.
///
/// The sort is not stable, but its result is the same for every size of team, also if `before` is no order: the elements are then in some
/// order. With the index beside the key, `(key, index)`, equal keys keep their order, and the indices are those of the sorted elements.
///
/// # Panics
/// If the team's threads do not all make this call, with the same array; if `before` panics.
///
/// # Complexity
/// For n elements: at most n log n (log n + 1) / 4 comparisons, rounded up to a power of two; span O(n log² n / t) in a team of t threads,
/// which meets twice for each of log n (log n + 1) / 2 steps. A team of one thread works on a slice.
///
/// # Source
/// Kokkos: `sort_team` with a comparator, `sort_by_key_team`.
///
/// # Examples
/// The order of each row, ascending by key:
/// ```
/// use spelt_algorithms::team;
/// use spelt_core::{AUTO, ExecutionSpace, Serial, View, parallel_for};
/// let space = Serial::new();
/// let a = View::from_vec("a", [2, 3], vec![3, 1, 1, 6, 5, 4])?;
/// let mut order = View::<u32, 2>::zeros("order", [2, 3])?;
/// let policy = space.team(2, AUTO).scratch(3 * size_of::<(i32, u32)>(), 0);
/// parallel_for("order", policy, (&a, &mut order), |t, (a, mut order)| {
///     let row = t.league_rank();
///     t.with_scratch_mut([3], |[j]| (a[[row, j]], j as u32), |t, mut keys| {
///         team::sort_by(t, &mut keys, |a, b| a < b);
///         t.parallel_for(t.thread_range(3), |rj| order[rj] = keys[rj.inner()].1);
///     });
/// })?;
/// assert_eq!(order.to_vec(), [1, 2, 0, 2, 1, 0]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[track_caller]
pub fn sort_by<'k, V, K, T: Element>(
    team: &mut Team<'k, V, K>,
    elements: &mut ScratchView<'k, '_, T, 1>,
    before: impl Fn(&T, &T) -> bool,
) {
    let n = elements.extent(0);
    if n < 2 {
        return;
    }
    if team.team_size() == 1 {
        elements.write_all(team, |elements| sort_alone(elements, &before));
        return;
    }
    let mut block = 2;
    while block / 2 < n {
        let mut stride = block / 2;
        while stride > 0 {
            elements.write_pairs(team, stride, |i, a, b| order(a, b, ascends(i / block, n, block), &before));
            stride /= 2;
        }
        block *= 2;
    }
}

/// The steps of [`sort_by`], in the same order, on a slice.
fn sort_alone<T: Copy>(elements: &mut [T], before: &impl Fn(&T, &T) -> bool) {
    let n = elements.len();
    let mut block = 2;
    while block / 2 < n {
        for (number, elements) in elements.chunks_mut(block).enumerate() {
            let ascending = ascends(number, n, block);
            let mut stride = block / 2;
            while stride > 0 {
                for pair in elements.chunks_mut(2 * stride) {
                    let (low, high) = pair.split_at_mut(stride.min(pair.len()));
                    for (a, b) in low.iter_mut().zip(high) {
                        order(a, b, ascending, before);
                    }
                }
                stride /= 2;
            }
        }
        block *= 2;
    }
}

/// Whether a block ascends in the step that sorts blocks of this length; the last one does.
#[inline(always)]
fn ascends(number: usize, n: usize, block: usize) -> bool {
    ((n - 1) / block - number).is_multiple_of(2)
}

/// Puts two elements in order, without a branch.
#[inline(always)]
fn order<T: Copy>(a: &mut T, b: &mut T, ascending: bool, before: &impl Fn(&T, &T) -> bool) {
    let (x, y) = (*a, *b);
    let exchange = if ascending { before(&y, &x) } else { before(&x, &y) };
    (*a, *b) = if exchange { (y, x) } else { (x, y) };
}

#[cfg(test)]
mod tests {
    use super::sort_alone;

    /// Zeros and ones in all combinations: a network that sorts these sorts everything (Knuth 5.3.4, theorem Z).
    #[test]
    fn every_sequence_of_two_values_is_sorted() {
        for n in 0..=13 {
            for bits in 0_u32..1 << n {
                let mut x: Vec<u32> = (0..n).map(|k| bits >> k & 1).collect();
                sort_alone(&mut x, &|a, b| a < b);
                assert!(x.is_sorted() && x.iter().sum::<u32>() == bits.count_ones(), "{n}: {bits:b}");
            }
        }
    }
}
