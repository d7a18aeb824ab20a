//! LULESH: the Sedov blast on a mesh of hexahedra that moves with the gas.
//!
//! ```text
//! cargo run --release --example lulesh -- --size 30 --space threads --out pictures
//! ```
//!
//! Reading order: `blast/mod.rs` has the steps of a cycle, and the table of the files with the kernels.
#![deny(unsafe_code)]

mod blast;
mod options;
mod picture;
#[path = "../../common/program/mod.rs"]
mod program;
mod report;

use std::io::{self, Write};
use std::process::ExitCode;

use spelt::prelude::*;

use blast::{Blast, END};
use options::Options;
use program::canvas::whole;
use program::{Outcome, Program, Progress, Settings, Stopwatch};
use report::Report;

/// The steps of the progress bar from the start to the end of the blast.
const PROGRESS_STEPS: usize = 1000;

fn main() -> ExitCode {
    program::main::<Options>()
}

impl Program for Options {
    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn run<S: ExecutionSpace>(&self, space: &S) -> Outcome {
        let (mut out, mut watch) = (io::stdout().lock(), Stopwatch::new(space));
        let mut blast = watch.time("set-up", || Blast::new(space, self.size, self.costs()))?;
        let start = blast.energy(space)?;
        watch.time("cycles", || simulate(space, &mut blast, self.iterations.unwrap_or(usize::MAX)))?;
        let report = Report::new(space, &blast, start)?;
        report.write(&mut out)?;

        let file = self.settings.folder()?.join("lulesh.png");
        watch.time("drawing", || whole(&file, |file| picture::draw(file, &blast)))?;
        watch.report(&mut out, &self.settings)?;
        let steps = report.cycles.max(1) * blast.mesh.elements();
        let microseconds = watch.seconds("cycles") * 1e6 / steps as f64;
        writeln!(out, "  {microseconds:.4} us per element and cycle")?;
        writeln!(out, "wrote {}", file.display())?;

        report.verify()
    }
}

/// Runs to the end, or this number of cycles.
fn simulate<S: ExecutionSpace>(space: &S, blast: &mut Blast<S::Memory>, cycles: usize) -> Outcome {
    let mut progress = Progress::new("blast", PROGRESS_STEPS);
    let mut shown = 0;
    while blast.clock.time < END && blast.clock.cycle < cycles {
        blast.advance(space)?;
        let done = (blast.clock.time / END * PROGRESS_STEPS as f64) as usize;
        progress.advance(done - shown);
        shown = done;
    }
    Ok(())
}
