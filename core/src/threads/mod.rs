//! The thread pool under the space `Threads`, and the mark that keeps launches inside kernels out of it.
//!
//! `README.md` beside this file holds the protocol, its invariants and the proof.
//!
//! | file | concept |
//! |---|---|
//! | `process.rs` | is this a fork of the process that made the pool? |
//! | `kernel_scope.rs` | is this thread inside a kernel? (all spaces) |
//! | `placement.rs` | a woken worker leaves its waker's core |
//! | `yielding.rs` | offer the core to others, while that is cheap |
//! | `signal.rs` | spin, then sleep, until a condition holds |
//! | `gang.rs` | threads that run together: barrier, and the check that all reach the same collective |
//! | `gate.rs` | admission to the open job: one atomic word |
//! | `claims.rs` | the units that are still unclaimed |
//! | `job_runner.rs` | one job at a time, by the caller and the workers |
//! | `pool.rs` | the operating system's threads, and the turns of several callers |
//! | `builder.rs` | the number of threads and their pinning: builder, command line, environment |
//! | `topology.rs`, `hwloc_topology.rs` | the choice of cores |
//! | `configuration.rs` | the pool's set-up, as text |
#![allow(dead_code, reason = "gangs are made with the feature `threads` only, topologies with `hwloc` only")]

pub(crate) mod gang;
pub(crate) mod kernel_scope;
mod placement;
pub(crate) mod process;
pub(crate) mod signal;
mod yielding;

#[cfg(feature = "threads")]
mod builder;
#[cfg(feature = "threads")]
mod claims;
#[cfg(feature = "threads")]
mod configuration;
#[cfg(feature = "threads")]
mod gate;
#[cfg(feature = "hwloc")]
mod hwloc_topology;
#[cfg(feature = "threads")]
mod job_runner;
#[cfg(feature = "threads")]
mod pool;
#[cfg(feature = "threads")]
mod topology;

#[cfg(feature = "threads")]
pub use builder::{ThreadsArguments, ThreadsBuilder};
#[cfg(feature = "threads")]
pub(crate) use pool::Pool;

#[cfg(all(test, feature = "threads", not(spelt_loom)))]
mod tests;

#[cfg(all(test, feature = "threads", not(spelt_loom)))]
mod cost_tests;

#[cfg(all(test, feature = "threads", spelt_loom))]
mod loom_tests;
