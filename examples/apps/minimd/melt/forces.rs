//! The Lennard-Jones potential, cut off.

use spelt::prelude::*;
use spelt::tools::region;
use spelt::{LookupAccess, MemorySpace, Result};

use super::Melt;
use super::cube::Cube;
use crate::program::vector::{Vector, dot, scale};

/// The distance beyond which there is no force.
pub(crate) const CUTOFF: f64 = 2.5;

/// Pairs that are computed together: as many as a vector of AVX-512 has numbers. Lists of neighbours are multiples of it.
pub(crate) const LANES: usize = 8;

/// The potential of a pair, by the square of its distance.
#[inline(always)]
pub(crate) fn potential(square: f64) -> f64 {
    let sixth = 1.0 / (square * square * square);
    4.0 * sixth * (sixth - 1.0)
}

/// The force of a pair, relative to its distance: positive if it drives them apart.
#[inline(always)]
pub(crate) fn force(square: f64) -> f64 {
    let inverse = 1.0 / square;
    let sixth = inverse * inverse * inverse;
    48.0 * sixth * (sixth - 0.5) * inverse
}

/// Sums `terms(vector from the neighbour, its square)` over the neighbours of an atom. Beyond the cutoff `terms` gets an infinite square and
/// must return 0.
///
/// The positions are fetched one by one, then [`LANES`] pairs are computed by vector code.
#[inline(always)]
pub(super) fn sum_pairs<const N: usize>(
    cube: Cube,
    place: Vector,
    neighbours: &[u32],
    position: LookupAccess<'_, Vector, 1>,
    terms: impl Fn(Vector, f64) -> [f64; N],
) -> [f64; N] {
    let mut sums = [[0.0; LANES]; N];
    for group in neighbours.chunks_exact(LANES) {
        let mut between = [[0.0; LANES]; 3];
        for lane in 0..LANES {
            let other = position[group[lane]];
            for axis in 0..3 {
                between[axis][lane] = place[axis] - other[axis];
            }
        }
        for lane in 0..LANES {
            let shortest = cube.shortest([between[0][lane], between[1][lane], between[2][lane]]);
            let square = dot(shortest, shortest);
            // Only an atom's distance from itself is 0.
            let counts = square > 0.0 && square < CUTOFF * CUTOFF;
            let terms = terms(shortest, if counts { square } else { f64::INFINITY });
            for term in 0..N {
                sums[term][lane] += terms[term];
            }
        }
    }
    let mut sum = [0.0; N];
    for (sum, lanes) in sum.iter_mut().zip(&sums) {
        for lane in lanes {
            *sum += lane;
        }
    }
    sum
}

impl<M: MemorySpace> Melt<M> {
    /// Computes the force on each atom.
    pub(super) fn compute_forces<S: ExecutionSpace<Memory = M>>(&mut self, space: &S) -> Result<()> {
        let _region = region("update forces");
        let (cube, neighbours) = (self.cube, &self.neighbours);
        parallel_for(
            "forces",
            space.range(0..self.position.len()),
            (
                &self.position,
                self.position.lookup(),
                neighbours.lists.by_rows(),
                &neighbours.counts,
                &mut self.force,
            ),
            move |i, (place, position, lists, counts, mut forces)| {
                let list = &lists[i][..(counts[i] as usize).next_multiple_of(LANES)];
                forces[i] = sum_pairs(cube, place[i], list, position, |between, square| {
                    scale(force(square), between)
                });
            },
        )
    }
}
