//! Conjugate gradients on a sparse matrix: the 27-point operator of a cube of cells, in compressed rows.
//!
//! ```text
//! cargo run --release --example cg -- --size 64 --product teams --space threads --out pictures
//! mpirun -n 4 target/release/examples/cg --size 64 --product teams --threads 1
//! ```
//!
//! Both print the same digits. The rows of the matrix and of all vectors are divided among the ranks; a plan fetches the elements of other
//! ranks that a product reads.
//!
//! Reading order: `matrix.rs` assembles the matrix, `product.rs` multiplies by it in three ways, `operator.rs` does so for distributed
//! vectors, `solver.rs` iterates.
#![forbid(unsafe_code)]

mod matrix;
mod operator;
mod options;
mod picture;
mod product;
#[path = "../../common/program/mod.rs"]
mod program;
mod solver;

use std::io::{self, Write};
use std::process::ExitCode;

use spelt::mpi::Mpi;
use spelt::prelude::*;

use matrix::Matrix;
use options::Options;
use program::canvas::whole;
use program::ranks::RanksProgram;
use program::{Outcome, Progress, Settings, Stopwatch};
use solver::{Solver, Step};

fn main() -> ExitCode {
    program::ranks::main::<Options>()
}

impl RanksProgram for Options {
    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn run<S: ExecutionSpace + 'static>(&self, space: &Mpi<'_, S>) -> Outcome {
        let mut watch = Stopwatch::new(space.local());
        let matrix = watch.time("assembly", || Matrix::of_cube(space, self.size))?;
        let mut solver = Solver::new(space, &matrix, self.product)?;
        let history = watch.time("iterations", || solve(space, &mut solver, self))?;
        if space.ranks().rank() == 0 {
            self.report(space, &matrix, &history, watch)?;
        }
        verify(&history, self)
    }
}

impl Options {
    /// Prints the results and draws the picture.
    fn report<S: ExecutionSpace + 'static>(
        &self,
        space: &Mpi<'_, S>,
        matrix: &Matrix<S::Memory>,
        history: &[Step],
        mut watch: Stopwatch<'_, S>,
    ) -> Outcome {
        let mut out = io::stdout().lock();
        let last = history[history.len() - 1];
        writeln!(out, "27-point operator on {0} x {0} x {0} cells", self.size)?;
        writeln!(out, "  {} rows, {} nonzero elements", matrix.partition.len(), matrix.nonzeros)?;
        writeln!(
            out,
            "  {} iterations, products by {}: relative residual {:.15e}, largest error {:.15e}",
            history.len() - 1,
            self.product,
            last.residual / history[0].residual,
            last.error
        )?;

        let file = self.settings.folder()?.join("cg.png");
        watch.time("drawing", || whole(&file, |file| picture::draw(file, self.size, history)))?;
        watch.report(&mut out, &self.settings)?;
        let products = (history.len() - 1).max(1) * matrix.nonzeros;
        writeln!(
            out,
            "  {:.4} ns per product of numbers, on {} ranks",
            watch.seconds("iterations") * 1e9 / products as f64,
            space.ranks().size()
        )?;
        writeln!(out, "wrote {}", file.display())?;
        Ok(())
    }
}

/// Iterates until the residual is small enough; the start, and each step.
fn solve<S: ExecutionSpace + 'static>(
    space: &Mpi<'_, S>,
    solver: &mut Solver<'_, S>,
    options: &Options,
) -> Outcome<Vec<Step>> {
    let mut history = vec![solver.step];
    let wanted = options.tolerance * solver.step.residual;
    // In percent of the orders of magnitude.
    let mut progress = (space.ranks().rank() == 0).then(|| Progress::new("conjugate gradients", 100));
    let mut shown = 0;
    while solver.step.residual > wanted && history.len() <= options.iterations {
        solver.advance()?;
        history.push(solver.step);
        let gained = (solver.step.residual / history[0].residual).ln() / options.tolerance.ln();
        let done = (100.0 * gained.clamp(0.0, 1.0)) as usize;
        if let Some(progress) = &mut progress {
            progress.advance(done.saturating_sub(shown));
        }
        shown = shown.max(done);
    }
    Ok(history)
}

/// Whether the residual is small enough and the solution right.
fn verify(history: &[Step], options: &Options) -> Outcome {
    let (first, last) = (history[0], history[history.len() - 1]);
    if last.residual > options.tolerance * first.residual {
        let gained = last.residual / first.residual;
        return Err(
            format!("after {} iterations the relative residual is {gained:.3e}", history.len() - 1).into()
        );
    }
    // The residual bounds the error by the condition of the matrix, which grows with the square of the size.
    let bound = options.tolerance * 100.0 * (options.size * options.size) as f64;
    if last.error > bound.max(1e-12) || last.error.is_nan() {
        return Err(format!("the largest error is {:.3e}, more than {bound:.3e}", last.error).into());
    }
    Ok(())
}
