//! Spelt: performance portability for Rust, in the manner of Kokkos.
//!
//! A kernel is an ordinary closure over Views; an execution policy says which indices it runs for; a space says
//! where. What the compiler accepts cannot race, and results are the same bits on every space and thread count.
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
pub use spelt_core::*;

/// Elementary functions with the same bits on every machine, branch-free so that they vectorise.
pub use spelt_math as math;

/// What most programs need: `use spelt::prelude::*`.
pub mod prelude {
    #[cfg(feature = "rayon")]
    pub use spelt_core::Rayon;
    #[cfg(feature = "threads")]
    pub use spelt_core::Threads;
    pub use spelt_core::reducers::*;
    pub use spelt_core::{
        AUTO, Dynamic, Element, ExecutionSpace, Iterate, Left, Right, Serial, SpaceChoice, Static, Stride,
        View, ViewMut, ViewRef, parallel_for, parallel_map_reduce, parallel_reduce, parallel_reduce_into,
        parallel_scan, parallel_scan_into, with_space,
    };
}
