//! The exponential functions.
//!
//! Cody and Waite's reduction (*Software Manual for the Elementary Functions*, 1980): x = n ln 2 + r with
//! |r| <= ln 2 / 2, then e^r by a polynomial whose leading 1 + r is kept exact (not by `exp` of `f32`), then a product
//! with 2^n in two steps, of which only the last can round, and only below the normal range.

use crate::Math;
use crate::primitive::{
    LN2_HI, LN2_LO, LOG2_E, clamp, fast_two_sum, pick, polynomial, power_of_two, round, round_to_scale,
    round_to_scale_f32, scale, scale_by_bits, scale_by_bits_f32, two_product, upper_half,
};

/// ln 2, log10 2 and ln 10, each in two parts; the first has 26 bits (42 for log10 2) for exact products.
const LN2_26: (f64, f64) = (0.6931471675634384, 1.2996506893889889e-08);
const LN10_26: (f64, f64) = (2.3025850653648376, 2.7629208037533617e-08);
const LOG10_2_42: (f64, f64) = (0.30102999566395283, 2.8363394551044964e-14);

/// (e^r - 1 - r) / r^2 on |r| <= ln 2 / 2, from the term in r on; the constant is 1/2. Source: `tests/reference/coefficients.py`, as all coefficients.
const EXP: [f64; 10] = [
    0.1666666666666667,
    0.04166666666666667,
    0.008333333333326106,
    0.001388888888888081,
    0.0001984126987492355,
    2.4801587333382252e-05,
    2.7557255269785664e-06,
    2.755726525241958e-07,
    2.5105271231322874e-08,
    2.091779227978372e-09,
];
/// The same to 28 bits, with its constant: for the other functions of `f32`.
const EXP_F32: [f64; 6] = [
    0.5000000013507784,
    0.16666666688677526,
    0.04166646450634088,
    0.00833330777119399,
    0.001393369645122776,
    0.00019893626624735094,
];
/// The same for `exp` of `f32`, whose steps are `f32` themselves, with its constant: e^r to 26 bits.
const EXP_SINGLE: [f32; 5] = [0.5, 0.16666576, 0.041666538, 0.008363211, 0.0013927945];
/// ln 2 in two parts for `f32`; the first has 9 bits.
const LN2_9: (f32, f32) = (355.0 / 512.0, -2.1219444e-4);

/// e^x, the exponential function.
///
/// e^-inf = 0, e^inf = inf; inf above 709.78 (`f32`: 88.72), 0 below -745.13 (`f32`: -103.97).
/// Error: at most 1 ulp.
/// ```
/// assert_eq!(spelt_math::exp(0.0_f64), 1.0);
/// ```
#[inline(always)]
pub fn exp<T: Math>(x: T) -> T {
    T::exp(x)
}

/// 2^x.
///
/// Exact for integral x; 2^-inf = 0, 2^inf = inf; inf from 1024 (`f32`: 128).
/// Error: at most 1 ulp.
/// ```
/// assert_eq!(spelt_math::exp2(-1074.0_f64), f64::from_bits(1));
/// ```
#[inline(always)]
pub fn exp2<T: Math>(x: T) -> T {
    T::exp2(x)
}

/// 10^x.
///
/// 10^-inf = 0, 10^inf = inf; inf above 308.25 (`f32`: 38.53).
/// Error: at most 1 ulp.
/// ```
/// assert_eq!(spelt_math::exp10(2.0_f32), 100.0);
/// ```
#[inline(always)]
pub fn exp10<T: Math>(x: T) -> T {
    T::exp10(x)
}

/// e^x - 1, accurate also near zero.
///
/// Keeps the sign of zero; -1 at -inf, inf at inf.
/// Error: at most 1 ulp.
/// ```
/// assert_eq!(spelt_math::exp_m1(1e-20_f64), 1e-20);
/// ```
#[inline(always)]
pub fn exp_m1<T: Math>(x: T) -> T {
    T::exp_m1(x)
}

/// e^r - 1 for r = `high + low` as an unevaluated sum, |r| <= ln 2 / 2 and a bit.
#[inline(always)]
pub(crate) fn reduced_exp_m1(high: f64, low: f64) -> (f64, f64) {
    let (r, rest) = fast_two_sum(high, low);
    (r, rest + r * (rest + r * (0.5 + r * polynomial(r, &EXP))))
}

/// e^(high + low) = 2^n (a + b), returned as (n, a, b), for |high| below 2000.
#[inline(always)]
pub(crate) fn exp_parts(high: f64, low: f64) -> (f64, f64, f64) {
    let (n, _) = round(high * LOG2_E);
    let (r, rest) = reduced_exp_m1(high - n * LN2_HI, low - n * LN2_LO);
    let (sum, error) = fast_two_sum(1.0, r);
    (n, sum, error + rest)
}

/// 2^n e^(high + low), for a reduced `high + low`.
#[inline(always)]
fn scaled_exp(n: f64, high: f64, low: f64) -> f64 {
    let (r, rest) = reduced_exp_m1(high, low);
    let (sum, error) = fast_two_sum(1.0, r);
    scale(sum + (error + rest), n)
}

#[inline(always)]
pub(crate) fn exp_f64(x: f64) -> f64 {
    let x = clamp(x, -746.0, 710.0);
    let (n, bits) = round_to_scale(x * LOG2_E);
    // Exact, so that the rounding of the low part shows in the terms from r^2 on alone.
    let high = x - n * LN2_HI;
    let low = n * LN2_LO;
    let r = high - low;
    let (square, fourth) = (r * r, (r * r) * (r * r));
    // By Estrin's scheme: loops over `exp` wait for chains of operations, of which Horner's has twice as many.
    let q = (0.5 + EXP[0] * r)
        + square * (EXP[1] + EXP[2] * r)
        + fourth
            * (((EXP[3] + EXP[4] * r) + square * (EXP[5] + EXP[6] * r))
                + fourth * ((EXP[7] + EXP[8] * r) + square * EXP[9]));
    let (sum, error) = fast_two_sum(1.0, high);
    scale_by_bits(sum + (error + (square * q - low)), bits)
}

#[inline(always)]
pub(crate) fn exp2_f64(x: f64) -> f64 {
    let x = clamp(x, -1080.0, 1025.0);
    let (n, _) = round(x);
    let r = x - n;
    let r_high = upper_half(r);
    let r_low = r - r_high;
    scaled_exp(n, r_high * LN2_26.0, r_high * LN2_26.1 + r_low * core::f64::consts::LN_2)
}

#[inline(always)]
pub(crate) fn exp10_f64(x: f64) -> f64 {
    let x = clamp(x, -330.0, 310.0);
    let (n, _) = round(x * core::f64::consts::LOG2_10);
    let r = x - n * LOG10_2_42.0;
    let r_high = upper_half(r);
    let r_low = (r - r_high) - n * LOG10_2_42.1;
    scaled_exp(n, r_high * LN10_26.0, r_high * LN10_26.1 + r_low * core::f64::consts::LN_10)
}

#[inline(always)]
pub(crate) fn exp_m1_f64(x: f64) -> f64 {
    let y = clamp(x, -40.0, 710.0);
    let (n, _) = round(y * LOG2_E);
    let (r, rest) = fast_two_sum(y - n * LN2_HI, -(n * LN2_LO));
    // Beside the small results of n = 1 even the rounding of r^2/2 would show.
    let (square, square_rest) = two_product(r, r);
    let rest = rest + r * rest + (0.5 * square_rest + square * r * polynomial(r, &EXP));
    // Above 60 binary digits the 1 that is subtracted no longer shows.
    let (sum, error) = fast_two_sum(1.0 - power_of_two(-pick(n > 60.0, 60.0, n)), r);
    let (sum, next_error) = fast_two_sum(sum, 0.5 * square);
    let y = scale(sum + (error + next_error + rest), n);
    pick(x.abs() < f64::EPSILON / 4.0, x, y)
}

/// e^r 2^n to 33 bits or so.
#[inline(always)]
fn short_exp(n: f64, r: f64) -> f64 {
    (1.0 + (r + r * r * polynomial(r, &EXP_F32))) * power_of_two(n)
}

/// e^x to 33 bits or so, for |x| <= 700.
#[inline(always)]
pub(crate) fn short_exp_f64(x: f64) -> f64 {
    let (n, _) = round(x * LOG2_E);
    short_exp(n, x - n * core::f64::consts::LN_2)
}

/// In `f32` throughout: twice the lanes of the other functions, and full speed on devices with few units for `f64`.
#[inline(always)]
pub(crate) fn exp_f32(x: f32) -> f32 {
    let x = clamp(x, -104.0, 89.0);
    let (n, bits) = round_to_scale_f32(x * core::f32::consts::LOG2_E);
    let high = x - n * LN2_9.0;
    let low = n * LN2_9.1;
    let r = high - low;
    let square = r * r;
    let q = (EXP_SINGLE[0] + EXP_SINGLE[1] * r)
        + square * ((EXP_SINGLE[2] + EXP_SINGLE[3] * r) + square * EXP_SINGLE[4]);
    scale_by_bits_f32(1.0 + (high + (square * q - low)), bits)
}

#[inline(always)]
pub(crate) fn exp2_f32(x: f32) -> f32 {
    let x = clamp(x.into(), -160.0, 130.0);
    let (n, _) = round(x);
    short_exp(n, (x - n) * core::f64::consts::LN_2) as f32
}

#[inline(always)]
pub(crate) fn exp10_f32(x: f32) -> f32 {
    short_exp_f64(clamp(x.into(), -48.0, 40.0) * core::f64::consts::LN_10) as f32
}
