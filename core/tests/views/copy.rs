//! `deep_copy` between all layouts, against a loop.

use proptest::prelude::*;
use spelt_core::subview::{All, Steps};
use spelt_core::{
    CopyFrom, Element, ErrorKind, HostSpace, Layout, Left, MemorySpace, Right, Stride, View, ViewMut,
    ViewRef, deep_copy,
};

use crate::oracle::mark;

fn copies<T, const R: usize, L1, L2>(to: L1, from: L2, extents: [usize; R], value: impl Fn([usize; R]) -> T)
where
    T: Element + PartialEq + std::fmt::Debug,
    L1: Layout,
    L2: Layout,
{
    let source = View::from_fn_in(from, "from", extents, &value).unwrap();
    let mut target = View::<T, R, HostSpace, L1>::zeros_in(to, "to", extents).unwrap();
    deep_copy(&mut target, &source).unwrap();
    for (index, &element) in target.indexed_iter() {
        assert_eq!(element, value(index), "{} to {} at {index:?}", L2::NAME, L1::NAME);
    }
    assert_eq!(source.to_layout(to).unwrap(), target);
    assert_eq!(source.to_host().unwrap(), source);
}

fn all_pairs<T: Element + PartialEq + std::fmt::Debug, const R: usize>(
    extents: [usize; R],
    value: impl Fn([usize; R]) -> T + Copy,
) {
    copies(Right, Right, extents, value);
    copies(Right, Left, extents, value);
    copies(Right, Stride, extents, value);
    copies(Left, Right, extents, value);
    copies(Left, Left, extents, value);
    copies(Left, Stride, extents, value);
    copies(Stride, Right, extents, value);
    copies(Stride, Left, extents, value);
    copies(Stride, Stride, extents, value);
}

proptest! {
    #![proptest_config(crate::oracle::cases(48))]

    #[test]
    fn ranks_to_4(extents in prop::array::uniform4(0..5_usize)) {
        let [a, b, c, _] = extents;
        all_pairs([], mark);
        all_pairs([a], mark);
        all_pairs([a, b], mark);
        all_pairs([a, b, c], mark);
        all_pairs(extents, mark);
    }

    #[test]
    fn rank_6(extents in prop::array::uniform6(1..4_usize)) {
        copies(Right, Left, extents, mark);
        copies(Left, Right, extents, mark);
    }

    #[test]
    fn rank_8(extents in prop::array::uniform8(1..3_usize)) {
        copies(Right, Left, extents, mark);
        copies(Left, Right, extents, mark);
    }

    #[test]
    fn any_strides(extents in prop::array::uniform3(1..4_usize), order in 0..6_usize, gap in 1..3_usize) {
        // Strides in any order of the dimensions, with a gap between neighbours.
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        let mut strides = [0; 3];
        let mut step = gap;
        for dimension in orders[order] {
            strides[dimension] = step;
            step *= extents[dimension];
        }
        let source = View::from_fn("from", extents, mark).unwrap();
        let mut memory = vec![u64::MAX; step];
        let mut target = ViewMut::from_strided(extents, strides, &mut memory).unwrap();
        deep_copy(&mut target, &source).unwrap();
        prop_assert!(target == source);
        let mut back = View::<u64, 3, HostSpace, Left>::zeros_in(Left, "back", extents).unwrap();
        deep_copy(&mut back, &target).unwrap();
        prop_assert!(back == source);
        prop_assert_eq!(memory.iter().filter(|&&element| element != u64::MAX).count(), source.len());
    }

    #[test]
    fn sides_of_blocks(a in 1..80_usize, b in 1..80_usize) {
        let small = if cfg!(miri) { 8 } else { 80 };
        let (a, b) = (a.min(small), b.min(small));
        copies(Right, Left, [a, b], |[i, j]| (i * 1000 + j) as u16);
        copies(Left, Right, [a, b], |[i, j]| (i * 1000 + j) as u64);
        copies(Left, Right, [a, 2, b], |[i, j, k]| [i, j, k]);
        copies(Right, Left, [2, a, b], |[i, j, k]| (i as u8, (j * 1000 + k) as u32));
    }
}

#[test]
fn other_kinds_of_elements() {
    all_pairs([3, 4], |_| ());
    all_pairs([3, 4], |[i, j]| i > j);
    all_pairs([3, 4], |[i, j]| [[i as f64, j as f64]; 40]);
}

#[test]
fn parts_are_copied_and_nothing_else() {
    let source = View::from_fn("from", [6, 7], mark).unwrap();
    let mut target = View::<u64, 2>::zeros("to", [6, 7]).unwrap();
    deep_copy(&mut target.subview_mut((1..3, (0..7).step(3))), &source.subview((4..6, 2..5))).unwrap();
    for ([i, j], &element) in target.indexed_iter() {
        let inside = (1..3).contains(&i) && j % 3 == 0;
        assert_eq!(element, if inside { mark([i + 3, j / 3 + 2]) } else { 0 });
    }
    deep_copy(&mut target.subview_mut((All, 0)), &ViewRef::from(&[9; 6][..])).unwrap();
    assert!((0..6).all(|i| target[[i, 0]] == 9));
    // A repeated row is read, not written.
    let row = [1, 2, 3, 4, 5, 6, 7];
    deep_copy(&mut target, &ViewRef::from_strided([6, 7], [0, 1], &row).unwrap()).unwrap();
    assert!(target.rows().all(|line| line == row));
}

#[test]
fn unequal_extents_name_both() {
    let source = View::<f32, 2>::zeros("x", [2, 3]).unwrap();
    let mut target = View::<f32, 2>::zeros("y", [3, 2]).unwrap();
    target.fill(1.0);
    let error = deep_copy(&mut target, &source).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Extents);
    assert_eq!(
        error.to_string(),
        "view `x` of extents [2, 3] cannot be copied to view `y` of extents [3, 2]: they must be equal"
    );
    assert!(target.iter().all(|&element| element == 1.0));
}

#[test]
fn mirrors_have_the_same_shape() {
    let v = View::from_fn_in(Left, "v", [2, 3], mark).unwrap();
    let mirror = v.host_mirror().unwrap();
    assert_eq!((mirror.extents(), mirror.label(), mirror[[1, 1]]), ([2, 3], "v", 0));
    let part = v.subview((All, (0..3).step(2))).to_host().unwrap();
    assert_eq!((part.extents(), part.is_contiguous()), ([2, 2], true));
    assert_eq!(part.to_vec(), [mark([0, 0]), mark([0, 2]), mark([1, 0]), mark([1, 2])]);
}

/// `deep_copy` is not the only way in: the hooks of memory spaces are public.
#[test]
fn copy_hooks_refuse_other_extents() {
    let large = View::from_fn("large", [3, 5], mark).unwrap();
    let mut small = View::<u64, 2>::zeros("small", [2, 5]).unwrap();
    let copied = HostSpace::copy_elements(small.view_mut(), large.view(), None);
    assert_eq!(copied.unwrap_err().kind(), ErrorKind::Extents);
    let copied = HostSpace::copy_to_host(small.view_mut(), large.view(), None);
    assert_eq!(copied.unwrap_err().kind(), ErrorKind::Extents);
    assert!(small.iter().all(|&element| element == 0));
    let mut larger = View::<u64, 2>::zeros("larger", [3, 6]).unwrap();
    let error = HostSpace::copy_elements(larger.view_mut(), large.view(), None).unwrap_err();
    assert!(error.to_string().contains("`large` of extents [3, 5]"), "{error}");
}
