//! The example `heights`: profiles and percentiles against naive loops, and the program's output.

#[path = "../../examples/heights/hypsometry.rs"]
mod hypsometry;
#[path = "../../examples/heights/profile.rs"]
mod profile;

use spelt::prelude::*;

use crate::run::same_everywhere;
use crate::spaces::on_every_space;
use crate::terrain::{self, Terrain};
use hypsometry::Hypsometry;
use profile::profile;

/// Hills that are the same everywhere, with negative heights and equal ones.
fn hills<S: ExecutionSpace>(space: &S) -> Terrain<S::Memory> {
    let height = |[row, column]: [usize; 2]| ((row * 37 + column * column * 11) % 97) as i16 - 40;
    Terrain::new(space, View::from_fn("hills", [41, 67], height).unwrap()).unwrap()
}

#[test]
fn profiles_are_those_of_naive_loops() {
    let host = hills(&Serial::new());
    on_every_space!(|space, name| {
        let terrain = hills(&space);
        for axis in [0, 1] {
            let found = profile(&space, &terrain, axis).unwrap();
            for line in 0..host.heights.extent(1 - axis) {
                let at = |k| if axis == 0 { host.heights[[k, line]] } else { host.heights[[line, k]] };
                let heights: Vec<i16> = (0..host.heights.extent(axis)).map(at).collect();
                let sum: i64 = heights.iter().copied().map(i64::from).sum();
                assert_eq!(found.min[line], *heights.iter().min().unwrap(), "{name}: {axis} {line}");
                assert_eq!(found.max[line], *heights.iter().max().unwrap(), "{name}: {axis} {line}");
                assert_eq!(found.mean[line], sum as f64 / heights.len() as f64, "{name}: {axis} {line}");
            }
        }
    });
}

#[test]
fn percentiles_are_those_of_a_sorted_vector() {
    let mut heights = hills(&Serial::new()).heights.to_vec();
    heights.sort_unstable();
    let n = heights.len();
    let percents = [0, 1, 33, 50, 99, 100];
    let levels = [i16::MIN, -41, -40, 0, 7, 56, i16::MAX];
    on_every_space!(|space, name| {
        let hypsometry = Hypsometry::of(&space, &hills(&space)).unwrap();
        for (percent, height) in percents.iter().zip(hypsometry.percentiles(&space, &percents).unwrap()) {
            // At least `percent` percent are not above it, and it is the lowest such height.
            let not_above = heights.iter().filter(|&&other| other <= height).count();
            let below = heights.iter().filter(|&&other| other < height).count();
            assert!(100 * not_above >= percent * n, "{name}: {percent} %");
            assert!(below == 0 || 100 * below < percent * n, "{name}: {percent} %");
        }
        for (&level, share) in levels.iter().zip(hypsometry.shares_above(&space, &levels).unwrap()) {
            let above = heights.iter().filter(|&&height| height > level).count();
            assert_eq!(share, above as f64 / n as f64, "{name}: above {level}");
        }
    });
}

#[test]
fn the_program_says_the_same_everywhere() {
    let lines = same_everywhere("heights", "", "heights.png");
    assert_eq!(lines[0], "terrain `jacksboro_elevation_i16`: 344 rows and 403 columns");
    assert_eq!(lines[4], "  lowest column 400, 84.0804 W: mean 376.078 m");
    assert_eq!(lines[11], "  50 % of the ground are not above 516 m");
    assert_eq!(lines.len(), 21);
}
