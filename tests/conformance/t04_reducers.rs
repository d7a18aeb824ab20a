//! Every reducer of the library and custom reducers, against the oracle; values that own memory.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering::Relaxed};

use spelt::ExecutionSpace;
use spelt::prelude::*;
use spelt::reducers::{ColumnsValue, Reducer};

use crate::equal::{Bits, EDGES, assert_same, borders, noise, rough};
use crate::oracle;
use crate::spaces::{Setting, every};

/// Reduces on `space` and by the oracle.
fn check<S, R>(
    space: &S,
    setting: &Setting,
    what: &str,
    n: usize,
    reducer: R,
    contribute: impl Fn(usize, &mut R::Value) + Copy + Sync,
) where
    S: ExecutionSpace,
    R: Reducer + Copy + Sync,
    R::Value: Send,
    R::Output: Bits + std::fmt::Debug,
{
    let found = parallel_reduce(
        what,
        setting.range(space, 0..n),
        (),
        move |i, value, ()| contribute(i.get(), value),
        reducer,
    );
    let wanted = oracle::reduce(&reducer, n, contribute);
    assert_same(&found.expect("nothing can fail"), &wanted, format!("{what} of {n}"));
}

/// Few different values, so that there are ties everywhere.
fn tied(i: usize) -> f64 {
    (noise(i) * 5.0).round()
}

/// Edge values now and then.
fn edgy(i: usize) -> f64 {
    if i % 5 == 2 { EDGES[i / 5 % EDGES.len()] } else { noise(i) }
}

every! { on_every_space:
    fn every_reducer_of_the_library(space, setting) {
        for n in [1, 100, 10_000] {
            let check_i = |what: &str, f: &dyn Fn()| { let _ = what; f() };
            check_i("sums", &|| {
                check(space, setting, "Sum<i64>", n, Sum::<i64>::new(), |i, sum| *sum += i as i64 * 7 - 50);
                check(space, setting, "Sum<u8>", n, Sum::<u8>::new(), |i, sum| *sum = sum.wrapping_add(i as u8));
                check(space, setting, "Prod<f64>", n, Prod::<f64>::new(), |i, prod| *prod *= 1.0 + noise(i) / 64.0);
                check(space, setting, "Prod<u64>", n, Prod::<u64>::new(),
                    |i, prod| *prod = prod.wrapping_mul(2 * i as u64 + 1));
            });
            check(space, setting, "Min<f64>", n, Min::<f64>::new(), |i, min| if edgy(i) < *min { *min = edgy(i) });
            check(space, setting, "Max<f64>", n, Max::<f64>::new(), |i, max| if edgy(i) > *max { *max = edgy(i) });
            check(space, setting, "Max<u8>", n, Max::<u8>::new(), |i, max| *max = (*max).max((i * 31) as u8));
            check(space, setting, "MinMax", n, MinMax::<f64>::new(), |i, ends| ends.update(edgy(i)));
            check(space, setting, "MinLoc", n, MinLoc::<f64>::new(), |i, best| best.update(tied(i), i));
            check(space, setting, "MaxLoc", n, MaxLoc::<f64, u32>::new(), |i, best| best.update(tied(i), i as u32));
            check(space, setting, "MinMaxLoc", n, MinMaxLoc::<f64>::new(), |i, best| best.update(tied(i), i));
            check(space, setting, "MinMaxLoc of [usize; 2]", n, MinMaxLoc::<f64, [usize; 2]>::new(),
                |i, best| best.update(tied(i), [i % 10, i / 10]));
            check(space, setting, "MinFirstLoc", n, MinFirstLoc::<f64>::new(), |i, best| best.update(edgy(i), i));
            check(space, setting, "MaxFirstLoc", n, MaxFirstLoc::<f64>::new(), |i, best| best.update(edgy(i), i));
            check(space, setting, "MinMaxFirstLastLoc", n, MinMaxFirstLastLoc::<f64>::new(),
                |i, best| best.update(tied(i), i));
            check(space, setting, "FirstLoc", n, FirstLoc::<usize>::new(), |i, first| first.update(i % 97 == 42, i));
            check(space, setting, "LastLoc", n, LastLoc::<usize>::new(), |i, last| last.update(i % 97 == 42, i));
            check(space, setting, "Failures", n, Failures::<u32>::new(), |i, failures| {
                if i % 97 == 42 {
                    failures.add(i, i as u32 + 1);
                    failures.add(i, 0);
                }
            });
            check(space, setting, "LAnd", n, LAnd::<bool>::new(), |i, all| *all &= i != 77);
            check(space, setting, "LOr", n, LOr::<bool>::new(), |i, any| *any |= i == 77);
            check(space, setting, "BAnd", n, BAnd::<u32>::new(), |i, bits| *bits &= !(1 << (i % 29)));
            check(space, setting, "BOr", n, BOr::<u64>::new(), |i, bits| *bits |= 1 << (i % 61));
        }
    }

    fn reducers_made_of_reducers(space, setting) {
        for n in [0, 1, 65, 3000, 10_000] {
            check(space, setting, "tuple", n, (Sum::<f64>::new(), Max::<i32>::new(), MinLoc::<f64>::new()),
                |i, (sum, max, best)| {
                    *sum += rough(i);
                    *max = (*max).max(i as i32 % 1000);
                    best.update(tied(i), i);
                });
            check(space, setting, "Elementwise", n, Elementwise::<_, 5>::new(Sum::<f64>::new()),
                |i, bins| bins[i % 5] += rough(i));
            check(space, setting, "Finish", n, Finish::new(Sum::<f64>::new(), f64::abs), |i, sum| *sum += rough(i));
            check(space, setting, "InOrder", n, InOrder::new(Sum::<f64>::new()), |i, sum| *sum += rough(i));
            check(space, setting, "InOrder Min", n, InOrder::new(Min::<f64>::new()),
                |i, min| { let x = if i % 3 == 0 { 0.0 } else { -0.0 }; if x < *min { *min = x } });
        }
    }

    fn comparators(space, setting) {
        let n = 9000;
        let value = |i: usize| (tied(i) * 8.0) as i32;
        let descending = MinLocBy::<i32, _>::new(|a: &i32, b: &i32| b.cmp(a));
        check(space, setting, "descending", n, descending, move |i, best| descending.update(best, value(i), i));
        let found = parallel_reduce("descending", setting.range(space, 0..n), (),
            move |i, best, ()| descending.update(best, value(i.get()), i.get()), descending);
        let found = found.expect("nothing can fail").expect("not empty");
        let wanted = (0..n).map(|i| (value(i), std::cmp::Reverse(i))).max().expect("not empty");
        assert_eq!((found.val, found.loc), (wanted.0, wanted.1.0));
        let total = MinMaxBy::<f64, _>::new(f64::total_cmp);
        check(space, setting, "total order", n, total, move |i, ends| total.update(ends, edgy(i)));
        let by = MinMaxFirstLastLocBy::<i32, _>::new(i32::cmp);
        check(space, setting, "first and last", n, by, move |i, ends| by.update(ends, value(i), i));
        check(space, setting, "of nothing", 0, by, |_, _| panic!("called"));
    }
}

/// Affine maps modulo a prime: they compose, and do not commute.
fn affine() -> impl Reducer<Value = [u64; 2], Output = [u64; 2]> + Copy + Sync {
    const PRIME: u64 = 1_000_003;
    custom([1_u64, 0], |into: &mut [u64; 2], from: &[u64; 2]| {
        *into = [into[0] * from[0] % PRIME, (into[1] * from[0] + from[1]) % PRIME];
    })
    .non_commutative()
}

every! { on_every_setting:
    fn maps_compose_in_index_order(space, setting) {
        let maps = affine();
        let map = |i: usize| [i as u64 % 1000 + 2, i as u64 % 77];
        static WANTED: OnceLock<Vec<(usize, [u64; 2])>> = OnceLock::new();
        let wanted = WANTED.get_or_init(|| borders(16).into_iter().chain([8192, 20_000]).map(|n| {
            let mut value = [1, 0];
            (0..n).for_each(|i| affine().join(&mut value, &map(i)));
            (n, value)
        }).collect());
        for &(n, wanted) in wanted {
            let found = parallel_map_reduce("compose", setting.range(space, 0..n), (), move |i, ()| map(i.get()), maps);
            assert_eq!(found.expect("nothing can fail"), wanted, "{n} maps");
        }
    }
}

every! { on_every_space:
    fn columns_by_value(space, setting) {
        let maps = affine();
        let map = |i: usize| [i as u64 % 1000 + 2, i as u64 % 77];
        for n in [0, 1, 65, 3000, 10_000] {
            let sums = Columns::new(Sum::<f64>::new(), 7);
            let sum = move |i: usize, bins: &mut ColumnsValue<f64>| bins[i % 7] += rough(i);
            let found = parallel_reduce("sums", setting.range(space, 0..n), (), move |i, bins, ()| sum(i.get(), bins), sums);
            assert_same(&found.expect("nothing can fail"), &oracle::reduce(&sums, n, sum), n);
            let least = Columns::new(MinLoc::<f64>::new(), 3);
            let found = parallel_reduce("least", setting.range(space, 0..n), (),
                move |i, bins, ()| bins[i.get() % 3].update(tied(i.get()), i.get()), least);
            let wanted = oracle::reduce(&least, n, |i, bins| bins[i % 3].update(tied(i), i));
            assert_same(&found.expect("nothing can fail"), &wanted, n);
            let compositions = Columns::new(maps, 2);
            let found = parallel_reduce("compose", setting.range(space, 0..n), (),
                move |i, bins, ()| maps.join(&mut bins[i.get() % 2], &map(i.get())), compositions);
            let wanted = oracle::reduce(&compositions, n, |i, bins| maps.join(&mut bins[i % 2], &map(i)));
            assert_eq!(found.expect("nothing can fail"), wanted, "{n} maps");
            let none = Columns::new(Sum::<f64>::new(), 0);
            let found = parallel_reduce("none", setting.range(space, 0..n), (), move |_, _, ()| {}, none);
            assert!(found.expect("nothing can fail").is_empty());
        }
    }
}

every! { on_every_host_space:
    fn columns_of_reducers(space, setting) {
        fn check<R: Reducer<Output = O> + Sync, O: Bits + std::fmt::Debug>(
            space: &impl ExecutionSpace, setting: &Setting, n: usize, reducer: R,
            contribute: impl Fn(usize, &mut R::Value) + Sync) where R::Value: Send {
            let found = parallel_reduce("columns", setting.range(space, 0..n), (),
                |i, value, ()| contribute(i.get(), value), &reducer);
            assert_same(&found.expect("nothing can fail"), &oracle::reduce(&reducer, n, contribute), n);
        }
        for n in [0, 1, 65, 3000, 10_000] {
            check(space, setting, n, Columns::new(Sum::<f64>::new(), 7), |i, bins| bins[i % 7] += rough(i));
            check(space, setting, n, Columns::new(MinLoc::<f64>::new(), 3), |i, bins| bins[i % 3].update(tied(i), i));
            check(space, setting, n, Columns::new(Sum::<f64>::new(), 0), |_, _| {});
        }
    }

    fn texts_join_in_index_order(space, setting) {
        let texts = custom(String::new(), |into: &mut String, from: &String| into.push_str(from)).non_commutative();
        for n in [0, 1, 31, 2049, 9000] {
            let wanted: String = (0..n).map(|i| format!("{i},")).collect();
            let found = parallel_reduce("text", setting.range(space, 0..n), (),
                |i, text, ()| *text += &format!("{i:?},").replace(['[', ']'], ""), &texts).expect("nothing can fail");
            assert_eq!(found, wanted, "{n}");
        }
    }
}

/// A value with drop glue that counts its live instances; dropping one twice would make the count too low.
struct Counted<'a> {
    live: &'a AtomicIsize,
    words: Vec<u64>,
}

impl<'a> Counted<'a> {
    fn new(live: &'a AtomicIsize, words: Vec<u64>) -> Self {
        live.fetch_add(1, Relaxed);
        Self { live, words }
    }
}

impl Clone for Counted<'_> {
    fn clone(&self) -> Self {
        Self::new(self.live, self.words.clone())
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        assert!(self.words.iter().all(|&word| word != u64::MAX), "dropped twice");
        self.words.fill(u64::MAX);
        self.live.fetch_sub(1, Relaxed);
    }
}

struct Bag<'a> {
    live: &'a AtomicIsize,
    joins: AtomicUsize,
    /// The join that panics.
    fails_at: usize,
    /// The call of `init` that panics.
    init_fails_at: usize,
    inits: AtomicUsize,
}

impl<'a> Bag<'a> {
    fn new(live: &'a AtomicIsize) -> Self {
        Self {
            live,
            joins: AtomicUsize::new(0),
            fails_at: usize::MAX,
            init_fails_at: usize::MAX,
            inits: AtomicUsize::new(0),
        }
    }
}

impl<'a> Reducer for Bag<'a> {
    type Value = Counted<'a>;
    type Output = Vec<u64>;
    fn init(&self) -> Counted<'a> {
        assert!(self.inits.fetch_add(1, Relaxed) != self.init_fails_at, "init fails");
        Counted::new(self.live, vec![0; 3])
    }
    fn join(&self, into: &mut Counted<'a>, from: &Counted<'a>) {
        assert!(self.joins.fetch_add(1, Relaxed) != self.fails_at, "join fails");
        into.words.iter_mut().zip(&from.words).for_each(|(into, from)| *into += from);
    }
    fn finish(&self, value: Counted<'a>) -> Vec<u64> {
        value.words.clone()
    }
}

every! { on_every_host_setting:
    fn values_are_dropped_once(space, setting) {
        for n in [0, 1, 40, 3000, 20_000] {
            let live = AtomicIsize::new(0);
            let found = parallel_reduce("bag", setting.range(space, 0..n), (),
                |i, bag: &mut Counted<'_>, ()| bag.words[i.get() % 3] += i.get() as u64, Bag::new(&live));
            let wanted: Vec<u64> = (0..3).map(|k| (k..n as u64).step_by(3).sum()).collect();
            assert_eq!(found.expect("nothing can fail"), wanted, "{n}");
            assert_eq!(live.load(Relaxed), 0, "{n} iterations");
            let found = parallel_scan("bag", setting.range(space, 0..n), (),
                |i, bag: &mut Counted<'_>, _, ()| bag.words[i.get() % 3] += i.get() as u64, Bag::new(&live));
            assert_eq!(found.expect("nothing can fail"), wanted, "scan of {n}");
            assert_eq!(live.load(Relaxed), 0, "scan of {n} iterations");
        }
    }
}

every! { on_every_host_space:
    fn values_are_dropped_once_when_a_join_panics(space, setting) {
        let n = 20_000;
        let failing = |bag: &dyn Fn() -> bool, live: &AtomicIsize, what: &str| {
            assert!(bag(), "{what} does not panic");
            assert_eq!(live.load(Relaxed), 0, "values are lost or dropped twice: {what}");
        };
        for at in [0, 1, 30, 31, 62, 200] {
            for of_init in [false, true] {
                let live = AtomicIsize::new(0);
                let bag = || {
                    let mut bag = Bag::new(&live);
                    *(if of_init { &mut bag.init_fails_at } else { &mut bag.fails_at }) = at;
                    bag
                };
                failing(&|| std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                    parallel_reduce("fails", setting.range(space, 0..n), (),
                        |i, bag: &mut Counted<'_>, ()| bag.words[0] += i.get() as u64, bag())
                })).is_err(), &live, &format!("reduce, {at}, {of_init}"));
                if at < 31 {
                    failing(&|| std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                        parallel_scan("fails", setting.range(space, 0..n), (),
                            |i, bag: &mut Counted<'_>, _, ()| bag.words[0] += i.get() as u64, bag())
                    })).is_err(), &live, &format!("scan, {at}, {of_init}"));
                }
            }
        }
    }

}

every! { on_every_space:
    fn values_of_thousands_of_bytes(space, setting) {
        for n in [1, 100, 9000] {
            check(space, setting, "large", n, Elementwise::<_, 1000>::new(Sum::<f64>::new()),
                |i, bins| bins[i % 1000] += rough(i));
        }
    }
}
