//! The thread of each index of a box in `parallel_for`: blocks of threads are tiles of the box.

use crate::tuning::{FOR_ROW, FOR_THREADS, MAX_THREADS};

/// Division of numbers below 2^31 by a number that is known before the launch: a multiplication and a shift.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Divisor {
    divisor: u32,
    factor: u32,
    shift: u32,
}

impl Divisor {
    /// Division by `divisor`, of 1 to 2^31.
    #[must_use]
    pub const fn new(divisor: u32) -> Self {
        // With `shift = 31 + ceil(log2(divisor))` the rounded-up quotient is exact for 31 bits (Granlund and Montgomery,
        // "Division by invariant integers using multiplication", 1994).
        let shift = 31 + if divisor <= 1 { 0 } else { u32::BITS - (divisor - 1).leading_zeros() };
        let factor = (1_u64 << shift).div_ceil(divisor as u64);
        Self { divisor, factor: factor as u32, shift }
    }

    /// The divisor.
    #[inline(always)]
    #[must_use]
    pub const fn get(&self) -> u32 {
        self.divisor
    }

    /// Quotient and remainder of `number`, which is below 2^31.
    #[inline(always)]
    #[must_use]
    pub const fn divide(&self, number: u32) -> (u32, u32) {
        let quotient = ((number as u64 * self.factor as u64) >> self.shift) as u32;
        (quotient, number - quotient * self.divisor)
    }
}

/// A box cut into tiles, one for each block, the last index of both fastest.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Placement<const N: usize> {
    extents: [usize; N],
    tile: [Divisor; N],
    tiles: [Divisor; N],
}

impl<const N: usize> Placement<N> {
    /// Tiles of `tile` indices, `tiles` of them along each dimension; a block has a thread for each index of a tile.
    #[must_use]
    pub fn new(extents: [usize; N], tile: [u32; N], tiles: [u32; N]) -> Self {
        Self { extents, tile: tile.map(Divisor::new), tiles: tiles.map(Divisor::new) }
    }

    /// The index of thread `thread` of block `block`, or `None` if the tile extends beyond the box there.
    #[inline(always)]
    #[must_use]
    pub fn index(&self, mut block: u32, mut thread: u32) -> Option<[usize; N]> {
        let mut index = [0; N];
        let mut inside = true;
        let mut dimension = N;
        while dimension > 0 {
            dimension -= 1;
            let (tile, place) = if dimension == 0 {
                (block, thread)
            } else {
                let (blocks_left, tile) = self.tiles[dimension].divide(block);
                let (threads_left, place) = self.tile[dimension].divide(thread);
                (block, thread) = (blocks_left, threads_left);
                (tile, place)
            };
            index[dimension] = tile as usize * self.tile[dimension].get() as usize + place as usize;
            inside &= index[dimension] < self.extents[dimension];
        }
        inside.then_some(index)
    }
}

/// The tile of a box with these extents, in which no dimension is empty: `asked`, if a block can have that many threads, or one
/// for coalesced accesses. An extent of 0 in `asked` means the whole extent.
#[must_use]
pub fn tile<const N: usize>(extents: [usize; N], asked: Option<[usize; N]>) -> [u32; N] {
    if let Some(asked) = asked {
        let asked: [usize; N] = core::array::from_fn(|d| match asked[d] {
            0 => extents[d],
            asked => asked.min(extents[d]),
        });
        let threads = asked.iter().try_fold(1_usize, |product, &extent| product.checked_mul(extent));
        if threads.is_some_and(|threads| threads <= MAX_THREADS as usize) {
            return asked.map(|extent| extent as u32);
        }
    }
    // Powers of two up to the extents of the box, first for the row, then for the dimensions before it.
    let fitting = |extent: usize, most: u32| extent.min(most as usize).next_power_of_two() as u32;
    let mut tile = [1; N];
    let mut left = FOR_THREADS;
    for dimension in (0..N).rev() {
        let most = if dimension == N - 1 && N > 1 { FOR_ROW } else { left };
        tile[dimension] = fitting(extents[dimension], most);
        left /= tile[dimension];
    }
    // Threads that the other dimensions do not need lengthen the row.
    tile[N - 1] = fitting(extents[N - 1], tile[N - 1] * left);
    tile
}

/// Calls `run(from, count)` for parts of a box of `tiles` tiles, each of at most `most` tiles, which cover it.
///
/// # Errors
/// The first of `run`.
pub fn parts<const N: usize, E>(
    from: [usize; N],
    tiles: [usize; N],
    most: usize,
    run: &mut impl FnMut([usize; N], [usize; N]) -> Result<(), E>,
) -> Result<(), E> {
    let count = tiles.iter().try_fold(1_usize, |product, &tiles| product.checked_mul(tiles));
    if count.is_some_and(|count| count <= most) {
        return run(from, tiles);
    }
    // The slowest dimension that can be cut: the parts are then as long as possible in the others.
    let Some(dimension) = (0..N).find(|&d| tiles[d] > 1) else { return run(from, tiles) };
    let (mut low, mut high, mut middle) = (tiles, tiles, from);
    low[dimension] = tiles[dimension] / 2;
    high[dimension] = tiles[dimension] - low[dimension];
    middle[dimension] += low[dimension];
    parts(from, low, most, run)?;
    parts(middle, high, most, run)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divisors_divide() {
        let largest = (1_u32 << 31) - 1;
        for divisor in [1, 2, 3, 5, 7, 10, 64, 255, 641, 1023, 65_537, 1 << 30, largest, 1 << 31] {
            let by = Divisor::new(divisor);
            for near in [0, 1, divisor, divisor.saturating_mul(3), 1 << 16, 1_000_003, largest] {
                for number in [near.saturating_sub(1), near, near.saturating_add(1)] {
                    if number <= largest {
                        assert_eq!(
                            by.divide(number),
                            (number / divisor, number % divisor),
                            "{number} / {divisor}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn blocks_are_tiles_that_threads_fill() {
        assert_eq!(tile([1000], None), [256]);
        assert_eq!(tile([1000, 1000], None), [4, 64]);
        assert_eq!(tile([2, 1000], None), [2, 128]);
        assert_eq!(tile([1000, 3], None), [64, 4]);
        assert_eq!(tile([9, 5, 7], None), [4, 8, 8]);
        assert_eq!(tile([100, 100], Some([8, 16])), [8, 16]);
        assert_eq!(tile([5, 100], Some([0, 200])), [5, 100]);
        assert_eq!(tile([100, 100], Some([usize::MAX, 2])), [100, 2]);
        assert_eq!(tile([1000, 1000], Some([usize::MAX, 2])), [4, 64]);
    }

    #[test]
    fn every_index_has_one_thread() {
        let extents = [3, 5, 7];
        let tile = tile(extents, Some([2, 2, 4]));
        let tiles = [2, 3, 2];
        let placement = Placement::new(extents, tile, tiles);
        let mut visits = [[[0; 7]; 5]; 3];
        for block in 0..12 {
            for thread in 0..16 {
                if let Some([i, j, k]) = placement.index(block, thread) {
                    visits[i][j][k] += 1;
                }
            }
        }
        assert_eq!(visits, [[[1; 7]; 5]; 3]);
    }

    #[test]
    fn parts_cover_a_box_once() {
        let mut visits = [[0; 6]; 5];
        parts([0, 0], [5, 6], 4, &mut |from: [usize; 2], count: [usize; 2]| {
            assert!(count[0] * count[1] <= 4);
            for row in &mut visits[from[0]..from[0] + count[0]] {
                row[from[1]..from[1] + count[1]].iter_mut().for_each(|visits| *visits += 1);
            }
            Ok::<(), ()>(())
        })
        .unwrap();
        assert_eq!(visits, [[1; 6]; 5]);
    }
}
