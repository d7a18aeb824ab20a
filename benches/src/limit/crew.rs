//! Threads that spin: the quickest fork and join that we know.

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Arc;
use std::thread::{JoinHandle, Thread};

use crossbeam_utils::CachePadded;

/// Rounds of spinning before a worker sleeps. Unit: rounds of `spin_loop`. Source: some 0.3 ms, longer than any gap
/// between two calls of a measurement, shorter than the pause between two contenders.
const SPINS: u32 = 10_000;

/// The state shared by the threads.
struct Shared {
    /// Grows by one for each run.
    epoch: CachePadded<AtomicUsize>,
    /// Workers that have not finished the run.
    busy: CachePadded<AtomicUsize>,
    /// Workers that sleep, or are about to.
    asleep: CachePadded<AtomicUsize>,
    ending: AtomicBool,
    /// The function to run; written by the caller before it changes `epoch`.
    body: UnsafeCell<Option<&'static (dyn Fn(usize) + Sync)>>,
}

// SAFETY: `body` is written only between runs, when every worker waits for `epoch`, and published by it.
unsafe impl Sync for Shared {}
// SAFETY: no field belongs to a thread; `body` refers to something that is `Sync`, so that another thread may call it.
unsafe impl Send for Shared {}

/// The caller and workers that wait for it.
pub struct Crew {
    shared: Arc<Shared>,
    workers: Vec<(JoinHandle<()>, Thread)>,
}

impl core::fmt::Debug for Crew {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Crew").field("threads", &self.threads()).finish()
    }
}

impl Crew {
    /// `threads` in all, the caller among them.
    ///
    /// # Panics
    /// If the system cannot start another thread.
    #[must_use]
    pub fn new(threads: usize) -> Self {
        let shared = Arc::new(Shared {
            epoch: CachePadded::new(AtomicUsize::new(0)),
            busy: CachePadded::new(AtomicUsize::new(0)),
            asleep: CachePadded::new(AtomicUsize::new(0)),
            ending: AtomicBool::new(false),
            body: UnsafeCell::new(None),
        });
        let workers = (1..threads)
            .map(|number| {
                let shared = Arc::clone(&shared);
                let handle = std::thread::spawn(move || work(&shared, number));
                let thread = handle.thread().clone();
                (handle, thread)
            })
            .collect();
        Self { shared, workers }
    }

    /// The number of threads.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.workers.len() + 1
    }

    /// Calls `body(thread)` on every thread and returns when all have. `body` must not panic: the program would end.
    ///
    /// It must not be called from two threads: a crew is `Sync` only because its workers share it; the limits live in one thread.
    pub(super) fn run(&self, body: &(dyn Fn(usize) + Sync)) {
        let _abort = AbortOnPanic;
        let shared = &*self.shared;
        // SAFETY: workers use it until `busy` is 0, which this call waits for, so the shortened lifetime is enough.
        let body: &'static (dyn Fn(usize) + Sync) = unsafe { core::mem::transmute(body) };
        // SAFETY: `busy` is 0, so every worker waits for the next epoch.
        unsafe { *shared.body.get() = Some(body) };
        shared.busy.store(self.workers.len(), Ordering::Relaxed);
        // Sequentially consistent, with the worker's `asleep` and second look: at least one of the two sees the other's write.
        shared.epoch.fetch_add(1, Ordering::SeqCst);
        if shared.asleep.load(Ordering::SeqCst) > 0 {
            self.workers.iter().for_each(|(_, thread)| thread.unpark());
        }
        body(0);
        while shared.busy.load(Ordering::Acquire) > 0 {
            core::hint::spin_loop();
        }
        core::mem::forget(_abort);
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.shared.ending.store(true, Ordering::Relaxed);
        self.shared.epoch.fetch_add(1, Ordering::SeqCst);
        for (handle, thread) in self.workers.drain(..) {
            thread.unpark();
            // A worker that panicked has ended the program.
            let _ = handle.join();
        }
    }
}

/// A thread that unwinds out of a run would leave the others with a body that is gone.
struct AbortOnPanic;

impl Drop for AbortOnPanic {
    fn drop(&mut self) {
        std::process::abort();
    }
}

fn work(shared: &Shared, number: usize) {
    let _abort = AbortOnPanic;
    let mut seen = 0;
    loop {
        let mut spins = 0;
        while shared.epoch.load(Ordering::Acquire) == seen {
            if spins < SPINS {
                spins += 1;
                core::hint::spin_loop();
                continue;
            }
            shared.asleep.fetch_add(1, Ordering::SeqCst);
            while shared.epoch.load(Ordering::SeqCst) == seen {
                std::thread::park();
            }
            shared.asleep.fetch_sub(1, Ordering::SeqCst);
        }
        seen += 1;
        if shared.ending.load(Ordering::Relaxed) {
            core::mem::forget(_abort);
            return;
        }
        // SAFETY: written before the epoch that was just seen; not written again before `busy` is 0.
        if let Some(body) = unsafe { *shared.body.get() } {
            body(number);
        }
        shared.busy.fetch_sub(1, Ordering::Release);
    }
}
