//! Programs that others chose, in Spelt's natural form, beside C++ and OpenMP.
//!
//! The problems are those of programs of [HeCBench](https://github.com/zjin-lcf/HeCBench), whose names the first line of each file has.
//! The lattice Boltzmann method is the textbooks' with nineteen velocities (D3Q19) and one relaxation time. Spelt's form and the C++ are both
//! our own, written from the algorithm: the C++ is not the original's code.
//!
//! `cargo run --release -p spelt-programs` runs them; `docs/benchmarks/programs.md` has the results.
//!
//! Reading order: [`programs`] holds one file for each program, generic in the space, with a plain reference, and beside it the same in
//! C++ with OpenMP, and with Kokkos, a peer where it is installed. [`peer`] compiles and loads the C++; the crate `spelt-harness` times both in turns; [`table`] prints.

pub mod options;
pub mod peer;
pub mod programs;
pub mod setup;
pub mod table;

pub use programs::{CHECKS, Case, all};
pub use setup::Setup;
