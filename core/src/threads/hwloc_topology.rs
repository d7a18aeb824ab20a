//! Processing units from libhwloc.

use super::topology::ProcessingUnit;
use hwlocality::Topology;
use hwlocality::object::types::ObjectType;

/// The machine's processing units; `None` if hwloc does not know them.
pub(super) fn of_this_machine() -> Option<Vec<ProcessingUnit>> {
    Topology::new().ok().map(|topology| units(&topology))
}

fn units(topology: &Topology) -> Vec<ProcessingUnit> {
    let unit = |(index, object): (usize, &hwlocality::object::TopologyObject)| {
        // Machines without such objects (some virtual ones) count as one node, and each unit as a core.
        let numa = object.nodeset().and_then(|nodes| nodes.first_set()).map_or(0, usize::from);
        let core =
            object.first_ancestor_with_type(ObjectType::Core).map_or(index, |core| core.logical_index());
        Some(ProcessingUnit { id: object.os_index()?, numa, core })
    };
    topology.objects_with_type(ObjectType::PU).enumerate().filter_map(unit).collect()
}

#[cfg(all(test, not(spelt_loom)))]
mod tests {
    use super::super::topology::pin_order;
    use super::{Topology, units};

    /// The pin order for `threads` threads on a machine recorded under `tests/topologies`.
    fn order(recorded: &str, threads: usize) -> Vec<usize> {
        let topology =
            Topology::builder().from_xml(recorded).expect("hwloc's XML").build().expect("a machine");
        pin_order(&units(&topology), threads)
    }

    #[test]
    fn two_nodes_of_eight_cores_of_two_threads() {
        let machine = include_str!("../../tests/topologies/two-nodes-smt.xml");
        assert_eq!(order(machine, 1), [0]);
        assert_eq!(order(machine, 2), [0, 16], "one thread a node");
        assert_eq!(order(machine, 16), (0..16).map(|core| 2 * core).collect::<Vec<_>>(), "one thread a core");
        assert_eq!(order(machine, 32), (0..32).collect::<Vec<_>>());
    }

    #[test]
    fn four_nodes_of_four_cores() {
        let machine = include_str!("../../tests/topologies/two-packages-four-nodes.xml");
        assert_eq!(order(machine, 1), [0]);
        assert_eq!(order(machine, 4), [0, 4, 8, 12], "one thread a node");
        assert_eq!(order(machine, 6), [0, 1, 4, 5, 8, 12]);
        assert_eq!(order(machine, 16), (0..16).collect::<Vec<_>>());
    }

    #[test]
    fn siblings_numbered_far_apart() {
        let machine = include_str!("../../tests/topologies/one-node-linux-numbering.xml");
        assert_eq!(order(machine, 1), [0]);
        assert_eq!(order(machine, 6), [0, 1, 2, 3, 4, 5], "one thread a core");
        assert_eq!(order(machine, 7), [0, 6, 1, 2, 3, 4, 5]);
        assert_eq!(order(machine, 12), [0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11]);
    }

    #[test]
    fn this_machine_has_a_unit() {
        assert!(super::of_this_machine().is_some_and(|units| !units.is_empty()));
    }
}
