//! The first few keys in sorted order, on a host: each block of keys is read once, and keys beyond the last of its best are passed over
//! in vectors.

use core::mem::take;
use std::sync::{Mutex, PoisonError};

use spelt_core::isa::{Work, dispatch};
use spelt_core::reducers::BitElement;
use spelt_core::{ExecutionSpace, Result, ViewRef, parallel_for};

use crate::room::{filled, room};
use crate::sort::{Blocks, Direction, RadixBits, RadixKey};

/// Keys that are compared with the bound before one of them is looked at. Unit: keys. Source: four registers of 512 bits of `u32`.
const TOGETHER: usize = 64;

/// Blocks for each thread. Unit: blocks. Source: a late thread costs a quarter of its share.
const BLOCKS_PER_THREAD: usize = 4;

/// The minimum number of keys of a block for each one that is wanted, if there are more blocks than threads. Unit: keys. Source: then a
/// hundredth of them is looked at singly.
const KEYS_PER_WANTED: usize = 1 << 12;

/// The minimum number of keys of a block. Unit: keys. Source: some microseconds of work.
const SHORTEST: usize = 1 << 14;

/// A key by its bits, and the rank of its index among equal keys.
pub(crate) type Ranked<B> = (B, usize);

/// The `k` first of `keys`, in order; of equal keys the one with the smaller index is first, or with the larger if `backwards`.
///
/// Each has its bits and, if `backwards`, the complement of its index instead of the index. `k` is neither 0 nor larger than the number
/// of keys.
pub(crate) fn best_keys<S: ExecutionSpace, K: RadixKey>(
    space: &S,
    keys: ViewRef<'_, K, 1, S::Memory>,
    k: usize,
    direction: Direction<K::Bits>,
    backwards: bool,
) -> Result<Vec<Ranked<K::Bits>>> {
    let (n, threads) = (keys.len(), space.concurrency());
    let most = (n / KEYS_PER_WANTED / k).clamp(threads, BLOCKS_PER_THREAD * threads);
    let blocks = Blocks::even(n, most.min(n / SHORTEST));
    let mut lists = Vec::new();
    for _ in 0..blocks.count {
        lists.push(Mutex::new(filled((K::Bits::NO_BITS, 0), 2 * k + TOGETHER, "candidates of a block")?));
    }
    let found = &lists;
    parallel_for("top_k: blocks", space.range(0..blocks.count).chunk(1), keys.lookup(), |block, keys| {
        let block = block.get();
        let mut list = found[block].lock().unwrap_or_else(PoisonError::into_inner);
        let (keys, first) = (blocks.of(keys.as_slice(), block), blocks.start(block));
        let held = dispatch(Scan { keys, first, k, direction, backwards, list: &mut list });
        list.truncate(held);
    })?;
    let mut lists: Vec<_> =
        lists.iter_mut().map(|list| take(list.get_mut().unwrap_or_else(PoisonError::into_inner))).collect();
    let mut best = room(lists.iter().map(Vec::len).sum(), "candidates of all blocks")?;
    lists.iter_mut().for_each(|list| best.append(list));
    keep(&mut best, k);
    best.truncate(k);
    best.sort_unstable();
    Ok(best)
}

/// Puts the first `k` of a list at its beginning, in any order but for the last of them.
fn keep<B: RadixBits>(list: &mut [Ranked<B>], k: usize) {
    if list.len() > k {
        list.select_nth_unstable(k - 1);
    }
}

/// The first `k` keys of a block, and perhaps some more: `list` has room for twice as many and `TOGETHER`.
struct Scan<'a, K: RadixKey> {
    keys: &'a [K],
    /// The index of the first key.
    first: usize,
    k: usize,
    direction: Direction<K::Bits>,
    backwards: bool,
    list: &'a mut [Ranked<K::Bits>],
}

impl<K: RadixKey> Work for Scan<'_, K> {
    /// The number of those in the list.
    type Output = usize;

    #[inline(always)]
    fn run(self) -> usize {
        let Self { keys, first, k, direction, backwards, list } = self;
        let (mut held, mut bound) = (0, None);
        // Keys come in the order in which equal ones are taken, so that one equal to the bound is beyond it.
        for number in 0..keys.len().div_ceil(TOGETHER) {
            let place = if backwards { keys.len().div_ceil(TOGETHER) - 1 - number } else { number };
            let start = place * TOGETHER;
            let together = &keys[start..keys.len().min(start + TOGETHER)];
            if let Some(bound) = bound
                && !any_before(together, direction, bound)
            {
                continue;
            }
            for number in 0..together.len() {
                let at = if backwards { together.len() - 1 - number } else { number };
                let (bits, index) = (direction.bits(together[at]), first + start + at);
                // Without a branch, of which each would be a surprise.
                list[held] = (bits, if backwards { !index } else { index });
                held += usize::from(bound.is_none_or(|bound| bits < bound));
            }
            if held >= 2 * k {
                keep(&mut list[..held], k);
                (held, bound) = (k, Some(list[k - 1].0));
            }
        }
        held
    }
}

/// Whether one of the keys is before the bound.
#[inline(always)]
fn any_before<K: RadixKey>(keys: &[K], direction: Direction<K::Bits>, bound: K::Bits) -> bool {
    let before = |any, key: &K| any | (direction.bits(*key) < bound);
    match keys.first_chunk::<TOGETHER>() {
        Some(keys) => keys.iter().fold(false, before),
        None => keys.iter().fold(false, before),
    }
}
