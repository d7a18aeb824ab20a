//! The reducers that algorithms are made with, each on every space.

use spelt::algorithms::*;
use spelt::prelude::*;
use spelt::reducers::Reducer;

use crate::equal::{Bits, EDGES, assert_same, borders, noise};
use crate::oracle;
use crate::spaces::every;

/// Fails unless `found` is within `most` of `wanted`, relative to 1 or to it.
fn assert_near(found: f64, wanted: f64, most: f64, what: &str) {
    let error = (found - wanted).abs() / wanted.abs().max(1.0);
    assert!(
        error <= most || found == wanted || (found.is_nan() && wanted.is_nan()),
        "{what}: {found} is not {wanted}"
    );
}

every! { on_every_space:
    fn case_2_sums_wrap_or_say_that_they_do_not_fit(space, _setting) {
        let x = space.view_from_fn("x", [1000], |_| u32::MAX).expect("memory");
        assert_eq!(reduce_commutative(space, &x, Sum::new()).expect("covered"), 4_294_966_296);
        let checked = |x: &View<u32, 1, S::Memory>| {
            transform_reduce_commutative(space, x, |x: u32, _| x.widen(), CheckedSum::<u32>::new()).expect("covered")
        };
        assert_eq!(checked(&x), None);
        for n in [0, 1, 2, 33, 5000] {
            // The last one fills the rest of the type's range, exactly or with one too many.
            for (over, wanted) in [(0, Some(u32::MAX)), (1, None)] {
                let rest = u32::MAX - 7 * n;
                let x = space.view_from_fn("x", [n as usize + 2], |[i]| match i {
                    0 => over,
                    i if i == n as usize + 1 => rest,
                    _ => 7,
                }).expect("memory");
                assert_eq!(checked(&x), wanted, "{n} {over}");
            }
        }
    }

    fn checked_sums_are_those_of_wider_numbers(space, _setting) {
        for n in borders(16).into_iter().chain([9000]) {
            // Partial sums leave the type either way and come back; whether the total does is up to the noise.
            let value = |i: usize| (noise(i) * i64::MAX as f64) as i64;
            let x = space.view_from_fn("x", [n], |[i]| value(i)).expect("memory");
            let map = |x: i64, i| if i % 2 == 0 { x.widen() } else { (x ^ i64::MIN).widen() };
            let total: i128 = (0..n).map(|i| map(value(i), i)).sum();
            let reducer = CheckedSum::<i64>::new();
            let found = transform_reduce_commutative(space, &x, map, reducer).expect("covered");
            assert_eq!(found, i64::try_from(total).ok(), "{n}");
            assert_eq!(transform_reduce(space, &x, map, reducer).expect("covered"), found, "{n}");
        }
    }

    fn weighted_exponentials_have_the_canonical_bits(space, _setting) {
        let (sum, mean) = (LogSumExp::<f64>::new(), SoftmaxMean::<f64, 2>::new());
        let term = |i: usize| (600.0 * noise(i), noise(i + 70_001), noise(i + 140_003) + 1.0);
        for n in borders(16).into_iter().chain([9000]) {
            let x = space.view_from_fn("x", [n], |[i]| term(i)).expect("memory");
            // One reduction: both reducers side by side.
            let (log, means) = parallel_reduce("both", space.range(0..n), &x, |i, (sum, mean), x| {
                let (exponent, component, weight) = x[i];
                sum.update_weighted(exponent, weight);
                mean.update(exponent, [component, 1.0]);
            }, (sum, mean)).expect("nothing can fail");
            let (wanted_log, wanted_means) = oracle::reduce(&(sum, mean), n, |i, (sum, mean)| {
                let (exponent, component, weight) = term(i);
                sum.update_weighted(exponent, weight);
                mean.update(exponent, [component, 1.0]);
            });
            let tidy = |means: [f64; 2]| means.map(|mean| if mean.is_nan() { f64::NAN } else { mean });
            assert_same(&(log, tidy(means)), &(wanted_log, tidy(wanted_means)), n);
            let top = (0..n).map(|i| term(i).0).fold(f64::NEG_INFINITY, f64::max);
            let all = |f: &dyn Fn(f64, f64) -> f64| {
                (0..n).map(|i| (term(i).0 - top).exp() * f(term(i).1, term(i).2)).sum::<f64>()
            };
            assert_near(log, top + all(&|_, weight| weight).ln(), 1e-13, "logarithm");
            assert_near(means[0], all(&|component, _| component) / all(&|_, _| 1.0), 1e-12, "mean");
        }
    }

    fn the_smallest_are_those_of_a_sort(space, _setting) {
        let reducer = KMinLoc::<f32, 5>::new();
        for n in borders(80).into_iter().chain([9000]) {
            // Few different values, so that ties are the rule.
            let value = |i: usize| if i % 13 == 5 { f32::NAN } else { (noise(i) * 40.0).round() as f32 };
            let x = space.view_from_fn("x", [n], |[i]| value(i)).expect("memory");
            let found = parallel_reduce("least", space.range(0..n), &x, |i, least, x| least.update(x[i], i.get()), reducer)
                .expect("nothing can fail");
            let mut all: Vec<(f32, usize)> = (0..n).map(|i| (value(i), i)).filter(|(x, _)| !x.is_nan()).collect();
            all.sort_by(|a, b| a.0.total_cmp(&b.0));
            all.resize(all.len().max(5), (f32::INFINITY, usize::MAX));
            assert_eq!(found[..], all[..5], "{n}");
        }
    }
}

every! { on_every_host_space:
    fn none_of_the_smallest(space, _setting) {
        let x = View::from_fn("x", [100], |[i]| i as f64).expect("memory");
        let mut none = View::<[usize; 0], 1>::zeros("none", [100]).expect("memory");
        reduce_pairs_over_j(space, &x, &x, &mut none, |[_, j], least, (_, y)| least.update(y, j), ArgKMin::<f64, 0>::new())
            .expect("extents fit");
    }

    fn checked_sums_of_every_type(space, _setting) {
        macro_rules! kinds {
            ($($kind:ident)*) => {$(
                for (values, wanted) in [
                    (vec![], Some(0)),
                    (vec![$kind::MAX, $kind::MIN], Some($kind::MAX.wrapping_add($kind::MIN))),
                    (vec![$kind::MAX, 1], None),
                    (vec![$kind::MAX, $kind::MAX, $kind::MAX], None),
                    (vec![$kind::MIN; 3], if $kind::MIN == 0 { Some(0) } else { None }),
                ] {
                    let x = View::from_vec("x", [values.len()], values.clone()).expect("memory");
                    let found = transform_reduce(space, &x, |x: $kind, _| x.widen(), CheckedSum::<$kind>::new());
                    assert_eq!(found.expect("covered"), wanted, "{values:?}");
                }
            )*};
        }
        kinds!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);
    }
}

/// Claims of the reducers about all values, tested on edge values: neither grouping nor order changes a bit, and neutral
/// values leave no trace.
#[test]
fn what_reducers_say_of_all_values() {
    fn check<R: Reducer<Value: Copy>>(
        reducer: R,
        values: &[R::Value],
        words: impl Fn(&R::Value) -> Vec<u64>,
    ) {
        let join = |mut a: R::Value, b: R::Value| {
            reducer.join(&mut a, &b);
            a
        };
        let same = |a: R::Value, b: R::Value| assert_eq!(words(&a), words(&b));
        for &a in values {
            if let Some(neutral) = reducer.neutral() {
                assert!(reducer.is_neutral(&neutral));
                same(join(neutral, a), a);
                same(join(a, neutral), a);
            }
            for &b in values {
                if reducer.is_neutral(&b) {
                    same(join(a, b), a);
                }
                if R::REORDERABLE {
                    same(join(a, b), join(b, a));
                }
                for &c in values.iter().filter(|_| R::EXACT) {
                    same(join(join(a, b), c), join(a, join(b, c)));
                }
            }
        }
    }
    let edges: Vec<f64> = EDGES.into_iter().chain([f64::from_bits(0x7ff8_0000_dead_beef)]).collect();
    check(Minimum::<f64>::new(), &edges, |x| x.bits());
    check(Maximum::<f64>::new(), &edges, |x| x.bits());
    check(Maximum::<i32>::new(), &[0, 7, -7, i32::MAX, i32::MIN], |x| vec![*x as u64]);
    let wide = [0, 1, -1, i128::MAX, i128::MIN, 1 << 64];
    check(CheckedSum::<i64>::new(), &wide, |x| vec![*x as u64, (*x >> 64) as u64]);
    check(CheckedSum::<u8>::new(), &[0, 7, u128::MAX], |x| vec![*x as u64, (*x >> 64) as u64]);
    // Each with its own locations, as contributions have.
    let least = |numbers: &[f64], from: u32| {
        let mut value = KMin::<f64, 3, u32>::new().init();
        numbers.iter().zip(from..).for_each(|(x, at)| value.update(*x, at));
        value
    };
    let some: Vec<_> = EDGES.chunks(2).enumerate().map(|(k, pair)| least(pair, 10 * k as u32)).collect();
    let words = |value: &KMinValue<f64, 3, u32>| (value.val, value.loc.map(u64::from)).bits();
    check(KMin::<f64, 3, u32>::new(), &some, words);
    check(ArgKMin::<f64, 3, u32>::new(), &some, words);
    let mut moments = [Moments::<f64>::default(); 3];
    [-0.0, 2.0, 5.0].into_iter().for_each(|x| moments[1].update(x));
    moments[2].update(-0.0);
    let words = |moments: &Moments<f64>| (moments.count(), moments.mean(), moments.variance(0)).bits();
    check(Welford::<f64>::new(), &moments, words);
}

/// Joins of exact reducers give the same in any grouping; an identity on either side changes nothing.
#[test]
fn identities_and_groupings() {
    fn check<R: Reducer<Value: Copy, Output: PartialEq + std::fmt::Debug>>(
        reducer: R,
        values: [R::Value; 3],
    ) {
        let join = |mut a: R::Value, b: R::Value| {
            reducer.join(&mut a, &b);
            a
        };
        let [a, b, c] = values;
        let left = reducer.finish(join(join(a, b), c));
        assert_eq!(left, reducer.finish(join(a, join(b, c))));
        for value in values {
            let alone = reducer.finish(value);
            assert_eq!(reducer.finish(join(value, reducer.init())), alone);
            assert_eq!(reducer.finish(join(reducer.init(), value)), alone);
        }
    }
    check(CheckedSum::<u8>::new(), [200, 55, 1]);
    check(CheckedSum::<i8>::new(), [-100, -28, 3]);
    check(Minimum::<f64>::new(), [2.0, 1.0, f64::INFINITY]);
    check(Maximum::<f64>::new(), [2.0, f64::NEG_INFINITY, 3.0]);
    let least = |values: [f64; 3]| {
        let mut value = KMinLoc::<f64, 2>::new().init();
        values.into_iter().enumerate().for_each(|(at, x)| value.update(x, at + values[0] as usize));
        value
    };
    check(
        KMinLoc::<f64, 2>::new(),
        [least([10.0, 3.0, f64::NAN]), least([20.0, 3.0, 4.0]), least([30.0, -1.0, 3.0])],
    );
    let mut moments = Moments::<f64>::default();
    [1.0, 2.0].into_iter().for_each(|x| moments.update(x));
    check(Welford::<f64>::new(), [moments, Moments::default(), Moments::default()]);
}
