//! The temperatures of the cells, and a time step.

use spelt::mpi::{DistributedView, Mpi, Partition};
use spelt::prelude::*;
use spelt::{MemorySpace, Result};

use super::material::Material;

/// A box of cells. Cells have the indices 1 to their number in each dimension; a layer surrounds them, which no cell reads.
pub(crate) struct Body<M: MemorySpace> {
    extents: [usize; 3],
    material: Material,
    temperature: DistributedView<f64, 3, M>,
    /// The heat that each cell gains per unit of time.
    gain: DistributedView<f64, 3, M>,
}

/// Heat since the start.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Balance {
    /// In the cells at the start.
    pub(crate) at_first: f64,
    /// From the source.
    pub(crate) taken: f64,
    pub(crate) radiated: f64,
    /// In the cells.
    pub(crate) stored: f64,
}

impl<M: MemorySpace> Body<M> {
    /// A body with the material's first temperature everywhere.
    pub(crate) fn new<S>(space: &Mpi<'_, S>, extents: [usize; 3], material: Material) -> Result<Self>
    where
        S: ExecutionSpace<Memory = M> + 'static,
    {
        let layered = extents.map(|cells| cells + 2);
        let temperature = space.view_from_fn("temperature", layered, move |_| material.t0)?;
        Ok(Self { extents, material, temperature, gain: space.zeros("gain", layered)? })
    }

    /// The division among the ranks of the cells' first dimension, with the layer around them.
    pub(crate) fn rows(&self) -> &Partition {
        self.temperature.partition()
    }

    /// The balance at the start.
    pub(crate) fn start(&self) -> Balance {
        let stored = self.material.t0 * self.cells();
        Balance { at_first: stored, stored, ..Balance::default() }
    }

    /// The number of cells.
    pub(crate) fn cells(&self) -> f64 {
        self.extents.iter().product::<usize>() as f64
    }

    /// One time step, with this power of the source: the balance after it.
    pub(crate) fn advance<S>(&mut self, space: &Mpi<'_, S>, power: f64, before: Balance) -> Result<Balance>
    where
        S: ExecutionSpace<Memory = M> + 'static,
    {
        let (extents, Material { dt, q, sigma, .. }) = (self.extents, self.material);
        let cells = || space.md_range(extents.map(|cells| 1..cells + 1));
        parallel_for(
            "gain",
            cells(),
            (self.temperature.halo::<1>(), &mut self.gain),
            move |i, (t, mut gain)| {
                let ([x, y, z], own) = (i.index(), t[i]);
                let from = |offset, exists: bool| if exists { t.at(i, offset) - own } else { 0.0 };
                let conducted = from([-1, 0, 0], x > 1)
                    + from([1, 0, 0], x < extents[0])
                    + from([0, -1, 0], y > 1)
                    + from([0, 1, 0], y < extents[1])
                    + from([0, 0, -1], z > 1)
                    + from([0, 0, 1], z < extents[2]);
                let heated = if x == 1 { power } else { 0.0 };
                gain[i] = q * conducted + heated - sigma * own.powi(4) * sides(extents, [x, y, z]);
            },
        )?;
        let (stored, radiated) = parallel_reduce(
            "temperature",
            cells(),
            (&mut self.temperature, &self.gain),
            move |i, (stored, radiated), (mut t, gain)| {
                *radiated += sigma * t[i].powi(4) * sides(extents, i.index());
                t[i] += dt * gain[i];
                *stored += t[i];
            },
            (Sum::<f64>::new(), Sum::<f64>::new()),
        )?;
        let taken = before.taken + dt * power * (extents[1] * extents[2]) as f64;
        Ok(Balance { taken, radiated: before.radiated + dt * radiated, stored, ..before })
    }

    /// The temperatures of the middle layer in the third dimension, on rank 0.
    pub(crate) fn slice<S>(&self, space: &Mpi<'_, S>) -> Result<Option<View<f64, 2>>>
    where
        S: ExecutionSpace<Memory = M> + 'static,
    {
        let ([width, height, _], middle) = (self.extents, self.extents[2].div_ceil(2));
        let mut slice =
            space.zeros_on::<f64, 2>(self.temperature.partition(), "slice", [width + 2, height + 2])?;
        let args = (self.temperature.by_rows(), slice.by_rows_mut());
        parallel_for("slice", space.range(0..width + 2), args, move |x, (t, mut slice)| {
            let (t, mut row) = (t.row(x), slice.row_mut(x));
            for y in 0..height + 2 {
                row[y] = t[[y, middle]];
            }
        })?;
        let whole = space.gather("slice", &slice, 0)?;
        whole.map(|whole| View::from_fn("slice", [width, height], |[x, y]| whole[[x + 1, y + 1]])).transpose()
    }
}

/// The number of a cell's sides that are part of the surface.
fn sides(extents: [usize; 3], cell: [usize; 3]) -> f64 {
    let mut sides = 0;
    for dimension in 0..3 {
        sides += i32::from(cell[dimension] == 1) + i32::from(cell[dimension] == extents[dimension]);
    }
    f64::from(sides)
}
