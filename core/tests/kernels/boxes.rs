//! Boxes of all ranks, tiles and layouts.

use spelt_core::reducers::{MinMaxLoc, Sum};
use spelt_core::{ExecutionSpace, Iterate, Left, View, parallel_for, parallel_reduce};

use crate::{device, elements, host, noise};

/// Writes a number for each index of a box with `space`.
macro_rules! numbered {
    ($space:expr, $extents:expr, $ranges:expr, $tile:expr, $iterate:expr) => {{
        let space = $space;
        let mut view = space.zeros::<u64, _>("numbers", $extents).unwrap();
        let policy = space.md_range($ranges).iterate($iterate);
        let policy = match $tile {
            Some(tile) => policy.tile(tile),
            None => policy,
        };
        parallel_for("number", policy, &mut view, |i, mut view| {
            let mut number = 1_u64;
            for index in i.index() {
                number = number * 100 + index as u64;
            }
            view[i] += number;
        })
        .unwrap();
        elements(&view.to_host().unwrap())
    }};
}

// A box of rank 1 is an array of one range.
#[allow(clippy::single_range_in_vec_init)]
mod ranks {
    use super::*;
    macro_rules! ranks {
    ($($name:ident $extents:expr, $ranges:expr, $tile:expr;)*) => {$(
        #[test]
        fn $name() {
            let Some(space) = device() else { return };
            for iterate in [Iterate::Left, Iterate::Right] {
                for tile in [None, Some($tile)] {
                    let found = numbered!(&space, $extents, $ranges, tile, iterate);
                    assert_eq!(found, numbered!(&host(), $extents, $ranges, tile, iterate), "{iterate:?} {tile:?}");
                }
            }
        }
    )*};
}
    ranks! {
        rank_1 [90], [3..90], [7];
        rank_2 [80, 70], [3..80, 1..69], [5, 0];
        rank_2_of_one_column [99, 1], [0..99, 0..1], [50, 1];
        rank_3 [20, 10, 30], [3..20, 0..10, 2..29], [3, 2, 8];
        rank_4 [5, 6, 7, 8], [0..5, 1..6, 2..7, 3..8], [2, 2, 2, 64];
        rank_5 [3, 4, 5, 6, 7], [0..3, 0..4, 0..5, 0..6, 1..7], [1000, 1000, 2, 2, 2];
        rank_6 [2, 3, 4, 5, 4, 3], [0..2, 1..3, 0..4, 0..5, 2..4, 0..3], [1, 2, 3, 4, 1, 1];
        rank_7 [2, 3, 2, 3, 2, 3, 4], [0..2, 1..3, 0..2, 0..3, 1..2, 0..3, 1..4], [1, 2, 1, 4, 1, 2, 3];
        rank_8 [2, 3, 2, 1, 2, 3, 2, 3], [0..2, 1..3, 0..2, 0..1, 0..2, 0..3, 1..2, 0..3], [1, 2, 1, 1, 2, 1, 1, 2];
    }
}

#[test]
fn empty_boxes_do_nothing() {
    let Some(space) = device() else { return };
    let mut view = space.zeros::<u32, 2>("view", [3, 3]).unwrap();
    parallel_for("none", space.md_range([0..0, 0..3]), &mut view, |i, mut view| view[i] += 1).unwrap();
    assert_eq!(elements(&view.to_host().unwrap()), [0; 9]);
    let sum =
        parallel_reduce("none", space.md_range([1..1, 0..3]), (), |_, sum, ()| *sum += 1, Sum::<u32>::new());
    assert_eq!(sum.unwrap(), 0);
}

#[test]
fn views_of_either_layout_and_stencils() {
    fn smooth<S: ExecutionSpace>(space: &S, x: &View<f64, 2, S::Memory, Left>) -> Vec<f64> {
        let [rows, columns] = x.extents();
        let mut y = space.zeros::<f64, 2>("y", [rows, columns]).unwrap();
        let policy = space.md_range([1..rows - 1, 1..columns - 1]);
        parallel_for("smooth", policy, (x.halo::<1>(), &mut y), |i, (x, mut y)| {
            let sides = x.at(i, [-1, 0]) + x.at(i, [1, 0]) + x.at(i, [0, -1]) + x.at(i, [0, 1]);
            y[i] = 0.5 * x[i] + 0.125 * sides;
        })
        .unwrap();
        elements(&y.to_host().unwrap())
    }
    let Some(space) = device() else { return };
    let x = View::<f64, 2, _, Left>::from_fn_in(Left, "x", [70, 133], |[i, j]| noise(1000 * i + j)).unwrap();
    assert_eq!(smooth(&space, &x.to_space(&space).unwrap()), smooth(&host(), &x));
}

#[test]
fn reductions_over_boxes_have_the_bits_of_the_host() {
    fn reduced<S: ExecutionSpace>(space: &S, x: &View<f64, 3, S::Memory>) -> String {
        let [a, b, c] = x.extents();
        let mut text = String::new();
        for iterate in [Iterate::Left, Iterate::Right] {
            let policy = || space.md_range([0..a, b.min(1)..b, 0..c]).iterate(iterate).tile([2, 3, 4]);
            let sum =
                parallel_reduce("sum", policy(), x, |i, sum, x| *sum += x[i], Sum::<f64>::new()).unwrap();
            let found = parallel_reduce(
                "extrema",
                policy(),
                x,
                |i, found, x| found.update(x[i], i.index()),
                MinMaxLoc::<f64, [usize; 3]>::new(),
            );
            text += &format!("{} {:?}\n", sum.to_bits(), found.unwrap());
        }
        text
    }
    let Some(space) = device() else { return };
    for extents in [[1, 1, 1], [2, 3, 1], [70, 2, 1], [3, 90, 5], [17, 18, 19], [5, 7, 900]] {
        let x =
            View::from_fn("x", extents, |[i, j, k]| (noise(i * 10_000 + j * 100 + k) * 90.0).round() / 7.0)
                .unwrap();
        assert_eq!(reduced(&space, &x.to_space(&space).unwrap()), reduced(&host(), &x), "{extents:?}");
    }
}
