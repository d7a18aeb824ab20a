//! A time step by rows of cells, in strips whose new populations are on the stack until all of them are known.
//!
//! An iteration over a cell writes nineteen Views. The compiler makes vector code of such a loop only if it has compared the addresses of
//! what is written with all others, and of so many it compares none. Within a strip nothing is written but local arrays, which overlap
//! nothing.

use spelt::prelude::*;
use spelt::{MemorySpace, Result};

use super::lattice::moments::moments;
use super::lattice::step::ORIGINS;
use super::lattice::{FLUID, LID, OPPOSITE, PACES, POPULATIONS, WALL, WEIGHTS};

/// Cells of a strip: two vectors of 512 bits.
const STRIP: usize = 16;

/// Populations in all cells, a View for each, whose rows are the cells along z.
pub(super) type Populations<M> = [View<f64, 2, M>; POPULATIONS];

/// The cube of the example, whose rows are whole strips of fluid between two walls: cells behind the lid are walls.
#[derive(Debug)]
pub(super) struct Rows<M: MemorySpace> {
    /// Cells of fluid along each side.
    pub(super) size: usize,
    /// The velocity of the lid. Unit: cells per step.
    pub(super) lid: f64,
    /// The part of the difference from the equilibrium that a collision removes.
    pub(super) relaxation: f64,
    /// The kinds of cells.
    pub(super) kinds: View<u8, 2, M>,
    /// The populations before a step.
    pub(super) now: Populations<M>,
    /// The populations after it.
    pub(super) next: Populations<M>,
}

impl<M: MemorySpace> Rows<M> {
    /// Cells along z, with the walls.
    pub(super) fn row_len(size: usize) -> usize {
        size.next_multiple_of(STRIP) + 2
    }

    /// The cube with the populations `start(q, [x, y, z])`.
    ///
    /// # Errors
    /// If there is no memory.
    pub(super) fn new<S>(
        space: &S,
        (size, lid, relaxation): (usize, f64, f64),
        start: impl Fn(usize, [usize; 3]) -> f64 + Sync,
    ) -> Result<Self>
    where
        S: ExecutionSpace<Memory = M>,
    {
        let side = size + 2;
        let extents = [side * side, Self::row_len(size)];
        let place = |[row, z]: [usize; 2]| [row / side, row % side, z];
        let kind = |[x, y, z]: [usize; 3]| match z {
            _ if z == side - 1 => LID,
            _ if [x, y, z].iter().any(|&i| i == 0 || i > size) => WALL,
            _ => FLUID,
        };
        let populations = || -> Result<Populations<M>> {
            let view = |q| space.view_from_fn("population", extents, |i| start(q, place(i)));
            let views = (0..POPULATIONS).map(view).collect::<Result<Vec<_>>>()?;
            Ok(views.try_into().expect("there is one for each"))
        };
        Ok(Self {
            size,
            lid,
            relaxation,
            kinds: space.view_from_fn("kinds", extents, |i| kind(place(i)))?,
            now: populations()?,
            next: populations()?,
        })
    }

    /// The populations of a step later, in [`next`](Self::next).
    ///
    /// # Errors
    /// If the extents differ.
    pub(super) fn advance<S: ExecutionSpace<Memory = M>>(&mut self, space: &S) -> Result<()> {
        let Self { size, lid, relaxation, ref kinds, ref now, ref mut next } = *self;
        let side = size + 2;
        let args = (
            kinds.lookup(),
            now.each_ref().map(|population| population.lookup()),
            next.each_mut().map(|population| population.by_rows_mut()),
        );
        parallel_for(
            "lattice Boltzmann",
            space.range(0..side * side),
            args,
            move |row, (kinds, now, mut next)| {
                let number = row.get();
                if [number / side, number % side].iter().any(|&i| i == 0 || i > size) {
                    return;
                }
                for first in (1..=size).step_by(STRIP) {
                    let mut kinds_there = [&[WALL; STRIP]; POPULATIONS];
                    let mut there = [&[0.0; STRIP]; POPULATIONS];
                    let mut here = [&[0.0; STRIP]; POPULATIONS];
                    unrolled::<POPULATIONS>(|q| {
                        let [x, y, z] = ORIGINS[q];
                        let from = number.wrapping_add_signed(x * side as isize + y);
                        let begin = first.wrapping_add_signed(z);
                        kinds_there[q] = strip(kinds.row(from), begin);
                        there[q] = strip(now[q].row(from), begin);
                        here[q] = strip(now[q].row(number), first);
                    });
                    let mut after = [[0.0; STRIP]; POPULATIONS];
                    for cell in 0..STRIP {
                        let mut populations = [0.0; POPULATIONS];
                        unrolled::<POPULATIONS>(|q| {
                            let kind = kinds_there[q][cell];
                            let pushed = if kind == LID { 6.0 * WEIGHTS[q] * PACES[q][0] * lid } else { 0.0 };
                            let reflected = here[OPPOSITE[q]][cell] + pushed;
                            let arrived = there[q][cell];
                            populations[q] = if kind == FLUID { arrived } else { reflected };
                        });
                        let (density, [x, y, z]) = moments(&populations);
                        let [x, y, z] = [x / density, y / density, z / density];
                        let square = x * x + y * y + z * z;
                        unrolled::<POPULATIONS>(|q| {
                            let [a, b, c] = PACES[q];
                            let forward = a * x + b * y + c * z;
                            let equilibrium = WEIGHTS[q]
                                * density
                                * (1.0 + 3.0 * forward + 4.5 * forward * forward - 1.5 * square);
                            after[q][cell] = populations[q] + relaxation * (equilibrium - populations[q]);
                        });
                    }
                    unrolled::<POPULATIONS>(|q| {
                        next[q][row][first..first + STRIP].copy_from_slice(&after[q])
                    });
                }
            },
        )
    }
}

/// The cells of a row from `first` on.
#[inline(always)]
fn strip<T>(row: &[T], first: usize) -> &[T; STRIP] {
    row[first..first + STRIP].try_into().expect("a strip has this length")
}
