//! Random numbers by counter, for kernels: each is a function of a seed, a step, an index and the number of the draw.
//!
//! So the numbers are the same on every space, thread count and run, and no generator has a state that kernels share. Kokkos's pools
//! give a number to the thread that asks for it first.
//!
//! | file | concept |
//! |---|---|
//! | `philox.rs` | [`philox4x32`]: the bits |
//! | `random.rs`, `index.rs` | [`Random`]: a seed and a step, an argument of kernels; the types that it takes as an index |
//! | `draws.rs` | [`Draws`]: the numbers of one index |
//! | `uniform.rs` | numbers of a range, without bias |
//! | `normal.rs`, `exponential.rs`, `gamma.rs`, `poisson.rs` | other distributions |
//! | `fill.rs` | [`fill_uniform`], [`fill_normal`]: whole Views |
//! | `shuffle.rs` | [`shuffle`], [`permutation`], [`sample`] |
//!
//! ```
//! use spelt_core::{ExecutionSpace, Serial, parallel_map_reduce, reducers::Sum};
//! use spelt_random::Random;
//!
//! let (space, n) = (Serial::new(), 100_000);
//! let inside = parallel_map_reduce("pi", space.range(0..n), Random::new(42), |i, random| {
//!     let mut draws = random.at(i);
//!     let (x, y) = (draws.f64(), draws.f64());
//!     u64::from(x * x + y * y < 1.0)
//! }, Sum::new())?;
//! assert!((4.0 * inside as f64 / n as f64 - core::f64::consts::PI).abs() < 0.02);
//! # Ok::<(), spelt_core::Error>(())
//! ```
#![deny(unsafe_code)]

mod draws;
mod exponential;
mod fill;
mod gamma;
mod index;
mod normal;
mod philox;
mod poisson;
#[cfg(feature = "rand")]
mod rand;
mod random;
mod shuffle;
mod uniform;

pub use draws::Draws;
pub use fill::{RandomFloat, fill_normal, fill_uniform};
pub use index::RandomIndex;
pub use philox::philox4x32;
pub use random::Random;
pub use shuffle::{permutation, sample, shuffle};
pub use uniform::Uniform;
