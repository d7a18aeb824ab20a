//! Rows of lanes that several short lines fill.
//!
//! The lanes of a line are any range of them, as a tile goes on from line to line: a loop of run-time length around the closure,
//! which costs as much as 40 instructions. Where blocks of a constant number of places divide the lines, they begin at lanes that
//! the compiler knows, so a whole row is straight code and its values stay in registers.

use spelt_reducers::Reducer;

use crate::body::ReduceBody;
use crate::cursor::Cursor;
use crate::lanes::{Lanes, Storage};

impl<R: Reducer, const W: usize> Lanes<R, W> {
    /// Runs `rows` rows of all `W` lanes, which must be live, and steps `place` behind them, if their lines are short and divide
    /// into blocks. Returns whether it did.
    #[inline(always)]
    pub(crate) fn rows_of_blocks<C: Cursor>(
        &mut self,
        rows: usize,
        place: &mut C,
        body: &mut impl ReduceBody<C, R::Value>,
    ) -> bool {
        if const { C::LINE || !Self::COPIES } {
            return false;
        }
        if rows == 0 || place.extent() >= W * Self::UNROLLED_ROWS {
            return false;
        }
        if const { Self::gains::<8>() } && Self::divides::<8>(place) {
            self.rows_of_blocks_of::<8, C>(rows, place, body);
        } else if const { Self::gains::<4>() } && Self::divides::<4>(place) {
            self.rows_of_blocks_of::<4, C>(rows, place, body);
        } else if const { Self::gains::<2>() } && Self::divides::<2>(place) {
            self.rows_of_blocks_of::<2, C>(rows, place, body);
        } else {
            return false;
        }
        true
    }

    /// Whether some lines gain from blocks of `B` places: a constant, so that the loops of others are not compiled.
    ///
    /// Measured with sums of `f64` (AVX-512, ns an element in blocks and without): blocks of 8 in lines of 64 0.08 and 0.14; of 4
    /// in lines of 12 0.16 and 0.32, of 100 0.17 and 0.15; of 2 in lines of 6 0.33 and 0.62; of 1 in lines of 3 0.97 and 1.00, so there are none of 1. Values
    /// above 16 bytes gain from blocks of 8 alone (`MinLoc<f32, [usize; 2]>`: lines of 12 1.9 and 1.5).
    const fn gains<const B: usize>() -> bool {
        B <= W && (B == 8 || size_of::<R::Value>() <= 16)
    }

    /// Whether blocks of `B` places divide this line and all others, and these are short enough to gain from it.
    #[inline(always)]
    fn divides<const B: usize>(place: &impl Cursor) -> bool {
        let extent = place.extent();
        extent < 4 * B * B && extent.is_multiple_of(B) && place.line().is_multiple_of(B)
    }

    /// [`rows_of_blocks`](Self::rows_of_blocks) in blocks of `B` places.
    #[inline(always)]
    fn rows_of_blocks_of<const B: usize, C: Cursor>(
        &mut self,
        rows: usize,
        place: &mut C,
        body: &mut impl ReduceBody<C, R::Value>,
    ) {
        // In registers, as in `rows`.
        let mut local = Storage::<R, W>::new();
        // SAFETY: without drop glue, a copy of the bytes is a copy of the values.
        local.0 = unsafe { core::ptr::read(&self.storage.0) };
        for _ in 0..rows {
            for block in 0..W / B {
                for distance in 0..B {
                    let lane = block * B + distance;
                    // SAFETY: all lanes are live.
                    let mut value = unsafe { local.take(lane) };
                    body.run(*place, distance, &mut value);
                    local.put(lane, value);
                }
                place.advance(B);
            }
        }
        self.storage.0 = local.0;
    }
}

#[cfg(test)]
mod tests {
    use spelt_reducers::{Sum, custom};

    use super::*;
    use crate::cursor::{Boxed, Line, Place};
    use crate::tile::reduce_tile;

    /// A number for each iteration, such that another order of additions has other bits.
    fn number(iteration: usize) -> f64 {
        ((iteration * 7919) % 1009) as f64 / 7.0
    }

    /// Compares a tile of lines of `extent` places with the tile of one line.
    fn check<R: Reducer<Value = V>, V: PartialEq + core::fmt::Debug>(
        reducer: &R,
        extent: usize,
        one: impl Fn(usize) -> V,
    ) {
        for (first, len) in [(0, 1000), (extent, 32), (4, 999), (1, 70)] {
            let start = Boxed::new([3, 1, 5], [1010, 3, 5 + extent], first);
            let mut in_box = |place: Boxed<3>, distance: usize, value: &mut V| {
                let [i, j, k] = place.at(distance);
                reducer.join(value, &one(((i - 3) * 2 + j - 1) * extent + k - 5));
            };
            let mut on_line = |place: Line, distance: usize, value: &mut V| {
                reducer.join(value, &one(place.index + distance));
            };
            assert_eq!(
                reduce_tile(reducer, start, len, &mut in_box),
                reduce_tile(reducer, Line { index: first }, len, &mut on_line),
                "{len} iterations from {first} on, in lines of {extent}"
            );
        }
    }

    #[test]
    fn blocks_have_the_joins_of_one_line() {
        for extent in (1..40).chain([48, 56, 60, 64, 96, 120, 127, 128, 130]) {
            check(&Sum::new(), extent, number);
            check(&Sum::new(), extent, |iteration| number(iteration) as f32);
            // 32 lanes of 12 bytes, 8 and 4 lanes.
            let add = |into: &mut [f32; 3], from: &[f32; 3]| into[0] = (into[0] + from[0]) * 0.75;
            check(&custom([0.0; 3], add), extent, |iteration| [number(iteration) as f32, 0.0, 0.0]);
            let add = |into: &mut [f64; 6], from: &[f64; 6]| into[0] = (into[0] + from[0]) * 0.75;
            check(&custom([0.0; 6], add), extent, |iteration| [number(iteration); 6]);
            let add = |into: &mut [f64; 12], from: &[f64; 12]| into[0] = (into[0] + from[0]) * 0.75;
            check(&custom([0.0; 12], add), extent, |iteration| [number(iteration); 12]);
        }
    }
}
