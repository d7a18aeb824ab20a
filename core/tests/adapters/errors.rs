//! Messages of launches that an adapter does not cover, and of kernels whose index is out of bounds.

use std::sync::{Mutex, PoisonError};

use spelt_core::{
    Between, ErrorKind, ExecutionSpace, HostSpace, KernelArgs, ReachedBy, Serial, View, parallel_for,
};

use crate::panic_text;

/// The error of a launch over `0..8` in one dimension, or nothing.
fn error_over<A: KernelArgs + ReachedBy<Serial>>(range: core::ops::Range<usize>, args: A) -> Option<String> {
    parallel_for("k", Serial::new().range(range), args, |_, _| {}).err().map(|error| {
        assert_eq!((error.kind(), error.kernel()), (ErrorKind::Extents, Some("k")));
        error.to_string()
    })
}

fn ones(n: usize) -> View<f64, 1> {
    View::from_fn("x", [n], |_| 1.0).unwrap()
}

#[test]
fn halo_says_what_it_covers() {
    let x = ones(8);
    assert_eq!(
        error_over(0..8, x.halo::<1>()).unwrap(),
        "kernel `k`: view `x`.halo::<1>() with extents [8] does not cover the indices [0..8]: it covers from [1] to [7]"
    );
    assert!(error_over(1..8, x.halo::<1>()).is_some());
    assert!(error_over(0..7, x.halo::<1>()).is_some());
    assert!(error_over(1..7, x.halo::<1>()).is_none());
    assert!(error_over(0..8, x.halo::<0>()).is_none());
    assert!(error_over(12..12, x.halo::<3>()).is_none(), "an empty range needs nothing");
}

#[test]
fn halo_of_a_short_view_covers_nothing() {
    for extent in 0..=6 {
        let x = ones(extent);
        for start in 0..8 {
            for end in start + 1..9 {
                assert!(error_over(start..end, x.halo::<3>()).is_some(), "{extent} {start}..{end}");
                assert!(error_over(start..end, x.halo::<{ usize::MAX }>()).is_some());
            }
        }
    }
    assert!(error_over(3..4, ones(7).halo::<3>()).is_none());
}

/// Each side of a halo has its own reach, for launches and for offsets.
#[test]
fn halos_with_two_reaches_say_what_they_cover() {
    let x = ones(8);
    assert_eq!(
        error_over(1..8, x.halo_of::<Between<-2, 1>>()).unwrap(),
        "kernel `k`: view `x`.halo_of::<Between<-2, 1>>() with extents [8] does not cover the indices [1..8]: it covers \
         from [2] to [7]"
    );
    assert!(error_over(1..7, x.halo_of::<(Between<-2, 1>,)>()).is_some());
    assert!(error_over(2..8, x.halo_of::<Between<-2, 1>>()).is_some());
    assert!(error_over(2..7, x.halo_of::<Between<-2, 1>>()).is_none());
    assert!(error_over(0..8, x.halo_of::<Between<0, 0>>()).is_none());
    assert!(error_over(7..8, x.halo_of::<Between<{ isize::MIN }, 0>>()).is_some());
    assert!(error_over(0..1, x.halo_of::<Between<0, { isize::MAX }>>()).is_some());
    for extent in 0..4 {
        let x = ones(extent);
        for range in (0..5).flat_map(|start| (start + 1..6).map(move |end| start..end)) {
            let covered = range.start >= 2 && range.end < extent;
            assert_eq!(error_over(range, x.halo_of::<Between<-2, 1>>()).is_none(), covered);
        }
    }
    for (offset, reach) in [(-3, 2), (2, 1), (isize::MIN, 2), (isize::MAX, 1)] {
        let text = panic_text(|| {
            let arguments = x.halo_of::<Between<-2, 1>>();
            let _ = parallel_for("far", Serial::new().range(2..3), arguments, |i, x| {
                core::hint::black_box(x.at(i, [offset]));
            });
        });
        assert_eq!(
            text,
            format!(
                "offset [{offset}] leaves the halo of {reach} of view `x`.halo_of::<Between<-2, 1>>() with extents [8] \
                 in kernel `far`"
            )
        );
    }
    let grid = View::<f64, 2>::zeros("grid", [9, 9]).unwrap();
    for (offset, reach) in [([1, -1], 0), ([-4, 0], 3), ([0, 3], 2), ([-3, -2], 1)] {
        let text = panic_text(|| {
            let arguments = grid.halo_of::<(Between<-3, 0>, Between<-1, 2>)>();
            let space = Serial::new();
            let _ = parallel_for("far", space.md_range([4..5, 4..5]), arguments, |i, grid| {
                core::hint::black_box(grid.at(i, offset));
            });
        });
        assert!(text.contains(&format!("leaves the halo of {reach} of view `grid`")), "{offset:?}: {text}");
    }
}

#[test]
fn each_argument_must_cover() {
    let (short, long) = (ones(7), ones(9));
    let text = "kernel `k`: view `x` with extents [7] does not cover the indices [0..8]";
    for error in [
        error_over(0..8, (&short, &long)),
        error_over(0..8, (&long, &short)),
        error_over(0..8, (&long, &short, &long)),
        error_over(0..8, (&long, (2.0, (&long, &short)), 3)),
        error_over(0..8, [&long, &short]),
        error_over(0..8, ([[&long, &long], [&short, &long]], 1.0)),
    ] {
        assert!(error.as_ref().is_some_and(|error| error.starts_with(text)), "{error:?}");
    }
    assert!(error_over(0..7, (&short, &long)).is_none());
}

#[test]
fn halo_tests_each_dimension() {
    let x = View::<f32, 2>::zeros("x", [4, 10]).unwrap();
    let space = Serial::new();
    let run = |ranges| parallel_for("k", space.md_range(ranges), x.halo::<1>(), |_, _| {});
    assert!(run([1..3, 1..9]).is_ok());
    for ranges in [[0..3, 1..9], [1..4, 1..9], [1..3, 0..9], [1..3, 1..10]] {
        assert!(run(ranges).is_err());
    }
}

#[test]
fn along_and_rows_say_what_they_cover() {
    let x = ones(3);
    let space = Serial::new();
    let error = parallel_for("k", space.md_range([0..9, 1..4]), x.along::<1>(), |_, _| {}).unwrap_err();
    assert_eq!(
        error.to_string(),
        "kernel `k`: view `x`.along::<1>() with extents [3] does not cover dimension 1 of the indices [0..9, 1..4]: \
         enlarge the View or shrink the range"
    );
    assert!(parallel_for("k", space.md_range([0..9, 0..3]), x.along::<1>(), |_, _| {}).is_ok());
    assert!(error_over(0..4, x.along::<0>()).is_some());
    let mut a = View::<f64, 2>::zeros("a", [2, 5]).unwrap();
    let text = "with extents [2, 5] does not cover the indices [1..3]: it covers from [0] to [2]";
    assert_eq!(error_over(1..3, a.by_rows()).unwrap(), format!("kernel `k`: view `a`.by_rows() {text}"));
    assert_eq!(
        error_over(1..3, a.by_rows_mut()).unwrap(),
        format!("kernel `k`: view `a`.by_rows_mut() {text}")
    );
    assert!(error_over(0..2, (a.by_rows(), ones(9).lookup(), ones(0).partial())).is_none());
}

#[test]
fn a_launch_within_a_kernel_leaves_the_kernel_its_name() {
    let x = ones(4);
    let text = panic_text(|| {
        let _ = parallel_for("outer", Serial::new().range(3..5), x.lookup(), |i, x| {
            parallel_for("inner", Serial::new().range(0..1), (), |_, ()| {}).unwrap();
            core::hint::black_box(x[i.get()]);
        });
    });
    assert_eq!(text, "index [4] is out of bounds of view `x`.lookup() with extents [4] in kernel `outer`");
}

#[test]
fn failing_accesses_name_kernel_view_and_adapter() {
    let space = Serial::new();
    let x = ones(4);
    let mut y = View::<u8, 2>::zeros("y", [2, 2]).unwrap();
    let text = panic_text(|| {
        let _ = parallel_for("far", space.range(1..3), x.halo::<1>(), |i, x| {
            core::hint::black_box(x.at(i, [2]));
        });
    });
    assert_eq!(
        text,
        "offset [2] leaves the halo of 1 of view `x`.halo::<1>() with extents [4] in kernel `far`"
    );
    let text = panic_text(|| {
        let _ = parallel_for("far", space.range(1..3), x.halo::<1>(), |i, x| {
            core::hint::black_box(x.at(i, [isize::MIN]));
        });
    });
    assert!(text.starts_with("offset [-9223372036854775808] leaves"), "{text}");
    let text = panic_text(|| {
        let _ = parallel_for("table", space.range(0..9), x.lookup(), |i, x| {
            core::hint::black_box(x[i.get()]);
        });
    });
    assert_eq!(text, "index [4] is out of bounds of view `x`.lookup() with extents [4] in kernel `table`");
    let text = panic_text(|| {
        let _ = parallel_for("row", space.range(0..9), y.lookup(), |i, y| {
            core::hint::black_box(y.row(i.get()));
        });
    });
    assert_eq!(
        text,
        "index [2, 0] is out of bounds of view `y`.lookup() with extents [2, 2] in kernel `row`"
    );
    let text = panic_text(|| {
        let _ = parallel_for("part", space.md_range([0..1, 0..3]), y.partial_mut(), |i, mut y| y[i] += 1);
    });
    assert_eq!(
        text,
        "index [0, 2] is out of bounds of view `y`.partial_mut() with extents [2, 2] in kernel `part`"
    );
    assert_eq!(y.as_slice(), Some(&[1, 1, 0, 0][..]));
    let text = panic_text(|| {
        let _ = parallel_for("part", space.range(0..9), x.partial(), |i, x| {
            core::hint::black_box(x[i]);
        });
    });
    assert_eq!(text, "index [4] is out of bounds of view `x`.partial() with extents [4] in kernel `part`");
}

/// Where a panic with each message happened.
static PLACES: Mutex<Vec<(String, String, u32)>> = Mutex::new(Vec::new());

/// Panics are at the line of the program, not in an accessor of Spelt's, on the thread of the caller and on others.
#[test]
fn failing_accesses_name_the_line() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if let (Some(text), Some(place)) = (info.payload().downcast_ref::<String>(), info.location()) {
            let mut places = PLACES.lock().unwrap_or_else(PoisonError::into_inner);
            places.push((text.clone(), place.file().to_owned(), place.line()));
        }
        before(info);
    }));
    fn check<S: ExecutionSpace<Memory = HostSpace>>(space: &S) {
        let (x, a) = (ones(4), View::<u8, 2>::zeros("a", [2, 2]).unwrap());
        let (mut y, mut b) = (ones(4), View::<u8, 2>::zeros("b", [2, 2]).unwrap());
        /// Runs a kernel with its own text as its label.
        macro_rules! fails {
            ($policy:expr, $args:expr, |$($parameter:pat_param),*| $access:expr) => {
                let label = stringify!($access);
                let text = panic_text(|| drop(parallel_for(label, $policy, $args, |$($parameter),*| { core::hint::black_box($access); })));
                assert!(text.contains(&format!("`{label}`")), "{text}");
                let places = PLACES.lock().unwrap_or_else(PoisonError::into_inner).clone();
                let (_, file, line) = places.iter().rfind(|(said, ..)| *said == text).expect("it panicked");
                assert_eq!(file, file!(), "{text}");
                let source = include_str!("errors.rs").lines().nth(*line as usize - 1).expect("a line");
                assert!(source.contains(label), "{text}: {line}: {source}");
            };
        }
        let one = || space.range(1..2);
        fails!(one(), &x, |i, x| x[i + 3]);
        fails!(one(), &x, |i, x| x[[i + 4]]);
        fails!(one(), &a, |i, a| a.row(i + 1));
        fails!(one(), x.lookup(), |i, x| x[i + 5]);
        fails!(one(), a.lookup(), |i, a| a[[0, i + 1]]);
        fails!(one(), a.lookup(), |i, a| a.row(i + 2));
        fails!(one(), a.lookup(), |i, a| a.line([i + 1, 0], 1));
        fails!(space.range(4..5), x.partial(), |i, x| x[i]);
        fails!(space.range(4..5), y.partial_mut(), |i, mut y| y[i] = 1.0);
        fails!(one(), x.halo::<1>(), |i, x| x.at(i, [2]));
        fails!(one(), y.atomic(), |i, y| y.add(i + 3, 1.0));
        fails!(one(), y.atomic(), |i, y| y.load(i + 3));
        fails!(one(), y.scatter(), |i, y| y.add(i + 3, 2.0));
        fails!(one(), &a, |i, a| a.slab(i + 1).len());
        fails!(one(), a.lookup(), |i, a| a.slab_at::<1>(i + 2).len());
        let o = ones(4).with_origin([-2]).unwrap();
        fails!(one(), &o, |i, o| o[i.get() as isize + 3]);
        fails!(one(), o.lookup(), |_, o| o[[-3]]);
        fails!(space.signed_range(-1..0), o.halo::<1>(), |i, o| o[i - 2]);
        fails!(space.signed_range(-1..0), o.halo::<1>(), |i, o| o.at(i, [2]));
        fails!(space.team(1, 1), &mut b, |team, _| team.parallel_for(team.thread_range(3), |_| {}));
    }
    check(&Serial::new());
    check(&crate::threads(2));
}

#[test]
fn parts_and_adapters_of_views_with_an_origin_tell_the_index_and_their_bounds() {
    let mut a = View::<i64, 2>::zeros("a", [3, 4]).unwrap().with_origin([-2, -1]).unwrap();
    let mut x = View::<i64, 1>::zeros("x", [4]).unwrap().with_origin([-2]).unwrap();
    macro_rules! text {
        ($args:expr, |$i:ident, $args_in:ident| $body:expr) => {{
            let args = std::cell::RefCell::new(Some($args));
            panic_text(|| {
                let args = args.borrow_mut().take().unwrap();
                let policy = Serial::new();
                _ = parallel_for(
                    "k",
                    policy.signed_range(-2..-1),
                    args,
                    |$i, #[allow(unused_mut)] mut $args_in| {
                        $body;
                    },
                );
            })
        }};
    }
    let of_a = |index: &str, bounds: &str, part: &str| {
        format!(
            "index {index} is out of bounds of a slab with {bounds}, in {part} with extents [3, 4] and origin [-2, -1] in kernel `k`"
        )
    };
    let first = |number: i64| _ = core::hint::black_box(number);
    assert_eq!(
        text!(&a, |_i, a| first(a.slab(-2)[-2])),
        of_a("[-2]", "extents [4] and origin [-1]", "view `a`")
    );
    assert_eq!(
        text!(&a, |_i, a| first(a.slab(0)[3])),
        of_a("[3]", "extents [4] and origin [-1]", "view `a`")
    );
    assert_eq!(
        text!(a.lookup(), |_i, a| first(a.slab_at::<1>(2)[-3])),
        of_a("[-3]", "extents [3] and origin [-2]", "view `a`.lookup()")
    );
    assert_eq!(
        text!(a.by_rows_mut(), |i, a| a.row_mut(i)[-2] = 1),
        of_a("[-2]", "extents [4] and origin [-1]", "a row of view `a`.by_rows_mut()")
    );
    assert_eq!(
        text!(a.by_rows(), |i, a| first(a.row(i)[3])),
        of_a("[3]", "extents [4] and origin [-1]", "a row of view `a`.by_rows()")
    );
    assert_eq!(
        text!(a.by_rows_mut(), |i, a| a.row_mut(i).as_slab_mut()[4] = 1),
        of_a("[4]", "extents [4]", "a row of view `a`.by_rows_mut()")
    );
    let whole = |index: &str| {
        format!(
            "index {index} is out of bounds of view `a` with extents [3, 4] and origin [-2, -1] in kernel `k`"
        )
    };
    assert_eq!(text!(&a, |_i, a| first(a.slab(1)[0])), whole("[1, -1]"));
    assert_eq!(text!(&a, |_i, a| first(a.slab(-3)[0])), whole("[-3, -1]"));
    assert_eq!(text!(&a, |_i, a| first(a.slab_at::<1>(3)[0])), whole("[-2, 3]"));
    let of_x = |index: &str, adapter: &str| {
        format!(
            "index [{index}] is out of bounds of view `x`{adapter} with extents [4] and origin [-2] in kernel `k`"
        )
    };
    assert_eq!(text!(x.atomic(), |i, x| x.add(i - 1, 1)), of_x("-3", ".atomic()"));
    assert_eq!(text!(x.atomic(), |_i, x| x.add(2_u8, 1)), of_x("2", ".atomic()"));
    assert_eq!(text!(x.scatter(), |_i, x| x.add(-3, 1)), of_x("-3", ".scatter()"));
    assert_eq!(text!(x.scatter(), |_i, x| x.add([2], 1)), of_x("2", ".scatter()"));
    let mut short = View::<i64, 1>::zeros("x", [4]).unwrap().with_origin([-1]).unwrap();
    let partial =
        "index [-2] is out of bounds of view `x`.partial() with extents [4] and origin [-1] in kernel `k`";
    assert_eq!(text!(short.partial(), |i, x| first(x[i])), partial);
    let partial_mut = partial.replace("partial()", "partial_mut()");
    assert_eq!(text!(short.partial_mut(), |i, x| x[i] = 1), partial_mut);
    assert_eq!(text!(short.partial_mut(), |i, x| first(x[i])), partial_mut);
}

#[test]
fn indices_of_views_with_an_origin_are_told_as_they_were_given() {
    let x = ones(4).with_origin([-2]).unwrap();
    let a = View::<u8, 2>::zeros("a", [2, 2]).unwrap().with_origin([-1, 5]).unwrap();
    let text = |run: &dyn Fn(&Serial)| panic_text(|| run(&Serial::new()));
    assert_eq!(
        text(&|space| parallel_for("k", space.signed_range(-2..-1), &x, |i, x| _ =
            core::hint::black_box(x[i - 1]))
        .unwrap()),
        "index [-3] is out of bounds of view `x` with extents [4] and origin [-2] in kernel `k`"
    );
    assert_eq!(
        text(&|space| parallel_for("k", space.range(0..1), a.lookup(), |_, a| _ =
            core::hint::black_box(a[[0, 7]]))
        .unwrap()),
        "index [0, 7] is out of bounds of view `a`.lookup() with extents [2, 2] and origin [-1, 5] in kernel `k`"
    );
    // Numbers that a program has computed below zero are told as such for other Views too.
    let plain = ones(4);
    assert_eq!(
        text(&|space| parallel_for("k", space.range(0..1), &plain, |i, x| _ =
            core::hint::black_box(x[i.get().wrapping_sub(1)]))
        .unwrap()),
        "index [-1] is out of bounds of view `x` with extents [4] in kernel `k`"
    );
    assert_eq!(
        error_over(0..3, &x).unwrap(),
        "kernel `k`: view `x` with extents [4] and origin [-2] does not cover the indices [0..3]: enlarge the View, shrink the range, or \
         pass it with `.partial()` or `.lookup()`"
    );
    assert_eq!(
        error_over(0..3, x.halo::<1>()).unwrap(),
        "kernel `k`: view `x`.halo::<1>() with extents [4] and origin [-2] does not cover the indices [0..3]: it covers from [0] to [1]"
    );
}

/// Of a team on the host, whose threads go different ways.
#[test]
fn threads_that_diverge_name_the_lines() {
    let space = crate::threads(2);
    let text = panic_text(|| {
        let _ = parallel_for("k", space.team(2, 2), (), |team, ()| {
            if team.team_rank() == 0 {
                team.barrier(); // one
            } else {
                team.broadcast(1_u8, 0); // other
            }
        });
    });
    assert!(text.contains("team members must reach the same collectives"), "{text}");
    for end in ["// one", "// other"] {
        let line = include_str!("errors.rs").lines().position(|line| line.ends_with(end)).expect("a line");
        assert!(text.contains(&format!("{}:{}:", file!(), line + 1)), "{text}");
    }
}
