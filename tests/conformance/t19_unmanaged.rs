//! Views over memory that other code owns: kernels read and write it, nothing is freed twice, and wrong pointers are errors.

use spelt::ErrorKind;
use spelt::prelude::*;

use crate::spaces::every;

every! { on_every_space:
    fn kernels_write_the_memory_of_others(space, _setting) {
        for extents in [[1, 1], [3, 5], [64, 33]] {
            let len = extents[0] * extents[1];
            let mut owner = space.view_from_fn("owner", [len], |[k]| k as u64).expect("memory");
            space.fence().expect("nothing has failed");
            let pointer = owner.raw_mut().pointer();
            {
                // SAFETY: the owner has `len` numbers and is not used before both Views are dropped, of which the first is not written.
                let (x, mut y) = unsafe {
                    let part = space.unmanaged::<u64, 1>("part", [0], core::ptr::null_mut()).expect("no elements");
                    assert_eq!(part.to_host().expect("memory").len(), 0);
                    (space.unmanaged::<u64, 0>("one", [], pointer), space.unmanaged_in(Left, "y", extents, pointer))
                };
                assert_eq!(x.expect("an aligned pointer").to_host().expect("memory")[[]], 0);
                let y = y.as_mut().expect("an aligned pointer");
                assert_eq!((y.label(), y.extents(), y.strides()), ("y", extents, [1, extents[0]]));
                parallel_for("scale", space.md_range(extents.map(|extent| 0..extent)), &mut *y, move |i, mut y| {
                    let [row, column] = i.get();
                    y[i] = 1000 * y[i] + (100 * row + column) as u64;
                }).expect("covered");
                // Dropped without a fence: on a device it waits.
            }
            let found = owner.to_host().expect("memory");
            let expected = View::from_fn("owner", [len], |[k]| {
                (1000 * k + 100 * (k % extents[0]) + k / extents[0]) as u64
            });
            assert_eq!(found, expected.expect("memory"), "{extents:?}");
        }
    }

    fn wrong_pointers_are_errors(space, _setting) {
        let one_off = core::ptr::without_provenance_mut::<u64>(4097);
        for (pointer, text) in [(core::ptr::null_mut(), "0x0"), (one_off, "0x1001")] {
            // SAFETY: the pointer is refused.
            let error = unsafe { space.unmanaged::<u64, 2>("mine", [2, 2], pointer) }.expect_err("it is refused");
            assert_eq!(error.kind(), ErrorKind::Layout);
            let message = error.to_string();
            assert!(["`mine`", text, "alignment"].iter().all(|word| message.contains(word)), "{message}");
        }
        // SAFETY: the extents are refused.
        let error = unsafe { space.unmanaged::<u64, 2>("mine", [usize::MAX, 2], core::ptr::null_mut()) };
        assert_eq!(error.expect_err("it is refused").kind(), ErrorKind::Overflow);
    }
}

every! { on_every_host_space:
    fn a_vec_keeps_its_memory(space, _setting) {
        let mut foreign: Vec<u32> = (0..1000).collect();
        // SAFETY: a thousand numbers, which nothing else uses until the View is gone.
        let y = unsafe { space.unmanaged("y", [1000], foreign.as_mut_ptr()) }.expect("an aligned pointer");
        // The View does not own the memory, so this is a copy.
        let mut copy = y.into_vec();
        copy.push(1);
        foreign.push(2);
        assert!(copy.iter().take(1000).copied().eq(0..1000) && foreign.iter().take(1000).copied().eq(0..1000));
    }
}
