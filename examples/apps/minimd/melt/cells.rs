//! Cells, into which the atoms are sorted: the neighbours of an atom are in its cell and in those that touch it.

use core::ops::Range;

use spelt::algorithms::order_by_bins;
use spelt::prelude::*;
use spelt::{MemorySpace, Result};

use super::Melt;
use super::cube::Cube;
use super::neighbours::REACH;
use crate::program::vector::Vector;

/// The cells of the cube.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cells {
    cube: Cube,
    /// Their number along each side.
    along: usize,
}

impl Cells {
    /// Cells as small as possible, but at least [`REACH`] wide, so that neighbours are in cells that touch.
    pub(super) fn new(cube: Cube) -> Self {
        Self { cube, along: (cube.side / REACH) as usize }
    }

    /// The number of cells.
    fn count(self) -> usize {
        self.along.pow(3)
    }

    /// The cell of a place in the cube, along each axis.
    #[inline(always)]
    pub(super) fn of(self, place: Vector) -> [usize; 3] {
        let at = |part: f64| ((part * (self.along as f64 / self.cube.side)) as usize).min(self.along - 1);
        [at(place[0]), at(place[1]), at(place[2])]
    }

    /// The number of a cell.
    #[inline(always)]
    pub(super) fn number(self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.along + y) * self.along + x
    }

    /// A cell and those that touch it along an axis, each once, in two ranges, because the first cell touches the last.
    #[inline(always)]
    pub(super) fn near(self, at: usize) -> [Range<usize>; 2] {
        if self.along <= 3 {
            return [0..self.along, 0..0];
        }
        let first = (at + self.along - 1) % self.along;
        [first..self.along.min(first + 3), 0..(first + 3).saturating_sub(self.along)]
    }
}

impl<M: MemorySpace> Melt<M> {
    /// Moves the atoms into the cube and sorts them by cells; in a cell they keep their order.
    pub(crate) fn sort<S: ExecutionSpace<Memory = M>>(&mut self, space: &S) -> Result<()> {
        let (cube, cells, atoms) = (self.cube, self.cells, self.atoms());
        let range = space.range(0..atoms);
        let numbers = space.uninit("cell numbers", [atoms])?;
        let numbers = parallel_fill("cell numbers", range, numbers, &self.position, move |i, position| {
            cells.number(cells.of(cube.wrap(position[i]))) as u32
        })?;
        let mut order = space.zeros::<u32, 1>("order", [atoms])?;
        self.first = order_by_bins(space, &numbers, cells.count(), &mut order)?;

        let (position, velocity) = (space.uninit("position", [atoms])?, space.uninit("velocity", [atoms])?);
        let args = (&order, self.position.lookup());
        self.position =
            parallel_fill("sort positions", range, position, args, move |i, (order, position)| {
                cube.wrap(position[order[i]])
            })?;
        let args = (&order, self.velocity.lookup());
        self.velocity =
            parallel_fill("sort velocities", range, velocity, args, move |i, (order, velocity)| {
                velocity[order[i]]
            })?;
        Ok(())
    }
}
