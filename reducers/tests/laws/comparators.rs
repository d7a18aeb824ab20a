//! Reducers with an order of the user's, descending ones above all.

use core::cmp::Ordering;

use proptest::prelude::*;
use spelt_reducers::*;

use crate::bits::{Bits, any_float};
use crate::check::joined;

/// Reduces with two running values that take turns, joined at the end.
fn reduced<R: Reducer, T: Copy>(
    reducer: &R,
    x: &[T],
    update: impl Fn(&R, &mut R::Value, T, usize),
) -> R::Output {
    let (mut even, mut odd) = (reducer.init(), reducer.init());
    for (i, &x) in x.iter().enumerate() {
        update(reducer, if i % 2 == 0 { &mut even } else { &mut odd }, x, i);
    }
    reducer.join(&mut odd, &even);
    reducer.finish(odd)
}

#[test]
fn nothing_gives_none() {
    assert_eq!(MinBy::new(i32::cmp).init(), None);
    assert_eq!(reduced(&MaxBy::new(i32::cmp), &[], |r, value, x, _| r.update(value, x)), None);
    assert_eq!(MinMaxLocBy::<u8, _>::new(u8::cmp).init(), None);
}

/// The case Kokkos gets wrong: all values lie on the wrong side of the numeric identity.
#[test]
fn a_descending_order_finds_an_extremum() {
    let descending = |a: &i32, b: &i32| b.cmp(a);
    let x = [3, 9, -4, 9];
    assert_eq!(reduced(&MinBy::new(descending), &x, |r, value, x, _| r.update(value, x)), Some(9));
    assert_eq!(reduced(&MaxBy::new(descending), &x, |r, value, x, _| r.update(value, x)), Some(-4));
    let best = reduced(&MinLocBy::<i32, _>::new(descending), &x, |r, value, x, i| r.update(value, x, i));
    assert_eq!(best, Some(MinLocValue { val: 9, loc: 1 }));
    let best = reduced(&MaxLocBy::<i32, _>::new(descending), &x, |r, value, x, i| r.update(value, x, i));
    assert_eq!(best, Some(MaxLocValue { val: -4, loc: 2 }));
}

#[test]
fn values_at_the_ends_of_their_type() {
    let x = [i32::MIN, i32::MAX, i32::MAX, i32::MIN];
    let order = |a: &i32, b: &i32| b.cmp(a);
    let best = reduced(&MinMaxLocBy::<i32, _>::new(order), &x, |r, value, x, i| r.update(value, x, i));
    let expected = MinMaxLocValue { min_val: i32::MAX, max_val: i32::MIN, min_loc: 1, max_loc: 0 };
    assert_eq!(best, Some(expected));
    let first_last = MinMaxFirstLastLocBy::<i32, _>::new(order);
    let best = reduced(&first_last, &x, |r, value, x, i| r.update(value, x, i));
    let expected = MinMaxFirstLastLocValue { min_val: i32::MAX, max_val: i32::MIN, min_loc: 1, max_loc: 3 };
    assert_eq!(best, Some(expected));
}

#[test]
fn equals_without_location_keep_the_earlier() {
    let by_tens = |a: &u32, b: &u32| (a / 10).cmp(&(b / 10));
    assert_eq!(joined(&MinBy::new(by_tens), &Some(12), &Some(11)), Some(12));
    assert_eq!(joined(&MaxBy::new(by_tens), &Some(12), &Some(19)), Some(12));
    let both = |x| Some(MinMaxValue { min_val: x, max_val: x });
    assert_eq!(joined(&MinMaxBy::new(by_tens), &both(12), &both(13)), both(12));
}

proptest! {
    /// Under the numeric order a comparison gives the result of the built-in reducer, and under its reverse the opposite.
    #[test]
    fn as_the_built_in_reducers(x in prop::collection::vec(-3_i8..3, 1..20)) {
        let built_in = reduced(&MinMaxLoc::<i8>::new(), &x, |_, value, x, i| value.update(x, i));
        let up = reduced(&MinMaxLocBy::<i8, _>::new(i8::cmp), &x, |r, value, x, i| r.update(value, x, i)).unwrap();
        prop_assert_eq!(up, built_in);
        let down = MinMaxLocBy::<i8, _>::new(|a, b| b.cmp(a));
        let down = reduced(&down, &x, |r, value, x, i| r.update(value, x, i)).unwrap();
        prop_assert_eq!((down.min_val, down.min_loc), (built_in.max_val, built_in.max_loc));
        prop_assert_eq!((down.max_val, down.max_loc), (built_in.min_val, built_in.min_loc));
    }

    #[test]
    fn as_the_standard_library(x in prop::collection::vec(any_float(), 0..20)) {
        let min = reduced(&MinBy::new(f64::total_cmp), &x, |r, value, x, _| r.update(value, x));
        prop_assert_eq!(min.bits(), x.iter().copied().min_by(f64::total_cmp).bits());
        let reverse: fn(&f64, &f64) -> Ordering = |a, b| b.total_cmp(a);
        let ends = reduced(&MinMaxBy::new(reverse), &x, |r, value, x, _| r.update(value, x));
        prop_assert_eq!(ends.map(|ends| ends.min_val).bits(), x.iter().copied().min_by(reverse).bits());
        prop_assert_eq!(ends.map(|ends| ends.max_val).bits(), x.iter().copied().max_by(reverse).bits());
    }
}
