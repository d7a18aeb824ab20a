//! The gas: its energy, its pressure, and its speed of sound.

use std::ops::Range;

use spelt::prelude::*;
use spelt::{Lookup, MemorySpace, Result};

use super::{Blast, Coefficients, Strain};

/// The adiabatic exponent less 1, of a gas of single atoms.
const GAMMA_LESS_1: f64 = 2.0 / 3.0;

/// Energies, pressures and viscosities below this are zero.
const CUT: f64 = 1e-7;

/// Relative volumes closer to 1 than this are 1.
const VOLUME_CUT: f64 = 1e-10;

/// The least energy.
const MIN_ENERGY: f64 = -1e15;

/// The least relative volume for the equation of state.
const MIN_VOLUME: f64 = 1e-9;

/// The largest relative volume for the equation of state.
const MAX_VOLUME: f64 = 1e9;

/// The square of a speed of sound that is taken for zero, and the speed that replaces it.
const SILENCE: (f64, f64) = (0.1111111e-36, 0.3333333e-18);

/// The gas in an element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Element)]
pub(crate) struct State {
    /// The energy, per volume at the start.
    pub(crate) energy: f64,
    pub(crate) pressure: f64,
    /// The pressure of the artificial viscosity.
    pub(crate) viscosity: f64,
    pub(crate) sound_speed: f64,
}

/// The pressure of gas that has this density and energy.
#[inline(always)]
fn pressure(density: f64, energy: f64, volume: f64) -> f64 {
    let pressure = GAMMA_LESS_1 * density * energy;
    if pressure < CUT || volume >= MAX_VOLUME { 0.0 } else { pressure }
}

/// The speed of sound.
#[inline(always)]
fn sound_speed(density: f64, energy: f64, pressure: f64, volume: f64) -> f64 {
    let square = GAMMA_LESS_1 * energy + volume * volume * (GAMMA_LESS_1 * density) * pressure;
    if square <= SILENCE.0 { SILENCE.1 } else { square.sqrt() }
}

/// The energy, with values that are zero but for rounding made zero.
#[inline(always)]
fn cut(energy: f64) -> f64 {
    if energy.abs() < CUT { 0.0 } else { energy.max(MIN_ENERGY) }
}

impl State {
    /// The state after the element has changed its volume: the work is integrated in two half steps, the second of which corrects
    /// the first.
    #[inline(always)]
    fn after(work: Work) -> Self {
        let Work { volume, change, energy, before, linear, quadratic } = work;
        let beyond = volume >= MAX_VOLUME;
        let density = if beyond { 1.0 } else { 1.0 / volume };
        let half_density = if beyond { 1.0 } else { 1.0 / (volume - 0.5 * change) };
        let half_density = if volume <= MIN_VOLUME { density } else { half_density };
        let viscosity = |sound_speed: f64| sound_speed * linear + quadratic;

        let energy = (energy - 0.5 * change * before).max(MIN_ENERGY);
        let half_pressure = pressure(half_density, energy, volume);
        let half =
            half_pressure + viscosity(sound_speed(half_density, energy, half_pressure, 1.0 / half_density));
        let energy = cut(energy + 0.5 * change * (3.0 * before - 4.0 * half));

        let end_pressure = pressure(density, energy, volume);
        let end = end_pressure + viscosity(sound_speed(density, energy, end_pressure, volume));
        let energy = cut(energy - (7.0 * before - 8.0 * half + end) * change / 6.0);

        let pressure = pressure(density, energy, volume);
        let sound_speed = sound_speed(density, energy, pressure, volume);
        let viscosity = viscosity(sound_speed);
        let viscosity = if viscosity.abs() < CUT { 0.0 } else { viscosity };
        Self { energy, pressure, viscosity, sound_speed }
    }
}

/// The data of an element from which its new state follows.
struct Work {
    volume: f64,
    change: f64,
    energy: f64,
    before: f64,
    linear: f64,
    quadratic: f64,
}

/// The elements in the order of the regions. Each quantity has its own View, so that the equation of state vectorises.
pub(super) struct Gas<M: MemorySpace> {
    /// The relative volume at the end of the step, within the limits of the equation of state.
    volume: View<f64, 1, M>,
    /// Its change in the step.
    change: View<f64, 1, M>,
    energy: View<f64, 1, M>,
    /// The pressure before the step, that of the viscosity included.
    before: View<f64, 1, M>,
    linear: View<f64, 1, M>,
    quadratic: View<f64, 1, M>,
    /// The state at the end of the step.
    state: View<State, 1, M>,
}

impl<M: MemorySpace> Gas<M> {
    pub(super) fn new<S: ExecutionSpace<Memory = M>>(space: &S, elements: usize) -> Result<Self> {
        Ok(Self {
            volume: space.zeros("volume by region", [elements])?,
            change: space.zeros("change by region", [elements])?,
            energy: space.zeros("energy by region", [elements])?,
            before: space.zeros("pressure by region", [elements])?,
            linear: space.zeros("linear viscosity by region", [elements])?,
            quadratic: space.zeros("quadratic viscosity by region", [elements])?,
            state: space.zeros("state by region", [elements])?,
        })
    }
}

/// The arguments of the kernel that collects a region's elements.
#[derive(KernelArgs)]
struct Collection<'a, M: MemorySpace> {
    order: &'a View<u32, 1, M>,
    state: Lookup<'a, State, 1, M>,
    strain: Lookup<'a, Strain, 1, M>,
    coefficients: Lookup<'a, Coefficients, 1, M>,
    volume: &'a mut View<f64, 1, M>,
    change: &'a mut View<f64, 1, M>,
    energy: &'a mut View<f64, 1, M>,
    before: &'a mut View<f64, 1, M>,
    linear: &'a mut View<f64, 1, M>,
    quadratic: &'a mut View<f64, 1, M>,
}

/// The arguments of the equation of state.
#[derive(KernelArgs)]
struct Equation<'a, M: MemorySpace> {
    volume: &'a View<f64, 1, M>,
    change: &'a View<f64, 1, M>,
    energy: &'a View<f64, 1, M>,
    before: &'a View<f64, 1, M>,
    linear: &'a View<f64, 1, M>,
    quadratic: &'a View<f64, 1, M>,
    state: &'a mut View<State, 1, M>,
}

impl<M: MemorySpace> Blast<M> {
    /// Computes the state of the gas, region by region, and the volumes at the end of the step.
    pub(super) fn compute_state<S: ExecutionSpace<Memory = M>>(&mut self, space: &S) -> Result<()> {
        for (part, repetitions) in self.regions.parts.clone() {
            for _ in 0..repetitions {
                self.collect_region(space, part.clone())?;
                self.solve_equation_of_state(space, part.clone())?;
            }
        }
        self.update_state(space)
    }

    /// Collects the quantities of a region's elements.
    fn collect_region<S: ExecutionSpace<Memory = M>>(&mut self, space: &S, part: Range<usize>) -> Result<()> {
        let gas = &mut self.gas;
        let collection = Collection {
            order: &self.regions.order,
            state: self.state.lookup(),
            strain: self.strain.lookup(),
            coefficients: self.coefficients.lookup(),
            volume: &mut gas.volume,
            change: &mut gas.change,
            energy: &mut gas.energy,
            before: &mut gas.before,
            linear: &mut gas.linear,
            quadratic: &mut gas.quadratic,
        };
        parallel_for("region", space.range(part), collection, move |i, mut c| {
            let element = c.order[i];
            let (state, strain, coefficients) =
                (c.state[element], c.strain[element], c.coefficients[element]);
            c.volume[i] = strain.volume.clamp(MIN_VOLUME, MAX_VOLUME);
            c.change[i] = strain.change;
            c.energy[i] = state.energy;
            let pressure = if strain.volume >= MAX_VOLUME { 0.0 } else { state.pressure };
            c.before[i] = pressure + state.viscosity;
            // An element that grows has no viscosity.
            let grows = strain.change > 0.0;
            c.linear[i] = if grows { 0.0 } else { coefficients.linear };
            c.quadratic[i] = if grows { 0.0 } else { coefficients.quadratic };
        })
    }

    /// Computes the state of a region's elements.
    fn solve_equation_of_state<S: ExecutionSpace<Memory = M>>(
        &mut self,
        space: &S,
        part: Range<usize>,
    ) -> Result<()> {
        let gas = &mut self.gas;
        let equation = Equation {
            volume: &gas.volume,
            change: &gas.change,
            energy: &gas.energy,
            before: &gas.before,
            linear: &gas.linear,
            quadratic: &gas.quadratic,
            state: &mut gas.state,
        };
        parallel_for("equation of state", space.range(part), equation, move |i, mut e| {
            e.state[i] = State::after(Work {
                volume: e.volume[i],
                change: e.change[i],
                energy: e.energy[i],
                before: e.before[i],
                linear: e.linear[i],
                quadratic: e.quadratic[i],
            });
        })
    }

    /// Fetches the new state of each element: a loop over the regions would write it to an index from a list, at which other iterations
    /// might write.
    fn update_state<S: ExecutionSpace<Memory = M>>(&mut self, space: &S) -> Result<()> {
        parallel_for(
            "new state",
            space.range(0..self.mesh.elements()),
            (&self.regions.place, self.gas.state.lookup(), &self.strain, &mut self.state, &mut self.volume),
            move |i, (place, by_region, strain, mut state, mut volume)| {
                state[i] = by_region[place[i]];
                let new = strain[i].volume;
                volume[i] = if (new - 1.0).abs() < VOLUME_CUT { 1.0 } else { new };
            },
        )
    }
}
