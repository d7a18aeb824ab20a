//! Programs that others wrote, in Spelt's natural form, beside C++ and OpenMP.
//!
//! `cargo run --release -p spelt-programs` runs them; the section "Programs" of `docs/benchmarks.md` has the results.
//!
//! Reading order: [`programs`] holds one file for each program, generic in the space, with a plain reference, and beside it the same in
//! C++. [`peer`] compiles and loads the C++; the crate `spelt-harness` times both in turns; [`table`] prints.

pub mod options;
pub mod peer;
pub mod programs;
pub mod setup;
pub mod table;

pub use programs::{CHECKS, Case, all};
pub use setup::Setup;
