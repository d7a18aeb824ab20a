//! The extremes of a matrix with their places, as the Kokkos guide teaches nested reductions.

use rayon::prelude::*;
use spelt::prelude::*;

use super::{Case, Made, Variant};
use crate::lineup::{Lineup, Work};
use crate::numbers::{Number, same};
use crate::setup::{Setup, slice};

/// Elements of the whole square.
const SIZES: &[usize] = &[1_024, 10_000, 100_000, 1_000_000, 10_000_000];

pub(super) const CASE: Case = Case {
    name: "minmaxloc2d",
    hypothesis: "Each row is searched for its extremes and then for their places, and rows join in order: at 1e5 at most a \
        third of Kokkos's time, and no slower than rayon over rows. The box is searched as a whole.",
    size: "rows x rows",
    variants: &[Variant { name: "f64", width: 1, sizes: SIZES, race }],
};

/// Minimum and maximum, each with row and column.
type Ends = [(f64, [usize; 2]); 2];

/// At ties the first.
fn wider(a: Ends, b: Ends) -> Ends {
    [if b[0].0 < a[0].0 { b[0] } else { a[0] }, if b[1].0 > a[1].0 { b[1] } else { a[1] }]
}

fn ends(found: MinMaxLocValue<f64, [usize; 2]>) -> Ends {
    [(found.min_val, found.min_loc), (found.max_val, found.max_loc)]
}

fn race(setup: &Setup, n: usize) -> Made {
    let side = n.isqrt();
    let data = setup.view("a", [side, side], move |[i, j]| f64::element(i * side + j + 1))?;
    let none: Ends = [(f64::INFINITY, [usize::MAX; 2]), (f64::NEG_INFINITY, [usize::MAX; 2])];
    let in_row = move |row: usize, values: &[f64]| {
        values.iter().enumerate().fold(none, |ends, (column, x)| wider(ends, [(*x, [row, column]); 2]))
    };
    let want = slice(&data).chunks(side).enumerate().map(|(i, row)| in_row(i, row)).fold(none, wider);
    let by_team = setup.space.clone();
    let (by_box, updating) = (setup.space.clone(), setup.space.clone());
    let reducer = MinMaxLoc::<f64, [usize; 2]>::new();
    let work = Work { bytes: side * side * size_of::<f64>(), elements: side * side };
    let lineup = Lineup::new(data, work, move |_, got| same("the extremes and their places", *got, want))
        .with("Spelt", move |a: &mut View<f64, 2>| {
            let found = parallel_reduce(
                "minmaxloc2d",
                by_team.team(side, AUTO),
                &*a,
                |team, a| {
                    let columns = team.thread_range(side);
                    let row = team.parallel_map_reduce(columns, |rj| a[rj], MinMaxLoc::at_index());
                    team.contribute(row);
                },
                reducer,
            );
            ends(found.expect("the View covers the league"))
        })
        .with("Spelt update", move |a| {
            let found = parallel_reduce(
                "minmaxloc2d",
                updating.team(side, AUTO),
                &*a,
                |team, a| {
                    let columns = team.thread_range(side);
                    let row =
                        team.parallel_reduce(columns, |rj, ends| ends.update(a[rj], rj.index()), reducer);
                    team.contribute(row);
                },
                reducer,
            );
            ends(found.expect("the View covers the league"))
        })
        .with("Spelt md_range", move |a| {
            let all = by_box.md_range([0..side, 0..side]);
            let found = parallel_map_reduce("minmaxloc2d", all, &*a, |i, a| a[i], MinMaxLoc::at_index());
            ends(found.expect("the View covers the box"))
        })
        .with("plain", move |a| {
            slice(a).chunks(side).enumerate().map(|(i, row)| in_row(i, row)).fold(none, wider)
        })
        .with("rayon", move |a| {
            slice(a).par_chunks(side).enumerate().map(|(i, row)| in_row(i, row)).reduce(|| none, wider)
        })
        .with_limit(&setup.limit, move |limit, a| {
            limit.minmaxloc(slice(a)).map(|(value, place)| (value, [place / side, place % side]))
        })
        .with_remote("Kokkos", setup.peer("minmaxloc2d", "f64", n));
    Ok(Box::new(lineup))
}
