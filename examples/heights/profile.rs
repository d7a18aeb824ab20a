//! Lowest, mean and highest ground of each row or column.

use spelt::Result;
use spelt::algorithms::{max_axes, mean_axes, min_axes};
use spelt::prelude::*;

use super::terrain::Terrain;

/// A line through each row or column. Unit: metres.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Profile {
    pub(crate) min: Vec<i16>,
    pub(crate) mean: Vec<f64>,
    pub(crate) max: Vec<i16>,
}

/// The profile of the rows, by reductions along axis 1, or of the columns, along axis 0.
pub(crate) fn profile<S: ExecutionSpace>(
    space: &S,
    terrain: &Terrain<S::Memory>,
    axis: usize,
) -> Result<Profile> {
    let lines = terrain.heights.extent(1 - axis);
    let mut min = space.zeros::<i16, 1>("min", [lines])?;
    let mut mean = space.zeros::<f64, 1>("mean", [lines])?;
    let mut max = space.zeros::<i16, 1>("max", [lines])?;
    min_axes(space, &terrain.heights, [axis], &mut min)?;
    // Heights are whole metres of 16 bits: the sum is computed in the type of the result.
    mean_axes(space, &terrain.heights, [axis], &mut mean)?;
    max_axes(space, &terrain.heights, [axis], &mut max)?;
    Ok(Profile { min: min.to_host()?.to_vec(), mean: mean.to_host()?.to_vec(), max: max.to_host()?.to_vec() })
}
