//! A piece of one tile of a scan, which continues from the values of the tile's iterations before it.
//!
//! Where a tile of a scan is cut, it passes on the joined value of its whole rows, and the contributions of the row in which the cut lies.
//! These join pairwise, so they are kept as the nodes of their tree.

use core::ops::Range;

use spelt_reducers::Reducer;

use crate::body::ScanBody;
use crate::canonical;
use crate::cursor::{Cursor, skip};
use crate::pending_nodes::PendingNodes;
use crate::row::joined;
use crate::scan::{Goal, base, each_place, scan_tile_from};

/// Levels of the tree of a row's contributions.
const ROW_LEVELS: usize = canonical::MAX_LANES.ilog2() as usize + 1;

/// The values that a tile passes on where it is cut.
#[derive(Debug)]
pub struct BegunTile<V> {
    /// The whole rows.
    pub rows: Option<V>,
    /// The iterations of the begun row.
    pub row: PendingNodes<V, ROW_LEVELS>,
}

impl<V> BegunTile<V> {
    /// No iteration yet.
    #[must_use]
    pub fn new() -> Self {
        Self { rows: None, row: PendingNodes::new() }
    }
}

impl<V> Default for BegunTile<V> {
    fn default() -> Self {
        Self::new()
    }
}

/// Scans the iterations `next` of a tile of `len`, whose iterations before them have left `begun`; `place` is that of the first.
///
/// If they end the tile, its total is in `begun.rows`, and no row is begun.
#[inline(always)]
pub fn scan_piece<R, C, B>(
    reducer: &R,
    mut place: C,
    len: usize,
    next: Range<usize>,
    goal: Goal<'_, R::Value>,
    begun: &mut BegunTile<R::Value>,
    body: &mut B,
) where
    R: Reducer,
    R::Value: Clone,
    C: Cursor,
    B: ScanBody<C, R::Value>,
{
    let width = const { canonical::scan_lanes::<R>() };
    let rows_end = if next.end == len { len } else { next.end - next.end % width };
    let mut at = next.start;
    while at < next.end {
        if at.is_multiple_of(width) && at < rows_end {
            begun.rows = scan_tile_from(reducer, place, rows_end - at, begun.rows.take(), goal, None, body);
            skip(&mut place, rows_end - at);
            at = rows_end;
            continue;
        }
        let end = next.end.min(at - at % width + width);
        each_place!(place, end - at, |distance, _number| {
            let mut contribution = reducer.init();
            body.run(place, distance, &mut contribution, false);
            if let Goal::Values(prefix) = goal {
                let base = base(reducer, prefix, begun.rows.as_ref());
                let value = match begun.row.clone().join(reducer) {
                    None => base,
                    Some(before) => Some(joined(reducer, base.as_ref(), before)),
                };
                let mut value = value.unwrap_or_else(|| reducer.init());
                body.run(place, distance, &mut value, true);
            }
            begun.row.push(reducer, contribution, 1);
        });
        at = end;
        if (at.is_multiple_of(width) || at == len)
            && let Some(row) = begun.row.join(reducer)
        {
            begun.rows = Some(joined(reducer, begun.rows.as_ref(), row));
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::vec::Vec;

    use spelt_reducers::{Sum, custom};

    use super::*;
    use crate::cursor::{Boxed, Line, Place};
    use crate::scan::scan_tile;

    fn cut_anywhere<R, C, const N: usize>(
        reducer: &R,
        len: usize,
        start: C,
        contribute: impl Fn(usize, &mut R::Value),
    ) where
        R: Reducer,
        R::Value: Clone + PartialEq + core::fmt::Debug,
        C: Place<N>,
    {
        let number = |index: [usize; N]| index.iter().fold(0, |number, index| number * 6 + index);
        let mut prefix = reducer.init();
        contribute(7, &mut prefix);
        let mut wanted = Vec::new();
        let total = scan_tile(
            reducer,
            start,
            len,
            Goal::Values(Some(&prefix)),
            None,
            &mut |place: C, distance, value: &mut R::Value, last| {
                contribute(number(place.at(distance)), value);
                if last {
                    wanted.push(value.clone());
                }
            },
        );
        for (first, second) in
            (0..=len).step_by(len / 5 + 1).flat_map(|first| (first..=len).map(move |second| (first, second)))
        {
            for goal in [Goal::Total, Goal::Values(Some(&prefix))] {
                let (mut begun, mut found) = (BegunTile::new(), Vec::new());
                for next in [0..first, first..second, second..len] {
                    let mut place = start;
                    skip(&mut place, next.start);
                    scan_piece(
                        reducer,
                        place,
                        len,
                        next,
                        goal,
                        &mut begun,
                        &mut |place: C, distance, value: &mut R::Value, last| {
                            contribute(number(place.at(distance)), value);
                            if last {
                                found.push(value.clone());
                            }
                        },
                    );
                }
                assert_eq!(begun.rows, total, "{len} iterations, cut at {first} and {second}");
                assert!(begun.row.join(reducer).is_none(), "no row is begun");
                match goal {
                    Goal::Total => assert!(found.is_empty()),
                    Goal::Values(_) => {
                        assert_eq!(found, wanted, "{len} iterations, cut at {first} and {second}")
                    }
                }
            }
        }
    }

    #[test]
    fn a_tile_cut_anywhere_has_the_values_of_a_whole_one() {
        let rough = |i: usize, sum: &mut f64| *sum += ((i * 7919) % 1009) as f64 / 7.0 - 60.0;
        for len in [1, 31, 32, 33, 100, 320] {
            cut_anywhere(&Sum::<f64>::new(), len, Line { index: 5 }, rough);
            cut_anywhere(&Sum::<f64>::new(), len, Boxed::new([0, 1], [70, 6], 4), rough);
        }
        let list = custom(Vec::new(), |into: &mut Vec<usize>, from: &Vec<usize>| into.extend(from))
            .non_commutative();
        cut_anywhere(&list, 20, Line { index: 5 }, |i, list| list.push(i));
        let add = |into: &mut [f64; 6], from: &[f64; 6]| into[0] = (into[0] + from[0]) * 0.75;
        cut_anywhere(&custom([0.0; 6], add), 75, Line { index: 0 }, |i, value| value[0] += i as f64 + 0.1);
    }
}
