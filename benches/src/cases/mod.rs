//! The cases: one file each, with the expected time and its reason.

mod algorithms;
mod axpy;
mod containers;
mod dot;
mod empty;
mod exp;
mod min;
mod minloc;
mod minmaxloc;
mod minmaxloc2d;
mod rows;
mod scan;
mod stencil;
mod sum;
mod triad;
mod vectors;
mod views;

use crate::setup::Setup;

pub use spelt_harness::Made;

/// Something that is measured.
pub type Case = spelt_harness::Case<Setup>;

/// A case in one element type, or shape.
pub type Variant = spelt_harness::Variant<Setup>;

/// Sizes from those where the launch dominates to those in main memory.
const SIZES: &[usize] = &[1_000, 10_000, 100_000, 1_000_000, 10_000_000];
/// With 320 MB of `f64`, and more.
const SIZES_TO_MEMORY: &[usize] = &[1_000, 10_000, 100_000, 1_000_000, 10_000_000, 40_000_000, 100_000_000];
/// For kernels that write.
const SIZES_OF_STREAMS: &[usize] = &[1_000, 10_000, 100_000, 1_000_000, 10_000_000, 40_000_000];

/// The variants in both floating types.
macro_rules! floats {
    ($sizes:expr) => {
        &[
            $crate::cases::Variant { name: "f64", width: 1, sizes: $sizes, race: race::<f64> },
            $crate::cases::Variant { name: "f32", width: 1, sizes: $sizes, race: race::<f32> },
        ]
    };
}
use floats;

/// All cases, in the order of the tables.
#[must_use]
pub fn all() -> Vec<Case> {
    let mut all = vec![
        empty::CASE,
        dot::CASE,
        sum::CASE,
        min::CASE,
        minloc::CASE,
        minmaxloc::CASE,
        minmaxloc2d::CASE,
        scan::CASE,
        triad::CASE,
        axpy::CASE,
        stencil::CASE,
        rows::CASE,
        exp::CASE,
        views::CASE,
    ];
    all.extend(algorithms::CASES);
    all.extend(containers::CASES);
    all
}
