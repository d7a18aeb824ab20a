//! The temperatures of the cells, and a time step.

use spelt::mpi::{DistributedView, Mpi};
use spelt::prelude::*;
use spelt::{MemorySpace, Result};

use crate::options::Material;

/// A cube of cells. Cells have the indices 1 to `size` in each dimension; a layer of zeros surrounds them, which no cell reads.
pub(crate) struct Body<M: MemorySpace> {
    size: usize,
    material: Material,
    temperature: DistributedView<f64, 3, M>,
    /// The heat that each cell gains per unit of time.
    gain: DistributedView<f64, 3, M>,
}

/// Heat since the start.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Balance {
    /// From the source.
    pub(crate) taken: f64,
    pub(crate) radiated: f64,
    /// In the cells.
    pub(crate) stored: f64,
}

impl<M: MemorySpace> Body<M> {
    /// A cold body.
    pub(crate) fn new<S>(space: &Mpi<'_, S>, size: usize, material: Material) -> Result<Self>
    where
        S: ExecutionSpace<Memory = M> + 'static,
    {
        let (temperature, gain) =
            (space.zeros("temperature", [size + 2; 3])?, space.zeros("gain", [size + 2; 3])?);
        Ok(Self { size, material, temperature, gain })
    }

    /// One time step, with this power of the source: the balance after it.
    pub(crate) fn advance<S>(&mut self, space: &Mpi<'_, S>, power: f64, before: Balance) -> Result<Balance>
    where
        S: ExecutionSpace<Memory = M> + 'static,
    {
        let (size, Material { dt, q, sigma, .. }) = (self.size, self.material);
        let cells = || space.md_range([1..size + 1, 1..size + 1, 1..size + 1]);
        parallel_for(
            "gain",
            cells(),
            (self.temperature.halo::<1>(), &mut self.gain),
            move |i, (t, mut gain)| {
                let ([x, y, z], own) = (i.index(), t[i]);
                let from = |offset, exists: bool| if exists { t.at(i, offset) - own } else { 0.0 };
                let conducted = from([-1, 0, 0], x > 1)
                    + from([1, 0, 0], x < size)
                    + from([0, -1, 0], y > 1)
                    + from([0, 1, 0], y < size)
                    + from([0, 0, -1], z > 1)
                    + from([0, 0, 1], z < size);
                let heated = if x == 1 { power } else { 0.0 };
                gain[i] = q * conducted + heated - sigma * own.powi(4) * sides(size, [x, y, z]);
            },
        )?;
        let (stored, radiated) = parallel_reduce(
            "temperature",
            cells(),
            (&mut self.temperature, &self.gain),
            move |i, (stored, radiated), (mut t, gain)| {
                *radiated += sigma * t[i].powi(4) * sides(size, i.index());
                t[i] += dt * gain[i];
                *stored += t[i];
            },
            (Sum::<f64>::new(), Sum::<f64>::new()),
        )?;
        let taken = dt * power * (size * size) as f64;
        Ok(Balance { taken: before.taken + taken, radiated: before.radiated + dt * radiated, stored })
    }

    /// The temperatures of the middle layer in the third dimension, on rank 0.
    pub(crate) fn slice<S>(&self, space: &Mpi<'_, S>) -> Result<Option<View<f64, 2>>>
    where
        S: ExecutionSpace<Memory = M> + 'static,
    {
        let (size, middle) = (self.size, self.size.div_ceil(2));
        let mut slice = space.zeros_on::<f64, 2>(self.temperature.partition(), "slice", [size + 2; 2])?;
        let args = (self.temperature.by_rows(), slice.by_rows_mut());
        parallel_for("slice", space.range(0..size + 2), args, move |x, (t, mut slice)| {
            let (t, mut row) = (t.row(x), slice.row_mut(x));
            for y in 0..size + 2 {
                row[y] = t[[y, middle]];
            }
        })?;
        let whole = space.gather("slice", &slice, 0)?;
        whole.map(|whole| View::from_fn("slice", [size; 2], |[x, y]| whole[[x + 1, y + 1]])).transpose()
    }
}

/// The number of a cell's sides that are part of the surface.
fn sides(size: usize, cell: [usize; 3]) -> f64 {
    let mut sides = 0;
    for place in cell {
        sides += i32::from(place == 1) + i32::from(place == size);
    }
    f64::from(sides)
}
