//! The three patterns: `parallel_for`, `parallel_reduce`, `parallel_scan`.
//!
//! Each is a function over a trait of the policy (`ForPolicy`, ...). The trait, not a bound on the closure, says
//! what the closure takes: so one name serves policies whose closures differ, and closures still infer.

#[cfg(test)]
mod canonical_tests;
mod chunks;
mod contribution;
pub(crate) mod outlet;
pub(crate) mod over_teams;
pub(crate) mod parallel_for;
pub(crate) mod parallel_reduce;
pub(crate) mod parallel_scan;
mod reduce_tiles;
mod scan_chunks;
mod scan_launch;
mod serial_reduce;
mod slots;

use crate::spaces::ExecutionSpace;
use spelt_policies::{MdRangePolicy, RangePolicy, TeamPolicy};

pub(crate) use contribution::Contribution;
pub(crate) use outlet::Outlet;
pub use parallel_for::{ForPolicy, parallel_for};
pub use parallel_reduce::{
    MapReducePolicy, ReducePolicy, parallel_map_reduce, parallel_reduce, parallel_reduce_into,
};

pub use parallel_scan::{ScanPolicy, parallel_scan, parallel_scan_into};
pub use serial_reduce::serial_reduce;

/// A policy bound to a space.
pub trait OnSpace {
    /// The space.
    type Space: ExecutionSpace;
}

impl<S: ExecutionSpace> OnSpace for RangePolicy<&S> {
    type Space = S;
}
impl<S: ExecutionSpace, const R: usize> OnSpace for MdRangePolicy<&S, R> {
    type Space = S;
}
impl<S: ExecutionSpace, V> OnSpace for TeamPolicy<&S, V> {
    type Space = S;
}
