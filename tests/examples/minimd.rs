//! The application `minimd`: its lists, forces and energies against sums over all pairs, its results against the published ones, and the
//! program's output.

#[path = "../../examples/apps/minimd/melt/mod.rs"]
mod melt;
#[path = "../../examples/apps/minimd/report.rs"]
mod report;

use spelt::MemorySpace;
use spelt::prelude::*;

use crate::program::vector::Vector;
use crate::run::{run, same_everywhere};
use crate::spaces::on_every_space;
use melt::cube::Cube;
use melt::forces::{CUTOFF, LANES};
use melt::neighbours::{EVERY, Neighbours, REACH};
use melt::{Melt, Thermo};
use report::Report;

/// The shortest distance between the images of two places, by its definition.
fn distance(side: f64, a: Vector, b: Vector) -> f64 {
    let across = |axis: usize| {
        let images = [-1.0, 0.0, 1.0].map(|image| (a[axis] - b[axis] + image * side).abs());
        images.into_iter().fold(f64::INFINITY, f64::min)
    };
    (0..3).map(|axis| across(axis).powi(2)).sum::<f64>().sqrt()
}

/// The Lennard-Jones potential of an atom at a place in the field of all others: its sum over distances within the cutoff.
fn potential(side: f64, place: Vector, others: impl Iterator<Item = Vector>) -> f64 {
    let distances = others.map(|other| distance(side, place, other)).filter(|&distance| distance < CUTOFF);
    distances.map(|distance| 4.0 * (distance.powi(-12) - distance.powi(-6))).sum()
}

/// The places of all atoms but one.
fn others(places: &[Vector], atom: usize) -> impl Iterator<Item = Vector> {
    places.iter().enumerate().filter(move |&(other, _)| other != atom).map(|(_, &place)| place)
}

/// The simulation after this number of steps.
fn after<S: ExecutionSpace>(space: &S, size: usize, steps: usize) -> Melt<S::Memory> {
    let mut melt = Melt::new(space, size).unwrap();
    for _ in 0..steps {
        melt.advance(space).unwrap();
    }
    melt
}

/// Compares the lists with the distances of all pairs.
fn check_lists<M: MemorySpace>(melt: &Melt<M>, name: &str) {
    let (places, lists) = (melt.position.to_host().unwrap(), melt.neighbours.lists.to_host().unwrap());
    let counts = melt.neighbours.counts.to_host().unwrap();
    for atom in 0..melt.atoms() {
        let count = counts[atom] as usize;
        let mut found: Vec<u32> = (0..count).map(|entry| lists[[atom, entry]]).collect();
        found.sort_unstable();
        let near =
            |&other: &usize| other != atom && distance(melt.cube.side, places[atom], places[other]) <= REACH;
        let expected: Vec<u32> = (0..melt.atoms()).filter(near).map(|other| other as u32).collect();
        assert_eq!(found, expected, "atom {atom} on {name}");
        let rest = count..count.next_multiple_of(LANES);
        assert!(rest.map(|entry| lists[[atom, entry]]).all(|other| other as usize == atom), "{name}");
    }
}

#[test]
fn lists_name_the_pairs_within_reach() {
    on_every_space!(|space, name| for (size, steps) in [(4, 0), (4, EVERY), (5, 0)] {
        check_lists(&after(&space, size, steps), &format!("{name}, size {size}, {steps} steps"));
    });
    // More than three cells along each side: the lists do not look at all of them.
    check_lists(&after(&Serial::new(), 7, 0), "serial");
}

#[test]
fn lists_that_are_too_short_are_replaced() {
    on_every_space!(|space, name| {
        let mut melt = Melt::new(&space, 4).unwrap();
        for room in [0, 1, 3 * LANES + 1] {
            melt.neighbours = Neighbours::new(&space, melt.atoms(), room).unwrap();
            melt.list_neighbours(&space).unwrap();
            check_lists(&melt, &format!("{name}, room {room}"));
        }
    });
}

#[test]
fn the_first_state_is_the_published_one() {
    let space = Serial::new();
    for size in [4, 5, 6] {
        let melt = Melt::new(&space, size).unwrap();
        let Thermo { temperature, potential: found, pressure, momentum, .. } = melt.thermo(&space).unwrap();
        assert!((temperature - 1.44).abs() < 1e-14, "{temperature}");
        assert!(momentum.iter().all(|part| part.abs() < 1e-15), "{momentum:?}");
        // All atoms are alike.
        let places = melt.position.to_vec();
        let expected = 0.5 * potential(melt.cube.side, places[0], others(&places, 0));
        assert!((found - expected).abs() < 1e-13, "size {size}: {found}, {expected}");
        assert_eq!(format!("{found:.6}"), "-6.773368");
        let atoms = melt.atoms() as f64;
        // The published pressure of 864,000 atoms, in which the momentum's three degrees of freedom do not count.
        let expected = -5.019671 - 1.44 * 0.8442 * (1.0 / atoms - 1.0 / 864_000.0);
        assert!((pressure - expected).abs() < 1e-6, "size {size}: {pressure}, {expected}");
        assert!((atoms / melt.cube.volume() - 0.8442).abs() < 1e-14);
    }
}

#[test]
fn states_and_forces_are_those_of_all_pairs() {
    let space = Serial::new();
    let melt = after(&space, 4, 30);
    let (side, atoms, places) = (melt.cube.side, melt.atoms(), melt.position.to_vec());
    let sum: f64 = (0..atoms).map(|atom| potential(side, places[atom], others(&places, atom))).sum();
    let state = melt.thermo(&space).unwrap();
    assert!((state.potential - 0.5 * sum / atoms as f64).abs() < 1e-12, "{state:?}");

    let shift = |place: Vector, axis: usize, by: f64| {
        let mut shifted = place;
        shifted[axis] += by;
        shifted
    };
    for atom in (0..atoms).step_by(17) {
        for axis in 0..3 {
            let at = |by: f64| potential(side, shift(places[atom], axis, by), others(&places, atom));
            let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
            let found = melt.force[atom][axis];
            // A pair that crosses the cutoff has no slope.
            let crossing =
                others(&places, atom).any(|b| (distance(side, places[atom], b) - CUTOFF).abs() < 1e-4);
            assert!(crossing || (found + slope).abs() < 1e-6 * (1.0 + slope.abs()), "{found}, {slope}");
        }
    }
    // By the virial theorem: the pressure is the change of the energy of uniformly strained pairs.
    let strained = |by: f64| {
        let places: Vec<Vector> = places.iter().map(|place| place.map(|part| part * (1.0 + by))).collect();
        // No pair enters or leaves the cutoff.
        let reach = CUTOFF * (1.0 + by);
        let pairs = (0..atoms).flat_map(|a| (0..a).map(move |b| (a, b)));
        let distances = pairs.map(|(a, b)| distance(side * (1.0 + by), places[a], places[b]));
        distances.filter(|&r| r < reach).map(|r| 4.0 * (r.powi(-12) - r.powi(-6))).sum::<f64>()
    };
    let virial = -(strained(1e-5) - strained(-1e-5)) / 2e-5;
    let motion: f64 = melt.velocity.iter().flatten().map(|part| part * part).sum();
    let expected = (motion + virial) / (3.0 * melt.cube.volume());
    assert!((state.pressure - expected).abs() < 1e-6, "{state:?}, {expected}");
}

/// The places, velocities and the state after these steps, as bits.
fn bits<S: ExecutionSpace>(space: &S, size: usize, steps: usize) -> Vec<u64> {
    let melt = after(space, size, steps);
    let (position, velocity) = (melt.position.to_host().unwrap(), melt.velocity.to_host().unwrap());
    let Thermo { temperature, potential, pressure, energy, momentum, .. } = melt.thermo(space).unwrap();
    let sums = [temperature, potential, pressure, energy].into_iter().chain(momentum);
    position.iter().chain(velocity.iter()).copied().flatten().chain(sums).map(f64::to_bits).collect()
}

#[test]
fn every_space_has_the_same_bits() {
    let expected = bits(&Serial::new(), 4, EVERY + 2);
    on_every_space!(|space, name| assert_eq!(bits(&space, 4, EVERY + 2), expected, "{name}"));
}

#[test]
fn many_atoms_have_the_same_bits_on_every_number_of_threads() {
    let expected = bits(&Serial::new(), 9, 3);
    for threads in [1, 2, 3, 5] {
        let space = Threads::builder().num_threads(threads).build().unwrap();
        assert!(bits(&space, 9, 3) == expected, "{threads} threads");
    }
    assert!(bits(&Rayon::new(), 9, 3) == expected, "rayon");
}

#[test]
fn sorting_loses_no_atom() {
    let space = Serial::new();
    let mut melt = after(&space, 5, EVERY - 1);
    let sorted = |melt: &Melt| {
        let places = melt.position.iter().map(|&place| melt.cube.wrap(place));
        let mut atoms: Vec<_> =
            places.zip(melt.velocity.iter().copied()).map(|atom| format!("{atom:?}")).collect();
        atoms.sort_unstable();
        atoms
    };
    let before = sorted(&melt);
    melt.sort(&space).unwrap();
    assert_eq!(before, sorted(&melt));
    let mut inside = melt.position.iter().flatten().copied();
    assert!(inside.all(|part| (0.0..=melt.cube.side).contains(&part)));
}

/// Runs so many steps, with a state every few.
fn states(size: usize, steps: usize) -> Report {
    let space = Serial::new();
    let mut melt = Melt::new(&space, size).unwrap();
    let mut states = vec![melt.thermo(&space).unwrap()];
    for _ in 0..steps / 5 {
        for _ in 0..5 {
            melt.advance(&space).unwrap();
        }
        states.push(melt.thermo(&space).unwrap());
    }
    Report { size, states }
}

#[test]
fn energy_and_momentum_are_kept() {
    let report = states(4, 60);
    report.verify().unwrap();
    // The crystal melts: motion becomes potential energy, but the sum stays.
    let [first, last] = [report.states[0], *report.last()];
    assert!(last.temperature < 0.8 * first.temperature && last.potential > first.potential + 0.5);

    let refused = |change: &dyn Fn(&mut Thermo)| {
        let mut report = report.clone();
        change(report.states.last_mut().unwrap());
        report.verify().unwrap_err().to_string()
    };
    for factor in [0.998, 1.002, f64::NAN] {
        let error = refused(&|state| state.energy *= factor);
        assert!(error.starts_with("step 60: the energy was -4.18"), "{error}");
    }
    assert!(refused(&|state| state.momentum[2] = 1e-13).starts_with("step 60: the momentum is ["));
    assert!(refused(&|state| state.momentum[0] = f64::NAN).starts_with("step 60: the momentum is ["));
}

#[test]
fn published_states_are_compared() {
    let state = |temperature, potential, pressure| Thermo {
        step: 100,
        temperature,
        potential,
        pressure,
        energy: -4.0,
        momentum: [0.0; 3],
    };
    let verify = |size, state: Thermo| Report { size, states: vec![state] }.verify();
    verify(10, state(0.7208599, -5.701261, 0.5236926)).unwrap();
    verify(10, state(0.72085994, -5.7012614, 0.52369256)).unwrap();
    let error = verify(10, state(0.7208609, -5.701261, 0.5236926)).unwrap_err().to_string();
    assert_eq!(
        error,
        "size 10, step 100: [0.7208609, -5.701261, 0.5236926]; published: [0.7208599, -5.701261, 0.5236926]"
    );
    verify(10, state(0.7208599, -5.701271, 0.5236926)).unwrap_err();
    verify(10, state(0.7208599, -5.701261, f64::NAN)).unwrap_err();
    // There is none of this size.
    verify(11, state(0.7, -5.0, 0.5)).unwrap();
}

#[test]
fn the_cube_is_periodic() {
    let cube = Cube { side: 10.0 };
    assert_eq!(cube.wrap([-1.0, 10.0, 9.5]), [9.0, 0.0, 9.5]);
    assert_eq!(cube.shortest([6.0, -5.5, 4.0]), [-4.0, 4.5, 4.0]);
    assert_eq!(cube.shortest([-6.0, 5.5, -4.0]), [4.0, -4.5, -4.0]);
    assert_eq!(cube.volume(), 1000.0);
}

#[test]
fn the_program_says_the_same_everywhere() {
    let lines = same_everywhere("minimd", "--size 4 --steps 25 --thermo 10", "minimd.png");
    assert_eq!(lines[0], "Lennard-Jones melt: 4 x 4 x 4 unit cells, 256 atoms");
    let steps: Vec<&str> = lines[2..].iter().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(steps, ["0", "10", "20", "25"]);
    let space = Serial::new();
    let mut melt = Melt::new(&space, 4).unwrap();
    let mut report = Report { size: 4, states: vec![melt.thermo(&space).unwrap()] };
    for step in 1..=25 {
        melt.advance(&space).unwrap();
        if [10, 20, 25].contains(&step) {
            report.states.push(melt.thermo(&space).unwrap());
        }
    }
    let mut expected = Vec::new();
    report.write(&mut expected).unwrap();
    assert_eq!(lines.join("\n") + "\n", String::from_utf8(expected).unwrap());
}

#[test]
fn options_that_make_no_sense_are_refused() {
    for arguments in ["-s 3", "-s 201", "-s few", "-n -1", "--thermo 0", "-s", "30"] {
        let outcome = run("minimd", arguments);
        assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(2), ""), "{arguments}: {outcome:?}");
    }
}
