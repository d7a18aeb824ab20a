//! Input that is empty, not a number, out of bounds or too large: a documented result, or an error that says what is wrong.
//!
//! Errors of one function are tested with it; here are those that all functions of a kind share.

use spelt::algorithms::*;
use spelt::prelude::*;
use spelt::{Error, ErrorKind};

use crate::equal::assert_same;
use crate::spaces::every;

/// Fails unless the error is of this kind and says all of these words.
#[track_caller]
fn says(error: Error, kind: ErrorKind, words: &[&str]) {
    assert_eq!(error.kind(), kind, "{error}");
    assert!(words.iter().all(|word| error.to_string().contains(word)), "{error} should say {words:?}");
}

fn to_space<S: ExecutionSpace, T: Element>(space: &S, label: &str, items: &[T]) -> View<T, 1, S::Memory> {
    View::from_vec(label, [items.len()], items.to_vec()).expect("memory").to_space(space).expect("memory")
}

fn to_vec<T: Element, M: spelt::MemorySpace>(view: &View<T, 1, M>) -> Vec<T> {
    view.to_host().expect("memory").to_vec()
}

every! { on_every_space:
    fn nothing_gives_nothing(space, _setting) {
        let (none, places) = (to_space::<_, u64>(space, "none", &[]), to_space::<_, usize>(space, "places", &[]));
        let mut out = space.view_from_fn("out", [3], |[i]| i as u64).expect("memory");
        let at = to_space(space, "at", &[0_usize, 1, 2]);
        let unchanged = |out: &View<u64, 1, S::Memory>| assert_eq!(to_vec(out), [0, 1, 2]);
        // Nothing moves from nowhere, nowhere, or by no index.
        gather(space, &none, &at, &mut out).expect("all indices lie outside");
        scatter(space, &none, &places, &mut out).expect("nothing to write");
        reduce_by_index(space, &none, &places, &mut out, Sum::new()).expect("nothing to join");
        unchanged(&out);
        says(gather_checked(space, &none, &at, &mut out).expect_err("all outside"), ErrorKind::Extents,
            &["3 of the 3 indices", "0..0", "[0]"]);
        let mut nowhere = to_space::<_, u64>(space, "nowhere", &[]);
        scatter(space, &out, &at, &mut nowhere).expect("all indices lie outside");
        says(scatter_checked(space, &out, &at, &mut nowhere).expect_err("all outside"), ErrorKind::Extents,
            &["3 of the 3 indices", "0..0", "`at`"]);
        says(reduce_by_index_checked(space, &out, &at, &mut nowhere, Sum::new()).expect_err("all outside"),
            ErrorKind::Extents, &["3 of the 3 indices", "0..0", "`at`"]);
        histogram(space, &none, &mut out).expect("memory");
        assert_eq!(to_vec(&out), [0; 3]);
        // Nothing is first, and nothing is before or after it.
        let (best, indices) = top_k(space, &none, 5, Extreme::Largest, Ties::LargerIndex).expect("memory");
        assert_eq!((best.len(), indices.len()), (0, 0));
        let mut positions = space.view_from_fn("positions", [3], |_| 9_usize).expect("memory");
        lower_bound(space, &none, &out, &mut positions).expect("as many");
        assert_eq!(to_vec(&positions), [0; 3]);
        assert_eq!(upper_bound_of(space, &none, 7).expect("a search"), 0);
        assert_eq!(equal_range_of(space, &none, 7).expect("a search"), 0..0);
        upper_bound(space, &out, &none, &mut to_space::<_, usize>(space, "positions", &[])).expect("no needle");
        assert!(is_sorted(space, &none).expect("a search") && is_sorted_descending(space, &none).expect("a search"));
        // Nothing falls into parts.
        let (parts, begins) = partition_three_way(space, &none, |_| true, |_| true).expect("memory");
        assert_eq!((parts.len(), begins), (0, [0, 0]));
        let flags = to_space::<_, bool>(space, "flags", &[]);
        assert_eq!(filter_flagged(space, &none, &flags).expect("memory").len(), 0);
        assert_eq!(to_vec(&offsets_from_flags(space, &flags).expect("memory").into_view()), [0]);
        let (keys, sums) = reduce_by_key(space, &none, &none, Sum::new()).expect("as many");
        assert_eq!((keys.len(), sums.len()), (0, 0));
        assert_eq!(segmented_reduce_by_flags(space, &none, &flags, Sum::new()).expect("as many").len(), 0);
        // Empty segments give identities; a pattern without blocks gives identities everywhere.
        let offsets = to_space(space, "offsets", &[0_usize; 4]);
        segmented_reduce_by_offsets(space, &none, &offsets, &mut out, Prod::new()).expect("well formed");
        assert_eq!(to_vec(&out), [1; 3]);
        segmented_exclusive_scan_by_offsets(space, &none, &offsets, &mut nowhere, Sum::new()).expect("well formed");
        for ranges in [
            BlockRanges::over_j(3, 3, vec![], vec![], vec![]).expect("no range"),
            BlockRanges::over_j(3, 3, vec![0..2, 3..3], vec![0, 1], vec![1..1]).expect("empty ranges and intervals"),
        ] {
            assert_eq!(ranges.area(), 0);
            let mut a = space.view_from_fn("a", [3], |_| 7_u64).expect("memory");
            reduce_blocks_over_j(space, &ranges, &at, &at, &mut a, |_, sum, _| *sum += 1, Sum::<u64>::new()).expect("fits");
            assert_eq!(to_vec(&a), [0; 3]);
        }
    }

    fn nan_is_a_key_like_any_other(space, _setting) {
        // The total order puts NaN of either sign at the ends; runs of NaN are as long as one.
        let nan = f64::NAN;
        let sorted = [-nan, f64::NEG_INFINITY, -0.0, 0.0, 1.0, f64::INFINITY, nan, nan];
        let x = to_space(space, "x", &sorted);
        assert!(is_sorted(space, &x).expect("a search"));
        assert_eq!(is_sorted_until(space, &to_space(space, "x", &[nan, 1.0])).expect("a search"), 1);
        assert!(is_sorted_descending(space, &to_space(space, "x", &[nan, nan, 1.0, -0.0, -nan])).expect("a search"));
        assert!(!is_sorted_descending(space, &to_space(space, "x", &[-0.0, 0.0])).expect("a search"));
        assert_eq!(lower_bound_of(space, &x, nan).expect("a search"), 6);
        assert_eq!(upper_bound_of(space, &x, -nan).expect("a search"), 1);
        assert_eq!(equal_range_of(space, &x, nan).expect("a search"), 6..8);
        // Not in order.
        let unordered = to_space(space, "x", &[1.0, 3.0, 2.0, 1.0, 2.0]);
        for needle in [0.0, 1.0, 2.0, 3.0] {
            let range = equal_range_of(space, &unordered, needle).expect("a search");
            assert!(range.start <= range.end && range.end <= 5, "{range:?}");
        }
        let (best, indices) = top_k(space, &x, 3, Extreme::Smallest, Ties::SmallerIndex).expect("memory");
        assert_same(&to_vec(&best), &sorted[..3].to_vec(), "smallest");
        assert_eq!(to_vec(&indices), [0, 1, 2]);
        let (values, lengths) = run_length(space, &x).expect("memory");
        assert_same(&to_vec(&values), &[-nan, f64::NEG_INFINITY, -0.0, 1.0, f64::INFINITY, nan, nan].to_vec(), "runs");
        assert_eq!(to_vec(&lengths), [1, 1, 2, 1, 1, 1, 1]);
        let (begins, lengths) = non_trivial_runs(space, &x).expect("memory");
        assert_eq!((to_vec(&begins), to_vec(&lengths)), (vec![2], vec![2]));
        let mut counts = space.zeros::<u32, 1>("counts", [2]).expect("memory");
        histogram_even(space, &x, -1.0..1.0, &mut counts).expect("a range");
        assert_eq!(to_vec(&counts), [0, 2]);
    }

    fn counts_that_are_too_many(space, _setting) {
        for counts in [vec![usize::MAX, 2], vec![0, usize::MAX], vec![usize::MAX / 2 + 1; 2]] {
            let x = to_space(space, "counts", &counts);
            for error in [
                offsets_from_counts(space, &x).map(drop).expect_err("too many"),
                replicated_iota(space, &x).map(drop).expect_err("too many"),
                expand(space, &x, |n: usize| n, |_, k| k).map(drop).expect_err("too many"),
                expand_outer_reduce(space, &x, |n: usize| n, |_, k| k, Sum::new()).map(drop).expect_err("too many"),
            ] {
                says(error, ErrorKind::Overflow, &["2 segments", "more than a `usize` can hold"]);
            }
        }
        // They can be counted, but there is no room for them.
        let x = to_space(space, "counts", &[1_usize << 58]);
        assert_eq!(to_vec(&offsets_from_counts(space, &x).expect("memory").into_view()), [0, 1 << 58]);
        let error = replicated_iota(space, &x).map(drop).expect_err("no memory");
        assert!([ErrorKind::OutOfMemory, ErrorKind::Overflow].contains(&error.kind()), "{error}");
    }
}

every! { on_every_host_space:
    fn more_first_ones_than_there_are(space, _setting) {
        let x = to_space(space, "x", &[2_i16, -5, 9]);
        for k in [3, 4, usize::MAX] {
            let (best, indices) = top_k(space, &x, k, Extreme::Smallest, Ties::SmallerIndex).expect("memory");
            assert_eq!((to_vec(&best), to_vec(&indices)), (vec![-5, 2, 9], vec![1, 0, 2]));
        }
    }

    fn lengths_that_differ_are_named(space, _setting) {
        let (three, mut four) = (to_space(space, "three", &[1_u64; 3]), to_space(space, "four", &[7_u64; 4]));
        let (flags, at) = (to_space(space, "flags", &[true; 2]), to_space(space, "at", &[0_usize; 2]));
        let lengths: &[&str] = &["`three`", "`four`", "3", "4"];
        let of_two: &[&str] = &["`three`", "3", "2"];
        let sum = Sum::<u64>::new();
        for (error, words) in [
            (inclusive_scan(space, &three, &mut four, sum).map(drop), lengths),
            (exclusive_scan(space, &three, &mut four, 0, sum).map(drop), lengths),
            (transform_inclusive_scan(space, &three, &mut four, |x, _| x, sum).map(drop), lengths),
            (transform_exclusive_scan(space, &three, &mut four, 0, |x, _| x, sum).map(drop), lengths),
            (segmented_inclusive_scan_by_flags(space, &three, &flags, &mut four, sum), of_two),
            (segmented_exclusive_scan_by_flags(space, &three, &flags, &mut four, sum), of_two),
            (segmented_inclusive_scan_by_offsets(space, &three, &to_space(space, "offsets", &[0, 3]), &mut four, sum), lengths),
            (segmented_exclusive_scan_by_offsets(space, &three, &to_space(space, "offsets", &[0, 3]), &mut four, sum), lengths),
            (segmented_reduce_by_flags(space, &three, &flags, sum).map(drop), of_two),
            (segmented_reduce_by_offsets(space, &three, &to_space(space, "offsets", &[0, 3]), &mut four, sum), &["`four`", "4", "1"]),
            (filter_flagged(space, &three, &flags).map(drop), of_two),
            (partition_flagged(space, &three, &flags).map(drop), of_two),
            (reduce_by_key(space, &three, &at, Sum::new()).map(drop), of_two),
            (gather(space, &three, &at, &mut four), &["`at`", "`four`", "2", "4"]),
            (gather_checked(space, &three, &at, &mut four), &["`at`", "`four`", "2", "4"]),
            (scatter(space, &three, &at, &mut four), of_two),
            (scatter_checked(space, &three, &at, &mut four), of_two),
            (reduce_by_index(space, &three, &at, &mut four, sum), of_two),
            (reduce_by_index_checked(space, &three, &at, &mut four, sum), of_two),
            (lower_bound(space, &three, &three, &mut to_space(space, "two", &[0; 2])), of_two),
            (upper_bound(space, &three, &three, &mut to_space(space, "two", &[0; 2])), of_two),
            (argsort(space, &three, &mut to_space(space, "two", &[0_u32; 2])), of_two),
            (argsort_descending(space, &three, &mut to_space(space, "two", &[0_usize; 2])), of_two),
            (sort_by_key(space, &mut to_space(space, "three", &[2_u8, 1, 0]), &mut four), lengths),
            (sort_by_key_descending(space, &mut to_space(space, "three", &[2_u8, 1, 0]), &mut four), lengths),
        ] {
            says(error.expect_err("lengths differ"), ErrorKind::Extents, words);
            assert_eq!(to_vec(&four), [7; 4], "nothing is written");
        }
    }

    fn segments_of_more_elements_than_can_be_counted(space, _setting) {
        // Elements without a size: there may be as many as bytes in the address space.
        let most = isize::MAX as usize;
        let endless = View::<(), 1>::zeros("endless", [most]).expect("no memory is needed");
        let offsets = to_space(space, "offsets", &[0, most]);
        let mut out = View::<(), 1>::zeros("out", [1]).expect("memory");
        let nothing = custom((), |_: &mut (), _: &()| ());
        says(segmented_reduce_by_offsets(space, &endless, &offsets, &mut out, nothing).expect_err("too many"),
            ErrorKind::Overflow, &["1 segments", "too many"]);
    }
}

#[test]
fn rows_of_more_pairs_than_fit() {
    // Two intervals of 2^38 columns: twice as many pairs as a row may have.
    let n = 1 << 38;
    let whole = BlockRanges::over_j(2, n, vec![0..1], vec![1], vec![0..n]).expect("as many as fit");
    assert_eq!(whole.area(), 1 << 38);
    says(
        BlockRanges::over_j(2, n, vec![0..1], vec![2], vec![0..n, 0..1]).expect_err("one more"),
        ErrorKind::Overflow,
        &["0..1", &(n + 1).to_string(), &n.to_string()],
    );
    // The area is counted in more bits than any of its factors.
    let many = BlockRanges::over_j(1 << 60, n, vec![0..1 << 60], vec![1], vec![0..n]);
    match many {
        Ok(ranges) => assert_eq!(ranges.area(), 1 << 98),
        Err(error) => says(error, ErrorKind::Overflow, &["pairs each"]),
    }
}

#[test]
fn axes_of_extents_that_overflow() {
    let space = &Serial::new();
    // Elements without a size: there may be as many as bytes in the address space, and no more.
    let most = isize::MAX as usize;
    let error = View::<(), 2>::zeros("x", [most, 2]).map(drop).expect_err("too many");
    says(error, ErrorKind::Overflow, &["`x`", "do not fit"]);
    let x = View::<(), 2>::zeros("x", [0, most]).expect("no element");
    let mut out = View::<u32, 2>::zeros("out", [0, 1]).expect("no output");
    reduce_axes(space, &x, [1], &mut out, |_, (), _| (), Sum::<u32>::new()).expect("nothing to do");
    let error = View::<u32, 2>::zeros("out", [1, most]).map(drop).expect_err("too many outputs");
    says(error, ErrorKind::Overflow, &["`out`", "do not fit"]);
}
