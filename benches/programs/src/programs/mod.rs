//! The programs: one file each, and beside it the same in C++.

pub mod atomic_reduction;
pub mod bitonic_sort;
pub mod channel_sum;
pub mod expdist;
pub mod floydwarshall;
pub mod heat2d;
pub mod histogram;
pub mod jacobi;
pub mod k_means;
pub mod laplace3d;
pub mod lattice_boltzmann;
pub mod mandelbrot;
pub mod mini_weather;
pub mod n_body;
mod near;
pub mod page_rank;
pub mod scan;
pub mod simple_spmv;
pub mod softmax;
pub mod stencil3d;
pub mod threadfence;

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
        page_rank::CASE,
        k_means::CASE,
        n_body::CASE,
        histogram::CASE,
        expdist::CASE,
        mandelbrot::CASE,
        floydwarshall::CASE,
        bitonic_sort::CASE,
        threadfence::CASE,
        atomic_reduction::CASE,
        scan::CASE,
        mini_weather::CASE,
        lattice_boltzmann::CASE,
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
        $checks!(laplace3d stencil3d heat2d jacobi softmax channel_sum simple_spmv page_rank k_means n_body histogram expdist mandelbrot floydwarshall bitonic_sort threadfence atomic_reduction scan mini_weather lattice_boltzmann)
    };
}

/// The checks on spaces of the host.
pub const CHECKS: &[(&str, Check<AnyHost>)] = &all_checks!(checks);

/// The checks on a device.
#[cfg(feature = "cuda")]
pub const CHECKS_ON_DEVICE: &[(&str, Check<spelt::Cuda>)] = &all_checks!(checks);
