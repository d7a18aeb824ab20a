//! Elements at random indices, exchanged between ranks: the program of Kokkos's exercise `mpi_pack_unpack`.
//!
//! ```text
//! cargo run --release --example mpi_pack_unpack -- --size 1000000 --buffer 100000
//! mpirun -n 4 target/release/examples/mpi_pack_unpack --size 1000000 --buffer 100000
//! ```
//!
//! Both print the same sums. No line packs: a plan, made once from the indices, packs the elements on the space of each rank, sends one
//! message to each rank that wants some, and unpacks.
//!
//! The first lines are the exercise's, one of each rank; rank 0 prints them, in the order of the ranks. The time is that of all exchanges,
//! between two barriers. There is one line for the memory of the chosen space, where the exercise runs one memory after the other, and
//! elements of a device pass through memory of the host if the library of MPI needs that, not by an argument. Its sizes are
//! `--size 10000000 --buffer 100000 --repeats 10`, for two ranks; other numbers of ranks divide the same two arrays. Then come the sums, the
//! space and the picture, which the exercise lacks. `--digits` leaves out the exercise's lines: the others up to the one with the space are
//! the same on any number of ranks.
//!
//! Reading order: `exchange.rs` has the plan and the exchange.
#![forbid(unsafe_code)]

#[path = "../common/c_random.rs"]
#[allow(dead_code, reason = "whole numbers are used, no fractions")]
mod c_random;
mod exchange;
mod options;
mod picture;
#[path = "../common/program/mod.rs"]
mod program;

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Instant;

use spelt::mpi::Mpi;
use spelt::prelude::*;

use exchange::{Exchange, list, start};
use options::Options;
use program::canvas::whole;
use program::ranks::{RanksProgram, print_in_order};
use program::{Outcome, Progress, Settings};

fn main() -> ExitCode {
    program::ranks::main::<Options>()
}

impl RanksProgram for Options {
    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn run<S: ExecutionSpace + 'static>(&self, space: &Mpi<'_, S>) -> Outcome {
        let (ranks, mut out) = (space.ranks(), io::stdout());
        let list = list(self.size, self.buffer, self.seed);
        let mut exchange = Exchange::new(space, self.size, &list)?;
        let before = exchange.sum(space)?;
        let mut progress = (ranks.rank() == 0).then(|| Progress::new("exchange", self.repeats));
        ranks.barrier("start")?;
        let (started, sent, staged) = (Instant::now(), ranks.sent(), ranks.staged());
        for _ in 0..self.repeats {
            exchange.run(space)?;
            if let Some(progress) = &mut progress {
                progress.advance(1);
            }
        }
        ranks.barrier("end")?;
        drop(progress);
        let seconds = started.elapsed().as_secs_f64();
        let (sent, staged) = (ranks.sent().bytes - sent.bytes, ranks.staged() - staged);
        if !self.digits {
            let memory = std::any::type_name::<S::Memory>();
            let memory = memory.rsplit("::").next().unwrap_or(memory);
            let copies = if staged > 0 { "yes" } else { "no" };
            let line = format!(
                "Data: {memory} DeviceBuffer: {memory} Time: {seconds:.6} CopyToHostForMPI: {copies}"
            );
            print_in_order(ranks, &line)?;
        }
        let (after, data) = (exchange.sum(space)?, exchange.gather(space)?);
        if let Some(data) = data {
            let file = self.settings.folder()?.join("mpi_pack_unpack.png");
            whole(&file, |file| picture::draw(file, &data, &list))?;
            writeln!(
                out,
                "2 x {} elements, {} of each half exchanged {} times",
                self.size,
                list.len(),
                self.repeats
            )?;
            writeln!(out, "  sum {before:.15e} before, {after:.15e} after")?;
            writeln!(out, "space {} on {} ranks", space.local().name(), ranks.size())?;
            writeln!(out, "  {:.4} ms for an exchange", 1e3 * seconds / self.repeats as f64)?;
            writeln!(out, "  {} bytes sent by rank 0 for an exchange", sent / self.repeats as u64)?;
            writeln!(out, "wrote {}", file.display())?;
            verify(&data, &list, self)?;
        }
        Ok(())
    }
}

/// Whether the listed elements, and no others, are those of the other half after an odd number of exchanges.
fn verify(data: &View<f64, 1>, list: &[usize], options: &Options) -> Outcome {
    let n = options.size;
    let mut wanted: Vec<f64> = (0..2 * n).map(|row| start(row, n)).collect();
    if options.repeats % 2 == 1 {
        // An index may be listed more than once.
        list.iter().for_each(|row| (wanted[*row], wanted[n + row]) = (start(n + row, n), start(*row, n)));
    }
    match data.iter().zip(&wanted).position(|(found, wanted)| found != wanted) {
        Some(row) => Err(format!("element {row} is {}, not {}", data[row], wanted[row]).into()),
        None => Ok(()),
    }
}
