//! Counts of the main kernels on a device: counted on the emulator, timed on a GPU.
//!
//! `cargo gpu run --release -p spelt-benches --bin device_counts` prints the counts, with `--times` the times;
//! `docs/benchmarks/device.md` has the results. `benches/tests/device_counts.rs` asserts the counts of the main ones.
//!
//! | file | concept |
//! |---|---|
//! | `kernels.rs` | the kernels, each with its data |
//! | `algorithms.rs` | those that CUB has as an algorithm |
//! | `counts.rs` | instructions and traffic of a launch, by the emulator's counters |
//! | `model.rs` | the least time that counts take on a GPU, by its published rates |
//! | `ptx.rs` | the program's device code: the instructions of a kernel |
//! | `times.rs` | how long launches take, beside copies of the same size |

mod algorithms;
pub mod counts;
pub mod kernels;
pub mod model;
pub mod ptx;
pub mod times;
