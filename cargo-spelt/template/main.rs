//! Two kernels: `cargo run` runs them on the threads of this machine, `cargo spelt run` on a GPU, or its emulator where there is none.

use spelt::prelude::*;

/// The sum of 1 + 2 i below `n`. Code that is generic over the space runs on hosts and on devices, with the same bits.
fn solve<S: ExecutionSpace>(space: &S, n: usize) -> spelt::Result<f64> {
    let x = space.view_from_fn("x", [n], |[i]| i as f64)?;
    let mut y = space.view_from_fn("y", [n], |_| 1.0_f64)?;

    parallel_for("axpy", space.range(0..n), (2.0_f64, &x, &mut y), move |i, (a, x, mut y)| y[i] += a * x[i])?;

    parallel_reduce("sum", space.range(0..n), (&y,), |i, sum, (y,)| *sum += y[i], Sum::<f64>::new())
}

fn main() -> spelt::Result<()> {
    // `cargo spelt` builds with the feature `cuda` of Cargo.toml.
    #[cfg(feature = "cuda")]
    let space = Cuda::new(0)?;
    // Threads, unless the variable SPELT_SPACE names another space.
    #[cfg(not(feature = "cuda"))]
    let space = SpaceChoice::from_env()?.on_host()?;

    println!("the sum of y is {}", solve(&space, 10_000)?);
    Ok(())
}

#[test]
fn the_sum_is_the_square_of_n() -> spelt::Result<()> {
    assert_eq!(solve(&Serial::new(), 1000)?, 1e6);
    Ok(())
}
