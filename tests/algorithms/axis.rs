//! Reductions along axes.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock};

use spelt::ErrorKind;
use spelt::algorithms::*;
use spelt::prelude::*;
use spelt::reducers::Reducer;
use spelt::subview::{All, Steps};

use crate::equal::{assert_same, noise, rough};
use crate::oracle;
use crate::spaces::every;

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
pub(crate) fn wanted<R: Reducer, const N: usize>(
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
pub(crate) fn element<const N: usize>(index: [usize; N]) -> f32 {
    rough(index.iter().fold(0, |number, &i| number * 131 + i)) as f32
}

/// Contributes an element with its position.
fn weigh(sum: &mut f64, x: f32, k: usize) {
    *sum += f64::from(x) * (k as f64 + 0.5);
}

/// The results of `weigh`, computed once for all spaces.
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
        for n in [31, 33, 128, 2047, 2049, 2148, 4096, 6145, 9001] {
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

    fn ranks_from_one_to_eight(space, _setting) {
        check!(space, &space.view_from_fn("x", [300], element).expect("memory"), 1 - 1, [0]);
        check!(space, &space.view_from_fn("x", [5, 2, 3], element).expect("memory"), 3 - 2, [0, 2]);
        check!(space, &space.view_from_fn("x", [2, 3, 4, 5, 6], element).expect("memory"), 5 - 2, [1, 3]);
        let six = space.view_from_fn("x", [2, 3, 2, 5, 3, 4], element).expect("memory");
        check!(space, &six, 6 - 3, [1, 3, 5]);
        check!(space, &six, 6 - 3, [0, 2, 4]);
        check!(space, &six, 6 - 6, [0, 1, 2, 3, 4, 5]);
        check!(space, &six, 6 - 1, [2]);
        let eight = space.view_from_fn("x", [2, 3, 2, 2, 1, 3, 2, 3], element).expect("memory");
        check!(space, &eight, 8 - 3, [0, 1, 5]);
        check!(space, &eight, 8 - 6, [2, 3, 4, 5, 6, 7]);
    }

    fn lines_hold_several_rows_of_lanes_and_begin_at_any(space, _setting) {
        for extents in [[3, 2, 300], [9, 5, 133], [2, 4, 128], [40, 2, 130], [5, 3, 127]] {
            check!(space, space.view_from_fn("x", extents, element).expect("memory"), 3 - 2, [0, 2]);
            let [i, j, k] = extents;
            let whole = space.view_from_fn("whole", [i, j, k + 1], |[i, j, k]| {
                element([i, j, k.saturating_sub(1)])
            }).expect("memory");
            check!(space, whole.subview((.., .., 1..)), 3 - 2, [0, 2]);
        }
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
        let eight = space.zeros::<f32, 8>("eight", [2; 8]).expect("memory");
        let mut four = space.zeros::<f32, 4>("four", [2; 4]).expect("memory");
        fails("8 axes are apart in memory, and at most 6 may be", sum_axes(space, &eight, [0, 2, 4, 6], &mut four));
        assert_eq!(out.to_host().expect("memory").to_vec(), [7.0; 4]);
    }
}

every! { on_every_host_space:
    fn tiles_of_wide_rows_are_shared_out_by_their_lanes(space, _setting) {
        // One tile, and two of which the last has two rows: fewer than the parts.
        for [n, m] in [[200, 1500], [2050, 300]] {
            check!(space, &space.view_from_fn("x", [n, m], element).expect("memory"), 2 - 1, [0]);
        }
    }

    fn tiles_that_threads_do_not_divide_are_cut_by_columns(space, _setting) {
        // Three tiles for two threads, and five for two and three.
        for [n, m] in [[4100, 130], [8193, 200]] {
            check!(space, &space.view_from_fn("x", [n, m], element).expect("memory"), 2 - 1, [0]);
        }
    }

    fn without_axes_each_element_is_an_output_wherever_it_lies(space, _setting) {
        // Six dimensions that are all kept, and none that merges: elements of neighbours are the same places.
        let data: Vec<u32> = (1..=7).collect();
        let x = ViewRef::from_strided([2; 6], [1; 6], &data).expect("it fits");
        let mut out = View::<u32, 6>::zeros("out", [2; 6]).expect("memory");
        reduce_axes(space, &x, [], &mut out, |sum, x, _| *sum += x, Sum::<u32>::new()).expect("covered");
        for i in 0..64_usize {
            let index = core::array::from_fn::<usize, 6, _>(|d| i >> d & 1);
            assert_eq!(out[index], 1 + i.count_ones(), "{index:?}");
        }
    }

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
