//! Special values: limits, signed zeros, NaN, exact results, thresholds.

use spelt_math as m;

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

/// Equal bits, or both NaN.
#[track_caller]
fn same(got: f64, expected: f64) {
    assert!(
        got.to_bits() == expected.to_bits() || (got.is_nan() && expected.is_nan()),
        "got {got:e}, not {expected:e}"
    );
}

/// The same value is expected of both types; `x` and `y` are exact in both.
macro_rules! check {
    ($($name:ident($($x:expr),+) = $y:expr;)*) => {$(
        same(m::$name($($x as f64),+), $y);
        same(f64::from(m::$name($($x as f32),+)), $y as f32 as f64);
    )*};
}

#[test]
fn limits_of_exponentials() {
    check! {
        exp(0.0) = 1.0; exp(-0.0) = 1.0; exp(INF) = INF; exp(-INF) = 0.0; exp(NAN) = NAN; exp(800.0) = INF; exp(-800.0) = 0.0;
        exp2(0.0) = 1.0; exp2(10.0) = 1024.0; exp2(-126.0) = 1.0 / (2.0f64).powi(126); exp2(INF) = INF; exp2(-INF) = 0.0;
        exp2(NAN) = NAN; exp2(1024.0) = INF; exp2(-1076.0) = 0.0; exp2(-1e30) = 0.0; exp2(1e30) = INF;
        exp10(0.0) = 1.0; exp10(1.0) = 10.0; exp10(2.0) = 100.0; exp10(INF) = INF; exp10(-INF) = 0.0; exp10(NAN) = NAN;
        exp10(400.0) = INF; exp10(-400.0) = 0.0;
        exp_m1(0.0) = 0.0; exp_m1(-0.0) = -0.0; exp_m1(INF) = INF; exp_m1(-INF) = -1.0; exp_m1(NAN) = NAN; exp_m1(-100.0) = -1.0;
        sinh(0.0) = 0.0; sinh(-0.0) = -0.0; sinh(INF) = INF; sinh(-INF) = -INF; sinh(NAN) = NAN; sinh(-1000.0) = -INF;
        cosh(0.0) = 1.0; cosh(-0.0) = 1.0; cosh(INF) = INF; cosh(-INF) = INF; cosh(NAN) = NAN; cosh(-1000.0) = INF;
        tanh(0.0) = 0.0; tanh(-0.0) = -0.0; tanh(INF) = 1.0; tanh(-INF) = -1.0; tanh(NAN) = NAN; tanh(-50.0) = -1.0;
    }
    for n in -1074..1024 {
        let power = if n < -1022 {
            f64::from_bits(1 << (n + 1074))
        } else {
            f64::from_bits(((n + 1023) as u64) << 52)
        };
        same(m::exp2(f64::from(n)), power);
        same(m::log2(power), f64::from(n));
    }
}

#[test]
fn limits_of_logarithms() {
    check! {
        ln(1.0) = 0.0; ln(0.0) = -INF; ln(-0.0) = -INF; ln(-1.0) = NAN; ln(INF) = INF; ln(-INF) = NAN; ln(NAN) = NAN;
        log2(1.0) = 0.0; log2(8.0) = 3.0; log2(0.0) = -INF; log2(-0.0) = -INF; log2(-1.0) = NAN; log2(INF) = INF; log2(NAN) = NAN;
        log10(1.0) = 0.0; log10(10.0) = 1.0; log10(0.0) = -INF; log10(-0.0) = -INF; log10(-1.0) = NAN; log10(INF) = INF;
        log10(NAN) = NAN;
        ln_1p(0.0) = 0.0; ln_1p(-0.0) = -0.0; ln_1p(-1.0) = -INF; ln_1p(-2.0) = NAN; ln_1p(INF) = INF; ln_1p(-INF) = NAN;
        ln_1p(NAN) = NAN;
    }
    for n in 0..=22 {
        same(m::log10(10.0_f64.powi(n)), f64::from(n));
    }
    same(m::ln_1p(f64::MAX), m::ln(f64::MAX));
}

#[test]
fn limits_of_angles() {
    use core::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};
    check! {
        sin(0.0) = 0.0; sin(-0.0) = -0.0; sin(INF) = NAN; sin(-INF) = NAN; sin(NAN) = NAN;
        cos(0.0) = 1.0; cos(-0.0) = 1.0; cos(INF) = NAN; cos(-INF) = NAN; cos(NAN) = NAN;
        tan(0.0) = 0.0; tan(-0.0) = -0.0; tan(INF) = NAN; tan(-INF) = NAN; tan(NAN) = NAN;
        asin(0.0) = 0.0; asin(-0.0) = -0.0; asin(1.0) = FRAC_PI_2; asin(-1.0) = -FRAC_PI_2; asin(1.5) = NAN; asin(INF) = NAN;
        asin(-INF) = NAN; asin(NAN) = NAN;
        acos(1.0) = 0.0; acos(0.0) = FRAC_PI_2; acos(-0.0) = FRAC_PI_2; acos(-1.0) = PI; acos(1.5) = NAN; acos(INF) = NAN;
        acos(-INF) = NAN; acos(NAN) = NAN;
        atan(0.0) = 0.0; atan(-0.0) = -0.0; atan(1.0) = FRAC_PI_4; atan(INF) = FRAC_PI_2; atan(-INF) = -FRAC_PI_2; atan(NAN) = NAN;
        atan2(0.0, 1.0) = 0.0; atan2(-0.0, 1.0) = -0.0; atan2(0.0, -1.0) = PI; atan2(-0.0, -1.0) = -PI;
        atan2(0.0, 0.0) = 0.0; atan2(-0.0, 0.0) = -0.0; atan2(0.0, -0.0) = PI; atan2(-0.0, -0.0) = -PI;
        atan2(1.0, 0.0) = FRAC_PI_2; atan2(-1.0, -0.0) = -FRAC_PI_2; atan2(1.0, INF) = 0.0; atan2(-1.0, INF) = -0.0;
        atan2(1.0, -INF) = PI; atan2(-1.0, -INF) = -PI; atan2(INF, 1.0) = FRAC_PI_2; atan2(-INF, 1.0) = -FRAC_PI_2;
        atan2(INF, INF) = FRAC_PI_4; atan2(-INF, INF) = -FRAC_PI_4; atan2(INF, -INF) = 3.0 * FRAC_PI_4;
        atan2(-INF, -INF) = -3.0 * FRAC_PI_4; atan2(NAN, 1.0) = NAN; atan2(1.0, NAN) = NAN;
    }
    same(m::atan2(f64::from_bits(1), f64::MAX), 0.0);
    same(m::atan2(f64::from_bits(3), 1.0), f64::from_bits(3));
    same(m::atan2(1e-300, 1e10), 1e-300 / 1e10);
}

#[test]
fn limits_of_powers_and_roots() {
    check! {
        pow(0.0, 3.0) = 0.0; pow(-0.0, 3.0) = -0.0; pow(-0.0, 2.0) = 0.0; pow(0.0, -3.0) = INF; pow(-0.0, -3.0) = -INF;
        pow(-0.0, -2.0) = INF; pow(0.0, 0.5) = 0.0; pow(-0.0, 0.5) = 0.0; pow(-0.0, -0.5) = INF;
        pow(0.0, INF) = 0.0; pow(-0.0, -INF) = INF; pow(-1.0, INF) = 1.0; pow(-1.0, -INF) = 1.0;
        pow(1.0, NAN) = 1.0; pow(NAN, 0.0) = 1.0; pow(NAN, -0.0) = 1.0; pow(NAN, 1.0) = NAN; pow(2.0, NAN) = NAN; pow(1.0, INF) = 1.0;
        pow(-2.0, 0.5) = NAN; pow(-2.0, 3.0) = -8.0; pow(-2.0, 2.0) = 4.0; pow(-2.0, -1.0) = -0.5;
        pow(0.5, INF) = 0.0; pow(0.5, -INF) = INF; pow(2.0, INF) = INF; pow(-2.0, INF) = INF; pow(2.0, -INF) = 0.0;
        pow(INF, 2.0) = INF; pow(INF, -2.0) = 0.0; pow(-INF, 3.0) = -INF; pow(-INF, 2.0) = INF; pow(-INF, -3.0) = -0.0;
        pow(-INF, -2.0) = 0.0; pow(-INF, 0.5) = INF; pow(10.0, 400.0) = INF; pow(-10.0, -401.0) = -0.0; pow(3.0, 4.0) = 81.0;
        cbrt(0.0) = 0.0; cbrt(-0.0) = -0.0; cbrt(INF) = INF; cbrt(-INF) = -INF; cbrt(NAN) = NAN; cbrt(27.0) = 3.0; cbrt(-8.0) = -2.0;
        rsqrt(0.0) = INF; rsqrt(-0.0) = -INF; rsqrt(INF) = 0.0; rsqrt(-1.0) = NAN; rsqrt(NAN) = NAN; rsqrt(4.0) = 0.5;
        hypot(3.0, -4.0) = 5.0; hypot(0.0, -0.0) = 0.0; hypot(INF, NAN) = INF; hypot(NAN, -INF) = INF; hypot(NAN, 1.0) = NAN;
        hypot(1.0, NAN) = NAN; hypot(-0.0, 2.0) = 2.0;
    }
    same(m::hypot(f64::MAX, f64::MAX), INF);
    same(m::hypot(f64::from_bits(3), f64::from_bits(4)), f64::from_bits(5));
    same(m::rsqrt(f64::from_bits(1)), 2.0_f64.powi(537));
    for n in 1..100 {
        same(m::cbrt(f64::from(n * n * n)), f64::from(n));
    }
}

#[test]
fn limits_of_error_functions() {
    check! {
        erf(0.0) = 0.0; erf(-0.0) = -0.0; erf(INF) = 1.0; erf(-INF) = -1.0; erf(NAN) = NAN; erf(7.0) = 1.0;
        erfc(0.0) = 1.0; erfc(-0.0) = 1.0; erfc(INF) = 0.0; erfc(-INF) = 2.0; erfc(NAN) = NAN; erfc(30.0) = 0.0; erfc(-7.0) = 2.0;
    }
}

#[test]
fn thresholds_of_overflow_and_underflow() {
    let above = |x: f64| f64::from_bits(x.to_bits() + 1);
    // The last arguments with finite results, and with results other than zero, from `mpmath`.
    let largest: f64 = 709.782712893384;
    assert!(m::exp(largest).is_finite() && m::exp(above(largest)) == INF);
    let smallest = -745.1332191019411;
    assert!(m::exp(smallest) == f64::from_bits(1) && m::exp(above(smallest)) == 0.0);
    let largest: f64 = 710.4758600739439;
    assert!(m::sinh(largest).is_finite() && m::sinh(above(largest)) == INF);
    assert!(m::cosh(largest).is_finite() && m::cosh(above(largest)) == INF);
    assert!(m::exp(88.722_83_f32).is_finite() && m::exp(88.722_84_f32) == f32::INFINITY);
}
