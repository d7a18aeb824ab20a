//! `copy_if` of a team: the selected indices, without gaps.
//!
//! Each selected index could write at the number of those before it. But an iteration owns its own place only; so the places look for their
//! indices instead: flags in scratch become numbers, in which each place searches.

use spelt_core::{NestedIdx, Team};

/// Calls `store(place, j)` for each `j` below `n` for which `keep(j)` returns true, and returns their number: the places count from 0, in the
/// order of the indices.
///
/// `keep` is called once for each index. `store` gets the witness of the place, which alone may write there.
///
/// # Panics
/// If the policy's scratch per team is below [`copy_if_scratch`]`(n)`; if a View that the witnesses index does not cover as many places; if
/// the team's threads do not all make this call, with the same `n`; if `n` exceeds [`u32::MAX`]; if a closure panics.
///
/// # Complexity
/// For m of n indices: work O(n + m log n); span O(n / t + sqrt n + (m / t) log n) in a team of t threads. The team meets about ten times.
///
/// # Source
/// Kokkos: `copy_if` with a team, `remove_copy_if` and `partition_copy` with two calls.
///
/// # Examples
/// The positive elements of each row, moved to its front:
/// ```
/// use spelt_algorithms::team;
/// use spelt_core::{AUTO, ExecutionSpace, Serial, View, parallel_for};
/// let space = Serial::new();
/// let a = View::from_vec("a", [2, 4], vec![1, -2, 3, -4, -5, -6, -7, 8])?;
/// let mut b = View::<i32, 2>::zeros("b", [2, 4])?;
/// let policy = space.team(2, AUTO).scratch(team::copy_if_scratch(4), 0);
/// parallel_for("positive", policy, (&a, &mut b), |t, (a, mut b)| {
///     let row = t.league_rank();
///     team::copy_if(t, 4, |j| a[[row, j]] > 0, |place, j| b[place] = a[[row, j]]);
/// })?;
/// assert_eq!(b.to_vec(), [1, 3, 0, 0, 8, 0, 0, 0]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[track_caller]
pub fn copy_if<'k, V>(
    team: &mut Team<'k, V>,
    n: usize,
    mut keep: impl FnMut(usize) -> bool,
    mut store: impl for<'j> FnMut(NestedIdx<'k, 'j, 2>, usize),
) -> usize {
    assert!(n <= u32::MAX as usize, "`copy_if` of a team takes at most u32::MAX indices: call it for parts");
    let [rows, width] = shape(n);
    let fill = |[row, column]: [usize; 2]| {
        let j = row * width + column;
        u32::from(j < n && keep(j))
    };
    // One more row: the numbers before each row.
    team.with_scratch_mut([rows + 1, width], fill, |team, mut s| {
        s.write_rows(team, 0..rows, |_, row, _| {
            let mut sum = 0;
            for number in row {
                sum += *number;
                *number = sum;
            }
        });
        s.write_rows(team, rows..rows + 1, |_, before, numbers| {
            let mut sum = 0;
            for (row, before) in before.iter_mut().take(rows).enumerate() {
                *before = sum;
                sum += numbers[[row, width - 1]];
            }
        });
        let before = &s.row(rows)[..rows];
        let kept = match rows {
            0 => 0,
            rows => before[rows - 1] + s[[rows - 1, width - 1]],
        };
        team.parallel_for(team.thread_range(kept as usize), |place| {
            let number = place.inner() as u32;
            let row = before.partition_point(|&before| before <= number) - 1;
            let column = s.row(row).partition_point(|&upto| before[row] + upto <= number);
            store(place, row * width + column);
        });
        kept as usize
    })
}

/// The bytes of scratch per team that [`copy_if`] of `n` indices takes.
///
/// # Examples
/// ```
/// assert_eq!(spelt_algorithms::team::copy_if_scratch(1000), 4 * 33 * 32);
/// ```
#[must_use]
pub fn copy_if_scratch(n: usize) -> usize {
    let [rows, width] = shape(n);
    (rows + 1).saturating_mul(width).saturating_mul(size_of::<u32>())
}

/// A box for `n` numbers with at most as many rows as columns.
#[inline]
fn shape(n: usize) -> [usize; 2] {
    // The number of bits of n - 1, halved and rounded up.
    let bits = usize::BITS - n.saturating_sub(1).leading_zeros();
    let width = 1 << bits.div_ceil(2);
    [n.div_ceil(width), width]
}

#[cfg(test)]
mod tests {
    use super::shape;

    #[test]
    fn boxes_have_room_for_all_numbers_and_those_of_all_rows() {
        for n in (0..3000).chain([65_535, 65_536, 65_537]) {
            let [rows, width] = shape(n);
            assert!(rows * width >= n && rows <= width, "{n}: {rows} of {width}");
            assert!(width <= 1 || width * width <= 4 * n, "{n}: {rows} of {width}");
        }
    }
}
