//! The number of an index in the order in which one thread of a host would run the launch.

/// The order of the indices between two corners: tile by tile, each with its last index fastest, or all with the first one fastest.
///
/// Every tile has the numbers of a whole one, so numbers have gaps behind tiles that the box cuts off.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbering<const N: usize> {
    lower: [usize; N],
    /// The extents of a tile and the number of tiles, with the fastest dimension last.
    tile: [usize; N],
    tiles: [usize; N],
    /// Whether all indices are one tile.
    is_whole: bool,
    /// All bits set if the first index varies fastest, otherwise none.
    backwards: usize,
}

impl<const N: usize> Numbering<N> {
    /// For launches that keep no contributions: it numbers nothing.
    pub const NONE: Self = Self { lower: [0; N], tile: [1; N], tiles: [1; N], is_whole: true, backwards: 0 };

    /// The order of the indices from `lower` to `upper`, in tiles of these extents. An extent of 0 means the whole extent.
    #[must_use]
    pub fn new(lower: [usize; N], upper: [usize; N], tile: Option<[usize; N]>, first_fastest: bool) -> Self {
        let turn = |index: [usize; N]| {
            if first_fastest { core::array::from_fn(|d| index[N - 1 - d]) } else { index }
        };
        let extents = turn(core::array::from_fn(|d| upper[d].saturating_sub(lower[d])));
        let asked = turn(tile.unwrap_or([0; N]));
        let whole = |d: usize| asked[d] == 0 || asked[d] == extents[d];
        let tile =
            core::array::from_fn(|d| if whole(d) { extents[d] } else { asked[d].min(extents[d]) }.max(1));
        let tiles = core::array::from_fn(|d| extents[d].div_ceil(tile[d]));
        let backwards = if first_fastest { usize::MAX } else { 0 };
        Self { lower, tile, tiles, is_whole: (0..N).all(whole), backwards }
    }

    /// The numbers of each part, if `count` indices are cut into at most `parts` parts: of indices, or of tiles if there are several.
    #[must_use]
    pub fn part_len(&self, count: usize, parts: usize) -> usize {
        let parts = parts.max(1);
        if self.is_whole {
            return count.div_ceil(parts).max(1);
        }
        let tiles: usize = self.tiles.iter().product();
        (tiles.div_ceil(parts) * self.tile.iter().product::<usize>()).max(1)
    }

    /// The number of `index`, which lies between the corners.
    #[inline(always)]
    #[must_use]
    pub fn number(&self, index: [usize; N]) -> usize {
        let place: [usize; N] = core::array::from_fn(|d| index[d] - self.lower[d]);
        // A choice by bits: with a condition, the compiler would put the array into local memory.
        let place: [usize; N] =
            core::array::from_fn(|d| place[d] ^ (place[d] ^ place[N - 1 - d]) & self.backwards);
        let (mut tile, mut within) = (0, 0);
        if self.is_whole {
            (0..N).for_each(|d| within = within * self.tile[d] + place[d]);
            return within;
        }
        let mut volume = 1;
        (0..N).for_each(|d| {
            // No extent is 0. A division that may panic would stay in kernels that use no number.
            let quotient = place[d].checked_div(self.tile[d]).unwrap_or(0);
            tile = tile * self.tiles[d] + quotient;
            within = within * self.tile[d] + (place[d] - quotient * self.tile[d]);
            volume *= self.tile[d];
        });
        tile * volume + within
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec::Vec;

    /// The indices of a box of 5 by 7 from [2, 3] on, by their numbers.
    fn order(tile: Option<[usize; 2]>, first_fastest: bool) -> Vec<[usize; 2]> {
        let numbering = Numbering::new([2, 3], [7, 10], tile, first_fastest);
        let mut all: Vec<_> = (2..7).flat_map(|i| (3..10).map(move |j| [i, j])).collect();
        all.sort_by_key(|&index| numbering.number(index));
        let mut numbers: Vec<_> = all.iter().map(|&index| numbering.number(index)).collect();
        numbers.dedup();
        assert_eq!(numbers.len(), 35);
        all
    }

    #[test]
    fn the_last_or_the_first_index_is_fastest() {
        let rows: Vec<_> = (2..7).flat_map(|i| (3..10).map(move |j| [i, j])).collect();
        let columns: Vec<_> = (3..10).flat_map(|j| (2..7).map(move |i| [i, j])).collect();
        assert_eq!((order(None, false), order(None, true)), (rows.clone(), columns));
        assert_eq!(order(Some([0, 0]), false), rows);
        assert_eq!(order(Some([100, 100]), false), rows);
    }

    #[test]
    fn tiles_follow_one_another() {
        let found = order(Some([2, 4]), false);
        let mut wanted = Vec::new();
        for from in [[2, 3], [2, 7], [4, 3], [4, 7], [6, 3], [6, 7]] {
            for i in from[0]..7.min(from[0] + 2) {
                wanted.extend((from[1]..10.min(from[1] + 4)).map(|j| [i, j]));
            }
        }
        assert_eq!(found, wanted);
    }

    #[test]
    fn parts_consist_of_indices_or_of_tiles() {
        let of = |tile| Numbering::new([2, 3], [7, 10], tile, false);
        assert_eq!((of(None).part_len(35, 4), of(Some([5, 7])).part_len(35, 64)), (9, 1));
        // Six tiles of eight numbers; a larger tile than the box is one part, as on a host.
        assert_eq!((of(Some([2, 4])).part_len(35, 4), of(Some([100, 0])).part_len(35, 4)), (16, 35));
        assert_eq!(of(None).part_len(0, 64), 1);
    }
}
