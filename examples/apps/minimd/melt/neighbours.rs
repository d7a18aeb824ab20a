//! Lists of neighbours: for each atom, those that may come within the cutoff before the next lists.

use core::ops::Range;

use spelt::prelude::*;
use spelt::{MemorySpace, Result};

use super::Melt;
use super::cube::Cube;
use super::forces::{CUTOFF, LANES};
use crate::program::vector::{Vector, dot};

/// The largest distance of neighbours: the cutoff, and a skin as thick as miniMD's.
pub(crate) const REACH: f64 = CUTOFF + 0.3;

/// Lists serve this number of steps, as in miniMD.
pub(crate) const EVERY: usize = 20;

/// The lists.
pub(crate) struct Neighbours<M: MemorySpace> {
    /// The neighbours of each atom. The atom itself, which exerts no force, fills up the last group of [`LANES`].
    pub(crate) lists: View<u32, 2, M>,
    /// The number of neighbours of each atom.
    pub(crate) counts: View<u32, 1, M>,
}

impl<M: MemorySpace> Neighbours<M> {
    /// Lists with room for this number of entries each.
    pub(crate) fn new<S: ExecutionSpace<Memory = M>>(space: &S, atoms: usize, room: usize) -> Result<Self> {
        let lists = space.zeros("neighbours", [atoms, room])?;
        Ok(Self { lists, counts: space.zeros("number of neighbours", [atoms])? })
    }
}

impl<M: MemorySpace> Melt<M> {
    /// Lists the neighbours of all atoms. Where a list is too short, all are replaced by longer ones and written again.
    pub(crate) fn list_neighbours<S: ExecutionSpace<Memory = M>>(&mut self, space: &S) -> Result<()> {
        let (cube, cells, atoms) = (self.cube, self.cells, self.atoms());
        loop {
            let Neighbours { lists, counts } = &mut self.neighbours;
            let room = lists.extent(1);
            let needed = parallel_reduce(
                "neighbours",
                space.range(0..atoms),
                (self.position.lookup(), self.first.view().lookup(), lists.by_rows_mut(), counts),
                move |i, needed, (position, first, mut lists, mut counts)| {
                    let (position, list, mut count) = (position.as_slice(), &mut lists[i], 0);
                    let [x, y, z] = cells.of(position[i.get()]);
                    for z in cells.near(z).into_iter().flatten() {
                        for y in cells.near(y).into_iter().flatten() {
                            // Cells along x follow each other, and so do their atoms.
                            let row = cells.number([0, y, z]);
                            for x in cells.near(x) {
                                let (start, end) = (first[row + x.start], first[row + x.end]);
                                for group in (start..end).step_by(LANES) {
                                    let (group, near) = near(cube, position, i.get(), group..end);
                                    append(list, &mut count, group, near);
                                }
                            }
                        }
                    }
                    if let Some(rest) = list.get_mut(count..count + LANES) {
                        rest.fill(i.get() as u32);
                    }
                    counts[i] = count as u32;
                    *needed = (count + LANES).max(*needed);
                },
                Max::<usize>::new(),
            )?;
            if needed <= room {
                return Ok(());
            }
            // Longer than needed, because later lists are longer by a few.
            self.neighbours = Neighbours::new(space, atoms, needed + needed / 8)?;
        }
    }
}

/// A group of [`LANES`] atoms, from the first of `run` on, by its first atom, and whether each is both in `run` and a neighbour of `atom`.
/// At the end of all atoms the group begins before the run.
#[inline(always)]
fn near(cube: Cube, position: &[Vector], atom: usize, run: Range<usize>) -> (usize, [bool; LANES]) {
    let start = run.start.min(position.len() - LANES);
    let (place, others) = (position[atom], &position[start..start + LANES]);
    let mut between = [[0.0; LANES]; 3];
    for lane in 0..LANES {
        for axis in 0..3 {
            between[axis][lane] = place[axis] - others[lane][axis];
        }
    }
    let mut near = [false; LANES];
    for lane in 0..LANES {
        let (other, shortest) =
            (start + lane, cube.shortest([between[0][lane], between[1][lane], between[2][lane]]));
        let close = dot(shortest, shortest) <= REACH * REACH;
        // No `&&`: branches are not vector code.
        near[lane] = close & (other != atom) & (other >= run.start) & (other < run.end);
    }
    (start, near)
}

/// Appends the neighbours in a group to a list that has room for a group more, and counts them in any case.
#[inline(always)]
fn append(list: &mut [u32], count: &mut usize, group: usize, near: [bool; LANES]) {
    if let Some(free) = list.get_mut(*count..*count + LANES) {
        let mut next = 0;
        for (lane, near) in near.into_iter().enumerate() {
            // Overwritten by the next one unless it is near.
            free[next % LANES] = (group + lane) as u32;
            next += usize::from(near);
        }
    }
    *count += near.into_iter().filter(|&near| near).count();
}
