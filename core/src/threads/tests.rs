//! The pool, in ordinary runs. `loom_tests.rs` has its protocol in all interleavings.

use spelt_policies::Schedule;

use super::gang::Collective;
use super::kernel_scope::in_kernel;
use super::{Pool, ThreadsBuilder};
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use core::time::Duration;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

const SCHEDULES: [Schedule; 2] = [Schedule::Static, Schedule::Dynamic];

fn pool(threads: usize) -> Pool {
    ThreadsBuilder::new().num_threads(threads).build_pool().expect("a valid number of threads")
}

/// As many rounds, or few under Miri, which is thousands of times slower.
fn rounds(rounds: usize) -> core::ops::Range<usize> {
    0..if cfg!(miri) { rounds.min(3) } else { rounds }
}

/// Runs all units and says how often each was called.
fn calls(pool: &Pool, units: usize, schedule: Schedule) -> Vec<usize> {
    let calls: Vec<AtomicUsize> = (0..units).map(|_| AtomicUsize::new(0)).collect();
    pool.run_units(units, schedule, &|unit| {
        assert!(in_kernel());
        calls[unit].fetch_add(1, Relaxed);
    });
    calls.into_iter().map(AtomicUsize::into_inner).collect()
}

/// The message that `launch` panics with.
fn message(launch: impl FnOnce()) -> String {
    let payload = catch_unwind(AssertUnwindSafe(launch)).expect_err("the launch must panic");
    match payload.downcast::<String>() {
        Ok(message) => *message,
        Err(payload) => payload.downcast_ref::<&str>().expect("a message").to_string(),
    }
}

#[test]
fn each_unit_once() {
    for threads in if cfg!(miri) { [1, 2, 3, 4, 5] } else { [1, 2, 3, 5, 64] } {
        let pool = pool(threads);
        assert_eq!(pool.threads(), threads);
        for units in if cfg!(miri) { [0, 1, 2, 3, 5, 7] } else { [0, 1, 7, 63, 65, 1000] } {
            for schedule in SCHEDULES {
                for _ in rounds(20) {
                    assert_eq!(calls(&pool, units, schedule), vec![1; units], "{threads} {schedule:?}");
                }
            }
        }
    }
    assert!(!in_kernel());
}

/// More threads than cores, beside load that takes every core: it ends, which at a slice of time for each wait took minutes.
#[test]
fn gangs_beside_load() {
    /// Ends the load also where a check fails: a scope waits for its threads.
    struct End<'a>(&'a AtomicBool);
    impl Drop for End<'_> {
        fn drop(&mut self) {
            self.0.store(true, Relaxed);
        }
    }
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let _end = End(&over);
        for _ in rounds(2 * cores) {
            scope.spawn(|| {
                while !over.load(Relaxed) {
                    core::hint::spin_loop();
                }
            });
        }
        let pool = pool(cores + 1);
        let met = AtomicUsize::new(0);
        for _ in rounds(20) {
            assert!(pool.run_teams(&[pool.gang(cores + 1)], &|_, mut member| {
                (0..20).for_each(|_| member.barrier());
                met.fetch_add(1, Relaxed);
            }));
        }
        assert_eq!(met.into_inner(), rounds(20).len() * (cores + 1));
    });
}

/// Many callers, each of which wants all threads of the pool.
#[test]
fn a_thousand_callers() {
    let pool = pool(3);
    let met = AtomicUsize::new(0);
    let callers = rounds(1000).len();
    std::thread::scope(|scope| {
        for _ in 0..callers {
            scope.spawn(|| {
                assert!(pool.run_teams(&[pool.gang(3)], &|_, mut member| {
                    member.barrier();
                    met.fetch_add(1, Relaxed);
                }));
                assert_eq!(calls(&pool, 9, Schedule::Dynamic), [1; 9]);
            });
        }
    });
    assert_eq!(met.into_inner(), 3 * callers);
}

/// Plain memory, as kernels write it; a race detector sees accesses that nothing orders.
struct Slots(*mut usize);

// SAFETY: in the tests that use it each unit has its own slot, and the memory outlives the launch.
unsafe impl Sync for Slots {}

impl Slots {
    fn add(&self, unit: usize, value: usize) {
        // SAFETY: each unit has its own slot in the tests that use it, and the memory outlives the launch.
        unsafe { *self.0.add(unit) += value }
    }
}

#[test]
fn results_are_visible_to_the_caller_and_to_the_next_launch() {
    let pool = pool(2);
    let mut memory = vec![0usize; 100];
    let mut sum = 0;
    for round in rounds(5000) {
        let slots = Slots(memory.as_mut_ptr());
        pool.run_units(100, SCHEDULES[round % 2], &|unit| slots.add(unit, unit + round));
        sum += round;
        assert_eq!(memory[99], 99 * (round + 1) + sum);
    }
    let rounds = rounds(5000).len();
    assert!(memory.iter().enumerate().all(|(unit, &slot)| slot == unit * rounds + sum));
}

/// Every thread begins with its own part when all of them take part.
#[test]
fn static_parts_stay_with_their_thread() {
    let pool = pool(4);
    for (units, starts) in
        [(4, [0, 1, 2, 3]), (8, [0, 2, 4, 6]), (11, [0, 2, 5, 8]), (1002, [0, 250, 500, 751])]
    {
        let first: [_; 4] = core::array::from_fn(|_| AtomicUsize::new(usize::MAX));
        let arrived = AtomicUsize::new(0);
        pool.run_units(units, Schedule::Static, &|unit| {
            let thread = std::thread::current();
            let number = thread.name().and_then(|name| name.strip_prefix("spelt-"));
            let participant = number.map_or(0, |number| number.parse().expect("a number"));
            if first[participant].load(Relaxed) == usize::MAX {
                first[participant].store(unit, Relaxed);
                arrived.fetch_add(1, Relaxed);
                while arrived.load(Relaxed) < 4 {
                    std::thread::yield_now();
                }
            }
        });
        assert_eq!(first.map(AtomicUsize::into_inner), starts);
    }
}

#[test]
fn the_lowest_panic_is_resumed_and_the_pool_lives_on() {
    for threads in [1, 2, 3, 8] {
        let pool = pool(threads);
        for schedule in SCHEDULES {
            for _ in rounds(50) {
                let called = AtomicUsize::new(0);
                let text = message(|| {
                    pool.run_units(200, schedule, &|unit| {
                        called.fetch_add(1, Relaxed);
                        if unit % 50 == 49 {
                            // Not `panic!`: the hook's output would drown everything else.
                            std::panic::resume_unwind(Box::new(format!("unit {unit}")));
                        }
                    });
                });
                assert_eq!(text, "unit 49");
                assert!((50..=200).contains(&called.load(Relaxed)));
                assert!(!in_kernel());
                assert_eq!(calls(&pool, 9, schedule), [1; 9]);
            }
        }
    }
}

/// A payload whose destructor panics.
struct Bomb(usize);

impl Drop for Bomb {
    fn drop(&mut self) {
        // Of no size, since it is leaked, and a leak checker would tell.
        std::panic::resume_unwind(Box::new(()));
    }
}

#[test]
fn payloads_may_panic_when_dropped() {
    let pool = pool(3);
    for _ in rounds(50) {
        let launch = || pool.run_gang(3, &|member| std::panic::resume_unwind(Box::new(Bomb(member))));
        let payload = catch_unwind(AssertUnwindSafe(launch)).expect_err("the launch must panic");
        let bomb = payload.downcast::<Bomb>().expect("the lowest member's payload");
        assert_eq!(bomb.0, 0);
        catch_unwind(AssertUnwindSafe(|| drop(bomb))).expect_err("the destructor panics");
    }
}

#[test]
fn a_panic_stops_the_units_above() {
    let pool = pool(2);
    let called = AtomicUsize::new(0);
    message(|| {
        pool.run_units(1_000_000, Schedule::Dynamic, &|unit| {
            called.fetch_add(1, Relaxed);
            if unit == 0 {
                std::panic::resume_unwind(Box::new("stop"));
            }
            std::thread::sleep(Duration::from_micros(50));
        });
    });
    assert!(called.load(Relaxed) < 100_000);
}

#[test]
fn nested_launches_run_inline_and_in_order() {
    let (pool, other) = (pool(3), pool(2));
    for inner in [&pool, &other] {
        let count = AtomicUsize::new(0);
        pool.run_units(20, Schedule::Dynamic, &|_| {
            let thread = std::thread::current().id();
            let order = Mutex::new(Vec::new());
            inner.run_units(10, Schedule::Dynamic, &|unit| {
                assert_eq!(std::thread::current().id(), thread);
                order.lock().unwrap().push(unit);
            });
            assert!(order.lock().unwrap().iter().copied().eq(0..10));
            assert!(!inner.run_gang(1, &|_| unreachable!()));
            assert!(in_kernel());
            count.fetch_add(1, Relaxed);
        });
        assert_eq!(count.into_inner(), 20);
    }
}

#[test]
fn several_host_threads_share_a_pool() {
    let pool = pool(3);
    std::thread::scope(|scope| {
        for host in 0..4 {
            let pool = &pool;
            scope.spawn(move || {
                for round in rounds(300) {
                    assert_eq!(calls(pool, 17, SCHEDULES[round % 2]), [1; 17]);
                    if host % 2 == 0 {
                        let called = AtomicUsize::new(0);
                        let gang = [pool.gang(3)];
                        assert!(pool.run_teams(&gang, &|_, mut member| {
                            called.fetch_add(1, Relaxed);
                            member.barrier();
                            assert_eq!(called.load(Relaxed), 3);
                        }));
                    }
                }
            });
        }
    });
}

#[test]
fn gang_members_run_together() {
    for threads in if cfg!(miri) { [1, 2, 3, 4] } else { [1, 2, 8, 64] } {
        let pool = pool(threads);
        for members in 0..=threads {
            let arrived = AtomicUsize::new(0);
            let caller = std::thread::current().id();
            assert!(pool.run_gang(members, &|member| {
                assert_eq!(member == 0, std::thread::current().id() == caller);
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

#[test]
fn a_barrier_separates_phases() {
    for size in [1, 2, 3, 8] {
        let pool = pool(size);
        for _ in rounds(20) {
            let phase: Vec<AtomicUsize> = (0..size).map(|_| AtomicUsize::new(0)).collect();
            pool.run_teams(&[pool.gang(size)], &|_, mut member| {
                for round in 1..rounds(100).end {
                    phase[member.member()].store(round, Relaxed);
                    member.barrier();
                    assert!(phase.iter().all(|phase| phase.load(Relaxed) == round));
                    member.barrier();
                }
            });
        }
    }
}

#[test]
fn teams_have_barriers_of_their_own() {
    let pool = pool(5);
    let gangs = [pool.gang(2), pool.gang(1), pool.gang(2)];
    let seen = Mutex::new(Vec::new());
    assert!(pool.run_teams(&gangs, &|gang, mut member| {
        for _ in 0..=gang * 10 {
            member.barrier();
        }
        seen.lock().unwrap().push((gang, member.member(), member.size()));
    }));
    let mut seen = seen.into_inner().unwrap();
    seen.sort_unstable();
    assert_eq!(seen, [(0, 0, 2), (0, 1, 2), (1, 0, 1), (2, 0, 2), (2, 1, 2)]);
}

#[test]
fn different_collectives_are_a_panic_on_every_member() {
    let pool = pool(3);
    let panicked = AtomicUsize::new(0);
    let sites = [Collective::new::<f64>("reduce", 8), Collective::new::<f64>("reduce", 8)];
    let differ: [&(dyn Fn(usize) -> Collective + Sync); 4] = [
        &|member| Collective::new::<f64>(if member == 2 { "scan" } else { "reduce" }, 8),
        &|member| Collective::new::<f64>("reduce", if member == 0 { 8 } else { 9 }),
        &|member| {
            if member == 1 {
                Collective::new::<f64>("reduce", 8)
            } else {
                Collective::new::<u64>("reduce", 8)
            }
        },
        &|member| sites[usize::from(member == 1)],
    ];
    for call in differ {
        panicked.store(0, Relaxed);
        let text = message(|| {
            pool.run_teams(&[pool.gang(3)], &|_, mut member| {
                member.barrier();
                let call = call(member.member());
                if let Err(payload) = catch_unwind(AssertUnwindSafe(|| member.collective(call))) {
                    panicked.fetch_add(1, Relaxed);
                    std::panic::resume_unwind(payload);
                }
            });
        });
        assert_eq!(panicked.load(Relaxed), 3, "{text}");
        assert!(text.contains("collective number 2") && text.contains("tests.rs"), "{text}");
        assert_eq!(calls(&pool, 9, Schedule::Static), [1; 9]);
    }
}

#[test]
fn a_skipped_barrier_is_a_panic_not_a_hang() {
    let pool = pool(3);
    for skipping in 0..3 {
        let text = message(|| {
            pool.run_teams(&[pool.gang(3)], &|_, mut member| {
                member.barrier();
                if member.member() != skipping {
                    member.barrier();
                }
            });
        });
        assert!(text.contains(&format!("member {skipping} left the kernel")), "{text}");
    }
}

#[test]
fn a_members_panic_frees_the_others_and_is_the_one_resumed() {
    let pool = pool(4);
    for at_fault in 0..4 {
        let text = message(|| {
            pool.run_teams(&[pool.gang(4)], &|_, mut member| {
                member.barrier();
                if member.member() == at_fault {
                    std::panic::resume_unwind(Box::new(format!("member {at_fault}")));
                }
                member.barrier();
                unreachable!();
            });
        });
        assert_eq!(text, format!("member {at_fault}"));
    }
    let text = message(|| {
        pool.run_gang(4, &|member| {
            if member > 1 {
                std::panic::resume_unwind(Box::new(format!("member {member}")));
            }
        });
    });
    assert_eq!(text, "member 2");
}

/// The body's data is freed as soon as the launch is over; the address sanitizer sees a worker that is late.
#[test]
fn no_worker_is_late() {
    let pool = pool(3);
    for round in rounds(20_000) {
        let data = Box::new(AtomicUsize::new(0));
        pool.run_units(3, SCHEDULES[round % 2], &|_| {
            data.fetch_add(1, Relaxed);
        });
        assert_eq!(data.into_inner(), 3);
    }
}

#[test]
fn sleeping_workers_come_back() {
    let pool = pool(9);
    for _ in rounds(20) {
        std::thread::sleep(Duration::from_millis(2));
        let arrived = AtomicBool::new(false);
        assert!(pool.run_gang(9, &|member| match member {
            8 => arrived.store(true, Relaxed),
            _ => {
                while !arrived.load(Relaxed) {
                    std::thread::yield_now();
                }
            }
        }));
    }
}

#[test]
fn dropping_a_pool_ends_its_threads() {
    for threads in [1, 2, 3, 16] {
        for used in [false, true] {
            let pool = pool(threads);
            let runner = pool.downgrade_runner();
            if used {
                calls(&pool, 100, Schedule::Dynamic);
            }
            drop(pool);
            assert!(runner.upgrade().is_none(), "a thread still holds what the pool's threads share");
        }
    }
}

#[test]
fn pools_are_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Pool>();
}

/// Its threads are those from participant `first` on, with their cores; the first of them launches.
#[test]
fn parts_have_the_cores_of_their_participants() {
    use super::configuration::{Configuration, Pin, Pinning};
    use super::signal::Patience;
    use super::topology::Source;
    // Cores that no machine has: the pins fail, and are kept.
    let pins = (1..6).map(|participant| Pin { core: 1000 + participant, held: false }).collect();
    let whole = Pool::new(Configuration {
        threads: 6,
        decided_by: "the test",
        allowed_cores: 6,
        patience: Patience::Yield,
        pinning: Pinning::Workers(pins),
        topology: Source::CoreAffinity,
    })
    .expect("threads");
    let cores = |pool: &Pool| match &pool.configuration().pinning {
        Pinning::Workers(pins) => pins.iter().map(|pin| pin.core).collect::<Vec<_>>(),
        other => panic!("{other:?}"),
    };
    for (first, threads, wanted) in [
        (0, 6, vec![1001, 1002, 1003, 1004, 1005]),
        (0, 3, vec![1001, 1002]),
        (3, 3, vec![1004, 1005]),
        (2, 1, vec![]),
        (5, 1, vec![]),
    ] {
        let part = whole.part(first, threads).expect("threads");
        assert_eq!((part.threads(), cores(&part)), (threads, wanted));
        assert_eq!(part.patience(), Patience::Yield);
        assert_eq!(calls(&part, 100, Schedule::Static), vec![1; 100]);
        assert!(part.configuration().to_string().contains("a partition"));
    }
}
