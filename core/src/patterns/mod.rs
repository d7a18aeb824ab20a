//! The three patterns: `parallel_for`, `parallel_reduce`, `parallel_scan`; and `parallel_fill`, a `parallel_for` whose closure returns elements.
//!
//! Each is a function over a trait of the policy (`ForPolicy`, ...). The trait, rather than a bound on the closure, determines
//! the closure's parameters. So one name serves policies whose closures differ, and the types of the parameters are inferred. An
//! implementation prepares the launch and passes it to the space.

mod look_up;
mod parallel_fill;
mod parallel_for;
mod parallel_reduce;
mod parallel_scan;
mod serial_reduce;
mod signed;

pub use look_up::look_up;
pub use parallel_fill::{FillPolicy, parallel_fill};
pub use parallel_for::{ForPolicy, parallel_for};
pub use parallel_reduce::{
    MapReducePolicy, ReducePolicy, parallel_map_reduce, parallel_reduce, parallel_reduce_into,
};
pub use parallel_scan::{ScanPolicy, parallel_scan, parallel_scan_into};
pub use serial_reduce::{serial_map_reduce, serial_reduce, serial_reduce_box};
pub(crate) use signed::{SignedMapping, SignedUpdating, signed};
