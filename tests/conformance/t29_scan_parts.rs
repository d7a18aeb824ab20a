//! Parts of scans: any cuts, one after the other or in two rounds, have the values and the total of one launch.

use std::ops::Range;
use std::sync::{Mutex, OnceLock};

use spelt::prelude::*;
use spelt::reducers::Reducer;
use spelt::{ErrorKind, Portable};

use crate::equal::{Bits, assert_same, noise, rough};
use crate::oracle;
use crate::spaces::{Setting, every};
use crate::t28_reduce_parts::cuts;

/// A part sent as bytes.
fn sent<R: Reducer + Copy>(part: &ScanPart<R>, reducer: R) -> ScanPart<R>
where
    R::Value: Portable,
{
    let bytes = part.to_bytes();
    assert!(ScanPart::from_bytes(&bytes[..bytes.len() - 1], reducer).is_err());
    ScanPart::from_bytes(&bytes, reducer).expect("the bytes of a part")
}

/// The prefix of each part: the totals of all on its left, which are found part by part, and merged.
fn prefixes<R: Reducer + Copy>(
    n: usize,
    cuts: &[usize],
    reducer: R,
    total: &dyn Fn(&mut ScanPart<R>, Range<usize>),
) -> Vec<ScanPart<R>>
where
    R::Value: Portable + Clone,
{
    let tile = ScanPart::<R>::TILE;
    let is_border = |cut: usize| cut.is_multiple_of(tile) || cut == n;
    let mut prefix = ScanPart::new(n, reducer);
    let mut carry = ScanPart::new(n, reducer);
    let mut prefixes = Vec::new();
    for cut in cuts.windows(2) {
        let mut before = prefix.clone();
        if !is_border(cut[0]) {
            before.merge(carry.clone()).expect("neighbours");
        }
        assert_eq!(before.range(), 0..cut[0]);
        prefixes.push(sent(&before, reducer));
        // Whole tiles need nothing from the left.
        let head = cut[0]..if is_border(cut[0]) { cut[0] } else { cut[0].next_multiple_of(tile).min(cut[1]) };
        let mut part = if is_border(head.start) {
            ScanPart::starting_at(n, cut[0], reducer).expect("a border")
        } else {
            carry
        };
        total(&mut part, head.clone());
        if is_border(head.end) {
            let mut own = ScanPart::starting_at(n, head.end, reducer).expect("a border");
            total(&mut own, head.end..cut[1]);
            part.merge(own).expect("neighbours");
        }
        carry = sent(&part.take_carry(), reducer);
        prefix.merge(part).expect("neighbours");
    }
    prefixes
}

/// Compares values and totals of parts with those of the oracle.
fn check<S, R>(
    space: &S,
    setting: &Setting,
    what: &str,
    sizes: &[usize],
    reducer: R,
    contribute: impl Fn(usize, &mut R::Value) + Copy + Sync,
) where
    S: ExecutionSpace,
    R: Reducer + Copy + Sync,
    R::Value: spelt::Element + Portable + Bits + std::fmt::Debug,
    R::Output: Bits + std::fmt::Debug,
{
    for &n in sizes {
        let wanted = oracle::scan(&reducer, n, contribute);
        compare(space, setting, what, reducer, contribute, &wanted);
    }
}

/// Compares values and totals of parts with these.
fn compare<S, R>(
    space: &S,
    setting: &Setting,
    what: &str,
    reducer: R,
    contribute: impl Fn(usize, &mut R::Value) + Copy + Sync,
    (wanted, wanted_total): &(Vec<R::Value>, R::Output),
) where
    S: ExecutionSpace,
    R: Reducer + Copy + Sync,
    R::Value: spelt::Element + Portable + Bits + std::fmt::Debug,
    R::Output: Bits + std::fmt::Debug,
{
    let n = wanted.len();
    let scan = |part: &mut ScanPart<R>, y: &mut View<R::Value, 1, S::Memory>, iterations: Range<usize>| {
        part.scan(what, setting.range(space, iterations), y, move |i, value, last, mut y| {
            contribute(i.get(), value);
            if last {
                y[i] = *value
            }
        })
        .expect("covered");
    };
    let total = |part: &mut ScanPart<R>, iterations: Range<usize>| {
        part.add_totals(what, setting.range(space, iterations), (), move |i, value, last, ()| {
            assert!(!last);
            contribute(i.get(), value);
        })
        .expect("nothing can fail");
    };
    for cuts in cuts(n, ScanPart::<R>::TILE.max(32)) {
        let says = |how: &str| format!("{what} of {n}, cut at {cuts:?}: {how}");
        let mut y = space.zeros("y", [n]).expect("memory");
        let mut part = ScanPart::new(n, reducer);
        cuts.windows(2).for_each(|cut| scan(&mut part, &mut y, cut[0]..cut[1]));
        assert_same(&y.to_host().expect("memory").to_vec(), wanted, says("values, one after the other"));
        assert_same(&part.finish().expect("complete"), wanted_total, says("total, one after the other"));

        let mut y = space.zeros("y", [n]).expect("memory");
        let prefixes = prefixes(n, &cuts, reducer, &total);
        for (mut prefix, cut) in prefixes.into_iter().zip(cuts.windows(2)) {
            scan(&mut prefix, &mut y, cut[0]..cut[1]);
            if cut[1] == n {
                assert_same(&prefix.finish().expect("complete"), wanted_total, says("total, in two rounds"));
            }
        }
        assert_same(&y.to_host().expect("memory").to_vec(), wanted, says("values, in two rounds"));
    }
}

every! { on_every_setting:
    fn sums_have_the_values_of_one_launch(space, setting) {
        type Floats = (Vec<f64>, f64);
        static WANTED: OnceLock<(Floats, (Vec<i64>, i64))> = OnceLock::new();
        let rough = |i: usize, sum: &mut f64| *sum += rough(i);
        let whole = |i: usize, sum: &mut i64| *sum += i as i64 % 97 - 50;
        let (floats, integers) = (Sum::<f64>::new(), Sum::<i64>::new());
        let wanted = WANTED.get_or_init(|| (oracle::scan(&floats, 20_000, rough), oracle::scan(&integers, 20_000, whole)));
        compare(space, setting, "f64", floats, rough, &wanted.0);
        compare(space, setting, "i64", integers, whole, &wanted.1);
    }
}

every! { on_every_space:
    fn sums_of_few_have_the_values_of_one_launch(space, setting) {
        let sizes = [0, 1, 33, 2047, 2048, 2049, 5000];
        check(space, setting, "f64", &sizes, Sum::<f64>::new(), |i, sum| *sum += rough(i));
        check(space, setting, "i64", &[0, 1, 33], Sum::<i64>::new(), |i, sum| *sum += i as i64 % 97 - 50);
    }

    fn reducers_of_every_kind_have_the_values_of_one_launch(space, setting) {
        let sizes = [700, 9000];
        check(space, setting, "a pair", &sizes, (Sum::<f64>::new(), Sum::<f32>::new()), |i, (a, b)| {
            *a += rough(i);
            *b += rough(i + 1) as f32;
        });
        check(space, setting, "6 sums", &sizes, Elementwise::<_, 6>::new(Sum::<f64>::new()), |i, sums| sums[i % 6] += rough(i));
        check(space, setting, "in order", &sizes, InOrder::new(Sum::<f64>::new()), |i, sum| *sum += rough(i));
        // Of equal zeros the first stays.
        check(space, setting, "min", &sizes, Min::<f64>::new(), |i, min| {
            let x = [0.0, -0.0][i / 7 % 2] + noise(i).abs().floor();
            if x < *min { *min = x }
        });
        check(space, setting, "100 sums", &[300], Elementwise::<_, 100>::new(Sum::<f64>::new()), |i, sums| sums[i % 100] += rough(i));
    }

    fn boxes_and_signed_ranges_are_cut_anywhere(space, setting) {
        let [n, m] = [61, 77];
        let x = space.view_from_fn("x", [n, m], |[i, j]| rough(i * m + j)).expect("memory");
        let mut wanted = space.zeros::<f64, 2>("wanted", [n, m]).expect("memory");
        let whole = parallel_scan("whole", setting.md_range(space, [0..n, 0..m]), (&x, &mut wanted), move |i, sum, last, (x, mut y)| {
            *sum += x[i];
            if last { y[i] = *sum }
        }, Sum::<f64>::new()).expect("covered");
        let wanted = wanted.to_host().expect("memory").to_vec();
        for cuts in cuts(n * m, 2048) {
            let mut y = space.zeros::<f64, 2>("y", [n, m]).expect("memory");
            let mut signed = space.zeros::<f64, 1>("signed", [n * m]).expect("memory").with_origin([-100]).expect("it fits");
            let (mut part, mut totals) = (ScanPart::new(n * m, Sum::<f64>::new()), ScanPart::new(n * m, Sum::<f64>::new()));
            let mut other = totals.clone();
            for cut in cuts.windows(2) {
                part.scan_iterations("box", setting.md_range(space, [0..n, 0..m]), cut[0]..cut[1], (&x, &mut y), move |i, sum, last, (x, mut y)| {
                    *sum += x[i];
                    if last { y[i] = *sum }
                }).expect("covered");
                totals.add_totals_of_iterations("box", setting.md_range(space, [0..n, 0..m]), cut[0]..cut[1], &x, move |i, sum, _, x| *sum += x[i])
                    .expect("covered");
                let [begin, end] = [cut[0] as isize - 100, cut[1] as isize - 100];
                other.scan("signed", setting.signed_range(space, begin..end), &mut signed, move |i, sum, last, mut y| {
                    *sum += rough((i.get() + 100) as usize);
                    if last { y[i] = *sum }
                }).expect("covered");
            }
            assert_same(&y.to_host().expect("memory").to_vec(), &wanted, format!("cut at {cuts:?}"));
            assert_same(&signed.as_view().to_host().expect("memory").to_vec(), &wanted, format!("signed, cut at {cuts:?}"));
            for part in [part, totals, other] {
                assert_same(&part.finish().expect("complete"), &whole, format!("total, cut at {cuts:?}"));
            }
        }
    }

    fn leagues_are_cut_anywhere(space, _setting) {
        let [n, m] = [2500, 9];
        let x = space.view_from_fn("x", [n, m], |[i, j]| rough(i * m + j)).expect("memory");
        let rows: Vec<f64> = (0..n).map(|i| oracle::reduce(&Sum::<f64>::new(), m, |j, sum| *sum += rough(i * m + j))).collect();
        let reducer = InOrder::new(Sum::<f64>::new());
        let (wanted, wanted_total) = oracle::scan(&reducer, n, |i, sum| *sum += rows[i]);
        let league = || space.team(n, AUTO).scratch(64, 0);
        let scan = |part: &mut ScanPart<_>, y: &mut View<f64, 1, _>, iterations: Range<usize>| {
            part.scan_iterations("values", league(), iterations, (&x, y), move |team, sum, last, (x, mut y)| {
                assert!(team.league_size() == n && team.league_rank() < n);
                *sum += team.parallel_reduce(team.thread_range(m), |ij, sum| *sum += x[ij], Sum::<f64>::new());
                let sum = *sum;
                if last { team.single(|i| y[i] = sum) }
            }).expect("covered");
        };
        let total = |part: &mut ScanPart<_>, iterations: Range<usize>| {
            part.add_totals_of_iterations("totals", league(), iterations, &x, move |team, sum, last, x| {
                assert!(!last);
                *sum += team.parallel_reduce(team.thread_range(m), |ij, sum| *sum += x[ij], Sum::<f64>::new());
            }).expect("covered");
        };
        for cuts in [vec![0, n], vec![0, 0, 1, 700, 2047, 2048, 2049, n], vec![0, 2047, 2049, 2049, n, n]] {
            let mut y = space.zeros("y", [n]).expect("memory");
            let mut part = ScanPart::new(n, reducer);
            cuts.windows(2).for_each(|cut| scan(&mut part, &mut y, cut[0]..cut[1]));
            assert_same(&y.to_host().expect("memory").to_vec(), &wanted, format!("one after the other, cut at {cuts:?}"));
            assert_same(&part.finish().expect("complete"), &wanted_total, format!("total, cut at {cuts:?}"));

            let mut y = space.zeros("y", [n]).expect("memory");
            for (mut prefix, cut) in prefixes(n, &cuts, reducer, &total).into_iter().zip(cuts.windows(2)) {
                scan(&mut prefix, &mut y, cut[0]..cut[1]);
            }
            assert_same(&y.to_host().expect("memory").to_vec(), &wanted, format!("in two rounds, cut at {cuts:?}"));
        }
        let mut part = ScanPart::new(n, reducer);
        let short = space.zeros::<f64, 2>("short", [n - 1, m]).expect("memory");
        let error = part.scan("short", space.team(n, AUTO), &short, |_, _, _, _| {}).expect_err("not covered");
        assert!(error.to_string().contains("does not cover the league 0..2500"), "{error}");
    }

    fn scans_that_do_not_fit_are_refused_with_the_numbers(space, setting) {
        let add = |_: spelt::Idx<'_, 1>, sum: &mut f64, _: bool, ()| *sum += 1.0;
        let mut part = ScanPart::starting_at(5000, 2048, Sum::<f64>::new()).expect("a border");
        let error = part.scan("sum", setting.range(space, 0..1), (), add).expect_err("nothing is known before it");
        assert_eq!(error.to_string(),
            "kernel `sum`: the part has 2048..2048 of 5000 iterations, and the values before them are not known: merge the parts on the \
             left, and scan from there");
        let error = part.add_totals("sum", setting.range(space, 0..3000), (), add).expect_err("too many");
        assert_eq!(error.to_string(),
            "kernel `sum`: 3000 iterations are more than the part can append: it has 2048..2048 of 5000");
        part.add_totals("sum", setting.range(space, 0..2952), (), add).expect("room");
        assert_eq!(part.clone().finish().expect_err("the first are missing").kind(), ErrorKind::Policy);
        let mut first = ScanPart::new(5000, Sum::<f64>::new());
        first.scan("sum", setting.range(space, 0..2047), (), add).expect("room");
        assert!(first.merge(part.clone()).is_err());
        first.scan("sum", setting.range(space, 0..1), (), add).expect("room");
        first.merge(part).expect("neighbours");
        assert_eq!(first.finish().expect("complete"), 5000.0);
    }
}

every! { on_every_host_space:
    fn values_that_own_memory_scan_in_index_order(space, setting) {
        let list = custom(Vec::new(), |into: &mut Vec<usize>, from: &Vec<usize>| into.extend(from)).non_commutative();
        let n = 200;
        for cuts in [vec![0, 200], vec![0, 1, 1, 64, 65, 100, 200], vec![0, 63, 199, 200]] {
            let found = Mutex::new(vec![0; n]);
            let mut part = ScanPart::new(n, &list);
            for cut in cuts.windows(2) {
                part.scan("lists", setting.range(space, cut[0]..cut[1]), (), |i, list, last, ()| {
                    assert!(list.iter().copied().eq(0..i.get()) || !last, "before {}", i.get());
                    list.push(i.get());
                    if last { found.lock().expect("no panic")[i.get()] = list.len() }
                }).expect("nothing can fail");
            }
            assert!(part.finish().expect("complete").into_iter().eq(0..n));
            assert!(found.into_inner().expect("no panic").into_iter().eq(1..=n));
        }
    }
}
