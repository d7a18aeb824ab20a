//! The radix sort: the choice of digits, and their order.
//!
//! On the host keys are first split by their highest bits, then threads sort the parts in their caches: see
//! [`host`](super::host). If one value of those bits has too many of the keys, all keys are sorted by all digits, lowest
//! first; so they are on a device, by [`device`](super::device).

use core::ops::Range;

use spelt_core::reducers::{BOr, BitElement};
use spelt_core::{Element, ExecutionSpace, Result, ViewRef, parallel_reduce};

use super::device;
use super::host::{self, Outcome};
use super::key::{Direction, RadixBits, RadixKey};
use super::pass::{self, Blocks, PairViews, RADIX};

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
    // A constant: the host's kernels are not compiled for a device.
    let bits = if const { !S::IS_DEVICE } {
        match host::sort(space, &mut pairs, direction)? {
            Outcome::Sorted => return Ok(()),
            Outcome::Skewed(bits) => bits,
        }
    } else {
        if device::sort_few(space, &mut pairs, direction)? {
            return Ok(());
        }
        match survey(space, pairs.keys.view(), direction)? {
            (_, true) => return Ok(()),
            (bits, false) => return device::sort(space, pairs, direction, bits),
        }
    };
    let mut spare_keys = space.zeros::<K, 1>("sort: keys", [n])?;
    let mut spare_values = space.zeros::<V, 1>("sort: values", [n])?;
    let mut spare = PairViews { keys: spare_keys.view_mut(), values: spare_values.view_mut() };
    let blocks = Blocks::new(n);
    let mut table = space.zeros::<usize, 2>("sort: places", [blocks.count, RADIX])?;
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
    pass::back(space, spare, &mut pairs)
}

#[cfg(test)]
mod tests {
    use spelt_core::{Serial, View};

    use super::super::pass::tests::{COUNTED, SCATTERED};

    /// The number of times that all keys are counted and moved.
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
        assert_eq!(passes(keys(&noise)), (0, 1), "buckets");
        for n in [8193, 10_000, 16_383] {
            assert_eq!(passes((0..n).map(noise).collect()), (0, 1), "buckets of {n}");
        }
        assert_eq!(passes(keys(&|i| noise(i) & 0xF << 40)), (1, 1), "one digit, small");
        let skewed = |i: usize| if i.is_multiple_of(10) { noise(i) } else { noise(i) & 0xFF };
        assert_eq!(passes(keys(&skewed)), (8, 8), "nearly all in one bucket: every digit");
        let skewed = |i: usize| if i.is_multiple_of(10) { noise(i) & 0xFF_FF00 } else { noise(i) & 0x300 };
        assert_eq!(passes(keys(&skewed)), (3, 2), "the digits that vary");
    }
}
