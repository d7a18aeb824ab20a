//! Hyperbolic sine, cosine and tangent.
//!
//! |x| = n ln 2 + r as for e^x; with w = 4^-n, sinh x = 2^(n-1) ((1 - w) cosh r + (1 + w) sinh r) and the like
//! for cosh. No cancellation is left to lose digits, down to n = 0, where sinh is its own odd polynomial.

use crate::Math;
use crate::primitive::{
    LN2_HI, LN2_LO, LOG2_E, divide, fast_two_sum, pick, polynomial, power_of_two, round, scale,
};

/// (sinh r - r) / r^3 in r^2, for |r| <= ln 2 / 2.
const SINH: [f64; 6] = [
    0.16666666666666666,
    0.008333333333333333,
    0.00019841269841263298,
    2.755731924721873e-06,
    2.505207109429355e-08,
    1.608662795678037e-10,
];
/// (cosh r - 1 - r^2/2) / r^4 in r^2.
const COSH: [f64; 6] = [
    0.041666666666666664,
    0.001388888888888889,
    2.4801587301583212e-05,
    2.7557319238504446e-07,
    2.087673368373874e-09,
    1.1487984086123612e-11,
];

/// The hyperbolic sine.
///
/// Keeps the sign of zero; infinite beyond +-710.48 (`f32`: 89.42).
/// Error: at most 1 ulp.
/// ```
/// assert_eq!(spelt_math::sinh(-1e-20_f64), -1e-20);
/// ```
#[inline(always)]
pub fn sinh<T: Math>(x: T) -> T {
    T::sinh(x)
}

/// The hyperbolic cosine.
///
/// cosh 0 = 1; inf beyond +-710.48 (`f32`: 89.42).
/// Error: at most 1 ulp.
/// ```
/// assert_eq!(spelt_math::cosh(0.0_f64), 1.0);
/// ```
#[inline(always)]
pub fn cosh<T: Math>(x: T) -> T {
    T::cosh(x)
}

/// The hyperbolic tangent.
///
/// Keeps the sign of zero; +-1 from about +-19.06 (`f32`: 9.01) on.
/// Error: at most 1 ulp.
/// ```
/// assert_eq!(spelt_math::tanh(f64::INFINITY), 1.0);
/// ```
#[inline(always)]
pub fn tanh<T: Math>(x: T) -> T {
    T::tanh(x)
}

/// (n - 1, a, b): sinh x = 2^(n-1) a and cosh x = 2^(n-1) b for x >= 0, both as unevaluated sums.
#[inline(always)]
fn parts(x: f64) -> (f64, (f64, f64), (f64, f64)) {
    let (n, _) = round(x * LOG2_E);
    let (r, rest) = fast_two_sum(x - n * LN2_HI, -(n * LN2_LO));
    let square = r * r;
    let sinh_rest = rest + r * square * polynomial(square, &SINH);
    let cosh_rest = 0.5 * square + square * square * polynomial(square, &COSH);
    // 4^-60 no longer shows beside 1.
    let w = power_of_two(-2.0 * pick(n > 60.0, 60.0, n));
    (n - 1.0, combine(-w, r, cosh_rest, sinh_rest), combine(w, r, cosh_rest, sinh_rest))
}

/// (1 + w) cosh r + (1 - w) sinh r from cosh r - 1 and sinh r - r.
#[inline(always)]
fn combine(w: f64, r: f64, cosh_rest: f64, sinh_rest: f64) -> (f64, f64) {
    let (one, one_error) = fast_two_sum(1.0, w);
    let (sum, sum_error) = fast_two_sum(r, -(w * r));
    let (high, low) = fast_two_sum(one, sum);
    let rest = cosh_rest * (1.0 + w) + sinh_rest * (1.0 - w);
    (high, low + (one_error + sum_error + rest))
}

#[inline(always)]
fn below(x: f64, limit: f64) -> f64 {
    let x = x.abs();
    pick(x > limit, limit, x)
}

#[inline(always)]
pub(crate) fn sinh_f64(x: f64) -> f64 {
    let (n, sinh, _) = parts(below(x, 711.0));
    scale(sinh.0 + sinh.1, n).copysign(x)
}

#[inline(always)]
pub(crate) fn cosh_f64(x: f64) -> f64 {
    let (n, _, cosh) = parts(below(x, 711.0));
    scale(cosh.0 + cosh.1, n)
}

#[inline(always)]
pub(crate) fn tanh_f64(x: f64) -> f64 {
    let (_, sinh, cosh) = parts(below(x, 22.0));
    let (quotient, rest) = divide(fast_two_sum(sinh.0, sinh.1), fast_two_sum(cosh.0, cosh.1));
    (quotient + rest).copysign(x)
}
