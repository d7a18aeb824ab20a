//! Counts of the main kernels on a device: counted on the emulator, timed on a GPU.
//!
//! `cargo gpu run --release -p spelt-device-counts` prints the counts, with `--times` the times; `docs/benchmarks/device.md` has the results.
//! `tests/device_counts.rs` asserts the counts of the main ones. A separate package, as the benchmarks of hosts take many times as long to compile for
//! a device, where none of them runs.
//!
//! | file | concept |
//! |---|---|
//! | `kernels.rs` | the kernels, each with its data |
//! | `algorithms.rs` | those that CUB has as an algorithm |
//! | `counts.rs` | instructions and traffic of a launch, by the emulator's counters |
//! | `model.rs` | the least time that counts take on a GPU, by its published rates |
//! | `ptx.rs` | the program's device code: the instructions of a kernel |
//! | `times.rs` | how long launches take, beside copies of the same size |

#![cfg(feature = "cuda")]

mod algorithms;
pub mod counts;
pub mod kernels;
pub mod model;
pub mod ptx;
pub mod times;
