//! lattice-boltzmann: a time step of the example `cavity`, with nineteen populations in each cell of a cube.

#[allow(dead_code, reason = "the example uses all of it")]
#[path = "../../../../examples/apps/cavity/lattice/mod.rs"]
mod lattice;

use spelt::prelude::*;
use spelt_harness::{Made, Work};

use super::comparison::near;
use super::reason::told;
use super::spread::spread;
use super::{Case, Variant};
use crate::peer::{out, read};
use crate::setup::{Setup, slice, slice_mut};
use lattice::{Cavity, FLUID, LID, OPPOSITE, POPULATIONS, Populations, VELOCITIES, WEIGHTS};

/// The program and its sizes.
pub const CASE: Case = Case {
    name: "lattice-boltzmann",
    hypothesis: "Nineteen halos and a kind for each, nothing checked, walls by selection: vector code in both, and memory decides: level.",
    size: "n of n * n * n",
    variants: &[Variant::new("f64", &[16, 96], race)],
};

/// The velocity of the lid. Unit: cells per step.
const LID_VELOCITY: f64 = 0.1;

/// The Reynolds number.
const REYNOLDS: f64 = 100.0;

/// Other populations than those of fluid at rest, so that a step changes all of them.
fn start(q: usize, place: usize) -> f64 {
    WEIGHTS[q] * (1.0 + 0.1 * spread(POPULATIONS * place + q))
}

/// A step by loops over all cells of fluid.
fn plain(now: &[&[f64]], kinds: &[u8], size: usize, relaxation: f64) -> Vec<Vec<f64>> {
    let side = size + 2;
    let mut next: Vec<Vec<f64>> = now.iter().map(|population| population.to_vec()).collect();
    for place in (0..side.pow(3)).filter(|&place| kinds[place] == FLUID) {
        let populations: Vec<f64> = (0..POPULATIONS)
            .map(|q| {
                let [x, y, z] = VELOCITIES[q];
                let from = place.wrapping_add_signed(-((x * side as isize + y) * side as isize + z));
                match kinds[from] {
                    FLUID => now[q][from],
                    LID => now[OPPOSITE[q]][place] + 6.0 * WEIGHTS[q] * x as f64 * LID_VELOCITY,
                    _ => now[OPPOSITE[q]][place],
                }
            })
            .collect();
        let density: f64 = populations.iter().sum();
        let dot = |q: usize, other: [f64; 3]| {
            (0..3).map(|axis| VELOCITIES[q][axis] as f64 * other[axis]).sum::<f64>()
        };
        let velocity = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
            .map(|axis| (0..POPULATIONS).map(|q| populations[q] * dot(q, axis)).sum::<f64>() / density);
        let square: f64 = velocity.iter().map(|part| part * part).sum();
        for q in 0..POPULATIONS {
            let forward = dot(q, velocity);
            let equilibrium =
                WEIGHTS[q] * density * (1.0 + 3.0 * forward + 4.5 * forward.powi(2) - 1.5 * square);
            next[q][place] = (1.0 - relaxation) * populations[q] + relaxation * equilibrium;
        }
    }
    next
}

/// Compares the populations with those of the plain loops, in cells of fluid.
fn compare(found: &[&[f64]], expected: &[Vec<f64>], kinds: &[u8]) -> Result<(), String> {
    for (found, expected) in found.iter().zip(expected) {
        let fluid = |population: &[f64]| -> Vec<f64> {
            population.iter().zip(kinds).filter(|(_, kind)| **kind == FLUID).map(|(part, _)| *part).collect()
        };
        near("a population", &fluid(found), &fluid(expected), 1e-13)?;
    }
    Ok(())
}

/// Compares a step on a small cube with the plain loops.
///
/// # Errors
/// Names the first number that differs.
pub fn check<S: ExecutionSpace>(space: &S) -> Result<(), String> {
    let size = 5;
    let mut cavity = Cavity::new(space, size, LID_VELOCITY, REYNOLDS).map_err(told)?;
    let side = size + 2;
    for (q, population) in cavity.now.iter_mut().enumerate() {
        let view = View::from_fn("start", [side; 3], |[x, y, z]| start(q, (x * side + y) * side + z))
            .map_err(told)?;
        space.deep_copy(population, &view).map_err(told)?;
    }
    let to_host = |populations: &Populations<S::Memory>| -> Result<Vec<View<f64, 3>>, String> {
        populations.iter().map(|population| population.to_host().map_err(told)).collect()
    };
    let (before, kinds) = (to_host(&cavity.now)?, cavity.kinds.to_host().map_err(told)?);
    cavity.advance(space).map_err(told)?;
    let slices =
        |views: &'_ [View<f64, 3>]| views.iter().map(|view| slice(view).to_vec()).collect::<Vec<_>>();
    let (before, after) = (slices(&before), slices(&to_host(&cavity.now)?));
    let before: Vec<&[f64]> = before.iter().map(Vec::as_slice).collect();
    let after: Vec<&[f64]> = after.iter().map(Vec::as_slice).collect();
    compare(&after, &plain(&before, slice(&kinds), size, cavity.relaxation), slice(&kinds))
}

fn race(setup: &Setup, size: usize) -> Made {
    let mut cavity = Cavity::new(&setup.space, size, LID_VELOCITY, REYNOLDS).map_err(told)?;
    for (q, population) in cavity.now.iter_mut().enumerate() {
        slice_mut(population).iter_mut().enumerate().for_each(|(place, part)| *part = start(q, place));
    }
    let now: Vec<&[f64]> = cavity.now.iter().map(slice).collect();
    let expected = plain(&now, slice(&cavity.kinds), size, cavity.relaxation);
    let lineup = setup.race(
        cavity,
        Work { bytes: 16 * POPULATIONS * size.pow(3), elements: size.pow(3) },
        |space, cavity| {
            cavity.advance(space)?;
            // Every step starts from the same populations.
            core::mem::swap(&mut cavity.now, &mut cavity.next);
            Ok(())
        },
        ("lattice_boltzmann", include_str!("lattice_boltzmann.cpp")),
        move |peer, cavity| {
            let mut relaxation = [cavity.relaxation, LID_VELOCITY];
            let mut arrays = vec![out(&mut relaxation), read(slice(&cavity.kinds))];
            arrays.extend(cavity.now.iter().map(|population| read(slice(population))));
            arrays.extend(cavity.next.iter_mut().map(|population| out(slice_mut(population))));
            // SAFETY: the source reads two doubles, (size + 2)^3 bytes and 19 arrays of as many doubles, and writes 19 others.
            unsafe { peer.call(&arrays, &[size]) };
        },
        move |cavity| {
            let found: Vec<&[f64]> = cavity.next.iter().map(slice).collect();
            compare(&found, &expected, slice(&cavity.kinds))
        },
    )?;
    Ok(Box::new(
        lineup.reset(|cavity| cavity.next.iter_mut().for_each(|population| slice_mut(population).fill(-1.0))),
    ))
}
