//! A launch allocates nothing after the first: counted by the allocator of this program, which is why it is one of its
//! own, with one test.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use spelt::prelude::*;
use spelt::{ExecutionSpace, HostSpace};

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is left to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Relaxed);
        // SAFETY: the layout has a size above 0, as `GlobalAlloc` asks of its callers.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: `pointer` came from `System` by `alloc` above, with this layout, as `GlobalAlloc` asks of its callers.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Runs a launch twice, and then counts the allocations of 20 more.
fn check(what: &str, launch: &mut dyn FnMut()) {
    launch();
    launch();
    // The threads of the test harness allocate now and then; a launch that allocates does so whenever it is counted.
    let mut count = || {
        let before = ALLOCATIONS.load(Relaxed);
        (0..20).for_each(|_| launch());
        ALLOCATIONS.load(Relaxed) - before
    };
    let least = (0..5).map(|_| count()).find(|&allocations| allocations == 0);
    assert_eq!(least, Some(0), "{what}: each of 5 times 20 launches allocates");
}

fn check_space<S: ExecutionSpace<Memory = HostSpace>>(space: &S) {
    for n in [100, 70_000] {
        let x = View::from_fn("x", [n], |[i]| i as f64).expect("memory");
        let mut y = View::<f64, 1>::zeros("y", [n]).expect("memory");
        let on = |what: &str| format!("{what} of {n} on {}", space.configuration());
        check(&on("for"), &mut || {
            parallel_for("for", space.range(0..n), (2.0_f64, &x, &mut y), |i, (a, x, mut y)| {
                y[i] += a * x[i]
            })
            .expect("covered");
        });
        check(&on("dynamic for"), &mut || {
            parallel_for(
                "for",
                space.range(0..n).schedule(Dynamic).chunk(64),
                (&x, &mut y),
                |i, (x, mut y)| y[i] = x[i],
            )
            .expect("covered");
        });
        check(&on("box"), &mut || {
            parallel_for("box", space.md_range([0..n / 10, 0..10]).tile([8, 4]), (), |_, ()| ())
                .expect("nothing");
        });
        check(&on("sum"), &mut || {
            parallel_map_reduce("sum", space.range(0..n), &x, |i, x| x[i], Sum::<f64>::new())
                .expect("covered");
        });
        // Distributed lane by lane, up to 256 of them; more take memory.
        let fine = n.min(10_000);
        check(&on("fine sum"), &mut || {
            parallel_map_reduce("sum", space.range(0..fine).chunk(1), &x, |i, x| x[i], Sum::<f64>::new())
                .expect("covered");
        });
        check(&on("minmaxloc"), &mut || {
            parallel_reduce(
                "best",
                space.range(0..n),
                &x,
                |i, best, x| best.update(x[i], i.get()),
                MinMaxLoc::<f64>::new(),
            )
            .expect("covered");
        });
        check(&on("three at once"), &mut || {
            parallel_reduce(
                "three",
                space.range(0..n),
                &x,
                |i, (a, b, c), x| {
                    *a += x[i];
                    *b = b.max(x[i]);
                    *c += 1;
                },
                (Sum::<f64>::new(), Max::<f64>::new(), Sum::<u32>::new()),
            )
            .expect("covered");
        });
        check(&on("exact scan"), &mut || {
            parallel_scan(
                "scan",
                space.range(0..n),
                (),
                |i, sum, _, ()| *sum += i.get(),
                Sum::<usize>::new(),
            )
            .expect("nothing");
        });
        check(&on("scan"), &mut || {
            parallel_scan(
                "scan",
                space.range(0..n),
                (&x, &mut y),
                |i, sum, last, (x, mut y)| {
                    *sum += x[i];
                    if last {
                        y[i] = *sum
                    }
                },
                Sum::<f64>::new(),
            )
            .expect("covered");
        });
        check(&on("fill and copy"), &mut || {
            space.fill(&mut y, 1.5).expect("nothing fails");
            space.deep_copy(&mut y, &x).expect("equal extents");
        });
        check(&on("teams"), &mut || {
            parallel_reduce(
                "teams",
                space.team(n / 10, AUTO),
                &x,
                |team, x| {
                    let first = team.league_rank() * 10;
                    let sum = team.parallel_reduce(
                        team.vector_range(10),
                        |j, sum| *sum += x[first + j],
                        Sum::<f64>::new(),
                    );
                    team.contribute(sum);
                },
                Sum::<f64>::new(),
            )
            .expect("nothing");
        });
    }
}

/// Teams of several threads: their meetings, the values that they exchange, and their scratch.
fn check_teams(space: &Threads, size: usize) {
    let n = 4000;
    let x = View::from_fn("x", [n], |[i]| i as f64).expect("memory");
    let on = |what: &str| format!("{what} of teams of {size} on {}", space.configuration());
    check(&on("nothing"), &mut || {
        parallel_for("nothing", space.team(5, size), (), |_, ()| ()).expect("nothing");
    });
    check(&on("barriers"), &mut || {
        parallel_for("barriers", space.team(5, size), (), |team, ()| team.barrier()).expect("nothing");
    });
    // A part of a tile, and several tiles.
    for count in [10, n] {
        check(&on("reductions"), &mut || {
            parallel_reduce(
                "reductions",
                space.team(5, size),
                &x,
                |team, x| {
                    let first = team.league_rank();
                    let policy = team.thread_range(count - first);
                    let sum = team.parallel_reduce(
                        policy,
                        |j, sum| *sum += x[first + j.get()[1]],
                        Sum::<f64>::new(),
                    );
                    team.contribute(sum);
                },
                Sum::<f64>::new(),
            )
            .expect("nothing");
        });
    }
    check(&on("values of members"), &mut || {
        parallel_for("values", space.team(5, size), (), |team, ()| {
            let rank = team.team_rank();
            let sum = team.team_reduce(rank, &Sum::new());
            let lower = team.team_scan(rank, &Sum::new());
            let last = team.broadcast(rank, size - 1);
            let first = team.single_broadcast(|_| 7);
            assert_eq!(
                (sum, lower, last, first),
                (size * (size - 1) / 2, rank * rank.saturating_sub(1) / 2, size - 1, 7)
            );
        })
        .expect("nothing");
    });
    check(&on("scan"), &mut || {
        parallel_for("scan", space.team(5, size), &x, |team, x| {
            let policy = team.thread_range(n);
            let total = team.parallel_scan(policy, |j, sum, _| *sum += x[j.get()[1]], Sum::<f64>::new());
            assert_eq!(total, (n * (n - 1) / 2) as f64);
        })
        .expect("nothing");
    });
    check(&on("scratch"), &mut || {
        parallel_for("scratch", space.team(5, size).scratch(2 * 8 * n, 8), (), |team, ()| {
            let squares = team.with_scratch(
                n,
                |k| k * k,
                |team, squares| {
                    team.barrier();
                    squares[n - 1]
                },
            );
            assert_eq!(squares, (n - 1) * (n - 1));
            for round in 0..2 {
                assert_eq!(team.scratch_fill(n, |k| k + round)[n - 1], n - 1 + round);
            }
            team.with_thread_scratch(1, |_, own: &mut [u64]| own[0] = 1);
        })
        .expect("enough scratch");
    });
}

#[test]
fn launches_allocate_nothing() {
    check_space(&Serial::new());
    for threads in [1, 2, 3, 8] {
        let space = Threads::builder().num_threads(threads).build().expect("threads can be had");
        check_space(&space);
        for size in [2, 3, 8].into_iter().filter(|&size| size <= threads) {
            check_teams(&space, size);
        }
    }
}
