//! The digits of one thread's sorts, and the move by one of them.

use core::ops::Range;

use spelt_core::Element;
use spelt_core::isa::{Work, dispatch};

use super::bucket::Pairs;
use super::key::{Direction, RadixBits, RadixKey};

/// The maximum number of bits of a digit. Source: its counts, two times 8 KB, stay in the first cache beside the lines that are written.
pub(super) const WIDEST: u32 = 11;

/// The number of keys with each digit; entries above the digit's values are unused.
pub(super) type Counts = [u32; 1 << WIDEST];

/// Some neighbouring bits of keys.
#[derive(Clone, Copy)]
pub(super) struct Digit<B> {
    direction: Direction<B>,
    shift: u32,
    mask: usize,
}

impl<B: RadixBits> Digit<B> {
    /// `width` bits from `shift` on.
    pub(super) fn new(direction: Direction<B>, shift: u32, width: u32) -> Self {
        Self { direction, shift, mask: (1 << width) - 1 }.below_counts()
    }

    /// The same digit, restricted again before a loop, so that the compiler sees that digits are indices of counts.
    #[inline(always)]
    fn below_counts(self) -> Self {
        Self { mask: self.mask & ((1 << WIDEST) - 1), ..self }
    }

    #[inline(always)]
    fn of<K: RadixKey<Bits = B>>(self, key: K) -> usize {
        (self.direction.bits(key).to_u64() >> self.shift) as usize & self.mask
    }

    pub(super) fn values<'c>(&self, counts: &'c mut Counts) -> &'c mut [u32] {
        &mut counts[..=self.mask]
    }

    /// Counts the digits of `keys`.
    pub(super) fn count<K: RadixKey<Bits = B>>(self, keys: &[K], counts: &mut Counts) {
        self.values(counts).fill(0);
        dispatch(Count { keys, digit: self, counts });
    }
}

struct Count<'a, K: RadixKey> {
    keys: &'a [K],
    digit: Digit<K::Bits>,
    counts: &'a mut Counts,
}

impl<K: RadixKey> Work for Count<'_, K> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { keys, digit, counts } = self;
        let digit = digit.below_counts();
        for &key in keys {
            counts[digit.of(key)] += 1;
        }
    }
}

/// Moves all keys to their places by a digit; `counts` has the number of keys for each value of the digit.
pub(super) struct Scatter<'a, 'f, 't, K: RadixKey, V> {
    pub(super) from: &'a Pairs<'f, K, V>,
    pub(super) to: &'a mut Pairs<'t, K, V>,
    pub(super) digit: Digit<K::Bits>,
    pub(super) counts: &'a mut Counts,
    /// The next digit, and where to count it.
    pub(super) next: Option<(Digit<K::Bits>, &'a mut Counts)>,
}

impl<K: RadixKey, V: Element> Scatter<'_, '_, '_, K, V> {
    /// # Safety
    /// `counts` are those of the keys' digits.
    pub(super) unsafe fn now(self) {
        let len = self.from.keys.len();
        assert!(
            len == self.from.values.len() && len == self.to.keys.len() && len == self.to.values.len(),
            "pairs move to as many"
        );
        let mut place = 0;
        for count in self.digit.values(self.counts) {
            let first = place;
            place += *count;
            *count = first;
        }
        dispatch(self);
    }
}

impl<K: RadixKey, V: Element> Work for Scatter<'_, '_, '_, K, V> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { from, to, digit, counts, next } = self;
        let digit = digit.below_counts();
        let (to_keys, to_values) = (&mut *to.keys, &mut *to.values);
        let mut put = |key: K, value: V| {
            let digit = digit.of(key);
            let next = counts[digit];
            let place = next as usize;
            // SAFETY: below the number of keys with this digit or a smaller one, as no digit comes more often than it was
            // counted: keys are behind a shared reference, and have the same digit each time, as `RadixKey` is sealed.
            unsafe {
                *to_keys.get_unchecked_mut(place) = key;
                *to_values.get_unchecked_mut(place) = value;
            }
            counts[digit] = next + 1;
        };
        let pairs = from.keys.iter().zip(&*from.values);
        if let Some((next, following)) = next {
            let next = next.below_counts();
            for (&key, &value) in pairs {
                put(key, value);
                following[next.of(key)] += 1;
            }
        } else {
            for (&key, &value) in pairs {
                put(key, value);
            }
        }
    }
}

/// Digits of one width, from the lowest on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Digits {
    first: u32,
    width: u32,
    pub(super) number: u32,
}

impl Digits {
    /// Digits up to the end of `bits` that have at least its bits, none wider than `widest`; none beyond `lowest`.
    fn covering(bits: Range<u32>, widest: u32, lowest: u32) -> Self {
        let number = (bits.end - bits.start).div_ceil(widest);
        let width = (bits.end - bits.start).div_ceil(number.max(1));
        Self { first: bits.end.saturating_sub(number * width).max(lowest), width, number }
    }

    pub(super) fn digit<B: RadixBits>(self, direction: Direction<B>, number: u32) -> Digit<B> {
        Digit::new(direction, self.first + number * self.width, self.width)
    }
}

/// The digits that sort `len` keys by `bits`, and higher ones that leave them nearly sorted, if they are few enough for that
/// to pay. Uniformly distributed keys then have about a sixteenth of a neighbour with the same high digits.
pub(super) fn digits(len: usize, bits: Range<u32>) -> (Digits, Option<Digits>) {
    let log = len.ilog2();
    let widest = log.min(WIDEST);
    let all = Digits::covering(bits.clone(), widest, bits.start);
    let enough = bits.end.saturating_sub(log + 4).max(bits.start)..bits.end;
    let high = Digits::covering(enough, widest, bits.start);
    (all, (high.number + 1 < all.number).then_some(high))
}
