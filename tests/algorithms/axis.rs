//! Reductions along axes.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock};

use spelt::algorithms::*;
use spelt::prelude::*;
use spelt::reducers::Reducer;
use spelt::subview::{All, Steps};
use spelt::{ErrorKind, HostSpace};

use crate::equal::{assert_same, noise, rough};
use crate::oracle;
use crate::spaces::{every, threads};

/// The indices of a box, the last component fastest.
fn indices<const N: usize>(extents: [usize; N]) -> impl Iterator<Item = [usize; N]> {
    (0..extents.iter().product()).map(move |mut number: usize| {
        let mut index = [0; N];
        for dimension in (0..N).rev() {
            index[dimension] = number % extents[dimension];
            number /= extents[dimension];
        }
        index
    })
}

/// Each output reduced alone, in the canonical order.
fn wanted<R: Reducer, const N: usize>(
    extents: [usize; N],
    axes: &[usize],
    reducer: &R,
    contribute: impl Fn(&mut R::Value, [usize; N], usize),
) -> Vec<R::Output> {
    let part = |reduced: bool| {
        std::array::from_fn(|axis| if axes.contains(&axis) == reduced { extents[axis] } else { 1 })
    };
    let row: Vec<[usize; N]> = indices(part(true)).collect();
    let output = |first: [usize; N]| {
        oracle::reduce(reducer, row.len(), |k, value| {
            contribute(value, std::array::from_fn(|axis| first[axis] + row[k][axis]), k);
        })
    };
    indices(part(false)).map(output).collect()
}

/// An element that every other order of joins turns into other bits.
fn element<const N: usize>(index: [usize; N]) -> f32 {
    rough(index.iter().fold(0, |number, &i| number * 131 + i)) as f32
}

/// Contributes an element with its position.
fn weigh(sum: &mut f64, x: f32, k: usize) {
    *sum += f64::from(x) * (k as f64 + 0.5);
}

/// What `weigh` gives, computed once for all spaces.
fn weighed<const N: usize>(extents: [usize; N], axes: &[usize]) -> Vec<f64> {
    type Known = HashMap<(Vec<usize>, Vec<usize>), Vec<f64>>;
    static KNOWN: OnceLock<Mutex<Known>> = OnceLock::new();
    let mut known = KNOWN.get_or_init(Mutex::default).lock().expect("no oracle panics");
    let compute = || wanted(extents, axes, &Sum::<f64>::new(), |sum, index, k| weigh(sum, element(index), k));
    known.entry((extents.to_vec(), axes.to_vec())).or_insert_with(compute).clone()
}

/// Reduces along these axes into both shapes of outputs, and compares with the oracle.
macro_rules! check {
    ($space:ident, $x:expr, $rank:literal - $count:literal, $axes:expr) => {{
        let (whole, axes): (_, [usize; $count]) = (&$x, $axes);
        let x = whole.view();
        let extents: [usize; $rank] = x.extents();
        let found = weighed(extents, &axes);
        let what = format!("{extents:?} with strides {:?} along {axes:?}", x.strides());
        let kept =
            std::array::from_fn::<_, $rank, _>(|axis| if axes.contains(&axis) { 1 } else { extents[axis] });
        let mut out = $space.view_from_fn("kept", kept, |_| 7.0).expect("memory");
        reduce_axes($space, &x, axes, &mut out, weigh, Sum::<f64>::new()).expect("the extents fit");
        assert_same(&out.to_host().expect("memory").to_vec(), &found, format!("{what}, kept"));
        let mut rest = (0..$rank).filter(|axis| !axes.contains(axis)).map(|axis| extents[axis]);
        let dropped =
            std::array::from_fn::<_, { $rank - $count }, _>(|_| rest.next().expect("an axis is left"));
        let mut out =
            $space.zeros_in::<f64, { $rank - $count }, _>(Left, "dropped", dropped).expect("memory");
        reduce_axes($space, &x, axes, &mut out, weigh, Sum::<f64>::new()).expect("the extents fit");
        assert_same(&out.to_host().expect("memory").to_vec(), &found, format!("{what}, dropped"));
    }};
}

/// All sets of axes of rank 4, some of them not in order.
macro_rules! check_all {
    ($space:ident, $x:expr) => {
        check!($space, $x, 4 - 0, []);
        for axis in 0..4 {
            check!($space, $x, 4 - 1, [axis]);
        }
        for axes in [[0, 1], [2, 0], [0, 3], [1, 2], [1, 3], [3, 2]] {
            check!($space, $x, 4 - 2, axes);
        }
        for axes in [[0, 1, 2], [3, 1, 0], [0, 2, 3], [1, 2, 3]] {
            check!($space, $x, 4 - 3, axes);
        }
        check!($space, $x, 4 - 4, [2, 0, 3, 1]);
    };
}

every! { on_every_space:
    fn every_set_of_axes_has_the_canonical_bits(space, _setting) {
        for extents in [[3, 5, 7, 11], [1, 1, 1, 1], [2, 70, 1, 3], [4, 1, 150, 2]] {
            check_all!(space, &space.view_from_fn("x", extents, element).expect("memory"));
        }
        check_all!(space, &space.view_from_fn_in(Left, "x", [3, 5, 7, 11], element).expect("memory"));
    }

    fn parts_of_views_reduce_as_they_lie(space, _setting) {
        let whole = space.view_from_fn("whole", [4, 6, 9, 13], |[i, j, k, l]| {
            element([i.saturating_sub(1), j.saturating_sub(1), k / 2, l.saturating_sub(2)])
        }).expect("memory");
        check_all!(space, whole.subview((1.., 1.., All.step(2), 2..)));
        let whole = space.view_from_fn_in(Left, "whole", [9, 5, 7, 12], |[i, j, k, l]| {
            element([i / 3, j, k, l.saturating_sub(1)])
        }).expect("memory");
        check_all!(space, whole.subview((All.step(3), All, All, 1..)));
    }

    fn long_axes_reach_every_tile(space, _setting) {
        for n in [31, 33, 2047, 2049, 4096, 6145, 9001] {
            for m in [1, 2, 17, 130] {
                if n * m > 300_000 {
                    continue;
                }
                check!(space, &space.view_from_fn("x", [n, m], element).expect("memory"), 2 - 1, [0]);
                check!(space, &space.view_from_fn("x", [m, n], element).expect("memory"), 2 - 1, [1]);
            }
        }
        let x = space.view_from_fn_in(Left, "x", [90, 100], element).expect("memory");
        check!(space, &x, 2 - 2, [0, 1]);
        let wide = space.view_from_fn("wide", [95, 107], element).expect("memory");
        check!(space, wide.subview((..90, ..100)), 2 - 2, [1, 0]);
        check!(space, wide.subview((..90, ..100)), 2 - 1, [1]);
        check!(space, wide.subview((..90, ..100)), 2 - 1, [0]);
    }

    fn ranks_from_one_to_six(space, _setting) {
        check!(space, &space.view_from_fn("x", [300], element).expect("memory"), 1 - 1, [0]);
        check!(space, &space.view_from_fn("x", [5, 2, 3], element).expect("memory"), 3 - 2, [0, 2]);
        check!(space, &space.view_from_fn("x", [2, 3, 4, 5, 6], element).expect("memory"), 5 - 2, [1, 3]);
        let six = space.view_from_fn("x", [2, 3, 2, 5, 3, 4], element).expect("memory");
        check!(space, &six, 6 - 3, [1, 3, 5]);
        check!(space, &six, 6 - 3, [0, 2, 4]);
        check!(space, &six, 6 - 6, [0, 1, 2, 3, 4, 5]);
        check!(space, &six, 6 - 1, [2]);
    }

    fn noise_of_many_sizes(space, _setting) {
        for seed in 0..30_usize {
            let size = |axis: usize| 1 + ((noise(seed * 3 + axis) + 1.0) * [20.0, 6.0, 35.0][(axis + seed) % 3]) as usize;
            let x = space.view_from_fn("x", [size(0), size(1), size(2)], element).expect("memory");
            check!(space, &x, 3 - 1, [seed % 3]);
            check!(space, &x, 3 - 2, [seed % 3, (seed + 1) % 3]);
        }
    }

    fn order_is_kept_where_joins_do_not_commute(space, _setting) {
        type Affine = (u64, u64);
        fn then(first: &mut Affine, second: &Affine) {
            *first = (first.0.wrapping_mul(second.0), first.1.wrapping_mul(second.0).wrapping_add(second.1));
        }
        let reducer = custom((1_u64, 0_u64), move |into: &mut Affine, from: &Affine| then(into, from)).non_commutative();
        let map = |x: u32| (u64::from(x) * 2 + 1, u64::from(x));
        for extents in [[60, 50, 3], [3, 70, 40], [2, 2500, 2], [9000, 1, 2], [2, 3, 9000]] {
            let x = space.view_from_fn("x", extents, |[i, j, k]| (i * 7919 + j * 31 + k) as u32).expect("memory");
            for axes in [[0, 1], [1, 2], [0, 2]] {
                let kept: [usize; 3] = std::array::from_fn(|axis| if axes.contains(&axis) { 1 } else { extents[axis] });
                let mut out = space.zeros::<Affine, 3>("out", kept).expect("memory");
                reduce_axes(space, &x, axes, &mut out, move |value, x, _| reducer.join(value, &map(x)), reducer)
                    .expect("the extents fit");
                let found = wanted(extents, &axes, &reducer, |value, [i, j, k], _| {
                    then(value, &map((i * 7919 + j * 31 + k) as u32));
                });
                assert_same(&out.to_host().expect("memory").to_vec(), &found, format!("{extents:?} {axes:?}"));
            }
        }
    }
}

every! { on_every_space:
    fn ties_go_to_the_smallest_position(space, _setting) {
        let n = 200_000;
        let place = |x: &View<f64, 1, S::Memory>| {
            let mut place = space.zeros::<usize, 0>("place", []).expect("memory");
            arg_min_axes(space, x, [0], &mut place).expect("fits");
            place.to_host().expect("memory").value()
        };
        assert_eq!(place(&space.view_from_fn("x", [4], |[i]| [3.0, 1.0, 1.0, 2.0][i]).expect("memory")), 1);
        let planted = space.view_from_fn("x", [n], |[i]| if i % 28_571 == 17 { -1.0 } else { (i % 99) as f64 }).expect("memory");
        assert_eq!(place(&planted), 17);
        assert_eq!(place(&space.view_from_fn("x", [n], |_| f64::INFINITY).expect("memory")), 0);
    }

    fn errors_say_what_is_wrong_and_nothing_is_written(space, _setting) {
        let x = space.zeros::<f32, 2>("x", [3, 4]).expect("memory");
        let mut out = space.view_from_fn("out", [4], |_| 7.0_f32).expect("memory");
        let fails = |message: &str, result: spelt::Result<()>| {
            let error = result.expect_err(message);
            assert_eq!(error.kind(), ErrorKind::Extents);
            assert!(error.to_string().contains(message), "{error}");
        };
        fails("along axis 2", sum_axes(space, &x, [2], &mut out));
        fails("axis 1 is named twice", sum_axes(space, &x, [1, 1], &mut out));
        fails("has [4]", sum_axes(space, &x, [1], &mut out));
        fails("[1, 1] or []", sum_axes(space, &x, [0, 1], &mut out));
        assert_eq!(out.to_host().expect("memory").to_vec(), [7.0; 4]);
    }
}

every! { on_every_host_space:
    fn calls_and_joins_are_counted(space, _setting) {
        #[derive(Clone, Copy)]
        struct Counting<'c> {
            joins: &'c AtomicUsize,
        }
        impl Reducer for Counting<'_> {
            type Value = u64;
            type Output = u64;
            fn init(&self) -> u64 {
                0
            }
            fn join(&self, into: &mut u64, from: &u64) {
                self.joins.fetch_add(1, Relaxed);
                *into += from;
            }
            fn finish(&self, value: u64) -> u64 {
                value
            }
        }
        let cases = [([50, 3, 40], 1), ([3, 5000, 20], 1), ([200, 1, 130], 2), ([9000, 5, 5], 0), ([2, 2, 9000], 2), ([4, 100, 1], 1)];
        for (extents, axis) in cases {
            let (calls, joins) = (&AtomicUsize::new(0), &AtomicUsize::new(0));
            let x = space.zeros::<u8, 3>("x", extents).expect("memory");
            let mut kept = extents;
            kept[axis] = 1;
            let mut out = space.zeros::<u64, 3>("out", kept).expect("memory");
            let count = move |value: &mut u64, _, _| {
                calls.fetch_add(1, Relaxed);
                *value += 1;
            };
            reduce_axes(space, &x, [axis], &mut out, count, Counting { joins }).expect("fits");
            let (n, len): (usize, usize) = (extents.iter().product(), extents[axis]);
            assert!(out.iter().all(|&count| count == len as u64));
            assert_eq!(calls.load(Relaxed), n, "{extents:?}");
            // All tiles but the last have 32 lanes of 64 elements.
            let (tiles, rest) = (len.div_ceil(2048), (len - 1) % 2048 + 1);
            let row = (tiles - 1) * 32 + rest.min(32) - 1;
            assert_eq!(joins.load(Relaxed), n / len * row, "{extents:?}");
        }
    }
}

#[test]
fn sums_and_their_kin_match_core() {
    let space = &threads(3);
    let n = [40, 33];
    let x =
        space.view_from_fn("x", n, |[i, j]| ((i * 37 + j * 11) % 201) as i8 as f32 / 8.0).expect("memory");
    let each = |i: usize, j: usize| f64::from(((i * 37 + j * 11) % 201) as i8) / 8.0;
    let mut out = space.zeros::<f64, 1>("out", [n[1]]).expect("memory");
    let column = |name: &str, wanted: &dyn Fn(&[f64]) -> f64, out: &View<f64, 1, HostSpace>| {
        let out = out.to_host().expect("memory");
        for j in 0..n[1] {
            let column: Vec<f64> = (0..n[0]).map(|i| each(i, j)).collect();
            let (found, wanted) = (out[j], wanted(&column));
            assert!((found - wanted).abs() <= 1e-12 * wanted.abs().max(1.0), "{name} {j}: {found} {wanted}");
        }
    };
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    let variance = |x: &[f64]| x.iter().map(|y| (y - mean(x)).powi(2)).sum::<f64>() / (x.len() - 1) as f64;
    sum_axes(space, &x, [0], &mut out).expect("fits");
    column("sum", &|x| x.iter().sum(), &out);
    mean_axes(space, &x, [0], &mut out).expect("fits");
    column("mean", &mean, &out);
    variance_axes(space, &x, [0], &mut out, 1).expect("fits");
    column("variance", &variance, &out);
    standard_deviation_axes(space, &x, [0], &mut out, 1).expect("fits");
    column("deviation", &|x| variance(x).sqrt(), &out);
    norm_l1_axes(space, &x, [0], &mut out).expect("fits");
    column("L1", &|x| x.iter().map(|x| x.abs()).sum(), &out);
    norm_squared_axes(space, &x, [0], &mut out).expect("fits");
    column("squared", &|x| x.iter().map(|x| x * x).sum(), &out);
    norm_l2_axes(space, &x, [0], &mut out).expect("fits");
    column("L2", &|x| x.iter().map(|x| x * x).sum::<f64>().sqrt(), &out);
    norm_max_axes(space, &x, [0], &mut out).expect("fits");
    column("max", &|x| x.iter().fold(0.0, |max, x| x.abs().max(max)), &out);
}

#[test]
fn moments_have_the_canonical_bits_and_do_not_cancel() {
    let space = &threads(3);
    let n = [3, 9001];
    let x = space.view_from_fn("x", n, |[i, j]| 1e9 + rough(i * n[1] + j).clamp(-9.0, 9.0)).expect("memory");
    let found = wanted(n, &[1], &Welford::<f64>::new(), |moments, [i, j], _| {
        moments.update(1e9 + rough(i * n[1] + j).clamp(-9.0, 9.0));
    });
    let mut out = space.zeros::<f64, 1>("out", [3]).expect("memory");
    variance_axes(space, &x, [1], &mut out, 1).expect("fits");
    let out = out.to_host().expect("memory");
    for (i, moments) in found.iter().enumerate() {
        assert_same(&out[i], &moments.variance(1), i);
        let y = |j: usize| rough(i * n[1] + j).clamp(-9.0, 9.0);
        let (mean, _) = oracle::exact_sum((0..n[1]).map(y));
        let (squares, _) = oracle::exact_sum((0..n[1]).map(|j| (y(j) - mean / n[1] as f64).powi(2)));
        let wanted = squares / (n[1] - 1) as f64;
        assert!((out[i] - wanted).abs() < 1e-6 * wanted, "{} {wanted}", out[i]);
    }
}

#[test]
fn integers_have_wider_accumulators() {
    let space = &threads(3);
    let x = space.view_from_fn("x", [300, 20], |[i, j]| ((i + j) % 256) as i8).expect("memory");
    let each = |i: usize, j: usize| i32::from(((i + j) % 256) as i8);
    let mut out = space.zeros::<i32, 1>("out", [20]).expect("memory");
    sum_axes(space, &x, [0], &mut out).expect("fits");
    assert_eq!(
        out.to_host().expect("memory").to_vec(),
        (0..20).map(|j| (0..300).map(|i| each(i, j)).sum()).collect::<Vec<i32>>()
    );
    let mut out = space.zeros::<i64, 1>("out", [300]).expect("memory");
    product_axes(space, &x, [1], &mut out).expect("fits");
    let wanted = |i: usize| (0..20).fold(1_i64, |product, j| product.wrapping_mul(i64::from(each(i, j))));
    assert_eq!(out.to_host().expect("memory").to_vec(), (0..300).map(wanted).collect::<Vec<i64>>());
    let mut out = space.zeros::<f64, 1>("out", [20]).expect("memory");
    mean_axes(space, &x, [0], &mut out).expect("fits");
    let wanted = |j: usize| f64::from((0..300).map(|i| each(i, j)).sum::<i32>()) / 300.0;
    assert_same(&out.to_host().expect("memory").to_vec(), &(0..20).map(wanted).collect(), "means");
}

#[test]
fn extrema_positions_and_conditions() {
    let space = &threads(3);
    let extents = [6, 40, 5];
    let value = |[i, j, k]: [usize; 3]| (i * 7 + j * 13 + k * 29) % 31;
    let x = space.view_from_fn("x", extents, value).expect("memory");
    let (mut values, mut places) = (
        space.zeros::<usize, 3>("values", [6, 1, 5]).expect("memory"),
        space.zeros::<usize, 2>("places", [6, 5]).expect("memory"),
    );
    let row = |output: usize| (0..40).map(move |j| (value([output / 5, j, output % 5]), j));
    min_axes(space, &x, [1], &mut values).expect("fits");
    arg_min_axes(space, &x, [1], &mut places).expect("fits");
    let found: Vec<_> = values
        .to_host()
        .expect("memory")
        .to_vec()
        .into_iter()
        .zip(places.to_host().expect("memory").to_vec())
        .collect();
    assert_eq!(found, (0..30).map(|output| row(output).min().expect("not empty")).collect::<Vec<_>>());
    max_axes(space, &x, [1], &mut values).expect("fits");
    arg_max_axes(space, &x, [1], &mut places).expect("fits");
    let found: Vec<_> = values
        .to_host()
        .expect("memory")
        .to_vec()
        .into_iter()
        .zip(places.to_host().expect("memory").to_vec())
        .collect();
    let first_max = |output: usize| {
        row(output).max_by_key(|&(value, j)| (value, std::cmp::Reverse(j))).expect("not empty")
    };
    assert_eq!(found, (0..30).map(first_max).collect::<Vec<_>>());
    let (mut any, mut all) = (
        space.zeros::<bool, 1>("any", [40]).expect("memory"),
        space.zeros::<bool, 1>("all", [40]).expect("memory"),
    );
    any_axes(space, &x, [2, 0], &mut any, |x| x == 30).expect("fits");
    all_axes(space, &x, [2, 0], &mut all, |x| x > 0).expect("fits");
    let (any, all) = (any.to_host().expect("memory"), all.to_host().expect("memory"));
    for j in 0..40 {
        let mut column = (0..30).map(|output| value([output / 5, j, output % 5]));
        assert_eq!(any[j], column.clone().any(|x| x == 30));
        assert_eq!(all[j], column.all(|x| x > 0));
    }
}

#[test]
fn nothing_is_the_identity() {
    let space = &threads(3);
    let x = space.zeros::<f32, 2>("x", [0, 4]).expect("memory");
    let mut out = space.view_from_fn("out", [4], |_| 7.0_f32).expect("memory");
    let check = |wanted: f32, out: &View<f32, 1, HostSpace>, what: &str| {
        let out = out.to_host().expect("memory").to_vec();
        assert!(out.iter().all(|&out| out == wanted || out.is_nan() && wanted.is_nan()), "{what}: {out:?}");
    };
    sum_axes(space, &x, [0], &mut out).expect("fits");
    check(0.0, &out, "sum");
    product_axes(space, &x, [0], &mut out).expect("fits");
    check(1.0, &out, "product");
    mean_axes(space, &x, [0], &mut out).expect("fits");
    check(f32::NAN, &out, "mean");
    variance_axes(space, &x, [0], &mut out, 0).expect("fits");
    check(f32::NAN, &out, "variance");
    min_axes(space, &x, [0], &mut out).expect("fits");
    check(f32::INFINITY, &out, "min");
    max_axes(space, &x, [0], &mut out).expect("fits");
    check(f32::NEG_INFINITY, &out, "max");
    norm_max_axes(space, &x, [0], &mut out).expect("fits");
    check(0.0, &out, "norm");
    let mut places = space.zeros::<usize, 1>("places", [4]).expect("memory");
    arg_min_axes(space, &x, [0], &mut places).expect("fits");
    assert_eq!(places.to_host().expect("memory").to_vec(), [usize::MAX; 4]);
    let mut truths = space.zeros::<bool, 1>("truths", [4]).expect("memory");
    all_axes(space, &x, [0], &mut truths, |x| x > 0.0).expect("fits");
    assert_eq!(truths.to_host().expect("memory").to_vec(), [true; 4]);
    any_axes(space, &x, [0], &mut truths, |x| x > 0.0).expect("fits");
    assert_eq!(truths.to_host().expect("memory").to_vec(), [false; 4]);
    // The other axis: four elements for each of no outputs.
    let mut none = space.zeros::<f32, 1>("none", [0]).expect("memory");
    sum_axes(space, &x, [1], &mut none).expect("fits");
    let tall = space.zeros::<f32, 2>("tall", [4, 0]).expect("memory");
    sum_axes(space, &tall, [1], &mut out).expect("fits");
    check(0.0, &out, "tall");
    let mut total = space.view_from_fn("total", [], |_| 7.0_f32).expect("memory");
    sum_axes(space, &tall, [0, 1], &mut total).expect("fits");
    assert_eq!(total.to_host().expect("memory").value(), 0.0);
}

#[test]
fn nan_is_ignored_or_propagated_wherever_it_stands() {
    let space = &threads(3);
    // Row and column i have their NaN at i.
    let n = 70;
    let x = space
        .view_from_fn("x", [n, n], |[i, j]| match i.abs_diff(j) {
            0 => f64::NAN,
            apart => apart as f64,
        })
        .expect("memory");
    let mut out = space.zeros::<f64, 1>("out", [n]).expect("memory");
    for axis in [0, 1] {
        min_axes(space, &x, [axis], &mut out).expect("fits");
        assert!(out.to_host().expect("memory").iter().all(|&min| min == 1.0));
        max_axes(space, &x, [axis], &mut out).expect("fits");
        assert!(out.to_host().expect("memory").iter().all(|&max| max >= 35.0));
        minimum_axes(space, &x, [axis], &mut out).expect("fits");
        assert!(out.to_host().expect("memory").iter().all(|min| min.is_nan()));
        maximum_axes(space, &x, [axis], &mut out).expect("fits");
        assert!(out.to_host().expect("memory").iter().all(|max| max.is_nan()));
    }
    let x = space
        .view_from_fn("x", [2, 3], |[i, j]| [[3.0, f64::NAN, 1.0], [f64::NAN; 3]][i][j])
        .expect("memory");
    let mut out = space.zeros::<f64, 1>("out", [2]).expect("memory");
    min_axes(space, &x, [1], &mut out).expect("fits");
    assert_eq!(out.to_host().expect("memory").to_vec(), [1.0, f64::INFINITY]);
    let mut places = space.zeros::<usize, 1>("places", [2]).expect("memory");
    arg_min_axes(space, &x, [1], &mut places).expect("fits");
    assert_eq!(places.to_host().expect("memory").to_vec(), [2, usize::MAX]);
}

#[test]
fn a_sum_of_ones_does_not_stop_at_the_mantissa() {
    let space = threads(2);
    let ones = space.view_from_fn("ones", [(1 << 24) + 4096], |_| 1_u8).expect("memory");
    let mut sum = space.zeros::<f32, 0>("sum", []).expect("memory");
    sum_axes(&space, &ones, [0], &mut sum).expect("fits");
    assert_eq!(sum.value(), 16_781_312.0);
}

#[test]
fn positions_are_not_coded_as_floats() {
    let space = threads(2);
    let n = (1 << 24) + 3;
    let x = space.view_from_fn("x", [n], |[i]| u8::from(i != (1 << 24) + 1)).expect("memory");
    let mut place = space.zeros::<usize, 1>("place", [1]).expect("memory");
    arg_min_axes(&space, &x, [0], &mut place).expect("fits");
    assert_eq!(place[0], 16_777_217);
}

#[cfg(feature = "half")]
#[test]
fn half_precision_is_accumulated_in_single() {
    use half::{bf16, f16};
    let space = threads(2);
    for n in [4096, 70_000] {
        let x = space
            .view_from_fn("x", [n, 2], |[_, j]| if j == 0 { f16::ONE } else { f16::NEG_ONE })
            .expect("memory");
        let mut single = space.zeros::<f32, 1>("single", [2]).expect("memory");
        sum_axes(&space, &x, [0], &mut single).expect("fits");
        assert_eq!(single.to_vec(), [n as f32, -(n as f32)]);
        let mut half = space.zeros::<f16, 1>("half", [2]).expect("memory");
        sum_axes(&space, &x, [0], &mut half).expect("fits");
        assert_eq!(half.to_vec(), [f16::from_f32(n as f32), f16::from_f32(-(n as f32))]);
        assert!(n == 4096 || half[0].is_infinite());
        mean_axes(&space, &x, [0], &mut half).expect("fits");
        assert_eq!(half.to_vec(), [f16::ONE, f16::NEG_ONE]);
    }
    let x = space.view_from_fn("x", [2, 1000], |_| bf16::ONE).expect("memory");
    let mut sums = space.zeros::<bf16, 1>("sums", [2]).expect("memory");
    sum_axes(&space, &x, [1], &mut sums).expect("fits");
    assert_eq!(sums.to_vec(), [bf16::from_f32(1000.0); 2]);
}
