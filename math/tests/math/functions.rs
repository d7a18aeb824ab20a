//! All functions by name, with the largest error promised.

use spelt_math as m;

/// A function of one argument or of two.
#[derive(Clone, Copy)]
pub(crate) enum Function<T> {
    One(fn(T) -> T),
    Two(fn(T, T) -> T),
}
use Function::{One, Two};

/// Name, `f64` function and its bound, `f32` function and its bound; bounds in ulp.
pub(crate) type Row = (&'static str, Function<f64>, f64, Function<f32>, f64);

pub(crate) const FUNCTIONS: &[Row] = &[
    ("exp", One(m::exp), 1.0, One(m::exp), 1.0),
    ("exp2", One(m::exp2), 1.0, One(m::exp2), 0.51),
    ("exp10", One(m::exp10), 1.0, One(m::exp10), 0.51),
    ("exp_m1", One(m::exp_m1), 1.0, One(m::exp_m1), 0.51),
    ("ln", One(m::ln), 1.0, One(m::ln), 0.51),
    ("ln_1p", One(m::ln_1p), 1.0, One(m::ln_1p), 0.51),
    ("log2", One(m::log2), 1.0, One(m::log2), 0.51),
    ("log10", One(m::log10), 1.0, One(m::log10), 0.51),
    ("sin", One(m::sin), 1.0, One(m::sin), 0.51),
    ("cos", One(m::cos), 1.0, One(m::cos), 0.51),
    ("tan", One(m::tan), 1.0, One(m::tan), 0.51),
    ("asin", One(m::asin), 1.0, One(m::asin), 0.51),
    ("acos", One(m::acos), 1.0, One(m::acos), 0.51),
    ("atan", One(m::atan), 1.0, One(m::atan), 0.51),
    ("atan2", Two(m::atan2), 1.0, Two(m::atan2), 0.51),
    ("sinh", One(m::sinh), 1.0, One(m::sinh), 0.51),
    ("cosh", One(m::cosh), 1.0, One(m::cosh), 0.51),
    ("tanh", One(m::tanh), 1.0, One(m::tanh), 0.51),
    ("pow", Two(m::pow), 1.0, Two(m::pow), 0.51),
    ("cbrt", One(m::cbrt), 1.0, One(m::cbrt), 0.51),
    ("rsqrt", One(m::rsqrt), 1.0, One(m::rsqrt), 0.51),
    ("hypot", Two(m::hypot), 1.0, Two(m::hypot), 0.51),
    ("erf", One(m::erf), 1.0, One(m::erf), 0.51),
    ("erfc", One(m::erfc), 1.0, One(m::erfc), 0.51),
];

/// Name, `f64` function, `f32` function and the latter's bound.
pub(crate) type Unary = (&'static str, fn(f64) -> f64, fn(f32) -> f32, f64);

/// The functions of one argument.
pub(crate) fn unary() -> impl Iterator<Item = Unary> {
    FUNCTIONS.iter().filter_map(|&(name, double, _, single, bound)| match (double, single) {
        (One(double), One(single)) => Some((name, double, single, bound)),
        _ => None,
    })
}
