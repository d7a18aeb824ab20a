//! stencil3d: the potential of a heart's tissue, whose conductivity depends on the direction, as HeCBench's program has it.
//!
//! Each cell gains the difference of the fluxes through its faces. A face's flux is a row of a tensor times the gradient there, whose parts
//! across the face are means over the four neighbours.

use spelt::prelude::*;
use spelt_harness::{Made, Work};

use super::comparison::near;
use super::reason::{at_least, told};
use super::spread::spread;
use super::{Case, Variant};
use crate::peer::{out, read};
use crate::setup::{Setup, slice, slice_mut};

/// The program and its sizes.
pub const CASE: Case = Case {
    name: "stencil3d",
    hypothesis: "Nineteen neighbours and eighteen coefficients by halos, nothing checked in the loop: vector code, level with C++.",
    size: "n of n * n * n",
    variants: &[Variant::new("f64", &[32, 128], race)],
};

/// The coefficients of the faces below a cell, by axis and by part of the gradient: along the axis, and along the next two.
type Coefficients<M> = [[View<f64, 3, M>; 3]; 3];

/// One step.
///
/// # Errors
/// If the extents differ.
pub fn step<S: ExecutionSpace>(
    space: &S,
    potential: &View<f64, 3, S::Memory>,
    coefficients: &Coefficients<S::Memory>,
    next: &mut View<f64, 3, S::Memory>,
) -> spelt::Result<()> {
    let inner = space.md_range(potential.extents().map(|n| 1..n - 1));
    let coefficients = coefficients.each_ref().map(|parts| parts.each_ref().map(|part| part.halo::<1>()));
    let args = (potential.halo::<1>(), coefficients, next);
    parallel_for("stencil3d", inner, args, move |i, (potential, [x, y, z], mut next)| {
        let v = |a: isize, b: isize, c: isize| potential.at(i, [a, b, c]);
        // The difference of the potential across two places on each side of a face, along another axis.
        let x_face = |a: isize| {
            let along = v(a, 0, 0) - v(a - 1, 0, 0);
            let by_y = v(a - 1, 1, 0) - v(a - 1, -1, 0) + v(a, 1, 0) - v(a, -1, 0);
            let by_z = v(a - 1, 0, 1) - v(a - 1, 0, -1) + v(a, 0, 1) - v(a, 0, -1);
            x[0].at(i, [a, 0, 0]) * along
                + 0.25 * (x[1].at(i, [a, 0, 0]) * by_y + x[2].at(i, [a, 0, 0]) * by_z)
        };
        let y_face = |b: isize| {
            let along = v(0, b, 0) - v(0, b - 1, 0);
            let by_z = v(0, b - 1, 1) - v(0, b - 1, -1) + v(0, b, 1) - v(0, b, -1);
            let by_x = v(1, b - 1, 0) - v(-1, b - 1, 0) + v(1, b, 0) - v(-1, b, 0);
            y[0].at(i, [0, b, 0]) * along
                + 0.25 * (y[1].at(i, [0, b, 0]) * by_z + y[2].at(i, [0, b, 0]) * by_x)
        };
        let z_face = |c: isize| {
            let along = v(0, 0, c) - v(0, 0, c - 1);
            let by_x = v(1, 0, c - 1) - v(-1, 0, c - 1) + v(1, 0, c) - v(-1, 0, c);
            let by_y = v(0, 1, c - 1) - v(0, -1, c - 1) + v(0, 1, c) - v(0, -1, c);
            z[0].at(i, [0, 0, c]) * along
                + 0.25 * (z[1].at(i, [0, 0, c]) * by_x + z[2].at(i, [0, 0, c]) * by_y)
        };
        next[i] = x_face(1) - x_face(0) + y_face(1) - y_face(0) + z_face(1) - z_face(0);
    })
}

/// The same by loops over all places of a cube.
fn plain(potential: &[f64], coefficients: &[[&[f64]; 3]; 3], n: usize) -> Vec<f64> {
    let strides = [n * n, n, 1];
    let flux = |axis: usize, place: usize| {
        let far = strides[axis];
        let slopes = [0, 1, 2].map(|part| {
            let aside = strides[(axis + part) % 3];
            if part == 0 {
                potential[place] - potential[place - far]
            } else {
                let pair = |place: usize| potential[place + aside] - potential[place - aside];
                0.25 * (pair(place) + pair(place - far))
            }
        });
        (0..3).map(|part| coefficients[axis][part][place] * slopes[part]).sum::<f64>()
    };
    let mut next = vec![0.0; n * n * n];
    for (place, next) in next.iter_mut().enumerate() {
        if [place / (n * n), place / n % n, place % n].iter().all(|&i| i > 0 && i + 1 < n) {
            *next = (0..3).map(|axis| flux(axis, place + strides[axis]) - flux(axis, place)).sum();
        }
    }
    next
}

/// The potential at the start.
fn start([i, j, k]: [usize; 3]) -> f64 {
    spread(i * 31 + j * 17 + k * 7)
}

/// A coefficient.
fn coefficient(axis: usize, part: usize, [i, j, k]: [usize; 3]) -> f64 {
    if part == 0 { 1.0 } else { 0.1 * spread(i + j * 5 + k * 11 + axis * 3 + part) }
}

/// The Views of a cube.
struct Data<M: spelt::MemorySpace> {
    potential: View<f64, 3, M>,
    coefficients: Coefficients<M>,
    next: View<f64, 3, M>,
}

impl<M: spelt::MemorySpace> Data<M> {
    fn new<S: ExecutionSpace<Memory = M>>(space: &S, n: usize) -> spelt::Result<Self> {
        let row = |axis: usize| {
            let part = |part: usize| {
                space.view_from_fn("coefficient", [n; 3], move |index| coefficient(axis, part, index))
            };
            Ok::<_, spelt::Error>([part(0)?, part(1)?, part(2)?])
        };
        Ok(Self {
            potential: space.view_from_fn("potential", [n; 3], start)?,
            coefficients: [row(0)?, row(1)?, row(2)?],
            next: space.zeros("next", [n; 3])?,
        })
    }
}

/// Compares a result with the plain loops.
fn compare(
    potential: &View<f64, 3>,
    coefficients: &Coefficients<spelt::HostSpace>,
    next: &View<f64, 3>,
) -> Result<(), String> {
    let slices = coefficients.each_ref().map(|parts| parts.each_ref().map(slice));
    near("next", slice(next), &plain(slice(potential), &slices, potential.extent(0)), 1e-13)
}

/// Compares a small cube with the plain loops.
///
/// # Errors
/// Names the first cell that differs.
pub fn check<S: ExecutionSpace>(space: &S) -> Result<(), String> {
    let n = 8;
    let mut data = Data::new(space, n).map_err(told)?;
    step(space, &data.potential, &data.coefficients, &mut data.next).map_err(told)?;
    let on_host = Data::new(&Serial::new(), n).map_err(told)?;
    compare(&on_host.potential, &on_host.coefficients, &data.next.to_host().map_err(told)?)
}

fn race(setup: &Setup, n: usize) -> Made {
    at_least(n, 3)?;
    let data = Data::new(&setup.space, n).map_err(told)?;
    let work = Work { bytes: 88 * n.pow(3), elements: (n - 2).pow(3) };
    let lineup = setup.race(
        data,
        work,
        |space, data| step(space, &data.potential, &data.coefficients, &mut data.next),
        source!("stencil3d"),
        move |peer, data| {
            let mut arrays = vec![read(slice(&data.potential)), out(slice_mut(&mut data.next))];
            arrays.extend(data.coefficients.iter().flatten().map(|part| read(slice(part))));
            // SAFETY: the source reads ten arrays of n * n * n doubles, and writes one; n is 3 or more as checked above.
            unsafe { peer.call(&arrays, &[n]) };
        },
        |data| compare(&data.potential, &data.coefficients, &data.next),
    )?;
    Ok(Box::new(lineup.reset(|data| slice_mut(&mut data.next).fill(0.0))))
}
