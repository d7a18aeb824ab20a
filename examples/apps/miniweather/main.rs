//! miniWeather: bubbles of warm and cold air in a vertical slice of the atmosphere.
//!
//! ```text
//! cargo run --release --example miniweather -- --size 400 --time 700 --space threads --out pictures
//! ```
//!
//! Reading order: `weather/mod.rs` has the parts of a time step, and the table of the files with the kernels.
#![forbid(unsafe_code)]

mod options;
mod picture;
#[path = "../../common/program/mod.rs"]
mod program;
mod report;
mod weather;

use std::io::{self, Write};
use std::process::ExitCode;

use spelt::prelude::*;

use options::Options;
use program::canvas::whole;
use program::{Outcome, Program, Progress, Settings, Stopwatch};
use report::Report;
use weather::Weather;

fn main() -> ExitCode {
    program::main::<Options>()
}

impl Program for Options {
    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn run<S: ExecutionSpace>(&self, space: &S) -> Outcome {
        let (mut out, mut watch) = (io::stdout().lock(), Stopwatch::new(space));
        let mut weather = watch.time("set-up", || Weather::new(space, self.size, self.scenario.bubbles()))?;
        let start = weather.totals(space)?;
        // Steps of one length end at the time, and none is longer than the longest.
        let steps = (self.time / weather.grid.longest).ceil() as usize;
        let step = self.time / steps as f64;
        watch.time("steps", || -> Outcome {
            let mut progress = Progress::new("weather", steps);
            for _ in 0..steps {
                weather.advance(space, step)?;
                progress.advance(1);
            }
            // The last launches of a device are part of the time.
            Ok(space.fence()?)
        })?;
        let report = Report {
            scenario: self.scenario,
            cells: weather.grid.cells,
            time: self.time,
            steps,
            start,
            end: weather.totals(space)?,
        };
        report.write(&mut out)?;
        // Air that is not finite cannot be drawn.
        report.verify()?;

        let file = self.settings.folder()?.join("miniweather.png");
        watch.time("drawing", || whole(&file, |file| picture::draw(file, space, &weather, self.time)))?;
        watch.report(&mut out, &self.settings)?;
        let moved = (steps * weather.grid.cells.iter().product::<usize>()).max(1);
        writeln!(out, "  {:.4} us per cell and step", watch.seconds("steps") * 1e6 / moved as f64)?;
        writeln!(out, "wrote {}", file.display())?;
        Ok(())
    }
}
