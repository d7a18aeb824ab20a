//! Contributions of quadrilaterals to nodes of other ranks: the program of Kokkos's exercise `mpi_exch`, also on a mesh of any size.
//!
//! ```text
//! mpirun -n 4 target/release/examples/mpi_exch
//! cargo run --release --example mpi_exch -- --width 400 --height 300
//! mpirun -n 4 target/release/examples/mpi_exch --width 400 --height 300
//! ```
//!
//! The first is the exercise, a strip with one quadrilateral on each rank, and prints its lines, one of each rank; rank 0 prints them, in the
//! order of the ranks, and after them the space.
//!
//! The others divide a mesh among the ranks. Both print the same digits: a node adds up its quadrilaterals in their order, whichever ranks have them. No line sorts, counts or
//! addresses messages: a plan finds the owners of the nodes, and its owners find out who sends them contributions.
//!
//! Reading order: `strip.rs` is the exercise, `mesh.rs` has a mesh's plan and kernels.
#![forbid(unsafe_code)]

mod mesh;
mod options;
mod picture;
#[path = "../common/program/mod.rs"]
mod program;
mod strip;

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Instant;

use spelt::mpi::Mpi;
use spelt::prelude::*;

use mesh::Mesh;
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
        match self.mesh() {
            Some(extents) => self.assemble(space, extents),
            None => self.exchange(space),
        }
    }
}

impl Options {
    /// The exercise.
    fn exchange<S: ExecutionSpace + 'static>(&self, space: &Mpi<'_, S>) -> Outcome {
        let ranks = space.ranks();
        let values = strip::values(space, self.repeats)?.map(|value| value.to_string()).join(", ");
        print_in_order(ranks, &format!("rank {} values: {{{values}}}", ranks.rank()))?;
        if ranks.rank() == 0 {
            writeln!(io::stdout(), "space {} on {} ranks", space.local().name(), ranks.size())?;
        }
        Ok(())
    }

    /// The areas of the nodes of a mesh.
    fn assemble<S: ExecutionSpace + 'static>(&self, space: &Mpi<'_, S>, extents: [usize; 2]) -> Outcome {
        let (ranks, mut out) = (space.ranks(), io::stdout());
        let mut mesh = Mesh::new(space, extents)?;
        let mut progress = (ranks.rank() == 0).then(|| Progress::new("contributions", self.repeats));
        ranks.barrier("start")?;
        let started = Instant::now();
        for _ in 0..self.repeats {
            mesh.assemble(space)?;
            if let Some(progress) = &mut progress {
                progress.advance(1);
            }
        }
        ranks.barrier("end")?;
        drop(progress);
        let seconds = started.elapsed().as_secs_f64();
        let totals = mesh.totals(space)?;
        if let (Some(areas), Some(places)) =
            (space.gather("areas", &mesh.areas, 0)?, space.gather("places", &mesh.places, 0)?)
        {
            let file = self.settings.folder()?.join("mpi_exch.png");
            whole(&file, |file| picture::draw(file, extents, &areas, &places))?;
            let [width, height] = extents;
            writeln!(out, "{width} x {height} quadrilaterals, {} nodes", areas.extent(0))?;
            writeln!(
                out,
                "  area of all nodes {:.15e}, of a node {:.15e} to {:.15e}",
                totals.sum, totals.least, totals.most
            )?;
            writeln!(out, "space {} on {} ranks", space.local().name(), ranks.size())?;
            writeln!(out, "  {:.4} ms to assemble the areas", 1e3 * seconds / self.repeats as f64)?;
            writeln!(out, "  rank 0 sends places to {} ranks", mesh.neighbours())?;
            writeln!(out, "wrote {}", file.display())?;
        }
        // The border of the square does not move.
        if (totals.sum - 1.0).abs() > 1e-10 {
            return Err(format!("the area of all nodes is {}, not 1", totals.sum).into());
        }
        Ok(())
    }
}
