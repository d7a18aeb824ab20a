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
    for n in [100, 50_000] {
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

#[test]
fn launches_allocate_nothing() {
    check_space(&Serial::new());
    for threads in [1, 2, 3, 8] {
        check_space(&Threads::builder().num_threads(threads).build().expect("threads can be had"));
    }
}
