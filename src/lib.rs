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
//!     parallel_for("axpy", space.range(0..n), (2.0_f64, &x, &mut y), move |i, (a, x, mut y)| y[i] += a * x[i])?;
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
//! | task | see |
//! |---|---|
//! | hold data | [`View`], [`ViewRef`], [`ViewMut`]; [`OffsetView`], with indices from an origin; layouts [`Right`], [`Left`], [`Stride`]; [`subview`]; [`deep_copy`]; `#[derive(`[`Element`](macro@Element)`)]` |
//! | choose where kernels run | [`ExecutionSpace`]: [`Serial`], `Threads`, `Rayon`, `Cuda`; [`SpaceChoice`] and [`with_space!`] at run time |
//! | choose the iterations | [`ExecutionSpace::range`], [`ExecutionSpace::md_range`], [`ExecutionSpace::team`], with [`TeamSizes`]; [`ExecutionSpace::signed_range`], [`ExecutionSpace::signed_md_range`] |
//! | run a kernel | [`parallel_for`], [`parallel_reduce`], [`parallel_map_reduce`], [`parallel_scan`]; [`parallel_reduce_into`], [`parallel_scan_into`]; [`serial_reduce`], [`serial_map_reduce`], [`unrolled`] and, on a host, [`with_scratch`] inside a kernel |
//! | launch the same kernels again and again; run kernels at the same time | [`Graph`], [`when_all`]; [`ExecutionSpace::partition`] |
//! | pass arguments to a kernel | [`KernelArg`]; tuples, arrays and `#[derive(`[`KernelArgs`](macro@KernelArgs)`)]` structs of them; neighbours, tables, rows: the methods `halo`, `lookup`, `by_rows`, .. of Views, with [`Halo`] and the like |
//! | use the closure's parameters | [`Idx`], [`SignedIdx`], [`Ref`], [`Mut`]; in teams [`Team`], [`NestedIdx`], [`Thread`], [`ScratchView`] |
//! | join results | [`reducers`] |
//! | reduce or scan in parts, with the bits of one launch: files larger than memory, processes, several devices | [`Part`], [`reduce_shares`], [`ScanPart`], [`Portable`](trait@Portable) and `#[derive(`[`Portable`](macro@Portable)`)]` |
//! | sort, count, search, scan; reduce along axes or over pairs | [`algorithms`] |
//! | hold sparse graphs, maps, sets of bits, or a View on the host and on a device | [`containers`] |
//! | draw random numbers, fill, shuffle, sample | [`random`] |
//! | compute with vectors of lanes and masks | [`simd`] |
//! | look up the order of joins | [`canonical`] |
//! | call mathematical functions with the same bits everywhere | [`math`] |
//! | handle errors | [`Error`], [`ErrorKind`] |
//! | profile a program | [`tools`] |
//! | report how a program was built | [`build_info`], [`print_configuration`] |
//! | read about reasons, and differences from Kokkos | [`design`] |
//!
//! The repository's `docs/guide` leads users of Kokkos through a port; `docs/from-kokkos.md` lists Kokkos's names and their counterparts here.
//!
//! The examples on the pages of single items import them from the crates that define them: a program writes `spelt` for `spelt_core`,
//! `spelt_access`, `spelt_policies` and `spelt_reducers`, or `spelt::reducers` for a reducer, and `spelt::algorithms` for `spelt_algorithms`.
//!
//! # By example
//!
//! Neighbours, in a box of two dimensions: the halo is checked once, before the loop.
//! ```
//! use spelt::prelude::*;
//! let space = Threads::new()?;
//! let u = space.view_from_fn("u", [6, 6], |[i, j]| (i * j) as f64)?;
//! let mut v = space.zeros::<f64, 2>("v", [6, 6])?;
//! parallel_for("laplace", space.md_range([1..5, 1..5]), (u.halo::<1>(), &mut v), |i, (u, mut v)| {
//!     v[i] = u.at(i, [-1, 0]) + u.at(i, [1, 0]) + u.at(i, [0, -1]) + u.at(i, [0, 1]) - 4.0 * u.at(i, [0, 0]);
//! })?;
//! assert_eq!(v.to_vec(), [0.0; 36]);
//! # Ok::<(), spelt::Error>(())
//! ```
//!
//! Several results of one pass, a prefix sum, and contributions to any element:
//! ```
//! use spelt::prelude::*;
//! let space = Threads::new()?;
//! let x = space.view_from_fn("x", [1000], |[i]| (i * 37 % 101) as u64)?;
//! let reducers = (Sum::<u64>::new(), MaxLoc::<u64>::new());
//! let (sum, most) = parallel_reduce("sum and largest", space.range(0..1000), &x, |i, (sum, most), x| {
//!     *sum += x[i];
//!     most.update(x[i], i.get());
//! }, reducers)?;
//! assert_eq!((most.val, most.loc), (100, 30));
//!
//! let mut before = space.zeros::<u64, 1>("before", [1000])?;
//! let total = parallel_scan("before", space.range(0..1000), (&x, &mut before), |i, running, last, (x, mut before)| {
//!     if last {
//!         before[i] = *running;
//!     }
//!     *running += x[i];
//! }, Sum::<u64>::new())?;
//! assert_eq!((total, before[1]), (sum, 0));
//!
//! let mut counts = space.zeros::<u64, 1>("counts", [101])?;
//! parallel_for("count", space.range(0..1000), (&x, counts.scatter()), |i, (x, counts)| counts.add(x[i] as usize, 1))?;
//! assert_eq!((counts[0], counts[100]), (10, 10));
//! # Ok::<(), spelt::Error>(())
//! ```
//!
//! A team for each row, with a loop nested in it:
//! ```
//! use spelt::prelude::*;
//! let space = Threads::new()?;
//! let mut a = space.view_from_fn("a", [4, 3], |[i, j]| (i + j) as f64)?;
//! parallel_for("normalise", space.team(4, AUTO), &mut a, |team, mut a| {
//!     let sum = team.parallel_reduce(team.thread_range(3), |j, sum| *sum += a[j], Sum::<f64>::new());
//!     team.parallel_for(team.thread_range(3), |j| a[j] /= sum);
//! })?;
//! assert_eq!(a[[0, 2]], 2.0 / 3.0);
//! # Ok::<(), spelt::Error>(())
//! ```
//!
//! # Safety
//!
//! Without `unsafe`, an element can be written only in the iteration that owns its index, and no iteration can read data
//! that another one writes. The exception is rust#25860, a soundness bug in the compiler by which contrived code can extend
//! any lifetime.
//!
//! # The same bits
//!
//! Reductions and scans join values in the [canonical order](canonical), a function of the extents and of the reducer.
//! The exceptions are float atomics, because their last bits depend on the order of arrival; `f64::exp` and other functions
//! of the platform, which [`math`] replaces; the payload and sign of a NaN; and the results of `team_reduce` and `team_scan`,
//! which depend on the team size.
//!
//! # Scope
//!
//! This crate is a facade: re-exports, the prelude, and the facts of the build for reports; it has no other logic.
//!
//! To read the code, begin with the examples, then policies, reducers, the canonical order, accessors, Views, patterns, and the host spaces.
mod build_info;

pub use build_info::{BuildInfo, DeviceCodeInfo, build_info, print_configuration};
pub use spelt_core::*;

/// Algorithms built from the patterns: reductions along axes, scans, sorting, histograms, map-reduce over pairs.
pub use spelt_algorithms as algorithms;

/// Elementary functions with the same bits on every machine, branch-free so that they vectorise.
pub use spelt_math as math;

/// Containers: sparse graphs, mirrored Views, hash maps and bit sets, for kernels on every space.
pub use spelt_containers as containers;

/// Random numbers by counter: functions of a seed, a step and an index, the same on every space.
pub use spelt_random as random;

/// Vectors of lanes with masks: elements of Views, and vector code in kernels, with the same bits on every space.
pub use spelt_simd as simd;

/// The ranks of a program on many machines, and collectives among them, through MPI.
#[cfg(feature = "mpi")]
pub use spelt_mpi as mpi;

/// The items that most programs need: `use spelt::prelude::*`.
pub mod prelude {
    #[cfg(feature = "cuda")]
    pub use spelt_core::Cuda;
    #[cfg(feature = "rayon")]
    pub use spelt_core::Rayon;
    #[cfg(feature = "threads")]
    pub use spelt_core::Threads;
    pub use spelt_core::reducers::*;
    pub use spelt_core::subview::{All, Steps, SubviewInKernel};
    pub use spelt_core::{
        AUTO, Dynamic, Element, ExecutionSpace, HostSpace, Iterate, KernelArgs, Left, Part, Printer, Right,
        ScanPart, Serial, SpaceChoice, Static, Stride, TeamSizes, Timer, View, ViewMut, ViewRef, deep_copy,
        deep_copy_scalar, parallel_fill, parallel_for, parallel_map_reduce, parallel_reduce,
        parallel_reduce_into, parallel_scan, parallel_scan_into, serial_map_reduce, serial_reduce, unrolled,
        with_space,
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

/// As [`Readme`].
#[cfg(doctest)]
#[doc = include_str!("../docs/recipes.md")]
pub struct Recipes;

/// As [`Readme`].
#[cfg(all(doctest, feature = "mpi"))]
#[doc = include_str!("../docs/mpi.md")]
pub struct ManyMachines;

#[cfg(doctest)]
mod guide;
