//! The events of memory, fills and fences, on every host space.

use std::panic::{AssertUnwindSafe, catch_unwind};

use spelt_core::tools::metadata;
use spelt_core::{
    AnyHost, ErrorKind, ExecutionSpace, Rayon, Serial, Threads, View, deep_copy, deep_copy_scalar,
    parallel_fill,
};

use crate::lines::Lines;

/// The host spaces, with one and more threads.
fn spaces() -> Vec<AnyHost> {
    let threads = Threads::builder().num_threads(3).build().expect("threads");
    vec![Serial::new().into(), threads.into(), Rayon::new().into()]
}

#[test]
fn memory_is_told_where_it_is_allocated_and_freed() {
    let lines = Lines::installed();
    let x = View::<f64, 2>::zeros("x", [2, 3]).expect("memory").with_label("other");
    assert_eq!(lines.take(), ["allocate x HostSpace 48"]);
    drop(x);
    assert_eq!(lines.take(), ["release x HostSpace 48"], "under the label that it was allocated with");

    let x = View::from_vec("of a vec", [2], vec![1_u8, 2]).expect("two elements");
    assert_eq!(lines.take(), ["allocate of a vec HostSpace 2"]);
    assert_eq!(x.into_vec(), [1, 2]);
    assert_eq!(lines.take(), ["release of a vec HostSpace 2"]);

    let error = View::<f64, 1>::zeros("too large", [1 << 59]).expect_err("no memory");
    assert!(matches!(error.kind(), ErrorKind::OutOfMemory | ErrorKind::Overflow));
    assert!(lines.take().is_empty());
}

#[test]
fn only_those_are_told_of_the_end_that_were_told_of_the_memory() {
    let x = View::<f64, 1>::zeros("x", [2]).expect("memory");
    let first = Lines::installed();
    let y = View::<f64, 1>::zeros("y", [2]).expect("memory");
    let second = Lines::installed();
    drop(x);
    assert!(first.take().iter().all(|line| !line.contains("release")));
    drop(y);
    assert_eq!(first.take(), ["release y HostSpace 16"]);
    assert!(second.take().is_empty());
}

#[test]
fn memory_of_other_code_is_not_told() {
    let lines = Lines::installed();
    let mut elements = [1.0, 2.0];
    // SAFETY: the two elements live longer than the View, and nothing else uses them meanwhile.
    let view = unsafe { Serial::new().unmanaged("foreign", [2], elements.as_mut_ptr()) }.expect("a pointer");
    assert_eq!(view[1], 2.0);
    drop(view);
    assert!(lines.take().is_empty());
}

#[test]
fn a_construction_is_one_event_on_every_space() {
    // Small ones are written by the caller or by a launch; large ones are fresh pages that threads touch.
    for len in [0, 1, 1000, 1 << 20] {
        for space in spaces() {
            let lines = Lines::installed();
            drop(space.zeros::<f64, 1>("zeros", [len]).expect("memory"));
            drop(space.view_from_fn("from_fn", [len], |[i]| i as f64).expect("memory"));
            let bytes = 8 * len;
            let wanted = ["zeros", "from_fn"].map(|label| {
                [
                    format!("allocate {label} HostSpace {bytes}"),
                    format!("initialise {label} HostSpace {bytes}"),
                    format!("end fill {label} of line {}", if label == "zeros" { 2 } else { 6 }),
                    format!("release {label} HostSpace {bytes}"),
                ]
            });
            assert_eq!(lines.take(), wanted.concat(), "{space:?}");
        }
    }
}

#[test]
fn a_construction_that_panics_ends_and_frees() {
    let lines = Lines::installed();
    let construct = || View::<u8, 1>::from_fn("x", [3], |_| panic!("as asked"));
    catch_unwind(AssertUnwindSafe(construct)).expect_err("a panic");
    let wanted = [
        "allocate x HostSpace 3",
        "initialise x HostSpace 3",
        "end fill x of line 2",
        "release x HostSpace 3",
    ];
    assert_eq!(lines.take(), wanted);
}

#[test]
fn fills_and_copies_are_one_event_on_every_space() {
    for len in [3, 1 << 20] {
        for space in spaces() {
            let [mut x, y] = ["x", "y"].map(|label| View::<f64, 1>::zeros(label, [len]).expect("memory"));
            let lines = Lines::installed();
            space.fill(&mut x, 1.0).expect("a fill");
            deep_copy_scalar(&mut x, 2.0).expect("a fill");
            space.deep_copy(&mut x, &y).expect("equal extents");
            deep_copy(&mut x, &y).expect("equal extents");
            let bytes = 8 * len;
            let wanted = [
                format!("fill x HostSpace {bytes}"),
                "end fill x of line 1".to_owned(),
                format!("fill x HostSpace {bytes}"),
                "end fill x of line 3".to_owned(),
                format!("copy y HostSpace x HostSpace {bytes}"),
                "end copy x of line 5".to_owned(),
                format!("copy y HostSpace x HostSpace {bytes}"),
                "end copy x of line 7".to_owned(),
            ];
            assert_eq!(lines.take(), wanted, "{space:?}");
        }
    }
}

#[test]
fn uninitialised_memory_is_filled_by_a_launch() {
    for space in spaces() {
        let name = space.name();
        let lines = Lines::installed();
        let x = space.uninit::<u8, 1>("x", [5]).expect("memory");
        let x = parallel_fill("fives", space.range(0..5), x, (), |_, ()| 5).expect("all are written");
        drop(x);
        let wanted = [
            "allocate x HostSpace 5".to_owned(),
            format!("for fives {name} 5 0 5"),
            "end fives of line 2".to_owned(),
            "release x HostSpace 5".to_owned(),
        ];
        assert_eq!(lines.take(), wanted);
    }
}

#[test]
fn fences_and_facts_are_told() {
    for space in spaces() {
        let lines = Lines::installed();
        space.fence().expect("nothing is pending");
        metadata("mesh", "coarse");
        let wanted = [
            format!("fence {}", space.name()),
            "end fence of line 1".to_owned(),
            "mesh is coarse".to_owned(),
        ];
        assert_eq!(lines.take(), wanted);
    }
}
