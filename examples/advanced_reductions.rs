//! A custom reducer: the geometric mean.
//!
//! A reducer defines the initial running value, the join of two values, and the result of the final one; here 1,
//! the product, and the n-th root.
//!
//! The same program as Kokkos's exercise advanced_reductions:
//! ```text
//! cargo run --release --example advanced_reductions -- -space threads
//! ```
#![forbid(unsafe_code)]

mod common;

use std::process::ExitCode;

use spelt::prelude::*;

use common::say;

/// The n-th root of the product of n values.
struct GeometricMean {
    n: usize,
}

impl Reducer for GeometricMean {
    type Value = f64;
    type Output = f64;

    /// The identity of the product.
    fn init(&self) -> f64 {
        1.0
    }

    /// Joins the products of two threads, or of two lanes of one.
    fn join(&self, into: &mut f64, from: &f64) {
        *into *= from;
    }

    /// Called once, at the end.
    fn finish(&self, value: f64) -> f64 {
        value.powf(1.0 / self.n as f64)
    }
}

fn main() -> ExitCode {
    let choice = common::space("The geometric mean of ten numbers");
    common::exit_code(with_space!(choice, |space| run(&space)))
}

fn run<S: ExecutionSpace>(space: &S) -> spelt::Result<()> {
    let n = 10;
    let view = space.view_from_fn("v", [n], |[i]| 1.0 + i as f64 / n as f64)?;

    let mean = parallel_reduce(
        "geometric mean",
        space.range(0..n),
        &view,
        |i, update, view| *update *= view[i],
        GeometricMean { n },
    )?;

    // The same on the host.
    let product: f64 = (0..n).map(|i| 1.0 + i as f64 / n as f64).product();
    let reference = product.powf(1.0 / n as f64);
    say!("geometric mean: {} reference: {}\n", common::general(mean), common::general(reference));
    Ok(())
}
