//! Copies, additions and sums over arrays that no cache holds: the kernels of STREAM (McCalpin 1995), and one that only reads.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Barrier, OnceLock};
use std::time::{Duration, Instant};

use super::caches::last_cache;

/// The time in which rounds begin.
const BUDGET: Duration = Duration::from_millis(300);

/// The time in which they begin where the best rates differ: other programs disturb them.
const MOST: Duration = Duration::from_secs(1);

/// So many of the best rates of a kernel must agree: fewer agree by chance where all are disturbed.
const AGREEING: usize = 3;

/// The share by which they may differ.
const TOLERANCE: f64 = 0.05;

/// The best rate that `threads` threads reach together, or `None` if other programs disturb them. Unit: GB/s.
///
/// A kernel that only reads may reach more than one that writes: the highest of all counts.
pub(super) fn measure(threads: usize) -> Option<f64> {
    let is_over =
        |elapsed, rates: &RatesOfKernels| elapsed >= BUDGET && (elapsed >= MOST || steady(rates).is_some());
    steady(&rounds(threads.max(1), array_bytes(threads) / size_of::<u64>(), is_over))
}

/// The size of each array: twice the last caches, but not more than a program could miss. Unit: bytes.
pub(super) fn array_bytes(threads: usize) -> usize {
    (2 * last_cache(threads).unwrap_or(0)).clamp(32 << 20, 256 << 20)
}

/// The rates of each kernel, one for each round. Unit: GB/s.
type RatesOfKernels = [Vec<f64>; KERNELS.len()];

/// The highest rate, if the best ones of its kernel agree.
fn steady(rates: &RatesOfKernels) -> Option<f64> {
    let best = |rates: &[f64]| rates.iter().copied().fold(0.0, f64::max);
    let mut rates = rates.iter().max_by(|a, b| best(a).total_cmp(&best(b)))?.clone();
    rates.sort_by(|a, b| b.total_cmp(a));
    let agrees = |rate: &f64| *rate >= rates[0] * (1.0 - TOLERANCE);
    rates.get(AGREEING - 1).is_some_and(agrees).then(|| rates[0])
}

/// The rates over arrays of `len` numbers, in rounds until `ends` says so of the time since the first and the rates.
fn rounds(threads: usize, len: usize, ends: impl Fn(Duration, &RatesOfKernels) -> bool) -> RatesOfKernels {
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
        let (start, mut rates) = (Instant::now(), RatesOfKernels::default());
        while !is_over.load(Ordering::Relaxed) {
            for (kernel, rates) in KERNELS.into_iter().zip(&mut rates) {
                meeting.wait();
                let begin = Instant::now();
                arrays.run(kernel);
                meeting.wait();
                let bytes = kernel.arrays() * part * members * size_of::<u64>();
                rates.push(bytes as f64 / begin.elapsed().as_nanos().max(1) as f64);
            }
            is_over.store(ends(start.elapsed(), &rates), Ordering::Relaxed);
            meeting.wait();
        }
        rates
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
    use super::{rounds, steady};

    #[test]
    fn rates_are_numbers() {
        for (threads, len) in [(1, 0), (1, 1000), (3, 1000), (3, 2)] {
            let rates = rounds(threads, len, |_, rates| rates[0].len() == 4);
            assert!(rates.iter().all(|rates| rates.len() == 4));
            for rate in rates.into_iter().flatten() {
                assert!(rate > 0.0 && rate < 1e5, "{rate} GB/s of {threads} threads and {len} numbers");
            }
        }
    }

    #[test]
    fn a_rate_is_steady_where_the_best_of_its_kernel_agree() {
        let of = |rates: &[f64]| steady(&[vec![7.0; 3], rates.to_vec(), Vec::new()]);
        assert_eq!(of(&[3.0, 10.0, 9.5, 1.0, 9.7]), Some(10.0));
        assert_eq!(of(&[10.0, 9.9]), None, "there are too few");
        assert_eq!(of(&[10.0, 9.9, 9.4]), None, "the third is disturbed");
        assert_eq!(of(&[6.9]), Some(7.0), "another kernel is faster");
        assert_eq!(steady(&Default::default()), None);
    }
}
