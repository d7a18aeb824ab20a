//! Values of 16 and 64 KiB, on threads with the stack that threads have by default.

use std::ops::Range;

use spelt_algorithms::{
    BlockRanges, exclusive_scan, inclusive_scan, reduce, reduce_axes, reduce_blocks_over_j, reduce_by_index,
    reduce_pairs_over_j, segmented_exclusive_scan_by_flags, segmented_exclusive_scan_by_offsets_in_place,
    segmented_inclusive_scan_by_flags_in_place, segmented_inclusive_scan_by_offsets,
    segmented_reduce_by_offsets,
};
use spelt_core::reducers::Reducer;
use spelt_core::subview::{All, Steps};
use spelt_core::{Serial, View};

/// Sums in `N` places.
#[derive(Clone, Copy)]
struct Places<const N: usize>;

impl<const N: usize> Reducer for Places<N> {
    type Value = [u64; N];
    type Output = [u64; N];
    fn init(&self) -> [u64; N] {
        [0; N]
    }
    fn join(&self, into: &mut [u64; N], from: &[u64; N]) {
        into.iter_mut().zip(from).for_each(|(into, from)| *into += from);
    }
    fn finish(&self, value: [u64; N]) -> [u64; N] {
        value
    }
}

/// `i` at place `i`.
fn element<const N: usize>(i: usize) -> [u64; N] {
    core::array::from_fn(|place| if place == i % N { i as u64 } else { 0 })
}

/// The join of the elements `range`.
fn sums<const N: usize>(range: Range<usize>) -> [u64; N] {
    let mut sums = [0; N];
    range.for_each(|i| sums[i % N] += i as u64);
    sums
}

/// Runs `attack` on a thread with the stack that threads have by default.
fn on_a_thread(attack: fn()) {
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(attack).expect("a thread");
    thread.join().expect("it holds");
}

/// With tiles enough for a tree.
fn axes<const N: usize>() {
    let x = View::from_fn("x", [2, 600], |[_, k]| k as u64).expect("memory");
    let mut out = View::<[u64; N], 1>::zeros("out", [2]).expect("memory");
    let add = |value: &mut [u64; N], x: u64, k: usize| value[k % N] += x;
    reduce_axes(&Serial::new(), &x.subview((All, All.step(2))), [1], &mut out, add, Places::<N>)
        .expect("extents agree");
    let mut expected = [0; N];
    (0..300).for_each(|k| expected[k] += 2 * k as u64);
    assert!(out.iter().all(|sums| *sums == expected));
}

/// All pairs, and those of a pattern whose intervals follow one another out of order.
fn pairs<const N: usize>() {
    let (space, n) = (Serial::new(), 300);
    let (x, y) = (
        View::from_fn("x", [3], |[i]| i).expect("memory"),
        View::from_fn("y", [n], |[j]| j).expect("memory"),
    );
    let mut out = View::<[u64; N], 1>::zeros("out", [3]).expect("memory");
    let add = |[i, j]: [usize; 2], sums: &mut [u64; N], (x, y): (usize, usize)| {
        assert_eq!([i, j], [x, y]);
        sums[j % N] += j as u64;
    };
    reduce_pairs_over_j(&space, &x, &y, &mut out, add, Places::<N>).expect("it runs");
    assert!(out.iter().all(|value| *value == sums(0..n)));
    let ranges =
        BlockRanges::over_j(3, n, vec![0..1, 1..3], vec![2, 4], vec![100..250, 10..90, 100..250, 10..90])
            .expect("ranges");
    reduce_blocks_over_j(&space, &ranges, &x, &y, &mut out, add, Places::<N>).expect("it runs");
    let mut expected = sums(10..90);
    Places.join(&mut expected, &sums(100..250));
    assert!(out.iter().all(|value| *value == expected));
}

/// Segments of all lengths that are handled differently, up to `last`.
fn segments<const N: usize>(last: usize) {
    let offsets = vec![0, 0, 1, 8, 40, 140, 140 + last];
    let ranges: Vec<_> = offsets.windows(2).map(|ends| ends[0]..ends[1]).collect();
    let values = View::from_fn("values", [140 + last], |[i]| element::<N>(i)).expect("memory");
    let offsets = View::from_vec("offsets", [offsets.len()], offsets).expect("memory");
    let mut out = View::<[u64; N], 1>::zeros("out", [ranges.len()]).expect("memory");
    segmented_reduce_by_offsets(&Serial::new(), &values, &offsets, &mut out, Places::<N>).expect("it runs");
    for (value, range) in out.iter().zip(ranges) {
        assert!(*value == sums(range));
    }
}

/// Those whose values are elements.
fn elements<const N: usize>() {
    let (space, n) = (Serial::new(), 200);
    let values = View::from_fn("values", [n], |[i]| element::<N>(i)).expect("memory");
    assert!(reduce(&space, &values, Places::<N>).expect("it runs") == sums(0..n));
    let mut out = View::<[u64; N], 1>::zeros("out", [n]).expect("memory");
    inclusive_scan(&space, &values, &mut out, Places::<N>).expect("it runs");
    assert!(out.iter().enumerate().all(|(i, value)| *value == sums(0..i + 1)));
    let offsets = View::from_vec("offsets", [3], vec![0, 150, n]).expect("memory");
    segmented_inclusive_scan_by_offsets(&space, &values, &offsets, &mut out, Places::<N>).expect("it runs");
    let begin = |i| if i < 150 { 0 } else { 150 };
    assert!(out.iter().enumerate().all(|(i, value)| *value == sums(begin(i)..i + 1)));
    let bins = View::from_fn("bins", [n], |[i]| i / 150).expect("memory");
    let mut out = View::<[u64; N], 1>::zeros("out", [2]).expect("memory");
    reduce_by_index(&space, &values, &bins, &mut out, Places::<N>).expect("it runs");
    assert!(out.iter().zip([0..150, 150..n]).all(|(value, range)| *value == sums(range)));
}

/// Scans of segments by offsets and by flags, over blocks of 256 elements, and in place. No element is made on the stack.
fn scanned_segments<const N: usize>(n: usize) {
    let space = Serial::new();
    let offsets = vec![0, 20, 20, 21, n];
    let first = |i: usize| offsets[offsets.partition_point(|&offset| offset <= i) - 1];
    let flags = View::from_fn("flags", [n], |[i]| offsets.contains(&i)).expect("memory");
    let at = View::from_vec("offsets", [offsets.len()], offsets.clone()).expect("memory");
    let mut values = View::<[u64; N], 1>::zeros("values", [n]).expect("memory");
    let fill = |values: &mut View<[u64; N], 1>| {
        let values = values.as_mut_slice().expect("contiguous");
        values.iter_mut().enumerate().for_each(|(i, value)| (value.fill(0), value[i % N] = i as u64).1);
    };
    let check = |out: &View<[u64; N], 1>, more: usize| {
        for (i, sums) in out.as_slice().expect("contiguous").iter().enumerate() {
            let range = first(i)..i + more;
            // Where a place belongs to one element.
            let right =
                |(place, &sum): (usize, &u64)| sum == if range.contains(&place) { place as u64 } else { 0 };
            assert!(sums.iter().enumerate().all(right), "{i}");
        }
    };
    fill(&mut values);
    let mut out = View::<[u64; N], 1>::zeros("out", [n]).expect("memory");
    segmented_inclusive_scan_by_offsets(&space, &values, &at, &mut out, Places::<N>).expect("it runs");
    check(&out, 1);
    segmented_exclusive_scan_by_flags(&space, &values, &flags, &mut out, Places::<N>).expect("it runs");
    check(&out, 0);
    segmented_exclusive_scan_by_offsets_in_place(&space, &at, &mut values, Places::<N>).expect("it runs");
    check(&values, 0);
    fill(&mut values);
    segmented_inclusive_scan_by_flags_in_place(&space, &flags, &mut values, Places::<N>).expect("it runs");
    check(&values, 1);
}

/// The initial value is passed by value through the functions of a launch, each of which copies it in a debug build.
fn initial_values<const N: usize>() {
    let (space, n) = (Serial::new(), 200);
    let values = View::from_fn("values", [n], |[i]| element::<N>(i)).expect("memory");
    let mut out = View::<[u64; N], 1>::zeros("out", [n]).expect("memory");
    exclusive_scan(&space, &values, &mut out, [0; N], Places::<N>).expect("it runs");
    assert!(out.iter().enumerate().all(|(i, value)| *value == sums(0..i)));
}

#[test]
fn axes_and_pairs() {
    on_a_thread(axes::<512>);
    on_a_thread(axes::<8192>);
    on_a_thread(pairs::<512>);
    on_a_thread(pairs::<8192>);
}

#[test]
fn segments_of_large_values() {
    on_a_thread(|| segments::<2048>(4 * 1024 + 5));
    on_a_thread(|| segments::<8192>(30));
}

/// Of 320 KiB, in one block and in two.
#[test]
fn segments_of_larger_values_are_scanned() {
    on_a_thread(|| scanned_segments::<40_960>(37));
    on_a_thread(|| scanned_segments::<4096>(300));
}

#[test]
fn elements_that_are_large() {
    on_a_thread(elements::<2048>);
    on_a_thread(elements::<8192>);
    on_a_thread(initial_values::<2048>);
}
