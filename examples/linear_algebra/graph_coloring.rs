//! Colours of the vertices of a graph, so that neighbours have different ones, and so that vertices with a common neighbour have, too.
//!
//! The graph is that of a 9-point stencil on a grid: each vertex has up to eight neighbours. Those at a distance of up to 2 are the columns
//! of the product of its matrix with itself. The colours are the same on every space and run; they are checked.
//!
//! The same program as Kokkos's exercise kokkoskernels/GraphColoring, which calls a library, with the extents of the grid as options:
//! ```text
//! cargo run --release --example graph_coloring -- -X 15 -Y 25 -space threads
//! ```
#![forbid(unsafe_code)]

#[path = "../common/mod.rs"]
mod common;
mod sparse;

use std::process::ExitCode;

use getopts::Options;
use spelt::containers::Csr;
use spelt::prelude::*;
use spelt::random::Random;

use common::{CommandLine, say, wrong, wrong_result};
use sparse::{MAX_ROWS, Matrix, color, conflicts, symbolic};

fn main() -> ExitCode {
    let mut options = Options::new();
    options.optopt("X", "", "vertices in each row of the grid; default 15", "COUNT");
    options.optopt("Y", "", "rows of the grid; default 25", "COUNT");
    let line = CommandLine::parse("Colours of the vertices of a grid", 0, options);
    let grid: [usize; 2] = [line.option("X").unwrap_or(15), line.option("Y").unwrap_or(25)];
    if !grid[0].checked_mul(grid[1]).is_some_and(|vertices| (1..=MAX_ROWS).contains(&vertices)) {
        wrong(format!("-X `{}` -Y `{}`: there are from 1 to {MAX_ROWS} vertices", grid[0], grid[1]));
    }
    common::exit_code(with_space!(line.space(), |space| run(&space, grid)))
}

fn run<S: ExecutionSpace>(space: &S, grid: [usize; 2]) -> spelt::Result<()> {
    // Each vertex is among its own neighbours, so that the square has those at a distance of 1, too.
    let neighbours = Matrix::of_grid(space, grid, |_, _| 1.0)?.columns;
    paint(space, grid, 1, &neighbours)?;
    let square = symbolic(space, &neighbours, &neighbours)?;
    paint(space, grid, 2, &square)
}

/// Colours a graph on the grid, checks the colours and prints them.
fn paint<S: ExecutionSpace>(
    space: &S,
    [width, _]: [usize; 2],
    distance: usize,
    graph: &Csr<u32, S::Memory>,
) -> spelt::Result<()> {
    let coloring = color(space, graph, Random::new(1))?;
    let conflicts = conflicts(space, graph, &coloring)?;
    if let Some((vertex, color)) = conflicts.first() {
        let count = conflicts.count;
        return Err(wrong_result(format!(
            "{count} vertices have wrong colours, the first {vertex} with {color}"
        )));
    }
    say!("9-pt stencil: Distance-{distance} Colors (used {}):\n", coloring.count);
    let digits = coloring.count.to_string().len() + 1;
    for row in coloring.colors.to_host()?.to_vec().chunks(width) {
        for color in row {
            say!("{color:digits$}");
        }
        say!("\n");
    }
    say!("\n");
    Ok(())
}
