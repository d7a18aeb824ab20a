//! What only a device runs: kernel entries, the primitives that they are built from, and how they report failures.
//!
//! | file | concept |
//! |---|---|
//! | `intrinsics.rs` | what the device linker replaces by instructions of the device |
//! | `kernel.rs` | [`Kernel`](kernel::Kernel): an entry with one block of parameters, and its symbol |
//! | `failure.rs` | the record that a failing kernel leaves for the host |
//!
//! Nothing here allocates, unwinds or uses `std`. On the host these functions exist so that the same crate, types and
//! symbols serve both sides; calling an intrinsic there panics.

pub mod failure;
pub mod intrinsics;
pub mod kernel;
