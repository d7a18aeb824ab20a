//! Sums up a year of hourly temperatures: by day and month with segmented reductions, and in a histogram.
//!
//! ```text
//! cargo run --release --example temperatures -- --space threads --out pictures
//! ```
//!
//! Reading order: `readings.rs` reads the table, `spans.rs` cuts it into days or months and reduces each, `extremes.rs` has
//! what is found over all.
#![forbid(unsafe_code)]

mod extremes;
mod options;
mod picture;
#[path = "../common/program/mod.rs"]
mod program;
mod readings;
mod spans;

use std::io::{self, Write};
use std::process::ExitCode;

use spelt::prelude::*;

use extremes::{Extremes, Histogram};
use options::Options;
use program::canvas::whole;
use program::{Outcome, Program, Settings, Stopwatch};
use readings::Readings;
use spans::{Span, spans};

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

fn main() -> ExitCode {
    program::main::<Options>()
}

impl Program for Options {
    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn run<S: ExecutionSpace>(&self, space: &S) -> Outcome {
        let mut watch = Stopwatch::new(space);
        let readings = watch.time("reading", || Readings::read(space, &self.input))?;
        let days = watch.time("days", || spans(space, &readings.temperatures, &readings.days))?;
        let months = watch.time("months", || spans(space, &readings.temperatures, &readings.months))?;
        let extremes = watch.time("extremes", || Extremes::of(space, &readings.temperatures))?;
        let histogram =
            watch.time("histogram", || Histogram::of(space, &readings.temperatures, &extremes))?;
        let mut out = io::stdout().lock();
        report(&mut out, &readings, (&days, &months), &extremes, &histogram)?;

        let file = self.settings.folder()?.join("temperatures.png");
        watch.time("drawing", || whole(&file, |file| picture::draw(file, &days, &histogram)))?;
        watch.report(&mut out, &self.settings)?;
        writeln!(out, "wrote {}", file.display())?;
        Ok(())
    }
}

/// Writes the results.
fn report<M: spelt::MemorySpace>(
    out: &mut impl Write,
    readings: &Readings<M>,
    (days, months): (&[Span], &[Span]),
    extremes: &Extremes,
    histogram: &Histogram,
) -> io::Result<()> {
    let hours = readings.times.len();
    writeln!(out, "{hours} hourly temperatures of {} days, in degrees Fahrenheit", days.len())?;
    for time in &readings.missing {
        writeln!(out, "  there is none for {time}")?;
    }
    writeln!(out, "  {:<10}{:>6}{:>8}{:>8}{:>8}", "", "hours", "min", "mean", "max")?;
    for month in months {
        let Span { hours, min, max, .. } = month;
        let name = MONTHS[usize::from(month.key) - 1];
        writeln!(out, "  {name:<10}{hours:>6}{min:>8.1}{:>8.2}{max:>8.1}", month.mean())?;
    }
    let (coldest, warmest) = (readings.times[extremes.min_loc], readings.times[extremes.max_loc]);
    writeln!(out, "  coldest {:.1} at {coldest}, warmest {:.1} at {warmest}", extremes.min, extremes.max)?;
    let width = |day: &&Span| ((day.max - day.min) * 10.0).round() as i64;
    if let Some(day) = days.iter().rev().max_by_key(width) {
        let (month, day_of_month) = (MONTHS[usize::from(day.key / 100) - 1], day.key % 100);
        writeln!(out, "  widest day {month} {day_of_month}, from {:.1} to {:.1}", day.min, day.max)?;
    }
    let (from, count) = histogram.fullest();
    writeln!(out, "  most often from {from} to {}: {count} hours", from + 1.0)
}
