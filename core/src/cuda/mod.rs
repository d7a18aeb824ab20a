//! The CUDA execution space: streams, memory, copies and launches, through the machine's driver.
//!
//! | file | concept |
//! |---|---|
//! | `driver.rs` | all calls of the driver |
//! | `fault.rs` | error codes of the driver: their meanings and remedies |
//! | `context.rs` | the state that streams and Views of one device share; the reason why it broke |
//! | `stream.rs` | streams and tickets: the work that has ended, and the waits between streams |
//! | `times.rs` | the times of work on a stream, for tools |
//! | `memory.rs` | the memory spaces; the uses of an allocation |
//! | `space.rs` | [`Cuda`] itself |
//! | `construct.rs` | making Views in the three memory spaces |
//! | `copy.rs`, `copy_plan.rs`, `peer.rs`, `fill.rs` | copies between the memory spaces, the calls that they take, copies between devices; one value everywhere |
//! | `staged.rs` | the elements of a View on the host, in pieces, through pinned memory |
//! | `stock.rs` | Spelt's own kernels, which copy and fill |
//! | `code.rs` | the program's device code |
//! | `launch.rs`, `notes.rs` | the start of kernels, and the names of those that run |
//! | `patterns/` | the kernels of the patterns, and their launches |
//! | `failure.rs` | messages of failures |
//!
//! `README.md` has the invariants.
//!
//! # Order
//! Launches return before their kernels have run. No fence is needed: each allocation of device memory records the work
//! that last wrote it and the work that has read it since. Later work, on any stream, waits for the part that matters:
//! reads wait for the write, writes for all. The host accesses device memory only by copies, which wait; memory that the
//! host can access directly is never used by work that outlives the call that started it.

mod code;
mod construct;
mod context;
mod copy;
mod copy_plan;
mod driver;
mod failure;
mod fault;
mod fill;
mod launch;
mod memory;
mod notes;
mod patterns;
mod peer;
mod space;
mod staged;
mod stock;
mod stream;
#[cfg(test)]
mod tests;
mod times;

pub(crate) use launch::{Launch, Use, Uses};
pub(crate) use memory::DeviceBuffer;
pub use memory::{CudaHostPinnedSpace, CudaManagedSpace, CudaSpace};
pub use space::Cuda;
