//! Launches of few long iterations run on several threads; the results have the bits of one thread.
#![cfg(all(feature = "threads", feature = "rayon"))]

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use spelt_core::reducers::{Reducer, Sum};
use spelt_core::{
    AnyHost, Dynamic, ExecutionSpace, Idx, Rayon, Serial, Static, Team, Threads, View, parallel_for,
    parallel_reduce, parallel_scan,
};

/// The time after which a test gives up: generous, as other programs may have the cores.
const LIMIT: Duration = Duration::from_secs(60);

/// Iterations that wait for one another, so that one thread cannot run them all.
struct Meeting {
    /// The number of iterations that have begun, and the threads that began them.
    begun: Mutex<(usize, HashSet<ThreadId>)>,
    changed: Condvar,
    /// The number of iterations that run before the launch can open; they only take time.
    alone: usize,
}

impl Meeting {
    fn new(alone: usize) -> Self {
        Self { begun: Mutex::default(), changed: Condvar::new(), alone }
    }

    /// One iteration.
    fn join(&self) {
        let mut begun = self.begun.lock().unwrap();
        begun.0 += 1;
        begun.1.insert(thread::current().id());
        self.changed.notify_all();
        if begun.0 <= self.alone {
            drop(begun);
            thread::sleep(Duration::from_millis(1));
            return;
        }
        let started = Instant::now();
        while begun.1.len() < 2 {
            if started.elapsed() >= LIMIT {
                drop(begun);
                panic!("no second thread has begun an iteration of this launch");
            }
            begun = self.changed.wait_timeout(begun, Duration::from_millis(100)).unwrap().0;
        }
    }
}

/// Runs `test` on each kind of space with two threads.
fn on_two_threads(test: impl Fn(&str, AnyHost) + Send + Sync) {
    test("Threads", Threads::builder().num_threads(2).build().unwrap().into());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    pool.install(|| test("Rayon", Rayon::new().into()));
}

#[test]
fn a_loop_of_few_long_iterations_runs_on_two_threads() {
    on_two_threads(|name, space| {
        eprintln!("{name}");
        for schedule in [Static, Dynamic] {
            for n in [2, 3, 64, 127] {
                let meeting = Meeting::new(1);
                if n > 2 {
                    parallel_for("range", space.range(0..n).schedule(schedule), (), |_, ()| meeting.join())
                        .unwrap();
                }
                let meeting = Meeting::new(0);
                parallel_for("chunk", space.range(0..n).chunk(1).schedule(schedule), (), |_, ()| {
                    meeting.join()
                })
                .unwrap();
            }
            let meeting = Meeting::new(1);
            parallel_for("box", space.md_range([0..8, 0..8]).schedule(schedule), (), |_, ()| meeting.join())
                .unwrap();
            let meeting = Meeting::new(1);
            let tiles = space.md_range([0..8, 0..8]).tile([1, 1]).schedule(schedule);
            parallel_for("tiles of 1", tiles, (), |_, ()| meeting.join()).unwrap();
            let meeting = Meeting::new(8);
            let tiles = space.md_range([0..8, 0..8]).tile([2, 4]).schedule(schedule);
            parallel_for("tiles of 8", tiles, (), |_, ()| meeting.join()).unwrap();
            // The first team of a small league does not run alone.
            for (league, alone) in [(2, 0), (15, 0), (16, 1), (500, 4), (600, 0)] {
                let meeting = Meeting::new(alone);
                let teams = space.team(league, 1).schedule(schedule);
                parallel_for("league", teams, (), |_, ()| meeting.join()).unwrap();
            }
        }
    });
}

#[test]
fn a_reduction_of_few_long_iterations_runs_on_two_threads() {
    on_two_threads(|name, space| {
        eprintln!("{name}");
        for schedule in [Static, Dynamic] {
            for n in [3, 31, 32, 64, 100] {
                let meeting = Meeting::new(1);
                let range = space.range(0..n).schedule(schedule);
                let body = |i: Idx<'_, 1>, sum: &mut usize, ()| {
                    meeting.join();
                    *sum += i.get();
                };
                let sum = parallel_reduce("range", range, (), body, Sum::<usize>::new()).unwrap();
                assert_eq!(sum, n * (n - 1) / 2, "{name}");
                // Values of 24 bytes have 16 lanes, and the first of them is not cut.
                let meeting = Meeting::new(n.div_ceil(16));
                let body = |i: Idx<'_, 1>, text: &mut Vec<usize>, ()| {
                    meeting.join();
                    text.push(i.get());
                };
                let range = space.range(0..n).schedule(schedule);
                let text = parallel_reduce("in order", range, (), body, InARow).unwrap();
                assert!(text.into_iter().eq(0..n), "{name}");
            }
            let meeting = Meeting::new(1);
            let body = |_: Idx<'_, 2>, count: &mut usize, ()| {
                meeting.join();
                *count += 1;
            };
            for (league, alone) in [(2, 0), (15, 0), (16, 1), (500, 4), (600, 0)] {
                let meeting = Meeting::new(alone);
                let teams = space.team(league, 1).schedule(schedule);
                let body = |team: &mut Team<'_, usize>, ()| {
                    meeting.join();
                    team.contribute(1);
                };
                assert_eq!(
                    parallel_reduce("league", teams, (), body, Sum::<usize>::new()).unwrap(),
                    league,
                    "{name}"
                );
            }
            let square = space.md_range([0..8, 0..8]).schedule(schedule);
            assert_eq!(parallel_reduce("box", square, (), body, Sum::<usize>::new()).unwrap(), 64, "{name}");
        }
    });
}

#[test]
fn a_scan_of_few_long_iterations_runs_on_two_threads() {
    on_two_threads(|name, space| {
        eprintln!("{name}");
        for n in [2, 3, 31, 64, 100] {
            for chunk in [None, Some(1)] {
                // Without a chunk, the first iteration is timed, and runs again before the launch opens.
                if n == 2 && chunk.is_none() {
                    continue;
                }
                let alone = if chunk.is_none() { 2 } else { 0 };
                let policy = || chunk.map_or(space.range(0..n), |chunk| space.range(0..n).chunk(chunk));
                let meetings = [Meeting::new(alone), Meeting::new(0)];
                let mut sums = View::<usize, 1>::zeros("sums", [n]).unwrap();
                let total = parallel_scan(
                    "range",
                    policy(),
                    &mut sums,
                    |i, sum, last, mut sums| {
                        meetings[usize::from(last)].join();
                        *sum += i.get();
                        if last {
                            sums[i] = *sum;
                        }
                    },
                    Sum::<usize>::new(),
                );
                assert_eq!(total.unwrap(), n * (n - 1) / 2, "{name}");
                assert!(sums.iter().enumerate().all(|(i, sum)| *sum == i * (i + 1) / 2), "{name}");
                // In rows, and in an order that decides the bits.
                let meetings = [Meeting::new(alone), Meeting::new(0)];
                let add = |i: Idx<'_, 1>, sum: &mut f64, last: bool, ()| {
                    meetings[usize::from(last)].join();
                    *sum += 1.0 / (i.get() + 1) as f64;
                };
                let total = parallel_scan("floats", policy(), (), add, Sum::<f64>::new()).unwrap();
                let one = |i: Idx<'_, 1>, sum: &mut f64, _: bool, ()| *sum += 1.0 / (i.get() + 1) as f64;
                let wanted = parallel_scan("floats", Serial.range(0..n), (), one, Sum::<f64>::new()).unwrap();
                assert_eq!(total.to_bits(), wanted.to_bits(), "{name}");
            }
        }
        let meetings = [Meeting::new(2), Meeting::new(0)];
        let body = |_: &mut Team<'_>, count: &mut usize, last: bool, ()| {
            meetings[usize::from(last)].join();
            *count += 1;
        };
        assert_eq!(parallel_scan("league", space.team(40, 1), (), body, Sum::<usize>::new()).unwrap(), 40);
    });
}

/// Joins do not commute.
struct InARow;

impl Reducer for InARow {
    type Value = Vec<usize>;
    type Output = Vec<usize>;
    const COMMUTATIVE: bool = false;

    fn init(&self) -> Vec<usize> {
        Vec::new()
    }
    fn join(&self, into: &mut Vec<usize>, from: &Vec<usize>) {
        into.extend(from);
    }
    fn finish(&self, value: Vec<usize>) -> Vec<usize> {
        value
    }
}

/// The launches open at times that differ from run to run.
#[test]
fn slow_iterations_do_not_change_bits() {
    let slow = |i: usize| {
        let begun = Instant::now();
        // 0 to 15 us.
        while begun.elapsed() < Duration::from_micros((i * 7919 % 16) as u64) {
            std::hint::spin_loop();
        }
        1.0 / (i + 1) as f64
    };
    for n in [5, 40, 100, 700, 2100] {
        let sum = |space: AnyHost| {
            let range = || space.range(0..n);
            let add = |i: Idx<'_, 1>, sum: &mut f64, ()| *sum += slow(i.get());
            let sum = parallel_reduce("sum", range(), (), add, Sum::<f64>::new()).unwrap();
            let mut prefixes = View::<f64, 1>::zeros("prefixes", [n]).unwrap();
            let total = parallel_scan(
                "prefixes",
                range(),
                &mut prefixes,
                |i, sum, last, mut prefixes| {
                    *sum += slow(i.get());
                    if last {
                        prefixes[i] = *sum;
                    }
                },
                Sum::<f64>::new(),
            );
            let totals = [sum, total.unwrap()];
            prefixes.iter().chain(&totals).map(|sum| sum.to_bits()).collect::<Vec<_>>()
        };
        let expected = sum(Serial::new().into());
        for threads in [1, 2, 3, 7] {
            let found = sum(Threads::builder().num_threads(threads).build().unwrap().into());
            assert_eq!(found, expected, "{n} iterations on {threads} threads");
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let found = pool.install(|| sum(Rayon::new().into()));
            assert_eq!(found, expected, "{n} iterations in a pool of {threads}");
        }
    }
}

/// Each index runs once, and the thread that it ran on is known.
#[test]
fn chunks_and_tiles_stay_whole() {
    on_two_threads(|name, space| {
        let ran = Mutex::new(vec![Vec::new(); 64]);
        let note = |index: usize| {
            thread::sleep(Duration::from_micros(100));
            ran.lock().unwrap()[index].push(thread::current().id());
        };
        parallel_for("tiles", space.md_range([0..8, 0..8]).tile([2, 8]), (), |i, ()| {
            note(i.get()[0] * 8 + i.get()[1])
        })
        .unwrap();
        parallel_for("chunks", space.range(0..64).chunk(16), (), |i, ()| note(i.get())).unwrap();
        let ran = ran.into_inner().unwrap();
        assert!(ran.iter().all(|threads| threads.len() == 2), "{name}");
        for group in ran.chunks(16) {
            assert!(group.iter().all(|threads| *threads == group[0]), "{name}: {group:?}");
        }
    });
}

/// Whole tiles of reductions, and lanes of one tile, are taken in the chunks that are asked for.
#[test]
fn chunks_of_reductions_stay_whole() {
    const LANES: usize = 32;
    const TILE: usize = 64 * LANES;
    on_two_threads(|name, space| {
        // The number of iterations, of those between two that are noted, and of a chunk.
        for (n, step, chunk) in [(16 * TILE, TILE, 2 * TILE), (TILE, 1, TILE / 4)] {
            let ran = Mutex::new(vec![None; 16]);
            let policy = space.range(0..n).chunk(chunk).schedule(Dynamic);
            let sum = parallel_reduce(
                "chunks",
                policy,
                (),
                |i, sum, ()| {
                    *sum += i.get() as f64;
                    if i.get() % step == 0 && i.get() / step < 16 {
                        thread::sleep(Duration::from_micros(200));
                        ran.lock().unwrap()[i.get() / step] = Some(thread::current().id());
                    }
                },
                Sum::<f64>::new(),
            );
            assert_eq!(sum.unwrap(), (n * (n - 1) / 2) as f64, "{name}");
            // A quarter of a tile is eight lanes.
            let together = if step == 1 { LANES / 4 } else { chunk / step };
            for group in ran.into_inner().unwrap().chunks(together) {
                assert!(
                    group.iter().all(|thread| thread.is_some() && *thread == group[0]),
                    "{name}: {group:?}"
                );
            }
        }
    });
}

/// The chunks of a scan, which is not of few iterations, are those that are asked for.
#[test]
fn chunks_of_scans_stay_whole() {
    const TILE: usize = 2048;
    on_two_threads(|name, space| {
        let ran = Mutex::new(vec![None; 16]);
        let total = parallel_scan(
            "chunks",
            space.range(0..16 * TILE).chunk(8 * TILE),
            (),
            |i, sum, last, ()| {
                *sum += i.get() as f64;
                if i.get() % TILE == 0 {
                    thread::sleep(Duration::from_micros(200));
                    if last {
                        ran.lock().unwrap()[i.get() / TILE] = Some(thread::current().id());
                    }
                }
            },
            Sum::<f64>::new(),
        );
        assert_eq!(total.unwrap(), (8 * TILE * (16 * TILE - 1)) as f64, "{name}");
        for group in ran.into_inner().unwrap().chunks(8) {
            assert!(group.iter().all(|thread| thread.is_some() && *thread == group[0]), "{name}: {group:?}");
        }
    });
}

/// The index of the panic that a launch of few slow iterations, some of which panic, ends with.
#[test]
fn the_lowest_panic_is_resumed() {
    on_two_threads(|name, space| {
        for lowest in [0, 1, 2, 20] {
            let launch = || {
                parallel_for("panics", space.range(0..64), (), |i, ()| {
                    thread::sleep(Duration::from_micros(100));
                    assert!(i.get() < lowest, "iteration {}", i.get());
                })
            };
            let panic = catch_unwind(AssertUnwindSafe(launch)).unwrap_err();
            assert_eq!(panic.downcast_ref::<String>().unwrap(), &format!("iteration {lowest}"), "{name}");
        }
        let mut count = View::<usize, 1>::zeros("count", [64]).unwrap();
        parallel_for("after", space.range(0..64), &mut count, |i, mut count| count[i] += 1).unwrap();
        assert!(count.iter().all(|count| *count == 1), "{name}: the space is as usable as before");
    });
}

#[test]
fn a_launch_in_a_kernel_stays_on_its_thread() {
    on_two_threads(|name, space| {
        let ours = AnyHost::clone(&space);
        parallel_for("outer", space.range(0..4), (), |_, ()| {
            let outer = thread::current().id();
            parallel_for("inner", ours.range(0..8), (), |_, ()| {
                thread::sleep(Duration::from_micros(100));
                assert_eq!(thread::current().id(), outer, "{name}");
            })
            .unwrap();
        })
        .unwrap();
    });
}

/// Launches whose iterations were short run on the caller without a look at the clock; when they become long, one of the next 128
/// is timed, and the one behind it looks and opens (counted in `core/src/host/history.rs`).
#[test]
fn a_closure_whose_iterations_become_long_opens_after_a_few_launches() {
    on_two_threads(|name, space| {
        let threads_of = |long: bool| {
            let threads = Mutex::new(HashSet::new());
            let step = |_: Idx<'_, 1>, ()| {
                if long {
                    thread::sleep(Duration::from_micros(200));
                }
                threads.lock().unwrap().insert(thread::current().id());
            };
            parallel_for("step", space.range(0..8), (), step).unwrap();
            threads.into_inner().unwrap().len()
        };
        for _ in 0..100 {
            threads_of(false);
        }
        // One that opens may be over before a busy machine runs the other thread.
        let begun = Instant::now();
        while threads_of(true) == 1 {
            assert!(begun.elapsed() < LIMIT, "{name}: no launch of long iterations has opened");
        }
    });
}
