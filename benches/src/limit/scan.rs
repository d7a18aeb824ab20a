//! The inclusive scan: chunks in turn, each thread sums a chunk, waits for the sum before it, and scans the chunk
//! while it is still in its cache.
//!
//! The chained scan of Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back" (2016), without
//! the look-back, which two threads do not need.

use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::level::Kernel;
use super::stream::Shared;
use super::vector::{Vector, Wide};
use super::{ALONE, Limit};

/// Elements that a thread scans at a time. Unit: elements. Source: estimated; input and output of a chunk stay in the
/// second cache, and the hand-over is small beside the work.
const CHUNK: usize = 32_768;

/// The sum of a chunk.
struct Total<'a, T>(&'a [T]);

/// The scan of a chunk that follows elements with the sum `before`.
struct Scan<'a, T> {
    x: &'a [T],
    y: &'a mut [T],
    before: T,
}

impl<T: Wide + core::ops::Add<Output = T>> Kernel<T> for Total<'_, T> {
    type Output = T;
    #[inline(always)]
    unsafe fn run<V: Vector<Item = T>>(self) -> T {
        let x = self.0;
        let step = 4 * V::LANES;
        let blocks = x.len() / step;
        let mut items = [V::ZERO; 16];
        // SAFETY: the loads are of whole blocks inside `x`; no vector has more than 16 lanes.
        unsafe {
            let mut all = [V::splat(V::ZERO); 4];
            for block in 0..blocks {
                for (lane, value) in all.iter_mut().enumerate() {
                    *value = value.add(V::load(x.as_ptr().add(block * step + lane * V::LANES)));
                }
            }
            all[0].add(all[1]).add(all[2].add(all[3])).store(items.as_mut_ptr());
        }
        let ends = items[..V::LANES].iter().chain(&x[blocks * step..]);
        ends.fold(V::ZERO, |sum, item| sum + *item)
    }
}

impl<T: Wide + core::ops::Add<Output = T>> Kernel<T> for Scan<'_, T> {
    type Output = T;
    #[inline(always)]
    unsafe fn run<V: Vector<Item = T>>(self) -> T {
        let Self { x, y, before } = self;
        let y = &mut y[..x.len()];
        let vectors = x.len() / V::LANES;
        let mut carry = before;
        // SAFETY: whole vectors inside `x` and `y`, which are equally long.
        unsafe {
            let mut all = V::splat(before);
            // The next carry waits for one addition only: the prefixes inside the vectors are independent.
            for number in 0..vectors {
                let within = V::load(x.as_ptr().add(number * V::LANES)).prefix();
                within.add(all).store(y.as_mut_ptr().add(number * V::LANES));
                all = all.add(within.last());
            }
            if vectors > 0 {
                carry = y[vectors * V::LANES - 1];
            }
        }
        for at in vectors * V::LANES..x.len() {
            carry = carry + x[at];
            y[at] = carry;
        }
        carry
    }
}

impl Limit {
    /// `y[i] = x[0] + .. + x[i]`; returns the last.
    pub fn scan<T: Wide + core::ops::Add<Output = T>>(&self, x: &[T], y: &mut [T]) -> T {
        let n = x.len();
        if n < ALONE || self.crew.threads() == 1 {
            return self.level.run(Scan { x, y, before: T::from_bits(0) });
        }
        let to = Shared::new(y);
        let (next, ready, before) =
            (AtomicUsize::new(0), AtomicUsize::new(0), AtomicU64::new(T::from_bits(0).to_bits()));
        self.crew.run(&|_| {
            loop {
                let chunk = next.fetch_add(1, Ordering::Relaxed);
                let start = chunk * CHUNK;
                if start >= n {
                    break;
                }
                let part = start..(start + CHUNK).min(n);
                let total = self.level.run(Total(&x[part.clone()]));
                let mut spins = 0_u32;
                while ready.load(Ordering::Acquire) != chunk {
                    spins += 1;
                    // The other thread may have lost its core.
                    if spins > 10_000 { std::thread::yield_now() } else { core::hint::spin_loop() }
                }
                let value = T::from_bits(before.load(Ordering::Relaxed));
                before.store((value + total).to_bits(), Ordering::Relaxed);
                ready.store(chunk + 1, Ordering::Release);
                // SAFETY: each chunk is taken once.
                self.level.run(Scan { x: &x[part.clone()], y: unsafe { to.part(part) }, before: value });
            }
        });
        T::from_bits(before.load(Ordering::Relaxed))
    }
}
