//! Copies, additions and sums over arrays that no cache holds: the kernels of STREAM (McCalpin 1995), and one that only reads.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Barrier, OnceLock};
use std::time::{Duration, Instant};

use super::last_cache::last_cache;

/// The time in which rounds begin.
const BUDGET: Duration = Duration::from_millis(300);

/// The best rate that `threads` threads reach together. Unit: GB/s.
///
/// A kernel that only reads may reach more than one that writes: the highest of all counts.
pub(super) fn measure(threads: usize) -> f64 {
    let caches = last_cache(threads).unwrap_or(0);
    // Twice what the caches hold. More memory than this could be missed by the program.
    let bytes = (2 * caches).clamp(32 << 20, 256 << 20);
    best(threads.max(1), bytes / size_of::<u64>(), BUDGET)
}

/// The best rate over arrays of `len` numbers, in rounds that begin within `budget`. Unit: GB/s.
fn best(threads: usize, len: usize, budget: Duration) -> f64 {
    let part = (len / threads).max(1);
    let (meeting, is_over) = (OnceLock::new(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let rounds = || {
            let mut arrays = Arrays::new(part);
            let meeting: &Barrier = meeting.wait();
            while !is_over.load(Ordering::Relaxed) {
                for kernel in KERNELS {
                    meeting.wait();
                    arrays.run(kernel);
                    meeting.wait();
                }
                meeting.wait();
            }
        };
        let started =
            (1..threads).map_while(|_| std::thread::Builder::new().spawn_scoped(scope, rounds).ok()).count();
        let mut arrays = Arrays::new(part);
        // Where the system gives fewer threads than asked for, those are measured.
        let members = started + 1;
        let meeting = meeting.get_or_init(|| Barrier::new(members));
        let (start, mut best) = (Instant::now(), 0.0_f64);
        while !is_over.load(Ordering::Relaxed) {
            for kernel in KERNELS {
                meeting.wait();
                let begin = Instant::now();
                arrays.run(kernel);
                meeting.wait();
                let bytes = kernel.arrays() * part * members * size_of::<u64>();
                best = best.max(bytes as f64 / begin.elapsed().as_nanos().max(1) as f64);
            }
            is_over.store(start.elapsed() >= budget, Ordering::Relaxed);
            meeting.wait();
        }
        best
    })
}

#[derive(Clone, Copy)]
enum Kernel {
    Copy,
    Add,
    Sum,
}

const KERNELS: [Kernel; 3] = [Kernel::Copy, Kernel::Add, Kernel::Sum];

impl Kernel {
    /// The number of arrays that it reads or writes.
    fn arrays(self) -> usize {
        match self {
            Self::Copy => 2,
            Self::Add => 3,
            Self::Sum => 1,
        }
    }
}

/// The part of one thread, which has written it first, so that the pages are near it.
struct Arrays {
    out: Vec<u64>,
    a: Vec<u64>,
    b: Vec<u64>,
}

impl Arrays {
    fn new(len: usize) -> Self {
        let [out, a, b] = [1, 2, 3].map(|value| {
            let mut array = Vec::with_capacity(len);
            with_huge_pages(&mut array);
            array.resize(len, value);
            array
        });
        Self { out, a, b }
    }

    fn run(&mut self, kernel: Kernel) {
        let Self { out, a, b } = self;
        match kernel {
            Kernel::Copy => out.copy_from_slice(a),
            Kernel::Add => out.iter_mut().zip(a).zip(b).for_each(|((out, a), b)| *out = a.wrapping_add(*b)),
            Kernel::Sum => _ = black_box(a.iter().fold(0_u64, |sum, a| sum.wrapping_add(*a))),
        }
        black_box(&self.out);
    }
}

/// Asks for huge pages, which large Views have as well. Without them the rate is lower on many machines.
fn with_huge_pages(array: &mut Vec<u64>) {
    #[cfg(target_os = "linux")]
    {
        const PAGE: usize = 4096;
        let memory = array.spare_capacity_mut().as_mut_ptr_range();
        let start = memory.start.addr().next_multiple_of(PAGE);
        let len = (memory.end.addr() & !(PAGE - 1)).saturating_sub(start);
        // SAFETY: the pages are parts of this array's memory, and the advice changes no contents.
        let _ = unsafe {
            rustix::mm::madvise(memory.start.with_addr(start).cast(), len, rustix::mm::Advice::LinuxHugepage)
        };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = array;
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::best;

    #[test]
    fn rates_are_numbers() {
        for (threads, len) in [(1, 0), (1, 1000), (3, 1000), (3, 2)] {
            let rate = best(threads, len, Duration::from_millis(1));
            assert!(rate > 0.0 && rate < 1e5, "{rate} GB/s of {threads} threads and {len} numbers");
        }
    }
}
