//! The power function.
//!
//! x^y = e^(y ln x), with ln x to 65 bits or so and its product with y exact to twice the precision
//! (Muller, *Elementary Functions*, 3rd ed., chapter 13); signs and limits as in C99, annex F.

use crate::Math;
use crate::exp::{exp_parts, short_exp_f64};
use crate::log::{ln_f64, ln_parts};
use crate::primitive::{clamp, pick, scale, two_product};

/// x^y.
///
/// 1 for y = 0 or x = 1, regardless of the other; NaN for x < 0 and y not integral. Zeros and infinities keep
/// the sign of x for odd integral y, as in C99, annex F.
/// Error: at most 1 ulp.
/// ```
/// assert_eq!(spelt_math::pow(-3.0_f64, 5.0), -243.0);
/// ```
#[inline(always)]
pub fn pow<T: Math>(x: T, y: T) -> T {
    T::pow(x, y)
}

/// Whether `x` >= 0 is an integer.
#[inline(always)]
fn is_integer(x: f64) -> bool {
    const TWO_52: f64 = 4503599627370496.0;
    (x >= TWO_52) | ((x + TWO_52) - TWO_52 == x)
}

/// x^y from |x|^y for finite x other than 0.
#[inline(always)]
fn with_limits(x: f64, y: f64, power: f64) -> f64 {
    const TWO_53: f64 = 9007199254740992.0;
    let base = x.abs();
    let power = pick(base == 0.0, pick(y < 0.0, f64::INFINITY, 0.0), power);
    let power = pick(base == f64::INFINITY, pick(y < 0.0, 0.0, f64::INFINITY), power);
    let integral = is_integer(y.abs());
    let odd = integral & (y.abs() < TWO_53) & !is_integer(0.5 * y.abs());
    let power = pick(odd, power.copysign(x), power);
    let undefined = (x < 0.0) & (base < f64::INFINITY) & !integral;
    let power = pick(undefined | x.is_nan() | y.is_nan(), f64::NAN, power);
    pick((y == 0.0) | (x == 1.0), 1.0, power)
}

#[inline(always)]
pub(crate) fn pow_f64(x: f64, y: f64) -> f64 {
    // Beyond 2^70 every base but 1 gives 0 or infinity.
    const LIMIT: f64 = 1180591620717411303424.0;
    let exponent = clamp(y, -LIMIT, LIMIT);
    let (ln, ln_rest) = ln_parts(x.abs());
    let (product, error) = two_product(exponent, ln);
    let high = clamp(product, -746.0, 710.0);
    let rest = pick(high == product, error + exponent * ln_rest, 0.0);
    let (n, a, b) = exp_parts(high, rest);
    with_limits(x, y, scale(a + b, n))
}

#[inline(always)]
pub(crate) fn pow_f32(x: f32, y: f32) -> f32 {
    const LIMIT: f64 = 1099511627776.0; // 2^40, beyond which every base but 1 gives 0 or infinity.
    let (x, y) = (f64::from(x), f64::from(y));
    let product = clamp(y, -LIMIT, LIMIT) * ln_f64(x.abs());
    let power = short_exp_f64(clamp(product, -110.0, 90.0));
    with_limits(x, y, power) as f32
}
