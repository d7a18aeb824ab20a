//! Fluxes through the faces of cells, and the tendencies that follow from them.

use spelt::math::pow;
use spelt::prelude::*;
use spelt::{Between, MemorySpace, Result};

use super::background::{Background, EXPONENT, FACTOR, GRAVITY};
use super::{ALONG_X, ALONG_Z, Axis, DENSITY, Fields, Grid, HEAT, Numbers, VARIABLES};

/// The strength of the damping of the shortest waves, from 0 to 1.
const DAMPING: f64 = 0.05;

/// Of four cells around a face: the value there, to the fourth order, and the third difference, which damps.
#[inline(always)]
fn at_face([a, b, c, d]: [f64; 4]) -> (f64, f64) {
    (7.0 / 12.0 * (b + c) - 1.0 / 12.0 * (a + d), d - a + 3.0 * (b - c))
}

/// The density, both winds and the potential temperature of these variables, whose background is given.
#[inline(always)]
pub(crate) fn air(values: [f64; VARIABLES], density: f64, heat: f64) -> [f64; VARIABLES] {
    let whole = values[DENSITY] + density;
    [whole, values[ALONG_X] / whole, values[ALONG_Z] / whole, (values[HEAT] + heat) / whole]
}

/// The pressure of air with this density and potential temperature.
#[inline(always)]
pub(crate) fn pressure(density: f64, warmth: f64) -> f64 {
    FACTOR * pow(density * warmth, EXPONENT)
}

/// The fluxes through all faces across an axis.
pub(crate) fn fluxes<S, M>(
    space: &S,
    axis: Axis,
    grid: Grid,
    background: &Background<M>,
    fields: &Fields<M>,
    fluxes: &mut Numbers<M>,
    step: f64,
) -> Result<()>
where
    S: ExecutionSpace<Memory = M>,
    M: MemorySpace,
{
    let ([nx, nz], [dx, dz]) = (grid.cells, grid.widths);
    match axis {
        Axis::X => {
            let damping = DAMPING * dx / (16.0 * step);
            let fields = fields.each_ref().map(|field| field.halo_of::<(Between<0, 0>, Between<-2, 1>)>());
            let args =
                (fields, background.density.along::<0>(), background.heat.along::<0>(), fluxes.each_mut());
            let faces = space.md_range([0..nz, 0..nx + 1]);
            parallel_for("fluxes along x", faces, args, move |i, (fields, density, heat, mut fluxes)| {
                let (mut values, mut thirds) = ([0.0; VARIABLES], [0.0; VARIABLES]);
                for variable in 0..VARIABLES {
                    let field = &fields[variable];
                    (values[variable], thirds[variable]) = at_face([
                        field.at(i, [0, -2]),
                        field.at(i, [0, -1]),
                        field.at(i, [0, 0]),
                        field.at(i, [0, 1]),
                    ]);
                }
                let [r, u, w, t] = air(values, density[i], heat[i]);
                let flow = [r * u, r * u * u + pressure(r, t), r * u * w, r * u * t];
                for variable in 0..VARIABLES {
                    fluxes[variable][i] = flow[variable] + damping * thirds[variable];
                }
            })
        }
        Axis::Z => {
            let damping = DAMPING * dz / (16.0 * step);
            let fields = fields.each_ref().map(|field| field.halo_of::<(Between<-2, 1>, Between<0, 0>)>());
            let Background { density_at_face, heat_at_face, pressure_at_face, .. } = background;
            let args = (
                fields,
                density_at_face.along::<0>(),
                heat_at_face.along::<0>(),
                pressure_at_face.along::<0>(),
                fluxes.each_mut(),
            );
            let faces = space.md_range([0..nz + 1, 0..nx]);
            parallel_for(
                "fluxes along z",
                faces,
                args,
                move |i, (fields, density, heat, rest, mut fluxes)| {
                    let (mut values, mut thirds) = ([0.0; VARIABLES], [0.0; VARIABLES]);
                    for variable in 0..VARIABLES {
                        let field = &fields[variable];
                        (values[variable], thirds[variable]) = at_face([
                            field.at(i, [-2, 0]),
                            field.at(i, [-1, 0]),
                            field.at(i, [0, 0]),
                            field.at(i, [1, 0]),
                        ]);
                    }
                    let [r, u, w, t] = air(values, density[i], heat[i]);
                    // Nothing flows through the walls, not even by damping.
                    let k = i.index()[0];
                    let open = if k == 0 || k == nz { 0.0 } else { 1.0 };
                    let w = open * w;
                    let flow = [r * w, r * w * u, r * w * w + pressure(r, t) - rest[i], r * w * t];
                    for variable in 0..VARIABLES {
                        let damping = if variable == DENSITY { open * damping } else { damping };
                        fluxes[variable][i] = flow[variable] + damping * thirds[variable];
                    }
                },
            )
        }
    }
}

/// The changes of all variables in a second, by the fluxes across an axis and, along z, by gravity.
pub(crate) fn tendencies<S, M>(
    space: &S,
    axis: Axis,
    grid: Grid,
    fields: &Fields<M>,
    fluxes: &Numbers<M>,
    tendencies: &mut Numbers<M>,
) -> Result<()>
where
    S: ExecutionSpace<Memory = M>,
    M: MemorySpace,
{
    let ([nx, nz], [dx, dz]) = (grid.cells, grid.widths);
    let cells = space.md_range([0..nz, 0..nx]);
    match axis {
        Axis::X => {
            let fluxes = fluxes.each_ref().map(|flux| flux.halo_of::<(Between<0, 0>, Between<0, 1>)>());
            let args = (fluxes, tendencies.each_mut());
            parallel_for("tendencies along x", cells, args, move |i, (fluxes, mut tendencies)| {
                for variable in 0..VARIABLES {
                    let flux = &fluxes[variable];
                    tendencies[variable][i] = (flux[i] - flux.at(i, [0, 1])) / dx;
                }
            })
        }
        Axis::Z => {
            let fluxes = fluxes.each_ref().map(|flux| flux.halo_of::<(Between<0, 1>, Between<0, 0>)>());
            let args = (fluxes, &fields[DENSITY], tendencies.each_mut());
            parallel_for("tendencies along z", cells, args, move |i, (fluxes, density, mut tendencies)| {
                for variable in 0..VARIABLES {
                    let flux = &fluxes[variable];
                    let weight = if variable == ALONG_Z { GRAVITY * density[i] } else { 0.0 };
                    tendencies[variable][i] = (flux[i] - flux.at(i, [1, 0])) / dz - weight;
                }
            })
        }
    }
}
