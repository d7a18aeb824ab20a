//! The program that libraries follow.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Barrier;
use std::thread;

use spelt_core::reducers::Sum;
use spelt_core::tools::{mark, metadata, region, section};
use spelt_core::{
    AnyHost, ExecutionSpace, Rayon, Serial, Threads, View, deep_copy, parallel_for, parallel_map_reduce,
    parallel_scan,
};

use super::build::PART;

#[test]
#[ignore = "the child of the other tests"]
fn child() {
    match std::env::var(PART).as_deref() {
        Ok("Serial") => patterns(&Serial::new().into()),
        Ok("Threads") => patterns(&Threads::builder().num_threads(2).build().expect("threads").into()),
        Ok("Rayon") => patterns(&Rayon::new().into()),
        Ok("views") => views(),
        Ok("regions") => regions(),
        Ok("panic") => panic(),
        Ok("threads") => threads(),
        Ok("guards") => guards(),
        Ok("open files") => open_files(),
        Ok("exit") => {
            let _region = region("not left");
            parallel_for("exits", Serial::new().range(0..1), (), |_, ()| std::process::exit(3))
                .expect("no Views");
        }
        part => panic!("no part {part:?}"),
    }
}

fn patterns(space: &AnyHost) {
    parallel_for("a \"label\"\0cut", space.range(0..3), (), |_, ()| {}).expect("no Views");
    parallel_map_reduce("sum", space.md_range([0..2, 0..3]), (), |_, ()| 1, Sum::<u32>::new())
        .expect("no Views");
    parallel_scan("offsets", space.range(0..4), (), |_, sum, _, ()| *sum += 1, Sum::<u32>::new())
        .expect("no Views");
    space.fence().expect("nothing is pending");
}

fn views() {
    let x = View::<f64, 1>::from_vec("x", [3], vec![1.0; 3]).expect("three");
    let mut y = Serial::new().zeros::<f64, 2>("y", [1, 3]).expect("memory");
    Serial::new().fill(&mut y, 2.0).expect("a fill");
    let mut z = View::<f64, 1>::from_vec("z", [3], vec![1.0; 3]).expect("three");
    deep_copy(&mut z, &x).expect("equal extents");
    drop(View::<u8, 1>::from_vec("empty", [0], vec![]).expect("none"));
    // The label is cut, the name of the initialisation too.
    drop(Serial::new().zeros::<u8, 1>("end\0less", [1]).expect("memory"));
}

fn regions() {
    metadata("mesh", "coarse");
    let _outer = region("outer");
    {
        let _inner = region(format!("inner {}", 1));
        mark("between");
    }
    let [mut input, mut solve] = ["input", "solve"].map(section);
    input.start();
    input.start();
    solve.start();
    input.stop();
    input.stop();
    drop(solve);
}

fn panic() {
    let run = || {
        let _region = region("region");
        parallel_for("panics", Serial::new().range(0..4), (), |_, ()| panic!("as asked"))
    };
    catch_unwind(AssertUnwindSafe(run)).expect_err("a panic");
    // This one ends by a panic of the program.
    let _open = region("open");
    parallel_for("panics too", Serial::new().range(0..4), (), |_, ()| {
        std::panic::resume_unwind(Box::new(()));
    })
    .expect("no Views");
}

/// Launches and allocations of another thread while this one is inside a region, and after that.
fn threads() {
    let (begun, ended) = (Barrier::new(2), Barrier::new(2));
    let launch = |label| {
        parallel_for(label, Serial::new().range(0..1), (), |_, ()| {}).expect("no Views");
    };
    thread::scope(|scope| {
        scope.spawn(|| {
            begun.wait();
            launch("left out");
            drop(View::from_vec("of the other thread", [1], vec![1_u8]).expect("one"));
            ended.wait();
            begun.wait();
            launch("of the other thread");
            ended.wait();
        });
        {
            let _region = region("of this thread");
            begun.wait();
            ended.wait();
            launch("of this thread");
        }
        begun.wait();
        ended.wait();
    });
}

/// The libraries of the process, after a space has come and gone.
fn open_files() {
    parallel_for("k", Serial::new().range(0..1), (), |_, ()| {}).expect("no Views");
    eprintln!("tool: files");
    for line in std::fs::read_to_string("/proc/self/maps").expect("maps").lines() {
        eprintln!("open: {line}");
    }
}

/// A guard that is dropped before one inside it.
fn guards() {
    let outer = region("outer");
    let inner = region("inner");
    drop(outer);
    mark("the outer one is dropped");
    drop(inner);
    mark("last");
}
