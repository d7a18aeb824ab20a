//! The error function and its complement.
//!
//! Up to 3/4, erf x = x + x P(x^2). Beyond, (1 + 2x) e^(x^2) erfc x is a polynomial in (x - 4)/(x + 4)
//! (Shepherd and Laframboise, "Chebyshev approximation of (1 + 2x) exp(x^2) erfc x in 0 <= x < inf", Math.
//! Comp. 36, 1981), here for x <= 28 and with its quotient and e^(-x^2) carried to extra digits.

use crate::Math;
use crate::exp::exp_parts;
use crate::primitive::{divide, fast_two_sum, pick, polynomial, power_of_two, scale, two_product};

/// The argument from which erfc's polynomial is used instead of erf's.
const HANDOVER: f64 = 0.75;

/// erf(x)/x - 1 in x^2.
const ERF: [f64; 12] = [
    0.1283791670955126,
    -0.37612638903183754,
    0.11283791670955087,
    -0.026866170645118426,
    0.005223977625221888,
    -0.0008548327001109076,
    0.00012055331543818947,
    -1.4925589331989037e-05,
    1.646038204353174e-06,
    -1.6333213091801684e-07,
    1.4413751635274794e-08,
    -9.502408872183395e-10,
];
/// (1 + 2x) e^(x^2) erfc x in t = (x - 4)/(x + 4), from the term in t on.
const ERFCX: [f64; 21] = [
    -0.13962111684056247,
    0.01537965210261973,
    0.06809705425468683,
    -0.10103906603630139,
    0.09373283499861536,
    -0.06633036581235933,
    0.03716751553196725,
    -0.01619773405483002,
    0.005031970040861333,
    -0.0007577733225345093,
    -0.00019925712705547096,
    0.00015062191070684287,
    -2.439733110218051e-05,
    -1.122305685939286e-05,
    5.704448748242942e-06,
    2.9665510276653616e-07,
    -8.159964460483626e-07,
    6.981013196894079e-08,
    9.989947255297007e-08,
    -1.3360838898288864e-08,
    -8.28245745156264e-09,
];
/// The constant term in two parts.
const ERFCX_0: (f64, f64) = (1.2329951186255526, -4.556443744252981e-17);

/// The error function, 2/sqrt(pi) times the integral of e^(-t^2) from 0 to x.
///
/// Odd, keeps the sign of zero; +-1 from about +-5.92 (`f32`: 3.92) on.
/// Error: at most 1 ulp.
/// ```
/// assert_eq!(spelt_math::erf(f64::NEG_INFINITY), -1.0);
/// ```
#[inline(always)]
pub fn erf<T: Math>(x: T) -> T {
    T::erf(x)
}

/// 1 - erf x, accurate also where it is small.
///
/// 2 at -inf, 0 beyond 27.23 (`f32`: 10.06).
/// Error: at most 1 ulp.
/// ```
/// assert_eq!(spelt_math::erfc(0.0_f64), 1.0);
/// ```
#[inline(always)]
pub fn erfc<T: Math>(x: T) -> T {
    T::erfc(x)
}

/// (n, a, b): erfc x = 2^n (a + b), for x in [3/4, 28].
#[inline(always)]
fn tail(x: f64) -> (f64, f64, f64) {
    let t = (x - 4.0) / (x + 4.0);
    let (high, low) = fast_two_sum(ERFCX_0.0, t * polynomial(t, &ERFCX));
    let (g, g_rest) = divide((high, low + ERFCX_0.1), fast_two_sum(2.0 * x, 1.0));
    let (square, square_rest) = two_product(x, x);
    let (n, e, e_rest) = exp_parts(-square, -square_rest);
    let (product, error) = two_product(e, g);
    (n, product, error + (e * g_rest + e_rest * g))
}

/// `x` within the range of `tail`, up to `limit`.
#[inline(always)]
fn far(x: f64, limit: f64) -> f64 {
    let x = x.abs();
    let x = pick(x > limit, limit, x);
    pick(x < HANDOVER, HANDOVER, x)
}

#[inline(always)]
pub(crate) fn erf_f64(x: f64) -> f64 {
    let near = x.abs() < HANDOVER;
    let square = x * x;
    let small = x + x * polynomial(square, &ERF);
    let (n, a, b) = tail(far(x, 6.5));
    let factor = power_of_two(n);
    let (sum, error) = fast_two_sum(1.0, -a * factor);
    pick(near, small, (sum + (error - b * factor)).copysign(x))
}

#[inline(always)]
pub(crate) fn erfc_f64(x: f64) -> f64 {
    let near = x.abs() < HANDOVER;
    let (sum, error) = fast_two_sum(1.0, -x);
    let small = sum + (error - x * polynomial(x * x, &ERF));
    let (n, a, b) = tail(far(x, 28.0));
    let right = scale(a + b, n);
    let (sum, error) = fast_two_sum(2.0, -right);
    pick(near, small, pick(x < 0.0, sum + error, right))
}
