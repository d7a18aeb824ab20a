//! Spelt beside its peers: the benchmark program, as a library so that its tests can run every case.
//!
//! `cargo run --release -p spelt-benches` runs it; `docs/benchmarks.md` explains its output and has the results.
//!
//! Reading order: [`cases`] holds one file for each case; a case makes a [`Race`] of contenders over the same data
//! ([`lineup`]); [`measure`] times them in turns; [`report`] prints, [`plot`] draws. [`limit`] is the best
//! code that we can write by hand, [`kokkos`] the peer in C++.

pub mod cases;
pub mod compare;
#[cfg(feature = "cuda")]
pub mod device;
pub mod kokkos;
pub mod limit;
pub mod lineup;
pub mod machine;
pub mod measure;
#[cfg(feature = "mpi")]
pub mod mpi;
pub mod numbers;
pub mod options;
pub mod plot;
pub mod report;
pub mod setup;
pub mod statistics;

pub use cases::{Case, all};
pub use lineup::Race;
pub use setup::Setup;
