//! Tools that work themselves: launch on the space that they are told of, make Views, copy, install other tools.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread::{self, ThreadId};

use spelt_core::reducers::Sum;
use spelt_core::tools::{
    self, AllocationEvent, CopyEvent, FenceEvent, FillEvent, LaunchEvent, Tool, metadata, region, section,
};
use spelt_core::{
    AnyHost, ExecutionSpace, Serial, Threads, View, deep_copy, parallel_for, parallel_map_reduce,
};

use crate::lines::Lines;

/// Works on the space of the events of its thread, in each of its calls.
struct Works {
    space: AnyHost,
    thread: ThreadId,
    calls: AtomicU64,
}

impl Works {
    fn work(&self) -> u64 {
        if thread::current().id() != self.thread {
            return 0;
        }
        let _region = region("of the tool");
        let x = self.space.view_from_fn("of the tool", [1000], |[i]| i as u64).expect("memory");
        let mut y = self.space.zeros::<u64, 1>("of the tool", [1000]).expect("memory");
        self.space.deep_copy(&mut y, &x).expect("equal extents");
        let sum = parallel_map_reduce("of the tool", self.space.range(0..1000), &y, |i, y| y[i], Sum::new());
        self.space.fence().expect("nothing is pending");
        metadata("of the tool", "");
        section("of the tool").start();
        assert_eq!(sum.expect("covered"), 999 * 500_u64);
        self.calls.fetch_add(1, Relaxed) + 1
    }
}

impl Tool for &'static Works {
    fn begin_launch(&self, _: &LaunchEvent<'_>) -> u64 {
        self.work()
    }
    fn end_launch(&self, _: &LaunchEvent<'_>, _: u64) {
        self.work();
    }
    fn begin_copy(&self, _: &CopyEvent<'_>) -> u64 {
        self.work()
    }
    fn end_copy(&self, _: &CopyEvent<'_>, _: u64) {
        self.work();
    }
    fn begin_fill(&self, _: &FillEvent<'_>) -> u64 {
        self.work()
    }
    fn end_fill(&self, _: &FillEvent<'_>, _: u64) {
        self.work();
    }
    fn begin_fence(&self, _: &FenceEvent<'_>) -> u64 {
        self.work()
    }
    fn end_fence(&self, _: &FenceEvent<'_>, _: u64) {
        self.work();
    }
    fn allocate(&self, _: &AllocationEvent<'_>) {
        self.work();
    }
    fn release(&self, _: &AllocationEvent<'_>) {
        self.work();
    }
    fn mark(&self, _: &str) {
        self.work();
    }
}

#[test]
fn a_tool_may_work_on_the_space_that_it_is_told_of() {
    for space in
        [Serial::new().into(), AnyHost::from(Threads::builder().num_threads(3).build().expect("threads"))]
    {
        let tool = Works { space: space.clone(), thread: thread::current().id(), calls: AtomicU64::new(0) };
        let tool: &'static Works = Box::leak(Box::new(tool));
        tools::install("works", tool);
        let lines = Lines::installed();
        {
            let mut x = space.zeros::<f64, 1>("x", [10]).expect("memory");
            let y = View::<f64, 1>::from_vec("y", [10], vec![1.0; 10]).expect("ten");
            parallel_for("k", space.range(0..10), &mut x, |i, mut x| x[i] = 1.0).expect("covered");
            deep_copy(&mut x, &y).expect("equal extents");
            space.fence().expect("nothing is pending");
            tools::mark("mark");
        }
        // Those of the program alone: two allocations, a fill, a launch, a copy, a fence, a mark, and two releases.
        let told = lines.take();
        assert_eq!(told.len(), 2 + 2 * 4 + 1 + 2, "{told:?}");
        assert!(told.iter().all(|line| !line.contains("of the tool")), "{told:?}");
        assert_eq!(tool.calls.load(Relaxed), told.len() as u64, "{space:?}");
    }
}

#[test]
fn a_tool_may_install_another() {
    struct Installs;
    impl Tool for Installs {
        fn mark(&self, name: &str) {
            if name == "install" {
                tools::install("installed", Lines::installed());
            }
        }
    }
    tools::install("installs", Installs);
    tools::mark("install");
    let lines = Lines::installed();
    tools::mark("after");
    assert_eq!(lines.take(), ["mark after"]);
}

#[test]
fn sections_are_told_of_starts_and_stops_that_change_something() {
    struct Sections(ThreadId, std::sync::Mutex<Vec<String>>);
    impl Sections {
        fn add(&self, line: String) {
            if thread::current().id() == self.0 {
                self.1.lock().expect("no panic").push(line);
            }
        }
    }
    impl Tool for &'static Sections {
        fn create_section(&self, name: &str) -> u64 {
            self.add(format!("create {name}"));
            if name == "b" { 8 } else { 7 }
        }
        fn start_section(&self, name: &str, id: u64) {
            self.add(format!("start {name} {id}"));
        }
        fn stop_section(&self, name: &str, id: u64) {
            self.add(format!("stop {name} {id}"));
        }
        fn destroy_section(&self, name: &str, id: u64) {
            self.add(format!("destroy {name} {id}"));
        }
    }
    let tool: &'static Sections = Box::leak(Box::new(Sections(thread::current().id(), Default::default())));
    let mut before = section("before the tool");
    tools::install("sections", tool);
    before.start();
    let [mut a, mut b] = ["a", "b"].map(section);
    a.stop();
    a.start();
    a.start();
    b.start();
    a.stop();
    a.start();
    drop(a);
    b.stop();
    drop((b, before));
    let wanted = [
        "create a",
        "create b",
        "start a 7",
        "start b 8",
        "stop a 7",
        "start a 7",
        "stop a 7",
        "destroy a 7",
        "stop b 8",
        "destroy b 8",
    ];
    assert_eq!(*tool.1.lock().expect("no panic"), wanted);
}
