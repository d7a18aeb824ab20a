//! Symmetries to the last bit, order at seams, and the sameness of a function's several faces.

use spelt_math as m;

use crate::functions::{FUNCTIONS, Function, unary};

/// Numbers of all sizes, from a multiplicative generator.
fn samples() -> impl Iterator<Item = f64> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    (0..20_000).map(move |i| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        if i % 2 == 0 { f64::from_bits(state) } else { (state >> 11) as f64 * 2.0_f64.powi(-50) - 4.0 }
    })
}

#[test]
fn odd_and_even_functions_are_so_to_the_last_bit() {
    let odd = ["sin", "tan", "asin", "atan", "sinh", "tanh", "cbrt", "erf"];
    for (name, double, single, _) in unary() {
        let sign = if odd.contains(&name) { -1.0 } else { 1.0 };
        if sign == 1.0 && !["cos", "cosh"].contains(&name) {
            continue;
        }
        for x in samples().filter(|x| !x.is_nan()) {
            let (a, b) = (double(-x), sign * double(x));
            assert!(a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan(), "{name}(+-{x:e})");
            let (a, b) = (single(-x as f32), sign as f32 * single(x as f32));
            assert!(a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan(), "{name}(+-{x:e}) in f32");
        }
    }
}

#[test]
fn sin_cos_gives_the_bits_of_sin_and_cos() {
    for x in samples().filter(|x| x.is_finite()) {
        assert_eq!(m::sin_cos(x), (m::sin(x), m::cos(x)));
        if (x as f32).is_finite() {
            assert_eq!(m::sin_cos(x as f32), (m::sin(x as f32), m::cos(x as f32)));
        }
    }
}

#[test]
fn results_stay_in_range() {
    for x in samples().filter(|x| x.is_finite()) {
        assert!(m::sin(x).abs() <= 1.0 && m::cos(x).abs() <= 1.0, "{x:e}");
        assert!(m::tanh(x).abs() <= 1.0 && m::erf(x).abs() <= 1.0, "{x:e}");
        assert!((0.0..=2.0).contains(&m::erfc(x)), "{x:e}");
        assert!(m::atan(x).abs() <= core::f64::consts::FRAC_PI_2, "{x:e}");
        assert!(m::exp(x) >= 0.0 && m::exp_m1(x) >= -1.0 && m::cosh(x) >= 1.0, "{x:e}");
    }
}

type Seams = (fn(f64) -> f64, &'static [f64]);

/// Across the points where the algorithm changes, sixteen ulps further the function is not smaller.
#[test]
fn rising_functions_rise_across_seams() {
    let seams: &[Seams] = &[
        (m::exp, &[0.34657359027997264, 1.0397207708399179, -0.34657359027997264]),
        (m::exp_m1, &[0.34657359027997264, -0.34657359027997264, 1e-16, 41.5]),
        (m::ln, &[core::f64::consts::SQRT_2, core::f64::consts::FRAC_1_SQRT_2, 1.0, f64::MIN_POSITIVE]),
        (m::ln_1p, &[0.41421356237309503, -0.2928932188134524, 1e-16, 1152921504606846976.0]),
        (m::asin, &[0.5, -0.5]),
        (m::atan, &[0.41421356237309503, 1.0, 2.414213562373095]),
        (m::sinh, &[0.34657359027997264, 21.1]),
        (m::tanh, &[0.34657359027997264, 1.0397207708399179]),
        (m::cbrt, &[1.0, 2.0, 4.0, 8.0, f64::MIN_POSITIVE]),
        (m::erf, &[0.75, -0.75]),
        (m::sin, &[core::f64::consts::FRAC_PI_4, 1.0 / 134217728.0]),
    ];
    for (function, points) in seams {
        for &point in *points {
            let bits = point.to_bits();
            let mut values: Vec<f64> =
                (0..64).map(|step| function(f64::from_bits(bits - 512 + 16 * step))).collect();
            if point < 0.0 {
                values.reverse();
            }
            assert!(values.is_sorted(), "near {point:e}");
        }
    }
}

/// The promise of the crate: one number for all builds and machines. A change of it is a change of results.
const PINNED: u64 = 0x9af2_feef_d321_61df;

#[test]
fn results_have_the_pinned_bits() {
    // Fowler, Noll and Vo's hash, with one number for all NaNs.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut mix = |bits: u64| hash = (hash ^ bits).wrapping_mul(0x0100_0000_01b3);
    let x: Vec<f64> = samples().collect();
    for (_, double, _, single, _) in FUNCTIONS {
        let results: Vec<f64> = match double {
            Function::One(f) => x.iter().map(|&x| f(x)).collect(),
            Function::Two(f) => x.iter().zip(&x[1..]).map(|(&x, &y)| f(x, y)).collect(),
        };
        results.iter().for_each(|y| mix(if y.is_nan() { 1 } else { y.to_bits() }));
        let results: Vec<f32> = match single {
            Function::One(f) => x.iter().map(|&x| f(x as f32)).collect(),
            Function::Two(f) => x.iter().zip(&x[1..]).map(|(&x, &y)| f(x as f32, y as f32)).collect(),
        };
        results.iter().for_each(|y| mix(if y.is_nan() { 1 } else { y.to_bits().into() }));
    }
    assert_eq!(hash, PINNED, "now {hash:#x}");
}
