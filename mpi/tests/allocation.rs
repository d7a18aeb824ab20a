//! A launch with a halo takes the memory for its messages from the launch before: counted by the allocator of this program, which is why it is
//! one of its own, with one test.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use spelt_core::{Between, Result, Serial, parallel_for};
use spelt_mpi::{Communicator, InProcess, Mpi};

/// Allocations that are as long as a piece of a message. Unit: bytes.
const LONG: usize = 4096;

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is left to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(usize::from(layout.size() >= LONG), SeqCst);
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

const STEPS: usize = 20;

/// The long allocations of all ranks in some steps, after some others.
fn in_steps(ranks: &Communicator) -> Result<usize> {
    let space = Mpi::new(ranks, Serial::new());
    let mut x = space.view_from_fn("x", [4 * ranks.size(), 1000], |[i, j]| (i + j) as f64)?.periodic();
    let mut y = space.zeros::<f64, 2>("y", [4 * ranks.size(), 1000])?;
    let mut steps = || {
        for _ in 0..STEPS {
            let all = space.md_range([0..4 * ranks.size(), 0..1000]);
            let halo = x.halo_of::<(Between<0, 1>, Between<0, 0>)>();
            parallel_for("step", all, (halo, &mut y), |i, (x, mut y)| y[i] = x.at(i, [1, 0]))?;
            // From now on its copies are old.
            x.own_mut().as_view_mut().fill(1.0);
        }
        Ok::<_, spelt_core::Error>(())
    };
    steps()?;
    ranks.barrier("before")?;
    let before = ALLOCATIONS.load(SeqCst);
    ranks.barrier("begin")?;
    steps()?;
    ranks.barrier("after")?;
    let count = ALLOCATIONS.load(SeqCst) - before;
    ranks.barrier("end")?;
    Ok(count)
}

#[test]
fn launches_with_halos_keep_the_memory_of_messages() {
    // The world of threads copies the rows of each message. A rank that sends to itself makes none.
    for (size, expected) in [(1, 0), (2, 2 * STEPS), (3, 3 * STEPS)] {
        // The threads of the test harness allocate now and then.
        let counts = (0..5).map(|_| {
            let counts = InProcess::new(size).run(in_steps);
            counts.into_iter().map(|count| count.expect("no error")).collect::<Vec<_>>()
        });
        let counts: Vec<_> = counts.collect();
        assert!(counts.contains(&vec![expected; size]), "{size} ranks, {expected} were expected: {counts:?}");
    }
}
