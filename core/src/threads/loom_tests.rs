//! The pool's protocol in all interleavings, with up to three preemptions.
//!
//! Run with `RUSTFLAGS="--cfg spelt_loom" cargo test --release -p spelt-core --lib loom_`.

use spelt_policies::Schedule;

use super::gang::{Abandoned, Collective, Gang};
use super::job_runner::JobRunner;
use super::signal::Patience;
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `launch` on the caller, with `threads` participants, in all interleavings.
fn explore(threads: usize, preemptions: usize, launch: impl Fn(&JobRunner) + Sync + Send + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(preemptions);
    model.check(move || {
        let runner = Arc::new(JobRunner::new(threads, Patience::Yield));
        let workers: Vec<_> = (1..threads)
            .map(|participant| {
                let runner = Arc::clone(&runner);
                loom::thread::spawn(move || runner.work(participant))
            })
            .collect();
        launch(&runner);
        runner.shut_down();
        for worker in workers {
            worker.join().expect("workers do not panic");
        }
    });
}

/// Memory of one launch: written by units, read by the caller after the launch, gone after that. Loom reports
/// an access that is not ordered with another, and one after the end.
struct Slots(Vec<UnsafeCell<usize>>);

// SAFETY: the tests check that the accesses are ordered; loom reports those that are not.
unsafe impl Sync for Slots {}

impl Slots {
    fn new(units: usize) -> Self {
        Self((0..units).map(|_| UnsafeCell::new(0)).collect())
    }

    fn add(&self, unit: usize, value: usize) {
        // SAFETY: each unit has its own slot; loom reports it if two have one at the same time.
        self.0[unit].with_mut(|slot| unsafe { *slot += value });
    }

    fn get(&self, unit: usize) -> usize {
        // SAFETY: the launch is over; loom reports it if not.
        self.0[unit].with(|slot| unsafe { *slot })
    }
}

fn units_twice(runner: &JobRunner, units: usize, schedule: Schedule) {
    for round in 1..3 {
        let slots = Slots::new(units);
        // SAFETY: only this thread launches.
        unsafe { runner.run_units(units, schedule, &|unit| slots.add(unit, round)) };
        for unit in 0..units {
            assert_eq!(slots.get(unit), round);
        }
    }
}

#[test]
fn loom_units_static() {
    explore(2, 3, |runner| units_twice(runner, 2, Schedule::Static));
}

#[test]
fn loom_units_dynamic() {
    explore(2, 3, |runner| units_twice(runner, 2, Schedule::Dynamic));
}

#[test]
fn loom_units_three_threads() {
    explore(3, 2, |runner| {
        let slots = Slots::new(3);
        // SAFETY: only this thread launches.
        unsafe { runner.run_units(3, Schedule::Static, &|unit| slots.add(unit, 1)) };
        (0..3).for_each(|unit| assert_eq!(slots.get(unit), 1));
    });
}

#[test]
fn loom_units_then_gang() {
    explore(2, 3, |runner| {
        units_twice(runner, 2, Schedule::Static);
        let slots = Slots::new(2);
        // SAFETY: only this thread launches; there are two threads.
        unsafe { runner.run_gang(2, &|member| slots.add(member, 1)) };
        (0..2).for_each(|member| assert_eq!(slots.get(member), 1));
    });
}

#[test]
fn loom_panic() {
    explore(2, 3, |runner| {
        let slots = Slots::new(3);
        let launch = || {
            // SAFETY: only this thread launches.
            unsafe {
                runner.run_units(3, Schedule::Static, &|unit| {
                    slots.add(unit, 1);
                    if unit > 0 {
                        std::panic::resume_unwind(Box::new(unit));
                    }
                });
            }
        };
        let payload = catch_unwind(AssertUnwindSafe(launch)).expect_err("two units panic");
        assert_eq!(payload.downcast_ref::<usize>(), Some(&1));
        // Unit 2 is in the worker's part: that it panics first must not keep unit 1 from running.
        assert_eq!((slots.get(0), slots.get(1)), (1, 1));
        // The panic is over.
        // SAFETY: only this thread launches.
        unsafe { runner.run_units(2, Schedule::Static, &|unit| slots.add(unit, 1)) };
        assert_eq!((slots.get(0), slots.get(1)), (2, 2));
    });
}

#[test]
fn loom_idle_shutdown() {
    explore(3, 3, |_| ());
}

/// Runs the members of a gang of two on two threads.
fn explore_gang(body: impl Fn(usize, &Gang) + Send + Sync + Copy + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(move || {
        let gang = Arc::new(Gang::new(2, Patience::Yield));
        let other = Arc::clone(&gang);
        let thread = loom::thread::spawn(move || body(1, &other));
        body(0, &gang);
        thread.join().expect("members catch their panics");
    });
}

#[test]
fn loom_barrier() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let shared = Arc::new((Gang::new(2, Patience::Yield), Slots::new(2)));
        let member = |shared: &(Gang, Slots), number: usize| {
            let (gang, slots) = shared;
            let mut member = gang.enter(number);
            for round in 1..3 {
                slots.add(number, 1);
                member.barrier();
                assert_eq!(slots.get(1 - number), round);
                member.barrier();
            }
        };
        let other = Arc::clone(&shared);
        let thread = loom::thread::spawn(move || member(&other, 1));
        member(&shared, 0);
        thread.join().expect("no member panics");
    });
}

/// True if the members' second collective ends in a panic.
fn second_fails(number: usize, gang: &Gang, call: Option<Collective>) -> bool {
    let mut member = gang.enter(number);
    member.barrier();
    let second = || {
        if let Some(call) = call {
            member.collective(call);
        }
    };
    catch_unwind(AssertUnwindSafe(second)).is_err()
}

#[test]
fn loom_divergence() {
    explore_gang(|number, gang| {
        assert!(second_fails(number, gang, Some(Collective::new::<f64>("reduce", number as u64))));
    });
}

#[test]
fn loom_left() {
    explore_gang(|number, gang| {
        let call = (number == 1).then(|| Collective::new::<f64>("reduce", 1));
        assert_eq!(second_fails(number, gang, call), number == 1);
    });
}

/// Said, not done: loom's threads share one of the system's, which cannot unwind in one and lock in another.
#[test]
fn loom_member_panics() {
    explore_gang(|number, gang| {
        let mut member = gang.enter(number);
        member.barrier();
        if number == 0 {
            member.leave(true);
        } else {
            let payload = catch_unwind(AssertUnwindSafe(|| member.barrier())).expect_err("no barrier");
            assert!(payload.is::<Abandoned>());
        }
    });
}

/// The models can fail: without a barrier, loom reports the race.
#[test]
#[should_panic(expected = "Causality violation")]
fn loom_sees_a_missing_barrier() {
    explore(2, 3, |runner| {
        let slots = Slots::new(2);
        let read = AtomicUsize::new(0);
        let body = |member: usize| {
            slots.add(member, 1);
            read.fetch_add(slots.get(1 - member), Relaxed);
        };
        // SAFETY: only this thread launches; there are two threads.
        unsafe { runner.run_gang(2, &body) };
    });
}
