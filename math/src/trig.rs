//! Sine, cosine and tangent.
//!
//! After the reduction of `reduce.rs`, sine and cosine of |r| <= pi/4 are polynomials whose leading terms are
//! kept exact (Muller, *Elementary Functions*, 3rd ed., chapters 3 and 11); both are computed and the quadrant
//! selects.
//!
//! The `f64` reduction reads a table, so LLVM vectorises a loop with these functions only where it sees that the
//! loop's stores go elsewhere (slices yes, raw pointers no); the `f32` one needs no table.

use crate::Math;
use crate::primitive::{divide, fast_two_sum, pick, pick_odd, polynomial};
use crate::reduce::{reduce, reduce_short};

/// (sin r - r) / r^3 in r^2, for |r| <= pi/4.
const SIN: [f64; 7] = [
    -0.16666666666666666,
    0.008333333333333331,
    -0.00019841269841265063,
    2.7557319219337312e-06,
    -2.5052106231802837e-08,
    1.6058531516797758e-10,
    -7.586691094197958e-13,
];
/// (cos r - 1 + r^2/2) / r^4 in r^2.
const COS: [f64; 6] = [
    0.041666666666666664,
    -0.0013888888888887398,
    2.480158729876456e-05,
    -2.7557317271145144e-07,
    2.087614614655861e-09,
    -1.1382623647474604e-11,
];
/// (sin r - r) / r^3 to 32 bits.
const SIN_F32: [f64; 4] =
    [-0.16666666663854168, 0.008333331874273714, -0.000198400864995936, 2.7249895230611676e-06];
/// (cos r - 1) / r^2 to 40 bits.
const COS_F32: [f64; 5] = [
    -0.49999999999963873,
    0.041666666637384386,
    -0.0013888885090262895,
    2.4799861846361453e-05,
    -2.7237108576245085e-07,
];

/// The sine of an angle in radians, for angles of any size.
///
/// Keeps the sign of zero; NaN at infinities.
/// Error: at most 1 ulp.
/// ```
/// assert_eq!(spelt_math::sin(1e22_f64), -0.8522008497671888);
/// ```
#[inline(always)]
pub fn sin<T: Math>(x: T) -> T {
    T::sin(x)
}

/// The cosine of an angle in radians, for angles of any size.
///
/// NaN at infinities. Error: at most 1 ulp.
/// ```
/// assert_eq!(spelt_math::cos(0.0_f32), 1.0);
/// ```
#[inline(always)]
pub fn cos<T: Math>(x: T) -> T {
    T::cos(x)
}

/// Sine and cosine for little more than the price of one; the same bits as [`sin`] and [`cos`].
///
/// ```
/// let x = 2.0_f64;
/// assert_eq!(spelt_math::sin_cos(x), (spelt_math::sin(x), spelt_math::cos(x)));
/// ```
#[inline(always)]
pub fn sin_cos<T: Math>(x: T) -> (T, T) {
    T::sin_cos(x)
}

/// The tangent of an angle in radians, for angles of any size.
///
/// Keeps the sign of zero; NaN at infinities. No `f64` or `f32` is so near a pole that it overflows.
/// Error: at most 1 ulp.
/// ```
/// assert_eq!(spelt_math::tan(0.0_f64), 0.0);
/// ```
#[inline(always)]
pub fn tan<T: Math>(x: T) -> T {
    T::tan(x)
}

/// sin(r + rest) and cos(r + rest), each as a sum.
#[inline(always)]
fn kernels(r: f64, rest: f64) -> ((f64, f64), (f64, f64)) {
    let square = r * r;
    let half = 0.5 * square;
    let sine = r * square * polynomial(square, &SIN) + (rest - rest * half);
    let near = 1.0 - half;
    let cosine = ((1.0 - near) - half) + (square * square * polynomial(square, &COS) - r * rest);
    ((r, sine), (near, cosine))
}

/// `x` negated if bit 1 of `quadrant` is set.
#[inline(always)]
fn flip(x: f64, quadrant: u64) -> f64 {
    f64::from_bits(x.to_bits() ^ ((quadrant & 2) << 62))
}

/// Sine and cosine of an angle from those of its remainder.
#[inline(always)]
fn turn(quadrant: u64, sine: f64, cosine: f64) -> (f64, f64) {
    (
        flip(pick_odd(quadrant, cosine, sine), quadrant),
        flip(pick_odd(quadrant, sine, cosine), quadrant.wrapping_add(1)),
    )
}

/// The argument below which the functions equal their first term, which also keeps the sign of zero.
#[inline(always)]
fn tiny(x: f64) -> bool {
    x.abs() < 1.0 / 134217728.0 // 2^-27
}

#[inline(always)]
pub(crate) fn sin_cos_f64(x: f64) -> (f64, f64) {
    let (quadrant, r, rest) = reduce(x);
    let (sine, cosine) = kernels(r, rest);
    let (sine, cosine) = turn(quadrant, sine.0 + sine.1, cosine.0 + cosine.1);
    (pick(tiny(x), x, sine), cosine)
}

#[inline(always)]
pub(crate) fn sin_f64(x: f64) -> f64 {
    sin_cos_f64(x).0
}

#[inline(always)]
pub(crate) fn cos_f64(x: f64) -> f64 {
    sin_cos_f64(x).1
}

#[inline(always)]
pub(crate) fn tan_f64(x: f64) -> f64 {
    let (quadrant, r, rest) = reduce(x);
    let (sine, cosine) = kernels(r, rest);
    let sine = fast_two_sum(sine.0, sine.1);
    let cosine = fast_two_sum(cosine.0, cosine.1);
    let numerator = (pick_odd(quadrant, cosine.0, sine.0), pick_odd(quadrant, cosine.1, sine.1));
    let denominator = (pick_odd(quadrant, sine.0, cosine.0), pick_odd(quadrant, sine.1, cosine.1));
    let (quotient, correction) = divide(numerator, denominator);
    pick(tiny(x), x, flip(quotient + correction, quadrant << 1))
}

/// Sine and cosine of the remainder to 32 bits or so, with its quadrant.
#[inline(always)]
fn short_kernels(x: f64) -> (u64, f64, f64) {
    let (quadrant, r) = reduce_short(x);
    let square = r * r;
    let sine = r + r * square * polynomial(square, &SIN_F32);
    (quadrant, sine, 1.0 + square * polynomial(square, &COS_F32))
}

#[inline(always)]
pub(crate) fn sin_cos_f32(x: f32) -> (f32, f32) {
    let (quadrant, sine, cosine) = short_kernels(x.into());
    let (sine, cosine) = turn(quadrant, sine, cosine);
    (pick(x == 0.0, x, sine as f32), cosine as f32)
}

#[inline(always)]
pub(crate) fn sin_f32(x: f32) -> f32 {
    sin_cos_f32(x).0
}

#[inline(always)]
pub(crate) fn cos_f32(x: f32) -> f32 {
    sin_cos_f32(x).1
}

#[inline(always)]
pub(crate) fn tan_f32(x: f32) -> f32 {
    let (quadrant, sine, cosine) = short_kernels(x.into());
    let quotient = pick_odd(quadrant, cosine, sine) / pick_odd(quadrant, sine, cosine);
    pick(x == 0.0, x, flip(quotient, quadrant << 1) as f32)
}
