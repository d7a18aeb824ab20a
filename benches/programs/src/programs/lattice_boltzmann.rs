//! lattice-boltzmann: a time step of nineteen populations in each cell of a cube, by rows of cells, and by cells as the example `cavity` has it.

#[allow(dead_code, reason = "the example uses all of it")]
#[path = "../../../../examples/apps/cavity/lattice/mod.rs"]
mod lattice;
mod rows;

use std::rc::Rc;

use spelt::prelude::*;
use spelt_harness::{Made, Work};

use super::comparison::near;
use super::reason::told;
use super::spread::spread;
use super::{Case, Variant};
use crate::peer::{out, read};
use crate::setup::{Setup, slice, slice_mut};
use lattice::{Cavity, FLUID, LID, OPPOSITE, POPULATIONS, Populations, VELOCITIES, WEIGHTS};
use rows::Rows;

/// The program and its sizes.
pub const CASE: Case = Case {
    name: "lattice-boltzmann",
    hypothesis: "Rows of cells in strips of sixteen, which are on the stack until they are whole: vector code, and memory decides: ahead of \
        C++, which compares the nineteen addresses that it writes with none. A launch over cells, with nineteen halos and nothing \
        checked, is scalar code: twice as long.",
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

/// The fluid of the populations after a step by rows, as [`compare`] takes all cells.
fn cells(populations: &[View<f64, 2>], size: usize) -> Vec<Vec<f64>> {
    let rows = |view| slice(view).chunks(Rows::<spelt::HostSpace>::row_len(size));
    populations.iter().map(|view| rows(view).flat_map(|row| &row[..size + 2]).copied().collect()).collect()
}

/// The number of a cell, and its population at the start.
fn start_at(q: usize, side: usize, [x, y, z]: [usize; 3]) -> f64 {
    start(q, (x * side + y) * side + z)
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
        let view = View::from_fn("start", [side; 3], |i| start_at(q, side, i)).map_err(told)?;
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
    fn borrowed(cells: &[Vec<f64>]) -> Vec<&[f64]> {
        cells.iter().map(Vec::as_slice).collect()
    }
    let expected = plain(&borrowed(&before), slice(&kinds), size, cavity.relaxation);
    compare(&borrowed(&after), &expected, slice(&kinds))?;
    let cube = (size, LID_VELOCITY, cavity.relaxation);
    let mut rows = Rows::new(space, cube, |q, place| start_at(q, side, place)).map_err(told)?;
    rows.advance(space).map_err(told)?;
    let next = rows.next.iter().map(|view| view.to_host()).collect::<Result<Vec<_>, _>>().map_err(told)?;
    compare(&borrowed(&cells(&next, size)), &expected, slice(&kinds))
}

fn race(setup: &Setup, size: usize) -> Made {
    let side = size + 2;
    let mut cavity = Cavity::new(&setup.space, size, LID_VELOCITY, REYNOLDS).map_err(told)?;
    for (q, population) in cavity.now.iter_mut().enumerate() {
        slice_mut(population).iter_mut().enumerate().for_each(|(place, part)| *part = start(q, place));
    }
    let cube = (size, LID_VELOCITY, cavity.relaxation);
    let rows = Rows::new(&setup.space, cube, |q, place| start_at(q, side, place)).map_err(told)?;
    let now: Vec<&[f64]> = cavity.now.iter().map(slice).collect();
    let expected = Rc::new(plain(&now, slice(&cavity.kinds), size, cavity.relaxation));
    let expected_of_rows = expected.clone();
    let lineup = setup.race(
        (rows, cavity),
        Work { bytes: 16 * POPULATIONS * size.pow(3), elements: size.pow(3) },
        |space, (rows, _)| rows.advance(space),
        source!("lattice_boltzmann"),
        move |peer, (rows, _)| {
            let mut parameters = [rows.relaxation, LID_VELOCITY];
            let mut arrays = vec![out(&mut parameters), read(slice(&rows.kinds))];
            arrays.extend(rows.now.iter().map(|population| read(slice(population))));
            arrays.extend(rows.next.iter_mut().map(|population| out(slice_mut(population))));
            // SAFETY: the source reads two doubles, (size + 2)^2 rows of bytes and 19 times as many of doubles, and writes 19 others.
            unsafe { peer.call(&arrays, &[size, Rows::<spelt::HostSpace>::row_len(size)]) };
        },
        move |(rows, cavity)| {
            let found = cells(&rows.next, size);
            let found: Vec<&[f64]> = found.iter().map(Vec::as_slice).collect();
            compare(&found, &expected_of_rows, slice(&cavity.kinds))
        },
    )?;
    let space = setup.space.clone();
    let by_cells = move |(_, cavity): &mut (_, Cavity<_>)| {
        cavity.advance(&space).expect("the launch fits the Views");
        // Every step starts from the same populations.
        core::mem::swap(&mut cavity.now, &mut cavity.next);
    };
    let lineup = lineup.with_checked("Spelt cells", by_cells, move |(_, cavity), ()| {
        let found: Vec<&[f64]> = cavity.next.iter().map(slice).collect();
        compare(&found, &expected, slice(&cavity.kinds))
    });
    Ok(Box::new(lineup.reset(|(rows, cavity)| {
        rows.next.iter_mut().for_each(|population| slice_mut(population).fill(-1.0));
        cavity.next.iter_mut().for_each(|population| slice_mut(population).fill(-1.0));
    })))
}
