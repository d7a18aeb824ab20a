//! Segmented scans of floats, bit for bit: runs of 16 elements, blocks of 16 runs, and the canonical scan of the ends of blocks.

use spelt::algorithms::*;
use spelt::prelude::*;
use spelt::reducers::Reducer;
use spelt::{ErrorKind, View};

use crate::equal::{assert_same, borders, noise, rough};
use crate::oracle;
use crate::scan::prefixes;
use crate::spaces::every;

/// A value that begins a segment replaces the values before it.
#[derive(Clone, Copy)]
struct Pairs;

impl Reducer for Pairs {
    type Value = (bool, f64);
    type Output = (bool, f64);
    const COMMUTATIVE: bool = false;
    fn init(&self) -> (bool, f64) {
        (false, 0.0)
    }
    fn join(&self, into: &mut (bool, f64), from: &(bool, f64)) {
        *into = if from.0 { *from } else { (into.0, into.1 + from.1) };
    }
    fn finish(&self, value: (bool, f64)) -> (bool, f64) {
        value
    }
}

/// Whether a segment begins at `i`, about one in `one_in` elements; the first element is not always flagged.
fn flagged(i: usize, one_in: usize) -> bool {
    (noise(i + one_in).abs() * one_in as f64) as usize == 0 && one_in < 1 << 20
}

/// The prefixes of `n` elements with and without their own, as the documentation has them.
fn segmented(n: usize, begins: impl Fn(usize) -> bool) -> (Vec<f64>, Vec<f64>) {
    let after = |runs: &[(bool, f64)], before| {
        runs.iter().fold(before, |mut value, run| {
            Pairs.join(&mut value, run);
            value
        })
    };
    let run = |first: usize, end: usize, before: (bool, f64), prefixes: &mut dyn FnMut(f64, f64)| {
        let mut value = (false, 0.0);
        for i in first..end {
            if begins(i) {
                value = (true, 0.0);
            }
            let exclusive = after(&[value], before).1;
            value.1 += rough(i);
            prefixes(exclusive, after(&[value], before).1);
        }
        value
    };
    let runs: Vec<(bool, f64)> =
        (0..n).step_by(16).map(|i| run(i, n.min(i + 16), (false, 0.0), &mut |_, _| {})).collect();
    let blocks: Vec<(bool, f64)> = runs.chunks(16).map(|runs| after(runs, (false, 0.0))).collect();
    let (before, _, _) = prefixes(&Pairs, blocks.len(), |i, value| Pairs.join(value, &blocks[i]));
    let (mut exclusive, mut inclusive) = (Vec::new(), Vec::new());
    for i in 0..runs.len() {
        let before = after(&runs[i / 16 * 16..i], before[i / 16]);
        run(16 * i, n.min(16 * i + 16), before, &mut |without, with| {
            exclusive.push(without);
            inclusive.push(with);
        });
    }
    (exclusive, inclusive)
}

every! { on_every_space:
    fn floats_scan_with_the_canonical_bits(space, _setting) {
        for (n, one_in) in borders(16).into_iter().zip([1, 2, 3, 5, 40, 700, 1 << 20].into_iter().cycle())
            .chain([(16, 5), (17, 5), (255, 40), (256, 40), (257, 40), (4096, 3), (4097, 700), (20_000, 3), (20_000, 1500), (20_000, 1 << 20), (33_333, 9000)])
        {
            let begins = |i: usize| flagged(i, one_in);
            let (exclusive, inclusive) = segmented(n, begins);
            let what = format!("{n}, one in {one_in} begins");
            let x = space.view_from_fn("x", [n], |[i]| rough(i)).expect("memory");
            let flags = space.view_from_fn("flags", [n], |[i]| begins(i)).expect("memory");
            // With an empty segment at each beginning.
            let mut offsets = vec![0];
            (1..n).filter(|&i| begins(i)).for_each(|i| offsets.extend([i, i]));
            offsets.push(n);
            let offsets = View::from_vec("offsets", [offsets.len()], offsets).expect("memory")
                .to_space(space).expect("memory");
            let mut y = space.zeros::<f64, 1>("y", [n]).expect("memory");
            segmented_inclusive_scan_by_flags(space, &x, &flags, &mut y, Sum::new()).expect("lengths agree");
            assert_same(&y.to_host().expect("memory").to_vec(), &inclusive, format!("inclusive by flags, {what}"));
            segmented_exclusive_scan_by_flags(space, &x, &flags, &mut y, Sum::new()).expect("lengths agree");
            assert_same(&y.to_host().expect("memory").to_vec(), &exclusive, format!("exclusive by flags, {what}"));
            segmented_inclusive_scan_by_offsets(space, &x, &offsets, &mut y, Sum::new()).expect("well formed");
            assert_same(&y.to_host().expect("memory").to_vec(), &inclusive, format!("inclusive by offsets, {what}"));
            segmented_exclusive_scan_by_offsets(space, &x, &offsets, &mut y, Sum::new()).expect("well formed");
            assert_same(&y.to_host().expect("memory").to_vec(), &exclusive, format!("exclusive by offsets, {what}"));
            let mut y = x.to_space(space).expect("memory");
            segmented_inclusive_scan_by_flags_in_place(space, &flags, &mut y, Sum::new()).expect("lengths agree");
            assert_same(&y.to_host().expect("memory").to_vec(), &inclusive, format!("inclusive in place by flags, {what}"));
            let mut y = x.to_space(space).expect("memory");
            segmented_exclusive_scan_by_flags_in_place(space, &flags, &mut y, Sum::new()).expect("lengths agree");
            assert_same(&y.to_host().expect("memory").to_vec(), &exclusive, format!("exclusive in place by flags, {what}"));
            let mut y = x.to_space(space).expect("memory");
            segmented_inclusive_scan_by_offsets_in_place(space, &offsets, &mut y, Sum::new()).expect("well formed");
            assert_same(&y.to_host().expect("memory").to_vec(), &inclusive, format!("inclusive in place by offsets, {what}"));
            let mut y = x.to_space(space).expect("memory");
            segmented_exclusive_scan_by_offsets_in_place(space, &offsets, &mut y, Sum::new()).expect("well formed");
            assert_same(&y.to_host().expect("memory").to_vec(), &exclusive, format!("exclusive in place by offsets, {what}"));
            let mut begin = 0;
            for (i, found) in inclusive.iter().enumerate() {
                begin = if begins(i) { i } else { begin };
                if i % (n / 11 + 1) == 0 {
                    let (exact, magnitude) = oracle::exact_sum((begin..=i).map(rough));
                    let error = (found - exact).abs();
                    assert!(error <= 128.0 * f64::EPSILON * magnitude, "{i}, {what}: {error}");
                }
            }
        }
    }

    fn values_of_two_segments_never_meet(space, _setting) {
        // No sum of a segment overflows, but each of two neighbours would.
        let n = 700;
        let sum = custom(0_i32, |into: &mut i32, from: &i32| *into = into.checked_add(*from).expect("one segment alone"));
        for every in [20, 16, 7, 256, 300] {
            let x = space.view_from_fn("x", [n], move |[i]| if i.is_multiple_of(every) { 2_000_000_000 } else { 0 }).expect("memory");
            let flags = space.view_from_fn("flags", [n], move |[i]| i.is_multiple_of(every)).expect("memory");
            let mut y = space.zeros::<i32, 1>("y", [n]).expect("memory");
            segmented_inclusive_scan_by_flags(space, &x, &flags, &mut y, sum).expect("lengths agree");
            assert!(y.to_host().expect("memory").iter().all(|&y| y == 2_000_000_000), "inclusive, {every}");
            segmented_exclusive_scan_by_flags(space, &x, &flags, &mut y, sum).expect("lengths agree");
            let wanted = |i: usize| if i.is_multiple_of(every) { 0 } else { 2_000_000_000 };
            assert!(y.to_host().expect("memory").iter().copied().eq((0..n).map(wanted)), "exclusive, {every}");
            let offsets = (0..n).step_by(every).chain([n]).collect::<Vec<_>>();
            let offsets = View::from_vec("offsets", [offsets.len()], offsets).expect("memory").to_space(space).expect("memory");
            segmented_inclusive_scan_by_offsets(space, &x, &offsets, &mut y, sum).expect("well formed");
            assert!(y.to_host().expect("memory").iter().all(|&y| y == 2_000_000_000), "inclusive by offsets, {every}");
            segmented_exclusive_scan_by_offsets(space, &x, &offsets, &mut y, sum).expect("well formed");
            assert!(y.to_host().expect("memory").iter().copied().eq((0..n).map(wanted)), "exclusive by offsets, {every}");
        }
    }

    /// As long as a block, and longer and shorter by one; on hosts, pieces of 4096 elements find what is before them in several ways.
    fn segments_of_one_length_scan_as_by_flags(space, _setting) {
        let n = 9001;
        let value = |i: usize| match i % 50 {
            0 => -0.0,
            1 if i > 8000 => f64::NAN,
            _ => rough(i),
        };
        let x = space.view_from_fn("x", [n], |[i]| value(i)).expect("memory");
        let [mut by_flags, mut by_offsets] = ["by flags", "by offsets"].map(|label| space.zeros::<f64, 1>(label, [n]).expect("memory"));
        for every in [1, 10, 16, 255, 256, 257, 300, 512, 4096, 4097] {
            let flags = space.view_from_fn("flags", [n], |[i]| i.is_multiple_of(every)).expect("memory");
            let offsets = (0..n).step_by(every).chain([n]).collect::<Vec<_>>();
            let offsets = View::from_vec("offsets", [offsets.len()], offsets).expect("memory").to_space(space).expect("memory");
            segmented_inclusive_scan_by_flags(space, &x, &flags, &mut by_flags, Sum::new()).expect("lengths agree");
            segmented_inclusive_scan_by_offsets(space, &x, &offsets, &mut by_offsets, Sum::new()).expect("well formed");
            assert_same(&by_offsets.to_host().expect("memory").to_vec(), &by_flags.to_host().expect("memory").to_vec(), format!("inclusive, {every}"));
            segmented_exclusive_scan_by_flags(space, &x, &flags, &mut by_flags, Sum::new()).expect("lengths agree");
            segmented_exclusive_scan_by_offsets(space, &x, &offsets, &mut by_offsets, Sum::new()).expect("well formed");
            assert_same(&by_offsets.to_host().expect("memory").to_vec(), &by_flags.to_host().expect("memory").to_vec(), format!("exclusive, {every}"));
        }
    }

    fn scans_in_place_refuse_other_lengths_and_wrong_offsets(space, _setting) {
        let mut x = space.view_from_fn("x", [4], |[i]| i as i32 + 1).expect("memory");
        let flags = space.zeros::<bool, 1>("flags", [3]).expect("memory");
        for result in [
            segmented_inclusive_scan_by_flags_in_place(space, &flags, &mut x, Sum::new()),
            segmented_exclusive_scan_by_flags_in_place(space, &flags, &mut x, Sum::new()),
        ] {
            let error = result.expect_err("flags are missing");
            assert_eq!(error.kind(), ErrorKind::Extents);
            let text = error.to_string();
            assert!(["`x` has 4", "`flags` has 3"].iter().all(|part| text.contains(part)), "{text}");
        }
        let offsets = View::from_vec("offsets", [3], vec![0, 3, 2]).expect("memory").to_space(space).expect("memory");
        for result in [
            segmented_inclusive_scan_by_offsets_in_place(space, &offsets, &mut x, Sum::new()),
            segmented_exclusive_scan_by_offsets_in_place(space, &offsets, &mut x, Sum::new()),
        ] {
            assert_eq!(result.expect_err("they decrease").kind(), ErrorKind::Format);
        }
        assert_eq!(x.to_host().expect("memory").to_vec(), [1, 2, 3, 4]);
    }
}

/// More elements than a host scans at a time; on a device there is no such number.
#[cfg(not(feature = "cuda"))]
#[test]
fn many_elements_scan_with_the_canonical_bits_too() {
    let (n, threads) = (1_200_000, Threads::builder().num_threads(2).build().expect("threads"));
    let x = View::from_fn("x", [n], |[i]| rough(i)).expect("memory");
    for one_in in [1000, 1 << 20] {
        let (exclusive, inclusive) = segmented(n, |i| flagged(i, one_in));
        let flags = View::from_fn("flags", [n], |[i]| flagged(i, one_in)).expect("memory");
        let offsets = offsets_from_flags(&threads, &flags).expect("memory");
        let mut y = View::<f64, 1>::zeros("y", [n]).expect("memory");
        segmented_inclusive_scan_by_flags(&threads, &x, &flags, &mut y, Sum::new()).expect("lengths agree");
        assert_same(&y.to_vec(), &inclusive, format!("inclusive by flags, one in {one_in}"));
        segmented_inclusive_scan_by_offsets(&Serial::new(), &x, &offsets, &mut y, Sum::new())
            .expect("well formed");
        assert_same(&y.to_vec(), &inclusive, format!("inclusive by offsets, one in {one_in}"));
        let mut y = View::from_fn("y", [n], |[i]| rough(i)).expect("memory");
        segmented_exclusive_scan_by_offsets_in_place(&threads, &offsets, &mut y, Sum::new())
            .expect("well formed");
        assert_same(&y.to_vec(), &exclusive, format!("exclusive in place, one in {one_in}"));
    }
}
