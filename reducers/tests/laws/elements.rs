//! Elements that are not plain numbers: compound, from other crates, and the user's own.

use spelt_reducers::*;

use crate::check::folded;

#[test]
fn parts_add_and_multiply() {
    assert_eq!(folded(&Sum::<[i32; 3]>::new(), &[[1, 2, 3], [4, 5, 6]]), [5, 7, 9]);
    assert_eq!(folded(&Prod::<(i32, f64)>::new(), &[(2, 0.5), (3, 0.5)]), (6, 0.25));
    assert_eq!(folded(&Sum::<[(u8, f32); 1]>::new(), &[[(1, 0.5)], [(255, 0.5)]]), [(0, 1.0)]);
}

#[test]
fn bools_combine_as_bits() {
    assert!(!folded(&BAnd::<bool>::new(), &[true, false]));
    assert!(folded(&BOr::<bool>::new(), &[true, false]));
    assert_eq!(folded(&BAnd::<i8>::new(), &[-1, 0b0110, 0b0011]), 0b0010);
    assert_eq!(folded(&BOr::<u128>::new(), &[1 << 127, 1]), (1 << 127) | 1);
}

#[cfg(feature = "num-complex")]
#[test]
fn complex_numbers() {
    use num_complex::Complex;
    let i = Complex::new(0.0_f64, 1.0);
    assert_eq!(folded(&Prod::<Complex<f64>>::new(), &[i, i]), Complex::new(-1.0, 0.0));
    assert_eq!(folded(&Sum::<Complex<f64>>::new(), &[i, i]), Complex::new(0.0, 2.0));
}

#[cfg(feature = "half")]
#[test]
fn halves_round_after_every_operation() {
    use half::f16;
    let x = [2048.0, 1.0, 1.0].map(f16::from_f32);
    assert_eq!(folded(&Sum::<f16>::new(), &x), f16::from_f32(2048.0));
    let x = [300.0, 300.0].map(f16::from_f32);
    assert_eq!(folded(&Prod::<f16>::new(), &x), f16::INFINITY);
}

/// A point, ordered by its coordinates; with all the traits a user may implement.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
struct Point {
    x: f32,
    y: f32,
}

impl MinMaxElement for Point {
    const LARGEST: Self = Point { x: f32::INFINITY, y: f32::INFINITY };
    const LOWEST: Self = Point { x: f32::NEG_INFINITY, y: f32::NEG_INFINITY };
}

#[test]
fn elements_of_the_users() {
    let x = [Point { x: 1.0, y: 2.0 }, Point { x: f32::NAN, y: 0.0 }, Point { x: 1.0, y: 1.0 }];
    assert_eq!(folded(&Min::<Point>::new(), &x), x[2]);
    assert_eq!(folded(&Max::<Point>::new(), &x), x[0]);
    let mut best = MinLoc::<Point, i8>::new().init();
    for (x, i) in x.into_iter().zip([-1, -2, -3]) {
        best.update(x, i);
    }
    assert_eq!(best.loc, -3);
}
