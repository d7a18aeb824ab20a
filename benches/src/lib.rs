//! Spelt beside its peers: the benchmark program, as a library so that its tests can run every case.
//!
//! `cargo run --release -p spelt-benches` runs it; `docs/benchmarks.md` explains its output and leads to the results.
//!
//! Reading order: [`cases`] holds one file for each case; a case makes a [`Race`] of contenders over the same data,
//! which the crate `spelt-harness` times and reports; [`plot`] draws. [`limit`] is the best
//! code that we can write by hand, [`kokkos`] the peer in C++.

pub mod cases;
pub mod kokkos;
pub mod limit;
#[cfg(feature = "mpi")]
pub mod mpi;
pub mod numbers;
pub mod options;
pub mod plot;
pub mod setup;

pub use cases::{Case, all};
pub use setup::Setup;
pub use spelt_harness::{Race, compare, lineup, machine, measure, report, statistics};
