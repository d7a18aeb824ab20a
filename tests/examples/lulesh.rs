//! The application `lulesh`: its geometry against definitions, its results against the published ones, and the program's output.

#[path = "../../examples/apps/lulesh/blast/mod.rs"]
mod blast;
#[path = "../../examples/apps/lulesh/report.rs"]
mod report;

use spelt::prelude::*;

use crate::run::{run, same_everywhere};
use crate::spaces::on_every_space;
use blast::hexahedron::{self, Corners, SIDES, across};
use blast::{Blast, Costs, END, Energy, Symmetry, Vector};
use report::Report;

/// The regions that LULESH has unless told otherwise.
const COSTS: Costs = Costs { regions: 11, balance: 1, cost: 1 };

/// An element with warped faces.
fn warped() -> Corners {
    std::array::from_fn(|corner| {
        let [x, y, z] = SIDES.map(|side| side[corner]);
        let bend = 0.1 * x * y * z;
        [1.2 * x + 0.2 * y + bend, 0.9 * y - 0.1 * z + 0.07 * x * z, z + 0.15 * x - bend]
    })
}

/// The velocities of a field that is linear in the place, with this matrix.
fn linear_field(places: &Corners, matrix: [Vector; 3]) -> Corners {
    places.map(|place| matrix.map(|row| (0..3).map(|axis| row[axis] * place[axis]).sum()))
}

/// Whether two numbers are equal but for rounding, in a computation with numbers near 1.
fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() < tolerance
}

#[test]
fn volumes_of_boxes_are_products() {
    let sides: [f64; 3] = [2.0, 3.0, 5.0];
    let corners: Corners = std::array::from_fn(|corner| {
        std::array::from_fn(|axis| 7.0 + 0.5 * sides[axis] * SIDES[axis][corner])
    });
    let volume = hexahedron::volume(&corners);
    assert!(close(volume, 30.0, 1e-12), "{volume}");
    // The volume over the largest face, which has the sides 3 and 5.
    let length = hexahedron::length(&corners, volume);
    assert!(close(length, 2.0, 1e-12), "{length}");
    // A quarter of each of the three faces at the corner (1, 1, 1).
    assert_eq!(hexahedron::corner_areas(&corners)[6], [15.0 / 4.0, 10.0 / 4.0, 6.0 / 4.0]);
}

#[test]
fn the_surface_is_closed() {
    let areas = hexahedron::corner_areas(&warped());
    for axis in 0..3 {
        let sum: f64 = areas.iter().map(|area| area[axis]).sum();
        assert!(close(sum, 0.0, 1e-14), "axis {axis}: {sum}");
    }
}

#[test]
fn the_derivative_of_the_volume_is_that_of_differences() {
    let places = warped();
    let derivative = hexahedron::volume_derivative(&places);
    for corner in 0..8 {
        for axis in 0..3 {
            let moved = |by: f64| {
                let mut moved = places;
                moved[corner][axis] += by;
                hexahedron::volume(&moved)
            };
            // The volume is linear in each coordinate.
            let slope = (moved(0.5) - moved(-0.5)) / 1.0;
            let found = derivative[corner][axis];
            assert!(close(found, slope, 1e-13), "corner {corner}, axis {axis}: {found}, {slope}");
        }
    }
}

#[test]
fn linear_velocities_have_their_divergence_and_no_hourglass_force() {
    let matrix = [[0.3, -1.0, 0.2], [0.5, 0.7, -0.4], [0.1, 0.6, -1.6]];
    let places = warped();
    let velocities = linear_field(&places, matrix);
    let divergence = hexahedron::divergence(across(&places), across(&velocities));
    assert!(close(divergence, 0.3 + 0.7 - 1.6, 1e-13), "{divergence}");
    let volume = hexahedron::volume(&places);
    for force in hexahedron::hourglass(&places, &velocities, volume) {
        assert!(force.iter().all(|&part| close(part, 0.0, 1e-13)), "{force:?}");
    }
    // A mode alone is resisted in full: each corner has its velocity times 8.
    let mode: Corners = std::array::from_fn(|corner| [SIDES[0][corner] * SIDES[1][corner], 0.0, 0.0]);
    let cube: Corners = std::array::from_fn(|corner| SIDES.map(|side| side[corner]));
    for (force, velocity) in hexahedron::hourglass(&cube, &mode, 8.0).iter().zip(mode) {
        assert!(close(force[0], 8.0 * velocity[0], 1e-13), "{force:?}");
    }
}

#[test]
fn lists_of_corners_invert_the_lists_of_nodes() {
    let blast = Blast::new(&Serial::new(), 3, COSTS).unwrap();
    let mesh = &blast.mesh;
    let offsets = mesh.corner_offsets.view();
    let mut found = 0;
    for node in 0..mesh.node_count() {
        let corners: Vec<u32> = (offsets[node]..offsets[node + 1]).map(|at| mesh.corners[at]).collect();
        assert!(corners.is_sorted_by(|a, b| a < b), "node {node}: {corners:?}");
        for &corner in &corners {
            let [element, corner] = [corner as usize / 8, corner as usize % 8];
            assert_eq!(mesh.nodes[element][corner] as usize, node);
        }
        found += corners.len();
    }
    assert_eq!(found, 8 * mesh.elements());
    let mass: f64 = mesh.node_mass.iter().sum();
    assert!(close(mass, 1.125_f64.powi(3), 1e-14), "{mass}");
}

/// The state, the places and the clock after this number of cycles, as bits.
fn bits<S: ExecutionSpace>(space: &S, size: usize, cycles: usize, costs: Costs) -> Vec<u64> {
    let mut blast = Blast::new(space, size, costs).unwrap();
    for _ in 0..cycles {
        blast.advance(space).unwrap();
    }
    let state = blast.state.to_host().unwrap();
    let state = state.iter().flat_map(|s| [s.energy, s.pressure, s.viscosity, s.sound_speed]);
    let position = blast.position.to_host().unwrap();
    let Energy { internal, kinetic, dissipated } = blast.energy(space).unwrap();
    let sums = [internal, kinetic, dissipated, blast.front(space).unwrap(), blast.clock.time];
    state.chain(position.iter().copied().flatten()).chain(sums).map(f64::to_bits).collect()
}

#[test]
fn every_space_has_the_same_bits() {
    let expected = bits(&Serial::new(), 3, 9, COSTS);
    assert!(expected.iter().filter(|&&bits| bits != 0).count() > 100);
    on_every_space!(|space, name| assert_eq!(bits(&space, 3, 9, COSTS), expected, "{name}"));
}

#[test]
fn many_elements_have_the_same_bits_on_every_number_of_threads() {
    let expected = bits(&Serial::new(), 11, 6, COSTS);
    for threads in [1, 2, 3, 5] {
        let space = Threads::builder().num_threads(threads).build().unwrap();
        assert!(bits(&space, 11, 6, COSTS) == expected, "{threads} threads");
    }
    assert!(bits(&Rayon::new(), 11, 6, COSTS) == expected, "rayon");
}

#[test]
fn regions_change_no_bit() {
    let expected = bits(&Serial::new(), 4, 12, Costs { regions: 1, balance: 0, cost: 0 });
    for costs in
        [COSTS, Costs { regions: 2, balance: 4, cost: 0 }, Costs { regions: 200, balance: 2, cost: 3 }]
    {
        assert!(bits(&Serial::new(), 4, 12, costs) == expected, "{costs:?}");
    }
}

/// The blast at its end, and what is reported of it.
fn complete(size: usize) -> Report {
    let space = Serial::new();
    let mut blast = Blast::new(&space, size, COSTS).unwrap();
    let start = blast.energy(&space).unwrap();
    while blast.clock.time < END {
        blast.advance(&space).unwrap();
    }
    Report::new(&space, &blast, start).unwrap()
}

#[test]
fn the_published_results_are_found() {
    let report = complete(5);
    report.verify().unwrap();
    assert_eq!((report.cycles, format!("{:.6e}", report.origin)), (72, "7.853665e3".to_owned()));

    let refused = |report: Report| report.verify().unwrap_err().to_string();
    assert_eq!(
        refused(Report { cycles: 73, ..report }),
        "size 5: 73 cycles, energy 7.853665e3; published: 72 cycles, energy 7.853665e3"
    );
    assert!(refused(Report { origin: 7.85367e3, ..report }).contains("energy 7.853670e3; published"));
    // Without the end there is nothing to compare with.
    Report { cycles: 71, time: 0.9 * END, ..report }.verify().unwrap();
    let symmetry = Symmetry { max_rel_diff: 1e-7, ..report.symmetry };
    assert!(refused(Report { symmetry, ..report }).contains("not symmetric"));
    for kinetic in [0.0, f64::NAN] {
        let end = Energy { kinetic, ..report.energy[1] };
        let energy = [report.energy[0], end];
        assert!(refused(Report { energy, ..report }).starts_with("the total energy was 616.992 and is"));
    }
}

#[test]
fn the_results_published_for_a_larger_mesh_are_found() {
    let report = complete(10);
    report.verify().unwrap();
    assert_eq!((report.cycles, format!("{:.6e}", report.origin)), (231, "2.720531e4".to_owned()));
}

#[test]
fn energy_is_kept_once_the_gas_moves() {
    let space = Serial::new();
    let mut blast = Blast::new(&space, 6, COSTS).unwrap();
    let mut first = None;
    while blast.clock.time < END {
        blast.advance(&space).unwrap();
        if blast.clock.cycle >= 3 {
            let total = blast.energy(&space).unwrap().total();
            let change = total / *first.get_or_insert(total) - 1.0;
            assert!(change.abs() < 0.02, "cycle {}: {change}", blast.clock.cycle);
        }
    }
    // The nodes of the planes of symmetry have not left them.
    for (position, in_plane) in blast.position.iter().zip(blast.mesh.in_plane.iter()) {
        for axis in 0..3 {
            assert!(position[axis] == 0.0 || !in_plane[axis], "{position:?}");
        }
    }
    let front = blast.front(&space).unwrap();
    assert!((0.8..1.1).contains(&front), "{front}");
}

#[test]
fn an_element_that_collapses_is_named() {
    let space = Serial::new();
    let mut blast = Blast::new(&space, 2, COSTS).unwrap();
    // A node of the elements 2 and 3, beyond the opposite corner of the former.
    blast.position[7] = [-5.0; 3];
    let error = blast.advance(&space).unwrap_err().to_string();
    assert!(error.starts_with("cycle 1: elements have collapsed: 1 failure: relative volume -"), "{error}");
    assert!(error.ends_with(" at 2"), "{error}");
}

#[test]
fn the_program_says_the_same_everywhere() {
    let lines = same_everywhere("lulesh", "--size 5", "lulesh.png");
    assert_eq!(lines[2], "  final origin energy 7.853665e3");
    let mut expected = Vec::new();
    complete(5).write(&mut expected).unwrap();
    assert_eq!(lines.join("\n") + "\n", String::from_utf8(expected).unwrap());
}

#[test]
fn iterations_end_the_blast_early() {
    let outcome = run("lulesh", "-s 3 -i 4 -r 3 -b 0 -c 0 --space serial");
    assert_eq!((outcome.status, outcome.stderr.as_str()), (Some(0), ""), "{outcome:?}");
    assert!(outcome.stdout.contains("  4 cycles to time "), "{outcome:?}");
}

#[test]
fn options_that_make_no_sense_are_refused() {
    for arguments in
        ["-s 0", "-s 801", "-s few", "-i -1", "-r 0", "-r 1001", "-b 5", "-b -1", "-c 1001", "-s", "30"]
    {
        let outcome = run("lulesh", arguments);
        assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(2), ""), "{arguments}: {outcome:?}");
    }
}
