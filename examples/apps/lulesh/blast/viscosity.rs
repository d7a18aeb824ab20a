//! The artificial viscosity: a pressure in elements that are compressed, which spreads a shock over a few of them.
//!
//! It is limited where the velocity's gradient continues in the neighbours: there is no shock. Source: R. B. Christensen,
//! "Godunov methods on a staggered mesh", UCRL-JC-105269 (1990).

use spelt::prelude::*;
use spelt::{MemorySpace, Result};

use super::Blast;
use super::mesh::FREE;
use super::strain::{Strain, TINY};

/// The factor of the term that is linear in the speed.
const LINEAR: f64 = 0.5;

/// The factor of the term that is quadratic in the speed.
const QUADRATIC: f64 = 2.0 / 3.0;

/// The largest ratio of a neighbour's gradient to the limiter.
const LIMITER: f64 = 2.0;

/// The viscosity of an element is `linear * sound_speed + quadratic`.
#[derive(Clone, Copy, Debug, Element)]
pub(crate) struct Coefficients {
    pub(crate) linear: f64,
    pub(crate) quadratic: f64,
}

/// The part of the gradient that continues in the neighbours, between 0 and 1.
#[inline(always)]
fn continuity(own: f64, below: f64, above: f64) -> f64 {
    let norm = 1.0 / (own + TINY);
    let (below, above) = (below * norm, above * norm);
    let mut part = 0.5 * (below + above);
    if LIMITER * below < part {
        part = LIMITER * below;
    }
    if LIMITER * above < part {
        part = LIMITER * above;
    }
    part.clamp(0.0, 1.0)
}

impl<M: MemorySpace> Blast<M> {
    /// Computes the coefficients of each element's viscosity.
    pub(super) fn compute_viscosity<S: ExecutionSpace<Memory = M>>(&mut self, space: &S) -> Result<()> {
        let mesh = &self.mesh;
        parallel_for(
            "viscosity",
            space.range(0..mesh.elements()),
            (&mesh.neighbours, &self.strain, &self.velocity_gradient, &self.width, &mut self.coefficients),
            move |i, (neighbours, strain, gradient, width, mut coefficients)| {
                let Strain { rate, volume, .. } = strain[i];
                let density = 1.0 / volume;
                let (mut linear, mut quadratic) = (0.0, 0.0);
                if rate <= 0.0 {
                    for axis in 0..3 {
                        let own = gradient[i][axis];
                        let beyond = |side: usize| match neighbours[i][2 * axis + side] {
                            FREE => 0.0,
                            element => gradient[element][axis],
                        };
                        let part = continuity(own, beyond(0), beyond(1));
                        let speed = (own * width[i][axis]).min(0.0);
                        linear += speed * (1.0 - part);
                        quadratic += speed * speed * (1.0 - part * part);
                    }
                }
                coefficients[i] = Coefficients {
                    linear: -LINEAR * density * linear,
                    quadratic: QUADRATIC * density * quadratic,
                };
            },
        )
    }
}
