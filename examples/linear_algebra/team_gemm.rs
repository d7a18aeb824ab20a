//! Many small matrix products, each by a team: C = beta * C + alpha * A * B for 128 triples of matrices.
//!
//! A team has one product, and its threads share the elements of C. Each element is a sum from left to right, so that it has the same bits for
//! teams of any size.
//!
//! The same program as Kokkos's exercise kokkoskernels/TeamGemm, which calls a library in its kernel. It also prints the sum of all results:
//! ```text
//! cargo run --release --example team_gemm -- -A.m 32 -A.n 32 -B.m 32 -B.n 32 -alpha 1 -beta 2 -space threads
//! ```
#![forbid(unsafe_code)]

#[path = "../common/mod.rs"]
mod common;

use std::process::ExitCode;

use getopts::Options;
use spelt::prelude::*;
use spelt::random::{Random, fill_uniform};

use common::{CommandLine, general, say, wrong, wrong_result};

/// The number of products.
const PRODUCTS: usize = 128;

/// The extents of A and B, and the factors.
struct Problem {
    a: [usize; 2],
    b: [usize; 2],
    alpha: f64,
    beta: f64,
}

fn main() -> ExitCode {
    let mut options = Options::new();
    for (name, what) in
        [("A.m", "rows of A"), ("A.n", "columns of A"), ("B.m", "rows of B"), ("B.n", "columns of B")]
    {
        options.optopt("", name, &format!("{what}; default 32"), "COUNT");
    }
    options.optopt("", "alpha", "the factor of A * B; default 1", "NUMBER");
    options.optopt("", "beta", "the factor of C; default 2", "NUMBER");
    let line = CommandLine::parse("C = beta * C + alpha * A * B for 128 triples of matrices", 0, options);
    let extent = |name| line.user_option(name).unwrap_or(32);
    let factor = |name, default| {
        let value: Option<f64> = line.option(name);
        value.inspect(|value| say!("  User {name} {value:.6}\n")).unwrap_or(default)
    };
    let problem = Problem {
        a: [extent("A.m"), extent("A.n")],
        b: [extent("B.m"), extent("B.n")],
        alpha: factor("alpha", 1.0),
        beta: factor("beta", 2.0),
    };
    if problem.a[1] != problem.b[0] {
        let ([a_m, a_n], [b_m, b_n]) = (problem.a, problem.b);
        wrong(format!("A has as many columns as B has rows, but A is {a_m} x {a_n} and B {b_m} x {b_n}"));
    }
    common::exit_code(with_space!(line.space(), |space| run(&space, &problem)))
}

fn run<S: ExecutionSpace>(space: &S, problem: &Problem) -> spelt::Result<()> {
    let &Problem { a: [m, inner], b: [_, n], alpha, beta } = problem;
    let mut a = space.zeros::<f64, 3>("A", [PRODUCTS, m, inner])?;
    let mut b = space.zeros::<f64, 3>("B", [PRODUCTS, inner, n])?;
    let mut c = space.zeros::<f64, 3>("C", [PRODUCTS, m, n])?;
    let random = Random::new(5_374_857);
    fill_uniform(space, &mut a, random.step(0), 0.0..1.0)?;
    fill_uniform(space, &mut b, random.step(1), 0.0..1.0)?;
    fill_uniform(space, &mut c, random.step(2), 0.0..1.0)?;
    let before = c.to_host()?;

    let timer = Timer::new(space)?;
    team_gemm(space, alpha, &a, &b, beta, &mut c)?;
    let seconds = timer.seconds()?;

    let c = c.to_host()?;
    check(problem, &a.to_host()?, &b.to_host()?, &before, &c)?;
    say!(
        "    Results: ( C:{PRODUCTS}x{m}x{n}, A:{PRODUCTS}x{m}x{inner}, B:{PRODUCTS}x{inner}x{n}, beta:{beta:.6}, alpha:{alpha:.6} ), \
         time( {} s )\n",
        general(seconds)
    );
    say!("    Sum of C: {}\n", c.iter().sum::<f64>());
    Ok(())
}

/// Writes beta * C + alpha * A * B into C, for each of the matrices.
fn team_gemm<S: ExecutionSpace>(
    space: &S,
    alpha: f64,
    a: &View<f64, 3, S::Memory>,
    b: &View<f64, 3, S::Memory>,
    beta: f64,
    c: &mut View<f64, 3, S::Memory>,
) -> spelt::Result<()> {
    let [products, m, n] = c.extents();
    let inner = a.extent(2);
    parallel_for(
        "team gemm",
        // Kokkos's teams have a thread for each row of C.
        space.team(products, AUTO).at_most(m.max(1)),
        (a.lookup(), b.lookup(), c),
        move |team, (a, b, mut c)| {
            let (a, b) = (a.slab(team.league_rank()), b.slab(team.league_rank()));
            team.parallel_for(team.thread_md_range([m, n]), |pij| {
                let [_, i, j] = pij.index();
                let product: f64 = (0..inner).map(|k| a[[i, k]] * b[[k, j]]).sum();
                c[pij] = beta * c[pij] + alpha * product;
            });
        },
    )
}

/// Compares all elements of C with a loop on the host, bit by bit.
fn check(
    problem: &Problem,
    a: &View<f64, 3>,
    b: &View<f64, 3>,
    before: &View<f64, 3>,
    c: &View<f64, 3>,
) -> spelt::Result<()> {
    let &Problem { a: [m, inner], b: [_, n], alpha, beta } = problem;
    for p in 0..PRODUCTS {
        for i in 0..m {
            for j in 0..n {
                let product: f64 = (0..inner).map(|k| a[[p, i, k]] * b[[p, k, j]]).sum();
                let wanted = beta * before[[p, i, j]] + alpha * product;
                let found = c[[p, i, j]];
                if found.to_bits() != wanted.to_bits() && !(found.is_nan() && wanted.is_nan()) {
                    return Err(wrong_result(format!(
                        "element [{i}, {j}] of product {p} is {found}, not {wanted}"
                    )));
                }
            }
        }
    }
    Ok(())
}
