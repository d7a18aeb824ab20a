//! The block Jacobi preconditioner: many small matrices are inverted, each by a team, and multiplied by vectors.
//!
//! Task 1 launches a kernel for each step: LU factors without pivoting, the identity, two triangular solves. Task 2 does all of them in one
//! kernel, with the matrices in scratch memory. Both have the same bits.
//!
//! The same program as Kokkos's exercise kokkoskernels/BlockJacobi, which calls a library in its kernels. The diagonals are larger than
//! there, so that factors without pivoting are good ones, and the residual is checked:
//! ```text
//! cargo run --release --example block_jacobi -- -N 16384 -B 5 -Task 0 -TeamSize 0 -space threads
//! ```
#![forbid(unsafe_code)]

#[path = "../common/mod.rs"]
mod common;
mod in_scratch;

use std::process::ExitCode;

use getopts::Options;
use spelt::prelude::*;
use spelt::random::{Random, fill_uniform};
use spelt::{TeamPolicy, TeamSize};

use common::{CommandLine, say, wrong, wrong_result};
use in_scratch::{Triangle, factorize, solve};

/// Matrices of all problems, `[problem, row, column]`.
type Matrices<S> = View<f64, 3, <S as ExecutionSpace>::Memory>;
/// Vectors of all problems.
type Vectors<S> = View<f64, 2, <S as ExecutionSpace>::Memory>;

/// The command line.
struct Settings {
    problems: usize,
    block: usize,
    task: usize,
    team_size: usize,
}

fn main() -> ExitCode {
    let mut options = Options::new();
    options.optopt("N", "", "the number of matrices; default 16384", "COUNT");
    options.optopt("B", "", "rows and columns of each; default 5", "COUNT");
    options.optopt("", "Task", "1: a kernel for each step, 2: one kernel, 0: both; default 0", "TASK");
    options.optopt("", "TeamSize", "threads of a team, 0: chosen by the space; default 0", "COUNT");
    let line = CommandLine::parse("The inverses of many small matrices, each by a team", 0, options);
    let settings = Settings {
        problems: line.option("N").unwrap_or(128 * 128),
        block: line.option("B").unwrap_or(5),
        task: line.option("Task").unwrap_or(0),
        team_size: line.option("TeamSize").unwrap_or(0),
    };
    if settings.task > 2 {
        wrong(format!("-Task `{}`: choose 0, 1 or 2", settings.task));
    }
    common::exit_code(with_space!(line.space(), |space| run(&space, &settings)))
}

fn run<S: ExecutionSpace>(space: &S, settings: &Settings) -> spelt::Result<()> {
    let &Settings { problems, block, task, team_size } = settings;
    say!(" :::: Testing (N = {problems}, Blk = {block}, TeamSize = {team_size} (0 is AUTO))\n");
    let mut a = space.zeros::<f64, 3>("block diagonals", [problems, block, block])?;
    let mut b = space.zeros::<f64, 2>("b", [problems, block])?;
    let mut x = space.zeros::<f64, 2>("x", [problems, block])?;
    let random = Random::new(13_245);
    fill_uniform(space, &mut a, random.step(0), 0.0..1.0)?;
    fill_uniform(space, &mut b, random.step(1), 0.0..1.0)?;
    parallel_for(
        "diagonals",
        space.md_range([0..problems, 0..block, 0..block]),
        &mut a,
        move |pij, mut a| {
            let [_, i, j] = pij.get();
            if i == j {
                a[pij] += block as f64;
            }
        },
    )?;

    let mut residuals = Vec::new();
    for task in if task == 0 { 1..3 } else { task..task + 1 } {
        let timer = Timer::new(space)?;
        let inverses = match task {
            1 => invert_in_steps(space, settings, &a)?,
            _ => invert(space, settings, &a)?,
        };
        let seconds = timer.seconds()?;
        let per_minute = 60.0 / seconds;
        say!(
            "task {task}: construction of jacobi time = {seconds:.6} , # of constructions per min = {per_minute:.0} \n"
        );
        apply(space, settings, &inverses, &b, &mut x)?;
        let residual = residual(space, settings, &a, &x, &b)?;
        say!("task {task}: residual = {residual:.6}\ntask {task}: with all digits = {residual:e}\n");
        // The sum of all rows' residuals, each of which is some roundings of numbers below 1.
        let bound = 1e-14 * (problems * block * block.max(1)) as f64;
        if residual > bound || residual.is_nan() {
            return Err(wrong_result(format!("the residual {residual:e} is more than {bound:e}")));
        }
        residuals.push(residual);
    }
    if residuals.windows(2).any(|pair| pair[0].to_bits() != pair[1].to_bits()) {
        return Err(wrong_result(format!("the tasks have different residuals: {residuals:?}")));
    }
    Ok(())
}

/// A team for each problem, with scratch for this number of matrices.
fn teams<'s, S: ExecutionSpace>(space: &'s S, settings: &Settings, matrices: usize) -> TeamPolicy<&'s S> {
    let size = match settings.team_size {
        0 => TeamSize::Auto,
        size => TeamSize::Threads(size),
    };
    let bytes = settings.block.saturating_mul(settings.block).saturating_mul(matrices * size_of::<f64>());
    space.team(settings.problems, size).scratch(bytes, 0)
}

/// Task 1: the inverses by a kernel for each step.
fn invert_in_steps<S: ExecutionSpace>(
    space: &S,
    settings: &Settings,
    a: &Matrices<S>,
) -> spelt::Result<Matrices<S>> {
    let n = settings.block;
    let mut factors = space.zeros::<f64, 3>("factors", a.extents())?;
    let mut identity = space.zeros::<f64, 3>("identity", a.extents())?;
    let args = (a.lookup(), &mut factors);
    parallel_for("task1.factorize", teams(space, settings, 1), args, move |team, (a, mut factors)| {
        let a = a.slab(team.league_rank());
        team.with_scratch_mut(
            [n, n],
            |ij| a[ij],
            |team, mut matrix| {
                factorize(team, &mut matrix);
                team.parallel_for(team.thread_md_range([n, n]), |pij| {
                    let [_, i, j] = pij.index();
                    factors[pij] = matrix[[i, j]];
                });
            },
        );
    })?;
    parallel_for(
        "task1.set-identity",
        teams(space, settings, 0),
        &mut identity,
        move |team, mut identity| {
            team.parallel_for(team.thread_md_range([n, n]), |pij| {
                let [_, i, j] = pij.index();
                identity[pij] = if i == j { 1.0 } else { 0.0 };
            });
        },
    )?;
    let lower = solve_step(space, settings, Triangle::Lower, &factors, &identity)?;
    solve_step(space, settings, Triangle::Upper, &factors, &lower)
}

/// A kernel of task 1: the solutions of L X = B or U X = B.
fn solve_step<S: ExecutionSpace>(
    space: &S,
    settings: &Settings,
    triangle: Triangle,
    factors: &Matrices<S>,
    right: &Matrices<S>,
) -> spelt::Result<Matrices<S>> {
    let n = settings.block;
    let mut solutions = space.zeros::<f64, 3>("solutions", right.extents())?;
    let name = match triangle {
        Triangle::Lower => "task1.solve-lower-triangular",
        Triangle::Upper => "task1.solve-upper-triangular",
    };
    let args = (factors.lookup(), right.lookup(), &mut solutions);
    parallel_for(name, teams(space, settings, 2), args, move |team, (factors, right, mut solutions)| {
        let (t, b) = (factors.slab(team.league_rank()), right.slab(team.league_rank()));
        team.with_scratch_mut(
            [n, n],
            |ij| t[ij],
            |team, factors| {
                team.with_scratch_mut(
                    [n, n],
                    |[j, i]| b[[i, j]],
                    |team, mut columns| {
                        solve(team, triangle, &factors, &mut columns);
                        team.parallel_for(team.thread_md_range([n, n]), |pij| {
                            let [_, i, j] = pij.index();
                            solutions[pij] = columns[[j, i]];
                        });
                    },
                );
            },
        );
    })?;
    Ok(solutions)
}

/// Task 2: the inverses by one kernel.
fn invert<S: ExecutionSpace>(space: &S, settings: &Settings, a: &Matrices<S>) -> spelt::Result<Matrices<S>> {
    let n = settings.block;
    let mut inverses = space.zeros::<f64, 3>("inverses", a.extents())?;
    let args = (a.lookup(), &mut inverses);
    parallel_for(
        "task2.factorize-invert",
        teams(space, settings, 2),
        args,
        move |team, (a, mut inverses)| {
            let a = a.slab(team.league_rank());
            team.with_scratch_mut(
                [n, n],
                |ij| a[ij],
                |team, mut factors| {
                    factorize(team, &mut factors);
                    let identity = |[j, i]: [usize; 2]| if i == j { 1.0 } else { 0.0 };
                    team.with_scratch_mut([n, n], identity, |team, mut columns| {
                        solve(team, Triangle::Lower, &factors, &mut columns);
                        solve(team, Triangle::Upper, &factors, &mut columns);
                        team.parallel_for(team.thread_md_range([n, n]), |pij| {
                            let [_, i, j] = pij.index();
                            inverses[pij] = columns[[j, i]];
                        });
                    });
                },
            );
        },
    )?;
    Ok(inverses)
}

/// Writes each inverse times its vector of `b` into `x`.
fn apply<S: ExecutionSpace>(
    space: &S,
    settings: &Settings,
    inverses: &Matrices<S>,
    b: &Vectors<S>,
    x: &mut Vectors<S>,
) -> spelt::Result<()> {
    let n = settings.block;
    let args = (inverses.lookup(), b.lookup(), x);
    parallel_for("apply-block-jacobi", teams(space, settings, 0), args, move |team, (inverses, b, mut x)| {
        let (inverse, b) = (inverses.slab(team.league_rank()), b.slab(team.league_rank()));
        team.parallel_for(team.thread_range(n), |pi| {
            let i = pi.inner();
            x[pi] = (0..n).map(|k| inverse[[i, k]] * b[k]).sum();
        });
    })
}

/// The sum of |b - A x| over all rows of all problems.
fn residual<S: ExecutionSpace>(
    space: &S,
    settings: &Settings,
    a: &Matrices<S>,
    x: &Vectors<S>,
    b: &Vectors<S>,
) -> spelt::Result<f64> {
    let n = settings.block;
    let args = (a.lookup(), x.lookup(), b);
    parallel_reduce(
        "compute-residual",
        teams(space, settings, 0),
        args,
        move |team, (a, x, b)| {
            let (a, x) = (a.slab(team.league_rank()), x.slab(team.league_rank()));
            let sum = team.parallel_map_reduce(
                team.thread_range(n),
                |pi| {
                    let i = pi.inner();
                    (b[pi] - (0..n).map(|k| a[[i, k]] * x[k]).sum::<f64>()).abs()
                },
                Sum::<f64>::new(),
            );
            team.contribute(sum);
        },
        Sum::<f64>::new(),
    )
}
