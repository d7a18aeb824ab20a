//! Cases of millions of elements, by formulas: on two threads and on rayon's, since without optimisation they take their time.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use spelt::AnyHost;
use spelt::algorithms::*;
use spelt::prelude::*;

use crate::equal::{assert_same, noise};
use crate::oracle;
use crate::spaces::threads;

/// The number of steps: `many` in an optimised build, which does them in the time in which another does `few`.
const fn more(few: usize, many: usize) -> usize {
    if cfg!(debug_assertions) { few } else { many }
}

/// Runs a test on two threads, and on the global rayon pool.
fn on_two_spaces(case: impl Fn(&AnyHost)) {
    case(&threads(2).into());
    case(&Rayon::new().into());
}

/// Elements that take no memory: the values are made from the index.
fn indices(n: usize) -> View<(), 1> {
    View::zeros("indices", [n]).expect("no memory is needed")
}

#[test]
fn case_1_sums_of_indices() {
    on_two_spaces(|space| {
        for n in [(1 << 20) - 1, 1 << 20, (1 << 20) + 1] {
            let sum =
                transform_reduce(space, &indices(n), |(), i| i as i64, Sum::<i64>::new()).expect("covered");
            assert_eq!(sum, (n * (n - 1) / 2) as i64);
        }
    });
}

#[test]
#[cfg_attr(debug_assertions, ignore = "2^31 calls take minutes without optimisation: cargo test --release")]
fn case_1_more_indices_than_32_bits_hold() {
    let n: usize = (1 << 31) + 1;
    let wanted = (n / 2 * n) as i64;
    on_two_spaces(|space| {
        let n = indices(n);
        assert_eq!(
            transform_reduce(space, &n, |(), i| i as i64, Sum::<i64>::new()).expect("covered"),
            wanted
        );
    });
}

/// As many elements as a View can have: what lies after the result is neither tested nor passed over piece by piece.
#[test]
fn searches_end_where_the_result_is_known_regardless_of_the_length() {
    on_two_spaces(|space| {
        for n in [(1 << 40) + 1, isize::MAX as usize] {
            let (x, three) = (indices(n), indices(3));
            assert_eq!(find_if(space, &x, |()| true).expect("a search"), Some(0));
            assert!(!none_of(space, &x, |()| true).expect("a search"));
            assert_eq!(adjacent_find(space, &x).expect("a search"), Some(0));
            assert_eq!(mismatch_by(space, &x, &x, |(), ()| false).expect("a search"), Some(0));
            assert_eq!(mismatch(space, &x, &three).expect("a search"), Some(3));
            assert_eq!(search(space, &x, &three).expect("a search"), Some(0));
            assert_eq!(find_end(space, &x, &three).expect("a search"), Some(n - 3));
            assert_eq!(search_n(space, &x, 3, ()).expect("a search"), Some(0));
            assert_eq!(partition_point(space, &x, |()| true).expect("a search"), n);
            let calls = AtomicUsize::new(0);
            let changes = |(): &()| calls.fetch_add(1, Relaxed).is_multiple_of(2);
            assert!(!is_partitioned(space, &x, changes).expect("a search"));
        }
    });
}

#[test]
fn case_3_ones_do_not_stop_at_the_mantissa() {
    let space = threads(2);
    let ones = transform_reduce_commutative(&space, &indices(1 << 25), |(), _| 1.0_f32, Sum::<f32>::new());
    assert_eq!(ones.expect("covered"), 33_554_432.0);
    let ones = space.view_from_fn("ones", [(1 << 24) + 4096], |_| 1_u8).expect("memory");
    let mut sum = space.zeros::<f32, 0>("sum", []).expect("memory");
    sum_axes(&space, &ones, [0], &mut sum).expect("fits");
    assert_eq!(sum.value(), 16_781_312.0);
}

#[test]
fn case_5_a_wide_accumulator_loses_nothing() {
    on_two_spaces(|space| {
        let x =
            space.view_from_fn("x", [1_000_001], |[i]| if i == 0 { 1e8_f32 } else { 1.0 }).expect("memory");
        let wide = |x: f32, _| f64::from(x);
        for _ in 0..2 {
            let sum = transform_reduce_commutative(space, &x, wide, Sum::<f64>::new()).expect("covered");
            assert_eq!(sum, 101_000_000.0);
            assert_eq!(transform_reduce(space, &x, wide, Sum::<f64>::new()).expect("covered"), 101_000_000.0);
        }
        let mut sum = space.zeros::<f64, 0>("sum", []).expect("memory");
        sum_axes(space, &x, [0], &mut sum).expect("fits");
        assert_eq!(sum.value(), 101_000_000.0);
        // Without one, lanes and tiles keep terms that a single running sum would lose: it would stay at 1e8.
        let narrow = reduce_commutative(space, &x, Sum::<f32>::new()).expect("covered");
        assert!((f64::from(narrow) - 101_000_000.0).abs() < 2e5, "{narrow}");
    });
}

#[test]
fn case_6_the_same_bits_in_every_run() {
    let n = 10_000_000;
    let x = View::from_fn("x", [n], |[i]| (noise(i) + 1.0) as f32 * 0.5).expect("memory");
    let first = reduce_commutative(&Serial::new(), &x, Sum::new()).expect("covered");
    let (exact, magnitude) = oracle::exact_sum(x.iter().map(|&x| f64::from(x)));
    assert!((f64::from(first) - exact).abs() <= 1e-6 * magnitude, "{first} {exact}");
    for number in [1, 2, 4, 8, 16] {
        let space = threads(number);
        for run in 0..more(1, 20) {
            let sum = reduce_commutative(&space, &x, Sum::new()).expect("covered");
            assert_same(&sum, &first, format!("run {run} on {number} threads"));
        }
    }
}

#[test]
fn case_11_nan_at_each_of_a_thousand_positions() {
    on_two_spaces(|space| {
        // Row i has its NaN at i; the noise chooses the places of its smallest and largest elements.
        let n = 1000;
        let value = |[i, j]: [usize; 2]| if i == j { f32::NAN } else { noise(i * n + j) as f32 };
        let x = space.view_from_fn("x", [n, n], value).expect("memory");
        let mut out = space.zeros::<f32, 1>("out", [n]).expect("memory");
        let row = |i: usize| (0..n).filter(move |&j| j != i).map(move |j| value([i, j]));
        min_axes(space, &x, [1], &mut out).expect("fits");
        assert!((0..n).all(|i| out[i] == row(i).fold(f32::INFINITY, f32::min)));
        minimum_axes(space, &x, [1], &mut out).expect("fits");
        assert!(out.iter().all(|x| x.is_nan()));
        maximum_axes(space, &x, [0], &mut out).expect("fits");
        assert!(out.iter().all(|x| x.is_nan()));
    });
}

#[test]
fn case_12_the_first_of_equal_minima() {
    on_two_spaces(|space| {
        let n = 1_000_000;
        let place = |x: &View<f64, 1>| {
            let least = transform_reduce(space, x, |val, loc| MinLocValue { val, loc }, MinLoc::<f64>::new());
            let mut place = space.zeros::<usize, 0>("place", []).expect("memory");
            arg_min_axes(space, x, [0], &mut place).expect("fits");
            assert_eq!(place.value(), least.expect("covered").loc);
            place.value()
        };
        let mut x = space.view_from_fn("x", [n], |[i]| 1.0 + (i % 1009) as f64).expect("memory");
        (0..7).rev().for_each(|i| x[i * 142_857] = -1.0);
        assert_eq!(place(&x), 0);
        x[0] = -0.5;
        assert_eq!(place(&x), 142_857);
        deep_copy_scalar(&mut x, f64::INFINITY).expect("memory");
        assert_eq!(place(&x), 0, "found, although nothing is below the identity");
        deep_copy_scalar(&mut x, f64::NAN).expect("memory");
        assert_eq!(place(&x), usize::MAX, "nothing but NaN");
    });
}

#[test]
fn case_13_positions_are_not_coded_as_floats() {
    let space = threads(2);
    let mut x = space.zeros::<f32, 1>("x", [(1 << 24) + 3]).expect("memory");
    deep_copy_scalar(&mut x, 1.0).expect("memory");
    x[(1 << 24) + 1] = 0.0;
    let mut place = space.zeros::<usize, 1>("place", [1]).expect("memory");
    arg_min_axes(&space, &x, [0], &mut place).expect("fits");
    assert_eq!(place[0], 16_777_217);
}

#[test]
fn case_22_a_million_indices() {
    on_two_spaces(|space| {
        let mut x = space.view_from_fn("x", [1_000_000], |[i]| i as u32).expect("memory");
        exclusive_scan_in_place(space, &mut x, 0, Sum::new()).expect("covered");
        assert_eq!(x[999_999], 1_782_293_665);
    });
}

#[test]
fn case_26_ten_million_in_one_bin() {
    let n = 10_000_000;
    on_two_spaces(|space| {
        let x = space.zeros::<u8, 1>("x", [n]).expect("memory");
        let mut counts = space.zeros::<u32, 1>("counts", [1]).expect("memory");
        histogram(space, &x, &mut counts).expect("memory");
        assert_eq!(counts[0], n as u32);
    });
}

#[test]
fn case_26_sums_that_stop_at_255() {
    let saturating = custom(0_u8, |into: &mut u8, from: &u8| *into = into.saturating_add(*from));
    on_two_spaces(|space| {
        let n = 10_000_000;
        let indices = space.zeros::<u16, 1>("indices", [n]).expect("memory");
        let ones = space.view_from_fn("ones", [n], |_| 1_u8).expect("memory");
        let mut sums = space.zeros::<u8, 1>("sums", [300]).expect("memory");
        reduce_by_index(space, &ones, &indices, &mut sums, saturating).expect("lengths agree");
        assert!(sums[0] == 255 && sums.iter().skip(1).all(|&sum| sum == 0));
    });
}

#[test]
fn case_26_few_and_many_bins() {
    let n = more(400_000, 10_000_000);
    for bins in [1, 31, 4097, 1_500_000] {
        // Some lie outside, on either side.
        let index = |i: usize| (noise(i) * 0.55 * bins as f64).floor() as i64 + bins as i64 / 2;
        let indices = View::from_fn("indices", [n], |[i]| index(i)).expect("memory");
        let values = View::from_fn("values", [n], |[i]| i as u64 * 7919).expect("memory");
        let (mut sums, mut most) = (vec![0_u64; bins], vec![0_u64; bins]);
        for (&index, &value) in indices.iter().zip(&values) {
            if let Some(bin) = usize::try_from(index).ok().filter(|&bin| bin < bins) {
                sums[bin] += value;
                most[bin] = most[bin].max(value);
            }
        }
        on_two_spaces(|space| {
            let mut found = space.zeros::<u64, 1>("found", [bins]).expect("memory");
            reduce_by_index(space, &values, &indices, &mut found, Sum::new()).expect("lengths agree");
            assert_same(&found.to_vec(), &sums, format!("sums of {bins}"));
            deep_copy_scalar(&mut found, 0).expect("memory");
            reduce_by_index(space, &values, &indices, &mut found, Max::new()).expect("lengths agree");
            assert_same(&found.to_vec(), &most, format!("largest of {bins}"));
        });
    }
}
