//! Ties among equal values, against an oracle, for any order of contributions and joins.

use proptest::prelude::*;
use spelt_reducers::*;

use crate::bits::Bits;
use crate::check::{folded, joined};

/// Few values, so that most of them tie; both zeros, which are equal, and both infinities, which are identities.
fn tied() -> impl Strategy<Value = Vec<f64>> {
    let values = [0.0, -0.0, 1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    prop::collection::vec(prop::sample::select(values.to_vec()), 0..12)
}

/// The location where `better` holds against all the others, naively; `None` where all are NaN.
fn winner(x: &[f64], better: impl Fn(f64, f64) -> bool, last: bool) -> Option<usize> {
    let holds = |i: &usize| !x[*i].is_nan() && !x.iter().any(|&other| better(other, x[*i]));
    let mut winners = (0..x.len()).filter(holds);
    if last { winners.next_back() } else { winners.next() }
}

proptest! {
    #[test]
    fn located(x in tied(), order in any::<u64>(), lanes in 1_usize..4) {
        // Any order of contributions, any of three lanes for each.
        let mut visits: Vec<usize> = (0..x.len()).collect();
        visits.sort_by_key(|&i| (i as u64 + 1).wrapping_mul(order | 1));

        let first_min = winner(&x, |a, b| a < b, false);
        let first_max = winner(&x, |a, b| a > b, false);
        let last_max = winner(&x, |a, b| a > b, true);

        macro_rules! reduced {
            ($name:ident) => {{
                let reducer = $name::<f64>::new();
                let mut lane = vec![reducer.init(); lanes];
                for &i in &visits {
                    lane[(order as usize ^ i) % lanes].update(x[i], i);
                }
                folded(&reducer, &lane)
            }};
        }

        let expected = first_min.map_or((f64::INFINITY, usize::MAX), |i| (x[i], i)).bits();
        let min = reduced!(MinLoc);
        prop_assert_eq!((min.val, min.loc).bits(), expected.clone());
        let both = reduced!(MinMaxLoc);
        prop_assert_eq!((both.min_val, both.min_loc).bits(), expected.clone());
        let first_last = reduced!(MinMaxFirstLastLoc);
        prop_assert_eq!((first_last.min_val, first_last.min_loc).bits(), expected);

        let expected = first_max.map_or((f64::NEG_INFINITY, usize::MAX), |i| (x[i], i)).bits();
        let max = reduced!(MaxLoc);
        prop_assert_eq!((max.val, max.loc).bits(), expected.clone());
        prop_assert_eq!((both.max_val, both.max_loc).bits(), expected);

        let expected = last_max.map_or((f64::NEG_INFINITY, usize::MIN), |i| (x[i], i)).bits();
        prop_assert_eq!((first_last.max_val, first_last.max_loc).bits(), expected);
    }
}

#[test]
fn values_equal_to_the_identity_still_have_a_location() {
    let mut best = MinMaxLoc::<f64>::new().init();
    best.update(f64::INFINITY, 4);
    assert_eq!((best.min_val, best.min_loc), (f64::INFINITY, 4));
    best.update(f64::INFINITY, 3);
    assert_eq!(best.min_loc, 3);

    let mut best = MaxLoc::<u8, i32>::new().init();
    best.update(0, -5);
    assert_eq!((best.val, best.loc), (0, -5));
    let joined = joined(&MaxLoc::new(), &MaxLoc::<u8, i32>::new().init(), &best);
    assert_eq!((joined.val, joined.loc), (0, -5));

    let mut best = MinMaxFirstLastLoc::<f64>::new().init();
    best.update(f64::NEG_INFINITY, 9);
    assert_eq!((best.max_val, best.max_loc), (f64::NEG_INFINITY, 9));
}

#[test]
fn locations_of_higher_rank() {
    let mut best = MinMaxLoc::<i32, [usize; 3]>::new().init();
    for loc in [[1, 0, 5], [0, 9, 9], [0, 9, 8], [2, 0, 0]] {
        best.update(7, loc);
    }
    assert_eq!((best.min_loc, best.max_loc), ([0, 9, 8], [0, 9, 8]));

    let mut best = MinMaxFirstLastLoc::<i32, (u8, i64)>::new().init();
    for loc in [(1, -4), (1, -5), (0, 3), (1, 2)] {
        best.update(7, loc);
    }
    assert_eq!((best.min_loc, best.max_loc), ((0, 3), (1, 2)));
}

#[test]
fn equal_values_without_location_keep_the_earlier() {
    for [a, b] in [[0.0, -0.0], [-0.0, 0.0_f64]] {
        assert_eq!(joined(&Min::<f64>::new(), &a, &b).bits(), a.bits());
        assert_eq!(joined(&Max::<f64>::new(), &a, &b).bits(), a.bits());
        let mut ends = MinMax::<f64>::new().init();
        ends.update(a);
        ends.update(b);
        assert_eq!(ends.bits(), [a, a].bits());
    }
}

#[test]
fn a_smaller_location_brings_its_own_zero() {
    let mut best = MinLoc::<f64>::new().init();
    best.update(0.0, 2);
    best.update(-0.0, 1);
    assert_eq!((best.val.is_sign_negative(), best.loc), (true, 1));
    best.update(-0.0, 3);
    assert_eq!(best.loc, 1);
}

#[test]
fn first_and_last_are_other_names() {
    let mut first: MinLocValue<i32, u32> = MinFirstLoc::<i32, u32>::new().init();
    first.update(1, 3);
    first.update(1, 2);
    assert_eq!(first.loc, 2);
    let mut first: MaxLocValue<i32> = MaxFirstLoc::<i32>::new().init();
    first.update(1, 3);
    first.update(1, 2);
    assert_eq!(first.loc, 2);
}

#[test]
fn last_tells_nothing_from_zero() {
    let last = LastLoc::<usize>::new();
    let mut none = last.init();
    none.update(false, 3);
    assert_eq!(none.get(), None);
    let mut zero = last.init();
    zero.update(true, 0);
    assert_eq!(joined(&last, &none, &zero).get(), Some(0));
    assert_eq!(joined(&last, &zero, &none).get(), Some(0));
}

#[test]
fn a_location_assigned_by_hand_counts_as_found() {
    let mut first = FirstLoc::<usize>::new().init();
    first.min_loc_true = first.min_loc_true.min(6);
    assert_eq!(first.get(), Some(6));
    let mut last = LastLoc::<usize>::new().init();
    last.max_loc_true = last.max_loc_true.max(6);
    assert_eq!(last.get(), Some(6));
}
