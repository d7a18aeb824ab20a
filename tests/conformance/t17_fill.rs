//! `parallel_fill`: every element is what the closure returned; nothing is readable before, and nothing is left after a panic.

use std::panic::{AssertUnwindSafe, catch_unwind};

use spelt::prelude::*;
use spelt::{ErrorKind, Layout};

use crate::spaces::{Setting, every};

fn element([i, j, k]: [usize; 3]) -> f64 {
    (i * 10_000 + j * 100 + k) as f64 / 3.0
}

/// Fills a View of rank 3 in this layout, and compares it with one that the host fills.
fn fill_box<S: ExecutionSpace, L: Layout>(space: &S, setting: &Setting, layout: L, extents: [usize; 3]) {
    for iterate in [Iterate::Left, Iterate::Right] {
        let x = space.view_from_fn("x", extents, element).expect("memory");
        let fresh = space.uninit_in::<f64, 3, L>(layout, "fresh", extents).expect("memory");
        assert_eq!((fresh.label(), fresh.extents()), ("fresh", extents));
        let policy = setting.md_range(space, extents.map(|extent| 0..extent)).iterate(iterate);
        let filled = parallel_fill("fill", policy, fresh, (&x, 2.0_f64), move |i, (x, a)| {
            let [_, _, k] = i.get();
            if k % 2 == 0 { a * x[i] } else { -x[i] }
        });
        let expected = View::from_fn_in(L::default(), "fresh", extents, |i| {
            if i[2] % 2 == 0 { 2.0 * element(i) } else { -element(i) }
        });
        let (filled, expected) = (filled.expect("the same indices"), expected.expect("memory"));
        assert_eq!(filled.label(), "fresh");
        assert_eq!(filled.to_host().expect("memory"), expected, "{extents:?}, {iterate:?}");
    }
}

every! { on_every_setting:
    fn a_range_fills_a_view(space, setting) {
        let sizes: &[usize] = if S::IS_DEVICE { &[0, 1, 255, 256, 257] } else { &[0, 1, 2047, 2048, 2049, 20_000] };
        for &n in sizes {
            let x = space.view_from_fn("x", [n], |[i]| i as u64).expect("memory");
            let y = space.uninit("y", [n]).expect("memory");
            let y = parallel_fill("square", setting.range(space, 0..n), y, &x, move |i, x| (x[i] * x[i], i.get() as u32));
            let expected = View::from_fn("y", [n], |[i]| ((i * i) as u64, i as u32)).expect("memory");
            assert_eq!(y.expect("the same indices").to_host().expect("memory"), expected);
        }
    }

    fn a_box_fills_a_view(space, setting) {
        for extents in [[0, 3, 4], [1, 1, 1], [3, 5, 65], [17, 3, 2]] {
            fill_box(space, setting, Right, extents);
            fill_box(space, setting, Left, extents);
        }
    }

    fn other_arguments_are_finished(space, setting) {
        let n = if S::IS_DEVICE { 300 } else { 5000 };
        let mut bins = space.zeros::<u32, 1>("bins", [7]).expect("memory");
        let y = space.uninit("y", [n]).expect("memory");
        let y = parallel_fill("bin", setting.range(space, 0..n), y, bins.scatter(), move |i, bins| {
            bins.add(i.get() % 7, 1);
            i.get()
        });
        assert!(y.expect("the same indices").to_host().expect("memory").iter().copied().eq(0..n));
        let counts = bins.to_host().expect("memory");
        assert!((0..7).all(|bin| counts[bin] as usize == (n + 6 - bin) / 7), "{counts}");
    }
}

every! { on_every_space:
    fn a_policy_with_other_indices_is_an_error(space, setting) {
        for (range, words) in [(0..5, "[0..5]"), (0..7, "[0..7]"), (1..6, "[1..6]"), (1..7, "[1..7]"), (0..0, "[0..0]")] {
            let y = space.uninit::<u8, 1>("the fresh one", [6]).expect("memory");
            let error = parallel_fill("part", setting.range(space, range), y, (), |_, ()| 1).expect_err("not its indices");
            assert_eq!((error.kind(), error.kernel()), (ErrorKind::Extents, Some("part")));
            let text = error.to_string();
            assert!(["the fresh one", "[6]", words].iter().all(|word| text.contains(word)), "{text}");
        }
        // As many indices are not enough.
        let y = space.uninit::<u8, 2>("turned", [2, 3]).expect("memory");
        let error = parallel_fill("part", setting.md_range(space, [0..3, 0..2]), y, (), |_, ()| 1).expect_err("not its indices");
        assert_eq!(error.kind(), ErrorKind::Extents);
        // The other arguments are checked as well.
        let x = space.zeros::<u8, 1>("short x", [5]).expect("memory");
        let y = space.uninit::<u8, 1>("y", [6]).expect("memory");
        let error = parallel_fill("copy", setting.range(space, 0..6), y, &x, |i, x| x[i]).expect_err("it is short");
        assert!(error.to_string().contains("short x"), "{error}");
    }
}

every! { on_every_host_space:
    fn a_filling_that_panics_gives_no_view(space, setting) {
        for n in [100, 20_000] {
            let y = space.uninit::<usize, 1>("y", [n]).expect("memory");
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                parallel_fill("fails", setting.range(space, 0..n), y, (), |i, ()| {
                    assert!(i.get() != n / 2, "in the middle");
                    i.get()
                })
            }));
            let payload = outcome.expect_err("it panics");
            assert_eq!(payload.downcast_ref(), Some(&"in the middle"));
        }
    }
}
