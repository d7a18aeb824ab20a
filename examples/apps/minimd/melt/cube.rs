//! The periodic cube: atoms that leave it on one side come back on the other.

use crate::program::vector::Vector;

/// A cube whose opposite faces are one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cube {
    /// The length of a side.
    pub(crate) side: f64,
}

impl Cube {
    /// The volume.
    pub(crate) fn volume(self) -> f64 {
        self.side * self.side * self.side
    }

    /// A place at most a side away from the cube, moved into it.
    #[inline(always)]
    pub(crate) fn wrap(self, mut place: Vector) -> Vector {
        for part in &mut place {
            if *part < 0.0 {
                *part += self.side;
            } else if *part >= self.side {
                *part -= self.side;
            }
        }
        place
    }

    /// The shortest vector between images of two places, given one of those vectors.
    ///
    /// The opposite vector has the opposite result, bit for bit, so forces cancel.
    #[inline(always)]
    pub(crate) fn shortest(self, mut between: Vector) -> Vector {
        for part in &mut between {
            if *part > 0.5 * self.side {
                *part -= self.side;
            } else if *part < -0.5 * self.side {
                *part += self.side;
            }
        }
        between
    }
}
