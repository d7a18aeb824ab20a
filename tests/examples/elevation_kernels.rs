//! The kernels against naive loops, and the bits of all spaces against each other.

use std::path::Path;

use spelt::prelude::*;

use crate::shading;
use crate::survey::{self, BIN, Cell, Survey};
use crate::terrain::{CELL_HEIGHT, Terrain, place};

/// The heights of the example, in the memory of `space`.
fn jacksboro_on<S: ExecutionSpace>(space: &S) -> Terrain<S::Memory> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/jacksboro_elevation_i16.npy");
    Terrain::read(space, Path::new(file)).unwrap()
}

fn jacksboro() -> Terrain {
    jacksboro_on(&Serial::new())
}

fn survey<S: ExecutionSpace>(space: &S, terrain: &Terrain<S::Memory>) -> Survey {
    Survey {
        extremes: survey::extremes(space, terrain).unwrap(),
        moments: survey::moments(space, terrain).unwrap(),
        histogram: survey::histogram(space, terrain).unwrap(),
        steepest: survey::steepest(space, terrain).unwrap(),
    }
}

/// The square of the slope at a cell, by the textbook formula.
fn naive_slope(terrain: &Terrain, [row, column]: Cell) -> f64 {
    let h = |down: isize, right: isize| {
        let neighbour = [row.strict_add_signed(down), column.strict_add_signed(right)];
        f64::from(terrain.heights[neighbour])
    };
    let east = (h(-1, 1) + 2.0 * h(0, 1) + h(1, 1)) - (h(-1, -1) + 2.0 * h(0, -1) + h(1, -1));
    let north = (h(-1, -1) + 2.0 * h(-1, 0) + h(-1, 1)) - (h(1, -1) + 2.0 * h(1, 0) + h(1, 1));
    let (east, north) = (east / (8.0 * terrain.cell_widths[row]), north / (8.0 * CELL_HEIGHT));
    east * east + north * north
}

#[test]
fn the_survey_is_what_naive_loops_find() {
    let terrain = jacksboro();
    let survey = survey(&Serial::new(), &terrain);
    let cells: Vec<(Cell, i16)> =
        terrain.heights.indexed_iter().map(|(cell, &height)| (cell, height)).collect();

    let &(min_loc, min) = cells.iter().min_by_key(|(_, height)| height).unwrap();
    let &(max_loc, max) = cells.iter().rev().max_by_key(|(_, height)| height).unwrap();
    assert_eq!((min, min_loc), (236, [288, 347]));
    assert_eq!((max, max_loc), (1076, [297, 219]));
    let extremes = MinMaxLocValue { min_val: min, max_val: max, min_loc, max_loc };
    assert_eq!(survey.extremes, extremes);
    assert_eq!(place(min_loc), "36.49292 N 84.12458 W");

    let heights = || cells.iter().map(|&(_, height)| f64::from(height));
    let mean = heights().sum::<f64>() / cells.len() as f64;
    let variance = heights().map(|height| (height - mean).powi(2)).sum::<f64>() / cells.len() as f64;
    assert_eq!(survey.moments.sum, 73_617_913);
    assert!((survey.moments.mean() - mean).abs() < 1e-9);
    assert!((survey.moments.deviation() - variance.sqrt()).abs() < 1e-9);

    for (bar, &count) in survey.histogram.counts.iter().enumerate() {
        let from = survey.histogram.first + BIN * bar as i32;
        let within = cells.iter().filter(|(_, height)| (from..from + BIN).contains(&i32::from(*height)));
        assert_eq!(count, within.count() as u64, "from {from} m");
    }
    assert_eq!(survey.histogram.counts.iter().sum::<u64>(), cells.len() as u64);

    let [rows, columns] = terrain.heights.extents();
    let inner = (1..rows - 1).flat_map(|row| (1..columns - 1).map(move |column| [row, column]));
    let steepest = inner.map(|cell| naive_slope(&terrain, cell)).fold(0.0, f64::max);
    assert_eq!(survey.steepest.val.to_bits(), steepest.to_bits());
    assert_eq!(naive_slope(&terrain, survey.steepest.loc).to_bits(), steepest.to_bits());
}

#[test]
fn all_spaces_survey_to_the_same_bits() {
    let terrain = jacksboro();
    let expected = survey(&Serial::new(), &terrain);
    let check = |what: &str, survey: Survey| {
        assert_eq!(survey, expected, "{what}");
        assert_eq!(survey.steepest.val.to_bits(), expected.steepest.val.to_bits(), "{what}");
    };
    check("rayon", survey(&Rayon::new(), &terrain));
    #[cfg(feature = "cuda")]
    if spelt::Cuda::has_device_code() {
        let space = crate::spaces::device();
        check("cuda", survey(&space, &jacksboro_on(&space)));
    }
    for threads in [1, 2, 3, 7] {
        let space = Threads::builder().num_threads(threads).build().unwrap();
        check(&format!("{threads} threads"), survey(&space, &terrain));
    }
}

#[test]
fn all_spaces_draw_the_same_picture() {
    let terrain = jacksboro();
    let extremes = survey::extremes(&Serial::new(), &terrain).unwrap();
    let expected = shading::relief(&Serial::new(), &terrain, &extremes).unwrap();
    let threads = Threads::builder().num_threads(3).build().unwrap();
    assert!(shading::relief(&threads, &terrain, &extremes).unwrap() == expected, "threads");
    assert!(shading::relief(&Rayon::new(), &terrain, &extremes).unwrap() == expected, "rayon");
    let colours: std::collections::BTreeSet<_> = expected.iter().collect();
    assert!(colours.len() > 1000, "the picture has only {} colours", colours.len());
}

#[test]
fn a_plane_slopes_alike_everywhere() {
    let space = Serial::new();
    let heights = space.view_from_fn("plane", [40, 30], |[row, _]| 2000 - 10 * row as i16).unwrap();
    let terrain = Terrain::new(&space, heights).unwrap();
    let slope = survey::steepest(&space, &terrain).unwrap();
    assert_eq!(slope.val, (10.0 / CELL_HEIGHT) * (10.0 / CELL_HEIGHT));
    assert_eq!(slope.loc, [1, 1]);
}

#[test]
fn the_smallest_terrain_and_smaller_ones() {
    let space = Serial::new();
    let flat = |rows, columns| View::from_fn("flat", [rows, columns], |_| i16::MIN).unwrap();
    let survey = survey(&space, &Terrain::new(&space, flat(3, 3)).unwrap());
    assert_eq!((survey.extremes.min_val, survey.extremes.max_loc), (i16::MIN, [0, 0]));
    assert_eq!((survey.steepest_degrees(), survey.steepest.loc), (0.0, [1, 1]));
    assert_eq!(survey.histogram.counts, [9]);
    for [rows, columns] in [[2, 3], [3, 2], [0, 0]] {
        let error = Terrain::new(&space, flat(rows, columns)).err().unwrap();
        assert!(error.to_string().contains(&format!("{rows} x {columns}")), "{error}");
    }
}
