//! The sort of one thread: least digit first, through arrays that stay in its caches.

use core::mem::swap;
use core::ops::Range;

use spelt_core::Element;

use super::digit::{Counts, Digit, Digits, Scatter, WIDEST, digits};
use super::key::{Direction, RadixKey};

/// Fewer elements are sorted by insertion. Source: here its quadratic cost equals that of the counts of some passes.
const INSERTION: usize = 33;

/// The bits of a digit that splits a bucket too large for the scratch space.
const SPLIT: u32 = 8;

/// Keys with their values, of one length.
#[derive(Debug)]
pub(super) struct Pairs<'a, K, V> {
    pub(super) keys: &'a mut [K],
    pub(super) values: &'a mut [V],
}

impl<'a, K: RadixKey, V: Element> Pairs<'a, K, V> {
    /// Keys and values of the same length.
    pub(super) fn new(keys: &'a mut [K], values: &'a mut [V]) -> Self {
        assert!(keys.len() == values.len(), "every key has a value");
        Self { keys, values }
    }

    fn part(&mut self, range: Range<usize>) -> Pairs<'_, K, V> {
        Pairs { keys: &mut self.keys[range.clone()], values: &mut self.values[range] }
    }

    fn copy_from(&mut self, other: &Pairs<'_, K, V>) {
        self.keys.copy_from_slice(other.keys);
        self.values.copy_from_slice(other.values);
    }

    /// Sorts by insertion; gives up, with equal keys still in order, after moving more than `moves` elements.
    fn sort_by_insertion(&mut self, direction: Direction<K::Bits>, mut moves: usize) -> bool {
        let mut last = match self.keys.first() {
            Some(&key) => direction.bits(key),
            None => return true,
        };
        for next in 1..self.keys.len().min(self.values.len()) {
            let key = self.keys[next];
            let bits = direction.bits(key);
            if last <= bits {
                last = bits;
                continue;
            }
            let value = self.values[next];
            let mut place = next;
            while place > 0 && direction.bits(self.keys[place - 1]) > bits {
                self.keys[place] = self.keys[place - 1];
                self.values[place] = self.values[place - 1];
                place -= 1;
            }
            self.keys[place] = key;
            self.values[place] = value;
            match moves.checked_sub(next - place) {
                Some(rest) => moves = rest,
                None => return false,
            }
        }
        true
    }
}

/// Room for one thread's sorts.
pub(super) struct Scratch<'a, K, V> {
    one: Pairs<'a, K, V>,
    other: Pairs<'a, K, V>,
    counts: [Counts; 2],
}

impl<'a, K: RadixKey, V: Element> Scratch<'a, K, V> {
    /// Halves are used in turn.
    pub(super) fn new(keys: &'a mut [K], values: &'a mut [V]) -> Self {
        let half = keys.len().min(values.len()) / 2;
        let (keys, values) = (keys.split_at_mut(half), values.split_at_mut(half));
        Self {
            one: Pairs::new(keys.0, values.0),
            other: Pairs::new(&mut keys.1[..half], &mut values.1[..half]),
            counts: [[0; 1 << WIDEST]; 2],
        }
    }

    /// Sorts the pairs of `from` by `bits` into `to`. `from` is overwritten. There are at most `u32::MAX` of them.
    pub(super) fn sort(
        &mut self,
        mut from: Pairs<'_, K, V>,
        mut to: Pairs<'_, K, V>,
        direction: Direction<K::Bits>,
        bits: Range<u32>,
    ) {
        let len = from.keys.len();
        if len <= self.one.keys.len() || bits.is_empty() {
            return self.sort_in_caches(Some(&from), &mut to, direction, bits);
        }
        let split = bits.end.saturating_sub(SPLIT).max(bits.start);
        let digit = Digit::new(direction, split, bits.end - split);
        let mut ends = [0; 1 << WIDEST];
        digit.count(from.keys, &mut ends);
        // SAFETY: just counted.
        unsafe { Scatter { from: &from, to: &mut to, digit, counts: &mut ends, next: None }.now() };
        // Places have advanced from the beginnings to the ends.
        let mut start = 0;
        for &end in &*digit.values(&mut ends) {
            let range = start..end as usize;
            start = range.end;
            if split == bits.start {
                continue;
            }
            let (mut from, mut to) = (from.part(range.clone()), to.part(range));
            if to.keys.len() <= self.one.keys.len() {
                self.sort_in_caches(None, &mut to, direction, bits.start..split);
            } else {
                from.copy_from(&to);
                self.sort(from, to, direction, bits.start..split);
            }
        }
    }

    /// Sorts the pairs of `from`, or else those of `to`, by `bits` into `to`. There is room for all of them.
    pub(super) fn sort_in_caches(
        &mut self,
        mut from: Option<&Pairs<'_, K, V>>,
        to: &mut Pairs<'_, K, V>,
        direction: Direction<K::Bits>,
        bits: Range<u32>,
    ) {
        let len = to.keys.len();
        if len < INSERTION || bits.is_empty() {
            if let Some(from) = from {
                to.copy_from(from);
            }
            if len >= 2 && !bits.is_empty() {
                to.sort_by_insertion(direction, usize::MAX);
            }
            return;
        }
        let (all, high) = digits(len, bits);
        if let Some(high) = high {
            self.sort_by_digits(from.take(), to, direction, high);
            if to.sort_by_insertion(direction, len) {
                return;
            }
        }
        self.sort_by_digits(from, to, direction, all);
    }

    /// Sorts the pairs of `from`, or else those of `to`, by `digits` into `to`.
    fn sort_by_digits(
        &mut self,
        from: Option<&Pairs<'_, K, V>>,
        to: &mut Pairs<'_, K, V>,
        direction: Direction<K::Bits>,
        digits: Digits,
    ) {
        let len = to.keys.len();
        let Self { one, other, counts: [now, next] } = self;
        let (mut one, mut other, to) = (one.part(0..len), other.part(0..len), &mut to.part(0..len));
        let (mut here, mut there) = (&mut one, &mut other);
        let (mut now, mut next) = (now, next);
        // Whether the pairs lie in `here`.
        let mut moved = false;
        digits.digit(direction, 0).count(from.map_or(&*to.keys, |from| &*from.keys), now);
        for number in 0..digits.number {
            let digit = digits.digit(direction, number);
            let following =
                if number + 1 < digits.number { Some(digits.digit(direction, number + 1)) } else { None };
            // A digit that all keys share moves nothing.
            if digit.values(now).iter().any(|&count| count as usize == len) {
                if let Some(following) = following {
                    let keys = if moved { &*here.keys } else { from.map_or(&*to.keys, |from| &*from.keys) };
                    following.count(keys, now);
                }
                continue;
            }
            if let Some(following) = following {
                following.values(next).fill(0);
            }
            let counted = following.map(|digit| (digit, &mut *next));
            let (from, to, last) = match (moved, from, following) {
                (true, _, Some(_)) => (&*here, &mut *there, false),
                (true, _, None) => (&*here, &mut *to, true),
                (false, Some(from), Some(_)) => (from, &mut *here, false),
                (false, Some(from), None) => (from, &mut *to, true),
                (false, None, _) => (&*to, &mut *here, false),
            };
            // SAFETY: `now` has been counted by `count`, or by the last scatter.
            unsafe { Scatter { from, to, digit, counts: now, next: counted }.now() };
            if last {
                return;
            }
            if moved {
                swap(&mut here, &mut there);
            }
            moved = true;
            swap(&mut now, &mut next);
        }
        if moved {
            to.copy_from(here);
        } else if let Some(from) = from {
            to.copy_from(from);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Direction, Pairs, Scratch};

    fn noise(i: usize) -> u64 {
        (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23).wrapping_mul(0xD6E8_FEB8_6659_FD93)
    }

    /// Sorts keys that vary only in `bits`, with room for `room` keys.
    fn check(given: &[u64], room: usize, bits: core::ops::Range<u32>) {
        let mut wanted: Vec<u32> = (0..given.len() as u32).collect();
        wanted.sort_by_key(|&i| given[i as usize]);
        let (mut from_keys, mut from_values) = (given.to_vec(), (0..given.len() as u32).collect::<Vec<_>>());
        let (mut keys, mut values) = (vec![0; given.len()], vec![0; given.len()]);
        let (mut room_keys, mut room_values) = (vec![0; 2 * room], vec![0; 2 * room]);
        let mut scratch = Scratch::new(&mut room_keys, &mut room_values);
        let from = Pairs::new(&mut from_keys, &mut from_values);
        let direction = Direction::new(false);
        scratch.sort(from, Pairs::new(&mut keys, &mut values), direction, bits.clone());
        assert_eq!(values, wanted);
        assert!(keys.is_sorted());
        if room >= given.len() {
            let (mut keys, mut values) = (given.to_vec(), (0..given.len() as u32).collect::<Vec<_>>());
            scratch.sort_in_caches(None, &mut Pairs::new(&mut keys, &mut values), direction, bits);
            assert_eq!(values, wanted);
        }
    }

    #[test]
    fn buckets_of_every_size_are_sorted() {
        for n in [0, 1, 2, 32, 33, 100, 1000, 20_000] {
            for bits in [0..64, 0..32, 3..20, 3..11, 7..8, 20..61, 5..5] {
                let mask = if bits.is_empty() { 0 } else { u64::MAX >> (64 - bits.len()) << bits.start };
                for room in [n, n / 2, 300] {
                    check(&(0..n).map(|i| noise(i) & mask).collect::<Vec<_>>(), room, bits.clone());
                }
            }
        }
    }

    #[test]
    fn keys_that_high_digits_leave_in_disorder_are_sorted() {
        let n = 5000;
        for room in [n, 100] {
            // Every high digit the same, or one of few.
            check(&(0..n).map(|i| noise(i) & 0xFFFF | (i as u64 % 3) << 62).collect::<Vec<_>>(), room, 0..64);
            check(&(0..n).map(|i| (noise(i) >> 30) * (i as u64 % 2)).collect::<Vec<_>>(), room, 0..34);
            check(&(0..n).rev().map(|i| i as u64 | (i as u64) << 63).collect::<Vec<_>>(), room, 0..64);
        }
    }
}
