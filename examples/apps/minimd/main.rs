//! miniMD: molecular dynamics of a Lennard-Jones crystal that melts.
//!
//! ```text
//! cargo run --release --example minimd -- --size 20 --steps 100 --space threads --out pictures
//! ```
//!
//! Reading order: `melt/mod.rs` has the parts of a time step, and the table of the files with the kernels.
#![forbid(unsafe_code)]

mod melt;
mod options;
mod picture;
#[path = "../../common/program/mod.rs"]
mod program;
mod report;

use std::io::{self, Write};
use std::process::ExitCode;

use spelt::prelude::*;

use melt::Melt;
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
        let mut melt = watch.time("set-up", || Melt::new(space, self.size))?;
        let mut report = Report { size: self.size, states: vec![melt.thermo(space)?] };
        watch.time("steps", || -> Outcome {
            let mut progress = Progress::new("melt", self.steps);
            for step in 1..=self.steps {
                melt.advance(space)?;
                if step % self.thermo == 0 || step == self.steps {
                    report.states.push(melt.thermo(space)?);
                }
                progress.advance(1);
            }
            // The last launches of a device are part of the time.
            Ok(space.fence()?)
        })?;
        report.write(&mut out)?;

        let file = self.settings.folder()?.join("minimd.png");
        watch.time("drawing", || whole(&file, |file| picture::draw(file, &melt, report.last())))?;
        watch.report(&mut out, &self.settings)?;
        let moved = self.steps.max(1) * melt.atoms();
        writeln!(out, "  {:.4} us per atom and step", watch.seconds("steps") * 1e6 / moved as f64)?;
        writeln!(out, "wrote {}", file.display())?;

        report.verify()
    }
}
