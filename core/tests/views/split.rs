//! Disjoint parts.

use proptest::prelude::*;
use spelt_core::{Layout, Left, Right, Stride, View, subview::Sliceable};

use crate::oracle::{indices, mark, panic_message};

fn cut_in_two<L: Layout>(layout: L, extents: [usize; 3], dimension: usize, at: usize) {
    let mut view = View::from_fn_in(layout, "v", extents, mark).unwrap();
    let (mut lower, mut upper) = view.view_mut().split_at(dimension, at);
    assert_eq!(lower.extents()[dimension], at);
    assert_eq!(upper.extents()[dimension], extents[dimension] - at);
    for index in indices(upper.extents()) {
        let mut there = index;
        there[dimension] += at;
        assert_eq!(upper[index], mark(there));
    }
    // Both at the same time, alternately.
    for (low, high) in lower.iter_mut().zip(upper.iter_mut()) {
        (*low, *high) = (1, 2);
    }
    lower.fill(1);
    upper.fill(2);
    for (index, &element) in view.indexed_iter() {
        assert_eq!(element, if index[dimension] < at { 1 } else { 2 });
    }
}

fn chunk<L: Sliceable>(layout: L, outer: usize, extents: [usize; 3], len: usize) {
    let mut view = View::from_fn_in(layout, "v", extents, mark).unwrap();
    let mut start = 0;
    for part in view.view().chunks(len) {
        assert_eq!(L::strides(part.extents()), part.strides());
        for (mut index, &element) in part.indexed_iter() {
            index[outer] += start;
            assert_eq!(element, mark(index));
        }
        start += part.extents()[outer];
    }
    assert_eq!(start, extents[outer]);
    let chunks = view.view_mut().chunks_mut(len);
    assert_eq!(chunks.len(), extents[outer].div_ceil(len));
    let mut parts: Vec<_> = chunks.collect();
    for (number, part) in parts.iter_mut().enumerate() {
        part.fill(number as u64);
    }
    for (index, &element) in view.indexed_iter() {
        assert_eq!(element, (index[outer] / len) as u64);
    }
}

proptest! {
    #![proptest_config(crate::oracle::cases(64))]

    #[test]
    fn any_cut(extents in prop::array::uniform3(0..5_usize), dimension in 0..3_usize, at in 0..5_usize) {
        let at = at.min(extents[dimension]);
        cut_in_two(Right, extents, dimension, at);
        cut_in_two(Left, extents, dimension, at);
        cut_in_two(Stride, extents, dimension, at);
    }

    #[test]
    fn any_chunks(extents in prop::array::uniform3(0..5_usize), len in 1..7_usize) {
        chunk(Right, 0, extents, len);
        chunk(Left, 2, extents, len);
        chunk(Stride, 0, extents, len);
    }
}

#[test]
fn a_cut_elsewhere_is_refused() {
    let v = View::<u8, 2>::zeros("v", [3, 4]).unwrap();
    assert_eq!(
        panic_message(|| _ = v.view().split_at(0, 4)),
        "view `v`: cannot cut dimension 0 at 4: the extents are [3, 4]"
    );
    assert_eq!(
        panic_message(|| _ = v.view().split_at(2, 0)),
        "view `v`: there is no dimension 2: the rank is 2"
    );
    assert!(panic_message(|| _ = v.view().split_outer_at(4)).contains("dimension 0 at 4"));
    assert_eq!(panic_message(|| _ = v.view().chunks(0)), "view `v`: chunks of 0 indices have no end");
}
