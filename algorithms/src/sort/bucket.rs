//! The sort of one thread: least digit first, in slices that lie in its caches.

use core::mem::swap;
use core::ops::Range;

use spelt_core::Element;

use super::key::{Direction, RadixKey};
use super::pass::RADIX;

/// Slices of fewer elements are sorted by insertion. Source: random `u32`, one core of a Xeon at 2.5 GHz.
const INSERTION: usize = 33;

/// Keys with their values, of one length.
#[derive(Debug)]
pub(crate) struct Pairs<'a, K, V> {
    pub(crate) keys: &'a mut [K],
    pub(crate) values: &'a mut [V],
}

impl<K: RadixKey, V: Element> Pairs<'_, K, V> {
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

/// Sorts the pairs by the bits in `bits`; they lie in `spare` if `in_spare` says so, else in `pairs`, where they lie when
/// it returns. `bits` is not empty. There are at most `u32::MAX` of them; `pairs` and `spare` have one length.
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
        // SAFETY: the lengths are one, which was tested; `counts` are of this digit, by `count` or the last `scatter`.
        counts = unsafe { from.scatter(to, direction, shift, counts, next) };
        swap(&mut from, &mut to);
        at_home = !at_home;
    }
    if !at_home {
        to.copy_from(from);
    }
}
