//! Contributions joined into bins: which way is taken, and what all ways agree on.
//!
//! | way | when | order of the joins of a bin |
//! |---|---|---|
//! | [`blocks`] | few bins for the contributions, or few contributions | block by block, in each by ascending index |
//! | [`buckets`] | many bins | by ascending index |
//! | [`atomics`] | many bins, on a device, where no order of joins changes a bit | as they come |
//!
//! Where regrouping changes no bit (`Reducer::EXACT`) the number of blocks may follow the threads. Else way and number follow
//! the numbers of contributions and bins alone.

mod atomics;
mod blocks;
mod buckets;

use spelt_core::reducers::Reducer;
use spelt_core::{Element, ExecutionSpace, Layout, MemorySpace, Result, ViewMut, ViewRef};

/// The most blocks of a fixed number. Unit: blocks. Source: reckoned: each is one thread's on a device, and joining them must
/// stay cheap for a host.
const MOST_BLOCKS: usize = 1024;

/// The fewest blocks of a fixed number that are worth having; with fewer, buckets share the work out better. Unit: blocks.
const FEWEST_BLOCKS: usize = 32;

/// Contributions for each element of the blocks' copies, at least: joining the copies is then a small part of the work. Unit:
/// contributions.
const CONTRIBUTIONS_PER_COPY: usize = 8;

/// Up to here contributions are so few that buckets do not pay. Unit: contributions. Source: that many joins take a thread of a
/// host about as long as the four launches of the buckets.
const FEW: usize = 8192;

/// Copies that the blocks of exact reducers make for each thread, where bins are few. Unit: blocks. Source: a late thread then
/// costs a quarter of its share.
const BLOCKS_PER_THREAD: usize = 4;

/// What the bins of one thread may take before joining them at random is slower than sorting first. Unit: bytes. Source: a share
/// of a last-level cache.
const CACHED_BYTES: usize = 16 << 20;

/// What is contributed: for each `i`, `lift(values[i])` to the bin `bin(keys[i])`, nothing where there is no such bin.
///
/// `bin` is asked more than once, and where things are written rests on its answers: it is always a function of this crate, which
/// answers alike for the same key.
pub(crate) struct Contributions<'v, I: Element, V: Element, M: MemorySpace, LK: Layout, LV: Layout, B, F> {
    pub(crate) keys: ViewRef<'v, I, 1, M, LK>,
    pub(crate) values: ViewRef<'v, V, 1, M, LV>,
    pub(crate) bin: B,
    pub(crate) lift: F,
}

/// The number of blocks for so many contributions to so many bins, or nothing where they go through buckets.
fn fixed_blocks(n: usize, bins: usize) -> Option<usize> {
    let blocks = (n / CONTRIBUTIONS_PER_COPY / bins).min(MOST_BLOCKS);
    (blocks >= FEWEST_BLOCKS || n <= FEW).then_some(blocks.max(1))
}

/// The number of blocks on a host where any will do, or nothing where contributions go through buckets.
fn blocks_for_threads(n: usize, bins: usize, bytes: usize, threads: usize) -> Option<usize> {
    let most = (n / CONTRIBUTIONS_PER_COPY / bins).max(1);
    if n > FEW && (bins.saturating_mul(bytes) > CACHED_BYTES || bins.saturating_mul(threads) > n) {
        return None;
    }
    Some(if threads == 1 || n <= FEW { 1 } else { most.clamp(threads, threads * BLOCKS_PER_THREAD) })
}

impl<I, V, M, LK, LV, B, F> Contributions<'_, I, V, M, LK, LV, B, F>
where
    I: Element,
    V: Element,
    M: MemorySpace,
    LK: Layout,
    LV: Layout,
    B: Fn(I) -> usize + Copy + Sync,
{
    /// Joins all contributions to what `bins` hold.
    pub(crate) fn join_into<S, T, R, L>(
        self,
        space: &S,
        bins: ViewMut<'_, T, 1, M, L>,
        reducer: R,
    ) -> Result<()>
    where
        S: ExecutionSpace<Memory = M>,
        T: Element,
        F: Fn(V) -> T + Copy + Sync,
        R: Reducer<Value = T, Output = T> + Copy + Send + Sync,
        L: Layout,
    {
        let (n, len) = (self.keys.len(), bins.len());
        if n == 0 || len == 0 {
            return Ok(());
        }
        if M::HOST_ACCESSIBLE && R::EXACT {
            let bytes = size_of::<T>();
            return match blocks_for_threads(n, len, bytes, space.concurrency()) {
                Some(blocks) => self.in_blocks(space, blocks, bins, reducer),
                None => self.in_buckets(space, bins, reducer),
            };
        }
        match fixed_blocks(n, len) {
            Some(blocks) => self.in_blocks(space, blocks, bins, reducer),
            None if !M::HOST_ACCESSIBLE && R::REORDERABLE => self.atomically(space, bins, reducer),
            None => self.in_buckets(space, bins, reducer),
        }
    }
}
