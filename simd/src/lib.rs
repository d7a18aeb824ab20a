//! Vectors of lanes with masks, for kernels: [`Simd`] and [`Mask`].
//!
//! Operations on vectors are those of the language on each lane, so results have the same bits on every machine. They are loops over
//! arrays, which the compiler turns into vector instructions of the processor, on stable Rust. On a device, the lanes of a vector
//! are registers of one thread. The names are those of Rust's `portable_simd`.
//!
//! | Kokkos | here |
//! |---|---|
//! | `simd<T, Abi>`, `simd<T, Abi>::size()` | [`Simd<T, N>`](Simd), [`Simd::LEN`]: the program chooses `N`, on every machine the same |
//! | `simd(x)`, `simd(generator)`, `copy_from`, `copy_to` | [`Simd::splat`], [`Simd::from_fn`], [`Simd::from_slice`], [`Simd::copy_to_slice`] |
//! | `where(mask, v).gather_from(memory, indices)`, `where(mask, v).scatter_to(memory, indices)` | [`Simd::gather_select`], [`Simd::scatter_select`] for slices; [`Simd::from_fn`] for what is not a slice |
//! | `a < b`, `a == b` | [`Simd::simd_lt`], [`Simd::simd_eq`]: `==` compares whole vectors |
//! | `simd_mask<T, Abi>` | [`Mask<N>`](Mask), for lanes of every type |
//! | `all_of`, `any_of`, `none_of`, `reduce_count` | [`Mask::all`], [`Mask::any`], `!any`, [`Mask::count`] |
//! | `condition(mask, a, b)`, `simd_select(mask, a, b)` | [`mask.select(a, b)`](Mask::select) |
//! | `where(mask, v) = x` | `v = mask.select(x, v)` |
//! | `reduce(v)`, `reduce(v, operation)` | [`Simd::reduce_sum`], [`Simd::reduce`] |
//! | `hmin`, `hmax`, `reduce_min`, `reduce_max` | [`Simd::reduce_min`], [`Simd::reduce_max`] |
//! | `min`, `max`, `clamp`, `abs`, `sqrt`, `fma`, `copysign` | [`Simd::simd_min`], [`Simd::simd_max`], [`Simd::simd_clamp`], [`Simd::abs`], [`Simd::sqrt`], [`Simd::mul_add`], [`Simd::copysign`] |
//! | `exp`, `log`, `floor`, .. | [`v.map(exp)`](Simd::map), `v.map(f64::floor)`, [`v.zip_map(w, pow)`](Simd::zip_map): those of `spelt::math` have vector code too |
//!
//! | file | concept |
//! |---|---|
//! | `simd.rs` | [`Simd`] and what makes one |
//! | `element.rs` | [`SimdElement`]: the types of lanes; [`SimdSigned`], [`SimdFloat`], [`SimdInteger`] |
//! | `operators.rs`, `compare.rs`, `float.rs`, `cast.rs` | operations on each lane |
//! | `mask.rs` | [`Mask`] |
//! | `reduce.rs` | reductions of the lanes of a vector, and their order |
//! | `reducers.rs` | vectors as values of reducers |
//! | `gather.rs` | elements of a slice by indices |
//!
//! # Examples
//! ```
//! use spelt_core::{ExecutionSpace, Serial, parallel_map_reduce, reducers::Sum};
//! use spelt_simd::Simd;
//!
//! let space = Serial::new();
//! let x = space.view_from_fn("x", [100], |[i]| Simd::<f64, 4>::from_fn(|lane| (4 * i + lane) as f64))?;
//! // Of the numbers 0 to 399, those below 10 count once, the others twice.
//! let sum = parallel_map_reduce("sum", space.range(0..100), &x, |i, x| {
//!     x[i].simd_lt(Simd::splat(10.0)).select(x[i], x[i] * 2.0)
//! }, Sum::<Simd<f64, 4>>::new())?;
//! assert_eq!(sum.reduce_sum(), 2.0 * 79800.0 - 45.0);
//! # Ok::<(), spelt_core::Error>(())
//! ```
//!
//! # Scope
//! Vectors are not aligned to more than a lane: loads and stores take what the memory of a View is. There is no type
//! for the processor's own width; loops over elements have vector code for the processor of the run by themselves, and `Simd` is for
//! data and algorithms that have groups of lanes.
#![no_std]
#![deny(unsafe_code)]

// Square roots and `mul_add` are exact to the last bit; `core` has neither in Rust 1.95.
extern crate std;

mod cast;
mod compare;
mod element;
mod float;
mod gather;
mod mask;
mod operators;
mod reduce;
mod reducers;
mod simd;

pub use cast::SimdCast;
pub use element::{SimdElement, SimdFloat, SimdInteger, SimdSigned};
pub use mask::Mask;
pub use simd::Simd;
