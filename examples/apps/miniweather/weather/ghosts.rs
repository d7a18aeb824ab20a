//! The cells beyond the edges.

use spelt::prelude::*;
use spelt::{MemorySpace, Result};

use super::background::Background;
use super::{ALONG_X, ALONG_Z, Axis, Fields, GHOSTS, Grid};

/// Fills the ghost cells of all variables along an axis.
pub(crate) fn fill<S, M>(
    space: &S,
    axis: Axis,
    grid: Grid,
    background: &Background<M>,
    fields: &mut Fields<M>,
) -> Result<()>
where
    S: ExecutionSpace<Memory = M>,
    M: MemorySpace,
{
    match axis {
        Axis::X => periodic(space, grid, fields),
        Axis::Z => walls(space, grid, background, fields),
    }
}

/// The left edge is beside the right one.
fn periodic<S, M>(space: &S, grid: Grid, fields: &mut Fields<M>) -> Result<()>
where
    S: ExecutionSpace<Memory = M>,
    M: MemorySpace,
{
    let [nx, nz] = grid.cells;
    let end = nx as isize;
    let rows = fields.each_mut().map(|field| field.by_rows_mut());
    parallel_for("sides", space.range(0..nz), rows, move |k, mut fields| {
        for field in &mut fields {
            let mut row = field.row_mut(k);
            for ghost in 0..GHOSTS as isize {
                row[end + ghost] = row[ghost];
                row[-1 - ghost] = row[end - 1 - ghost];
            }
        }
    })
}

/// Below and above nothing flows through, and the wind is that of the nearest cell.
fn walls<S, M>(space: &S, grid: Grid, background: &Background<M>, fields: &mut Fields<M>) -> Result<()>
where
    S: ExecutionSpace<Memory = M>,
    M: MemorySpace,
{
    let [nx, nz] = grid.cells;
    for (variable, field) in fields.iter_mut().enumerate() {
        let (mut below, rest) = field.as_view_mut().split_outer_at(GHOSTS);
        let (inside, mut above) = rest.split_outer_at(nz);
        let (lowest, highest) = (inside.subview((0, All)), inside.subview((nz - 1, All)));
        let args =
            (lowest.along::<1>(), highest.along::<1>(), background.density.lookup(), &mut below, &mut above);
        let ghosts = space.md_range([0..GHOSTS, 0..nx + 2 * GHOSTS]);
        parallel_for("walls", ghosts, args, move |i, (lowest, highest, density, mut below, mut above)| {
            let ghost = i.index()[0] as isize;
            let (low, high) = (ghost - GHOSTS as isize, nz as isize + ghost);
            // Momentum of the same wind is greater where the air is denser.
            let factors = match variable {
                ALONG_Z => [0.0, 0.0],
                ALONG_X => [density[low] / density[0], density[high] / density[nz as isize - 1]],
                _ => [1.0, 1.0],
            };
            below[i] = factors[0] * lowest[i];
            above[i] = factors[1] * highest[i];
        })?;
    }
    Ok(())
}
