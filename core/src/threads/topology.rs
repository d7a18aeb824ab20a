//! The cores to which workers are pinned: a pure function of a list of processing units.
//!
//! The list comes from `hwloc` with that feature (`hwloc_topology.rs`); without it, from core_affinity, which
//! knows the allowed cores and neither NUMA nodes nor which of them share a physical core.

/// One place where a thread can run, as the operating system counts them (a hyperthread, where the machine has them).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProcessingUnit {
    /// The operating system's number.
    pub(crate) id: usize,
    /// The NUMA node whose memory is near.
    pub(crate) numa: usize,
    /// The physical core, counted over the whole machine.
    pub(crate) core: usize,
}

/// The source of the list of processing units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// The allowed cores in the operating system's order, each taken as one physical core, all on one NUMA node.
    CoreAffinity,
    /// libhwloc.
    Hwloc,
}

/// The processing units for `threads` threads, by participant number; fewer if there are not as many.
///
/// - Physical cores first: a second thread of a core only when each has one.
/// - All NUMA nodes' memory is used: each node gets its share, as far as it has free cores.
/// - Neighbours are near: participants on one node have consecutive numbers, and so contiguous static parts.
pub(crate) fn pin_order(units: &[ProcessingUnit], threads: usize) -> Vec<usize> {
    let mut ranked: Vec<Ranked> = units
        .iter()
        .map(|unit| {
            let before = |other: &&ProcessingUnit| other.core == unit.core && other.id < unit.id;
            let sibling = units.iter().filter(before).count();
            Ranked { unit: *unit, sibling, rank: 0 }
        })
        .collect();
    for index in 0..ranked.len() {
        let here = ranked[index];
        let earlier = |other: &&Ranked| {
            other.unit.numa == here.unit.numa
                && (other.sibling, other.unit.core) < (here.sibling, here.unit.core)
        };
        ranked[index].rank = ranked.iter().filter(earlier).count();
    }
    ranked.sort_by_key(|place| (place.sibling, place.rank, place.unit.numa));
    ranked.truncate(threads);
    ranked.sort_by_key(|place| (place.unit.numa, place.unit.core, place.sibling));
    ranked.into_iter().map(|place| place.unit.id).collect()
}

/// A processing unit and the numbers that decide its turn.
#[derive(Clone, Copy)]
struct Ranked {
    unit: ProcessingUnit,
    /// The number of its core's units before it.
    sibling: usize,
    /// The number of its node's units before it.
    rank: usize,
}

/// The processing units that this process may use.
pub(crate) fn allowed_units() -> (Vec<ProcessingUnit>, Source) {
    let allowed: Vec<usize> =
        core_affinity::get_core_ids().unwrap_or_default().into_iter().map(|core| core.id).collect();
    #[cfg(feature = "hwloc")]
    if let Some(units) = super::hwloc_topology::of_this_machine() {
        // hwloc omits units that the system forbids, but not those that the process's own mask excludes.
        return (units.into_iter().filter(|unit| allowed.contains(&unit.id)).collect(), Source::Hwloc);
    }
    (allowed.into_iter().map(|id| ProcessingUnit { id, numa: 0, core: id }).collect(), Source::CoreAffinity)
}

#[cfg(all(test, not(spelt_loom)))]
mod tests {
    use super::{ProcessingUnit, pin_order};

    /// Two nodes of two cores of two threads, numbered as Linux does: first threads of all cores first.
    fn machine() -> Vec<ProcessingUnit> {
        (0..8).map(|id| ProcessingUnit { id, numa: id % 4 / 2, core: id % 4 }).collect()
    }

    #[test]
    fn cores_before_siblings_and_nodes_in_turn() {
        let order = |threads| pin_order(&machine(), threads);
        assert_eq!(order(0), [0usize; 0]);
        assert_eq!(order(1), [0]);
        assert_eq!(order(2), [0, 2]);
        assert_eq!(order(3), [0, 1, 2]);
        assert_eq!(order(4), [0, 1, 2, 3]);
        assert_eq!(order(5), [0, 4, 1, 2, 3]);
        assert_eq!(order(8), [0, 4, 1, 5, 2, 6, 3, 7]);
        assert_eq!(order(9), order(8));
    }

    #[test]
    fn a_small_node_gives_what_it_has() {
        let units: Vec<_> = [0, 1, 1, 1, 1]
            .iter()
            .enumerate()
            .map(|(id, &numa)| ProcessingUnit { id, numa, core: id })
            .collect();
        assert_eq!(pin_order(&units, 2), [0, 1]);
        assert_eq!(pin_order(&units, 4), [0, 1, 2, 3]);
    }

    #[test]
    fn without_knowledge_the_systems_order() {
        let units: Vec<_> = [3, 5, 6].map(|id| ProcessingUnit { id, numa: 0, core: id }).into();
        assert_eq!(pin_order(&units, 2), [3, 5]);
        assert_eq!(pin_order(&units, 3), [3, 5, 6]);
    }
}
