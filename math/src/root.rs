//! Cube root, reciprocal square root and the length of a vector of two.
//!
//! Each takes a good approximation and adds the first-order correction from its exact remainder (Muller et al.,
//! *Handbook of Floating-Point Arithmetic*, 2nd ed., chapters 4 and 5).

use crate::Math;
use crate::primitive::{
    fast_two_sum, from_small, pick, polynomial, power_of_two, sqrt, two_product, upper_half,
};

/// m^(-1/3) to 17 bits, for m in [1, 2].
const CBRT: [f64; 6] = [
    1.7776471684890054,
    -1.5540274077106597,
    1.2271496200207155,
    -0.5865141615889806,
    0.15224956438221762,
    -0.016511679091286462,
];
/// 2^(-1/3) and 2^(-2/3).
const CBRT_HALF: f64 = 0.7937005259840998;
const CBRT_QUARTER: f64 = 0.6299605249474366;

const TWO_54: f64 = 18014398509481984.0;
const TWO_200: f64 = f64::from_bits((1023 + 200) << 52);
const TWO_500: f64 = f64::from_bits((1023 + 500) << 52);
const TWO_600: f64 = f64::from_bits((1023 + 600) << 52);

/// The cube root, of negative numbers too.
///
/// Keeps zeros and infinities. Error: at most 1 ulp.
/// ```
/// assert_eq!(spelt_math::cbrt(-27.0_f64), -3.0);
/// ```
#[inline(always)]
pub fn cbrt<T: Math>(x: T) -> T {
    T::cbrt(x)
}

/// 1/sqrt(x), the reciprocal square root.
///
/// +-inf at +-0, 0 at inf, NaN below zero. Error: at most 1 ulp.
/// ```
/// assert_eq!(spelt_math::rsqrt(0.25_f32), 2.0);
/// ```
#[inline(always)]
pub fn rsqrt<T: Math>(x: T) -> T {
    T::rsqrt(x)
}

/// sqrt(x^2 + y^2) without overflow or underflow on the way.
///
/// inf if either is infinite, even beside NaN. Error: at most 1 ulp.
/// ```
/// assert_eq!(spelt_math::hypot(3.0_f64, 4.0), 5.0);
/// assert!(spelt_math::hypot(1e300_f64, 1e300) < 1.5e300);
/// ```
#[inline(always)]
pub fn hypot<T: Math>(x: T, y: T) -> T {
    T::hypot(x, y)
}

#[inline(always)]
pub(crate) fn cbrt_f64(x: f64) -> f64 {
    const FRACTION: u64 = (1 << 52) - 1;
    let magnitude = x.abs();
    let subnormal = magnitude < f64::MIN_POSITIVE;
    let bits = pick(subnormal, magnitude * TWO_54, magnitude).to_bits();
    // The bias 1023 is a multiple of 3. The product divides exponents below 2^11 by 3.
    let third = ((bits >> 52) * 43691) >> 17;
    let remainder = (bits >> 52).wrapping_sub(third * 3);
    let fraction = f64::from_bits((bits & FRACTION) | 1.0_f64.to_bits());
    let m = f64::from_bits((bits & FRACTION).wrapping_add(remainder.wrapping_add(1023) << 52));
    let remainder = from_small(remainder);
    let factor = pick(remainder == 0.0, 1.0, pick(remainder == 1.0, CBRT_HALF, CBRT_QUARTER));

    let inverse = polynomial(fraction, &CBRT) * factor;
    let error = 1.0 - m * (inverse * inverse * inverse);
    let inverse = inverse + inverse * (error * (1.0 / 3.0 + error * (2.0 / 9.0)));
    // Twenty-six bits of the root, so that its square is exact.
    let root = upper_half(m * (inverse * inverse));
    let square = root * root;
    let square_high = upper_half(square);
    let rest = (m - square_high * root) - (square - square_high) * root;
    let step = rest * (inverse * inverse) * (1.0 / 3.0);
    let root = root + (step + step * step * inverse);
    let exponent = from_small(third) - pick(subnormal, 341.0 + 18.0, 341.0);
    let root = (root * power_of_two(exponent)).copysign(x);
    pick((magnitude > 0.0) & (magnitude < f64::INFINITY), root, x)
}

#[inline(always)]
pub(crate) fn rsqrt_f64(x: f64) -> f64 {
    let small = x < 1.0 / TWO_500;
    let scaled = pick(small, x * TWO_600, x);
    let root = sqrt(scaled);
    let inverse = 1.0 / root;
    let (square, square_error) = two_product(root, root);
    let root_error = (scaled - square) - square_error;
    let (one, one_error) = two_product(root, inverse);
    let inverse_error = (1.0 - one) - one_error;
    let y = inverse + inverse * (inverse_error - 0.5 * root_error * inverse * inverse);
    let y = pick(small, y * (TWO_200 * f64::from_bits((1023 + 100) << 52)), y);
    pick((x > 0.0) & (x < f64::INFINITY), y, 1.0 / root)
}

#[inline(always)]
pub(crate) fn rsqrt_f32(x: f32) -> f32 {
    (1.0 / sqrt(x.into())) as f32
}

#[inline(always)]
pub(crate) fn hypot_f64(x: f64, y: f64) -> f64 {
    let (x, y) = (x.abs(), y.abs());
    let larger = pick(x > y, x, y);
    let smaller = pick(x > y, y, x);
    let factor = pick(larger > TWO_500, 1.0 / TWO_600, pick(larger < 1.0 / TWO_200, TWO_600, 1.0));
    let back = pick(larger > TWO_500, TWO_600, pick(larger < 1.0 / TWO_200, 1.0 / TWO_600, 1.0));
    let (a, a_error) = two_product(larger * factor, larger * factor);
    let (b, b_error) = two_product(smaller * factor, smaller * factor);
    let (sum, error) = fast_two_sum(a, b);
    let rest = error + (a_error + b_error);
    let root = sqrt(sum);
    let (square, square_error) = two_product(root, root);
    let step = (((sum - square) - square_error) + rest) / (root + root + f64::MIN_POSITIVE);
    let length = (root + step) * back;
    let length = pick(x.is_nan() | y.is_nan(), f64::NAN, length);
    pick((x == f64::INFINITY) | (y == f64::INFINITY), f64::INFINITY, length)
}

#[inline(always)]
pub(crate) fn hypot_f32(x: f32, y: f32) -> f32 {
    let (a, b) = (f64::from(x), f64::from(y));
    let length = sqrt(a * a + b * b) as f32;
    pick((x.abs() == f32::INFINITY) | (y.abs() == f32::INFINITY), f32::INFINITY, length)
}
