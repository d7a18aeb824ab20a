//! The events that a tool gets, in order. Tools are never removed, so each test listens on a label or thread of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use spelt_core::reducers::Sum;
use spelt_core::tools::{self, LaunchEvent, Tool};
use spelt_core::{
    ErrorKind, ExecutionSpace, Serial, View, deep_copy, parallel_for, parallel_map_reduce,
    parallel_reduce_into, parallel_scan,
};

use crate::lines::Lines;

fn vector(label: &str, len: usize) -> View<f64, 1> {
    View::from_fn(label, [len], |[i]| i as f64).expect("memory")
}

#[test]
fn every_pattern_has_a_begin_and_an_end() {
    let (x, mut y) = (vector("x", 10), vector("y", 20));
    let space = Serial::new();
    let lines = Lines::installed();
    {
        let _outer = tools::region("outer");
        let _inner = tools::region(format!("inner {}", 1));
        parallel_for("scale", space.range(0..10), (&x, &mut y), |i, (x, mut y)| y[i] = 2.0 * x[i])
            .expect("covered");
        tools::mark("between");
    }
    parallel_map_reduce("sum", space.md_range([0..2, 0..3]), (), |_, ()| 1, Sum::<u32>::new())
        .expect("no Views");
    parallel_scan("offsets", space.range(0..4), (), |_, sum, _, ()| *sum += 1, Sum::<u32>::new())
        .expect("no Views");
    let wanted = [
        "enter outer",
        "enter inner 1",
        "for scale Serial 10 80 160",
        "end scale of line 3",
        "mark between",
        "leave inner 1 of line 2",
        "leave outer of line 1",
        "reduce sum Serial 6 0 0",
        "end sum of line 8",
        "scan offsets Serial 4 0 0",
        "end offsets of line 10",
    ];
    assert_eq!(lines.take(), wanted);
}

#[test]
fn each_view_counts_once() {
    let (x, mut y) = (vector("x", 10), vector("y", 10));
    let space = Serial::new();
    let lines = Lines::installed();
    parallel_for("twice", space.range(0..5), (&x, x.lookup(), 7.5, &mut y), |_, _| {}).expect("covered");
    parallel_for("empty", space.range(0..0), y.subview_mut(2..5), |_, _| {}).expect("covered");
    let wanted =
        ["for twice Serial 5 80 80", "end twice of line 1", "for empty Serial 0 0 24", "end empty of line 3"];
    assert_eq!(lines.take(), wanted);
}

#[test]
fn the_view_of_a_result_is_written() {
    let x = vector("x", 10);
    let mut total = View::<f64, 0>::zeros("total", []).expect("memory");
    let space = Serial::new();
    let lines = Lines::installed();
    parallel_reduce_into(
        "into",
        space.range(0..10),
        &x,
        |i, sum, x| *sum += x[i],
        Sum::<f64>::new(),
        &mut total,
    )
    .expect("covered");
    assert_eq!(lines.take(), ["reduce into Serial 10 80 8", "end into of line 1"]);
    assert_eq!(total[[]], 45.0);
}

#[test]
fn a_launch_that_panics_has_an_end_and_one_that_is_refused_has_no_begin() {
    let x = vector("x", 3);
    let space = Serial::new();
    let lines = Lines::installed();
    let refused = parallel_for("refused", space.range(0..4), &x, |_, _| {}).expect_err("too short");
    assert_eq!(refused.kind(), ErrorKind::Extents);
    assert!(lines.take().is_empty());
    let run = || {
        let _region = tools::region("region");
        parallel_for("panics", space.range(0..4), (), |_, ()| panic!("as asked"))
    };
    catch_unwind(AssertUnwindSafe(run)).expect_err("a panic");
    let wanted =
        ["enter region", "for panics Serial 4 0 0", "end panics of line 2", "leave region of line 1"];
    assert_eq!(lines.take(), wanted);
}

#[test]
fn launches_in_kernels_are_nested() {
    let space = Serial::new();
    let lines = Lines::installed();
    let inner = || parallel_for("inner", Serial::new().range(0..1), (), |_, ()| {}).expect("no Views");
    parallel_for("outer", space.range(0..1), (), |_, ()| inner()).expect("no Views");
    let wanted =
        ["for outer Serial 1 0 0", "for inner Serial 1 0 0", "end inner of line 2", "end outer of line 1"];
    assert_eq!(lines.take(), wanted);
}

#[test]
fn the_tool_that_is_told_of_the_begin_first_is_told_of_the_end_last() {
    let [outer, inner] = [Lines::installed(), Lines::installed()];
    // The second writes to the lines of the first.
    struct Inner(Lines);
    impl Tool for Inner {
        fn begin_launch(&self, _: &LaunchEvent<'_>) -> u64 {
            self.0.add("begin of the last tool".to_owned())
        }
        fn end_launch(&self, _: &LaunchEvent<'_>, _: u64) {
            self.0.add("end of the last tool".to_owned());
        }
    }
    tools::install("inner", Inner(outer.clone()));
    parallel_for("k", Serial::new().range(0..1), (), |_, ()| {}).expect("no Views");
    let wanted = ["for k Serial 1 0 0", "begin of the last tool", "end of the last tool", "end k of line 1"];
    assert_eq!(outer.take(), wanted);
    assert_eq!(inner.take().len(), 2);
}

#[test]
fn copies_name_both_views() {
    let (x, mut y) = (vector("x", 10), vector("y", 10));
    let lines = Lines::installed();
    deep_copy(&mut y, &x).expect("equal extents");
    Serial::new().deep_copy(&mut y, &x).expect("equal extents");
    let [from, to] = ["HostSpace", "HostSpace"];
    let wanted = [
        format!("copy x {from} y {to} 80"),
        "end copy y of line 1".to_owned(),
        format!("copy x {from} y {to} 80"),
        "end copy y of line 3".to_owned(),
    ];
    assert_eq!(lines.take(), wanted);
    let short = vector("short", 3);
    lines.take();
    deep_copy(&mut y, &short).expect_err("other extents");
    assert_eq!(lines.take().len(), 2, "a copy that fails has its end");
}

#[test]
fn a_tool_that_launches_makes_no_events() {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    struct Launches;
    impl Tool for Launches {
        fn begin_launch(&self, launch: &LaunchEvent<'_>) -> u64 {
            if launch.label == "seen" {
                CALLS.fetch_add(1, Relaxed);
                let _region = tools::region("of the tool");
                parallel_for("of the tool", Serial::new().range(0..1), (), |_, ()| {}).expect("no Views");
            }
            0
        }
    }
    tools::install("launches", Launches);
    let lines = Lines::installed();
    parallel_for("seen", Serial::new().range(0..1), (), |_, ()| {}).expect("no Views");
    assert_eq!(CALLS.load(Relaxed), 1);
    assert_eq!(lines.take(), ["for seen Serial 1 0 0", "end seen of line 1"]);
}

#[test]
fn a_tool_that_panics_gets_no_more_events() {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    struct Panics;
    impl Tool for Panics {
        fn mark(&self, name: &str) {
            if name == "panic" {
                CALLS.fetch_add(1, Relaxed);
                panic!("a tool's panic");
            }
        }
    }
    let lines = Lines::installed();
    tools::install("panics", Panics);
    tools::mark("panic");
    tools::mark("panic");
    assert_eq!(CALLS.load(Relaxed), 1);
    // The others get theirs, and this thread's events are not silenced for good.
    assert_eq!(lines.take(), ["mark panic", "mark panic"]);
}

#[test]
fn the_bytes_of_many_views_are_added_up() {
    let views: [_; 11] = core::array::from_fn(|n| vector("x", 1 << n));
    let space = Serial::new();
    let lines = Lines::installed();
    let all: [&View<f64, 1>; 11] = core::array::from_fn(|n| &views[n]);
    parallel_for("many", space.range(0..1), (all, &views[10], &views[0]), |_, _| {}).expect("covered");
    assert_eq!(lines.take()[0], format!("for many Serial 1 {} 0", 8 * ((1 << 11) - 1)));
}

#[test]
fn a_payload_whose_drop_panics_stays_in_the_tool() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("a payload's panic");
        }
    }
    struct Throws;
    impl Tool for Throws {
        fn mark(&self, name: &str) {
            if name == "throw" {
                std::panic::panic_any(Bomb);
            }
        }
    }
    tools::install("throws", Throws);
    let lines = Lines::installed();
    tools::mark("throw");
    assert_eq!(lines.take(), ["mark throw"]);
}
