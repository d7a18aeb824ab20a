//! y^T * A * x twice: by a product of matrix and vector and a dot product, and by a dot product of each team.
//!
//! The same program as Kokkos's exercise kokkoskernels/InnerProduct, which calls the functions `gemv`, `dot` and the `dot` of a team of a library:
//! they are written out below. Sizes are powers of two:
//! ```text
//! cargo run --release --example inner_product -- -N 12 -M 10 -nrepeat 100 -space threads
//! ```
#![forbid(unsafe_code)]

#[path = "../common/mod.rs"]
mod common;

use std::ops::Index;
use std::process::ExitCode;
use std::time::Instant;

use spelt::prelude::*;
use spelt::{NestedIdx, Team};

use common::{Sizes, say};

fn main() -> ExitCode {
    let sizes = Sizes::from_command_line("y^T * A * x by gemv and dot, and by the dot of each team");
    common::exit_code(with_space!(sizes.space, |space| run(&space, &sizes)))
}

fn run<S: ExecutionSpace>(space: &S, sizes: &Sizes) -> spelt::Result<()> {
    let &Sizes { n, m, .. } = sizes;
    // All ones.
    let y = space.view_from_fn("y", [n], |_| 1.0)?;
    let x = space.view_from_fn("x", [m], |_| 1.0)?;
    let a = space.view_from_fn("A", [n, m], |_| 1.0)?;

    say!("  Using BLAS functions: gemv, dot\n");
    let mut tmp = space.zeros::<f64, 1>("tmp", [n])?;
    repeat(sizes, || {
        gemv(space, 1.0, &a, &x, 0.0, &mut tmp)?;
        dot(space, &y, &tmp)
    })?;

    say!("  Using team-based dot\n");
    repeat(sizes, || {
        parallel_reduce(
            "yAx",
            space.team(n, AUTO),
            (&y, &a, x.along::<1>()),
            move |team, (y, a, x)| {
                let product = team_dot(team, m, &a, &x);
                team.contribute(y[team.league_rank()] * product);
            },
            Sum::<f64>::new(),
        )
    })
}

/// Computes the result `nrepeat` times, each of which is checked, and prints the time.
fn repeat(sizes: &Sizes, mut compute: impl FnMut() -> spelt::Result<f64>) -> spelt::Result<()> {
    let timer = Instant::now();
    for repeat in 0..sizes.nrepeat {
        let result = compute()?;
        if repeat + 1 == sizes.nrepeat {
            say!("  ");
        }
        sizes.check(repeat, result);
    }
    say!("  ");
    sizes.report(timer.elapsed().as_secs_f64());
    Ok(())
}

/// Writes alpha * A * x + beta * y into y, which is not read if beta is 0.
fn gemv<S: ExecutionSpace>(
    space: &S,
    alpha: f64,
    a: &View<f64, 2, S::Memory>,
    x: &View<f64, 1, S::Memory>,
    beta: f64,
    y: &mut View<f64, 1, S::Memory>,
) -> spelt::Result<()> {
    let [n, m] = a.extents();
    parallel_for("gemv", space.team(n, AUTO), (a, x.along::<1>(), y), move |team, (a, x, mut y)| {
        let product = team_dot(team, m, &a, &x);
        team.single(|row| {
            let before = if beta == 0.0 { 0.0 } else { beta * y[row] };
            y[row] = alpha * product + before;
        });
    })
}

/// The dot product of two vectors of one length.
fn dot<S: ExecutionSpace>(
    space: &S,
    x: &View<f64, 1, S::Memory>,
    y: &View<f64, 1, S::Memory>,
) -> spelt::Result<f64> {
    parallel_map_reduce(
        "dot",
        space.range(0..x.len()),
        (x, y),
        move |i, (x, y)| x[i] * y[i],
        Sum::<f64>::new(),
    )
}

/// The dot product of `m` elements of the team's row of each argument, by all threads of the team.
#[inline(always)]
fn team_dot<'k, V, A, X>(team: &mut Team<'k, V>, m: usize, a: &A, x: &X) -> f64
where
    A: for<'j> Index<NestedIdx<'k, 'j, 2>, Output = f64>,
    X: for<'j> Index<NestedIdx<'k, 'j, 2>, Output = f64>,
{
    team.parallel_map_reduce(team.thread_range(m), |ji| a[ji] * x[ji], Sum::<f64>::new())
}
