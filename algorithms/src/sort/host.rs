//! The sort of a host: all keys are split once by their highest bits, into parts that threads sort in their caches.
//!
//! The first pass finds the bits that vary and whether the keys are in order, and counts the prefixes of the keys, on the assumption
//! that the highest bits vary; neighbouring prefixes with few keys make a [bucket](super::split). Keys move to their buckets through
//! [lines](super::lines), and from there through the scratch space of a thread to their places.

use core::ops::Range;
use core::sync::atomic::{AtomicUsize, Ordering};

use spelt_core::reducers::{BOr, BitElement};
use spelt_core::{Element, ExecutionSpace, Result, View, ViewRef, parallel_for, parallel_reduce};

use super::bucket::{Pairs, Scratch};
use super::key::{Direction, RadixBits, RadixKey};
use super::look::{Prefix, look};
use super::memory::Memory;
use super::pass::{Blocks, PairViews};
use super::split::{self, Buckets};

/// Fewer keys are sorted by one thread. Source: about the cost of the launches of a longer sort.
const ALONE: usize = 1 << 13;

/// The binary logarithm of the minimum number of keys for each prefix. Source: the counts must be small in comparison.
const PER_PREFIX: u32 = 6;

/// The binary logarithm of the minimum number of a block's keys for each prefix. Source: as for `PER_PREFIX`.
const PER_PREFIX_AND_BLOCK: u32 = 4;

/// Blocks for each thread. Unit: blocks. Source: a late thread costs an eighth of its share.
const BLOCKS_PER_THREAD: usize = 8;

/// A bucket has at most one in this many of the keys, so that threads find work.
pub(super) const PART: usize = 4;

/// The size of a thread's buffer for sorting, of which it has two. Unit: bytes. Source: both, with source and destination, fit into
/// 2 MB of second-level cache.
const SCRATCH: usize = 3 << 18;

/// The outcome of a sort.
pub(super) enum Outcome {
    Sorted,
    /// Nothing has moved: too many keys share a prefix. They vary in these bits.
    Skewed(Range<u32>),
}

/// Sorts two keys or more, with their values.
pub(super) fn sort<S: ExecutionSpace, K: RadixKey, V: Element>(
    space: &S,
    pairs: &mut PairViews<'_, K, V, S::Memory>,
    direction: Direction<K::Bits>,
) -> Result<Outcome> {
    let n = pairs.keys.len();
    let alone = n <= ALONE;
    let all = 8 * size_of::<K::Bits>() as u32;
    let prefix = if alone { Prefix::NONE } else { Prefix::of(&(0..all), n.ilog2() - PER_PREFIX) };
    let most = if alone { 1 } else { BLOCKS_PER_THREAD * space.concurrency() };
    let blocks = Blocks::even(n, most.min(n >> (prefix.width + PER_PREFIX_AND_BLOCK)));
    let mut table = space.zeros::<u32, 2>("sort: prefixes", [blocks.count, prefix.values()])?;
    let (bits, sorted) = survey(space, pairs.keys.view(), direction, prefix, blocks, &mut table)?;
    if sorted {
        return Ok(Outcome::Sorted);
    }
    if alone {
        let buckets = Buckets::one(n, bits.end);
        let none = (View::zeros("sort: map", [0])?, View::zeros("sort: places", [0; 2])?);
        // A bucket in `pairs` is sorted in the scratch space as a whole: it has few keys, for any size of the values.
        let mut memory = Memory::new(space, 0, [1, 2 * n], &none.0, &none.1)?;
        let scratch = (&mut memory.scratch_keys, &mut memory.scratch_values);
        sort_buckets(space, pairs, None, scratch, direction, &bits, &buckets)?;
        return Ok(Outcome::Sorted);
    }
    let prefix = if bits.end == all {
        prefix
    } else {
        let prefix = Prefix::of(&bits, prefix.width);
        split::count(space, pairs.keys.view(), direction, prefix, blocks, &mut table)?;
        prefix
    };
    let (buckets, map, places) = Buckets::new(&table, prefix, n)?;
    if buckets.largest() > (n / PART).min(u32::MAX as usize) {
        return Ok(Outcome::Skewed(bits));
    }
    let workers = if buckets.list().len() == 2 { 1 } else { space.concurrency() };
    let room = buckets.largest().min(SCRATCH / (size_of::<K>() + size_of::<V>()));
    let mut memory = Memory::new(space, n, [workers, 2 * room], &map, &places)?;
    let Memory { spare_keys, spare_values, scratch_keys, scratch_values, map, places, .. } = &mut memory;
    let mut spare = PairViews { keys: spare_keys.view_mut(), values: spare_values.view_mut() };
    split::scatter(space, pairs, &mut spare, direction, prefix, blocks, map, places)?;
    sort_buckets(space, pairs, Some(&mut spare), (scratch_keys, scratch_values), direction, &bits, &buckets)?;
    Ok(Outcome::Sorted)
}

/// The bits in which keys differ, and whether they are in order; counts the prefixes of each block.
fn survey<S: ExecutionSpace, K: RadixKey>(
    space: &S,
    keys: ViewRef<'_, K, 1, S::Memory>,
    direction: Direction<K::Bits>,
    prefix: Prefix,
    blocks: Blocks,
    table: &mut View<u32, 2, S::Memory>,
) -> Result<(Range<u32>, bool)> {
    let (varying, descents) = parallel_reduce(
        "sort: survey",
        space.range(0..blocks.count).chunk(1),
        (keys.lookup(), table.by_rows_mut()),
        move |block, (varying, descents), (keys, mut table)| {
            let all = keys.as_slice();
            let keys = blocks.of(all, block.get());
            let before = blocks.start(block.get()).checked_sub(1).and_then(|last| all.get(last)).copied();
            let (varies, descends) = look(keys, before, direction, prefix, &mut table[block]);
            *varying = varying.or(varies);
            *descents = descents.or(descends);
        },
        (BOr::<K::Bits>::new(), BOr::<K::Bits>::new()),
    )?;
    let varying = varying.to_u64();
    // If no bit varies, the keys are in order.
    let bits = varying.trailing_zeros()..u64::BITS - varying.leading_zeros();
    Ok((bits, descents == K::Bits::NO_BITS))
}

/// Sorts each bucket of `spare`, or else of `pairs`, to its place in `pairs`, by as many workers as `scratch` has rows.
fn sort_buckets<S: ExecutionSpace, K: RadixKey, V: Element>(
    space: &S,
    pairs: &mut PairViews<'_, K, V, S::Memory>,
    spare: Option<&mut PairViews<'_, K, V, S::Memory>>,
    scratch: (&mut View<K, 2, S::Memory>, &mut View<V, 2, S::Memory>),
    direction: Direction<K::Bits>,
    bits: &Range<u32>,
    buckets: &Buckets,
) -> Result<()> {
    let list = buckets.list();
    assert!(list.is_sorted_by(|a, b| a.0 <= b.0), "buckets follow each other");
    let workers = scratch.0.extent(0);
    let list = View::from_vec("sort: buckets", [list.len()], list.to_vec())?.to_space(space)?;
    // Threads take buckets as they come, each with scratch space that stays in its caches.
    let taken = AtomicUsize::new(0);
    let (taken, first) = (&taken, bits.start);
    // SAFETY: the starts rise, which was tested, and each bucket is taken once: no two iterations have an element.
    let (keys, values) = unsafe { (pairs.keys.distinct(), pairs.values.distinct()) };
    let scratch = (scratch.0.by_rows_mut(), scratch.1.by_rows_mut());
    let policy = space.range(0..workers).chunk(1);
    let Some(spare) = spare else {
        return parallel_for(
            "sort: bucket",
            policy,
            (list.lookup(), keys, values, scratch.0, scratch.1),
            move |worker, (list, mut keys, mut values, mut scratch_keys, mut scratch_values)| {
                let mut scratch = Scratch::new(&mut scratch_keys[worker], &mut scratch_values[worker]);
                let range = list[0].0..list[1].0;
                if let (Some(keys), Some(values)) = (keys.slice_mut(range.clone()), values.slice_mut(range)) {
                    let mut pairs = Pairs::new(keys, values);
                    scratch.sort_in_caches(None, &mut pairs, direction, first..list[0].1);
                }
            },
        );
    };
    // SAFETY: the starts rise and `spare` is laid out as `pairs` is, so that one bucket's places are no other's; each
    // bucket is taken once.
    let (spare_keys, spare_values) = unsafe { (spare.keys.distinct(), spare.values.distinct()) };
    parallel_for(
        "sort: buckets",
        policy,
        (list.lookup(), keys, values, spare_keys, spare_values, scratch.0, scratch.1),
        move |worker,
              (
            list,
            mut keys,
            mut values,
            mut from_keys,
            mut from_values,
            mut room_keys,
            mut room_values,
        )| {
            let mut scratch = Scratch::new(&mut room_keys[worker], &mut room_values[worker]);
            loop {
                let bucket = taken.fetch_add(1, Ordering::Relaxed);
                if bucket + 1 >= list.extent(0) {
                    break;
                }
                let ((start, end_bit), (end, _)) = (list[bucket], list[bucket + 1]);
                let parts = (
                    keys.slice_mut(start..end),
                    values.slice_mut(start..end),
                    from_keys.slice_mut(start..end),
                    from_values.slice_mut(start..end),
                );
                if let (Some(keys), Some(values), Some(from_keys), Some(from_values)) = parts {
                    let from = Pairs::new(from_keys, from_values);
                    scratch.sort(from, Pairs::new(keys, values), direction, first..end_bit.max(first));
                }
            }
        },
    )
}

#[cfg(test)]
mod tests {
    use spelt_core::{Element, Serial, View};

    /// Sorts enough keys to exceed the caches, with values of a type.
    fn check<V: Element + PartialEq + core::fmt::Debug>(n: usize, value: impl Fn(usize) -> V) {
        let keys: Vec<u64> =
            (0..n as u64).map(|i| (i + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40 << 30).collect();
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by_key(|&i| keys[i]);
        let mut values = View::from_vec("values", [n], (0..n).map(&value).collect()).expect("one dimension");
        let mut keys = View::from_vec("keys", [n], keys).expect("one dimension");
        crate::sort_by_key(&Serial::new(), &mut keys, &mut values).expect("memory");
        assert!(keys.as_slice().is_some_and(|keys| keys.is_sorted()));
        assert!(
            values
                .as_slice()
                .is_some_and(|values| values.iter().eq(&order.into_iter().map(value).collect::<Vec<_>>()))
        );
    }

    #[test]
    fn many_keys_are_sorted_past_the_caches() {
        check(400_001, |i| i as u32);
        check(400_001, |i| (i as u8, i as u32));
        check(400_001, |i| [i as u8, (i >> 8) as u8, (i >> 16) as u8]);
        check(525_001, |_| ());
    }

    #[test]
    fn few_keys_may_have_values_that_leave_the_caches() {
        check(6000, |i| [i as u64; 16]);
        check(8192, |i| [i as u64; 16]);
        check(763, |i| [i as u8; 1024]);
    }
}
