//! The pool, in ordinary runs. `loom_tests.rs` has its protocol in all interleavings.

use super::{Pool, Schedule, ThreadsBuilder};
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

fn pool(threads: usize) -> Pool {
    ThreadsBuilder::new().num_threads(threads).build_pool().expect("a valid number of threads")
}

#[test]
fn each_unit_once() {
    for threads in [1, 2, 3, 5, 64] {
        let pool = pool(threads);
        for units in [0, 1, 2, 3, 7, 63, 64, 65, 1000] {
            for schedule in [Schedule::Static, Schedule::Dynamic] {
                for _ in 0..20 {
                    let calls: Vec<AtomicUsize> = (0..units).map(|_| AtomicUsize::new(0)).collect();
                    pool.run_units(units, schedule, &|unit| {
                        calls[unit].fetch_add(1, Relaxed);
                    });
                    assert!(calls.iter().all(|calls| calls.load(Relaxed) == 1), "{threads} {units}");
                }
            }
        }
    }
}

#[test]
fn gang_members_run_together() {
    for threads in [1, 2, 3, 8] {
        let pool = pool(threads);
        for members in 0..=threads {
            let arrived = AtomicUsize::new(0);
            assert!(pool.run_gang(members, &|_| {
                arrived.fetch_add(1, Relaxed);
                while arrived.load(Relaxed) < members {
                    std::thread::yield_now();
                }
            }));
            assert_eq!(arrived.load(Relaxed), members);
        }
        assert!(!pool.run_gang(threads + 1, &|_| unreachable!()));
    }
}
