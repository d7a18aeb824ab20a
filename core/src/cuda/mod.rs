//! The CUDA execution space: streams, memory, copies and launches, all through the driver that the machine has.
//!
//! | file | concept |
//! |---|---|
//! | `driver.rs` | the driver's calls that are made: all of the C |
//! | `fault.rs` | a code of the driver: what it means, and what helps |
//! | `context.rs` | what streams and Views of one device share; what broke it |
//! | `stream.rs` | streams and tickets: which work is over, which stream waits for which |
//! | `memory.rs` | the memory spaces; who uses an allocation |
//! | `space.rs` | [`Cuda`] itself |
//! | `construct.rs` | making Views in the three memory spaces |
//! | `copy.rs`, `fill.rs` | copies between the memory spaces, and one value everywhere |
//! | `stock.rs` | Spelt's own kernels, which copy and fill |
//! | `code.rs` | the program's device code |
//! | `launch.rs`, `notes.rs` | how kernels start, and what is remembered of them |
//! | `patterns/` | the kernels of the patterns, and their launches |
//! | `failure.rs` | what failed, in words |
//!
//! `README.md` has the invariants.
//!
//! # Order
//! Launches return before their kernels have run. Nothing has to be fenced for that: each allocation of device memory
//! remembers the work that last wrote it and that read it since, and whatever uses it next, on whatever stream, waits for
//! the part that matters: reads for the write, writes for all. The host never touches device memory but by copies that
//! wait; memory that it can touch is used by no work that outlives the call that started it.

mod code;
mod construct;
mod context;
mod copy;
mod driver;
mod failure;
mod fault;
mod fill;
mod launch;
mod memory;
mod notes;
mod patterns;
mod space;
mod stock;
mod stream;
#[cfg(test)]
mod tests;

pub(crate) use launch::{Launch, Uses};
pub(crate) use memory::DeviceBuffer;
pub use memory::{CudaHostPinnedSpace, CudaManagedSpace, CudaSpace};
pub use space::Cuda;
