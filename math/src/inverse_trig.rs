//! Arc sine, arc cosine and arc tangent.
//!
//! Arc sine beyond 1/2 uses asin x = pi/2 - 2 asin sqrt((1 - x)/2); arc tangent beyond tan(pi/8) uses
//! atan x = pi/4 + atan((x - 1)/(x + 1)) (Cody and Waite, *Software Manual for the Elementary Functions*, 1980).
//! Square root and quotient are corrected by their exact remainders.

use core::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use crate::Math;
use crate::primitive::{divide, fast_two_sum, pick, polynomial, sqrt, two_product};

/// The rounding errors of pi/2 and pi.
const FRAC_PI_2_REST: f64 = 6.123233995736766e-17;
const PI_REST: f64 = 1.2246467991473532e-16;

/// (asin x - x) / x^3 in x^2, for |x| <= 1/2.
const ASIN: [f64; 14] = [
    0.16666666666666666,
    0.07500000000000118,
    0.04464285714255172,
    0.030381944475548442,
    0.02237215744272046,
    0.01735281656310595,
    0.013963779590463264,
    0.011566464825440114,
    0.009621799004518995,
    0.009319814583697355,
    0.0030438935535264367,
    0.0195569803120686,
    -0.01924525711649446,
    0.029614311863487102,
];
/// (atan t - t) / t^3 in t^2, for |t| <= tan(pi/8).
const ATAN: [f64; 12] = [
    -0.3333333333333333,
    0.199999999999998,
    -0.14285714285659326,
    0.11111111105106705,
    -0.09090908751076636,
    0.0769229630497447,
    -0.06666423628069258,
    0.058789145444006215,
    -0.052303478730160745,
    0.04551108126325172,
    -0.034558092551413795,
    0.01627194475162406,
];

/// The arc sine, in [-pi/2, pi/2].
///
/// Keeps the sign of zero; NaN for |x| > 1.
/// Error: at most 1 ulp.
/// ```
/// assert_eq!(spelt_math::asin(1.0_f64), core::f64::consts::FRAC_PI_2);
/// ```
#[inline(always)]
pub fn asin<T: Math>(x: T) -> T {
    T::asin(x)
}

/// The arc cosine, in [0, pi].
///
/// acos 1 = +0; NaN for |x| > 1.
/// Error: at most 1 ulp.
/// ```
/// assert_eq!(spelt_math::acos(-1.0_f64), core::f64::consts::PI);
/// ```
#[inline(always)]
pub fn acos<T: Math>(x: T) -> T {
    T::acos(x)
}

/// The arc tangent, in [-pi/2, pi/2].
///
/// Keeps the sign of zero; +-pi/2 at infinities.
/// Error: at most 1 ulp.
/// ```
/// assert_eq!(spelt_math::atan(1.0_f64), core::f64::consts::FRAC_PI_4);
/// ```
#[inline(always)]
pub fn atan<T: Math>(x: T) -> T {
    T::atan(x)
}

/// The angle of the point (x, y) with the positive x axis, in [-pi, pi].
///
/// Zeros and infinities by quadrant as in C99, annex F: atan2(+-0, -0) = +-pi, atan2(inf, inf) = pi/4.
/// Error: at most 1 ulp.
/// ```
/// assert_eq!(spelt_math::atan2(0.0_f64, -1.0), core::f64::consts::PI);
/// ```
#[inline(always)]
pub fn atan2<T: Math>(y: T, x: T) -> T {
    T::atan2(y, x)
}

/// (beyond, s, rest): asin |x| = s + rest, or, where |x| is beyond 1/2, pi/2 - 2 (s + rest).
#[inline(always)]
fn reduced_asin(x: f64) -> (bool, f64, f64) {
    let x = x.abs();
    let beyond = x > 0.5;
    let square = pick(beyond, 0.5 * (1.0 - x), x * x);
    let s = pick(beyond, sqrt(square), x);
    let (product, error) = two_product(s, s);
    // The smallest normal number keeps 0/0 away at x = 1.
    let correction = ((square - product) - error) / (s + s + f64::MIN_POSITIVE);
    (beyond, s, pick(beyond, correction, 0.0) + s * (square * polynomial(square, &ASIN)))
}

#[inline(always)]
pub(crate) fn asin_f64(x: f64) -> f64 {
    let (beyond, s, rest) = reduced_asin(x);
    let (sum, error) = fast_two_sum(FRAC_PI_2, -2.0 * s);
    let far = sum + (error + (FRAC_PI_2_REST - 2.0 * rest));
    pick(x.abs() > 1.0, f64::NAN, pick(beyond, far, s + rest).copysign(x))
}

#[inline(always)]
pub(crate) fn acos_f64(x: f64) -> f64 {
    let (beyond, s, rest) = reduced_asin(x);
    let negative = x < 0.0;
    // Near zero pi/2 -+ asin |x|; beyond 1/2 twice the reduced arc sine, from 0 or down from pi.
    let start = pick(beyond, pick(negative, PI, 0.0), FRAC_PI_2);
    let start_rest = pick(beyond, pick(negative, PI_REST, 0.0), FRAC_PI_2_REST);
    let factor = pick(beyond, pick(negative, -2.0, 2.0), pick(negative, 1.0, -1.0));
    let (sum, error) = fast_two_sum(start, factor * s);
    let rest = start_rest + factor * rest;
    pick(x.abs() > 1.0, f64::NAN, sum + (error + rest))
}

/// The angle of the point (x, y) from |y| and |x|, of like size, and whether x counts as negative.
#[inline(always)]
fn angle(y: f64, x: f64, negative: bool, tiny_ratio: Option<f64>) -> f64 {
    let steep = y > x;
    let (smaller, larger) = (pick(steep, x, y), pick(steep, y, x));
    let diagonal = smaller > larger * (core::f64::consts::SQRT_2 - 1.0);
    let difference = fast_two_sum(-larger, smaller);
    let sum = fast_two_sum(larger, smaller);
    let numerator = (pick(diagonal, difference.0, smaller), pick(diagonal, difference.1, 0.0));
    let denominator = (pick(diagonal, sum.0, larger), pick(diagonal, sum.1, 0.0));
    let (mut t, mut rest) = divide(numerator, denominator);
    if let Some(ratio) = tiny_ratio {
        let tiny = ratio < f64::EPSILON * f64::EPSILON;
        t = pick(tiny, ratio, t);
        rest = pick(tiny, 0.0, rest);
    }
    let square = t * t;
    let rest = rest + t * (square * polynomial(square, &ATAN));
    // Eighths of a turn from which, and the direction in which, the small angle counts.
    let eighths = pick(diagonal, 1.0, 0.0);
    let eighths = pick(steep, 2.0 - eighths, eighths);
    let eighths = pick(negative, 4.0 - eighths, eighths);
    let direction = pick(steep != negative, -1.0, 1.0);
    // The product is exact: pi/4 as a number ends in zero bits.
    let (sum, error) = fast_two_sum(eighths * FRAC_PI_4, direction * t);
    sum + (error + (eighths * (0.5 * FRAC_PI_2_REST) + direction * rest))
}

#[inline(always)]
pub(crate) fn atan_f64(x: f64) -> f64 {
    const TWO_70: f64 = 1180591620717411303424.0;
    let y = x.abs();
    angle(pick(y > TWO_70, TWO_70, y), 1.0, false, None).copysign(x)
}

#[inline(always)]
pub(crate) fn atan2_f64(y: f64, x: f64) -> f64 {
    const TWO_500: f64 = f64::from_bits((1023 + 500) << 52);
    const TWO_600: f64 = f64::from_bits((1023 + 600) << 52);
    let (a, b) = (y.abs(), x.abs());
    // An infinity is replaced by 1 and the finite operand by 0; the origin lies on the x axis.
    let infinite = (a == f64::INFINITY) | (b == f64::INFINITY);
    let p = pick(infinite, pick(a == f64::INFINITY, 1.0, 0.0), a);
    let q = pick(infinite, pick(b == f64::INFINITY, 1.0, 0.0), b);
    let q = pick((p == 0.0) & (q == 0.0), 1.0, q);
    let larger = pick(p > q, p, q);
    let ratio = pick(p > q, q, p) / larger;
    let factor = pick(larger > TWO_500, 1.0 / TWO_600, pick(larger < 1.0 / TWO_500, TWO_600, 1.0));
    let result = angle(p * factor, q * factor, x.is_sign_negative(), Some(ratio)).copysign(y);
    pick(x.is_nan() | y.is_nan(), f64::NAN, result)
}
