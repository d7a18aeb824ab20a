//! The trait behind the free functions.

use crate::{erf, exp, hyperbolic, inverse_trig, log, pow, root, trig};

mod private {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// The numbers the functions of this crate take: `f32` and `f64`.
///
/// These are associated functions, not methods: `x.exp()` would call the method of that name which `std`
/// gives the type. The free function of the same name documents range, limits and error.
///
/// `f32` functions compute in `f64` and round once, which costs half the lanes and leaves an error of little
/// more than half an ulp; those in frequent use have shorter polynomials than `f64`'s. `exp` alone computes in `f32`,
/// in half the time, with an error of up to 0.98 ulp.
///
/// Sealed, as each function knows the bits of its type.
///
/// ```
/// fn length<T: spelt_math::Math>(v: [T; 2]) -> T {
///     T::hypot(v[0], v[1])
/// }
/// assert_eq!(length([3.0_f32, 4.0]), 5.0);
/// ```
pub trait Math: Copy + private::Sealed {
    /// e^x; see [`exp`](crate::exp()).
    fn exp(x: Self) -> Self;
    /// 2^x; see [`exp2`](crate::exp2()).
    fn exp2(x: Self) -> Self;
    /// 10^x; see [`exp10`](crate::exp10()).
    fn exp10(x: Self) -> Self;
    /// e^x - 1; see [`exp_m1`](crate::exp_m1()).
    fn exp_m1(x: Self) -> Self;
    /// The natural logarithm; see [`ln`](crate::ln()).
    fn ln(x: Self) -> Self;
    /// ln(1 + x); see [`ln_1p`](crate::ln_1p()).
    fn ln_1p(x: Self) -> Self;
    /// The logarithm to base 2; see [`log2`](crate::log2()).
    fn log2(x: Self) -> Self;
    /// The logarithm to base 10; see [`log10`](crate::log10()).
    fn log10(x: Self) -> Self;
    /// The sine; see [`sin`](crate::sin()).
    fn sin(x: Self) -> Self;
    /// The cosine; see [`cos`](crate::cos()).
    fn cos(x: Self) -> Self;
    /// Sine and cosine; see [`sin_cos`](crate::sin_cos()).
    fn sin_cos(x: Self) -> (Self, Self);
    /// The tangent; see [`tan`](crate::tan()).
    fn tan(x: Self) -> Self;
    /// The arc sine; see [`asin`](crate::asin()).
    fn asin(x: Self) -> Self;
    /// The arc cosine; see [`acos`](crate::acos()).
    fn acos(x: Self) -> Self;
    /// The arc tangent; see [`atan`](crate::atan()).
    fn atan(x: Self) -> Self;
    /// The angle of the point (x, y); see [`atan2`](crate::atan2()).
    fn atan2(y: Self, x: Self) -> Self;
    /// The hyperbolic sine; see [`sinh`](crate::sinh()).
    fn sinh(x: Self) -> Self;
    /// The hyperbolic cosine; see [`cosh`](crate::cosh()).
    fn cosh(x: Self) -> Self;
    /// The hyperbolic tangent; see [`tanh`](crate::tanh()).
    fn tanh(x: Self) -> Self;
    /// x^y; see [`pow`](crate::pow()).
    fn pow(x: Self, y: Self) -> Self;
    /// The cube root; see [`cbrt`](crate::cbrt()).
    fn cbrt(x: Self) -> Self;
    /// 1/sqrt(x); see [`rsqrt`](crate::rsqrt()).
    fn rsqrt(x: Self) -> Self;
    /// sqrt(x^2 + y^2); see [`hypot`](crate::hypot()).
    fn hypot(x: Self, y: Self) -> Self;
    /// The error function; see [`erf`](crate::erf()).
    fn erf(x: Self) -> Self;
    /// 1 - erf x; see [`erfc`](crate::erfc()).
    fn erfc(x: Self) -> Self;
}

impl Math for f64 {
    #[inline(always)]
    fn exp(x: Self) -> Self {
        exp::exp_f64(x)
    }
    #[inline(always)]
    fn exp2(x: Self) -> Self {
        exp::exp2_f64(x)
    }
    #[inline(always)]
    fn exp10(x: Self) -> Self {
        exp::exp10_f64(x)
    }
    #[inline(always)]
    fn exp_m1(x: Self) -> Self {
        exp::exp_m1_f64(x)
    }
    #[inline(always)]
    fn ln(x: Self) -> Self {
        log::ln_f64(x)
    }
    #[inline(always)]
    fn ln_1p(x: Self) -> Self {
        log::ln_1p_f64(x)
    }
    #[inline(always)]
    fn log2(x: Self) -> Self {
        log::log2_f64(x)
    }
    #[inline(always)]
    fn log10(x: Self) -> Self {
        log::log10_f64(x)
    }
    #[inline(always)]
    fn sin(x: Self) -> Self {
        trig::sin_f64(x)
    }
    #[inline(always)]
    fn cos(x: Self) -> Self {
        trig::cos_f64(x)
    }
    #[inline(always)]
    fn sin_cos(x: Self) -> (Self, Self) {
        trig::sin_cos_f64(x)
    }
    #[inline(always)]
    fn tan(x: Self) -> Self {
        trig::tan_f64(x)
    }
    #[inline(always)]
    fn asin(x: Self) -> Self {
        inverse_trig::asin_f64(x)
    }
    #[inline(always)]
    fn acos(x: Self) -> Self {
        inverse_trig::acos_f64(x)
    }
    #[inline(always)]
    fn atan(x: Self) -> Self {
        inverse_trig::atan_f64(x)
    }
    #[inline(always)]
    fn atan2(y: Self, x: Self) -> Self {
        inverse_trig::atan2_f64(y, x)
    }
    #[inline(always)]
    fn sinh(x: Self) -> Self {
        hyperbolic::sinh_f64(x)
    }
    #[inline(always)]
    fn cosh(x: Self) -> Self {
        hyperbolic::cosh_f64(x)
    }
    #[inline(always)]
    fn tanh(x: Self) -> Self {
        hyperbolic::tanh_f64(x)
    }
    #[inline(always)]
    fn pow(x: Self, y: Self) -> Self {
        pow::pow_f64(x, y)
    }
    #[inline(always)]
    fn cbrt(x: Self) -> Self {
        root::cbrt_f64(x)
    }
    #[inline(always)]
    fn rsqrt(x: Self) -> Self {
        root::rsqrt_f64(x)
    }
    #[inline(always)]
    fn hypot(x: Self, y: Self) -> Self {
        root::hypot_f64(x, y)
    }
    #[inline(always)]
    fn erf(x: Self) -> Self {
        erf::erf_f64(x)
    }
    #[inline(always)]
    fn erfc(x: Self) -> Self {
        erf::erfc_f64(x)
    }
}

impl Math for f32 {
    #[inline(always)]
    fn exp(x: Self) -> Self {
        exp::exp_f32(x)
    }
    #[inline(always)]
    fn exp2(x: Self) -> Self {
        exp::exp2_f32(x)
    }
    #[inline(always)]
    fn exp10(x: Self) -> Self {
        exp::exp10_f32(x)
    }
    #[inline(always)]
    fn exp_m1(x: Self) -> Self {
        exp::exp_m1_f64(x.into()) as f32
    }
    #[inline(always)]
    fn ln(x: Self) -> Self {
        log::ln_f32(x)
    }
    #[inline(always)]
    fn ln_1p(x: Self) -> Self {
        log::ln_1p_f64(x.into()) as f32
    }
    #[inline(always)]
    fn log2(x: Self) -> Self {
        log::log2_f32(x)
    }
    #[inline(always)]
    fn log10(x: Self) -> Self {
        log::log10_f32(x)
    }
    #[inline(always)]
    fn sin(x: Self) -> Self {
        trig::sin_f32(x)
    }
    #[inline(always)]
    fn cos(x: Self) -> Self {
        trig::cos_f32(x)
    }
    #[inline(always)]
    fn sin_cos(x: Self) -> (Self, Self) {
        trig::sin_cos_f32(x)
    }
    #[inline(always)]
    fn tan(x: Self) -> Self {
        trig::tan_f32(x)
    }
    #[inline(always)]
    fn asin(x: Self) -> Self {
        inverse_trig::asin_f64(x.into()) as f32
    }
    #[inline(always)]
    fn acos(x: Self) -> Self {
        inverse_trig::acos_f64(x.into()) as f32
    }
    #[inline(always)]
    fn atan(x: Self) -> Self {
        inverse_trig::atan_f64(x.into()) as f32
    }
    #[inline(always)]
    fn atan2(y: Self, x: Self) -> Self {
        inverse_trig::atan2_f64(y.into(), x.into()) as f32
    }
    #[inline(always)]
    fn sinh(x: Self) -> Self {
        hyperbolic::sinh_f64(x.into()) as f32
    }
    #[inline(always)]
    fn cosh(x: Self) -> Self {
        hyperbolic::cosh_f64(x.into()) as f32
    }
    #[inline(always)]
    fn tanh(x: Self) -> Self {
        hyperbolic::tanh_f64(x.into()) as f32
    }
    #[inline(always)]
    fn pow(x: Self, y: Self) -> Self {
        pow::pow_f32(x, y)
    }
    #[inline(always)]
    fn cbrt(x: Self) -> Self {
        root::cbrt_f64(x.into()) as f32
    }
    #[inline(always)]
    fn rsqrt(x: Self) -> Self {
        root::rsqrt_f32(x)
    }
    #[inline(always)]
    fn hypot(x: Self, y: Self) -> Self {
        root::hypot_f32(x, y)
    }
    #[inline(always)]
    fn erf(x: Self) -> Self {
        erf::erf_f64(x.into()) as f32
    }
    #[inline(always)]
    fn erfc(x: Self) -> Self {
        erf::erfc_f64(x.into()) as f32
    }
}
