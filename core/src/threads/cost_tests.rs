//! The cost of a launch: no allocation (tested), and its time (printed).

use spelt_policies::Schedule;

use super::{Pool, ThreadsBuilder};
use core::cell::Cell;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::alloc::{GlobalAlloc, Layout, System};
use std::time::Instant;

/// The system's allocator, counting each thread's allocations.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: passes everything on to the system's allocator; counting touches a `Cell` without destructor only.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the layout has a size above 0, as `GlobalAlloc` asks of its callers.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: `pointer` came from `System` by `alloc` above, with this layout, as `GlobalAlloc` asks of its callers.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn pool(threads: usize) -> Pool {
    ThreadsBuilder::new().num_threads(threads).build_pool().expect("a valid number of threads")
}

#[test]
fn launches_do_not_allocate() {
    for threads in [2, 4] {
        let pool = pool(threads);
        // Each participant's count when it was first seen, plus one; and units in which it had grown.
        let first: Vec<AtomicUsize> = (0..threads).map(|_| AtomicUsize::new(0)).collect();
        let grown = AtomicUsize::new(0);
        let look = |member: usize| {
            let now = ALLOCATIONS.get() + 1;
            if let Err(then) = first[member].compare_exchange(0, now, Relaxed, Relaxed) {
                grown.fetch_add(usize::from(then != now), Relaxed);
            }
        };
        let before = ALLOCATIONS.get();
        for round in 0..if cfg!(miri) { 5 } else { 500 } {
            let schedule = if round % 2 == 0 { Schedule::Static } else { Schedule::Dynamic };
            pool.run_units(100, schedule, &|_| ());
            pool.run_gang(threads, &look);
            pool.run_teams(&[pool.gang(threads)], &|_, mut member| {
                member.barrier();
                look(member.member());
            });
        }
        assert_eq!(ALLOCATIONS.get(), before, "the caller allocated");
        assert_eq!(grown.into_inner(), 0, "a worker allocated");
        // And the counter does count.
        drop(Box::new(threads));
        assert!(ALLOCATIONS.get() > before);
    }
}

/// Prints; run with `cargo test --release -p spelt-core --lib latency -- --ignored --nocapture`.
#[test]
#[ignore = "prints times, asserts nothing"]
fn latency() {
    let time = |what: &str, rounds: u32, run: &mut dyn FnMut()| {
        let each: Vec<f64> = (0..15)
            .map(|_| {
                let start = Instant::now();
                (0..rounds).for_each(|_| run());
                start.elapsed().as_secs_f64() / f64::from(rounds) * 1e6
            })
            .collect();
        let mut sorted = each;
        sorted.sort_by(f64::total_cmp);
        println!("{what:55} best {:7.3} median {:7.3} µs", sorted[0], sorted[7]);
    };
    for threads in [1, 2, 4] {
        println!("{threads} threads");
        let pool = pool(threads);
        for schedule in [Schedule::Static, Schedule::Dynamic] {
            time(&format!("run_units, empty, a unit a thread, {schedule:?}"), 20_000, &mut || {
                pool.run_units(threads, schedule, &|_| ());
            });
            time(&format!("run_units, all threads take part, {schedule:?}"), 5_000, &mut || {
                let arrived = AtomicUsize::new(0);
                pool.run_units(threads, schedule, &|_| {
                    arrived.fetch_add(1, Relaxed);
                    while arrived.load(Relaxed) < threads {
                        if threads > 2 { std::thread::yield_now() } else { core::hint::spin_loop() }
                    }
                });
            });
            time(&format!("1000 empty units, {schedule:?}"), 1_000, &mut || {
                pool.run_units(1000, schedule, &|_| ());
            });
        }
        time("run_gang, empty", 5_000, &mut || assert!(pool.run_gang(threads, &|_| ())));
        time("run_teams, 100 barriers", 100, &mut || {
            pool.run_teams(&[pool.gang(threads)], &|_, mut member| (0..100).for_each(|_| member.barrier()));
        });
        time("run_gang after 1 ms of rest (1000 µs included)", 20, &mut || {
            std::thread::sleep(core::time::Duration::from_millis(1));
            pool.run_gang(threads, &|_| ());
        });
    }
}
