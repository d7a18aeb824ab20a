//! Copies between the memory spaces.

use spelt_core::subview::{All, Steps};
use spelt_core::{
    CopyFrom, Cuda, ErrorKind, ExecutionSpace, HostSpace, Layout, Left, MemorySpace, ReadView, Right, View,
    WriteView, deep_copy,
};

use crate::space;

/// The element of a test View at an index.
fn element<const R: usize>(index: [usize; R]) -> u32 {
    index.into_iter().fold(1, |all, index| all * 31 + index as u32)
}

/// A View on the host of `extents` elements.
fn host<const R: usize, L: Layout>(layout: L, extents: [usize; R]) -> View<u32, R, HostSpace, L> {
    View::from_fn_in(layout, "host", extents, element).unwrap()
}

/// Copies `from` to `to`, in any memory and layout, and compares.
fn check<const R: usize, M1, M2, L1, L2>(
    to: &mut impl WriteView<u32, R, M1, L1>,
    from: &impl ReadView<u32, R, M2, L2>,
    expected: &[u32],
) where
    M1: MemorySpace + CopyFrom<M2>,
    M2: MemorySpace,
    HostSpace: CopyFrom<M1>,
    L1: Layout,
    L2: Layout,
{
    deep_copy(to, from).unwrap();
    assert_eq!(to.read().to_host().unwrap().to_vec(), expected, "{} to {}", M2::NAME, M1::NAME);
}

#[test]
fn every_memory_space_copies_to_every_other() {
    let Some(space) = space() else { return };
    let other = space.instance().unwrap();
    let extents = [5, 7];
    let source = host(Right, extents);
    let expected = source.to_vec();
    let device = source.to_space(&space).unwrap();
    let pinned = space.pinned_from_fn("pinned", extents, element).unwrap();
    let managed = space.managed_from_fn("managed", extents, element).unwrap();
    macro_rules! to {
        ($($target:expr),*) => {$(
            check(&mut $target, &source, &expected);
            check(&mut $target, &device, &expected);
            check(&mut $target, &pinned, &expected);
            check(&mut $target, &managed, &expected);
        )*};
    }
    to!(
        View::<u32, 2>::zeros("h", extents).unwrap(),
        space.zeros::<u32, 2>("d", extents).unwrap(),
        other.zeros::<u32, 2>("o", extents).unwrap(),
        space.pinned_zeros::<u32, 2>("p", extents).unwrap(),
        space.managed_zeros::<u32, 2>("m", extents).unwrap(),
        // Where the other index runs fastest.
        View::<u32, 2, HostSpace, Left>::zeros_in(Left, "h", extents).unwrap(),
        space.zeros_in::<u32, 2, _>(Left, "d", extents).unwrap(),
        other.zeros_in::<u32, 2, _>(Left, "o", extents).unwrap(),
        space.pinned_zeros_in::<u32, 2, _>(Left, "p", extents).unwrap(),
        space.managed_zeros_in::<u32, 2, _>(Left, "m", extents).unwrap()
    );
}

#[test]
fn extents_must_be_equal() {
    let Some(space) = space() else { return };
    let mut device = space.zeros::<u32, 2>("d", [4, 4]).unwrap();
    let error = deep_copy(&mut device, &host(Right, [4, 5])).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Extents);
}

/// `deep_copy` is not the only way in: the hooks of memory spaces are public.
#[test]
fn copy_hooks_refuse_other_extents() {
    fn refused<M1: MemorySpace + CopyFrom<M2>, M2: MemorySpace>(
        mut to: View<u32, 2, M1>,
        from: &View<u32, 2, M2>,
    ) {
        let error = M1::copy_elements(to.view_mut(), from.view(), None).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Extents, "{} to {}", M2::NAME, M1::NAME);
    }
    let Some(space) = space() else { return };
    let (small, large) = ([4, 4], [4, 5]);
    let source = host(Right, large);
    let device = source.to_space(&space).unwrap();
    let pinned = space.pinned_from_fn("pinned", large, element).unwrap();
    let managed = space.managed_from_fn("managed", large, element).unwrap();
    macro_rules! to {
        ($($target:expr),*) => {$(
            refused($target, &source);
            refused($target, &device);
            refused($target, &pinned);
            refused($target, &managed);
        )*};
    }
    to!(
        View::<u32, 2>::zeros("h", small).unwrap(),
        space.zeros::<u32, 2>("d", small).unwrap(),
        space.pinned_zeros::<u32, 2>("p", small).unwrap(),
        space.managed_zeros::<u32, 2>("m", small).unwrap()
    );
}

#[test]
fn mirrors_have_the_layout_of_the_device() {
    let Some(space) = space() else { return };
    let device = space.view_from_fn_in(Left, "d", [3, 4], element).unwrap();
    let mut mirror = device.host_mirror().unwrap();
    assert_eq!((mirror.label(), mirror.strides()), ("d", [1, 3]));
    deep_copy(&mut mirror, &device).unwrap();
    assert_eq!(mirror, device.to_host().unwrap());
    assert_eq!(mirror, device.to_layout(Right).unwrap());
}

/// Copies a part of a device's View out, and into another one, beside the same on the host.
macro_rules! parts {
    ($space:ident, $layout:expr, $extents:expr; $($slices:expr),* $(,)?) => {$({
        let source = host($layout, $extents);
        let device = source.to_space($space).unwrap();
        let expected = source.subview($slices).to_vec();
        let part = device.subview($slices);
        assert_eq!(part.to_host().unwrap().to_vec(), expected, "out: {}", stringify!($slices));
        assert_eq!(part.to_space($space).unwrap().to_host().unwrap().to_vec(), expected, "across");

        // In, from the host, from the device, and only there.
        let mut wanted = View::<u32, _, _, _>::zeros_in($layout, "w", $extents).unwrap();
        deep_copy(&mut wanted.subview_mut($slices), &source.subview($slices)).unwrap();
        let mut target = $space.zeros_in($layout, "t", $extents).unwrap();
        deep_copy(&mut target.subview_mut($slices), &source.subview($slices)).unwrap();
        assert_eq!(target.to_host().unwrap(), wanted, "in: {}", stringify!($slices));
        let mut target = $space.zeros_in($layout, "t", $extents).unwrap();
        deep_copy(&mut target.subview_mut($slices), &part).unwrap();
        assert_eq!(target.to_host().unwrap(), wanted, "in from the device: {}", stringify!($slices));
    })*};
}

fn all_parts<L: Layout + spelt_core::subview::Sliceable>(space: &Cuda, layout: L) {
    parts!(
        space, layout, [9, 8];
        (All, All), (2..5, All), (All, 3..7), (2..8, 1..7), (4, All), (All, 5), (3, 2..6), (1..4, 2), (2..2, All),
        ((0..9).step(2), All), (All, (1..8).step(3)), ((1..9).step(4), (0..8).step(2)), (0, (0..8).step(5)), (8, 7),
    );
    parts!(
        space, layout, [5, 6, 7];
        (All, All, All), (1..3, All, All), (All, 2..4, All), (All, All, 3..5), (1..4, 2..5, 1..6), (2, All, All),
        (All, 3, All), (All, All, 4), (All, 2, 3), (1, All, 2), (All, 1..4, 5), ((0..5).step(2), (0..6).step(3), All),
    );
    // More pieces than are worth a call each.
    parts!(space, layout, [40, 3, 41]; (All, 1..2, (0..41).step(2)), ((0..40).step(2), 0..2, 5..9), (All, 1, 0..40));
    parts!(space, layout, [3, 2, 2, 3, 2, 3]; (All, 1, All, 0..2, All, 1..3), (1..3, 0, 1, All, 1, 2));
}

#[test]
fn parts_of_device_views_are_copied_alone() {
    let Some(space) = space() else { return };
    all_parts(&space, Right);
    all_parts(&space, Left);
}

#[test]
fn layouts_are_converted_on_the_way() {
    let Some(space) = space() else { return };
    for extents in [[1, 1], [1, 50], [50, 1], [33, 65], [100, 3]] {
        let right = host(Right, extents);
        let expected = right.to_vec();
        let device = right.to_space(&space).unwrap();
        check(&mut View::<u32, 2, _, _>::zeros_in(Left, "h", extents).unwrap(), &device, &expected);
        let mut left = space.zeros_in::<u32, 2, _>(Left, "d", extents).unwrap();
        check(&mut left, &right, &expected);
        check(&mut space.zeros::<u32, 2>("d", extents).unwrap(), &left, &expected);
        check(&mut left, &device, &expected);
        // And the transpose of one is the other without a copy.
        assert_eq!(left.transposed().to_host().unwrap().to_vec(), right.transposed().to_vec());
    }
}

#[test]
fn two_parts_of_one_view_are_copied_to_each_other() {
    let Some(space) = space() else { return };
    let mut view = space.view_from_fn("v", [6, 4], element).unwrap();
    let (mut low, high) = view.view_mut().split_at(0, 3);
    deep_copy(&mut low, &high).unwrap();
    let expected = View::from_fn("v", [6, 4], |[i, j]| element([if i < 3 { i + 3 } else { i }, j])).unwrap();
    assert_eq!(view.to_host().unwrap(), expected);
}

#[test]
fn instances_see_what_others_copied() {
    let Some(space) = space() else { return };
    let others: Vec<_> = (0..40).map(|_| space.instance().unwrap()).collect();
    let mut view = space.view_from_fn("v", [100], |[i]| i as u32).unwrap();
    for other in &others {
        // On the other's stream by the View's new allocation, which is freed on its own.
        view = view.to_space(other).unwrap();
    }
    drop(others);
    assert_eq!(view.to_host().unwrap().to_vec(), (0..100).collect::<Vec<_>>());
}

#[test]
fn threads_of_the_host_share_a_device() {
    let Some(space) = space() else { return };
    let shared = space.view_from_fn("shared", [500], element).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let own = space.instance().unwrap();
                for _ in 0..20 {
                    let copy = shared.to_space(&own).unwrap();
                    assert_eq!(copy.to_host().unwrap()[499], element([499]));
                }
            });
        }
    });
}
