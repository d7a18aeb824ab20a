//! Segmented scans and reductions, by flags and by offsets.

use std::sync::atomic::{AtomicUsize, Ordering};

use spelt::algorithms::{
    expand, expand_outer_reduce, offsets_from_counts, offsets_from_flags, offsets_from_integers,
    replicated_iota, segmented_exclusive_scan_by_flags, segmented_exclusive_scan_by_offsets,
    segmented_inclusive_scan_by_flags, segmented_inclusive_scan_by_offsets, segmented_reduce_by_flags,
    segmented_reduce_by_offsets,
};
use spelt::prelude::*;
use spelt::reducers::{InOrder, Reducer};
use spelt::{ErrorKind, Offsets, View};

use crate::equal::{assert_same, noise, rough};
use crate::oracle;
use crate::scan::affine;
use crate::spaces::every;

/// Lengths of segments that are hard to distribute: around lanes, tiles and groups of tiles, and heaps of empty ones.
fn hard_lengths() -> Vec<Vec<usize>> {
    let random = (0..3000).map(|i| (noise(i).abs().powi(12) * 900.0) as usize);
    let mut mixed = vec![1; 900];
    mixed.splice(300..300, [5000]);
    mixed.splice(100..100, [0; 70]);
    vec![
        vec![],
        vec![0],
        vec![1],
        vec![0; 700],
        vec![7; 50],
        [64, 1024, 63, 0, 16, 15, 65, 129, 96, 100, 1].repeat(9),
        vec![1023, 1024, 1025, 0, 2047, 2048, 2049, 2, 1, 15, 16, 17, 31, 32, 63, 64, 65],
        vec![20_000],
        vec![270_000],
        mixed,
        random.collect(),
    ]
}

fn offsets_of(lengths: &[usize]) -> Vec<usize> {
    let mut offsets = vec![0];
    for length in lengths {
        offsets.push(offsets[offsets.len() - 1] + length);
    }
    offsets
}

/// The order of joins in a segment, as the documentation has it.
pub(crate) fn segment<V: Clone, R: Reducer<Value = V, Output = V>>(reducer: &R, x: &[V]) -> V {
    let join = |mut a: V, b: &V| {
        reducer.join(&mut a, b);
        a
    };
    let pairs = |mut values: Vec<V>| {
        while values.len() > 1 {
            values = values.chunks(2).map(|pair| pair[1..].iter().fold(pair[0].clone(), join)).collect();
        }
        values.pop()
    };
    let lanes = match size_of::<V>() {
        0..=16 => 8,
        17..=32 => 4,
        33..=64 => 2,
        _ => 1,
    };
    let tile = |x: &[V]| {
        let sum = |x: &mut dyn Iterator<Item = &V>| x.fold(reducer.init(), join);
        if x.len() < 16 {
            return sum(&mut x.iter());
        }
        if x.len() >= 64 {
            return oracle::reduce(reducer, x.len(), |i, value| reducer.join(value, &x[i]));
        }
        let run = x.len() / lanes;
        let mut values: Vec<V> = if R::COMMUTATIVE {
            (0..lanes).map(|lane| sum(&mut x.iter().skip(lane).step_by(lanes))).collect()
        } else {
            (0..lanes)
                .map(|lane| {
                    sum(&mut x[lane * run..if lane + 1 < lanes { (lane + 1) * run } else { x.len() }].iter())
                })
                .collect()
        };
        while R::COMMUTATIVE && values.len() > 1 {
            let upper = values.split_off(values.len() / 2);
            values = values.into_iter().zip(&upper).map(|(a, b)| join(a, b)).collect();
        }
        pairs(values).expect("lanes")
    };
    pairs(x.chunks(1024).map(tile).collect()).unwrap_or_else(|| reducer.init())
}

every! { on_every_space:
    fn segments_reduce_in_their_own_order(space, _setting) {
        for lengths in hard_lengths() {
            let offsets = offsets_of(&lengths);
            let n = offsets[lengths.len()];
            let what = format!("{} segments of {n}", lengths.len());
            let x: Vec<f64> = (0..n).map(rough).collect();
            let values = View::from_vec("x", [n], x.clone()).expect("memory").to_space(space).expect("memory");
            let at = View::from_vec("offsets", [offsets.len()], offsets.clone()).expect("memory")
                .to_space(space).expect("memory");
            let mut out = space.zeros::<f64, 1>("out", [lengths.len()]).expect("memory");
            let sum = Sum::<f64>::new();
            let each = |f: &dyn Fn(&[f64]) -> f64| -> Vec<f64> {
                offsets.windows(2).map(|ends| f(&x[ends[0]..ends[1]])).collect()
            };
            segmented_reduce_by_offsets(space, &values, &at, &mut out, sum).expect("covered");
            assert_same(&out.to_host().expect("memory").to_vec(), &each(&|x| segment(&sum, x)), &what);
            // The same offsets, of which a check has found the longest segment.
            let checked = View::from_vec("offsets", [offsets.len()], offsets.clone()).expect("memory").to_space(space);
            let checked = Offsets::new(checked.expect("memory")).expect("they do not decrease");
            space.fill(&mut out, -1.0).expect("memory");
            segmented_reduce_by_offsets(space, &values, &checked, &mut out, sum).expect("covered");
            assert_same(&out.to_host().expect("memory").to_vec(), &each(&|x| segment(&sum, x)), &what);
            let small: Vec<f32> = x.iter().map(|&x| x as f32).collect();
            let f32s = View::from_vec("f32", [n], small.clone()).expect("memory").to_space(space).expect("memory");
            let mut sums = space.zeros::<f32, 1>("sums", [lengths.len()]).expect("memory");
            segmented_reduce_by_offsets(space, &f32s, &at, &mut sums, Sum::new()).expect("covered");
            let wanted: Vec<f32> =
                offsets.windows(2).map(|ends| segment(&Sum::new(), &small[ends[0]..ends[1]])).collect();
            assert_same(&sums.to_host().expect("memory").to_vec(), &wanted, &what);
            let sum = InOrder::new(sum);
            segmented_reduce_by_offsets(space, &values, &at, &mut out, sum).expect("covered");
            assert_same(&out.to_host().expect("memory").to_vec(), &each(&|x| segment(&sum, x)), &what);
            if lengths.contains(&0) {
                continue;
            }
            let mut flags = vec![false; n];
            offsets[..lengths.len()].iter().for_each(|&begin| flags[begin] = true);
            let flags = View::from_vec("flags", [n], flags).expect("memory").to_space(space).expect("memory");
            assert_eq!(offsets_from_flags(space, &flags).expect("memory").view().to_host().expect("memory").to_vec(), offsets);
            let found = segmented_reduce_by_flags(space, &values, &flags, sum).expect("covered");
            assert_same(&found.to_host().expect("memory").to_vec(), &each(&|x| segment(&sum, x)), &what);
        }
    }

    fn maps_compose_within_segments(space, _setting) {
        for (seed, one_in) in [(1, 2), (2, 9), (3, 300), (4, 20_000)] {
            let n = 9_000 + seed;
            let flagged = move |i: usize| (noise(i + 1000 * seed) * 1e6) as i64 % one_in == 0;
            let element = |i: usize| [i as u64 | 1, i as u64 % 10];
            let x = space.view_from_fn("x", [n], move |[i]| element(i)).expect("memory");
            let flags = space.view_from_fn("flags", [n], move |[i]| flagged(i)).expect("memory");
            let (mut inclusive, mut exclusive, mut totals) = (vec![], vec![], vec![]);
            let mut value = [1, 0];
            for i in 0..n {
                if flagged(i) {
                    totals.extend((i > 0).then_some(value));
                    value = [1, 0];
                }
                exclusive.push(value);
                affine().join(&mut value, &element(i));
                inclusive.push(value);
            }
            totals.push(value);
            let mut y = space.zeros::<[u64; 2], 1>("y", [n]).expect("memory");
            segmented_inclusive_scan_by_flags(space, &x, &flags, &mut y, affine()).expect("covered");
            assert_eq!(y.to_host().expect("memory").to_vec(), inclusive);
            segmented_exclusive_scan_by_flags(space, &x, &flags, &mut y, affine()).expect("covered");
            assert_eq!(y.to_host().expect("memory").to_vec(), exclusive);
            let offsets = offsets_from_flags(space, &flags).expect("memory");
            segmented_inclusive_scan_by_offsets(space, &x, &offsets, &mut y, affine()).expect("covered");
            assert_eq!(y.to_host().expect("memory").to_vec(), inclusive);
            segmented_exclusive_scan_by_offsets(space, &x, &offsets, &mut y, affine()).expect("covered");
            assert_eq!(y.to_host().expect("memory").to_vec(), exclusive);
            let found = segmented_reduce_by_flags(space, &x, &flags, InOrder::new(affine())).expect("covered");
            assert_eq!(found.to_host().expect("memory").to_vec(), totals);
        }
    }
}

every! { on_every_space:
    fn flags_say_where_segments_begin(space, _setting) {
        // About words of 64 flags and the 8192, or on a device 256, that are counted together.
        for n in [0, 1, 2, 63, 64, 65, 255, 256, 257, 8191, 8192, 8193, 20_000] {
            for one_in in [1, 2, 30, 5000, 1 << 40] {
                let flagged = move |i: usize| (noise(i + one_in).abs() * one_in as f64) < 1.0;
                let flags = space.view_from_fn("flags", [n], |[i]| flagged(i)).expect("memory");
                let mut wanted: Vec<usize> = (0..n).filter(|&i| i == 0 || flagged(i)).collect();
                wanted.push(n);
                let found = offsets_from_flags(space, &flags).expect("memory").view().to_host().expect("memory").to_vec();
                assert_eq!(found, wanted, "{n}, one in {one_in}");
            }
        }
    }

    fn elements_expand(space, _setting) {
        for sizes in [vec![2, 3, 1], vec![0, 0, 3, 1], vec![3], vec![], vec![0; 5], (0..500).map(|i| i % 41).collect()] {
            let m = sizes.len();
            let x = View::from_vec("x", [m], sizes.clone()).expect("memory").to_space(space).expect("memory");
            let found = expand(space, &x, |x: usize| x, |x, i| x * i).expect("memory");
            let wanted: Vec<usize> = sizes.iter().flat_map(|&x| (0..x).map(move |i| x * i)).collect();
            assert_eq!(found.to_host().expect("memory").to_vec(), wanted);
            let found = expand_outer_reduce(space, &x, |x: usize| x, |x, i| x * i, Sum::new()).expect("memory");
            let wanted: Vec<usize> = sizes.iter().map(|&x| x * (x * x.saturating_sub(1) / 2)).collect();
            assert_eq!(found.to_host().expect("memory").to_vec(), wanted);
            let found = replicated_iota(space, &x).expect("memory");
            let wanted: Vec<usize> = (0..m).flat_map(|s| vec![s; sizes[s]]).collect();
            assert_eq!(found.to_host().expect("memory").to_vec(), wanted);
            let found = offsets_from_counts(space, &x).expect("memory");
            assert_eq!(found.view().to_host().expect("memory").to_vec(), offsets_of(&sizes));
            assert_eq!((found.segments(), found.end()), (m, sizes.iter().sum()));
            let counts = View::from_vec("x", [m], sizes.iter().map(|&size| size as i32).collect()).expect("memory");
            let counts = counts.to_space(space).expect("memory");
            let by_i32 = offsets_from_counts(space, &counts).expect("memory");
            assert_eq!(by_i32.view().to_host().expect("memory").to_vec(), offsets_of(&sizes));
            assert_eq!(replicated_iota(space, &counts).expect("memory").to_host().expect("memory").to_vec(), wanted);
            let squares = expand(space, &counts, |x: i32| x, |x, i| x * i as i32).expect("memory");
            let wanted: Vec<i32> = sizes.iter().flat_map(|&x| (0..x).map(move |i| (x * i) as i32)).collect();
            assert_eq!(squares.to_host().expect("memory").to_vec(), wanted);
            // The check that was left out.
            Offsets::new(found.into_view()).expect("they do not decrease");
        }
        let x = View::from_vec("x", [2], vec![usize::MAX, 2]).expect("memory").to_space(space).expect("memory");
        assert_eq!(replicated_iota(space, &x).expect_err("too many").kind(), ErrorKind::Overflow);
    }

    /// Sizes around lanes and tiles, more results than a piece has in its budget, and one that several pieces share.
    fn results_reduce_in_the_order_of_segments(space, _setting) {
        let around = (0..70).chain([1023, 1024, 1025, 2048, 2049, 5000]);
        let many = core::iter::repeat_n(100, 600);
        for sizes in [around.collect::<Vec<usize>>(), many.chain([0, 40_000, 3]).collect(), vec![70_000], vec![1, 9000, 0]] {
            let m = sizes.len();
            let x = View::from_fn("x", [m], |[i]| (i, sizes[i])).expect("memory").to_space(space).expect("memory");
            let of = |i: usize, k: usize| rough(7 * i + k);
            let found = expand_outer_reduce(space, &x, |(_, size)| size, move |(i, _), k| of(i, k), Sum::new()).expect("memory");
            let wanted: Vec<f64> = sizes.iter().enumerate()
                .map(|(i, &size)| segment(&Sum::<f64>::new(), &(0..size).map(|k| of(i, k)).collect::<Vec<_>>())).collect();
            assert_same(&found.to_host().expect("memory").to_vec(), &wanted, format!("{m} elements"));
        }
        let x = View::from_vec("x", [4], vec![i64::MAX, 20, i64::MAX, 2000]).expect("memory").to_space(space).expect("memory");
        let refused = expand_outer_reduce(space, &x, |x| x, |_, k| k, Sum::new()).map(|_| ());
        assert_eq!(refused.expect_err("more than can be").kind(), ErrorKind::Overflow);
        let x = View::from_vec("x", [2], vec![1_i32, -1]).expect("memory").to_space(space).expect("memory");
        let refused = expand_outer_reduce(space, &x, |x| x, |_, k| k, Sum::new()).map(|_| ());
        assert_eq!(refused.expect_err("negative").kind(), ErrorKind::Overflow);
    }

    fn offsets_are_of_any_integer(space, _setting) {
        macro_rules! integers {
            ($($integer:ty)*) => {$(
                for numbers in [vec![], vec![0], vec![3, 3, 5, 127], (0..=127).collect()] {
                    let numbers: Vec<$integer> = numbers;
                    let view = View::from_vec("row map", [numbers.len()], numbers.clone()).expect("memory");
                    let offsets = offsets_from_integers(space, &view.to_space(space).expect("memory")).expect("rising");
                    let wanted: Vec<usize> = numbers.iter().map(|&number| number as usize).collect();
                    assert_eq!((offsets.segments(), offsets.end()), (wanted.len().saturating_sub(1), wanted.last().copied().unwrap_or(0)));
                    assert_eq!(offsets.into_view().to_host().expect("memory").to_vec(), wanted, stringify!($integer));
                }
            )*};
        }
        integers!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize);
        let refused = |numbers: Vec<i32>, kind: ErrorKind, text: &str| {
            let view = View::from_vec("row map", [numbers.len()], numbers).expect("memory").to_space(space).expect("memory");
            let error = offsets_from_integers(space, &view).map(drop).expect_err("they do not rise from 0");
            assert!(error.kind() == kind && error.to_string().contains(text), "{error}");
        };
        refused(vec![0, 5, 2, 7], ErrorKind::Format, "offsets in view `row map`: offset 2 at position 2 is below offset 5 at position 1");
        refused(vec![0, 2, -1], ErrorKind::Overflow, "the offset -1 in view `row map` at [2] is negative");
        refused(vec![0, -7, -1, 3], ErrorKind::Overflow, "the offset -7 in view `row map` at [1] is negative");
        let counts = View::from_vec("counts", [3], vec![1_i16, -3, 4]).expect("memory").to_space(space).expect("memory");
        for error in [
            offsets_from_counts(space, &counts).map(drop).expect_err("negative"),
            replicated_iota(space, &counts).map(drop).expect_err("negative"),
        ] {
            assert!(error.kind() == ErrorKind::Overflow && error.to_string().contains("the count -3 in view `counts` at [1] is negative"), "{error}");
        }
        let error = expand(space, &counts, |x: i16| x, |x, _| x).map(drop).expect_err("negative");
        assert!(error.to_string().contains("3 segments"), "{error}");
    }
}

every! { on_every_host_space:
    fn basics(space, _setting) {
        let x = View::from_fn("x", [10], |[i]| i as i32 + 1).expect("memory");
        let flags = View::from_fn("flags", [10], |[i]| [0, 3, 6].contains(&i)).expect("memory");
        let mut y = View::<i32, 1>::zeros("y", [10]).expect("memory");
        segmented_inclusive_scan_by_flags(space, &x, &flags, &mut y, Sum::new()).expect("covered");
        assert_eq!(y.to_vec(), [1, 3, 6, 4, 9, 15, 7, 15, 24, 34]);
        let sums = segmented_reduce_by_flags(space, &x, &flags, Sum::new()).expect("covered");
        assert_eq!(sums.to_vec(), [6, 15, 34]);
        let headless = View::from_fn("flags", [10], |[i]| i == 3).expect("memory");
        let sums = segmented_reduce_by_flags(space, &x, &headless, Sum::new()).expect("covered");
        assert_eq!(sums.to_vec(), [6, 49]);
        let none = View::<bool, 1>::zeros("flags", [0]).expect("memory");
        let x = View::<i32, 1>::zeros("x", [0]).expect("memory");
        assert_eq!(segmented_reduce_by_flags(space, &x, &none, Sum::new()).expect("covered").len(), 0);

        let x = View::from_vec("x", [7], vec![8, 6, 7, 5, 3, 0, 9]).expect("memory");
        let offsets = View::from_vec("offsets", [4], vec![0, 3, 3, 7]).expect("memory");
        let mut out = View::<i32, 1>::zeros("out", [3]).expect("memory");
        segmented_reduce_by_offsets(space, &x, &offsets, &mut out, Sum::new()).expect("covered");
        assert_eq!(out.to_vec(), [21, 0, 17]);
        segmented_reduce_by_offsets(space, &x, &offsets, &mut out, Min::new()).expect("covered");
        assert_eq!(out.to_vec(), [6, i32::MAX, 0]);
        let mean = (Sum::<i32>::new(), Sum::<i32>::new());
        let pairs = View::from_fn("pairs", [7], |[i]| (x[i], 1)).expect("memory");
        let mut out = View::<(i32, i32), 1>::zeros("out", [3]).expect("memory");
        segmented_reduce_by_offsets(space, &pairs, &offsets, &mut out, mean).expect("covered");
        assert_eq!(out.to_vec(), [(21, 3), (0, 0), (17, 4)]);
    }

    /// Groups of tiles: more than 65,536 elements.
    fn long_segments(space, _setting) {
        for before in [0, 100] {
            let x: Vec<f64> = (0..200_000).map(rough).collect();
            let values = View::from_vec("x", [x.len()], x.clone()).expect("memory");
            let ends = vec![0, before, before, before + 65_536, before + 65_537, x.len()];
            let offsets = View::from_vec("offsets", [6], ends.clone()).expect("memory");
            let mut out = View::<f64, 1>::zeros("out", [5]).expect("memory");
            segmented_reduce_by_offsets(space, &values, &offsets, &mut out, Sum::new()).expect("covered");
            let wanted = ends.windows(2).map(|ends| segment(&Sum::<f64>::new(), &x[ends[0]..ends[1]])).collect();
            assert_same(&out.to_vec(), &wanted, before);
        }
    }

    fn strided_views(space, _setting) {
        let table = View::from_fn("table", [4, 600], |[i, j]| (600 * i + j) as i64).expect("memory");
        let offsets = View::from_fn("offsets", [3, 2], |[i, j]| [0, 300, 600][i] * (1 - j)).expect("memory");
        let column = table.subview((1, All));
        let transposed = View::from_fn_in(Left, "t", [4, 600], |[i, j]| (600 * i + j) as i64).expect("memory");
        for x in [column.into_stride(), transposed.subview((1, All)).into_stride()] {
            let mut out = View::<i64, 2>::zeros("out", [2, 2]).expect("memory");
            segmented_reduce_by_offsets(space, &x, &offsets.subview((All, 0)), &mut out.subview_mut((All, 1)), Sum::new())
                .expect("covered");
            assert_eq!(out.to_vec(), [0, (600..900).sum(), 0, (900..1200).sum()]);
        }
    }

    fn malformed_offsets_are_refused(space, _setting) {
        let x = View::from_fn("x", [7], |[i]| i as i32).expect("memory");
        for (offsets, segments, words) in [
            (vec![], 0, &["no offset"][..]),
            (vec![3], 0, &["last offset is 3", "position 0", "7 elements"]),
            (vec![1, 7], 1, &["first offset is 1"]),
            (vec![0, 5, 4, 7], 3, &["offset 4 at position 2", "offset 5 at position 1"]),
            (vec![0, usize::MAX, 7], 2, &["offset 7 at position 2", "at position 1"]),
            (vec![0, 3, 8], 2, &["last offset is 8", "position 2", "7 elements"]),
            (vec![0, 3, 6], 2, &["last offset is 6"]),
        ] {
            let offsets = View::from_vec("where", [offsets.len()], offsets).expect("memory");
            let mut out = View::from_fn("out", [segments], |_| -1).expect("memory");
            let mut y = View::from_fn("y", [7], |_| -1).expect("memory");
            for error in [
                segmented_reduce_by_offsets(space, &x, &offsets, &mut out, Sum::new()).expect_err("malformed"),
                segmented_inclusive_scan_by_offsets(space, &x, &offsets, &mut y, Sum::new()).expect_err("malformed"),
                segmented_exclusive_scan_by_offsets(space, &x, &offsets, &mut y, Sum::new()).expect_err("malformed"),
            ] {
                let message = error.to_string();
                assert_eq!(error.kind(), ErrorKind::Format, "{message}");
                assert!(words.iter().chain(&["`where`"]).all(|word| message.contains(word)), "{message}");
            }
            assert!(out.iter().chain(y.iter()).all(|&value| value == -1), "nothing is written");
            // Those that do not decrease may still be those of other elements.
            if let Ok(offsets) = Offsets::new(offsets) {
                let error = segmented_reduce_by_offsets(space, &x, &offsets, &mut out, Sum::new()).expect_err("malformed");
                assert!(words.iter().all(|word| error.to_string().contains(word)), "{error}");
                segmented_inclusive_scan_by_offsets(space, &x, &offsets, &mut y, Sum::new()).expect_err("malformed");
                assert!(out.iter().chain(y.iter()).all(|&value| value == -1), "nothing is written");
            }
        }
        let offsets = View::from_vec("offsets", [3], vec![0, 3, 7]).expect("memory");
        let mut out = View::<i32, 1>::zeros("out", [3]).expect("memory");
        let error = segmented_reduce_by_offsets(space, &x, &offsets, &mut out, Sum::new()).expect_err("too long");
        assert_eq!(error.kind(), ErrorKind::Extents);
        let flags = View::<bool, 1>::zeros("flags", [6]).expect("memory");
        assert!(segmented_reduce_by_flags(space, &x, &flags, Sum::new()).is_err());
        let mut y = View::<i32, 1>::zeros("y", [7]).expect("memory");
        assert!(segmented_inclusive_scan_by_flags(space, &x, &flags, &mut y, Sum::new()).is_err());
    }

    /// A join for each element, seven or 31 for the lanes of a tile, and one for each tile but the first of its segment.
    fn joins(space, _setting) {
        for lengths in hard_lengths() {
            let offsets = offsets_of(&lengths);
            let n = offsets[lengths.len()];
            let joins = AtomicUsize::new(0);
            let counting = custom(0_u64, |into: &mut u64, from: &u64| {
                joins.fetch_add(1, Ordering::Relaxed);
                *into += from;
            });
            let x = View::from_fn("x", [n], |_| 1_u64).expect("memory");
            let at = View::from_vec("offsets", [offsets.len()], offsets).expect("memory");
            let mut out = View::<u64, 1>::zeros("out", [lengths.len()]).expect("memory");
            segmented_reduce_by_offsets(space, &x, &at, &mut out, counting).expect("covered");
            let of_tile = |tile: usize| tile + match tile { 0..16 => 0, 16..64 => 7, _ => 31 };
            let wanted: usize = lengths.iter().map(|&length| {
                let (full, rest) = (length / 1024, length % 1024);
                full * of_tile(1024) + of_tile(rest) + length.div_ceil(1024).saturating_sub(1)
            }).sum();
            assert_eq!(joins.swap(0, Ordering::Relaxed), wanted);
            let found: Vec<usize> = out.iter().map(|&sum| sum as usize).collect();
            assert_eq!(found, lengths);
            if lengths.iter().all(|&length| length > 0) {
                let flags = View::from_fn("flags", [n], |[i]| at.iter().any(|&begin| begin == i)).expect("memory");
                let mut y = View::<u64, 1>::zeros("y", [n]).expect("memory");
                segmented_inclusive_scan_by_flags(space, &x, &flags, &mut y, counting).expect("covered");
                assert!((n..=3 * n + n / 8 + 64).contains(&joins.into_inner()));
            }
        }
    }
}
