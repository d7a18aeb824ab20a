//! The radix sort: which digits, in which order.
//!
//! On the host the highest digit that varies is sorted first, for all keys at once; the keys with one value of it then
//! are sorted by the other digits, lowest first, by one thread and in its caches. Where one value has too many of the keys, and
//! on a device, all digits are sorted over all keys, lowest first.

use core::ops::Range;

use spelt_core::reducers::{BOr, BitElement};
use spelt_core::{
    Dynamic, Element, ExecutionSpace, MemorySpace, Result, View, ViewRef, parallel_for, parallel_reduce,
};

use super::bucket::{Pairs, sort_alone};
use super::key::{Direction, RadixBits, RadixKey};
use super::pass::{self, Blocks, PairViews, RADIX};

/// Sorts on the host of fewer keys are done by one thread. Source: about the cost of the launches of a longer one.
const ALONE: usize = 1 << 13;

/// A host's sort of fewer than 256 times as many keys makes fewer buckets: the counts of smaller ones would take longer than they.
const LEAST_BUCKET: usize = 1 << 9;

/// A bucket of a host's sort has at most one in this many of the keys, so that threads find work.
const PART: usize = 4;

/// The bits in which keys differ, and whether they are in order.
fn survey<S: ExecutionSpace, K: RadixKey>(
    space: &S,
    keys: ViewRef<'_, K, 1, S::Memory>,
    direction: Direction<K::Bits>,
) -> Result<(Range<u32>, bool)> {
    let n = keys.len();
    let (former, latter) = (keys.subview(0..n - 1), keys.subview(1..n));
    let one = K::Bits::from_u64(1);
    let (varying, descents) = parallel_reduce(
        "sort: survey",
        space.range(0..n - 1),
        (former, latter),
        move |i, (varying, descents), (former, latter)| {
            let (a, b) = (direction.bits(former[i]), direction.bits(latter[i]));
            *varying = varying.or(a.differences(b));
            *descents = descents.or(if a > b { one } else { K::Bits::NO_BITS });
        },
        (BOr::<K::Bits>::new(), BOr::<K::Bits>::new()),
    )?;
    let varying = varying.to_u64();
    // Where none varies, the keys are in order.
    let bits = varying.trailing_zeros()..u64::BITS - varying.leading_zeros();
    Ok((bits, descents == K::Bits::NO_BITS))
}

/// Sorts `pairs` by their keys, stably.
pub(crate) fn sort_pairs<S: ExecutionSpace, K: RadixKey, V: Element>(
    space: &S,
    pairs: PairViews<'_, K, V, S::Memory>,
    descending: bool,
) -> Result<()> {
    let mut pairs = PairViews { ..pairs };
    let n = pairs.keys.len();
    if n < 2 {
        return Ok(());
    }
    let direction = Direction::new(descending);
    let (bits, sorted) = survey(space, pairs.keys.view(), direction)?;
    if sorted {
        return Ok(());
    }
    let mut spare_keys = space.zeros::<K, 1>("sort: keys", [n])?;
    let mut spare_values = space.zeros::<V, 1>("sort: values", [n])?;
    let mut spare = PairViews { keys: spare_keys.view_mut(), values: spare_values.view_mut() };
    // Known when kernels are compiled: those of the host are not compiled for a device.
    if <S::Memory as MemorySpace>::HOST_ACCESSIBLE && n <= ALONE {
        return sort_buckets(space, &mut pairs, &mut spare, false, direction, bits, &[0, n]);
    }
    let blocks = Blocks::new::<S::Memory>(n);
    let mut table = space.zeros::<usize, 2>("sort: places", [blocks.count, RADIX])?;
    let width = (n / LEAST_BUCKET).max(2).ilog2().min(8);
    let highest = bits.end.saturating_sub(width);
    if <S::Memory as MemorySpace>::HOST_ACCESSIBLE && highest > bits.start {
        pass::count(space, pairs.keys.view(), direction, highest, blocks, &mut table)?;
        pass::places(space, &mut table)?;
        let mut starts = pass::starts(&table)?;
        starts.push(n);
        let largest = starts.windows(2).map(|ends| ends[1] - ends[0]).max().unwrap_or(n);
        if largest <= (n / PART).min(u32::MAX as usize) {
            pass::scatter(space, &pairs, &mut spare, direction, highest, blocks, &mut table)?;
            return sort_buckets(
                space,
                &mut pairs,
                &mut spare,
                true,
                direction,
                bits.start..highest,
                &starts,
            );
        }
    }
    let mut at_home = true;
    for shift in bits.step_by(8) {
        let (from, to) = if at_home { (&mut pairs, &mut spare) } else { (&mut spare, &mut pairs) };
        pass::count(space, from.keys.view(), direction, shift, blocks, &mut table)?;
        pass::places(space, &mut table)?;
        pass::scatter(space, from, to, direction, shift, blocks, &mut table)?;
        at_home = !at_home;
    }
    if at_home {
        return Ok(());
    }
    let PairViews { keys, values } = spare;
    let args = (keys.into_view(), values.into_view(), &mut pairs.keys, &mut pairs.values);
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

/// Sorts each bucket, which begins at one of `starts` and ends at the next, by `bits`.
fn sort_buckets<S: ExecutionSpace, K: RadixKey, V: Element>(
    space: &S,
    pairs: &mut PairViews<'_, K, V, S::Memory>,
    spare: &mut PairViews<'_, K, V, S::Memory>,
    in_spare: bool,
    direction: Direction<K::Bits>,
    bits: Range<u32>,
    starts: &[usize],
) -> Result<()> {
    assert!(starts.is_sorted(), "buckets follow each other");
    let starts = View::from_vec("sort: starts", [starts.len()], starts.to_vec())?.to_space(space)?;
    let (first, end) = (bits.start, bits.end);
    let policy = space.range(0..starts.len() - 1).chunk(1).schedule(Dynamic);
    // SAFETY: the starts rise, which was tested, so buckets do not overlap.
    let (keys, values) = unsafe { (pairs.keys.distinct(), pairs.values.distinct()) };
    // SAFETY: as above.
    let (spare_keys, spare_values) = unsafe { (spare.keys.distinct(), spare.values.distinct()) };
    parallel_for(
        "sort: buckets",
        policy,
        (starts.lookup(), keys, values, spare_keys, spare_values),
        move |bucket, (starts, mut keys, mut values, mut spare_keys, mut spare_values)| {
            let range = starts[bucket.get()]..starts[bucket.get() + 1];
            let parts = (
                keys.slice_mut(range.clone()),
                values.slice_mut(range.clone()),
                spare_keys.slice_mut(range.clone()),
                spare_values.slice_mut(range),
            );
            if let (Some(keys), Some(values), Some(spare_keys), Some(spare_values)) = parts {
                let pairs = Pairs { keys, values };
                let spare = Pairs { keys: spare_keys, values: spare_values };
                sort_alone(pairs, spare, in_spare, direction, first..end);
            }
        },
    )
}

#[cfg(test)]
mod tests {
    use spelt_core::{Serial, View};

    use super::super::pass::tests::{COUNTED, SCATTERED};

    /// How often all keys are counted and moved to sort them.
    fn passes(keys: Vec<u64>) -> (usize, usize) {
        let before = (COUNTED.get(), SCATTERED.get());
        let mut keys = View::from_vec("keys", [keys.len()], keys).expect("one dimension");
        crate::sort(&Serial::new(), &mut keys).expect("memory");
        assert!(keys.as_slice().is_some_and(|keys| keys.is_sorted()));
        (COUNTED.get() - before.0, SCATTERED.get() - before.1)
    }

    #[test]
    fn passes_are_as_many_as_documented() {
        let n = 20_000;
        let noise = |i: usize| (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23);
        let keys = |f: &dyn Fn(usize) -> u64| (0..n).map(f).collect::<Vec<_>>();
        assert_eq!(passes((0..8000).map(noise).collect()), (0, 0), "few keys: one thread");
        assert_eq!(passes(keys(&|i| i as u64)), (0, 0), "sorted");
        assert_eq!(passes(keys(&noise)), (1, 1), "buckets");
        assert_eq!(passes(keys(&|i| noise(i) & 0xF << 40)), (1, 1), "one digit, small");
        let skewed = |i: usize| if i.is_multiple_of(10) { noise(i) } else { noise(i) & 0xFF };
        assert_eq!(passes(keys(&skewed)), (9, 8), "nearly all in one bucket: every digit");
        let skewed = |i: usize| if i.is_multiple_of(10) { noise(i) & 0xFF_FF00 } else { noise(i) & 0x300 };
        assert_eq!(passes(keys(&skewed)), (3, 2), "the digits that vary");
    }
}
