//! Reads a terrain from a `.npy` file, surveys it with Spelt kernels, and draws it.
//!
//! ```text
//! cargo run --release --example elevation -- --space threads --threads 4 --out pictures
//! ```
//!
//! Reading order: `survey.rs` has the kernels that measure, `shading.rs` those that compute the picture,
//! `terrain.rs` the places on Earth. Every kernel is generic over the space, and gives the same bits on all.
#![forbid(unsafe_code)]

mod options;
mod pictures;
#[path = "../common/program/mod.rs"]
mod program;
mod shading;
mod survey;
mod terrain;

use std::io::{self, Write};
use std::process::ExitCode;

use spelt::MemorySpace;
use spelt::prelude::*;

use options::Options;
use program::canvas::whole;
use program::{Outcome, Program, Settings, Stopwatch};
use survey::Survey;
use terrain::{Terrain, place};

fn main() -> ExitCode {
    program::main::<Options>()
}

impl Program for Options {
    fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Reads, surveys, reports and draws.
    fn run<S: ExecutionSpace>(&self, space: &S) -> Outcome {
        let mut watch = Stopwatch::new(space);
        let terrain = watch.time("reading", || Terrain::read(space, &self.heights.input))?;
        let survey = Survey {
            extremes: watch.time("extremes", || survey::extremes(space, &terrain))?,
            moments: watch.time("moments", || survey::moments(space, &terrain))?,
            histogram: watch.time("histogram", || survey::histogram(space, &terrain))?,
            steepest: watch.time("steepest", || survey::steepest(space, &terrain))?,
        };
        let mut out = io::stdout().lock();
        report(&mut out, &terrain, &survey)?;

        let folder = self.settings.folder()?;
        let (relief, heights) = (folder.join("relief.png"), folder.join("heights.png"));
        let pixels = watch.time("shading", || shading::relief(space, &terrain, &survey.extremes))?;
        watch.time("drawing", || {
            whole(&relief, |file| pictures::relief(file, &terrain, &survey, &pixels))?;
            whole(&heights, |file| pictures::histogram(file, &survey))
        })?;

        watch.report(&mut out, &self.settings)?;
        writeln!(out, "wrote {} and {}", relief.display(), heights.display())?;
        Ok(())
    }
}

/// Writes the results.
fn report<M: MemorySpace>(out: &mut impl Write, terrain: &Terrain<M>, survey: &Survey) -> io::Result<()> {
    let Survey { extremes, moments, steepest, .. } = survey;
    let [rows, columns] = terrain.heights.extents();
    let [height, width] = terrain.cell_metres();
    let (sum, mean, deviation) = (moments.sum, moments.mean(), moments.deviation());
    let degrees = survey.steepest_degrees();
    writeln!(out, "terrain `{}`: {rows} x {columns} cells of {height:.1} m x {width:.1} m", terrain.name())?;
    writeln!(out, "  min {} m at {:?}, {}", extremes.min_val, extremes.min_loc, place(extremes.min_loc))?;
    writeln!(out, "  max {} m at {:?}, {}", extremes.max_val, extremes.max_loc, place(extremes.max_loc))?;
    writeln!(out, "  sum {sum} m, mean {mean:.3} m, standard deviation {deviation:.3} m")?;
    writeln!(out, "  steepest {degrees:.2} degrees at {:?}, {}", steepest.loc, place(steepest.loc))
}
