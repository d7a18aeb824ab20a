//! The application `cavity`: its velocities, its checks, and the program's output. The suite of programs beside C++ compares its time step
//! with plain loops.

#[path = "../../examples/apps/cavity/lattice/mod.rs"]
mod lattice;
#[path = "../../examples/apps/cavity/options.rs"]
mod options;
#[path = "../../examples/apps/cavity/report.rs"]
mod report;

use clap::Parser;
use spelt::prelude::*;

use crate::run::{run, same_everywhere};
use crate::spaces::on_every_space;
use lattice::{Cavity, FLUID, OPPOSITE, POPULATIONS, VELOCITIES, WEIGHTS};
use options::Options;
use report::Report;

/// The cube after this number of steps.
fn after<S: ExecutionSpace>(space: &S, size: usize, reynolds: f64, steps: usize) -> Cavity<S::Memory> {
    let mut cavity = Cavity::new(space, size, options::LID, reynolds).unwrap();
    for _ in 0..steps {
        cavity.advance(space).unwrap();
    }
    cavity
}

/// The moments of the weights up to the fourth are those of a fluid at rest.
#[test]
fn velocities_and_weights_are_those_of_a_fluid() {
    let moment = |powers: [i32; 3]| -> f64 {
        let term =
            |q: usize| (0..3).map(|axis| (VELOCITIES[q][axis] as f64).powi(powers[axis])).product::<f64>();
        (0..POPULATIONS).map(|q| WEIGHTS[q] * term(q)).sum()
    };
    for (powers, expected) in [
        ([0, 0, 0], 1.0),
        ([1, 0, 0], 0.0),
        ([2, 0, 0], 1.0 / 3.0),
        ([0, 2, 0], 1.0 / 3.0),
        ([0, 0, 2], 1.0 / 3.0),
        ([1, 1, 0], 0.0),
        ([4, 0, 0], 1.0 / 3.0),
        ([2, 2, 0], 1.0 / 9.0),
        ([0, 2, 2], 1.0 / 9.0),
        ([2, 0, 2], 1.0 / 9.0),
    ] {
        assert!((moment(powers) - expected).abs() < 1e-15, "{powers:?}");
    }
    for q in 0..POPULATIONS {
        assert_eq!(VELOCITIES[OPPOSITE[q]], VELOCITIES[q].map(|part| -part));
    }
}

#[test]
fn the_lid_drives_a_flow_that_returns_below() {
    let space = Serial::new();
    let start = after(&space, 6, 10.0, 0).mass(&space).unwrap();
    let cavity = after(&space, 6, 10.0, 200);
    let velocities = cavity.velocities(&space).unwrap();
    let options = Options::parse_from(["cavity", "--size", "6", "--steps", "200", "--reynolds", "10"]);
    let report = Report::new(&options, [start, cavity.mass(&space).unwrap()], &velocities);
    report.verify().unwrap();
    let (velocity, height) = report.backwards;
    assert!(velocity < -0.05 && velocity > -0.5 && height < 0.7, "{report:?}");
    assert!(velocities[[3, 3, 6]][0] > 0.2, "{:?}", velocities[[3, 3, 6]]);
    // As much crosses from x = 3 to 4 as comes back.
    let is_fluid = |place: isize| (1..=6).contains(&place);
    let crossing = |x: usize, forward: isize| -> f64 {
        let places = (1..=6).flat_map(|y| (1..=6).map(move |z| (y, z)));
        let leaving = |q: usize, y: usize, z: usize| {
            let [along, by_y, by_z] = VELOCITIES[q];
            along == forward && is_fluid(y as isize + by_y) && is_fluid(z as isize + by_z)
        };
        let of_cell = |(y, z)| -> f64 {
            (0..POPULATIONS).filter(|&q| leaving(q, y, z)).map(|q| cavity.now[q][[x, y, z]]).sum()
        };
        places.map(of_cell).sum()
    };
    let (forward, back) = (crossing(3, 1), crossing(4, -1));
    assert!(forward > 5.0 && (forward - back).abs() < 1e-5, "{forward}, {back}");

    let refused = |change: &dyn Fn(&mut Report)| {
        let mut report = report.clone();
        change(&mut report);
        report.verify().unwrap_err().to_string()
    };
    assert!(refused(&|report| report.mass[1] *= 1.0 + 1e-12).starts_with("the mass was"));
    // More steps, more rounding errors.
    let longer = Report { steps: 20_000, mass: [1.0, 1.0 + 1e-12], ..report.clone() };
    longer.verify().unwrap();
    for mass in [f64::NAN, f64::INFINITY] {
        assert!(refused(&|report| report.mass[1] = mass).starts_with("the flow is unstable"));
    }
    assert!(refused(&|report| report.asymmetry = 1e-9).starts_with("mirror images differ"));
    assert!(refused(&|report| report.asymmetry = f64::NAN).starts_with("mirror images differ"));
    // A View that is not symmetric.
    let mut other = velocities.to_host().unwrap();
    other[[2, 2, 2]][1] += 1e-6;
    assert!(Report::new(&options, report.mass, &other).asymmetry > 9e-7);
}

/// A wave of velocities along x that depend on z alone decays as `exp(-viscosity * k^2 * t)`, where nothing is a wall.
#[test]
fn a_shear_wave_decays_by_the_viscosity_of_the_reynolds_number() {
    const SIZE: usize = 16;
    let space = Serial::new();
    let wave = |z: usize| (core::f64::consts::TAU * z as f64 / SIZE as f64).sin();
    for reynolds in [5.0, 20.0] {
        let mut cavity = Cavity::new(&space, SIZE, options::LID, reynolds).unwrap();
        cavity.kinds.as_mut_slice().unwrap().fill(FLUID);
        for (q, population) in cavity.now.iter_mut().enumerate() {
            let [along, ..] = VELOCITIES[q].map(|part| part as f64);
            for ([.., z], part) in population.indexed_iter_mut() {
                let u = 0.01 * wave(z);
                *part = WEIGHTS[q] * (1.0 + 3.0 * along * u + 4.5 * (along * u).powi(2) - 1.5 * u * u);
            }
        }
        let mut strength = Vec::new();
        for _ in 0..60 {
            // The layer around the cube is the other side of it.
            for population in &mut cavity.now {
                let inner = population.to_host().unwrap();
                for (place, part) in population.indexed_iter_mut() {
                    *part = inner[place.map(|i| (i + SIZE - 1) % SIZE + 1)];
                }
            }
            cavity.advance(&space).unwrap();
            let velocities = cavity.velocities(&space).unwrap();
            strength.push((1..=SIZE).map(|z| velocities[[1, 1, z]][0] * wave(z)).sum::<f64>());
        }
        let viscosity = options::LID * SIZE as f64 / reynolds;
        let expected = -viscosity * (core::f64::consts::TAU / SIZE as f64).powi(2);
        let found = (strength[59] / strength[9]).ln() / 50.0;
        assert!((found / expected - 1.0).abs() < 0.05, "{reynolds}: {found}, {expected}");
    }
}

#[test]
fn every_space_has_the_same_bits() {
    fn bits<S: ExecutionSpace>(space: &S) -> Vec<u64> {
        let cavity = after(space, 5, 10.0, 3);
        let velocities = cavity.velocities(space).unwrap();
        let mass = cavity.mass(space).unwrap();
        velocities.iter().flatten().copied().chain([mass]).map(f64::to_bits).collect()
    }
    let expected = bits(&Serial::new());
    on_every_space!(|space, name| assert!(bits(&space) == expected, "{name}"));
}

#[test]
fn the_program_says_the_same_everywhere() {
    let lines = same_everywhere("cavity", "--size 6 --steps 5", "cavity.png");
    assert_eq!(lines[0], "cavity: 6 x 6 x 6 cells, Reynolds number 100, 5 steps");
    let (space, options) = (Serial::new(), Options::parse_from(["cavity", "--size", "6", "--steps", "5"]));
    let (start, end) = (after(&space, 6, 100.0, 0), after(&space, 6, 100.0, 5));
    let mass = [start, end].map(|cavity| cavity.mass(&space).unwrap());
    let velocities = after(&space, 6, 100.0, 5).velocities(&space).unwrap();
    let mut expected = Vec::new();
    Report::new(&options, mass, &velocities).write(&mut expected).unwrap();
    assert_eq!(lines.join("\n") + "\n", String::from_utf8(expected).unwrap());
}

#[test]
fn options_that_make_no_sense_are_refused() {
    for arguments in ["-s 1", "-s few", "-n -1", "--reynolds 0", "--reynolds NaN", "30"] {
        let outcome = run("cavity", arguments);
        assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(2), ""), "{arguments}: {outcome:?}");
    }
}
