//! Exercise 4: execution space, memory space, layout and policy, chosen one by one.
//!
//! Computes y^T * A * x as `exercise_03` does. The layout is a parameter: in `Right` (C's order) a row of A lies in one
//! piece, which suits one host thread to a row; in `Left` (Fortran's order) a column does, which suits a GPU, where
//! neighbouring threads read neighbouring rows. Try both and compare the bandwidths.
//!
//! The same program as Kokkos's exercise 04. Sizes are powers of two:
//! ```text
//! cargo run --release --example exercise_04 -- -N 12 -M 10 -nrepeat 100 -space threads -layout left
//! ```
#![forbid(unsafe_code)]

mod common;

use std::process::ExitCode;
use std::str::FromStr;
use std::time::Instant;

use getopts::Options;
use spelt::prelude::*;
use spelt::{Layout, RangePolicy};

use common::{CommandLine, Sizes};

/// The layouts to choose from.
#[derive(Clone, Copy, Debug, Default)]
enum LayoutChoice {
    #[default]
    Left,
    Right,
}

impl FromStr for LayoutChoice {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        match name.to_lowercase().as_str() {
            "left" => Ok(Self::Left),
            "right" => Ok(Self::Right),
            _ => Err("choose left or right".to_owned()),
        }
    }
}

fn main() -> ExitCode {
    let mut options = Options::new();
    options.optopt("", "layout", "order of A in memory: left (default) or right", "LAYOUT");
    let brief = "y^T * A * x with space, layout and policy chosen one by one";
    let (sizes, layout) = Sizes::with_options(brief, &mut options, |line: &CommandLine| {
        line.option("layout").unwrap_or_default()
    });
    common::exit_code(with_space!(sizes.space, |space| match layout {
        LayoutChoice::Left => run(&space, Left, &sizes),
        LayoutChoice::Right => run(&space, Right, &sizes),
    }))
}

fn run<S, L>(space: &S, layout: L, sizes: &Sizes) -> spelt::Result<()>
where
    S: ExecutionSpace,
    L: Layout,
{
    let &Sizes { n, m, nrepeat, .. } = sizes;

    // Allocate the vectors y and x and the matrix A in the memory space of `S` and the layout `L`.
    let mut y: View<f64, 1, S::Memory, L> = space.zeros_in(layout, "y", [n])?;
    let mut x: View<f64, 1, S::Memory, L> = space.zeros_in(layout, "x", [m])?;
    let mut a: View<f64, 2, S::Memory, L> = space.zeros_in(layout, "A", [n, m])?;

    // Create mirrors on the host: they have the same layout.
    let mut h_y = y.host_mirror()?;
    let mut h_x = x.host_mirror()?;
    let mut h_a = a.host_mirror()?;

    // Initialize y on the host.
    for i in 0..n {
        h_y[i] = 1.0;
    }

    // Initialize x on the host.
    for i in 0..m {
        h_x[i] = 1.0;
    }

    // Initialize A on the host.
    for j in 0..n {
        for i in 0..m {
            h_a[[j, i]] = 1.0;
        }
    }

    // Copy the mirrors to where the kernels run.
    deep_copy(&mut y, &h_y)?;
    deep_copy(&mut x, &h_x)?;
    deep_copy(&mut a, &h_a)?;

    let timer = Instant::now();
    for repeat in 0..nrepeat {
        // Application: <y,Ax> = y^T*A*x, over an explicit policy on an explicit space. The loop ends where the row does,
        // so that the compiler sees that no index leaves A.
        let policy: RangePolicy<&S> = space.range(0..n);
        let result = parallel_reduce(
            "yAx",
            policy,
            (&y, a.lookup(), x.lookup()),
            |j, update, (y, a, x)| {
                let mut temp2 = 0.0;
                for i in 0..a.extent(1) {
                    temp2 += a[[j.get(), i]] * x[i];
                }
                *update += y[j] * temp2;
            },
            Sum::<f64>::new(),
        )?;
        sizes.check(repeat, result);
    }
    sizes.report(timer.elapsed().as_secs_f64());
    Ok(())
}
