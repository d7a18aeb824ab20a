//! The keys of an [`UnorderedMap`](super::UnorderedMap), and where they are looked for.

use spelt_algorithms::RadixKey;
use spelt_core::AtomicInteger;

/// A key of an [`UnorderedMap`](super::UnorderedMap): the integers of 8 to 64 bits.
///
/// Every value is a key, 0 and the largest ones too. The trait is sealed.
///
/// # Examples
/// ```
/// use spelt_containers::{MapKey, UnorderedMap};
/// use spelt_core::{ExecutionSpace, Result, Serial, View, reducers::Sum};
/// fn counted<K: MapKey>(space: &Serial, list: &View<K, 1>) -> Result<usize> {
///     let ones = View::from_fn("ones", [list.len()], |_| 1_u32)?;
///     let mut counts = UnorderedMap::with_capacity(space, "counts", list.len())?;
///     counts.extend(space, list, &ones, Sum::new())?;
///     Ok(counts.len())
/// }
/// let list = View::from_vec("list", [4], vec![-7_i64, 5, i64::MIN, 5])?;
/// assert_eq!(counted(&Serial::new(), &list)?, 3);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a key of an `UnorderedMap`",
    note = "keys are the integers of 8 to 64 bits: pack the parts of a larger key into one, or sort by it"
)]
pub trait MapKey: RadixKey + sealed::Sealed {
    /// The integer as it lies in the table: of a size that every device changes atomically.
    #[doc(hidden)]
    type Stored: KeyBits;
    /// The bits of the key.
    #[doc(hidden)]
    fn to_bits(self) -> Self::Stored;
    /// The key of these bits.
    #[doc(hidden)]
    fn from_bits(bits: Self::Stored) -> Self;
}

/// The integers that lie in a table.
#[doc(hidden)]
pub trait KeyBits: AtomicInteger + Eq + sealed::Sealed {
    /// The bits of an empty slot. The key with these bits has a slot of its own.
    const EMPTY: Self;
    /// Other bits: they mark that the slot of the key `EMPTY` is used.
    const USED: Self;
    /// The bits as a number to hash.
    fn widened(self) -> u64;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! bits {
    ($($type:ty)*) => {$(
        impl KeyBits for $type {
            const EMPTY: Self = 0;
            const USED: Self = 1;
            #[inline(always)]
            fn widened(self) -> u64 {
                u64::from(self)
            }
        }
    )*};
}
bits!(u32 u64);

macro_rules! keys {
    ($($bits:ident: $($key:ty)*;)*) => {$($(
        impl sealed::Sealed for $key {}
        impl MapKey for $key {
            type Stored = $bits;
            #[inline(always)]
            fn to_bits(self) -> $bits {
                self as $bits
            }
            #[inline(always)]
            fn from_bits(bits: $bits) -> Self {
                bits as Self
            }
        }
    )*)*};
}
keys! { u32: u8 u16 u32 i8 i16 i32; u64: u64 i64 usize isize; }

/// Slots of a bucket, which lie side by side. Source: 8 keys of 64 bits fill a cache line of 64 bytes.
pub(super) const BUCKET: usize = 8;

/// The slots in which a key may lie, in order: those of a bucket, then those of another one, until all have been passed.
///
/// The distance from bucket to bucket depends on the key too, so keys with the same first bucket usually part at the second.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probe {
    /// The [`mixed`] bits of the key.
    pub(super) mixed: u64,
    pub(super) bucket: usize,
    step: usize,
    /// The place within each bucket that comes first.
    pub(super) first: usize,
    mask: usize,
}

impl Probe {
    /// The slots of a key in a table of `buckets`, a power of two or 0.
    #[inline(always)]
    pub(super) fn new(key: impl KeyBits, buckets: usize) -> Self {
        let mixed = mixed(key);
        let hash = folded(mixed);
        // Without buckets, there is none of this number.
        let mask = buckets.wrapping_sub(1);
        Self {
            mixed,
            bucket: hash as usize & mask,
            // Odd, so that the steps pass every bucket of a power of two before one comes again.
            step: (hash >> 32) as usize | 1,
            first: (hash >> 29) as usize % BUCKET,
            mask,
        }
    }

    /// The place after `place` in the bucket; `None` after the last one.
    ///
    /// A loop over these is not unrolled, unlike one over the numbers of places: that computes all of them before it looks at the first,
    /// and most searches end at the second (docs/benchmarks/containers.md).
    #[inline(always)]
    pub(super) fn after(&self, place: usize) -> Option<usize> {
        let next = (place + 1) % BUCKET;
        (next != self.first).then_some(next)
    }

    /// The slot at a place of the bucket.
    #[inline(always)]
    pub(super) fn slot(&self, place: usize) -> usize {
        self.bucket * BUCKET + place
    }

    /// Goes to the next bucket.
    #[inline(always)]
    pub(super) fn advance(&mut self) {
        self.bucket = self.bucket.wrapping_add(self.step) & self.mask;
    }
}

/// Bits of a key whose bytes serve as its tags; [`folded`], they are its hash. Source: the last step of MurmurHash3 (Appleby), a bijection.
///
/// Of keys with one bucket each byte differs as bytes of random numbers do: the hash has the upper bits in its lower ones.
#[inline(always)]
pub(super) fn mixed(key: impl KeyBits) -> u64 {
    let key = key.widened();
    let key = (key ^ (key >> 33)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    (key ^ (key >> 33)).wrapping_mul(0xC4CE_B9FE_1A85_EC53)
}

/// The hash: all of its bits depend on all bits of the key.
#[inline(always)]
fn folded(mixed: u64) -> u64 {
    mixed ^ (mixed >> 33)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_probe_passes_every_slot_once() {
        for buckets in [1, 2, 4, 64] {
            for key in (0..50_u64).chain([u64::MAX, 1 << 63]) {
                let mut probe = Probe::new(key, buckets);
                let mut passed = vec![0; buckets * BUCKET];
                for _ in 0..buckets {
                    let mut next = Some(probe.first);
                    while let Some(place) = next {
                        passed[probe.slot(place)] += 1;
                        next = probe.after(place);
                    }
                    probe.advance();
                }
                assert!(passed.iter().all(|&times| times == 1), "{key} in {buckets}: {passed:?}");
            }
        }
    }

    #[test]
    fn bits_keep_every_key() {
        fn check<K: MapKey + PartialEq + core::fmt::Debug>(keys: &[K]) {
            for key in keys {
                assert_eq!(K::from_bits(key.to_bits()), *key);
            }
        }
        check(&[i8::MIN, -1, 0, 1, i8::MAX]);
        check(&[0, 1, u16::MAX]);
        check(&[i32::MIN, -1, 0, i32::MAX]);
        check(&[i64::MIN, -1, 0, i64::MAX]);
        check(&[0, usize::MAX]);
        assert_ne!((-1_i8).to_bits(), 255_i16.to_bits());
    }

    #[test]
    fn keys_of_one_bucket_part() {
        // Keys whose first bucket is 0, found by trying: the second buckets are all over the table.
        let buckets = 1024;
        let mut second = std::collections::HashSet::new();
        for key in 0..200_000_u64 {
            let mut probe = Probe::new(key, buckets);
            if probe.bucket == 0 {
                probe.advance();
                second.insert(probe.bucket);
            }
        }
        assert!(second.len() > 100, "{}", second.len());
    }
}
