//! The instances of a device on which the branches of a graph run.

use std::sync::OnceLock;

use crate::Result;
use crate::launch::ExecutionSpace;

/// The maximum number of instances of a graph; further branches share them. Unit: streams. Source: devices run some 32 kernels beside one
/// another at most, and branches of a graph are several kernels long.
const MAX_LANES: usize = 16;

/// The space of a graph, which is lane 0, and further instances, made when a branch needs them.
#[derive(Debug)]
pub(super) struct Lanes<'s, S> {
    space: &'s S,
    further: [OnceLock<S>; MAX_LANES - 1],
}

impl<'s, S: ExecutionSpace> Lanes<'s, S> {
    /// The lanes of a graph on `space`.
    pub(super) fn new(space: &'s S) -> Self {
        Self { space, further: [const { OnceLock::new() }; MAX_LANES - 1] }
    }

    /// The lane of branch `number`, counted from 0. On a host all nodes run on the graph's space, one after the other.
    pub(super) fn of_branch(number: usize) -> usize {
        if S::IS_DEVICE { number % MAX_LANES } else { 0 }
    }

    /// The instance of a lane.
    ///
    /// # Errors
    /// Those of a driver that cannot make it.
    pub(super) fn get(&self, lane: usize) -> Result<&S> {
        let Some(further) = lane.checked_sub(1) else { return Ok(self.space) };
        let cell = &self.further[further];
        if cell.get().is_none() {
            for instance in self.space.partition_by(&[1])? {
                let _ = cell.set(instance);
            }
        }
        Ok(cell.get().expect("a partition by one weight has one part"))
    }

    /// Makes later work of `lane` wait for all work so far of the lane `earlier`.
    ///
    /// # Errors
    /// Those of the device.
    pub(super) fn follow(&self, lane: usize, earlier: usize) -> Result<()> {
        if lane == earlier { Ok(()) } else { self.get(lane)?.follow(self.get(earlier)?) }
    }

    /// Makes later work of the graph's space wait for all work so far of its lanes.
    ///
    /// # Errors
    /// Those of the device, after all lanes.
    pub(super) fn join(&self) -> Result<()> {
        let mut joined = Ok(());
        if const { S::IS_DEVICE } {
            for instance in self.further.iter().filter_map(OnceLock::get) {
                joined = joined.and(self.space.follow(instance));
            }
        }
        joined
    }
}
