//! A cube of fluid that is driven by its lid, by a lattice Boltzmann method.
//!
//! ```text
//! cargo run --release --example cavity -- --size 64 --steps 3000 --space threads --out pictures
//! ```
//!
//! Reading order: `lattice/mod.rs` has the populations, and the table of the files with the kernels.
#![forbid(unsafe_code)]

mod lattice;
mod options;
mod picture;
#[path = "../../common/program/mod.rs"]
mod program;
mod report;

use std::io::{self, Write};
use std::process::ExitCode;

use spelt::prelude::*;

use lattice::Cavity;
use options::Options;
use program::canvas::whole;
use program::{Outcome, Program, Progress, Settings, Stopwatch};
use report::Report;

fn main() -> ExitCode {
    program::main::<Options>()
}

impl Program for Options {
    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn run<S: ExecutionSpace>(&self, space: &S) -> Outcome {
        let (mut out, mut watch) = (io::stdout().lock(), Stopwatch::new(space));
        let mut cavity =
            watch.time("set-up", || Cavity::new(space, self.size, options::LID, self.reynolds))?;
        let start = cavity.mass(space)?;
        watch.time("steps", || -> Outcome {
            let mut progress = Progress::new("cavity", self.steps);
            for _ in 0..self.steps {
                cavity.advance(space)?;
                progress.advance(1);
            }
            // The last launches of a device are part of the time.
            Ok(space.fence()?)
        })?;
        let velocities = cavity.velocities(space)?;
        let report = Report::new(self, [start, cavity.mass(space)?], &velocities);
        report.write(&mut out)?;
        // A flow that is not finite cannot be drawn.
        report.verify()?;

        let file = self.settings.folder()?.join("cavity.png");
        watch.time("drawing", || whole(&file, |file| picture::draw(file, self, &velocities)))?;
        watch.report(&mut out, &self.settings)?;
        let moved = self.steps.max(1) * self.size.pow(3);
        writeln!(out, "  {:.4} us per cell and step", watch.seconds("steps") * 1e6 / moved as f64)?;
        writeln!(out, "wrote {}", file.display())?;
        Ok(())
    }
}
