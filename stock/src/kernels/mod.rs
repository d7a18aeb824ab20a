//! The kernels themselves: their parameters and bodies.
//!
//! These files are compiled three times: into this crate, for the host, which makes parameters and never runs a body; for
//! a device, by `build.rs`; and by rust-cuda's compiler of 2021 (`rust-cuda/kernels`, which has other intrinsics), so they are
//! written in the Rust of then.

mod copy;
mod divisor;
mod fill;
mod intrinsics;
mod transpose;
mod word;

pub use copy::{CopyParameters, ITEMS, Loop, MAX_LOOPS, THREADS, copy};
pub use divisor::Divisor;
pub use fill::{FillParameters, fill};
pub use transpose::{SIDE, TransposeParameters, transpose};
pub use word::Word;
