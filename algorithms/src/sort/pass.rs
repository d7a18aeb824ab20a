//! One pass of a radix sort over all keys: counts for each block, their prefixes, and the move to the new places.
//!
//! A key's new place is the number of keys with smaller digits, plus the number of those with its digit in earlier blocks and before
//! it in its own block. So no two keys have the same place, and keys with the same digit keep their order.

use spelt_core::reducers::Sum;
use spelt_core::subview::All;
use spelt_core::{
    Element, ExecutionSpace, Left, MemorySpace, Result, View, ViewMut, ViewRef, parallel_for, parallel_scan,
};

use super::key::{Direction, RadixKey};

/// The number of values of a digit: of 8 bits, so that the counts of a block stay in the first cache, and the lines that
/// a block writes to in the second.
pub(crate) const RADIX: usize = 256;

/// Blocks on the host have at least this many keys, so that the counts are small beside them.
const HOST_BLOCK: usize = 1 << 13;

/// Sorts on the host have at most this number of blocks: several for each thread.
const MAX_HOST_BLOCKS: usize = 256;

/// The most keys of a block, so that `u32` counts them.
const LONGEST_BLOCK: usize = 1 << 30;

/// The division of keys into contiguous blocks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blocks {
    keys: usize,
    len: usize,
    pub(crate) count: usize,
}

impl Blocks {
    /// The blocks of `keys` keys on a host.
    pub(crate) fn new(keys: usize) -> Self {
        let len = HOST_BLOCK.max(keys.div_ceil(MAX_HOST_BLOCKS)).min(LONGEST_BLOCK);
        Self { keys, len, count: keys.div_ceil(len) }
    }

    /// About `count` blocks of `keys` keys.
    pub(crate) fn even(keys: usize, count: usize) -> Self {
        let len = keys.div_ceil(count.max(1)).clamp(1, LONGEST_BLOCK);
        Self { keys, len, count: keys.div_ceil(len) }
    }

    /// The index of the first key of a block.
    #[inline(always)]
    pub(crate) fn start(&self, block: usize) -> usize {
        block * self.len
    }

    /// The keys of a block.
    #[inline(always)]
    pub(crate) fn of<'s, T>(&self, all: &'s [T], block: usize) -> &'s [T] {
        let start = self.start(block);
        all.get(start..self.keys.min(start + self.len)).unwrap_or(&[])
    }
}

/// Gives row `b` of `table` the number of keys of block `b` with each digit at `shift`.
pub(crate) fn count<S: ExecutionSpace, K: RadixKey>(
    space: &S,
    keys: ViewRef<'_, K, 1, S::Memory>,
    direction: Direction<K::Bits>,
    shift: u32,
    blocks: Blocks,
    table: &mut View<usize, 2, S::Memory>,
) -> Result<()> {
    #[cfg(test)]
    tests::COUNTED.set(tests::COUNTED.get() + 1);
    let policy = space.range(0..blocks.count).chunk(1);
    parallel_for(
        "sort: count",
        policy,
        (keys.lookup(), table.by_rows_mut()),
        move |block, (keys, mut table)| {
            // Neighbours count separately, so that a key need not wait for the count of an equal one before it.
            let mut counts = [[0_u32; 2]; RADIX];
            let (twos, rest) = blocks.of(keys.as_slice(), block.get()).as_chunks::<2>();
            for two in twos {
                for (way, &key) in two.iter().enumerate() {
                    counts[direction.digit(key, shift)][way] += 1;
                }
            }
            for &key in rest {
                counts[direction.digit(key, shift)][0] += 1;
            }
            for (place, counts) in table[block].iter_mut().zip(&counts) {
                *place = counts.iter().map(|&count| count as usize).sum();
            }
        },
    )
}

/// Turns the counts into places: the keys of smaller digits, and of the same digit in earlier blocks, come first.
pub(crate) fn places<S: ExecutionSpace>(space: &S, table: &mut View<usize, 2, S::Memory>) -> Result<()> {
    let [blocks, digits] = table.extents();
    let mut by_digit: ViewMut<'_, usize, 2, S::Memory, Left> = table.transposed_mut();
    parallel_scan(
        "sort: places",
        space.md_range([0..digits, 0..blocks]),
        &mut by_digit,
        move |i, sum, last, mut places| {
            let count = places[i];
            if last {
                places[i] = *sum;
            }
            *sum += count;
        },
        Sum::<usize>::new(),
    )
    .map(drop)
}

/// The first place of each digit: [`places`] has stored them in the first block's counts.
pub(crate) fn starts<M: MemorySpace>(table: &View<usize, 2, M>) -> Result<Vec<usize>> {
    Ok(table.subview((0, All)).to_host()?.to_vec())
}

/// Keys with their values, in Views of one extent.
#[derive(Debug)]
pub(crate) struct PairViews<'v, K: Element, V: Element, M: MemorySpace> {
    pub(crate) keys: ViewMut<'v, K, 1, M>,
    pub(crate) values: ViewMut<'v, V, 1, M>,
}

/// Moves every key of `from`, with its value, to its place in `to`.
///
/// `table` is from [`count`] and [`places`], for the same keys, direction and shift; its places advance.
pub(crate) fn scatter<S: ExecutionSpace, K: RadixKey, V: Element>(
    space: &S,
    from: &PairViews<'_, K, V, S::Memory>,
    to: &mut PairViews<'_, K, V, S::Memory>,
    direction: Direction<K::Bits>,
    shift: u32,
    blocks: Blocks,
    table: &mut View<usize, 2, S::Memory>,
) -> Result<()> {
    #[cfg(test)]
    tests::SCATTERED.set(tests::SCATTERED.get() + 1);
    // SAFETY: the places of a block and digit begin where `table` says and are as many as its keys with that digit, which
    // `count` has found: by the prefixes no two blocks or digits share one. The keys are not written in between, and their
    // digits are always the same ones, as `RadixKey` is sealed.
    let (keys, values) = unsafe { (to.keys.distinct(), to.values.distinct()) };
    let policy = space.range(0..blocks.count).chunk(1);
    let args = (from.keys.view().lookup(), from.values.view().lookup(), table.by_rows_mut(), keys, values);
    parallel_for(
        "sort: scatter",
        policy,
        args,
        move |block, (keys, values, mut table, mut to_keys, mut to_values)| {
            let Some(row) = table[block].first_chunk_mut::<RADIX>() else { return };
            let keys = blocks.of(keys.as_slice(), block.get());
            let values = blocks.of(values.as_slice(), block.get());
            for (&key, &value) in keys.iter().zip(values) {
                let digit = direction.digit(key, shift);
                let place = row[digit];
                row[digit] += 1;
                if let Some(to) = to_keys.get_mut(place) {
                    *to = key;
                }
                if let Some(to) = to_values.get_mut(place) {
                    *to = value;
                }
            }
        },
    )
}

/// Copies the pairs of `from` to `to`, after passes that have ended there.
pub(crate) fn back<S: ExecutionSpace, K: Element, V: Element>(
    space: &S,
    from: PairViews<'_, K, V, S::Memory>,
    to: &mut PairViews<'_, K, V, S::Memory>,
) -> Result<()> {
    let n = from.keys.len();
    let args = (from.keys.into_view(), from.values.into_view(), &mut to.keys, &mut to.values);
    parallel_for(
        "sort: back",
        space.range(0..n),
        args,
        move |i, (keys, values, mut to_keys, mut to_values)| {
            to_keys[i] = keys[i];
            to_values[i] = values[i];
        },
    )
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::Cell;

    std::thread_local! {
        /// The number of times that this thread counted and moved all keys.
        pub(crate) static COUNTED: Cell<usize> = const { Cell::new(0) };
        pub(crate) static SCATTERED: Cell<usize> = const { Cell::new(0) };
    }
}
