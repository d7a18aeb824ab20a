//! Reductions over blocks of pairs, and the ranges that define the blocks.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use spelt::algorithms::{
    ArgKMin, BlockRanges, LogSumExp, cluster_order, cluster_ranges, grid_cluster, reduce_blocks_over_i,
    reduce_blocks_over_j, reduce_pairs_over_i, reduce_pairs_over_j,
};
use spelt::prelude::*;
use spelt::{ErrorKind, ReadView};

use crate::equal::{assert_same, noise, rough};
use crate::oracle;
use crate::spaces::every;

/// Case 18: rows [2, 5) and [7, 12) of 12, columns [1, 4), [4, 9) and [20, 30) of 30.
fn example() -> BlockRanges {
    let keep = View::from_vec("keep", [2, 3], vec![true, true, false, false, true, false]).expect("six");
    BlockRanges::from_matrix(12, 30, &[2..5, 7..12], &[1..4, 4..9, 20..30], &keep).expect("in order")
}

/// The indices that each row of a half keeps, in their order: the definition of the arrays.
fn lists(m: usize, ranges: &[Range<usize>], slices: &[usize], reduced: &[Range<usize>]) -> Vec<Vec<usize>> {
    let mut lists = vec![Vec::new(); m];
    for (k, range) in ranges.iter().enumerate() {
        let first = if k == 0 { 0 } else { slices[k - 1] };
        for i in range.clone() {
            lists[i] = reduced[first..slices[k]].iter().cloned().flatten().collect();
        }
    }
    lists
}

/// A number below `below`, made of noise.
fn pick(seed: usize, below: usize) -> usize {
    ((noise(seed) + 1.0) / 2.0 * below as f64) as usize
}

/// Ranges that cut `0..n` at places of noise; some of them may be empty.
fn partition(n: usize, parts: usize, seed: usize) -> Vec<Range<usize>> {
    let mut cuts: Vec<usize> = (1..parts).map(|part| pick(seed + part, n + 1)).chain([0, n]).collect();
    cuts.sort_unstable();
    cuts.windows(2).map(|pair| pair[0]..pair[1]).collect()
}

every! { on_every_space:
    fn rows_reduce_over_their_intervals(space, _setting) {
        let ranges = example();
        let x = space.zeros::<u8, 1>("x", [12]).expect("memory");
        let y = space.view_from_fn("y", [30], |[j]| j as i64).expect("memory");
        let mut sums = space.view_from_fn("sums", [12], |_| 99_i64).expect("memory");
        reduce_blocks_over_j(space, &ranges, &x, &y, &mut sums, |_, sum, (_, y)| *sum += y, Sum::<i64>::new())
            .expect("extents fit");
        let sums = sums.to_host().expect("memory").to_vec();
        assert_eq!(sums, [0, 0, 36, 36, 36, 0, 0, 30, 30, 30, 30, 30]);
        let mut least = space.zeros::<i64, 1>("least", [12]).expect("memory");
        reduce_blocks_over_j(space, &ranges, &x, &y, &mut least, |_, min, (_, y)| *min = y.min(*min), Min::<i64>::new())
            .expect("extents fit");
        let (none, least) = (i64::MAX, least.to_host().expect("memory").to_vec());
        assert_eq!(least, [none, none, 1, 1, 1, none, none, 4, 4, 4, 4, 4]);
        let mut columns = space.zeros::<u32, 1>("columns", [30]).expect("memory");
        reduce_blocks_over_i(space, &ranges, &x, &y, &mut columns, |[i, _], rows, _| *rows |= 1 << i, BOr::<u32>::new())
            .expect("extents fit");
        let columns = columns.to_host().expect("memory");
        for j in 0..30 {
            assert_eq!(columns[j], [0, 0b1_1100, 0b1111_1001_1100, 0][usize::from(j > 0) + usize::from(j > 3)
                + usize::from(j > 8)], "{j}");
        }
    }

    fn the_nearest_of_several_intervals(space, _setting) {
        // Two blocks of 16 kept columns, and intervals that end within them. They are not in order: of columns 10 and 2, as near to row 3,
        // the one that comes later is first.
        let ranges = BlockRanges::over_j(20, 60, vec![0..17], vec![3], vec![9..30, 2..3, 40..50]).expect("within");
        let x = space.view_from_fn("x", [20], |[i]| 2 * i as u32).expect("memory");
        let y = space.view_from_fn("y", [60], |[j]| j as u32).expect("memory");
        let mut nearest = space.zeros::<[usize; 2], 1>("nearest", [20]).expect("memory");
        reduce_blocks_over_j(space, &ranges, &x, &y, &mut nearest,
            |[_, j], best, (x, y)| best.update(x.abs_diff(y), j), ArgKMin::<u32, 2>::new()).expect("extents fit");
        let nearest = nearest.to_host().expect("memory");
        for i in 0..20 {
            let mut kept: Vec<usize> = if i < 17 { [2].into_iter().chain(9..30).chain(40..50).collect() } else { vec![usize::MAX; 2] };
            kept.sort_by_key(|j| j.abs_diff(2 * i));
            assert_eq!(nearest[i][..], kept[..2], "{i}");
        }
    }

    fn everything_has_the_bits_of_the_dense_reduction(space, _setting) {
        // Case 19: one block; and partitions with all blocks kept, rows around blocks of 16, intervals around tiles.
        let (m, n) = (50, 5000);
        let x = space.view_from_fn("x", [m], |[i]| rough(i)).expect("memory");
        let y = space.view_from_fn("y", [n], |[j]| rough(j + 77)).expect("memory");
        let contribute = |[i, j]: [usize; 2], sum: &mut f64, (x, y): (f64, f64)| *sum += x * y + (i * j) as f64;
        let (mut a, mut b) = (space.zeros("a", [m]).expect("memory"), space.zeros("b", [n]).expect("memory"));
        reduce_pairs_over_j(space, &x, &y, &mut a, contribute, Sum::<f64>::new()).expect("extents fit");
        reduce_pairs_over_i(space, &x, &y, &mut b, contribute, Sum::<f64>::new()).expect("extents fit");
        let (wanted_a, wanted_b) = (a.to_host().expect("memory").to_vec(), b.to_host().expect("memory").to_vec());
        for parts in [1, 2, 9, 40] {
            let (rows, columns) = (partition(m, parts, parts), partition(n, 2 * parts - 1, parts + 100));
            let keep = View::from_fn("keep", [rows.len(), columns.len()], |_| true).expect("memory");
            let ranges = BlockRanges::from_matrix(m, n, &rows, &columns, &keep).expect("a partition");
            deep_copy_scalar(&mut a, f64::NAN).expect("memory");
            deep_copy_scalar(&mut b, f64::NAN).expect("memory");
            reduce_blocks_over_j(space, &ranges, &x, &y, &mut a, contribute, Sum::<f64>::new()).expect("extents fit");
            reduce_blocks_over_i(space, &ranges, &x, &y, &mut b, contribute, Sum::<f64>::new()).expect("extents fit");
            assert_same(&a.to_host().expect("memory").to_vec(), &wanted_a, format!("over j, {parts} parts"));
            assert_same(&b.to_host().expect("memory").to_vec(), &wanted_b, format!("over i, {parts} parts"));
        }
    }

    fn any_intervals_join_as_one_list(space, _setting) {
        // Intervals that are empty, in any order, end to end, long, of one element, and twice the same.
        for seed in (0..60_000).step_by(5000) {
            let (m, n) = (1 + pick(seed, 90), 1 + pick(seed + 1, 4000));
            let mut ranges_i: Vec<Range<usize>> =
                partition(m, 6, seed).into_iter().enumerate().filter(|(k, _)| k % 4 != 1).map(|(_, r)| r).collect();
            ranges_i.reverse();
            let (mut slices, mut reduced) = (Vec::new(), Vec::new());
            for k in 0..ranges_i.len() {
                for l in 0..pick(seed + k, 40) {
                    let start = pick(seed + 100 * k + l, n);
                    let most = if l % 3 == 0 { n } else { start + [1, 33, 0][pick(seed + l, 3)] };
                    reduced.push(start..start + pick(seed + 7 * l, most.min(n) - start + 1).max(usize::from(l % 5 == 2)));
                    if l % 7 == 3 { reduced.push(reduced[reduced.len() - 1].clone()) }
                }
                slices.push(reduced.len());
            }
            let ranges = BlockRanges::over_j(m, n, ranges_i, slices, reduced).expect("well formed");
            let x = space.view_from_fn("x", [m], |[i]| i as u32).expect("memory");
            let y = space.view_from_fn("y", [n], |[j]| j as u32).expect("memory");
            let (mut a, mut b) = (space.zeros("a", [m]).expect("memory"), space.zeros("b", [n]).expect("memory"));
            let term = |i: usize, j: usize| rough(7919 * i + j);
            let contribute = move |[i, j]: [usize; 2], sum: &mut f64, (x, y): (u32, u32)| {
                *sum += if (x as usize, y as usize) == (i, j) { rough(7919 * i + j) } else { f64::NAN };
            };
            reduce_blocks_over_j(space, &ranges, &x, &y, &mut a, contribute, Sum::<f64>::new()).expect("extents fit");
            reduce_blocks_over_i(space, &ranges, &x, &y, &mut b, contribute, Sum::<f64>::new()).expect("extents fit");
            // One running value for all pairs of a row: its place continues from piece to piece.
            let mut exact = space.zeros::<u64, 1>("exact", [m]).expect("memory");
            reduce_blocks_over_j(space, &ranges, &x, &y, &mut exact, |[_, j], sum, (x, y)| {
                *sum += (j as u64 + 1) * (u64::from(x) + u64::from(y) * u64::from(y));
            }, Sum::<u64>::new()).expect("extents fit");
            let (ranges_i, slices_i, redranges_j, ranges_j, slices_j, redranges_i) = ranges.arrays();
            let sums: Vec<u64> = lists(m, ranges_i, slices_i, redranges_j).iter().enumerate()
                .map(|(i, list)| list.iter().map(|&j| (j as u64 + 1) * (i as u64 + (j * j) as u64)).sum()).collect();
            assert_eq!(exact.to_host().expect("memory").to_vec(), sums, "{seed}");
            let wanted = |m, lists: Vec<Vec<usize>>, term: &dyn Fn(usize, usize) -> f64| -> Vec<f64> {
                (0..m).map(|i| oracle::reduce(&Sum::<f64>::new(), lists[i].len(), |k, sum| *sum += term(i, lists[i][k])))
                    .collect()
            };
            let wanted_a = wanted(m, lists(m, ranges_i, slices_i, redranges_j), &term);
            let wanted_b = wanted(n, lists(n, ranges_j, slices_j, redranges_i), &|j, i| term(i, j));
            assert_same(&a.to_host().expect("memory").to_vec(), &wanted_a, format!("over j, {seed}"));
            assert_same(&b.to_host().expect("memory").to_vec(), &wanted_b, format!("over i, {seed}"));
        }
    }

    fn a_gaussian_over_near_clusters_is_the_dense_one_nearly(space, _setting) {
        let n = 600;
        let points: Vec<[f64; 2]> = (0..n).map(|i| [4.0 * noise(i), 4.0 * noise(i + 5000)]).collect();
        let labels = grid_cluster(&points, [1.0, 1.0]).expect("finite");
        let count = labels.iter().max().expect("some") + 1;
        let sorted: Vec<[f64; 2]> = cluster_order(&labels).into_iter().map(|i| points[i]).collect();
        let clusters = cluster_ranges(&labels, count).expect("labels count from 0");
        let cell = |k: usize| sorted[clusters[k].start].map(f64::floor);
        // Dropped pairs are at least 3 apart.
        let keep = View::from_fn("keep", [count; 2], |[k, l]| {
            (0..2).all(|d| (cell(k)[d] - cell(l)[d]).abs() <= 3.0)
        }).expect("memory");
        let ranges = BlockRanges::from_matrix(n, n, &clusters, &clusters, &keep).expect("clusters");
        assert!(ranges.area() < (n * n) as u128 * 3 / 4, "{}", ranges.area());
        let x = space.view_from_fn("x", [n], |[i]| sorted[i]).expect("memory");
        let (mut near, mut all) = (space.zeros("near", [n]).expect("memory"), space.zeros("all", [n]).expect("memory"));
        let exponent = |_: [usize; 2], sum: &mut spelt::algorithms::LogSumExpValue<f64>, (x, y): ([f64; 2], [f64; 2])| {
            sum.update(-2.0 * ((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1])));
        };
        reduce_blocks_over_j(space, &ranges, &x, &x, &mut near, exponent, LogSumExp::<f64>::new()).expect("extents fit");
        reduce_pairs_over_j(space, &x, &x, &mut all, exponent, LogSumExp::<f64>::new()).expect("extents fit");
        let (near, all) = (near.to_host().expect("memory"), all.to_host().expect("memory"));
        for i in 0..n {
            let missing = all[i] - near[i];
            assert!((0.0..n as f64 * (-18.0_f64).exp()).contains(&missing.max(0.0)) && missing > -1e-12, "{missing}");
        }
    }
}

every! { on_every_host_space:
    fn each_kept_pair_is_one_call(space, _setting) {
        let ranges = example();
        let (x, y) = (View::<u8, 1>::zeros("x", [12]).unwrap(), View::<u8, 1>::zeros("y", [30]).unwrap());
        let (mut a, mut b) = (View::<u64, 1>::zeros("a", [12]).unwrap(), View::<u64, 1>::zeros("b", [30]).unwrap());
        let calls = AtomicUsize::new(0);
        let count = |_: [usize; 2], sum: &mut u64, _: (u8, u8)| {
            calls.fetch_add(1, Relaxed);
            *sum += 1;
        };
        assert_eq!(ranges.area(), 3 * 8 + 5 * 5);
        reduce_blocks_over_j(space, &ranges, &x, &y, &mut a, count, Sum::<u64>::new()).expect("extents fit");
        assert_eq!(calls.swap(0, Relaxed) as u128, ranges.area());
        reduce_blocks_over_i(space, &ranges, &x, &y, &mut b, count, Sum::<u64>::new()).expect("extents fit");
        assert_eq!(calls.swap(0, Relaxed) as u128, ranges.area());
        assert_eq!((a.iter().sum::<u64>(), b.iter().sum::<u64>()), (49, 49));
    }

    fn wrong_lengths_are_errors(space, _setting) {
        let ranges = example();
        let (x, y) = (View::<u8, 1>::zeros("x", [12]).unwrap(), View::<u8, 1>::zeros("y", [31]).unwrap());
        let (mut a, mut b) = (View::<u64, 1>::zeros("a", [12]).unwrap(), View::<u64, 1>::zeros("b", [29]).unwrap());
        let called = |_: [usize; 2], _: &mut u64, _: (u8, u8)| panic!("called");
        let long = reduce_blocks_over_j(space, &ranges, &x, &y, &mut a, called, Sum::<u64>::new());
        let short = reduce_blocks_over_i(space, &ranges, &x, &y.subview(0..30), &mut b, called, Sum::<u64>::new());
        for (result, number) in [(long, "31"), (short, "29")] {
            let error = result.expect_err("lengths differ");
            assert_eq!(error.kind(), ErrorKind::Extents);
            assert!(error.to_string().contains(number), "{error}");
        }
        let turned = ranges.swap_axes();
        reduce_blocks_over_j(space, &turned, &y.subview(0..30), &x, &mut View::<u64, 1>::zeros("c", [30]).unwrap(),
            |_, sum, _| *sum += 1, Sum::<u64>::new()).expect("swapped");
    }
}

#[test]
fn the_example_has_the_arrays_of_the_definition() {
    let ranges = example();
    let (ranges_i, slices_i, redranges_j, ranges_j, slices_j, redranges_i) = ranges.arrays();
    assert_eq!((ranges_i, slices_i), (&[2..5, 7..12][..], &[2, 3][..]));
    assert_eq!(redranges_j, [1..4, 4..9, 4..9]);
    assert_eq!((ranges_j, slices_j), (&[1..4, 4..9, 20..30][..], &[1, 3, 3][..]));
    assert_eq!(redranges_i, [2..5, 2..5, 7..12]);
    let turned = ranges.clone().swap_axes();
    assert_eq!((turned.extents(), turned.area()), ([30, 12], ranges.area()));
    assert_eq!(turned.arrays().0, ranges_j);
    assert_eq!(turned.swap_axes(), ranges);
}

#[test]
fn repeated_intervals_count_again() {
    // Case 20: 1, 2, 3 over [1, 3) twice.
    let ranges = BlockRanges::over_j(1, 3, vec![0..1], vec![2], vec![1..3, 1..3]).expect("allowed");
    let (x, y) =
        (View::<u8, 1>::zeros("x", [1]).unwrap(), View::from_vec("y", [3], vec![1_i32, 2, 3]).unwrap());
    let mut a = View::<i32, 1>::zeros("a", [1]).unwrap();
    reduce_blocks_over_j(
        &Serial::new(),
        &ranges,
        &x,
        &y,
        &mut a,
        |_, sum, (_, y)| *sum += y,
        Sum::<i32>::new(),
    )
    .expect("extents fit");
    assert_eq!((a[0], ranges.area()), (10, 4));
    assert_eq!(a.read().len(), 1);
}

#[test]
fn malformed_arrays_are_errors_that_say_where() {
    type Half = (Vec<Range<usize>>, Vec<usize>, Vec<Range<usize>>);
    let good: Half = (vec![0..2, 2..5], vec![1, 2], vec![0..4, 1..3]);
    let cases: [(Half, ErrorKind, &[&str]); 9] = [
        ((vec![0..3, 2..5], vec![1, 2], vec![0..4, 1..3]), ErrorKind::Format, &["overlap", "0..3", "2..5"]),
        ((vec![2..5, 0..3], vec![1, 2], vec![0..4, 1..3]), ErrorKind::Format, &["overlap", "[1] and [0]"]),
        ((vec![0..2, 2..6], vec![1, 2], vec![0..4, 1..3]), ErrorKind::Extents, &["_i[1]", "2..6", "m = 5"]),
        ((vec![0..2, 2..5], vec![1, 2], vec![0..4, 1..9]), ErrorKind::Extents, &["_j[1]", "1..9", "n = 8"]),
        ((vec![0..2, 2..5], vec![2, 1], vec![0..4, 1..3]), ErrorKind::Format, &["decreases", "2", "1"]),
        (
            (vec![0..2, 2..5], vec![1, 1], vec![0..4, 1..3]),
            ErrorKind::Format,
            &["last end", "1", "2 intervals"],
        ),
        (
            (vec![0..2, 2..5], vec![1, 3], vec![0..4, 1..3]),
            ErrorKind::Format,
            &["last end", "3", "2 intervals"],
        ),
        ((vec![0..2, 2..5], vec![2], vec![0..4, 1..3]), ErrorKind::Format, &["1 ends", "2 ranges"]),
        (
            (vec![0..2, 2..5], vec![1, 2], vec![Range { start: 4, end: 0 }, 1..3]),
            ErrorKind::Format,
            &["4..0", "before"],
        ),
    ];
    let (_, _, _, ranges_j, slices_j, redranges_i) = {
        let whole = BlockRanges::over_j(5, 8, good.0.clone(), good.1.clone(), good.2.clone()).expect("good");
        let arrays = whole.arrays();
        ((), (), (), arrays.3.to_vec(), arrays.4.to_vec(), arrays.5.to_vec())
    };
    let new = |half: &Half, redranges_i: Vec<Range<usize>>| {
        let (ranges, slices, reduced) = half.clone();
        BlockRanges::new(5, 8, (ranges, slices, reduced, ranges_j.clone(), slices_j.clone(), redranges_i))
    };
    new(&good, redranges_i.clone()).expect("both halves are good");
    for (half, kind, words) in &cases {
        for result in [
            new(half, redranges_i.clone()),
            BlockRanges::over_j(5, 8, half.0.clone(), half.1.clone(), half.2.clone()),
        ] {
            let error = result.expect_err("malformed");
            assert_eq!(error.kind(), *kind, "{error}");
            assert!(
                words.iter().all(|word| error.to_string().contains(word)),
                "{error} should say {words:?}"
            );
        }
    }
    let mut fewer = redranges_i;
    fewer[0] = 0..1;
    let error = new(&good, fewer).expect_err("halves differ");
    assert!(error.to_string().contains("14 pairs") && error.to_string().contains("13"), "{error}");
    let keep = View::<bool, 2>::zeros("keep", [2, 2]).unwrap();
    let error =
        BlockRanges::from_matrix(5, 8, &[0..2, 2..5], &[0..8], &keep).expect_err("2 x 2 is not 2 x 1");
    assert_eq!(error.kind(), ErrorKind::Extents);
    let error =
        BlockRanges::from_matrix(5, 8, &[0..2, 2..5], &[0..8, 7..8], &keep).expect_err("columns overlap");
    assert!(error.to_string().contains("ranges_j"), "{error}");
}
