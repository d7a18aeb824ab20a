//! The quality of the results.

use spelt::Result;
use spelt::prelude::*;

use super::gauss::Sums;

/// The sum of |a - b| over the sum of |a|, of weighted heights.
pub(crate) fn relative_error<S: ExecutionSpace>(
    space: &S,
    a: &View<Sums, 1, S::Memory>,
    b: &View<Sums, 1, S::Memory>,
) -> Result<f64> {
    let (error, all) = parallel_map_reduce(
        "relative error",
        space.range(0..a.len()),
        (a, b),
        |i, (a, b)| {
            let (a, b) = (f64::from(a[i][0]), f64::from(b[i][0]));
            ((a - b).abs(), a.abs())
        },
        (Sum::<f64>::new(), Sum::<f64>::new()),
    )?;
    Ok(error / all)
}

/// The root mean square error of the heights.
pub(crate) fn deviation<S: ExecutionSpace>(space: &S, heights: &[f32], truth: &[f32]) -> Result<f64> {
    let n = heights.len();
    let off = space.view_from_fn("off", [n], |[i]| f64::from(heights[i]) - f64::from(truth[i]))?;
    let squares = parallel_map_reduce(
        "deviation",
        space.range(0..n),
        &off,
        |i, off| off[i] * off[i],
        Sum::<f64>::new(),
    )?;
    Ok((squares / n as f64).sqrt())
}
