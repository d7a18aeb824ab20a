//! Runs two kernels on a GPU, or where there is none on the emulator: `cargo spelt run`.

use spelt::prelude::*;

fn main() -> spelt::Result<()> {
    let space = Cuda::new(0)?;
    let n = 10_000;
    let x = space.view_from_fn("x", [n], |[i]| i as f64)?;
    let mut y = space.view_from_fn("y", [n], |_| 1.0_f64)?;

    parallel_for("axpy", space.range(0..n), (2.0_f64, &x, &mut y), move |i, (a, x, mut y)| y[i] += a * x[i])?;

    let sum = parallel_reduce("sum", space.range(0..n), (&y,), |i, sum, (y,)| *sum += y[i], Sum::<f64>::new())?;

    // 1 + 2 i, summed: the square of n.
    assert_eq!(sum, (n * n) as f64);
    println!("the sum of y is {sum}");
    Ok(())
}
