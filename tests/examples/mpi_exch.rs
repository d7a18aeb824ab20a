//! The example `mpi_exch` on every space and several numbers of ranks, against loops; `.ci/run mpi` runs it on processes.

#[path = "../../examples/mpi_exch/mesh.rs"]
mod mesh;
#[path = "../../examples/mpi_exch/strip.rs"]
mod strip;

use spelt::mpi::Mpi;

use crate::run::{run, same_everywhere};
use crate::spaces::{on_every_space, on_ranks};
use mesh::{Mesh, area, nodes_of, place};

/// The area of each node: its quadrilaterals one after another.
fn areas(extents: [usize; 2]) -> Vec<u64> {
    let mut areas = vec![0.0; (extents[0] + 1) * (extents[1] + 1)];
    for number in 0..extents[0] * extents[1] {
        let nodes = nodes_of(extents, number);
        let quarter = area(nodes.map(|node| place(extents, node))) / 4.0;
        nodes.iter().for_each(|node| areas[*node] += quarter);
    }
    areas.into_iter().map(f64::to_bits).collect()
}

#[test]
fn areas_have_the_bits_of_a_loop() {
    on_ranks(|ranks| {
        on_every_space!(|space, name| {
            let space = Mpi::new(ranks, space);
            for extents in [[1, 1], [5, 1], [1, 4], [13, 8]] {
                let mut mesh = Mesh::new(&space, extents).unwrap();
                // The second time begins from zero again.
                for _ in 0..2 {
                    mesh.assemble(&space).unwrap();
                }
                assert!(mesh.neighbours() < ranks.size(), "{} of {}", mesh.neighbours(), ranks.size());
                let totals = mesh.totals(&space).unwrap();
                assert!((totals.sum - 1.0).abs() < 1e-12, "{totals:?}, {extents:?} on {name}");
                assert!(
                    0.0 < totals.least && totals.least <= totals.most,
                    "{totals:?}, {extents:?} on {name}"
                );
                if let Some(found) = space.gather("areas", &mesh.areas, 0).unwrap() {
                    let bits: Vec<u64> = found.iter().map(|area| area.to_bits()).collect();
                    assert_eq!(bits, areas(extents), "{extents:?}, {} ranks on {name}", ranks.size());
                }
            }
        });
    });
}

#[test]
fn nodes_of_the_strip_count_their_quadrilaterals() {
    on_ranks(|ranks| {
        on_every_space!(|space, name| {
            let space = Mpi::new(ranks, space);
            // All ranks but the first have a quadrilateral to their left, and the last one has the right end.
            let left = if ranks.rank() == 0 { 1.0 } else { 2.0 };
            let right = if ranks.rank() + 1 == ranks.size() { 1.0 } else { 0.0 };
            for repeats in [1, 2] {
                let values = strip::values(&space, repeats).unwrap();
                assert_eq!(
                    values,
                    [left, right, right, left],
                    "rank {} of {} on {name}",
                    ranks.rank(),
                    ranks.size()
                );
            }
        });
    });
}

#[test]
fn lines_are_those_of_the_exercise() {
    let outcome = run("mpi_exch", "--space serial");
    assert_eq!((outcome.status, outcome.stderr.as_str()), (Some(0), ""), "{outcome:?}");
    assert_eq!(outcome.lines(), ["rank 0 values: {1, 1, 1, 1}", "space Serial on 1 ranks"]);
}

#[test]
fn the_program_says_the_same_everywhere() {
    for arguments in ["--width 9 --height 7 --repeats 2", "--width 4 --height 1"] {
        let lines = same_everywhere("mpi_exch", arguments, "mpi_exch.png");
        assert!(
            lines[0].ends_with(if arguments.contains('9') { "80 nodes" } else { "10 nodes" }),
            "{lines:?}"
        );
        assert!(
            lines[1].starts_with("  area of all nodes 1.0000") || lines[1].contains(" 9.99999"),
            "{lines:?}"
        );
    }
}

#[test]
fn wrong_options_are_told() {
    for arguments in ["--width 0", "--height 0", "--repeats 0", "-x few", "--space moon"] {
        let outcome = run("mpi_exch", arguments);
        assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(2), ""), "{arguments}: {outcome:?}");
    }
}
