//! The programs: one file each, beside it the same in C++ with OpenMP, and in `kokkos` with Kokkos.

/// `source!("f")`: the sources in C++ whose function is `f`, in files of this name, or `of` another.
macro_rules! source {
    ($name:literal) => {
        source!($name of $name)
    };
    ($name:literal of $file:literal) => {
        $crate::peer::Source {
            name: $name,
            openmp: include_str!(concat!($file, ".cpp")),
            kokkos: include_str!(concat!("kokkos/", $file, ".cpp")),
        }
    };
}

pub mod atomic_reduction;
pub mod bitonic_sort;
pub mod channel_sum;
mod comparison;
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
pub mod page_rank;
mod reason;
pub mod scan;
pub mod simple_spmv;
pub mod softmax;
mod spread;
pub mod stencil3d;
pub mod threadfence;

use spelt::AnyHost;

use crate::setup::Setup;

/// A program that is measured.
pub type Case = spelt_harness::Case<Setup>;

/// A program in one form or type.
pub type Variant = spelt_harness::Variant<Setup>;

/// Runs a program at a small size on a space, and compares it with its plain reference.
pub type Check<S> = fn(&S) -> Result<(), String>;

/// The tables of programs: each of these modules is in all of them. (`mod` stands above, where rustfmt finds the files.)
macro_rules! programs {
    ($($program:ident)*) => {
        /// All programs, in the order of the table.
        #[must_use]
        pub fn all() -> Vec<Case> {
            vec![$($program::CASE),*]
        }

        /// The checks on spaces of the host.
        pub const CHECKS: &[(&str, Check<AnyHost>)] = &[$((stringify!($program), $program::check)),*];

        /// The checks on a device.
        #[cfg(feature = "cuda")]
        pub const CHECKS_ON_DEVICE: &[(&str, Check<spelt::Cuda>)] = &[$((stringify!($program), $program::check)),*];
    };
}

programs! {
    laplace3d stencil3d heat2d jacobi softmax channel_sum simple_spmv page_rank k_means n_body histogram expdist mandelbrot
    floydwarshall bitonic_sort threadfence atomic_reduction scan mini_weather lattice_boltzmann
}
