//! Reduces a file of numbers that need not fit in memory, piece by piece. The result has the bits of one launch over the whole file,
//! regardless of the size of the pieces and of the space.
//!
//! ```text
//! cargo run --release --example out_of_core -- --count 1000000000 --piece 10000000
//! ```
//!
//! Reading order: `statistics.rs` has the reduction, in parts and in one launch; `numbers.rs` reads and writes the file.
#![forbid(unsafe_code)]

mod numbers;
mod options;
#[path = "../common/program/mod.rs"]
mod program;
mod statistics;

use std::io::{self, Write};
use std::process::ExitCode;

use spelt::prelude::*;

use numbers::Numbers;
use options::Options;
use program::{Outcome, Program, Settings, Stopwatch};
use statistics::Statistics;

fn main() -> ExitCode {
    program::main::<Options>()
}

impl Program for Options {
    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn run<S: ExecutionSpace>(&self, space: &S) -> Outcome {
        let mut watch = Stopwatch::new(space);
        let mut out = io::stdout().lock();
        let path = match &self.input {
            Some(path) => path.clone(),
            None => {
                let path = self.settings.folder()?.join("numbers.f64");
                watch.time("writing", || Numbers::write(&path, self.count))?;
                path
            }
        };
        let mut numbers = Numbers::open(&path)?;
        let count = numbers.count;
        let found = watch.time("in parts", || Statistics::in_parts(space, &mut numbers, self.piece))?;
        writeln!(out, "{count} numbers")?;
        writeln!(out, "  sum      {:<24e} bits {:016x}", found.sum, found.sum.to_bits())?;
        writeln!(out, "  squares  {:<24e} bits {:016x}", found.squares, found.squares.to_bits())?;
        writeln!(out, "  min, max {:e}, {:e}", found.min, found.max)?;
        if self.compare {
            let whole =
                watch.time("at once", || Statistics::in_one_launch(space, &mut Numbers::open(&path)?))?;
            if whole.sum.to_bits() != found.sum.to_bits()
                || whole.squares.to_bits() != found.squares.to_bits()
            {
                return Err(format!("one launch finds {whole:?}, parts {found:?}").into());
            }
            writeln!(out, "one launch over all numbers has the same bits")?;
        }
        watch.report(&mut out, &self.settings)?;
        writeln!(
            out,
            "  {} pieces of {} numbers from {}",
            count.div_ceil(self.piece),
            self.piece,
            path.display()
        )?;
        Ok(())
    }
}
