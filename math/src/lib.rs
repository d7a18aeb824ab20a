//! Elementary functions for `f32` and `f64` that give the same bits on every machine.
//!
//! The functions use only `+ - * /`, square roots, comparisons, selects and integer operations, all of which
//! IEEE 754 defines to the last bit. So a loop gives the same result on a CPU with or without SIMD
//! registers and, compiled to PTX, on a device. (The payload and sign of a NaN are outside the promise.)
//! No function branches on its argument, so LLVM vectorises a loop over an array.
//!
//! Reading order: [`Math`] lists the functions of each type; each other file is a family of functions.
//! `docs/math.md` has the measured errors and speeds.
//!
//! ```
//! let y = [0.5_f64, 1.0, 2.0].map(|x| spelt_math::exp(spelt_math::ln(x)));
//! assert_eq!(y, [0.5, 1.0, 2.0]);
//! ```
//!
//! # Scope
//! The crate rounds to nearest only, and has no floating-point exceptions, `errno` or complex numbers.
//! Functions that `core` or the hardware compute exactly (`abs`, `floor`, `sqrt`, ...) are not repeated here.
//!
//! It depends on no other crate of Spelt; the facade and `spelt-algorithms` use it.
#![no_std]
#![forbid(unsafe_code)]

// `core` has no stable square root in Rust 1.95. `std`'s is the hardware's correctly rounded instruction
// (`sqrt.rn` in PTX) and is the only thing taken from there.
extern crate std;

mod erf;
mod exp;
mod hyperbolic;
mod inverse_trig;
mod log;
mod math;
mod pow;
mod primitive;
mod reduce;
mod root;
mod trig;

pub use erf::{erf, erfc};
pub use exp::{exp, exp_m1, exp2, exp10};
pub use hyperbolic::{cosh, sinh, tanh};
pub use inverse_trig::{acos, asin, atan, atan2};
pub use log::{ln, ln_1p, log2, log10};
pub use math::Math;
pub use pow::pow;
pub use root::{cbrt, hypot, rsqrt};
pub use trig::{cos, sin, sin_cos, tan};
