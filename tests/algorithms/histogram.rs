//! `reduce_by_index` and the histograms.

use std::sync::atomic::{AtomicUsize, Ordering};

use spelt::ErrorKind;
use spelt::algorithms::*;
use spelt::prelude::*;
use spelt::reducers::Reducer;

use crate::equal::{EDGES, assert_same, noise, rough};
use crate::spaces::every;

/// `reduce_by_index` as its documentation defines it, value by value.
fn by_index<R: Reducer<Value: Copy>>(
    reducer: &R,
    bins: &mut [R::Value],
    items: impl ExactSizeIterator<Item = (i64, R::Value)>,
) {
    let n = items.len();
    let blocks = (n / 4).checked_div(bins.len()).unwrap_or(1).clamp(1, 1024);
    let items: Vec<_> = items.collect();
    for block in items.chunks(n.div_ceil(blocks).max(1)) {
        let join = |bin: &mut Option<R::Value>, value| match bin {
            Some(into) => reducer.join(into, value),
            None => *bin = Some(*value),
        };
        // No identity takes part: bins without contributions keep their bits.
        let mut own = vec![None; bins.len()];
        if blocks == 1 {
            own = bins.iter().map(|bin| Some(*bin)).collect();
        }
        for (index, value) in block {
            if let Some(bin) = usize::try_from(*index).ok().and_then(|index| own.get_mut(index)) {
                join(bin, value);
            }
        }
        for (bin, own) in bins.iter_mut().zip(own) {
            match own {
                Some(own) if blocks == 1 => *bin = own,
                Some(own) => reducer.join(bin, &own),
                None => {}
            }
        }
    }
}

/// An index of one of `bins` bins, or one outside them, for each `i`; with `crowd`, nearly always the same.
fn index(i: usize, bins: usize, crowd: bool) -> i64 {
    let any = ((noise(i) + 1.0) * 0.5 * bins as f64) as i64;
    match i % 16 {
        0 => any - bins as i64 / 2,
        _ if crowd => bins as i64 / 3,
        _ => any,
    }
}

/// Numbers of values and bins: about the borders between the ways, with bins of which few or many are filled.
const SHAPES: [(usize, usize); 16] = [
    (0, 3),
    (1, 1),
    (100, 1),
    (100, 31),
    (4000, 1),
    (8192, 40_000),
    (8193, 1000),
    (20_000, 1),
    (20_000, 31),
    (20_000, 700),
    (20_000, 2500),
    (20_000, 4097),
    (9000, 70_001),
    (60_000, 513),
    (60_000, 512),
    (5000, 256),
];

/// Initial values of bins that a join with an identity, or with anything else, would change.
fn held(k: usize) -> f64 {
    let nans = [0x7ff8_0000_dead_beef, 0xfff8_0000_0000_0000, 0x7ff0_0000_0000_0001];
    match k % 7 {
        nan @ 0..3 => f64::from_bits(nans[nan]),
        3 => 0.0,
        4 => f64::INFINITY,
        5 => f64::NEG_INFINITY,
        _ => -0.0,
    }
}

/// A sum that declares no neutral value, so that flags record which bins have contributions.
fn plain_sum() -> impl Reducer<Value = f64, Output = f64> + Copy + Send + Sync {
    custom(0.0, |into: &mut f64, from: &f64| *into += from)
}

/// Joins 2 to bin 1 over and over, all else is outside: the bins that get nothing have the bits that they had.
fn nothing_but_one<S: ExecutionSpace>(
    space: &S,
    (n, bins): (usize, usize),
    reducer: impl Reducer<Value = f64, Output = f64> + Copy + Send + Sync,
) {
    for one in [false, true] {
        let index = |i: usize| if one && i.is_multiple_of(9) { 1 } else { -1 - i as i64 };
        let indices = space.view_from_fn("indices", [n], |[i]| index(i)).expect("memory");
        let values = space.view_from_fn("values", [n], |_| 2.0).expect("memory");
        let mut found = space.view_from_fn("bins", [bins], |[k]| held(k)).expect("memory");
        reduce_by_index(space, &values, &indices, &mut found, reducer).expect("lengths agree");
        let mut found = found.to_host().expect("memory").to_vec();
        let mut wanted: Vec<f64> = (0..bins).map(held).collect();
        if one && bins > 1 {
            (found[1], wanted[1]) = (0.0, 0.0);
        }
        assert_same(&found, &wanted, format!("{n} into {bins}, {one}"));
    }
}

every! { on_every_space:
    fn bins_that_get_nothing_keep_their_bits(space, _setting) {
        for shape in [(0, 3), (100, 31), (20_000, 31), (20_000, 700), (9000, 40_000)] {
            nothing_but_one(space, shape, Sum::new());
            nothing_but_one(space, shape, Min::new());
        }
        nothing_but_one(space, (20_000, 31), Prod::new());
        for shape in [(100, 31), (20_000, 31), (20_000, 700)] {
            nothing_but_one(space, shape, plain_sum());
        }
    }

    fn minima_ignore_nan_also_where_bins_hold_it(space, _setting) {
        for (n, bins) in [(100, 31), (9000, 70), (20_000, 35), (20_000, 700)] {
            // Bins by sevens get nothing, NaN alone, infinity among NaN, zeros of both signs, or numbers.
            let index = |i: usize| (i * 7919 % bins) as i64;
            let value = |i: usize| match (index(i) / 7 % 5, i % 3) {
                (0, _) => None,
                (1, _) | (2, 0) | (4, 0) => Some(f64::from_bits(0x7ff8_0000_0000_0000 + i as u64)),
                (2, _) => Some(f64::INFINITY),
                (3, odd) => Some(if odd == 1 { -0.0 } else { 0.0 }),
                (_, _) => Some(noise(i)),
            };
            let place = |i: usize| if value(i).is_some() { index(i) } else { i64::MAX };
            let indices = space.view_from_fn("indices", [n], |[i]| place(i)).expect("memory");
            let values = space.view_from_fn("values", [n], |[i]| value(i).unwrap_or(0.0)).expect("memory");
            let mut least = space.view_from_fn("least", [bins], |[k]| held(k)).expect("memory");
            let mut most = space.view_from_fn("most", [bins], |[k]| held(k)).expect("memory");
            reduce_by_index(space, &values, &indices, &mut least, Min::new()).expect("lengths agree");
            reduce_by_index(space, &values, &indices, &mut most, Max::new()).expect("lengths agree");
            let (mut lowest, mut highest): (Vec<f64>, Vec<f64>) = (0..bins).map(|k| (held(k), held(k))).unzip();
            for (i, x) in (0..n).filter_map(|i| Some((index(i) as usize, value(i)?))) {
                Min::new().join(&mut lowest[i], &x);
                Max::new().join(&mut highest[i], &x);
            }
            assert_same(&least.to_host().expect("memory").to_vec(), &lowest, format!("least of {n} into {bins}"));
            assert_same(&most.to_host().expect("memory").to_vec(), &highest, format!("most of {n} into {bins}"));
        }
    }

    fn sums_of_floats_have_the_documented_bits(space, _setting) {
        for ((n, bins), crowd) in SHAPES.into_iter().flat_map(|shape| [(shape, false), (shape, true)]) {
            let indices = space.view_from_fn("indices", [n], |[i]| index(i, bins, crowd)).expect("memory");
            let values = space.view_from_fn("values", [n], |[i]| rough(i)).expect("memory");
            let mut sums = space.view_from_fn("sums", [bins], |[k]| noise(k)).expect("memory");
            reduce_by_index(space, &values, &indices, &mut sums, Sum::new()).expect("lengths agree");
            let mut wanted: Vec<f64> = (0..bins).map(noise).collect();
            by_index(&Sum::<f64>::new(), &mut wanted, (0..n).map(|i| (index(i, bins, crowd), rough(i))));
            assert_same(&sums.to_host().expect("memory").to_vec(), &wanted, format!("{n} into {bins}, {crowd}"));
        }
    }

    fn values_join_in_order(space, _setting) {
        // Affine maps under composition: not commutative.
        let compose = custom([1_u64, 0], |into: &mut [u64; 2], from: &[u64; 2]| {
            *into = [into[0].wrapping_mul(from[0]), into[1].wrapping_mul(from[0]).wrapping_add(from[1])];
        }).non_commutative();
        for (n, bins) in [(5000, 7), (20_000, 31), (20_000, 9000)] {
            let map = |i: usize| [i as u64 * 2 + 1, i as u64 % 97];
            let indices = space.view_from_fn("indices", [n], |[i]| index(i, bins, false)).expect("memory");
            let values = space.view_from_fn("values", [n], |[i]| map(i)).expect("memory");
            let mut maps = space.view_from_fn("maps", [bins], |_| [1_u64, 0]).expect("memory");
            reduce_by_index(space, &values, &indices, &mut maps, compose).expect("lengths agree");
            let mut wanted = vec![[1_u64, 0]; bins];
            for i in 0..n {
                if let Some(bin) = usize::try_from(index(i, bins, false)).ok().and_then(|k| wanted.get_mut(k)) {
                    compose.join(bin, &map(i));
                }
            }
            assert_same(&maps.to_host().expect("memory").to_vec(), &wanted, format!("{n} into {bins}"));
        }
    }

    fn bytes_in_256_bins_and_one_more_or_fewer(space, _setting) {
        for (n, bins) in [(300, 256), (70_000, 255), (70_000, 256), (70_000, 257)] {
            let byte = |i: usize| (i * 7919 % 251 + i % 6) as u8;
            let samples = space.view_from_fn("samples", [n], |[i]| byte(i)).expect("memory");
            let mut counts = space.view_from_fn("counts", [bins], |_| 77_u32).expect("memory");
            histogram(space, &samples, &mut counts).expect("memory");
            let mut wanted = vec![0; bins];
            for sample in (0..n).map(|i| usize::from(byte(i))).filter(|&sample| sample < bins) {
                wanted[sample] += 1;
            }
            assert_eq!(counts.to_host().expect("memory").to_vec(), wanted, "{n} bytes into {bins}");
            // Negative numbers are no bins.
            let samples = space.view_from_fn("samples", [n], |[i]| byte(i).cast_signed()).expect("memory");
            histogram(space, &samples, &mut counts).expect("memory");
            wanted.iter_mut().skip(128).for_each(|bin| *bin = 0);
            assert_eq!(counts.to_host().expect("memory").to_vec(), wanted, "{n} signed bytes into {bins}");
        }
    }

    fn counts_and_minima_are_those_of_a_loop(space, _setting) {
        for ((n, bins), crowd) in SHAPES.into_iter().flat_map(|shape| [(shape, false), (shape, true)]) {
            let samples = space.view_from_fn("samples", [n], |[i]| index(i, bins, crowd)).expect("memory");
            let mut counts = space.view_from_fn("counts", [bins], |_| 77_u32).expect("memory");
            histogram(space, &samples, &mut counts).expect("memory");
            // Equal zeros: the one with the smaller index stays.
            let value = |i: usize| if i.is_multiple_of(5) { 0.0 } else if i.is_multiple_of(7) { -0.0 } else { rough(i).abs() };
            let values = space.view_from_fn("values", [n], |[i]| value(i)).expect("memory");
            let mut minima = space.view_from_fn("minima", [bins], |_| f64::INFINITY).expect("memory");
            reduce_by_index(space, &values, &samples, &mut minima, Min::new()).expect("lengths agree");
            let (mut wanted, mut least) = (vec![0_u32; bins], vec![f64::INFINITY; bins]);
            for i in 0..n {
                if let Some(k) = usize::try_from(index(i, bins, crowd)).ok().filter(|&k| k < bins) {
                    wanted[k] += 1;
                    if value(i) < least[k] { least[k] = value(i) }
                }
            }
            assert_same(&counts.to_host().expect("memory").to_vec(), &wanted, format!("{n} into {bins}, {crowd}"));
            assert_same(&minima.to_host().expect("memory").to_vec(), &least, format!("least of {n} into {bins}, {crowd}"));
        }
    }

    fn samples_are_integers_of_any_type(space, _setting) {
        macro_rules! kinds {
            ($($kind:ident)*) => {$({
                let (n, bins) = (2000, 50);
                let sample = |i: usize| match i {
                    0 => $kind::MAX,
                    1 => $kind::MIN,
                    _ => index(i, bins, false) as $kind,
                };
                let samples = space.view_from_fn("samples", [n], |[i]| sample(i)).expect("memory");
                let mut counts = space.zeros::<u32, 1>("counts", [bins]).expect("memory");
                histogram(space, &samples, &mut counts).expect("memory");
                let mut wanted = vec![0_u32; bins];
                (0..n).for_each(|i| if let Some(bin) = usize::try_from(sample(i)).ok().and_then(|bin| wanted.get_mut(bin)) { *bin += 1 });
                assert_same(&counts.to_host().expect("memory").to_vec(), &wanted, stringify!($kind));
            })*};
        }
        kinds!(i32 u32);
    }

    fn without_bins_all_are_ignored(space, _setting) {
        for n in [0, 3, 5000] {
            let samples = space.view_from_fn("samples", [n], |[i]| i as i32 % 5).expect("memory");
            let mut none = space.zeros::<u32, 1>("none", [0]).expect("memory");
            histogram(space, &samples, &mut none).expect("all are ignored");
            let mut none = space.zeros::<f64, 1>("none", [0]).expect("memory");
            histogram(space, &samples, &mut none).expect("all are ignored");
            let mut none = space.zeros::<i32, 1>("none", [0]).expect("memory");
            reduce_by_index(space, &samples, &samples, &mut none, Sum::new()).expect("all are ignored");
        }
    }

    fn indices_outside_are_counted_and_nothing_is_joined(space, _setting) {
        for ((n, bins), wide) in SHAPES.into_iter().flat_map(|shape| [(shape, false), (shape, true)]) {
            let at = |i: usize| if wide { index(i, bins, false) } else { index(i, bins, false).rem_euclid(bins as i64) };
            let outside: Vec<usize> = (0..n).filter(|&i| !(0..bins as i64).contains(&at(i))).collect();
            let indices = space.view_from_fn("indices", [n], |[i]| at(i)).expect("memory");
            let values = space.view_from_fn("values", [n], |[i]| rough(i)).expect("memory");
            let mut wanted: Vec<f64> = (0..bins).map(noise).collect();
            let mut sums = space.view_from_fn("sums", [bins], |[k]| noise(k)).expect("memory");
            match reduce_by_index_checked(space, &values, &indices, &mut sums, Sum::new()) {
                Ok(()) => {
                    assert!(outside.is_empty(), "{n} into {bins}");
                    by_index(&Sum::<f64>::new(), &mut wanted, (0..n).map(|i| (at(i), rough(i))));
                }
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::Extents);
                    let words = format!("{} of the {n} indices in view `indices` lie outside 0..{bins}, the first of them at [{}]",
                        outside.len(), outside[0]);
                    assert!(error.to_string().contains(&words), "{error}");
                }
            }
            assert_same(&sums.to_host().expect("memory").to_vec(), &wanted, format!("{n} into {bins}"));
        }
    }

    fn case_26_bounds_and_contention(space, _setting) {
        let pairs = space.view_from_fn("pairs", [5], |[i]| [1_i64, 1, 4, 4, 4][i]).expect("memory");
        let mut bins = space.zeros::<f64, 1>("bins", [5]).expect("memory");
        let values = space.view_from_fn("values", [5], |[i]| [1.0, 1.0, 4.0, 4.0, 4.0][i]).expect("memory");
        reduce_by_index(space, &values, &pairs, &mut bins, Sum::new()).expect("lengths agree");
        assert_eq!(bins.to_host().expect("memory").to_vec(), [0.0, 2.0, 0.0, 0.0, 12.0]);
        let outside = space.view_from_fn("outside", [5], |[i]| [10_000_000_i64, -1, i64::MIN, 5, i64::MAX][i]).expect("memory");
        reduce_by_index(space, &values, &outside, &mut bins, Sum::new()).expect("lengths agree");
        let error = reduce_by_index_checked(space, &values, &outside, &mut bins, Sum::new()).expect_err("all lie outside");
        assert!(error.to_string().contains("5 of the 5 indices"), "{error}");
        assert_eq!(bins.to_host().expect("memory").to_vec(), [0.0, 2.0, 0.0, 0.0, 12.0]);
        reduce_by_index_checked(space, &values, &pairs, &mut bins, Sum::new()).expect("all lie inside");
        assert_eq!(bins.to_host().expect("memory").to_vec(), [0.0, 4.0, 0.0, 0.0, 24.0]);
        let short = space.zeros::<f64, 1>("short", [4]).expect("memory");
        let error = reduce_by_index(space, &short, &pairs, &mut bins, Sum::new()).expect_err("lengths differ");
        assert_eq!(error.kind(), ErrorKind::Extents);
    }

    fn case_26_saturating_sums(space, _setting) {
        let saturating = custom(0_u8, |into: &mut u8, from: &u8| *into = into.saturating_add(*from));
        for n in [100, 1000, 20_000] {
            let indices = space.view_from_fn("indices", [n], |_| 2_i64).expect("memory");
            let ones = space.view_from_fn("ones", [n], |_| 1_u8).expect("memory");
            let mut sums = space.zeros::<u8, 1>("sums", [3]).expect("memory");
            reduce_by_index(space, &ones, &indices, &mut sums, saturating).expect("lengths agree");
            assert_eq!(sums.to_host().expect("memory").to_vec(), [0, 0, n.min(255) as u8]);
        }
    }

    fn case_27_even_bins(space, _setting) {
        let samples = [2.2, 6.1, 7.1, 2.9, 3.5, 0.3, 2.9, 2.1, 6.1, 999.5, f64::NAN, -0.1, 12.0];
        let mut counts = space.view_from_fn("counts", [6], |_| 9_u32).expect("memory");
        let x = space.view_from_fn("samples", [13], |[i]| samples[i]).expect("memory");
        histogram_even(space, &x, 0.0..12.0, &mut counts).expect("a range");
        assert_eq!(counts.to_host().expect("memory").to_vec(), [1, 5, 0, 3, 0, 0]);
        let edges = space.view_from_fn("edges", [EDGES.len()], |[i]| EDGES[i]).expect("memory");
        histogram_even(space, &edges, -1.0..2.0, &mut counts).expect("a range");
        assert_eq!(counts.to_host().expect("memory").iter().sum::<u32>(), 8, "all in range, each in one bin");
        // The last number below the end falls into the last bin, though the quotient rounds up to the number of bins.
        for (low, high, bins) in [(0.1, 0.7_f64, 33), (0.0, 0.7, 23), (-1.0, 2.0, 6)] {
            let last = high.next_down();
            assert_eq!((last - low) * bins as f64 / (high - low), bins as f64, "it does");
            let last = space.view_from_fn("last", [1], |_| last).expect("memory");
            let mut counts = space.zeros::<u32, 1>("counts", [bins]).expect("memory");
            histogram_even(space, &last, low..high, &mut counts).expect("a range");
            let counts = counts.to_host().expect("memory").to_vec();
            assert_eq!((counts[bins - 1], counts.iter().sum::<u32>()), (1, 1), "{low}..{high} in {bins}");
        }
        for (n, bins) in [(0, 4), (1000, 7), (20_000, 4097)] {
            let sample = |i: usize| noise(i) * 1.25;
            let x = space.view_from_fn("x", [n], |[i]| sample(i)).expect("memory");
            let mut counts = space.zeros::<u32, 1>("counts", [bins]).expect("memory");
            histogram_even(space, &x, -1.0..1.0, &mut counts).expect("a range");
            let mut wanted = vec![0_u32; bins];
            (0..n).map(sample).filter(|x| (-1.0..1.0).contains(x)).for_each(|x| {
                wanted[((x + 1.0) * bins as f64 / 2.0) as usize] += 1;
            });
            assert_same(&counts.to_host().expect("memory").to_vec(), &wanted, format!("{n} into {bins}"));
        }
    }

    fn even_bins_of_integers_are_exact(space, _setting) {
        let x = space.view_from_fn("x", [256], |[i]| (i as i64 - 128) as i8).expect("memory");
        for (range, bins) in [(-128..127_i8, 255), (-100..100, 7), (-1..1, 5), (0..1, 1)] {
            let mut counts = space.zeros::<u32, 1>("counts", [bins]).expect("memory");
            histogram_even(space, &x, range.clone(), &mut counts).expect("a range");
            let mut wanted = vec![0_u32; bins];
            for x in i64::from(range.start)..i64::from(range.end) {
                let (low, high) = (i64::from(range.start), i64::from(range.end));
                wanted[((x - low) * bins as i64 / (high - low)) as usize] += 1;
            }
            assert_same(&counts.to_host().expect("memory").to_vec(), &wanted, format!("{range:?} in {bins}"));
        }
    }
}

every! { on_every_host_space:
    fn many_bins_that_get_nothing_keep_their_bits(space, _setting) {
        // By buckets; in bins of which one block needs no copy.
        for shape in [(140_000, 35_001), (140_000, 33_000)] {
            nothing_but_one(space, shape, Min::new());
        }
        nothing_but_one(space, (140_000, 14_000), Sum::new());
        nothing_but_one(space, (140_000, 14_000), plain_sum());
    }

    fn many_bins_with_many_contributions(space, _setting) {
        // Two blocks with more than 256 KB of bins, one of which needs no copy; then a case with buckets.
        for (n, bins) in [(300_000, 33_000), (140_000, 14_000), (140_000, 70_001)] {
            let indices = space.view_from_fn("indices", [n], |[i]| index(i, bins, false)).expect("memory");
            let values = space.view_from_fn("values", [n], |[i]| i as i64).expect("memory");
            let mut want = vec![7; bins];
            by_index(&Sum::<i64>::new(), &mut want, (0..n).map(|i| (index(i, bins, false), i as i64)));
            let mut sums = space.view_from_fn("sums", [bins], |_| 7).expect("memory");
            reduce_by_index(space, &values, &indices, &mut sums, Sum::<i64>::new()).expect("lengths agree");
            assert!(sums.to_vec() == want, "sums of integers");
            // Of negative numbers, so that a zero would be the largest.
            let values = space.view_from_fn("values", [n], |[i]| !(i as i64)).expect("memory");
            let mut want = vec![-400_000; bins];
            by_index(&Max::<i64>::new(), &mut want, (0..n).map(|i| (index(i, bins, false), !(i as i64))));
            let mut most = space.view_from_fn("most", [bins], |_| -400_000).expect("memory");
            reduce_by_index(space, &values, &indices, &mut most, Max::<i64>::new()).expect("lengths agree");
            assert!(most.to_vec() == want, "maxima");
            let values = space.view_from_fn("values", [n], |[i]| noise(i)).expect("memory");
            let mut want = vec![0.5; bins];
            by_index(&Sum::<f64>::new(), &mut want, (0..n).map(|i| (index(i, bins, false), noise(i))));
            let mut sums = space.view_from_fn("sums", [bins], |_| 0.5).expect("memory");
            reduce_by_index(space, &values, &indices, &mut sums, Sum::<f64>::new()).expect("lengths agree");
            assert!(sums.to_vec() == want, "sums of floats");
        }
    }

    fn ranges_that_cannot_be_cut_are_refused(space, _setting) {
        let mut counts = space.zeros::<u32, 1>("counts", [4]).expect("memory");
        let x = space.zeros::<f64, 1>("x", [3]).expect("memory");
        for (low, high) in [(1.0, 1.0), (2.0, 1.0), (f64::NAN, 1.0), (0.0, f64::NAN), (0.0, f64::INFINITY), (f64::MIN, f64::MAX)] {
            let error = histogram_even(space, &x, low..high, &mut counts).expect_err("no range");
            assert_eq!(error.kind(), ErrorKind::Configuration, "{error}");
        }
        let whole = space.zeros::<i64, 1>("whole", [3]).expect("memory");
        assert!(histogram_even(space, &whole, i64::MIN..i64::MAX, &mut counts).is_err());
        let mut one = space.zeros::<u32, 1>("one", [1]).expect("memory");
        histogram_even(space, &whole, i64::MIN..i64::MAX, &mut one).expect("it fits");
        assert_eq!(one[0], 3);
        let mut none = space.zeros::<u32, 1>("none", [0]).expect("memory");
        assert_eq!(histogram_even(space, &x, 0.0..1.0, &mut none).expect_err("no bin").kind(), ErrorKind::Extents);
        histogram(space, &whole, &mut none).expect("all are ignored");
    }

    fn joins_are_as_many_as_documented(space, _setting) {
        for (n, bins) in SHAPES {
            let joins = AtomicUsize::new(0);
            let counting = custom(0.0, |into: &mut f64, from: &f64| {
                joins.fetch_add(1, Ordering::Relaxed);
                *into += from;
            });
            let indices = space.view_from_fn("indices", [n], |[i]| (i % bins) as i64).expect("memory");
            let values = space.view_from_fn("values", [n], |[i]| i as f64).expect("memory");
            let mut sums = space.zeros::<f64, 1>("sums", [bins]).expect("memory");
            reduce_by_index(space, &values, &indices, &mut sums, &counting).expect("lengths agree");
            let blocks = (n / 4 / bins).clamp(1, 1024);
            let copies = if blocks == 1 { 0 } else { n.div_ceil(n.div_ceil(blocks)) * bins };
            // Without a neutral value the first one for a copy is not a join; but the copy is then joined to its bin.
            assert_eq!(joins.into_inner(), n, "{n} in {bins}");
            assert!(copies <= n / 4);
        }
    }
}
