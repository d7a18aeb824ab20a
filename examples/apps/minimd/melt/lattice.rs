//! The start: a face-centred cubic lattice, and random velocities.

use spelt::math;

use super::cube::Cube;
use crate::program::vector::Vector;

/// Atoms per volume.
const DENSITY: f64 = 0.8442;

/// The lattice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lattice {
    /// The number of unit cells along each side.
    pub(crate) size: usize,
}

impl Lattice {
    /// The number of atoms: four in each unit cell.
    pub(crate) fn atoms(self) -> usize {
        4 * self.size.pow(3)
    }

    /// The cube that the lattice fills.
    pub(crate) fn cube(self) -> Cube {
        Cube { side: self.size as f64 * math::cbrt(4.0 / DENSITY) }
    }

    /// The site of an atom, in halves of a unit cell: the sites have an even sum.
    #[inline(always)]
    fn site(self, atom: usize) -> [usize; 3] {
        let (y, z) = (atom / self.size % (2 * self.size), atom / self.size / (2 * self.size));
        [2 * (atom % self.size) + (y + z) % 2, y, z]
    }

    /// The place of an atom.
    #[inline(always)]
    pub(crate) fn place(self, atom: usize) -> Vector {
        let [x, y, z] = self.site(atom);
        let half = 0.5 * math::cbrt(4.0 / DENSITY);
        [half * x as f64, half * y as f64, half * z as f64]
    }

    /// The velocity of an atom, as miniMD has it before all are shifted and scaled: each part is the sixth number from the one before,
    /// and the site is the seed.
    #[inline(always)]
    pub(crate) fn velocity(self, atom: usize) -> Vector {
        let [x, y, z] = self.site(atom);
        let mut random = Random(((z * 2 * self.size + y) * 2 * self.size + x + 1) as u64);
        let mut velocity = [0.0; 3];
        for part in &mut velocity {
            for _ in 0..6 {
                *part = random.next();
            }
        }
        velocity
    }
}

/// Random numbers from 0 to 1 (S. Park and K. Miller, Random number generators: good ones are hard to find, 1988).
struct Random(u64);

impl Random {
    #[inline(always)]
    fn next(&mut self) -> f64 {
        const MODULUS: u64 = (1 << 31) - 1;
        self.0 = self.0 * 16_807 % MODULUS;
        self.0 as f64 / MODULUS as f64
    }
}
