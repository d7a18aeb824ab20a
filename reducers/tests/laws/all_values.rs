//! Claims of reducers about all values, tested on all edge values, NaNs with payloads and both zeros included:
//! [`Reducer::EXACT`] on all triples, [`Reducer::REORDERABLE`] on all pairs, [`Reducer::neutral`] on both sides of each.

use core::num::Wrapping;

use spelt_reducers::*;

use crate::bits::{Bits, EDGES};
use crate::check::{associative, commutative, joined};

/// The edge values, and NaNs that are signalling and have a payload.
fn floats() -> Vec<f64> {
    let nans = [0x7ff0_0000_0000_0001, 0xfff0_0000_0000_0001, 0x7ff8_0000_dead_beef];
    EDGES.into_iter().chain(nans.map(f64::from_bits)).collect()
}

fn integers() -> [i8; 7] {
    [0, 1, 2, -1, 77, i8::MAX, i8::MIN]
}

/// The bits, with one NaN for all: arithmetic may change a payload, and which of two stays.
fn tidy<V: Bits>(value: &V) -> Vec<u128> {
    let quiet = |word: u128| match u64::try_from(word) {
        Ok(word) if f64::from_bits(word).is_nan() => u128::from(f64::NAN.to_bits()),
        _ => word,
    };
    value.bits().into_iter().map(quiet).collect()
}

/// Fails where the reducer says too much.
fn lawful<R: Reducer<Value: Clone + Bits + core::fmt::Debug>>(reducer: &R, values: &[R::Value]) {
    for a in values {
        if let Some(neutral) = reducer.neutral() {
            assert!(reducer.is_neutral(&neutral), "{neutral:?} does not say that it is neutral");
            assert_eq!(tidy(&joined(reducer, &neutral, a)), tidy(a), "{neutral:?} joined with {a:?}");
            assert_eq!(tidy(&joined(reducer, a, &neutral)), tidy(a), "{a:?} joined with {neutral:?}");
        }
        for b in values {
            if reducer.is_neutral(b) {
                assert_eq!(tidy(&joined(reducer, a, b)), tidy(a), "{a:?} joined with {b:?}");
            }
            if R::REORDERABLE {
                commutative(reducer, a, b);
            }
            for c in values.iter().filter(|_| R::EXACT) {
                associative(reducer, a, b, c);
            }
        }
    }
    assert!(R::EXACT || !R::REORDERABLE, "what may be reordered may be regrouped");
}

/// Fails unless the reducer has a neutral value, without which scattering is slower.
fn has_neutral<R: Reducer>(reducer: &R) {
    assert!(reducer.neutral().is_some());
}

#[test]
fn of_integers() {
    let all = integers();
    macro_rules! lawful_and_neutral {
        ($($reducer:expr),+) => {$( lawful(&$reducer, &all); has_neutral(&$reducer); )+};
    }
    lawful_and_neutral!(
        Sum::<i8>::new(),
        Prod::<i8>::new(),
        Min::<i8>::new(),
        Max::<i8>::new(),
        BAnd::<i8>::new(),
        BOr::<i8>::new()
    );
    // 2 is true, and a join makes it 1.
    lawful(&LAnd::<i8>::new(), &all);
    lawful(&LOr::<i8>::new(), &all);
    lawful(&Sum::<Wrapping<i8>>::new(), &all.map(Wrapping));
    lawful(&Prod::<Wrapping<i8>>::new(), &all.map(Wrapping));
    let all = [false, true];
    macro_rules! of_bool {
        ($($reducer:ident)+) => {$( lawful(&$reducer::<bool>::new(), &all); has_neutral(&$reducer::<bool>::new()); )+};
    }
    of_bool!(LAnd LOr BAnd BOr Min Max);
    let ends = |min_val| integers().map(|max_val| MinMaxValue { min_val, max_val });
    lawful(&MinMax::<i8>::new(), &integers().map(ends).concat());
}

/// A truth that has several values is changed by a join for one that means the same.
#[test]
fn truths_of_integers_are_not_exact() {
    fn exact<R: Reducer>(_: &R) -> bool {
        R::EXACT
    }
    assert!(exact(&LOr::<bool>::new()) && exact(&LAnd::<bool>::new()));
    assert!(!exact(&LOr::<i32>::new()) && !exact(&LAnd::<u8>::new()));
    let any = LOr::<i32>::new();
    assert_eq!((joined(&any, &2, &any.init()), any.neutral()), (1, None));
}

#[test]
fn of_floats() {
    let all = floats();
    macro_rules! of_floats {
        ($($reducer:ident)+) => {$( lawful(&$reducer::<f64>::new(), &all); has_neutral(&$reducer::<f64>::new()); )+};
    }
    of_floats!(Sum Prod Min Max);
    let by = MinBy::new(f64::total_cmp);
    lawful(&by, &all.iter().map(|&x| Some(x)).chain([None]).collect::<Vec<_>>());
    let compound: Vec<[f64; 2]> = all.iter().flat_map(|&a| [[a, -0.0], [1.0, a]]).collect();
    lawful(&Sum::<[f64; 2]>::new(), &compound);
    lawful(&Prod::<[f64; 2]>::new(), &compound);
    lawful(&Elementwise::<_, 2>::new(Max::<f64>::new()), &compound);
    lawful(&InOrder::new(Min::<f64>::new()), &all);
    lawful(&Finish::new(Sum::<f64>::new(), f64::sqrt), &all);
    let tuples: Vec<(f64, i8)> = all.iter().flat_map(|&a| [(a, 0), (a, 3)]).collect();
    lawful(&(Sum::<f64>::new(), BOr::<i8>::new()), &tuples);
    has_neutral(&(Sum::<f64>::new(), BOr::<i8>::new()));
    lawful(&Sum::<(f64, i8)>::new(), &tuples);
}

#[test]
fn of_locations() {
    let places = [0_u8, 3, 254, 255];
    let few =
        [0.0, -0.0, 1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, f64::from_bits(0x7ff8_0000_dead_beef)];
    let located: Vec<(f64, u8)> = few.iter().flat_map(|&x| places.map(|i| (x, i))).collect();
    macro_rules! located {
        ($($reducer:ident $value:ident { $($val:ident)+; $($loc:ident)+ })*) => {$({
            let values: Vec<_> = located.iter().map(|&(x, i)| $value { $($val: x,)+ $($loc: i,)+ }).collect();
            lawful(&$reducer::<f64, u8>::new(), &values);
            has_neutral(&$reducer::<f64, u8>::new());
        })*};
    }
    located! {
        MinLoc MinLocValue { val; loc }
        MaxLoc MaxLocValue { val; loc }
        MinMaxLoc MinMaxLocValue { min_val max_val; min_loc max_loc }
        MinMaxFirstLastLoc MinMaxFirstLastLocValue { min_val max_val; min_loc max_loc }
    }
    let ends: Vec<_> =
        few.iter().flat_map(|&a| few.map(|b| MinMaxValue { min_val: a, max_val: b })).collect();
    lawful(&MinMax::<f64>::new(), &ends);
    let found = [false, true].into_iter().flat_map(|found| places.map(|at| (at, found)));
    let first: Vec<_> =
        found.clone().map(|(min_loc_true, found)| FirstLocValue { min_loc_true, found }).collect();
    let last: Vec<_> = found.map(|(max_loc_true, found)| LastLocValue { max_loc_true, found }).collect();
    lawful(&FirstLoc::<u8>::new(), &first);
    lawful(&LastLoc::<u8>::new(), &last);
}

#[cfg(feature = "half")]
#[test]
fn of_halves() {
    use half::f16;
    let all: Vec<f16> = EDGES.into_iter().map(f16::from_f64).filter(|x| !x.is_nan()).collect();
    lawful(&Sum::<f16>::new(), &all);
    lawful(&Prod::<f16>::new(), &all);
    lawful(&Min::<f16>::new(), &all);
}

#[cfg(feature = "num-complex")]
#[test]
fn of_complex_numbers() {
    use num_complex::Complex;
    assert!(Prod::<Complex<f64>>::new().neutral().is_none(), "1 times an infinite number has a NaN");
    let sum = Sum::<Complex<f64>>::new();
    let neutral = sum.neutral().expect("zeros");
    assert!(sum.is_neutral(&neutral));
    for x in floats() {
        let z = Complex::new(x, -x);
        let after = joined(&sum, &z, &neutral);
        assert_eq!(tidy(&[after.re, after.im]), tidy(&[x, -x]));
    }
}

/// Custom elements and reducers declare nothing by default, and then count as having no neutral value.
#[test]
fn nothing_is_believed_that_is_not_said() {
    #[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
    struct Kelvin(f64);
    impl MinMaxElement for Kelvin {
        const LARGEST: Self = Kelvin(f64::INFINITY);
        const LOWEST: Self = Kelvin(0.0);
    }
    impl SumElement for Kelvin {
        const ZERO: Self = Kelvin(0.0);
        fn plus(self, other: Self) -> Self {
            Kelvin(self.0 + other.0)
        }
    }
    fn reorderable<R: Reducer>(_: &R) -> bool {
        R::REORDERABLE
    }
    assert!(!reorderable(&Min::<Kelvin>::new()));
    assert_eq!(Min::<Kelvin>::new().neutral(), None);
    assert_eq!(MinLoc::<Kelvin>::new().neutral(), None);
    assert_eq!(Sum::<Kelvin>::new().neutral(), None);
    assert_eq!((Sum::<Kelvin>::new(), Sum::<u8>::new()).neutral(), None);
    assert_eq!(custom(0, |into: &mut i32, from| *into += from).neutral(), None);
}
