//! Joins associate and commute, bit for bit, wherever the reducer promises it.

use core::num::Wrapping;

use proptest::prelude::*;
use spelt_reducers::*;

use crate::bits::{Bits, any_float};
use crate::check::{associative, associative_unpromised, commutative, folded, joined};

#[test]
fn integer_sums_and_products_wrap() {
    assert_eq!(folded(&Sum::<u8>::new(), &[200, 100]), 44);
    assert_eq!(folded(&Sum::<i8>::new(), &[127, 1]), -128);
    assert_eq!(folded(&Prod::<i32>::new(), &[i32::MIN, -1]), i32::MIN);
    assert_eq!(folded(&Prod::<u64>::new(), &[1 << 63, 2]), 0);
    assert_eq!(folded(&Sum::<Wrapping<u16>>::new(), &[Wrapping(u16::MAX), Wrapping(2)]), Wrapping(1));
    assert_eq!(folded(&Sum::<[u8; 2]>::new(), &[[255, 1], [2, 3]]), [1, 4]);
}

#[test]
fn float_sums_do_not_promise_to_associate() {
    let sum = Sum::<f64>::new();
    let (a, b, c) = (1e16, 1.0, 1.0);
    let left = joined(&sum, &joined(&sum, &a, &b), &c);
    let right = joined(&sum, &a, &joined(&sum, &b, &c));
    assert_ne!(left, right);
    fn exact<R: Reducer>(_: R) -> bool {
        R::EXACT
    }
    assert!(!exact(sum) && !exact(Prod::<f32>::new()) && !exact(Sum::<(u8, f32)>::new()));
    assert!(!exact((Sum::<u8>::new(), Sum::<f32>::new())) && exact((Sum::<u8>::new(), Max::<f32>::new())));
    assert!(!exact(Columns::new(Sum::<f32>::new(), 3)) && exact(Elementwise::<_, 3>::new(Sum::<i8>::new())));
    assert!(!exact(custom(0_u8, |a, b| *a |= *b)) && exact(InOrder::new(Max::<f32>::new())));
    assert!(!exact(MinBy::new(u8::cmp)));
}

#[test]
fn subnormals_and_extremes_survive_sums() {
    assert_eq!(folded(&Sum::<f64>::new(), &[5e-324, 5e-324]), 1e-323);
    assert_eq!(folded(&Sum::<f64>::new(), &[f64::MAX, f64::MAX]), f64::INFINITY);
    assert!(folded(&Sum::<f64>::new(), &[f64::INFINITY, f64::NEG_INFINITY]).is_nan());
    assert!(folded(&Sum::<f64>::new(), &[1.0, f64::NAN, 2.0]).is_nan());
    assert!(folded(&Prod::<f64>::new(), &[0.0, f64::INFINITY]).is_nan());
}

#[test]
fn logical_results_are_zero_or_one() {
    assert_eq!(folded(&LAnd::<i32>::new(), &[5, -3]), 1);
    assert_eq!(folded(&LAnd::<i32>::new(), &[5, 0]), 0);
    assert_eq!(folded(&LOr::<i32>::new(), &[0, -3]), 1);
    assert_eq!(LAnd::<i32>::new().finish(5), 1);
    assert_eq!(LOr::<i32>::new().finish(0), 0);
}

/// A value with a location that depends on `lane`, so that no location occurs twice.
fn located(lane: usize, x: f64, i: u16) -> (f64, usize) {
    (x, usize::from(i) * 3 + lane)
}

proptest! {
    #[test]
    fn integers(a: i32, b: i32, c: i32) {
        macro_rules! laws {
            ($($name:ident)*) => {$(
                associative(&$name::<i32>::new(), &a, &b, &c);
                commutative(&$name::<i32>::new(), &a, &b);
            )*};
        }
        laws! { Sum Prod Min Max BAnd BOr }
    }

    #[test]
    fn bools(a: bool, b: bool, c: bool) {
        macro_rules! laws {
            ($($name:ident)*) => {$(
                associative(&$name::<bool>::new(), &a, &b, &c);
                commutative(&$name::<bool>::new(), &a, &b);
            )*};
        }
        laws! { LAnd LOr BAnd BOr Min Max }
        prop_assert_eq!(folded(&LAnd::<bool>::new(), &[a, b, c]), a && b && c);
        prop_assert_eq!(folded(&LOr::<bool>::new(), &[a, b, c]), a || b || c);
    }

    #[test]
    fn extrema(a in any_float(), b in any_float(), c in any_float()) {
        associative(&Min::<f64>::new(), &a, &b, &c);
        associative(&Max::<f64>::new(), &a, &b, &c);
        let both = |x| MinMaxValue { min_val: x, max_val: x };
        associative(&MinMax::<f64>::new(), &both(a), &both(b), &both(c));
        if a != b && !(a.is_nan() && b.is_nan()) {
            commutative(&Min::<f64>::new(), &a, &b);
            commutative(&Max::<f64>::new(), &a, &b);
        }
    }

    #[test]
    fn located_extrema(x: [u16; 3], a in any_float(), b in any_float(), c in any_float()) {
        let [a, b, c] = [located(0, a, x[0]), located(1, b, x[1]), located(2, c, x[2])];

        let value = |(val, loc)| MinLocValue { val, loc };
        associative(&MinLoc::<f64>::new(), &value(a), &value(b), &value(c));
        commutative(&MinLoc::<f64>::new(), &value(a), &value(b));

        let value = |(val, loc)| MaxLocValue { val, loc };
        associative(&MaxLoc::<f64>::new(), &value(a), &value(b), &value(c));
        commutative(&MaxLoc::<f64>::new(), &value(a), &value(b));

        let value = |(x, i)| MinMaxLocValue { min_val: x, max_val: x, min_loc: i, max_loc: i };
        associative(&MinMaxLoc::<f64>::new(), &value(a), &value(b), &value(c));
        commutative(&MinMaxLoc::<f64>::new(), &value(a), &value(b));

        let value = |(x, i)| MinMaxFirstLastLocValue { min_val: x, max_val: x, min_loc: i, max_loc: i };
        associative(&MinMaxFirstLastLoc::<f64>::new(), &value(a), &value(b), &value(c));
        commutative(&MinMaxFirstLastLoc::<f64>::new(), &value(a), &value(b));

        let value = |(val, loc)| Some(MinLocValue { val, loc });
        let descending = MinLocBy::<f64, _>::new(|a, b| b.total_cmp(a));
        associative_unpromised(&descending, &value(a), &value(b), &value(c));
        commutative(&descending, &value(a), &value(b));
    }

    /// Updating with a contribution is joining it, unless the running value is NaN.
    #[test]
    fn an_update_is_a_join(x in any_float(), i: u8, run in prop::collection::vec((any_float(), any::<u8>()), 0..4)) {
        macro_rules! laws {
            ($($name:ident: $value:ident { $($val:ident)+; $($loc:ident)+ })*) => {$({
                let reducer = $name::<f64, u8>::new();
                let mut before = reducer.init();
                for &(x, i) in &run {
                    before.update(x, i);
                }
                let single = $value { $($val: x,)+ $($loc: i,)+ };
                let mut after = before;
                after.update(x, i);
                prop_assert_eq!(after.bits(), joined(&reducer, &before, &single).bits());
            })*};
        }
        laws! {
            MinLoc: MinLocValue { val; loc }
            MaxLoc: MaxLocValue { val; loc }
            MinMaxLoc: MinMaxLocValue { min_val max_val; min_loc max_loc }
            MinMaxFirstLastLoc: MinMaxFirstLastLocValue { min_val max_val; min_loc max_loc }
        }
        let mut ends = MinMax::<f64>::new().init();
        for &(x, _) in &run {
            ends.update(x);
        }
        let expected = joined(&MinMax::<f64>::new(), &ends, &MinMaxValue { min_val: x, max_val: x });
        ends.update(x);
        prop_assert_eq!(ends.bits(), expected.bits());
    }

    #[test]
    fn conditions(hits in prop::collection::vec(any::<bool>(), 0..40), cut in 0_usize..40) {
        let cut = cut.min(hits.len());
        let (mut first, mut last) = ([FirstLoc::<usize>::new().init(); 2], [LastLoc::<usize>::new().init(); 2]);
        for (i, &hit) in hits.iter().enumerate().rev() {
            first[usize::from(i < cut)].update(hit, i);
            last[usize::from(i < cut)].update(hit, i);
        }
        commutative(&FirstLoc::<usize>::new(), &first[0], &first[1]);
        commutative(&LastLoc::<usize>::new(), &last[0], &last[1]);
        let first = joined(&FirstLoc::<usize>::new(), &first[0], &first[1]);
        let last = joined(&LastLoc::<usize>::new(), &last[0], &last[1]);
        prop_assert_eq!(first.get(), hits.iter().position(|&hit| hit));
        prop_assert_eq!(last.get(), hits.iter().rposition(|&hit| hit));
    }

    /// The locations of arrays and tuples compare as the types do, without branches.
    #[test]
    fn locations_compare_as_in_a_dictionary(a: [u8; 3], b: [u8; 3], shared in 0_usize..=3) {
        let mut b = b;
        b[..shared].copy_from_slice(&a[..shared]);
        prop_assert_eq!(a.precedes(b), a < b);
        let (a, b) = ((a[0], a[1] as i32, [a[2]]), (b[0], b[1] as i32, [b[2]]));
        prop_assert_eq!(a.precedes(b), a < b);
        prop_assert!(!a.precedes(a));
    }
}
