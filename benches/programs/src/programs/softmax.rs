//! softmax: the exponentials of each row of a matrix over their sum.

use spelt::math::exp;
use spelt::prelude::*;
use spelt_harness::{Made, Work};

use super::comparison::near;
use super::reason::told;
use super::spread::spread;
use super::{Case, Variant};
use crate::peer::{out, read};
use crate::setup::{Setup, slice, slice_mut};

/// The program and its sizes.
pub const CASE: Case = Case {
    name: "softmax",
    hypothesis: "An iteration for each row, a slice. `spelt::math::exp` and both reductions are vector code, where C++ calls expf for each number; with \
        -ffast-math it has expf of vectors, with an error of 4 units in place of one: within 1.3 of that.",
    size: "rows",
    variants: &[
        Variant::new("100 columns", &[100, 100_000], race::<100>),
        Variant::new("784 columns", &[20, 10_000], race::<784>),
    ],
};

/// The softmax of each row, by a team for each.
///
/// # Errors
/// If the extents differ.
pub fn by_teams<S: ExecutionSpace>(
    space: &S,
    x: &View<f32, 2, S::Memory>,
    y: &mut View<f32, 2, S::Memory>,
) -> spelt::Result<()> {
    let [rows, columns] = x.extents();
    parallel_for("softmax", space.team(rows, AUTO), (x, y), move |team, (x, mut y)| {
        let largest = team.parallel_map_reduce(team.thread_range(columns), |rj| x[rj], Max::<f32>::new());
        team.parallel_for(team.thread_range(columns), |rj| y[rj] = exp(x[rj] - largest));
        let sum = team.parallel_map_reduce(team.thread_range(columns), |rj| y[rj], Sum::<f32>::new());
        team.parallel_for(team.thread_range(columns), |rj| y[rj] /= sum);
    })
}

/// The softmax of each row, which is a slice.
///
/// # Errors
/// If the extents differ.
pub fn softmax<S: ExecutionSpace>(
    space: &S,
    x: &View<f32, 2, S::Memory>,
    y: &mut View<f32, 2, S::Memory>,
) -> spelt::Result<()> {
    let args = (x.by_rows(), y.by_rows_mut());
    parallel_for("softmax", space.range(0..x.extent(0)), args, move |i, (x, mut y)| {
        let (x, y) = (&x[i], &mut y[i]);
        let largest = serial_map_reduce(x.len(), |j| x[j], Max::<f32>::new());
        y.iter_mut().zip(x).for_each(|(y, x)| *y = exp(x - largest));
        let sum = serial_map_reduce(y.len(), |j| y[j], Sum::<f32>::new());
        y.iter_mut().for_each(|y| *y /= sum);
    })
}

/// The same by loops, in `f64`.
fn plain(x: &[f32], columns: usize) -> Vec<f32> {
    let row = |row: &[f32]| {
        let largest = row.iter().copied().fold(f32::MIN, f32::max);
        let terms: Vec<f64> = row.iter().map(|x| f64::from(x - largest).exp()).collect();
        let sum: f64 = terms.iter().sum();
        terms.into_iter().map(move |term| (term / sum) as f32)
    };
    x.chunks_exact(columns).flat_map(row).collect()
}

/// A number from -10 to 10.
fn start([i, j]: [usize; 2]) -> f32 {
    (20.0 * spread(i * 1009 + j) - 10.0) as f32
}

/// Compares a few rows with the plain loops.
///
/// # Errors
/// Names the first number that differs.
pub fn check<S: ExecutionSpace>(space: &S) -> Result<(), String> {
    let x = space.view_from_fn("x", [5, 67], start).map_err(told)?;
    let mut y = space.zeros("y", [5, 67]).map_err(told)?;
    softmax(space, &x, &mut y).map_err(told)?;
    let expected = plain(slice(&x.to_host().map_err(told)?), 67);
    near("y", slice(&y.to_host().map_err(told)?), &expected, 1e-6)?;
    by_teams(space, &x, &mut y).map_err(told)?;
    near("y by teams", slice(&y.to_host().map_err(told)?), &expected, 1e-6)
}

fn race<const COLUMNS: usize>(setup: &Setup, rows: usize) -> Made {
    let extents = [rows, COLUMNS];
    let views = [setup.view("x", extents, start)?, setup.view("y", extents, |_| 0.0)?];
    let work = Work { bytes: 8 * rows * COLUMNS, elements: rows * COLUMNS };
    let lineup = setup.race(
        views,
        work,
        |space, [x, y]| softmax(space, x, y),
        source!("softmax"),
        move |peer, [x, y]| {
            // SAFETY: the source reads and writes rows * COLUMNS floats.
            unsafe { peer.call(&[read(slice(x)), out(slice_mut(y))], &extents) };
        },
        |[x, y]| near("y", slice(y), &plain(slice(x), COLUMNS), 1e-5),
    )?;
    let space = setup.space.clone();
    let lineup =
        lineup.with("Spelt teams", move |[x, y]| by_teams(&space, x, y).expect("the launch fits the Views"));
    Ok(Box::new(lineup.reset(|[_, y]| slice_mut(y).fill(-1.0))))
}
