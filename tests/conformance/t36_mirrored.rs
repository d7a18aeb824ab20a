//! Mirrored Views: each borrow of a side has the elements that the other side was last given.

use spelt::containers::Mirrored;
use spelt::prelude::*;
use spelt::{HostSpace, Layout, MemorySpace};

use crate::spaces::every;

/// Does one step of a program, which its number chooses.
fn step<S: ExecutionSpace, L: Layout>(
    space: &S,
    x: &mut Mirrored<u64, 2, S::Memory, L>,
    wanted: &mut View<u64, 2, HostSpace, L>,
    what: usize,
) {
    let [n, m] = x.extents();
    let factor = 3 + what as u64 % 5;
    match what % 11 {
        0 | 1 => {
            for element in &mut x.host_mut().expect("no device fails") {
                *element = *element * factor + 1;
            }
            wanted.iter_mut().for_each(|element| *element = *element * factor + 1);
            assert_eq!(x.is_synced(), !S::IS_DEVICE);
            assert!(x.peek_host().is_some());
            assert_eq!(x.peek_device().is_some(), !S::IS_DEVICE);
        }
        2 | 3 => {
            let side = x.device_mut().expect("no device fails");
            parallel_for(
                "change",
                space.md_range([0..n, 0..m]),
                (factor, side),
                move |i, (factor, mut x)| {
                    x[i] = x[i] % 1_000_003 + factor * i.get()[1] as u64;
                },
            )
            .expect("covered");
            for i in 0..n {
                for j in 0..m {
                    wanted[[i, j]] = wanted[[i, j]] % 1_000_003 + factor * j as u64;
                }
            }
            assert_eq!(x.is_synced(), !S::IS_DEVICE);
            assert_eq!(x.peek_host().is_some(), !S::IS_DEVICE);
            assert!(x.peek_device().is_some());
        }
        4 | 5 => {
            assert_eq!(x.host().expect("no device fails").to_vec(), wanted.to_vec());
            assert_eq!(x.peek_host().map(|x| x.to_vec()), Some(wanted.to_vec()));
        }
        6 | 7 => {
            let side = x.device().expect("no device fails");
            assert_eq!(side.to_host().expect("memory").to_vec(), wanted.to_vec());
            assert_eq!(x.peek_device().map(|x| x.to_host().expect("memory").to_vec()), Some(wanted.to_vec()));
        }
        8 => {
            // The host writes everything, and so what the other side has is not copied.
            x.discard_device();
            x.host_mut().expect("no device fails").fill(factor);
            wanted.fill(factor);
        }
        9 => {
            x.discard_host();
            let side = x.device_mut().expect("no device fails");
            parallel_for("write", space.md_range([0..n, 0..m]), (factor, side), move |i, (factor, mut x)| {
                x[i] = factor + 100 * i.get()[0] as u64;
            })
            .expect("covered");
            *wanted = View::from_fn_in(L::default(), "wanted", [n, m], |[i, _]| factor + 100 * i as u64)
                .expect("memory");
        }
        _ => {
            let extents = [[3, 4], [5, 2], [0, 7], [1, 1], [4, 4]][what % 5];
            x.resize(space, extents).expect("memory");
            wanted.resize(extents).expect("memory");
            assert_eq!(x.extents(), extents);
        }
    }
}

fn programs<S: ExecutionSpace, L: Layout>(space: &S) {
    for program in 0..if S::IS_DEVICE { 12 } else { 60_usize } {
        let start =
            View::from_fn_in(L::default(), "start", [3, 4], |[i, j]| (10 * i + j) as u64).expect("memory");
        let mut wanted = start.to_host().expect("memory");
        let mut x = match program % 3 {
            0 => Mirrored::from_view(space, start).expect("memory"),
            1 => Mirrored::from_device(start.to_space(space).expect("memory")).expect("memory"),
            _ => {
                wanted.fill(0);
                Mirrored::zeros_in(space, L::default(), "start", [3, 4]).expect("memory")
            }
        };
        assert_eq!(x.label(), "start");
        let mut state = program as u64 + 1;
        for _ in 0..20 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            step(space, &mut x, &mut wanted, (state >> 33) as usize);
        }
        if program % 2 == 0 {
            assert_eq!(x.into_host().expect("no device fails").to_vec(), wanted.to_vec());
        } else {
            assert_eq!(
                x.into_device().expect("no device fails").to_host().expect("memory").to_vec(),
                wanted.to_vec()
            );
        }
    }
}

/// The address of the elements.
fn address<T: Element, M: MemorySpace>(view: spelt::ViewRef<'_, T, 1, M>) -> usize {
    view.raw().pointer() as usize
}

every! { on_every_space:
    fn sides_have_the_last_elements(space, _setting) {
        programs::<S, Right>(space);
        programs::<S, Left>(space);
    }

    fn discarded_changes_are_not_copied(space, _setting) {
        let mut x = Mirrored::<u32, 1, _>::zeros(space, "x", [3]).expect("memory");
        x.host_mut().expect("no device fails").fill(7);
        x.discard_host();
        let left = if S::IS_DEVICE { 0 } else { 7 };
        assert_eq!(x.peek_host().is_some(), !S::IS_DEVICE, "the side with the dropped changes is not current");
        assert_eq!(x.host().expect("no device fails").to_vec(), [left; 3]);
        space.fill(&mut x.device_mut().expect("no device fails"), 8).expect("no device fails");
        x.discard_device();
        let left = if S::IS_DEVICE { 0 } else { 8 };
        assert_eq!(x.device().expect("no device fails").to_host().expect("memory").to_vec(), [left; 3]);
        // Without changes there is nothing to drop.
        x.discard_host();
        x.discard_device();
        assert!(x.is_synced());
    }

    fn host_spaces_have_one_allocation(space, _setting) {
        let mut x = Mirrored::<u32, 1, _>::zeros(space, "x", [3]).expect("memory");
        assert!(x.is_synced());
        let host = address(x.host().expect("no device fails"));
        assert_eq!(host == address(x.device().expect("no device fails")), !S::IS_DEVICE);
        // And a View that comes from the host stays where it is.
        let view = View::<u32, 1>::zeros("view", [3]).expect("memory");
        let before = address(view.view());
        let mut x = Mirrored::from_view(space, view).expect("memory");
        assert_eq!(address(x.host_mut().expect("no device fails").view()), before);
        assert_eq!(address(x.into_host().expect("no device fails").view()), before);
    }

    fn sides_that_change_places_keep_their_extents(space, _setting) {
        let (mut a, mut b) = (Mirrored::<u32, 1, _>::zeros(space, "a", [3]).expect("memory"), Mirrored::<u32, 1, _>::zeros(space, "b", [5]).expect("memory"));
        let (mut of_a, mut of_b) = (a.host_mut().expect("no device fails"), b.host_mut().expect("no device fails"));
        // Only the borrows change places.
        std::mem::swap(&mut of_a, &mut of_b);
        of_a.fill(1);
        of_b.fill(2);
        assert_eq!(a.device().expect("no device fails").to_host().expect("memory").to_vec(), [2; 3]);
        assert_eq!(b.device().expect("no device fails").to_host().expect("memory").to_vec(), [1; 5]);
    }

    fn sides_without_elements(space, _setting) {
        let mut empty = Mirrored::<f64, 2, _>::zeros(space, "empty", [0, 5]).expect("memory");
        empty.host_mut().expect("no device fails").fill(1.0);
        assert_eq!(empty.device().expect("no device fails").len(), 0);
        let mut nothing = Mirrored::<(), 1, _>::zeros(space, "nothing", [9]).expect("memory");
        nothing.device_mut().expect("no device fails");
        assert_eq!(nothing.host().expect("no device fails").len(), 9);
        let error = nothing.resize(space, [usize::MAX]).expect_err("more elements than a View counts");
        assert_eq!(error.kind(), spelt::ErrorKind::Overflow);
        let mut large = Mirrored::<u64, 1, _>::zeros(space, "large", [2]).expect("memory");
        large.host_mut().expect("no device fails")[1] = 5;
        let error = large.resize(space, [usize::MAX / 8]).expect_err("too large");
        assert_eq!(error.kind(), spelt::ErrorKind::Overflow);
        assert_eq!((large.extents(), large.device().expect("no device fails").to_host().expect("memory")[1]), ([2], 5));
    }
}
