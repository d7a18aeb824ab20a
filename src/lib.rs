//! Spelt: performance portability for Rust, in the manner of Kokkos, with deterministic, bitwise reproducible results.
//!
//! A kernel is an ordinary closure over Views. An execution policy defines the indices it runs for, and a space runs it.
//! Code that the compiler accepts cannot race, and results have the same bits on every space and thread count.
//!
//! ```
//! use spelt::prelude::*;
//!
//! fn solve<S: ExecutionSpace>(space: &S) -> spelt::Result<f64> {
//!     let n = 1 << 16;
//!     let x = space.view_from_fn("x", [n], |[i]| i as f64)?;
//!     let mut y = space.zeros::<f64, 1>("y", [n])?;
//!     parallel_for("axpy", space.range(0..n), (2.0_f64, &x, &mut y), |i, (a, x, mut y)| y[i] += a * x[i])?;
//!     parallel_reduce("dot", space.range(0..n), (&x, &y), |i, sum, (x, y)| *sum += x[i] * y[i], Sum::<f64>::new())
//! }
//! let serial = solve(&Serial::new())?;
//! let threads = solve(&Threads::new()?)?;
//! assert_eq!(serial.to_bits(), threads.to_bits());
//! # Ok::<(), spelt::Error>(())
//! ```
//!
//! # Map
//!
//! | you want | see |
//! |---|---|
//! | to hold data | [`View`], [`ViewRef`], [`ViewMut`]; layouts [`Right`], [`Left`], [`Stride`]; [`subview`]; [`deep_copy`]; `#[derive(`[`Element`](macro@Element)`)]` |
//! | to say where kernels run | [`ExecutionSpace`]: [`Serial`], `Threads`, `Rayon`, `Cuda`; [`SpaceChoice`] and [`with_space!`] at run time |
//! | to say what is iterated | [`ExecutionSpace::range`], [`ExecutionSpace::md_range`], [`ExecutionSpace::team`] |
//! | to run a kernel | [`parallel_for`], [`parallel_reduce`], [`parallel_map_reduce`], [`parallel_scan`]; [`parallel_reduce_into`], [`parallel_scan_into`]; [`serial_reduce`] within one, and on a host [`with_scratch`] |
//! | what a kernel may take | [`KernelArg`]; neighbours, tables, rows: the methods `halo`, `lookup`, `by_rows`, .. of Views, with [`Halo`] and its kin |
//! | what an iteration gets | [`Idx`], [`Ref`], [`Mut`]; in teams [`Team`], [`NestedIdx`], [`Thread`] |
//! | to join results | [`reducers`] |
//! | to sort, count, search, scan; to reduce along axes or over pairs | [`algorithms`] |
//! | to know the order of joins | [`canonical`] |
//! | functions with the same bits everywhere | [`math`] |
//! | to handle failure | [`Error`], [`ErrorKind`] |
//! | to report how a program was built | [`build_info`], [`print_configuration`] |
//! | reasons, and differences from Kokkos | [`design`] |
//!
//! The repository's `docs/from-kokkos.md` has the table from Kokkos's names to these.
//!
//! # Safety
//!
//! Without `unsafe`, a program can write an element in the iteration that owns its index only, and reads nothing that
//! others write. What is outside of this promise: rust#25860, a hole in the compiler by which contrived code extends any
//! lifetime.
//!
//! # The same bits
//!
//! Reductions and scans join values in the [canonical order](canonical), a function of the extents and of the reducer.
//! Outside of this promise: float atomics, whose last bits depend on the order of arrival; `f64::exp` and other functions
//! of the platform, for which there is [`math`]; payload and sign of a NaN; what `team_reduce` and `team_scan` make of a
//! value from each thread.
//!
//! # What this crate does not do
//!
//! This crate is a facade: re-exports, the prelude, and what a report says of the build; no other logic.
//!
//! In the reading order (examples, policies, reducers, views, dispatch, serial, threads, what kernels share with a device)
//! this crate stands before all others: read the examples first.
mod build_info;

pub use build_info::{BuildInfo, DeviceCodeInfo, build_info, print_configuration};
pub use spelt_core::*;

/// What is built from the patterns: reductions along axes, scans, sorting, histograms, map-reduce over pairs.
pub use spelt_algorithms as algorithms;

/// Elementary functions with the same bits on every machine, branch-free so that they vectorise.
pub use spelt_math as math;

/// What most programs need: `use spelt::prelude::*`.
pub mod prelude {
    #[cfg(feature = "cuda")]
    pub use spelt_core::Cuda;
    #[cfg(feature = "rayon")]
    pub use spelt_core::Rayon;
    #[cfg(feature = "threads")]
    pub use spelt_core::Threads;
    pub use spelt_core::reducers::*;
    pub use spelt_core::subview::{All, Steps};
    pub use spelt_core::{
        AUTO, Dynamic, Element, ExecutionSpace, HostSpace, Iterate, Left, Right, Serial, SpaceChoice, Static,
        Stride, View, ViewMut, ViewRef, deep_copy, deep_copy_scalar, parallel_for, parallel_map_reduce,
        parallel_reduce, parallel_reduce_into, parallel_scan, parallel_scan_into, serial_reduce, with_space,
    };
}

#[doc = include_str!("../DESIGN.md")]
pub mod design {}

#[doc = include_str!("../CHANGELOG.md")]
pub mod changelog {}

/// The programs of the README and of the reference are doctests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;

/// As [`Readme`].
#[cfg(doctest)]
#[doc = include_str!("../docs/reference.md")]
pub struct Reference;
