//! Contributions joined into bins: the result, and the methods to compute it.
//!
//! The result depends only on the numbers of contributions and bins: contributions are cut into contiguous
//! [blocks](fixed_blocks) by their index; those of one block and bin are joined in order; then the values of the blocks are joined
//! to the bin's value, in order. A single block joins the bin itself. No identity takes part, because it need not be neutral to the
//! last bit; a bin without contributions keeps its bits. If regrouping changes no bit (`Reducer::EXACT`), the result is the same for
//! any number of blocks, so the number may depend on the threads.
//!
//! | method | used for | work of a thread |
//! |---|---|---|
//! | [`blocks`] | as many blocks as threads, or few contributions | a thread for each block, into a copy of the bins (or, where order changes no bit, one of them into the bins) |
//! | [`buckets`] | otherwise | after a stable sort, a thread for each bucket of neighbouring bins |
//! | [`teams`] | few bins, on a device, where no order of joins changes a bit | each lane of a team into bins in scratch |
//! | [`atomics`] | otherwise on a device, where no order of joins changes a bit | a thread for each contribution |

mod atomics;
mod blocks;
mod buckets;
mod histogram;
mod partial;
mod reduce_by_index;
mod sample;
mod teams;

pub use histogram::{histogram, histogram_even};
pub use reduce_by_index::{reduce_by_index, reduce_by_index_checked};
pub use sample::SampleElement;

use spelt_core::reducers::{Reducer, Sum, SumElement};
use spelt_core::{
    Element, ExecutionSpace, Layout, MemorySpace, Result, ViewMut, ViewRef, WriteView, deep_copy_scalar,
};

/// The maximum number of blocks if it is fixed. Unit: blocks. Source: estimated: on a device one thread takes each, and joining them
/// must stay cheap for a host.
const MAX_BLOCKS: usize = 1024;

/// The minimum number of contributions for each bin of a block, if there are several blocks. Unit: contributions. Source: making and joining
/// a copy of a bin costs about as much as two contributions.
const CONTRIBUTIONS_PER_COPY: usize = 4;

/// The number of contributions up to which buckets do not pay. Unit: contributions. Source: that many joins take a thread of a
/// host about as long as the four launches of the buckets.
const FEW: usize = 8192;

/// The number of contributions up to which one thread of a host is as fast as two with buckets. Unit: contributions. Source: measured with bins of 4 MB, on
/// two cores.
const FEW_FOR_BUCKETS: usize = 1 << 17;

/// The minimum number of blocks for a device to work in blocks. Unit: blocks. Source: a warp.
const MIN_ON_DEVICE: usize = 32;

/// The number of copies for each thread in the blocks of exact reducers, if there are few bins. Unit: blocks. Source: a late thread then
/// costs a quarter of its share.
const BLOCKS_PER_THREAD: usize = 4;

/// Whether values in bins count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Begin {
    /// Contributions join them.
    AsTheyAre,
    /// Contributions replace them; bins without any become neutral.
    Neutral,
}

/// Contributions: for each `i`, `lift(values[i])` to the bin `bin(keys[i])`, or none if there is no such bin.
///
/// `bin` is called more than once, and its results determine where memory is written: it is always a function of this crate, which
/// returns the same result for the same key.
pub(crate) struct Contributions<'v, I: Element, V: Element, M: MemorySpace, LK: Layout, LV: Layout, B, F> {
    pub(crate) keys: ViewRef<'v, I, 1, M, LK>,
    pub(crate) values: ViewRef<'v, V, 1, M, LV>,
    pub(crate) bin: B,
    pub(crate) lift: F,
}

/// The number of blocks for these numbers of contributions and bins.
fn fixed_blocks(n: usize, bins: usize) -> usize {
    (n / CONTRIBUTIONS_PER_COPY / bins).clamp(1, MAX_BLOCKS)
}

/// The number of blocks on a host if any number gives the same result.
fn blocks_for_threads(n: usize, bins: usize, threads: usize) -> usize {
    if threads == 1 || n <= FEW {
        return 1;
    }
    (n / CONTRIBUTIONS_PER_COPY / bins).min(threads * BLOCKS_PER_THREAD).max(1)
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
    /// Joins all contributions to the values in `bins`.
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
        if S::IS_DEVICE {
            if R::REORDERABLE && R::EXACT {
                return match reducer.neutral() {
                    Some(neutral) if teams::fit::<T>(len) => {
                        self.in_teams(space, bins, reducer, (neutral, Begin::AsTheyAre))
                    }
                    _ => self.atomically(space, bins, reducer),
                };
            }
            let blocks = fixed_blocks(n, len);
            return if blocks >= MIN_ON_DEVICE || n <= FEW {
                self.in_blocks(space, blocks, bins, reducer)
            } else {
                self.in_buckets(space, blocks, bins, reducer)
            };
        }
        let threads = space.concurrency();
        let blocks = if R::EXACT { blocks_for_threads(n, len, threads) } else { fixed_blocks(n, len) };
        if blocks >= threads || n <= FEW_FOR_BUCKETS {
            self.in_blocks(space, blocks, bins, reducer)
        } else {
            // If any number of blocks is allowed, a single one needs no copies.
            self.in_buckets(space, if R::EXACT { 1 } else { blocks }, bins, reducer)
        }
    }

    /// Makes each bin the sum of its contributions.
    pub(crate) fn sum_into<S, T, L>(self, space: &S, bins: &mut impl WriteView<T, 1, M, L>) -> Result<()>
    where
        S: ExecutionSpace<Memory = M>,
        T: Element + SumElement,
        F: Fn(V) -> T + Copy + Sync,
        L: Layout,
    {
        let reducer = Sum::<T>::new();
        let (n, len) = (self.keys.len(), bins.read().len());
        // A constant first, so that it is compiled for no other sums.
        if const { S::IS_DEVICE && Sum::<T>::EXACT && Sum::<T>::REORDERABLE }
            && n > 0
            && len > 0
            && teams::fit::<T>(len)
        {
            return self.in_teams(space, bins.write(), reducer, (T::ZERO, Begin::Neutral));
        }
        deep_copy_scalar(bins, T::ZERO)?;
        self.join_into(space, bins.write(), reducer)
    }
}
