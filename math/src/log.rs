//! The logarithms.
//!
//! x = 2^k m with m in [sqrt 1/2, sqrt 2); with f = m - 1 and s = f / (2 + f), ln m = f - f^2/2 + s (f^2/2 + R)
//! where s R is the tail of 2 artanh s beyond its first term (Tang, "Table-driven implementation of the
//! logarithm function", ACM TOMS 16, 1990, without the table). The large terms are summed exactly.

use crate::Math;
use crate::primitive::{
    LN2_HI, LN2_LO, divide, fast_two_sum, from_small, pick, polynomial, power_of_two, two_product, two_sum,
    upper_half,
};

/// 1/ln 2 and 1/ln 10 in two parts of which the first has 26 bits; log10 2 with 42 bits.
const LOG2_E_26: (f64, f64) = (1.4426950216293335, 1.9259629911266175e-08);
const LOG10_E_26: (f64, f64) = (0.4342944771051407, 4.798111141615973e-09);
const LOG10_2_42: (f64, f64) = (0.30102999566395283, 2.8363394551044964e-14);

/// (2 artanh(s) / s - 2) / s^2 in s^2, for |s| <= (sqrt 2 - 1) / (sqrt 2 + 1).
const LN: [f64; 7] = [
    0.666666666666667,
    0.3999999999989889,
    0.28571428626253836,
    0.22222211089379496,
    0.1818289243253687,
    0.15331611722055008,
    0.14617807153417325,
];
/// The same to 29 bits.
const LN_F32: [f64; 4] = [0.6666666655404201, 0.4000012221181065, 0.28550778633191964, 0.23331614471843498];
/// The same less its first term 2/3, divided by s^2.
const LN_TAIL: [f64; 9] = [
    0.4,
    0.28571428571428564,
    0.2222222222222847,
    0.1818181817964499,
    0.1538461576290815,
    0.13333296397963834,
    0.11766819021629554,
    0.10456195110401492,
    0.1076362151501126,
];
/// 2/3 in two parts.
const TWO_THIRDS: (f64, f64) = (0.6666666666666666, 3.700743415417188e-17);

/// The natural logarithm.
///
/// -inf at either zero, NaN below zero, inf at inf; ln 1 = +0.
/// Error: at most 1 ulp.
/// ```
/// assert_eq!(spelt_math::ln(1.0_f64), 0.0);
/// ```
#[inline(always)]
pub fn ln<T: Math>(x: T) -> T {
    T::ln(x)
}

/// ln(1 + x), accurate also near zero.
///
/// Keeps the sign of zero; -inf at -1, NaN below -1, inf at inf.
/// Error: at most 1 ulp.
/// ```
/// assert_eq!(spelt_math::ln_1p(-1e-20_f64), -1e-20);
/// ```
#[inline(always)]
pub fn ln_1p<T: Math>(x: T) -> T {
    T::ln_1p(x)
}

/// The logarithm to base 2.
///
/// Exact for powers of two; -inf at either zero, NaN below zero, inf at inf.
/// Error: at most 1 ulp.
/// ```
/// assert_eq!(spelt_math::log2(0.125_f64), -3.0);
/// ```
#[inline(always)]
pub fn log2<T: Math>(x: T) -> T {
    T::log2(x)
}

/// The logarithm to base 10.
///
/// -inf at either zero, NaN below zero, inf at inf.
/// Error: at most 1 ulp.
/// ```
/// assert_eq!(spelt_math::log10(1000.0_f64), 3.0);
/// ```
#[inline(always)]
pub fn log10<T: Math>(x: T) -> T {
    T::log10(x)
}

/// (k, m) with x = 2^k m and m in [sqrt 1/2, sqrt 2), for finite x > 0.
#[inline(always)]
fn decompose(x: f64) -> (f64, f64) {
    const TWO_54: f64 = 18014398509481984.0;
    const ROOT_HALF: u64 = core::f64::consts::FRAC_1_SQRT_2.to_bits();
    const BIAS: u64 = 1100;
    let subnormal = x < f64::MIN_POSITIVE;
    let bits = pick(subnormal, x * TWO_54, x).to_bits();
    let biased = bits.wrapping_sub(ROOT_HALF).wrapping_add(BIAS << 52) >> 52;
    let k = from_small(biased) - pick(subnormal, BIAS as f64 + 54.0, BIAS as f64);
    (k, f64::from_bits(bits.wrapping_sub(biased.wrapping_sub(BIAS) << 52)))
}

/// ln m = a + b, returned with s: (a, b, s).
#[inline(always)]
fn reduced_ln(m: f64) -> (f64, f64, f64) {
    let f = m - 1.0;
    let s = f / (2.0 + f);
    let square = s * s;
    let half = 0.5 * f * f;
    (f, s * (half + square * polynomial(square, &LN)) - half, s)
}

/// `y` for finite x > 0 and the limits elsewhere.
#[inline(always)]
fn with_limits(x: f64, y: f64) -> f64 {
    let y = pick(x == 0.0, f64::NEG_INFINITY, y);
    let y = pick(x < 0.0, f64::NAN, y);
    pick(x < f64::INFINITY, y, x)
}

#[inline(always)]
pub(crate) fn ln_f64(x: f64) -> f64 {
    let (k, m) = decompose(x);
    let (a, b, _) = reduced_ln(m);
    let (sum, error) = fast_two_sum(k * LN2_HI, a);
    with_limits(x, sum + (error + (b + k * LN2_LO)))
}

/// ln m = a + b with a of 26 bits.
#[inline(always)]
fn split_ln(m: f64) -> (f64, f64) {
    let (a, b, _) = reduced_ln(m);
    let high = upper_half(a + b);
    (high, (a - high) + b)
}

#[inline(always)]
pub(crate) fn log2_f64(x: f64) -> f64 {
    let (k, m) = decompose(x);
    let (high, low) = split_ln(m);
    let (sum, error) = fast_two_sum(k, high * LOG2_E_26.0);
    with_limits(x, sum + (error + (high * LOG2_E_26.1 + low * core::f64::consts::LOG2_E)))
}

#[inline(always)]
pub(crate) fn log10_f64(x: f64) -> f64 {
    let (k, m) = decompose(x);
    let (high, low) = split_ln(m);
    let (sum, error) = fast_two_sum(k * LOG10_2_42.0, high * LOG10_E_26.0);
    let low = high * LOG10_E_26.1 + low * core::f64::consts::LOG10_E;
    with_limits(x, sum + (error + (low + k * LOG10_2_42.1)))
}

#[inline(always)]
pub(crate) fn ln_1p_f64(x: f64) -> f64 {
    let (u, lost) = two_sum(1.0, x);
    let (k, m) = decompose(u);
    let (a, b, s) = reduced_ln(m);
    // Beyond 2^60 the rounding of 1 + x no longer shows, and 2^-k would leave the range.
    let small = x < 1152921504606846976.0;
    let lost = pick(small, lost, 0.0) * power_of_two(pick(small, -k, 0.0));
    // 1/m = (1 - s) / (1 + s); three terms are enough for a correction of half an ulp.
    let correction = lost * (1.0 - 2.0 * s * (1.0 - s * (1.0 - s * (1.0 - s))));
    let (sum, error) = fast_two_sum(k * LN2_HI, a);
    let y = with_limits(u, sum + (error + ((b + correction) + k * LN2_LO)));
    pick(x.abs() < f64::EPSILON / 4.0, x, y)
}

/// ln x as an unevaluated sum with a relative error of about 2^-65, for finite x > 0.
#[inline(always)]
pub(crate) fn ln_parts(x: f64) -> (f64, f64) {
    let (k, m) = decompose(x);
    let f = m - 1.0;
    let (s, s_low) = divide((f, 0.0), fast_two_sum(2.0, f));
    let (square, square_low) = two_product(s, s);
    let square_low = square_low + 2.0 * s * s_low;
    let (inner, inner_low) = fast_two_sum(TWO_THIRDS.0, square * polynomial(square, &LN_TAIL));
    let inner_low = inner_low + TWO_THIRDS.1;
    let (t, t_low) = two_product(square, inner);
    let t_low = t_low + (square * inner_low + square_low * inner);
    let (u, u_low) = two_product(s, t);
    let u_low = u_low + (s * t_low + s_low * t);
    let (a, b) = fast_two_sum(2.0 * s, u);
    let (high, low) = fast_two_sum(k * LN2_HI, a);
    fast_two_sum(high, low + ((b + (2.0 * s_low + u_low)) + k * LN2_LO))
}

/// k and ln m to 33 bits or so.
#[inline(always)]
fn short_ln(x: f64) -> (f64, f64) {
    let (k, m) = decompose(x);
    let f = m - 1.0;
    let s = f / (2.0 + f);
    let square = s * s;
    (k, s * (2.0 + square * polynomial(square, &LN_F32)))
}

#[inline(always)]
pub(crate) fn ln_f32(x: f32) -> f32 {
    let (k, ln_m) = short_ln(x.into());
    with_limits(x.into(), k * core::f64::consts::LN_2 + ln_m) as f32
}

#[inline(always)]
pub(crate) fn log2_f32(x: f32) -> f32 {
    let (k, ln_m) = short_ln(x.into());
    with_limits(x.into(), k + ln_m * core::f64::consts::LOG2_E) as f32
}

#[inline(always)]
pub(crate) fn log10_f32(x: f32) -> f32 {
    let (k, ln_m) = short_ln(x.into());
    with_limits(x.into(), k * core::f64::consts::LOG10_2 + ln_m * core::f64::consts::LOG10_E) as f32
}
