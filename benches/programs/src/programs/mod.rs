//! The programs: one file each, and beside it the same in C++.

pub mod channel_sum;
pub mod heat2d;
pub mod jacobi;
pub mod laplace3d;
mod near;
pub mod simple_spmv;
pub mod softmax;
pub mod stencil3d;

use spelt::AnyHost;

use crate::setup::Setup;

/// A program that is measured.
pub type Case = spelt_harness::Case<Setup>;

/// A program in one form or type.
pub type Variant = spelt_harness::Variant<Setup>;

/// All programs, in the order of the table.
#[must_use]
pub fn all() -> Vec<Case> {
    vec![
        laplace3d::CASE,
        stencil3d::CASE,
        heat2d::CASE,
        jacobi::CASE,
        softmax::CASE,
        channel_sum::CASE,
        simple_spmv::CASE,
    ]
}

/// Runs a program at a small size on a space, and compares it with its plain reference.
pub type Check<S> = fn(&S) -> Result<(), String>;

/// The checks of all programs, on a space of any kind.
macro_rules! checks {
    ($($program:ident)*) => {
        [$((stringify!($program), $program::check)),*]
    };
}

macro_rules! all_checks {
    ($checks:ident) => {
        $checks!(laplace3d stencil3d heat2d jacobi softmax channel_sum simple_spmv)
    };
}

/// The checks on spaces of the host.
pub const CHECKS: &[(&str, Check<AnyHost>)] = &all_checks!(checks);

/// The checks on a device.
#[cfg(feature = "cuda")]
pub const CHECKS_ON_DEVICE: &[(&str, Check<spelt::Cuda>)] = &all_checks!(checks);
