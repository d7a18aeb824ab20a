//! Heat conduction in a box on many ranks: the program of Kokkos's exercise `mpi_heat_conduction`.
//!
//! ```text
//! cargo run --release --example heat_conduction -- --size 64 --steps 500
//! mpirun -n 4 target/release/examples/heat_conduction --size 64 --steps 500
//! ```
//!
//! Both print the same temperatures. No line exchanges anything: the launch that reads the neighbours of each cell fetches those of other
//! ranks, and computes meanwhile where it needs none.
//!
//! The lines are the exercise's, by the options `-X -Y -Z -N -I -T0 -dt -q -sigma -P`: its sizes are `-X 200 -Y 200 -Z 200 -N 10000`.
//! Ranks divide the first dimension, where the exercise divides all three: that is why the lines about the grid, the neighbours and the
//! domains have other numbers on several ranks. They come from rank 0, in the order of the ranks. Then come the heat, the space and the
//! picture, which the exercise lacks. `--digits` prints temperatures to the last digit in place of the exercise's lines: the same on any
//! number of ranks.
//!
//! Reading order: `body.rs` has the field and its kernels, `domains.rs` the lines about ranks.
#![forbid(unsafe_code)]

mod body;
mod domains;
mod material;
mod options;
mod picture;
#[path = "../common/program/mod.rs"]
mod program;

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Instant;

use spelt::mpi::Mpi;
use spelt::prelude::*;

use body::Body;
use options::Options;
use program::canvas::whole;
use program::ranks::RanksProgram;
use program::{Outcome, Progress, Settings};

fn main() -> ExitCode {
    program::ranks::main::<Options>()
}

impl RanksProgram for Options {
    const ONE_DASH: &'static [&'static str] = &["-T0", "-dt", "-sigma"];

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
    let (extents, last) = (options.extents(), options.steps);
    let mut body = Body::new(space, extents, options.material)?;
    let (mut balance, cells) = (body.start(), body.cells());
    let mut out = io::stdout();
    if is_root && !options.digits {
        for line in domains::lines(body.rows(), extents) {
            writeln!(out, "{line}")?;
        }
    }
    let mut progress = is_root.then(|| Progress::new("heat conduction", last + 1));
    let (start, mut printed) = (Instant::now(), 0.0);
    for step in 0..=last {
        // The source is on during the first half.
        let power = if step > last / 2 { 0.0 } else { options.material.power };
        let stored = balance.stored;
        balance = body.advance(space, power, balance)?;
        if let Some(progress) = &mut progress {
            progress.advance(1);
        }
        if is_root && (step % options.every == 0 || step == last) {
            // The temperature before the step.
            if options.digits {
                writeln!(out, "{step:>6} mean temperature {:.15e}", stored / cells)?;
            } else {
                let (t, time) = (stored / (1e-9 * cells), start.elapsed().as_secs_f64());
                writeln!(out, "{step} T={t:.6} Time ({time:.6} {:.6})", time - printed)?;
                printed = time;
            }
        }
    }
    drop(progress);
    let seconds = start.elapsed().as_secs_f64();
    let slice = body.slice(space)?;
    if let Some(slice) = slice {
        let file = options.settings.folder()?.join("heat_conduction.png");
        whole(&file, |file| picture::draw(file, extents, &slice))?;
        writeln!(
            out,
            "heat: {:.6e} came in, {:.6e} was radiated, {:.6e} is stored",
            balance.taken, balance.radiated, balance.stored
        )?;
        writeln!(out, "space {} on {} ranks", space.local().name(), ranks.size())?;
        writeln!(out, "  {seconds:.4} s for {} steps", last + 1)?;
        writeln!(out, "wrote {}", file.display())?;
    }
    let input = balance.at_first + balance.taken;
    let error = (balance.stored - (input - balance.radiated)).abs();
    if error > 1e-10 * input.abs().max(1e-300) || error.is_nan() {
        return Err(format!("{error:.3e} of the heat was lost or made").into());
    }
    Ok(())
}
