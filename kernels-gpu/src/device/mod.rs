//! What only a device runs: kernel entries, the primitives that they are built from, and how they report failures.
//!
//! | file | concept |
//! |---|---|
//! | `intrinsics.rs` | what the device linker replaces by instructions of the device |
//! | `kernel.rs` | [`Kernel`](kernel::Kernel): an entry with one block of parameters, and its symbol |
//! | `failure.rs` | the record that a failing kernel leaves for the host |
//! | `warp.rs`, `block.rs`, `grid.rs` | joining values within a warp, a block and a launch, in the canonical order |
//! | `placement.rs` | which thread runs which index of a box |
//! | `walk.rs` | the iterations of a launch, by number |
//! | `math.rs` | C's mathematical functions |
//! | `tuning.rs` | blocks, threads and tiles of launches, with the reasons |
//!
//! Nothing here allocates, unwinds or uses `std`. On the host these functions exist so that the same crate, types and
//! symbols serve both sides; calling an intrinsic there panics.

pub mod block;
pub mod failure;
pub mod grid;
pub mod intrinsics;
pub mod kernel;
pub mod math;
pub mod placement;
pub mod tuning;
pub mod walk;
pub mod warp;
