//! Looks at the heights of a terrain along its rows and columns, and in their order.
//!
//! ```text
//! cargo run --release --example heights -- --space threads --out pictures
//! ```
//!
//! Reading order: `profile.rs` reduces along an axis, `hypsometry.rs` sorts, and searches the sorted heights. The
//! terrain is that of the example `elevation`.
#![forbid(unsafe_code)]

mod hypsometry;
mod options;
mod picture;
mod profile;
#[path = "../common/program/mod.rs"]
mod program;
#[allow(dead_code, reason = "the example elevation uses the rest")]
#[path = "../elevation/terrain.rs"]
mod terrain;

use std::io::{self, Write};
use std::process::ExitCode;

use spelt::prelude::*;

use hypsometry::Hypsometry;
use options::Options;
use profile::{Profile, profile};
use program::canvas::whole;
use program::{Outcome, Program, Settings, Stopwatch};
use terrain::{Terrain, latitude, longitude};

/// The shares of the ground whose heights are printed. Unit: percent.
const PERCENTS: [usize; 9] = [1, 5, 10, 25, 50, 75, 90, 95, 99];

/// The heights whose shares of the ground are printed. Unit: metres.
const LEVELS: [i16; 5] = [300, 400, 500, 700, 900];

fn main() -> ExitCode {
    program::main::<Options>()
}

impl Program for Options {
    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn run<S: ExecutionSpace>(&self, space: &S) -> Outcome {
        let mut watch = Stopwatch::new(space);
        let terrain = watch.time("reading", || Terrain::read(space, &self.heights.input))?;
        let rows = watch.time("rows", || profile(space, &terrain, 1))?;
        let columns = watch.time("columns", || profile(space, &terrain, 0))?;
        let hypsometry = watch.time("sorting", || Hypsometry::of(space, &terrain))?;
        let percentiles = watch.time("percentiles", || hypsometry.percentiles(space, &PERCENTS))?;
        let shares = watch.time("shares", || hypsometry.shares_above(space, &LEVELS))?;

        let mut out = io::stdout().lock();
        let [height, width] = terrain.heights.extents();
        writeln!(out, "terrain `{}`: {height} rows and {width} columns", terrain.name())?;
        extremes(&mut out, "row", &rows, |row| format!("{:.4} N", latitude(row)))?;
        extremes(&mut out, "column", &columns, |column| format!("{:.4} W", -longitude(column)))?;
        for (percent, height) in PERCENTS.iter().zip(&percentiles) {
            writeln!(out, "  {percent:>2} % of the ground are not above {height} m")?;
        }
        for (level, share) in LEVELS.iter().zip(&shares) {
            writeln!(out, "  {:>5.2} % of the ground are above {level} m", 100.0 * share)?;
        }

        let file = self.settings.folder()?.join("heights.png");
        let curve = hypsometry.percentiles(space, &(0..=100).collect::<Vec<_>>())?;
        watch.time("drawing", || whole(&file, |file| picture::draw(file, &rows, &columns, &curve)))?;
        watch.report(&mut out, &self.settings)?;
        writeln!(out, "wrote {}", file.display())?;
        Ok(())
    }
}

/// Writes which lines lie lowest and highest on the mean, and which reaches over most heights.
fn extremes(
    out: &mut impl Write,
    what: &str,
    profile: &Profile,
    place: impl Fn(f64) -> String,
) -> io::Result<()> {
    let mean = |line: &usize| profile.mean[*line];
    let order = |a: &usize, b: &usize| mean(a).total_cmp(&mean(b));
    let span = |line: &usize| i32::from(profile.max[*line]) - i32::from(profile.min[*line]);
    let lines = || 0..profile.mean.len();
    for (word, line) in [("lowest", lines().min_by(order)), ("highest", lines().max_by(order))] {
        let Some(line) = line else { continue };
        writeln!(out, "  {word} {what} {line}, {}: mean {:.3} m", place(line as f64), mean(&line))?;
    }
    if let Some(line) = lines().rev().max_by_key(span) {
        let (min, max) = (profile.min[line], profile.max[line]);
        writeln!(out, "  most uneven {what} {line}, {}: {min} m to {max} m", place(line as f64))?;
    }
    Ok(())
}
