//! miniWeather: a time step of the example of that name, along x and then along z.

#[allow(dead_code, reason = "the example uses all of it")]
#[path = "../../../../examples/apps/miniweather/weather/mod.rs"]
mod weather;

use spelt::HostSpace;
use spelt::prelude::*;
use spelt_harness::{Made, Work};

use super::comparison::near;
use super::reason::{at_least, told};
use super::{Case, Variant};
use crate::peer::{out, read};
use crate::setup::{Setup, slice};
use weather::{Axis, Bubble, VARIABLES, Weather};

/// The program and its sizes.
pub const CASE: Case = Case {
    name: "mini-weather",
    hypothesis: "Halos and rows, nothing checked in the loops over cells. A power for each face, vector code here, takes most of the time; C++ \
        calls pow, and with -ffast-math has pow of vectors with an error of 4 units: ahead of the one, within 1.3 of the other.",
    size: "nx of nx * nx / 2",
    variants: &[Variant::new("f64", &[100, 1000], race)],
};

/// The bubble of miniWeather's documented results.
const BUBBLE: Bubble = Bubble { middle: [1e4, 2e3], radii: [2e3, 2e3], warmth: 3.0 };

/// A step from the start.
fn step<S: ExecutionSpace>(space: &S, weather: &mut Weather<S::Memory>) -> spelt::Result<()> {
    weather.first = Axis::X;
    weather.advance(space, weather.grid.longest)
}

/// The variables in all cells, one after the other.
fn cells(weather: &Weather<HostSpace>) -> Vec<f64> {
    let [nx, nz] = weather.grid.cells;
    let mut found = Vec::new();
    for field in &weather.state {
        let places = (0..nz as isize).flat_map(|k| (0..nx as isize).map(move |i| [k, i]));
        found.extend(places.map(|place| field[place]));
    }
    found
}

/// A step from the start of the same air, by loops over cells, with periodic and reflected indices in place of ghosts.
fn plain(size: usize) -> Result<Vec<f64>, String> {
    let mut weather = Weather::new(&Serial::new(), size, &[BUBBLE]).map_err(told)?;
    let (grid, rest) = (weather.grid, &weather.background);
    let ([nx, nz], widths, step) = (grid.cells.map(|n| n as isize), grid.widths, grid.longest);
    for axis in [0, 1] {
        let start = weather.state.each_ref().map(|field| field.to_host().expect("it is on the host"));
        let mut now = start.each_ref().map(|field| field.to_host().expect("it is on the host"));
        for part in [step / 3.0, step / 2.0, step] {
            let value = |v: usize, k: isize, i: isize| {
                let inside = k.clamp(0, nz - 1);
                let factor = match v {
                    1 => rest.density[k] / rest.density[inside],
                    2 if k != inside => 0.0,
                    _ => 1.0,
                };
                factor * now[v][[inside, i.rem_euclid(nx)]]
            };
            let flux = |k: isize, i: isize| {
                let around = |v: usize| {
                    [-2, -1, 0, 1]
                        .map(|far| if axis == 0 { value(v, k, i + far) } else { value(v, k + far, i) })
                };
                let means: [f64; VARIABLES] = core::array::from_fn(|v| {
                    let [a, b, c, d] = around(v);
                    (7.0 * (b + c) - a - d) / 12.0
                });
                let face = k as usize;
                let (density, heat, pressure) = if axis == 0 {
                    (rest.density[k], rest.heat[k], 0.0)
                } else {
                    (rest.density_at_face[face], rest.heat_at_face[face], rest.pressure_at_face[face])
                };
                let (r, is_wall) = (means[0] + density, axis == 1 && (k == 0 || k == nz));
                let t = (means[3] + heat) / r;
                let wind = if is_wall { 0.0 } else { means[1 + axis] / r };
                let mut flux = [r * wind, means[1] * wind, means[2] * wind, r * t * wind];
                flux[1 + axis] += 27.562_941_092_972_593 * (r * t).powf(1004.0 / 717.0) - pressure;
                for (v, flux) in flux.iter_mut().enumerate() {
                    let [a, b, c, d] = around(v);
                    if !(is_wall && v == 0) {
                        *flux += 0.05 * widths[axis] / (16.0 * part) * (d - 3.0 * c + 3.0 * b - a);
                    }
                }
                flux
            };
            let mut next = start.each_ref().map(|field| field.to_host().expect("it is on the host"));
            for (k, i) in (0..nz).flat_map(|k| (0..nx).map(move |i| (k, i))) {
                let (low, high) = (flux(k, i), if axis == 0 { flux(k, i + 1) } else { flux(k + 1, i) });
                for v in 0..VARIABLES {
                    let weight = if (axis, v) == (1, 2) { 9.8 * now[0][[k, i]] } else { 0.0 };
                    next[v][[k, i]] += part * ((low[v] - high[v]) / widths[axis] - weight);
                }
            }
            now = next;
        }
        weather.state = now;
    }
    Ok(cells(&weather))
}

/// Compares each variable with the plain loops, for itself: the momentum is small beside the density.
fn compare(found: &[f64], expected: &[f64]) -> Result<(), String> {
    let each = expected.len() / VARIABLES;
    for (found, expected) in found.chunks_exact(each).zip(expected.chunks_exact(each)) {
        near("a variable", found, expected, 1e-8)?;
    }
    Ok(())
}

/// Compares a step on a small grid with the plain loops.
///
/// # Errors
/// Names the first number that differs.
pub fn check<S: ExecutionSpace>(space: &S) -> Result<(), String> {
    let size = 20;
    let mut weather = Weather::new(space, size, &[BUBBLE]).map_err(told)?;
    step(space, &mut weather).map_err(told)?;
    let mut on_host = Weather::new(&Serial::new(), size, &[]).map_err(told)?;
    for (to, from) in on_host.state.iter_mut().zip(&weather.state) {
        *to = from.to_host().map_err(told)?;
    }
    compare(&cells(&on_host), &plain(size)?)
}

fn race(setup: &Setup, size: usize) -> Made {
    at_least(size, 8)?;
    let new = || Weather::new(&setup.space, size, &[BUBBLE]).map_err(told);
    let (weather, start, expected) = (new()?, new()?, plain(size)?);
    let [nx, nz] = weather.grid.cells;
    let lineup = setup.race(
        weather,
        Work { bytes: 0, elements: nx * nz },
        step,
        source!("mini_weather"),
        move |peer, weather| {
            let Weather { state, stage, fluxes, tendencies, background, .. } = weather;
            let dense = "owned Views are dense";
            let mut arrays = Vec::new();
            for fields in [state, stage] {
                arrays.extend(
                    fields.iter_mut().map(|field| out(field.as_view_mut().as_mut_slice().expect(dense))),
                );
            }
            for numbers in [fluxes, tendencies] {
                arrays.extend(numbers.iter_mut().map(|view| out(view.as_mut_slice().expect(dense))));
            }
            for column in [&background.density, &background.heat] {
                arrays.push(read(column.as_view().as_slice().expect(dense)));
            }
            for column in
                [&background.density_at_face, &background.heat_at_face, &background.pressure_at_face]
            {
                arrays.push(read(slice(column)));
            }
            // SAFETY: the source reads and writes fields of nx + 4 by nz + 4 cells, fluxes of nx + 1 by nz + 1 faces, tendencies of nx by nz
            // cells, and reads columns of nz + 4 and of nz + 1 numbers; nx is 8 or more as checked above, and nz the half of it.
            unsafe { peer.call(&arrays, &[nx, nz]) };
        },
        move |weather| compare(&cells(weather), &expected),
    )?;
    Ok(Box::new(lineup.before(move |weather| {
        for (to, from) in weather.state.iter_mut().zip(&start.state) {
            to.as_view_mut().iter_mut().zip(from.as_view().iter()).for_each(|(to, from)| *to = *from);
        }
    })))
}
