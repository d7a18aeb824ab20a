//! Reductions over all pairs, and the reducers that they are made for.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use spelt::algorithms::{
    ArgKMin, KMin, KMinLoc, KMinValue, LogSumExp, SoftmaxMean, reduce_pairs_over_i, reduce_pairs_over_j,
};
use spelt::canonical;
use spelt::prelude::*;
use spelt::reducers::Reducer;
use spelt::{ErrorKind, ReadView};

use crate::equal::{assert_same, borders, noise, rough};
use crate::oracle;
use crate::spaces::every;

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

/// Fails unless `found` is within `most` of `wanted`, or both are the same infinity or NaN.
fn assert_near(found: f64, wanted: f64, most: f64, what: &str) {
    let near = (found - wanted).abs() <= most || found == wanted || (found.is_nan() && wanted.is_nan());
    assert!(near, "{what}: {found} is not {wanted}");
}

every! { on_every_space:
    fn sums_have_the_canonical_bits_of_each_row(space, _setting) {
        // Rows around a block of 16; both Views hold their indices, so a wrong pairing shows.
        let rows = [0, 1, 15, 16, 17, 35];
        for (case, n) in borders(8).into_iter().chain([5000]).enumerate() {
            let m = rows[case % rows.len()];
            let x = space.view_from_fn("x", [m], |[i]| i as u32).expect("memory");
            let y = space.view_from_fn("y", [n], |[j]| (j as f64, j as u32)).expect("memory");
            let mut a = space.zeros::<f64, 1>("a", [m]).expect("memory");
            reduce_pairs_over_j(space, &x, &y, &mut a, move |[i, j], sum, (x, (_, y))| {
                *sum += if (x as usize, y as usize) == (i, j) { rough(7919 * i + j) } else { f64::NAN };
            }, Sum::<f64>::new()).expect("extents fit");
            let wanted: Vec<f64> = (0..m)
                .map(|i| oracle::reduce(&Sum::<f64>::new(), n, |j, sum| *sum += rough(7919 * i + j)))
                .collect();
            assert_same(&a.to_host().expect("memory").to_vec(), &wanted, format!("{m} rows of {n}"));
        }
    }

    fn rows_of_several_teams_and_elements_of_any_size(space, _setting) {
        // Rows around the 128 of a team of a device, and elements of which its scratch holds a part of a tile, few, or one.
        #[derive(Clone, Copy, spelt::Element)]
        #[repr(C, align(64))]
        struct Line([f64; 8]);
        for (m, n) in [(127, 0), (128, 2049), (129, 1), (300, 2500)] {
            let x = space.view_from_fn("x", [m], |[i]| noise(i)).expect("memory");
            let y = space.view_from_fn("y", [n], |[j]| Line([noise(j + 1000); 8])).expect("memory");
            let mut a = space.zeros::<f64, 1>("a", [m]).expect("memory");
            reduce_pairs_over_j(space, &x, &y, &mut a, |_, sum, (x, Line(y))| *sum += x * y[7], Sum::<f64>::new())
                .expect("extents fit");
            let wanted: Vec<f64> = (0..m).map(|i| oracle::reduce(&Sum::<f64>::new(), n, |j, sum| {
                *sum += noise(i) * noise(j + 1000);
            })).collect();
            assert_same(&a.to_host().expect("memory").to_vec(), &wanted, format!("{m} rows of {n} lines"));
        }
        // Values so large that a tile is one leaf.
        for (m, n) in [(2, 65), (129, 130)] {
            let x = space.view_from_fn("x", [m], |[i]| noise(i)).expect("memory");
            let y = space.view_from_fn("y", [n], |[j]| [noise(j + 1000); 1500]).expect("memory");
            let mut a = space.zeros::<[f64; 80], 1>("a", [m]).expect("memory");
            reduce_pairs_over_j(space, &x, &y, &mut a, |_, sums, (x, y)| {
                for (sum, y) in sums.iter_mut().zip(&y[1420..]) { *sum += x * y }
            }, Sum::<[f64; 80]>::new()).expect("extents fit");
            let a = a.to_host().expect("memory");
            for i in 0..m {
                let wanted = oracle::reduce(&Sum::<[f64; 80]>::new(), n, |j, sums| {
                    for sum in sums { *sum += noise(i) * noise(j + 1000) }
                });
                assert_same(&a[i], &wanted, format!("row {i} of {m}, {n} large elements"));
            }
        }
    }

    fn the_transposed_reduction_is_the_one_of_the_transposed_pairs(space, _setting) {
        for [m, n] in [[0, 3], [3, 0], [1, 1], [70, 33], [2049, 17]] {
            let x = space.view_from_fn("x", [m], |[i]| noise(i)).expect("memory");
            let y = space.view_from_fn("y", [n], |[j]| noise(j + 5000)).expect("memory");
            let mut b = space.zeros::<f64, 1>("b", [n]).expect("memory");
            reduce_pairs_over_i(space, &x, &y, &mut b, move |[i, j], sum, (x, y)| {
                *sum += (x - y) * (2 * i + j) as f64;
            }, Sum::<f64>::new()).expect("extents fit");
            let wanted: Vec<f64> = (0..n).map(|j| oracle::reduce(&Sum::<f64>::new(), m, |i, sum| {
                *sum += (noise(i) - noise(j + 5000)) * (2 * i + j) as f64;
            })).collect();
            assert_same(&b.to_host().expect("memory").to_vec(), &wanted, format!("{m} x {n}"));
        }
    }

    fn values_that_do_not_commute_join_in_index_order(space, _setting) {
        type Matrix = [u64; 4];
        const PRIME: u64 = 1_000_003;
        let times = |a: &Matrix, b: &Matrix| [
            (a[0] * b[0] + a[1] * b[2]) % PRIME, (a[0] * b[1] + a[1] * b[3]) % PRIME,
            (a[2] * b[0] + a[3] * b[2]) % PRIME, (a[2] * b[1] + a[3] * b[3]) % PRIME,
        ];
        let product = custom([1_u64, 0, 0, 1], move |into: &mut Matrix, from: &Matrix| *into = times(into, from))
            .non_commutative();
        for [m, n] in [[1, 1], [17, 1023], [3, 1025], [16, 3000]] {
            let x = space.view_from_fn("x", [m], |[i]| i as u64).expect("memory");
            let y = space.view_from_fn("y", [n], |[j]| j as u64 % 89).expect("memory");
            let mut a = space.zeros::<Matrix, 1>("a", [m]).expect("memory");
            reduce_pairs_over_j(space, &x, &y, &mut a, move |_, value, (x, y)| {
                *value = times(value, &[y + 1, x, 7, 1]);
            }, product).expect("extents fit");
            let a = a.to_host().expect("memory");
            #[allow(clippy::needless_range_loop, reason = "the index is part of what is tested")]
        for i in 0..m {
                let wanted = (0..n as u64).fold([1, 0, 0, 1], |left, j| times(&left, &[j % 89 + 1, i as u64, 7, 1]));
                assert_eq!(a[i], wanted, "row {i} of {m} x {n}");
            }
        }
    }

    fn neighbours_on_a_line(space, _setting) {
        // Case 17, with more points than needed, equal distances, and too few points.
        let x = space.view_from_fn("x", [20], |[i]| i as f32 + 2.5).expect("memory");
        let y = space.view_from_fn("y", [3000], |[j]| if j == 7 { f32::NAN } else { j as f32 }).expect("memory");
        let mut best = space.zeros::<[(f32, usize); 4], 1>("best", [20]).expect("memory");
        let nearest = |[_, j]: [usize; 2], best: &mut KMinValue<f32, 4>, (x, y): (f32, f32)| {
            best.update((x - y) * (x - y), j);
        };
        reduce_pairs_over_j(space, &x, &y, &mut best, nearest, KMinLoc::<f32, 4>::new()).expect("extents fit");
        let best = best.to_host().expect("memory");
        assert_eq!(best[0], [(0.25, 2), (0.25, 3), (2.25, 1), (2.25, 4)]);
        for i in 0..20 {
            let mut all: Vec<(f32, usize)> =
                (0..3000).filter(|&j| j != 7).map(|j| ((i as f32 + 2.5 - j as f32).powi(2), j)).collect();
            all.sort_by(|a, b| a.0.total_cmp(&b.0));
            assert_eq!(best[i][..], all[..4], "{i}");
        }
        let few = space.view_from_fn("few", [2], |[j]| [5.0_f32, 2.0][j]).expect("memory");
        let origin = space.zeros::<f32, 1>("origin", [1]).expect("memory");
        let mut values = space.zeros::<[f32; 4], 1>("values", [1]).expect("memory");
        let mut places = space.zeros::<[usize; 4], 1>("places", [1]).expect("memory");
        reduce_pairs_over_j(space, &origin, &few, &mut values, |[_, j], best, (_, y)| best.update(y, j),
            KMin::<f32, 4>::new()).expect("extents fit");
        reduce_pairs_over_j(space, &origin, &few, &mut places, |[_, j], best, (_, y)| best.update(y, j),
            ArgKMin::<f32, 4>::new()).expect("extents fit");
        assert_eq!(values.to_host().expect("memory")[0], [2.0, 5.0, f32::INFINITY, f32::INFINITY]);
        assert_eq!(places.to_host().expect("memory")[0], [1, 0, usize::MAX, usize::MAX]);
    }

    fn neighbours_in_blocks_of_pairs(space, _setting) {
        // Rows and pairs around blocks of 16, equal distances, NaN and infinities; three closures: one contribution to a pair, none to
        // some pairs, and several.
        let distance = |i: usize, j: usize| match (i + j) % 11 {
            0 => NAN,
            1 => INF,
            _ => (noise(50 * i + j) * 9.0).round(),
        };
        for (m, n) in [(1, 40), (4, 15), (16, 0), (16, 16), (17, 17), (20, 64), (35, 175)] {
            let x = space.view_from_fn("x", [m], |[i]| i as u32).expect("memory");
            let y = space.view_from_fn("y", [n], |[j]| j as u32).expect("memory");
            let mut best = space.zeros::<[(f64, usize); 3], 1>("best", [m]).expect("memory");
            for times in 0..3 {
                let several = move |j: usize| if times == 1 { 1 } else { times * (j % 2) + 2 * (j % 7 / 6) };
                let pair = move |[_, j]: [usize; 2], best: &mut KMinValue<f64, 3>, (x, y): (u32, u32)| {
                    for k in 0..several(j) {
                        best.update(distance(x as usize + k, y as usize), 10 * j + k);
                    }
                };
                reduce_pairs_over_j(space, &x, &y, &mut best, pair, KMinLoc::<f64, 3>::new()).expect("extents fit");
                let best = best.to_host().expect("memory");
                for i in 0..m {
                    let all = (0..n).flat_map(|j| (0..several(j)).map(move |k| (distance(i + k, j), 10 * j + k)));
                    let mut all: Vec<(f64, usize)> = all.filter(|(distance, _)| !distance.is_nan()).collect();
                    all.sort_by(|a, b| a.0.total_cmp(&b.0));
                    all.resize(all.len().max(3), (INF, usize::MAX));
                    assert_eq!(best[i][..], all[..3], "row {i} of {m} x {n}, closure {times}");
                }
            }
        }
    }

    fn the_first_of_equal_extremes_wins(space, _setting) {
        // Seven equal minima, a row of infinities, and a row of NaN.
        let n = 10_000;
        let x = space.view_from_fn("x", [3], |[i]| i as u32).expect("memory");
        let y = space.view_from_fn("y", [n], |[j]| if j % 1428 == 5 { -1.0 } else { noise(j).abs() }).expect("memory");
        let mut low = space.zeros::<MinLocValue<f64>, 1>("low", [3]).expect("memory");
        reduce_pairs_over_j(space, &x, &y, &mut low, |[_, j], best, (x, y)| {
            best.update([y, f64::INFINITY, f64::NAN][x as usize], j);
        }, MinLoc::<f64>::new()).expect("extents fit");
        let mut high = space.zeros::<MaxLocValue<f64, u32>, 1>("high", [3]).expect("memory");
        reduce_pairs_over_j(space, &x, &y, &mut high, |[_, j], best, (x, y)| {
            best.update([-y, f64::NEG_INFINITY, f64::NAN][x as usize], j as u32);
        }, MaxLoc::<f64, u32>::new()).expect("extents fit");
        let (low, high) = (low.to_host().expect("memory"), high.to_host().expect("memory"));
        assert_eq!([low[0], low[1], low[2]].map(|v| (v.val, v.loc)), [(-1.0, 5), (INF, 0), (INF, usize::MAX)]);
        assert_eq!([high[0], high[1], high[2]].map(|v| (v.val, v.loc)), [(1.0, 5), (-INF, 0), (-INF, u32::MAX)]);
    }

    fn sums_of_exponentials_in_rows(space, _setting) {
        // Case 14, a term for each column: every row of it also as a whole reduction; and 10's empty one.
        const CASES: [([f64; 3], usize, f64); 9] = [
            ([1000.0, 1000.0, 0.0], 2, 1_000.693_147_180_56),
            ([-1000.0, -1000.0, 0.0], 2, -999.306_852_819_44),
            ([-INF, 0.0, 0.0], 3, std::f64::consts::LN_2),
            ([-INF, -INF, 0.0], 2, -INF),
            ([0.0, INF, 0.0], 2, INF),
            ([INF, INF, 0.0], 2, INF),
            ([0.0, NAN, 0.0], 2, NAN),
            ([NAN, -INF, INF], 3, NAN),
            ([0.0, 0.0, 0.0], 0, -INF),
        ];
        let x = space.view_from_fn("x", [CASES.len()], |[i]| i as u32).expect("memory");
        let mut a = space.zeros::<f64, 1>("a", [CASES.len()]).expect("memory");
        for times in [1, 700] {
            // The terms recur; each time but the first the sum is that many times as large.
            let y = space.view_from_fn("y", [3 * times], |[j]| j as u32 % 3).expect("memory");
            reduce_pairs_over_j(space, &x, &y, &mut a, move |_, sum, (x, y)| {
                let (terms, count, _) = CASES[x as usize];
                sum.update(if (y as usize) < count { terms[y as usize] } else { -INF });
            }, LogSumExp::<f64>::new()).expect("extents fit");
            let a = a.to_host().expect("memory");
            for (i, (_, _, wanted)) in CASES.into_iter().enumerate() {
                assert_near(a[i], wanted + (times as f64).ln(), 1e-9, &format!("case {i}, {times} times"));
            }
        }
        let nothing = parallel_reduce("nothing", space.range(0..0), (), |_, _, ()| (), LogSumExp::<f32>::new());
        assert_same(&nothing.expect("nothing can fail"), &f32::NEG_INFINITY, "nothing");
    }

    fn sums_of_exponentials_have_the_canonical_bits(space, _setting) {
        let (m, n) = (18, 6000);
        let x = space.view_from_fn("x", [m], |[i]| 40.0 * noise(i) as f32).expect("memory");
        let y = space.view_from_fn("y", [n], |[j]| 40.0 * noise(j + 99) as f32).expect("memory");
        let mut a = space.zeros::<f32, 1>("a", [m]).expect("memory");
        reduce_pairs_over_j(space, &x, &y, &mut a, |_, sum, (x, y)| sum.update(x * y), LogSumExp::<f32>::new())
            .expect("extents fit");
        let a = a.to_host().expect("memory").to_vec();
        let term = |i: usize, j: usize| (40.0 * noise(i) as f32) * (40.0 * noise(j + 99) as f32);
        let wanted: Vec<f32> = (0..m)
            .map(|i| oracle::reduce(&LogSumExp::<f32>::new(), n, |j, sum| sum.update(term(i, j))))
            .collect();
        assert_same(&a, &wanted, "bits");
        #[allow(clippy::needless_range_loop, reason = "the index is part of what is tested")]
        for i in 0..m {
            let top = (0..n).map(|j| f64::from(term(i, j))).fold(-INF, f64::max);
            let exact = top + (0..n).map(|j| (f64::from(term(i, j)) - top).exp()).sum::<f64>().ln();
            assert_near(f64::from(a[i]), exact, 2e-7 * exact.abs().max(1.0), "error");
        }
    }

    fn weighted_exponentials(space, _setting) {
        // Case 15.
        const F: [f64; 3] = [0.0, 0.0, std::f64::consts::LN_2];
        let terms = space.range(0..3);
        let mean = parallel_reduce("mean", terms, (),
            move |i, mean, ()| mean.update(F[i.get()], [i.get() as f64 + 1.0, 1.0]), SoftmaxMean::<f64, 2>::new());
        let [mean, one] = mean.expect("nothing can fail");
        assert_near(mean, 2.25, 1e-15, "mean");
        assert_near(one, 1.0, 0.0, "mean of ones");
        let weighted = |sign: f64| parallel_reduce("sum", terms, (),
            move |i, sum, ()| sum.update_weighted(F[i.get()], sign * (i.get() as f64 + 1.0)), LogSumExp::<f64>::new())
            .expect("nothing can fail");
        assert_near(weighted(1.0), 9.0_f64.ln(), 1e-15, "sum");
        assert_near(weighted(-1.0), NAN, 0.0, "negative sum");
        assert_near(weighted(0.0), -INF, 0.0, "no weight");
    }

    fn gaussian_sums_and_their_gradient(space, _setting) {
        // Case 16.
        let x = space.view_from_fn("x", [3], |[i]| [i as f64]).expect("memory");
        let mut a = space.zeros::<(f64, f64), 1>("a", [3]).expect("memory");
        reduce_pairs_over_j(space, &x, &x, &mut a, |_, (sum, slope), (x, y)| {
            let d = x[0] - y[0];
            let k = spelt::math::exp(-d * d);
            *sum += k;
            *slope += -2.0 * d * k;
        }, (Sum::<f64>::new(), Sum::<f64>::new())).expect("extents fit");
        let a = a.to_host().expect("memory");
        for (i, (sum, slope)) in [(1.386195, 0.809021), (1.735759, 0.0), (1.386195, -0.809021)].into_iter().enumerate() {
            assert_near(a[i].0, sum, 1e-6, "sum");
            assert_near(a[i].1, slope, 1e-6, "gradient");
        }
        let n = 4001;
        let lattice = space.view_from_fn("lattice", [n], |[j]| j as f32 - 2000.0).expect("memory");
        let mut theta = space.zeros::<f32, 1>("theta", [17]).expect("memory");
        reduce_pairs_over_j(space, &lattice.subview(1990..2007), &lattice, &mut theta, |_, sum, (x, y)| {
            *sum += spelt::math::exp(-std::f32::consts::PI * ((x - y) * (x - y)));
        }, Sum::<f32>::new()).expect("extents fit");
        assert_near(f64::from(theta.to_host().expect("memory")[10]), 1.086_434_811_2, 1e-7, "theta");
    }

    fn views_of_any_layout(space, _setting) {
        let grid = space.view_from_fn_in(Left, "grid", [40, 50], |[i, j]| (i * 50 + j) as i64).expect("memory");
        let mut a = space.zeros_in::<i64, 2, _>(Left, "a", [3, 40]).expect("memory");
        reduce_pairs_over_j(space, &grid.subview((All, 3)), &grid.subview((7, All)), &mut a.subview_mut((1, All)),
            |_, sum, (x, y)| *sum += x * y, Sum::<i64>::new()).expect("extents fit");
        let a = a.to_host().expect("memory");
        let total: i64 = (0..50).map(|j| 350 + j).sum();
        for i in 0..40 {
            assert_eq!([a[[0, i]], a[[1, i]], a[[2, i]]], [0, (i as i64 * 50 + 3) * total, 0]);
        }
    }
}

every! { on_every_host_space:
    fn each_pair_is_one_call_and_leaves_are_joined_once(space, _setting) {
        // Reducers that count: 0 or 1 contributions in `init`, and a join that counts its calls.
        struct Counting<'a>(&'a AtomicUsize);
        impl Reducer for Counting<'_> {
            type Value = u64;
            type Output = u64;
            fn init(&self) -> u64 { 0 }
            fn join(&self, into: &mut u64, from: &u64) {
                self.0.fetch_add(1, Relaxed);
                *into += from;
            }
            fn finish(&self, value: u64) -> u64 { value }
        }
        for [m, n] in [[33, 5000], [16, 31], [1, 2049], [5, 0], [0, 5]] {
            let (calls, joins) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let (x, y) = (View::<u8, 1>::zeros("x", [m]).unwrap(), View::<u8, 1>::zeros("y", [n]).unwrap());
            let mut a = View::<u64, 1>::zeros("a", [m]).unwrap();
            reduce_pairs_over_j(space, &x, &y, &mut a, |_, sum, _| {
                calls.fetch_add(1, Relaxed);
                *sum += 1;
            }, Counting(&joins)).expect("extents fit");
            assert_eq!(calls.load(Relaxed), m * n);
            let lanes = canonical::lanes(8);
            let tile = canonical::tile_len(lanes);
            let leaves = n / tile * lanes + (n % tile).min(lanes);
            assert_eq!(joins.load(Relaxed), m * leaves.saturating_sub(1), "{m} x {n}");
            assert!(a.iter().all(|&count| count == n as u64));
        }
    }

    fn wrong_lengths_are_errors_and_write_nothing(space, _setting) {
        let (x, y) = (View::<f64, 1>::zeros("x", [3]).unwrap(), View::<f64, 1>::zeros("y", [4]).unwrap());
        let mut a = View::from_fn("a", [4], |_| 7.0).unwrap();
        let called = |_: [usize; 2], _: &mut f64, _: (f64, f64)| panic!("called");
        let error = reduce_pairs_over_j(space, &x, &y, &mut a, called, Sum::<f64>::new()).expect_err("4 is not 3");
        assert_eq!(error.kind(), ErrorKind::Extents);
        assert!(error.to_string().contains('4') && error.to_string().contains('3'), "{error}");
        let error = reduce_pairs_over_i(space, &x, &y, &mut a.subview_mut(0..3), called, Sum::<f64>::new())
            .expect_err("3 is not 4");
        assert_eq!(error.kind(), ErrorKind::Extents);
        let endless = View::<(), 1>::zeros("endless", [1 << 40]).unwrap();
        let error = reduce_pairs_over_j(space, &x, &endless, &mut a.subview_mut(0..3), |_, _, _| panic!("called"),
            Sum::<f64>::new()).expect_err("too many");
        assert_eq!(error.kind(), ErrorKind::Overflow);
        assert!(a.read().iter().all(|&a| a == 7.0));
    }
}

/// Joins of the new reducers in any grouping, and in any order where they promise it.
#[test]
fn joins_keep_what_was_contributed() {
    let reducer = KMinLoc::<f64, 5>::new();
    let terms: Vec<f64> = (0..400)
        .map(|i| [(noise(i) * 8.0).round(), NAN, INF][usize::from(i % 17 == 0) * (1 + i % 2)])
        .collect();
    let mut sorted: Vec<(f64, usize)> =
        terms.iter().copied().enumerate().map(|(i, t)| (t, i)).filter(|(t, _)| !t.is_nan()).collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    for parts in 1..20 {
        let values: Vec<_> = (0..parts)
            .map(|part| {
                let mut value = reducer.init();
                (0..terms.len()).filter(|i| i * 31 % parts == part).for_each(|i| value.update(terms[i], i));
                value
            })
            .collect();
        let mut joined = reducer.init();
        values.iter().rev().for_each(|value| reducer.join(&mut joined, value));
        assert_eq!(reducer.finish(joined)[..], sorted[..5], "{parts}");
        for k in 1..parts {
            let (mut left, mut right) = (reducer.init(), reducer.init());
            values[..k].iter().for_each(|value| reducer.join(&mut left, value));
            values[k..].iter().for_each(|value| reducer.join(&mut right, value));
            reducer.join(&mut left, &right);
            assert_eq!(reducer.finish(left)[..], sorted[..5]);
        }
    }
}
