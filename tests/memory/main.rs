//! Where memory is short: errors, or panics in words, and never the end of the program.
//!
//! The allocator of this program refuses large blocks to a thread that asks for that. What does not expect it ends the program, and
//! with it this test. What comes from the system itself, and gangs, are tests of core: `short_of_memory`.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind, set_hook, take_hook};
use std::sync::Once;

use spelt::algorithms::{
    BlockRanges, cluster_centroids, cluster_order, cluster_order_and_ranges, cluster_ranges,
    expand_outer_reduce, grid_cluster, reduce_blocks_over_j,
};
use spelt::prelude::*;
use spelt::reducers::Columns;
use spelt::{ErrorKind, with_scratch};

struct Refusing;

thread_local! {
    /// The largest block that this thread gets. Unit: bytes.
    static MOST: Cell<usize> = const { Cell::new(usize::MAX) };
}

impl Refusing {
    fn refuses(bytes: usize) -> bool {
        MOST.try_with(Cell::get).is_ok_and(|most| bytes > most)
    }
}

// SAFETY: blocks are the system's; none at all is an answer that an allocator may give.
unsafe impl GlobalAlloc for Refusing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if Self::refuses(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the layout has a size above 0, as `GlobalAlloc` asks of its callers.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if Self::refuses(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the layout has a size above 0, as `GlobalAlloc` asks of its callers.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if Self::refuses(size) {
            return std::ptr::null_mut();
        }
        // SAFETY: `pointer` came from `System` with this layout and the new size is above 0, as `GlobalAlloc` asks of its
        // callers.
        unsafe { System.realloc(pointer, layout, size) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: `pointer` came from `System` with this layout, as `GlobalAlloc` asks of its callers.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Refusing = Refusing;

/// Runs `work` on a thread that cannot allocate more than `most` bytes at once and has no cached buffers.
fn short_of<O>(most: usize, work: impl FnOnce() -> O) -> O {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let print = take_hook();
        set_hook(Box::new(move |panic| {
            // A panic has seen that there is no memory; to print it with its backtrace takes some.
            MOST.set(usize::MAX);
            print(panic);
        }));
    });
    MOST.set(most);
    let outcome = catch_unwind(AssertUnwindSafe(work));
    MOST.set(usize::MAX);
    outcome.unwrap_or_else(|payload| resume_unwind(payload))
}

#[track_caller]
fn refused<O: Debug>(result: spelt::Result<O>, words: &str) {
    let error = result.expect_err("there is no memory");
    assert_eq!(error.kind(), ErrorKind::OutOfMemory, "{error}");
    assert!(error.to_string().contains(words), "{error}");
}

/// The message that `work` panics with.
#[track_caller]
fn panics<O>(work: impl FnOnce() -> O) -> String {
    let payload = catch_unwind(AssertUnwindSafe(work)).err().expect("there is no memory");
    payload.downcast::<String>().map_or_else(|_| "no text".to_owned(), |text| *text)
}

#[test]
fn clusters() {
    const N: usize = 20_000;
    let points: Vec<[f32; 1]> = (0..N).map(|i| [i as f32]).collect();
    let labels = grid_cluster(&points, [1.0]).expect("memory");
    assert_eq!(labels, (0..N).collect::<Vec<_>>());
    let ranges = cluster_ranges(&labels, N).expect("memory");
    for most in [1 << 10, N * 8 - 1] {
        refused(short_of(most, || grid_cluster(&points, [1.0])), "no memory for 20000 ");
        let words = short_of(most, || panics(|| cluster_order(&labels)));
        assert_eq!(words, "no memory for 20000 places of points");
        refused(short_of(most, || cluster_ranges(&labels, N)), "no memory for 20000 ranges of clusters");
        refused(
            short_of(most, || cluster_order_and_ranges(&labels, N)),
            "no memory for 20000 ranges of clusters",
        );
        refused(
            short_of(most, || cluster_centroids(&points, None, &ranges)),
            "no memory for 20000 means of clusters",
        );
    }
    // No more than the lists themselves.
    assert!(short_of(N * 8, || grid_cluster(&points, [1.0])).is_ok());
    assert_eq!(short_of(N * 8, || cluster_order(&labels)), labels);
}

#[test]
fn block_ranges() {
    const N: usize = 10_000;
    let each: Vec<_> = (0..N).map(|i| i..i + 1).collect();
    let ends: Vec<_> = (1..=N).collect();
    let over_j = |each: Vec<_>, ends, again| BlockRanges::over_j(N, N, each, ends, again);
    let known = over_j(each.clone(), ends.clone(), each.clone()).expect("memory");
    // Each list is refused in turn: the more memory, the later it is.
    for quarter in 1..=4 {
        let (one, two, three) = (each.clone(), ends.clone(), each.clone());
        let found = short_of(quarter * N * 4, || over_j(one, two, three));
        // The longest lists have two numbers for each range.
        if quarter < 4 {
            refused(found.map(drop), "no memory for");
        } else {
            assert!(found.is_ok_and(|found| found == known));
        }
    }
    let few = &each[..100];
    let keep = View::from_fn("keep", [100, 100], |_| true).expect("memory");
    let all = || BlockRanges::from_matrix(N, N, few, few, &keep);
    refused(short_of(100 << 10, all).map(drop), "no memory for");
    let all = all().expect("memory");
    assert_eq!(all.area(), N as u128);

    let x = View::<f32, 1>::zeros("x", [N]).expect("memory");
    let mut sums = View::<f32, 1>::zeros("sums", [N]).expect("memory");
    let mut reduce = || {
        let add = |_: [usize; 2], sum: &mut f32, (x, y): (f32, f32)| *sum += x * y;
        reduce_blocks_over_j(&Serial::new(), &known, &x, &x, &mut sums, add, Sum::<f32>::new())
    };
    reduce().expect("memory");
    refused(short_of(1 << 10, reduce), "no memory for");
}

/// The list of the elements that have more results than a tile.
#[test]
fn elements_with_many_results() {
    let (space, n) = (Serial::new(), 600);
    let x = View::from_fn("x", [n], |[i]| i).expect("memory");
    let reduce = || expand_outer_reduce(&space, &x, |_| 2000_usize, |i, k| (i + k) as u64, Sum::<u64>::new());
    let sum = |i: u64| 2000 * i + 1999 * 1000;
    assert!(reduce().expect("memory").iter().enumerate().all(|(i, &found)| found == sum(i as u64)));
    // The results take 4800 bytes, and the first piece of the list more than 8000.
    refused(short_of(6000, reduce), "elements with many results");
    // A piece of its own, and both of them.
    refused(short_of(13_000, reduce), "elements with many results");
}

#[test]
fn elements_of_views() {
    const N: usize = 10_000;
    let x = View::<u64, 1>::from_fn("x", [N], |[i]| i as u64).expect("memory");
    let words = short_of(1 << 10, || panics(|| x.to_vec()));
    assert_eq!(words, "no memory for a `Vec` of 10000 elements of 8 bytes");
    let words = short_of(1 << 10, || panics(|| x.into_vec()));
    assert_eq!(words, "no memory for a `Vec` of 10000 elements of 8 bytes");
}

#[test]
fn columns() {
    let bins = Columns::new(Sum::<u64>::new(), 10_000);
    let words = short_of(1 << 10, || panics(|| bins.init()));
    assert_eq!(words, "no memory for 10000 columns of 8 bytes: reduce fewer columns at a time");
}

#[test]
fn scratch_without_a_team() {
    #[derive(Clone, Copy)]
    #[repr(align(128))]
    struct Line(u8);
    let words = short_of(1 << 10, || panics(|| with_scratch(1000, |k| k as u64, |values| values[0])));
    assert_eq!(words, "with_scratch: no memory for 1000 values of 8 bytes");
    let words = short_of(1 << 10, || panics(|| with_scratch(1000, |k| Line(k as u8), |lines| lines[9].0)));
    assert_eq!(words, "with_scratch: no memory for 1000 values of 128 bytes");
}

/// Scratch of no elements is a buffer too.
#[test]
fn scratch_of_no_elements() {
    let space = Serial::new();
    let launch = || {
        parallel_for("none", space.team(3, 1), (), |team, ()| {
            team.with_scratch(0, |k| k as u64, |_, none| assert!(none.is_empty()));
        })
    };
    refused(short_of(1 << 10, launch), "kernel `none`: no memory for 0 bytes of scratch");
    launch().expect("memory");
}

/// Partial results: there is one for each unit of a launch, or each team of a league.
#[cfg(all(feature = "threads", feature = "rayon"))]
#[test]
fn partial_results() {
    #[derive(Clone, Copy)]
    #[repr(align(128))]
    struct Line(u64);
    const N: usize = 1 << 20;
    let x = View::<u8, 1>::from_fn("x", [N], |_| 1).expect("memory");
    let mut y = View::<f64, 1>::zeros("y", [N]).expect("memory");
    let threads = Threads::builder().num_threads(4).build().expect("threads");

    let counts = || {
        parallel_reduce(
            "counts",
            threads.range(0..N),
            &x,
            |i, all, x| all[i.get() % 60] += u64::from(x[i]),
            Sum::<[u64; 60]>::new(),
        )
    };
    refused(short_of(1 << 10, counts), "kernel `counts`: no memory for ");
    assert_eq!(counts().expect("memory").iter().sum::<u64>(), N as u64);
    // Values that are aligned more than a buffer.
    let aligned = || {
        let join = custom(Line(0), |into: &mut Line, from: &Line| into.0 += from.0);
        parallel_reduce("line", threads.range(0..N), &x, |i, all, x| all.0 += u64::from(x[i]), join)
    };
    refused(short_of(1 << 10, || aligned().map(|line| line.0)), "kernel `line`: no memory for ");
    assert_eq!(aligned().expect("memory").0, N as u64);
    let teams = || {
        parallel_reduce(
            "teams",
            threads.team(10_000, 2),
            (),
            |team, ()| team.contribute(1),
            Sum::<u64>::new(),
        )
    };
    refused(short_of(1 << 10, teams), "kernel `teams`: no memory for ");
    assert_eq!(teams().expect("memory"), 10_000);
    let rayon = Rayon::new();
    let mut scan = || {
        parallel_scan(
            "scan",
            rayon.range(0..N / 8),
            (&x, &mut y),
            |i, sums, last, (x, mut y)| {
                sums[0] += f64::from(x[i]);
                if last {
                    y[i] = sums[0];
                }
            },
            Sum::<[f64; 60]>::new(),
        )
    };
    if rayon.concurrency() > 1 {
        refused(short_of(1 << 10, &mut scan), "kernel `scan`: no memory for ");
    }
    assert_eq!(scan().expect("memory")[0], (N / 8) as f64);
}
