//! Fields that the host and a device use in turn, without a thought about copies.
//!
//! Each function borrows the side of its fields that it needs. A [`Mirrored`] View copies when a side is borrowed and the other is newer, so a
//! function does not know which one ran before it, and on a host nothing is copied at all.
//!
//! The same program as Kokkos's exercise dualview, but for the lines about Kokkos's start, with the number of points as an option:
//! ```text
//! cargo run --release --example dualview -- 1000000 -space threads
//! ```
#![forbid(unsafe_code)]

mod common;

use std::process::ExitCode;

use getopts::Options;
use spelt::containers::Mirrored;
use spelt::prelude::*;

use common::{CommandLine, general, say};

const DENSITY: f64 = 1.0;
const TEMPERATURE: f64 = 300.0;
const GAS_CONSTANT: f64 = 1.0;
const HEAT_CAPACITY: f64 = 1.0;

/// A field on the host and in the memory of a space.
type Field<S> = Mirrored<f64, 1, <S as ExecutionSpace>::Memory>;

fn main() -> ExitCode {
    let brief = "Usage: dualview [SIZE]: fields of SIZE points on the host and on a device; default 1000000";
    let line = CommandLine::parse(brief, 1, Options::new());
    let size = line.positional(0, "SIZE", 1_000_000);
    say!("initializing spelt.....\n");
    common::exit_code(with_space!(line.space(), |space| {
        say!("......done.\n");
        run(&space, size)
    }))
}

fn run<S: ExecutionSpace>(space: &S, size: usize) -> spelt::Result<()> {
    let field = |label: &str| Mirrored::zeros(space, label, [size]);
    let (mut density, mut temperature) = (field("density")?, field("temperature")?);
    let (mut pressure, mut energy, mut enthalpy) = (field("pressure")?, field("energy")?, field("enthalpy")?);

    load::<S>(&mut density, &mut temperature)?;
    compute_pressure(space, &mut pressure, &mut density, &mut temperature)?;
    compute_energy(space, &mut energy, &mut temperature)?;
    compute_enthalpy(space, &mut enthalpy, &mut energy, &mut pressure, &mut density)?;

    let of_pressure = GAS_CONSTANT * DENSITY * TEMPERATURE;
    let of_energy = HEAT_CAPACITY * TEMPERATURE;
    let of_enthalpy = of_energy + of_pressure / DENSITY;
    say!("pressure error = {}\n", general(error::<S>(&mut pressure, of_pressure)?));
    say!("energy error = {}\n", general(error::<S>(&mut energy, of_energy)?));
    say!("enthalpy error = {}\n", general(error::<S>(&mut enthalpy, of_enthalpy)?));
    Ok(())
}

/// On the host: its sides are the newer ones from here on.
fn load<S: ExecutionSpace>(density: &mut Field<S>, temperature: &mut Field<S>) -> spelt::Result<()> {
    density.host_mut()?.fill(DENSITY);
    temperature.host_mut()?.fill(TEMPERATURE);
    Ok(())
}

/// On the space: `density` and `temperature` are copied here, if it is a device.
fn compute_pressure<S: ExecutionSpace>(
    space: &S,
    pressure: &mut Field<S>,
    density: &mut Field<S>,
    temperature: &mut Field<S>,
) -> spelt::Result<()> {
    let [size] = pressure.extents();
    let args = (pressure.device_mut()?, density.device()?, temperature.device()?);
    parallel_for("pressure", space.range(0..size), args, |i, (mut pressure, density, temperature)| {
        pressure[i] = density[i] * GAS_CONSTANT * temperature[i];
    })
}

/// On the space: `temperature` is there already.
fn compute_energy<S: ExecutionSpace>(
    space: &S,
    energy: &mut Field<S>,
    temperature: &mut Field<S>,
) -> spelt::Result<()> {
    let [size] = energy.extents();
    let args = (energy.device_mut()?, temperature.device()?);
    parallel_for("energy", space.range(0..size), args, |i, (mut energy, temperature)| {
        energy[i] = HEAT_CAPACITY * temperature[i];
    })
}

/// On the space, which has all of these.
fn compute_enthalpy<S: ExecutionSpace>(
    space: &S,
    enthalpy: &mut Field<S>,
    energy: &mut Field<S>,
    pressure: &mut Field<S>,
    density: &mut Field<S>,
) -> spelt::Result<()> {
    let [size] = enthalpy.extents();
    let args = (enthalpy.device_mut()?, energy.device()?, pressure.device()?, density.device()?);
    parallel_for("enthalpy", space.range(0..size), args, |i, (mut enthalpy, energy, pressure, density)| {
        enthalpy[i] = energy[i] + pressure[i] / density[i];
    })
}

/// On the host, to which the field is copied here: the sum of the squared differences from `exact`.
fn error<S: ExecutionSpace>(field: &mut Field<S>, exact: f64) -> spelt::Result<f64> {
    Ok(field.host()?.iter().fold(0.0, |sum, value| sum + (value - exact) * (value - exact)))
}
