//! The sort of one thread: least digit first, in slices that lie in its caches.

use core::mem::swap;
use core::ops::Range;

use spelt_core::Element;

use super::key::{Direction, RadixKey};
use super::pass::RADIX;

/// Slices of fewer elements are sorted by insertion. Source: where the square of it costs what the counts of some passes do.
const INSERTION: usize = 33;

/// Keys with their values of more bytes are split before they are sorted. Source: they and their copy fit in the second
/// cache of most processors.
const SPLIT_BYTES: usize = 1 << 19;

/// Keys with their values, of one length.
#[derive(Debug)]
pub(crate) struct Pairs<'a, K, V> {
    pub(crate) keys: &'a mut [K],
    pub(crate) values: &'a mut [V],
}

impl<K: RadixKey, V: Element> Pairs<'_, K, V> {
    fn part(&mut self, range: Range<usize>) -> Pairs<'_, K, V> {
        Pairs { keys: &mut self.keys[range.clone()], values: &mut self.values[range] }
    }

    fn copy_from(&mut self, other: &Self) {
        self.keys.copy_from_slice(other.keys);
        self.values.copy_from_slice(other.values);
    }

    fn sort_by_insertion(&mut self, direction: Direction<K::Bits>) {
        for next in 1..self.keys.len() {
            let (key, value) = (self.keys[next], self.values[next]);
            let bits = direction.bits(key);
            let mut place = next;
            while place > 0 && direction.bits(self.keys[place - 1]) > bits {
                self.keys[place] = self.keys[place - 1];
                self.values[place] = self.values[place - 1];
                place -= 1;
            }
            self.keys[place] = key;
            self.values[place] = value;
        }
    }

    /// How often each digit occurs.
    fn count(&self, direction: Direction<K::Bits>, shift: u32) -> [u32; RADIX] {
        let mut counts = [0; RADIX];
        for &key in &*self.keys {
            counts[direction.digit(key, shift)] += 1;
        }
        counts
    }

    /// Moves all to their places by the digit at `shift`, of which there are `counts`; returns the counts of the digit at
    /// `next`, which the order does not change.
    ///
    /// # Safety
    /// `to` has the length of `self`, whose keys have `counts` by the digit at `shift`.
    unsafe fn scatter(
        &self,
        to: &mut Self,
        direction: Direction<K::Bits>,
        shift: u32,
        mut counts: [u32; RADIX],
        next: u32,
    ) -> [u32; RADIX] {
        let mut place = 0;
        for count in &mut counts {
            let first = place;
            place += *count;
            *count = first;
        }
        let mut following = [0; RADIX];
        for (&key, &value) in self.keys.iter().zip(&*self.values) {
            let digit = direction.digit(key, shift);
            let place = counts[digit] as usize;
            counts[digit] += 1;
            // SAFETY: below the number of keys with this digit or a smaller one, as no digit comes more often than `counts`
            // says: keys are behind a shared reference, and have the same digit each time, as `RadixKey` is sealed.
            unsafe {
                *to.keys.get_unchecked_mut(place) = key;
                *to.values.get_unchecked_mut(place) = value;
            }
            following[direction.digit(key, next)] += 1;
        }
        following
    }
}

/// Where each digit begins, and the last one ends.
fn ends(counts: &[u32; RADIX]) -> [u32; RADIX + 1] {
    let mut ends = [0; RADIX + 1];
    for (digit, count) in counts.iter().enumerate() {
        ends[digit + 1] = ends[digit] + count;
    }
    ends
}

/// Sorts the pairs by the bits in `bits`; they lie in `spare` if `in_spare` says so, else in `pairs`, where they lie when
/// it returns. `bits` is not empty. There are at most `u32::MAX` of them; `pairs` and `spare` have one length.
///
/// Many are split by the highest digit first, so that the rest is done in the caches.
pub(crate) fn sort_alone<'a, K: RadixKey, V: Element>(
    mut pairs: Pairs<'a, K, V>,
    mut spare: Pairs<'a, K, V>,
    in_spare: bool,
    direction: Direction<K::Bits>,
    bits: Range<u32>,
) {
    let len = pairs.keys.len();
    assert!(
        len == pairs.values.len() && len == spare.keys.len() && len == spare.values.len(),
        "keys, values and what they move to have one length"
    );
    let highest = bits.end.saturating_sub(8);
    if highest <= bits.start || len.saturating_mul(size_of::<K>() + size_of::<V>()) <= SPLIT_BYTES {
        return sort_by_digits(pairs, spare, in_spare, direction, bits);
    }
    let (from, to) = if in_spare { (&spare, &mut pairs) } else { (&pairs, &mut spare) };
    let counts = from.count(direction, highest);
    // SAFETY: the lengths are one, which was tested; `counts` are of this digit.
    unsafe { from.scatter(to, direction, highest, counts, highest) };
    for range in ends(&counts).windows(2) {
        let range = range[0] as usize..range[1] as usize;
        let (pairs, spare) = (pairs.part(range.clone()), spare.part(range));
        sort_by_digits(pairs, spare, !in_spare, direction, bits.start..highest);
    }
}

/// Sorts as [`sort_alone`] does, by one digit after the other from the lowest on.
fn sort_by_digits<'a, K: RadixKey, V: Element>(
    mut pairs: Pairs<'a, K, V>,
    mut spare: Pairs<'a, K, V>,
    in_spare: bool,
    direction: Direction<K::Bits>,
    bits: Range<u32>,
) {
    let len = pairs.keys.len();
    if len < INSERTION {
        if in_spare {
            pairs.copy_from(&spare);
        }
        pairs.sort_by_insertion(direction);
        return;
    }
    let (mut from, mut to) = if in_spare { (&mut spare, &mut pairs) } else { (&mut pairs, &mut spare) };
    let mut at_home = !in_spare;
    let mut counts = from.count(direction, bits.start);
    for shift in bits.clone().step_by(8) {
        let next = if shift + 8 < bits.end { shift + 8 } else { bits.start };
        // A digit that all keys share moves nothing.
        if counts.iter().any(|&count| count as usize == len) {
            counts = from.count(direction, next);
            continue;
        }
        // SAFETY: the lengths are one, as `sort_alone` has tested; `counts` are of this digit, by `count` or the last
        // `scatter`.
        counts = unsafe { from.scatter(to, direction, shift, counts, next) };
        swap(&mut from, &mut to);
        at_home = !at_home;
    }
    if !at_home {
        to.copy_from(from);
    }
}

#[cfg(test)]
mod tests {
    use super::{Direction, Pairs, SPLIT_BYTES, sort_alone};

    #[test]
    fn what_is_split_is_sorted_too() {
        let n = SPLIT_BYTES / 8 + 1000;
        for (in_spare, bits) in [(false, 0..32), (true, 0..32), (true, 3..20), (false, 3..11), (true, 7..8)] {
            let noise = |i: usize| (i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23) as u32;
            let varying = (u32::MAX >> (32 - bits.len())) << bits.start;
            let given: Vec<u32> = (0..n).map(|i| noise(i) & varying).collect();
            let mut wanted: Vec<u32> = (0..n as u32).collect();
            wanted.sort_by_key(|&i| given[i as usize]);
            let (mut keys, mut values) = (given.clone(), (0..n as u32).collect::<Vec<_>>());
            let (mut spare_keys, mut spare_values) = (keys.clone(), values.clone());
            let pairs = Pairs { keys: &mut keys, values: &mut values };
            let spare = Pairs { keys: &mut spare_keys, values: &mut spare_values };
            sort_alone(pairs, spare, in_spare, Direction::new(false), bits);
            assert_eq!(values, wanted);
            assert!(keys.is_sorted());
        }
    }
}
