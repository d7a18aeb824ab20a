//! Tiles of few rows: neighbouring columns in groups, each of which is reduced to its values before the next one begins.
//!
//! The values of a group stay in registers while a lane's rows are added and while it is joined with those before it. Values of all
//! columns for each lane would be written and read again for every row and join: for ten rows of 1000 `f32` that took three times as long
//! (Ice Lake, AVX-512).

use core::mem::{replace, swap};

use spelt_core::reducers::Reducer;
use spelt_core::with_scratch;

use super::tile::Lanes;

/// The maximum number of rows for each lane of a tile that is reduced in groups. Source: measured with sums of `f32` and `f64` (Ice Lake).
pub(super) const ROWS_OF_LANE: usize = 8;

/// The largest value that is reduced in groups. Unit: bytes. Source: 32 of them take 2 KiB.
const MAX_BYTES: usize = 64;

/// Columns of this many bytes of values are reduced at a time, group by group. Source: longer pieces of rows are fetched ahead by
/// processors, shorter ones leave the first cache to the rows.
const TOGETHER: usize = 1 << 10;

/// The rows of a tile whose reducer commutes, some of whose lanes are reduced.
pub(super) struct Groups<'a, T, F, R> {
    /// Each with all columns.
    pub(super) rows: &'a [&'a [T]],
    /// The number of the first row.
    pub(super) first: usize,
    pub(super) columns: usize,
    pub(super) lanes: Lanes,
    /// The lanes of a tile.
    pub(super) w: usize,
    pub(super) contribute: F,
    pub(super) reducer: &'a R,
}

impl<T, F, R> Groups<'_, T, F, R>
where
    T: Copy,
    F: Fn(&mut R::Value, T, usize) + Copy,
    R: Reducer,
{
    /// The values of all columns; `None` if these lanes have no rows, or values are too large.
    #[inline(always)]
    pub(super) fn reduce(&self) -> Option<Vec<R::Value>> {
        // 256 bytes are eight registers of AVX2, four of AVX-512. Large values would be too many bytes for the stack.
        match const { size_of::<R::Value>() } {
            0..=4 => self.reduce_by::<64>(),
            5..=MAX_BYTES => self.reduce_by::<32>(),
            _ => None,
        }
    }

    #[inline(always)]
    fn reduce_by<const G: usize>(&self) -> Option<Vec<R::Value>> {
        let Lanes { first, step } = self.lanes;
        let live = self.rows.len().min(self.w).saturating_sub(first).div_ceil(step);
        if live == 0 {
            return None;
        }
        let mut results: Vec<_> = (0..self.columns).map(|_| self.reducer.init()).collect();
        let together = (TOGETHER / size_of::<R::Value>().max(1) / G).max(1) * G;
        with_scratch(
            pairs(live).ilog2() as usize * together,
            |_| self.reducer.init(),
            // Otherwise it is compiled for the lowest processor.
            #[inline(always)]
            |levels| {
                let whole = self.columns - self.columns % G;
                for start in (0..whole).step_by(together) {
                    let columns = together.min(whole - start);
                    self.tree::<G, true>(levels, &mut results[start..][..columns], start, live);
                }
                if whole < self.columns {
                    self.tree::<G, false>(levels, &mut results[whole..], whole, live);
                }
            },
        );
        Some(results)
    }

    /// The values of the columns from `start` on: in groups of `G` if they are `WHOLE`, or those of one group with fewer. `levels` has
    /// values for each column for every level of the tree over pairs of the `live` lanes that have rows.
    #[inline(always)]
    fn tree<const G: usize, const WHOLE: bool>(
        &self,
        levels: &mut [R::Value],
        results: &mut [R::Value],
        start: usize,
        live: usize,
    ) {
        let (columns, pairs) = (results.len(), pairs(live));
        let mut level = 0;
        for number in 0..pairs {
            let joins = number.trailing_ones() as usize;
            level -= joins;
            // Halving joins neighbours in the order of the reversed bits, lane `place` with the one half of all lanes further.
            let place = number.reverse_bits() >> 1 >> (usize::BITS - 1 - pairs.ilog2());
            for group in (0..columns).step_by(G) {
                let count = if WHOLE { G } else { columns.min(G) };
                let mut values = self.lane::<G>(start + group, count, place);
                if place + pairs < live {
                    let other = self.lane::<G>(start + group, count, place + pairs);
                    for (value, other) in values[..count].iter_mut().zip(&other) {
                        self.reducer.join(value, other);
                    }
                }
                for level in (level..level + joins).rev() {
                    let before = &mut levels[level * columns + group..][..count];
                    for (value, before) in values.iter_mut().zip(before) {
                        let mut joined = replace(before, self.reducer.init());
                        self.reducer.join(&mut joined, value);
                        *value = joined;
                    }
                }
                let places = if number + 1 == pairs { &mut *results } else { &mut levels[level * columns..] };
                // No iterator of the values themselves: its elements would pass through memory one by one.
                for (place, value) in places[group..][..count].iter_mut().zip(&mut values) {
                    swap(place, value);
                }
            }
            level += 1;
        }
    }

    /// The values of `count` columns from `start` on of the rows of one of the lanes.
    #[inline(always)]
    fn lane<const G: usize>(&self, start: usize, count: usize, number: usize) -> [R::Value; G] {
        let mut values: [R::Value; G] = core::array::from_fn(|_| self.reducer.init());
        let mut row = self.lanes.first + number * self.lanes.step;
        while row < self.rows.len() {
            let columns = &self.rows[row][start..][..count];
            for (value, x) in values.iter_mut().zip(columns) {
                (self.contribute)(value, *x, self.first + row);
            }
            row += self.w;
        }
        values
    }
}

/// The pairs of `live` lanes: halving joins lane `l` with lane `l + pairs` first, if there is such a lane.
fn pairs(live: usize) -> usize {
    live.div_ceil(2).next_power_of_two()
}

#[cfg(test)]
mod tests {
    use spelt_core::reducers::{Reducer, Sum};

    use super::{Groups, Lanes};

    /// The number of the first row.
    const FIRST: usize = 1000;

    /// Lane after lane, and then by halving, one column at a time.
    fn by_halving(rows: &[&[f32]], column: usize, lanes: Lanes, w: usize) -> f32 {
        let element =
            |row: usize| rows[row][column] * if (FIRST + row).is_multiple_of(3) { -1.0 } else { 1.0 };
        let sum = |lane| (lane..rows.len()).step_by(w).map(element).fold(0.0, |sum, x| sum + x);
        let mut values: Vec<f32> = (lanes.first..w.min(rows.len())).step_by(lanes.step).map(sum).collect();
        while values.len() > 1 {
            let upper = values.split_off(values.len().next_power_of_two() / 2);
            values.iter_mut().zip(upper).for_each(|(value, other)| *value += other);
        }
        values[0]
    }

    /// Numbers of different magnitudes, so that each order of additions has its own result.
    fn number(place: usize) -> f32 {
        let mixed = (place as u32).wrapping_mul(2_654_435_761);
        (mixed >> 8) as f32 * 2_f32.powi((mixed % 29) as i32)
    }

    #[test]
    fn groups_are_joined_by_halving_whatever_their_lanes_and_columns() {
        const W: usize = 32;
        let lanes = [(0, 1), (0, 2), (1, 2), (3, 4), (7, 32)].map(|(first, step)| Lanes { first, step });
        for columns in [1, 7, 63, 64, 65, 128, 256, 300, 577] {
            let numbers: Vec<f32> = (0..256 * columns).map(number).collect();
            let all: Vec<&[f32]> = numbers.chunks(columns).collect();
            for count in [0, 1, 2, 3, 5, 8, 9, 31, 32, 33, 63, 64, 100, 255, 256] {
                for lanes in lanes {
                    let (rows, reducer) = (&all[..count], &Sum::<f32>::new());
                    // The number of the row decides on the sign.
                    let contribute = |sum: &mut f32, x: f32, row: usize| {
                        *sum += if row.is_multiple_of(3) { -x } else { x }
                    };
                    let groups = Groups { rows, first: FIRST, columns, lanes, w: W, contribute, reducer };
                    let got = groups.reduce();
                    if count <= lanes.first {
                        assert_eq!(got, None, "{count} rows of {columns}, {lanes:?}");
                        continue;
                    }
                    for (column, got) in got.expect("values").into_iter().enumerate() {
                        let want = reducer.finish(by_halving(rows, column, lanes, W));
                        assert_eq!(
                            got.to_bits(),
                            want.to_bits(),
                            "{count} rows of {columns}, {lanes:?}, {column}"
                        );
                    }
                }
            }
        }
    }
}
