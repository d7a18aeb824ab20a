//! `stock/src/kernels/mod.rs` with other intrinsics.

#[path = "../../../src/kernels/copy.rs"]
mod copy;
#[path = "../../../src/kernels/divisor.rs"]
mod divisor;
#[path = "../../../src/kernels/fill.rs"]
mod fill;
#[path = "../../../../kernels-gpu/src/intrinsics_rust_cuda.rs"]
mod intrinsics;
#[path = "../../../src/kernels/transpose.rs"]
mod transpose;
#[path = "../../../src/kernels/word.rs"]
mod word;

pub use copy::{copy, CopyParameters};
pub use fill::{fill, FillParameters};
pub use transpose::{transpose, TransposeParameters};
