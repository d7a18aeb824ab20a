//! The shares of threads in a launch, as tools get them.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, ThreadId};

use spelt_core::tools::{self, LaunchEvent, Share, Tool};
use spelt_core::{ExecutionSpace, Rayon, Serial, Threads, parallel_for};

/// A label, and the shares of its launch.
type Kept = (String, Vec<Share>);

/// Keeps the shares of one thread's launches, by label.
#[derive(Clone)]
struct Shares {
    thread: ThreadId,
    kept: Arc<Mutex<Vec<Kept>>>,
}

impl Shares {
    fn installed() -> Self {
        let shares = Self { thread: thread::current().id(), kept: Arc::default() };
        tools::install("shares", shares.clone());
        shares
    }

    fn take(&self) -> Vec<Kept> {
        std::mem::take(&mut self.kept.lock().expect("no panic"))
    }
}

impl Tool for Shares {
    fn needs_shares(&self) -> bool {
        true
    }
    fn begin_launch(&self, launch: &LaunchEvent<'_>) -> u64 {
        assert!(launch.shares().is_empty());
        0
    }
    fn end_launch(&self, launch: &LaunchEvent<'_>, _: u64) {
        if thread::current().id() == self.thread {
            let kept = (launch.label.to_owned(), launch.shares().to_vec());
            self.kept.lock().expect("no panic").push(kept);
        }
    }
}

/// Iterations that take long enough for the others to come.
fn work(_: usize) {
    thread::sleep(std::time::Duration::from_millis(1));
}

/// Waits until three threads have come, which a busy machine may run late.
fn wait_for_three((come, changed): &(Mutex<HashSet<ThreadId>>, Condvar)) {
    let mut come = come.lock().expect("no panic");
    come.insert(thread::current().id());
    changed.notify_all();
    let limit = std::time::Duration::from_secs(60);
    let (_come, ended) = changed.wait_timeout_while(come, limit, |come| come.len() < 3).expect("no panic");
    assert!(!ended.timed_out(), "not all threads come");
}

fn check(shares: &[Share], threads: usize) {
    assert!((1..=threads).contains(&shares.len()), "{shares:?}");
    for share in shares {
        assert!(share.opened <= share.begin && share.begin <= share.end && share.end <= share.closed);
        assert!(share.units >= 1 && share.member < threads, "{share:?}");
        assert_eq!(share.busy(), share.end - share.begin);
    }
    let mut members: Vec<_> = shares.iter().map(|share| share.member).collect();
    let mut ids: Vec<_> = shares.iter().map(|share| share.thread.id()).collect();
    members.dedup();
    ids.dedup();
    assert_eq!([members.len(), ids.len()], [shares.len(); 2], "one share for each thread");
}

#[test]
fn threads_that_work_have_shares() {
    let shares = Shares::installed();
    let space = Threads::builder().num_threads(3).build().expect("threads");
    let come = (Mutex::new(HashSet::new()), Condvar::new());
    parallel_for("threads", space.range(0..60), (), |i, ()| {
        work(i.get());
        // The first one runs before the others are asked.
        if i.get() > 0 {
            wait_for_three(&come);
        }
    })
    .expect("no Views");
    parallel_for("rayon", Rayon::new().range(0..60), (), |i, ()| work(i.get())).expect("no Views");
    parallel_for("serial", Serial::new().range(0..3), (), |_, ()| {}).expect("no Views");
    let kept = shares.take();
    let [(_, threads), (_, rayon), (serial, none)] = &kept[..] else { panic!("three launches: {kept:?}") };
    check(threads, 3);
    assert_eq!(threads.len(), 3, "all have come");
    check(rayon, rayon::current_num_threads());
    for share in threads.iter().chain(rayon) {
        // Each unit has at least one of the iterations.
        assert!(share.busy().as_millis() >= u128::from(share.units), "{share:?}");
    }
    assert!(threads.iter().map(|share| share.units).sum::<u64>() > 3, "more units than threads: {threads:?}");
    assert_eq!((serial.as_str(), none.len()), ("serial", 0));
    // The caller is the first; workers have names.
    let caller = threads.iter().find(|share| share.member == 0).expect("the caller works too");
    assert_eq!(caller.thread.id(), thread::current().id());
    for worker in threads.iter().filter(|share| share.member > 0) {
        assert_eq!(worker.thread.name(), Some(format!("spelt-{}", worker.member).as_str()));
    }
}

#[test]
fn members_of_teams_have_a_share_each() {
    let shares = Shares::installed();
    let space = Threads::builder().num_threads(4).build().expect("threads");
    parallel_for("teams", space.team(8, 4), (), |team, ()| {
        team.barrier();
    })
    .expect("no Views");
    let kept = shares.take();
    check(&kept[0].1, 4);
    assert_eq!(kept[0].1.len(), 4, "all members came");
}

#[test]
fn a_launch_inside_another_does_not_take_its_shares() {
    let shares = Shares::installed();
    let space = Threads::builder().num_threads(2).build().expect("threads");
    parallel_for("outer", space.range(0..40), (), |i, ()| {
        work(i.get());
        parallel_for(
            "inner",
            Threads::builder().num_threads(2).build().expect("threads").range(0..3),
            (),
            |_, ()| {},
        )
        .expect("no Views");
    })
    .expect("no Views");
    let kept = shares.take();
    let (outer, inner): (Vec<_>, Vec<_>) = kept.iter().partition(|(label, _)| label == "outer");
    check(&outer[0].1, 2);
    assert!(inner.iter().all(|(_, shares)| shares.is_empty()));
}

#[test]
fn a_launch_that_panics_has_shares() {
    let shares = Shares::installed();
    let space = Threads::builder().num_threads(2).build().expect("threads");
    let run = || {
        parallel_for("panics", space.range(0..60), (), |i, ()| {
            work(i.get());
            assert!(i.get() < 50, "as asked");
        })
    };
    catch_unwind(AssertUnwindSafe(run)).expect_err("a panic");
    // The next launch does not have them too.
    parallel_for("next", space.range(0..1), (), |_, ()| {}).expect("no Views");
    let kept = shares.take();
    check(&kept[0].1, 2);
    assert_eq!((kept[1].0.as_str(), kept[1].1.len()), ("next", 0));
}
