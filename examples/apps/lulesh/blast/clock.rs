//! Time, and the steps in which it advances.

use std::fmt;

use spelt::MemorySpace;
use spelt::prelude::*;

use super::Blast;
use super::mesh::SIDE;
use super::strain::Strain;
use crate::program::Outcome;

/// The time at which the simulation ends.
pub(crate) const END: f64 = 1e-2;

/// The largest step.
const MAX_STEP: f64 = 1e-2;

/// A step grows by a factor in this range, or stays.
const GROWTH: [f64; 2] = [1.1, 1.2];

/// The largest relative change of an element's volume in a step.
const MAX_CHANGE: f64 = 0.1;

/// The square of the weight of the compression in the limit by Courant.
const COMPRESSION: f64 = 256.0;

/// The value of a limit that no element sets.
const NO_LIMIT: f64 = 1e20;

/// A larger artificial viscosity stops the simulation.
const MAX_VISCOSITY: f64 = 1e12;

/// An element that has collapsed, or whose viscosity has no bound.
#[derive(Clone, Copy, Default)]
struct Broken {
    volume: f64,
    viscosity: f64,
}

impl fmt::Debug for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "relative volume {:e}, viscosity {:e}", self.volume, self.viscosity)
    }
}

/// The time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    pub(crate) cycle: usize,
    pub(crate) time: f64,
    /// The length of the current step.
    pub(crate) step: f64,
    /// The limits of the next step: a signal must not cross an element, and no volume must change too much.
    limits: [f64; 2],
}

impl Clock {
    /// The start: in the first step, a signal crosses half of the element that holds the energy.
    pub(super) fn new(size: usize, energy: f64) -> Self {
        let width = SIDE / size as f64;
        let step = 0.5 * width / (2.0 * energy).sqrt();
        Self { cycle: 0, time: 0.0, step, limits: [NO_LIMIT; 2] }
    }

    /// Chooses the length of the next step and advances by it.
    pub(super) fn tick(&mut self) {
        if self.cycle > 0 {
            let [courant, change] = self.limits;
            let mut limit = NO_LIMIT;
            if courant < limit {
                limit = courant / 2.0;
            }
            if change < limit {
                limit = change * 2.0 / 3.0;
            }
            let growth = limit / self.step;
            if (1.0..GROWTH[0]).contains(&growth) {
                limit = self.step;
            } else if growth > GROWTH[1] {
                limit = self.step * GROWTH[1];
            }
            self.step = limit.min(MAX_STEP);
        }
        let mut rest = END - self.time;
        // Two steps of similar length rather than one that is followed by a very short one.
        if rest > self.step && rest < 4.0 * self.step / 3.0 {
            rest = 2.0 * self.step / 3.0;
        }
        self.step = self.step.min(rest);
        self.time += self.step;
        self.cycle += 1;
    }
}

impl<M: MemorySpace> Blast<M> {
    /// Computes the limits of the next step, and stops the simulation if an element has collapsed.
    pub(super) fn limit_time_step<S: ExecutionSpace<Memory = M>>(&mut self, space: &S) -> Outcome {
        let (courant, change, broken) = parallel_reduce(
            "time step",
            space.range(0..self.mesh.elements()),
            (&self.strain, &self.state),
            move |i, (courant, change, broken), (strain, state)| {
                let Strain { rate, length, volume, .. } = strain[i];
                let mut speed = state[i].sound_speed * state[i].sound_speed;
                if rate < 0.0 {
                    speed += COMPRESSION * length * length * rate * rate;
                }
                if rate != 0.0 {
                    *courant = courant.min(length / speed.sqrt());
                    *change = change.min(MAX_CHANGE / (rate.abs() + 1e-20));
                }
                let viscosity = state[i].viscosity;
                let sound = volume > 0.0 && viscosity <= MAX_VISCOSITY;
                if !sound {
                    broken.add(i.get(), Broken { volume, viscosity });
                }
            },
            (Min::<f64>::new(), Min::<f64>::new(), Failures::<Broken>::new()),
        )?;
        self.clock.limits = [courant, change];
        let cycle = self.clock.cycle;
        broken.ok().map_err(|elements| format!("cycle {cycle}: elements have collapsed: {elements}"))?;
        Ok(())
    }
}
