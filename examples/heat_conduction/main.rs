//! Heat conduction in a box on many ranks: the program of Kokkos's exercise `mpi_heat_conduction`.
//!
//! ```text
//! cargo run --release --example heat_conduction -- --size 64 --steps 500
//! mpirun -n 4 target/release/examples/heat_conduction --size 64 --steps 500
//! ```
//!
//! Both print the same digits. No line exchanges anything: the launch that reads the neighbours of each cell fetches those of other ranks,
//! and computes meanwhile where it needs none.
//!
//! Reading order: `body.rs` has the field and its kernels.
#![forbid(unsafe_code)]

mod body;
mod options;
mod picture;
#[path = "../common/program/mod.rs"]
mod program;

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Instant;

use spelt::mpi::Mpi;
use spelt::prelude::*;

use body::{Balance, Body};
use options::Options;
use program::canvas::whole;
use program::ranks::RanksProgram;
use program::{Outcome, Progress, Settings};

fn main() -> ExitCode {
    program::ranks::main::<Options>()
}

impl RanksProgram for Options {
    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn run<S: ExecutionSpace + 'static>(&self, space: &Mpi<'_, S>) -> Outcome {
        simulate(space, self)
    }
}

fn simulate<S: ExecutionSpace + 'static>(space: &Mpi<'_, S>, options: &Options) -> Outcome {
    let ranks = space.ranks();
    let is_root = ranks.rank() == 0;
    let mut body = Body::new(space, options.size, options.material)?;
    let mut balance = Balance::default();
    let mut progress = is_root.then(|| Progress::new("heat conduction", options.steps));
    let (mut out, start) = (io::stdout(), Instant::now());
    for step in 0..options.steps {
        // The source is on during the first half.
        let power = if 2 * step < options.steps { options.material.power } else { 0.0 };
        balance = body.advance(space, power, balance)?;
        if let Some(progress) = &mut progress {
            progress.advance(1);
        }
        if is_root && (step % options.every == 0 || step + 1 == options.steps) {
            writeln!(out, "{step:>6} mean temperature {:.15e}", balance.stored / options.size.pow(3) as f64)?;
        }
    }
    drop(progress);
    let seconds = start.elapsed().as_secs_f64();
    let slice = body.slice(space)?;
    if let Some(slice) = slice {
        let file = options.settings.folder()?.join("heat_conduction.png");
        whole(&file, |file| picture::draw(file, &slice))?;
        writeln!(
            out,
            "heat: {:.6e} came in, {:.6e} was radiated, {:.6e} is stored",
            balance.taken, balance.radiated, balance.stored
        )?;
        writeln!(out, "space {} on {} ranks", space.local().name(), ranks.size())?;
        writeln!(out, "  {seconds:.4} s for {} steps", options.steps)?;
        writeln!(out, "wrote {}", file.display())?;
    }
    let error = (balance.stored - (balance.taken - balance.radiated)).abs();
    if error > 1e-10 * balance.taken.max(1e-300) || error.is_nan() {
        return Err(format!("{error:.3e} of the heat was lost or made").into());
    }
    Ok(())
}
