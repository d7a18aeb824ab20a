//! The limit: each case as well as we can write it by hand for this processor, in AVX-512 or AVX2 and with threads
//! that spin.
//!
//! It promises less than Spelt does: sums join in the fastest order, locations are right only for data without
//! NaN, and nothing is checked. `Vector` is the instruction trait, each algorithm is written once over it, [`Crew`] are the
//! threads. There is no limit on other processors.

mod crew;
mod exponentials;
mod level;
mod reduce;
mod scan;
mod stream;
mod vector;

use core::ops::Range;
use core::sync::atomic::{AtomicU64, Ordering};

use crossbeam_utils::CachePadded;

pub use crew::Crew;
pub use level::Level;
pub use vector::{Narrow, Vector, Wide};

/// Runs of fewer elements stay on the caller. Unit: elements. Source: estimated; a crew of two meets in some 200 ns, in
/// which one core sums twice as many numbers from its first cache.
const ALONE: usize = 16_384;

/// Elements whose borders threads may share: a multiple of every vector, and of a cache line. Unit: elements.
const GRAIN: usize = 64;

/// The threads and the instruction set of the limit.
#[derive(Debug)]
pub struct Limit {
    crew: Crew,
    level: Level,
    /// A line for each thread, with its result and its progress.
    slots: Vec<CachePadded<[AtomicU64; 4]>>,
}

impl Limit {
    /// `None` where the processor has none of the instruction sets.
    #[must_use]
    pub fn new(threads: usize) -> Option<Self> {
        let slots = (0..threads).map(|_| CachePadded::default()).collect();
        Some(Self { level: Level::of_this_processor()?, crew: Crew::new(threads), slots })
    }

    /// The instruction set in use.
    #[must_use]
    pub fn level(&self) -> Level {
        self.level
    }

    /// Calls `part(thread, range)` for each thread's share of `0..n`; returns the number of shares.
    #[inline]
    fn share(&self, n: usize, part: impl Fn(usize, Range<usize>) + Sync) -> usize {
        let threads = self.crew.threads();
        if n < ALONE || threads == 1 {
            part(0, 0..n);
            return 1;
        }
        let length = n.div_ceil(threads).next_multiple_of(GRAIN);
        self.crew.run(&|thread| part(thread, (thread * length).min(n)..((thread + 1) * length).min(n)));
        threads
    }

    /// Joins the results of `part` for each thread's share of `0..n`.
    #[inline]
    fn gather<P: Partial>(
        &self,
        n: usize,
        part: impl Fn(Range<usize>) -> P + Sync,
        join: impl Fn(P, P) -> P,
    ) -> P {
        let shares = self.share(n, |thread, range| {
            let words = part(range).into_words();
            // The end of the run publishes them.
            self.slots[thread].iter().zip(words).for_each(|(slot, word)| slot.store(word, Ordering::Relaxed));
        });
        let found = |thread: usize| {
            P::from_words(self.slots[thread].each_ref().map(|slot| slot.load(Ordering::Relaxed)))
        };
        (1..shares).map(found).fold(found(0), join)
    }
}

/// The result of one thread, in four words.
trait Partial {
    fn into_words(self) -> [u64; 4];
    fn from_words(words: [u64; 4]) -> Self;
}

impl<T: Wide> Partial for T {
    #[inline(always)]
    fn into_words(self) -> [u64; 4] {
        [self.to_bits(), 0, 0, 0]
    }
    #[inline(always)]
    fn from_words([value, ..]: [u64; 4]) -> Self {
        T::from_bits(value)
    }
}

impl<T: Wide> Partial for (T, usize) {
    #[inline(always)]
    fn into_words(self) -> [u64; 4] {
        [self.0.to_bits(), self.1 as u64, 0, 0]
    }
    #[inline(always)]
    fn from_words([value, place, ..]: [u64; 4]) -> Self {
        (T::from_bits(value), place as usize)
    }
}

impl<T: Wide> Partial for [(T, usize); 2] {
    #[inline(always)]
    fn into_words(self) -> [u64; 4] {
        let [(low, low_at), (high, high_at)] = self;
        [low.to_bits(), low_at as u64, high.to_bits(), high_at as u64]
    }
    #[inline(always)]
    fn from_words([low, low_at, high, high_at]: [u64; 4]) -> Self {
        [(T::from_bits(low), low_at as usize), (T::from_bits(high), high_at as usize)]
    }
}
