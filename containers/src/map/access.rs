//! A kernel's side of an [`UnorderedMap`](super::UnorderedMap): it inserts, or it finds.

use core::fmt;
use core::marker::PhantomData;

use spelt_core::{Atomic, Element, HostSpace, KernelArgs, LookupAccess, MemorySpace};

use super::key::{BUCKET, KeyBits, MapKey, Probe};
use super::reducer::MapReducer;
use super::tags::Tags;

/// A map into which kernels insert: [`UnorderedMap::insert`](super::UnorderedMap::insert) lends it to its closure.
///
/// It is an argument, by `&mut`, of any number of launches. The kernel receives an [`InsertAccess`]. As with atomics, a pattern that calls its
/// closure again inserts again: in a scan, insert only where `last` is true.
///
/// # Examples
/// ```
/// use spelt_containers::{Inserts, UnorderedMap};
/// use spelt_core::{ExecutionSpace, Serial, parallel_for, reducers::Min};
/// let space = Serial::new();
/// let mut first = UnorderedMap::<u32, usize>::with_capacity(&space, "first", 3)?;
/// first.insert(&space, Min::new(), |first: &mut Inserts<'_, _, _, _>| {
///     parallel_for("one", space.range(0..9), &mut *first, |i, first| first.insert(i.get() as u32 % 3, i.get()))?;
///     parallel_for("two", space.range(0..3), first, |i, first| first.insert(i.get() as u32, 5))
/// })?;
/// assert_eq!(first.get(2), Some(2));
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(KernelArgs)]
#[kernel_args(crate = "spelt_core", access = "InsertAccess")]
pub struct Inserts<'v, K: MapKey, V: Element, J: MapReducer<V>, M: MemorySpace = HostSpace> {
    /// The keys, and last whether the key that is empty bits is there.
    pub(super) keys: Atomic<'v, K::Stored, 1, M>,
    pub(super) values: Atomic<'v, V, 1, M>,
    /// Not 0 if a key has found no slot.
    pub(super) full: Atomic<'v, u32, 1, M>,
    pub(super) buckets: usize,
    pub(super) reducer: PhantomData<J>,
}

impl<K: MapKey, V: Element, J: MapReducer<V>, M: MemorySpace> InsertAccess<'_, '_, K, V, J, M> {
    /// Inserts `value` under `key`, or joins it to the value that is there.
    ///
    /// It returns nothing: whether the key had been there already would depend on the order of the iterations. If there are more
    /// keys than the map may hold, [`UnorderedMap::insert`](super::UnorderedMap::insert) returns an error after the launch.
    ///
    /// # Complexity
    /// One or two cache lines of keys, one compare-exchange if the key is new, and one atomic instruction for the value.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::UnorderedMap;
    /// use spelt_core::{ExecutionSpace, Serial, View, parallel_for, reducers::Sum};
    /// let space = Serial::new();
    /// let words = View::from_vec("words", [4], vec![30_u64, 10, 30, 0])?;
    /// let mut counts = UnorderedMap::with_capacity(&space, "counts", 4)?;
    /// counts.insert(&space, Sum::new(), |counts| {
    ///     parallel_for("count", space.range(0..4), (&words, counts), |i, (words, counts)| counts.insert(words[i], 1_u32))
    /// })?;
    /// assert_eq!((counts.get(30), counts.get(0), counts.get(7)), (Some(2), Some(1), None));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline(always)]
    pub fn insert(&self, key: K, value: V) {
        match self.slot(key.to_bits()) {
            Some(slot) => J::join(&self.values, slot, value),
            None => self.full.store(0, 1),
        }
    }

    /// The slot of a key, which gets one if it is new.
    ///
    /// A slot changes once, from empty to a key. So all iterations that insert a key pass the same slots, and stop at the same one.
    #[inline(always)]
    fn slot(&self, key: K::Stored) -> Option<usize> {
        if key == K::Stored::EMPTY {
            let slot = self.buckets * BUCKET;
            if self.keys.load(slot) == K::Stored::EMPTY {
                self.keys.store(slot, K::Stored::USED);
            }
            return Some(slot);
        }
        let mut probe = Probe::new(key, self.buckets);
        for _ in 0..self.buckets {
            let mut next = Some(probe.first);
            while let Some(place) = next {
                let slot = probe.slot(place);
                let mut found = self.keys.load(slot);
                if found == K::Stored::EMPTY {
                    match self.keys.compare_exchange(slot, K::Stored::EMPTY, key) {
                        Ok(_) => return Some(slot),
                        Err(faster) => found = faster,
                    }
                }
                if found == key {
                    return Some(slot);
                }
                next = probe.after(place);
            }
            // Then the insertions are dropped anyway, and each would pass all slots.
            if self.full.load(0) != 0 {
                return None;
            }
            probe.advance();
        }
        None
    }
}

impl<K: MapKey, V: Element, J: MapReducer<V>, M: MemorySpace> fmt::Debug for Inserts<'_, K, V, J, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Inserts { .. }")
    }
}

/// A map in which a kernel finds values: of `&map`.
///
/// # Examples
/// ```
/// use spelt_containers::{FindAccess, UnorderedMap};
/// use spelt_core::{ExecutionSpace, Idx, Serial, View, parallel_for, reducers::Sum};
/// fn check<'k>(i: Idx<'k, 1>, map: FindAccess<'k, u8, u32>) {
///     assert_eq!(map.find(7), Some(100));
/// }
/// let space = Serial::new();
/// let (keys, values) = (View::from_vec("keys", [1], vec![7_u8])?, View::from_vec("values", [1], vec![100_u32])?);
/// let mut map = UnorderedMap::with_capacity(&space, "map", 1)?;
/// map.extend(&space, &keys, &values, Sum::new())?;
/// parallel_for("check", space.range(0..3), &map, check)?;
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct FindAccess<'k, K: MapKey, V: Element> {
    keys: LookupAccess<'k, K::Stored, 1>,
    values: LookupAccess<'k, V, 1>,
    tags: LookupAccess<'k, u64, 1>,
    buckets: usize,
}

impl<'k, K: MapKey, V: Element> FindAccess<'k, K, V> {
    #[inline(always)]
    pub(super) fn new(
        keys: LookupAccess<'k, K::Stored, 1>,
        values: LookupAccess<'k, V, 1>,
        tags: LookupAccess<'k, u64, 1>,
        buckets: usize,
    ) -> Self {
        Self { keys, values, tags, buckets }
    }

    /// The value under `key`, or `None` if the key is not there.
    ///
    /// # Complexity
    /// A cache line each of tags, of keys and of values. For an absent key, usually only the line of tags.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::UnorderedMap;
    /// use spelt_core::{ExecutionSpace, Serial, View, parallel_fill, reducers::Sum};
    /// let space = Serial::new();
    /// let (keys, values) = (View::from_vec("keys", [2], vec![7, -1])?, View::from_vec("values", [2], vec![100_u32, 3])?);
    /// let mut map = UnorderedMap::with_capacity(&space, "map", 2)?;
    /// map.extend(&space, &keys, &values, Sum::new())?;
    /// let wanted = View::from_vec("wanted", [3], vec![-1, 0, 7])?;
    /// let found = space.uninit("found", [3])?;
    /// let found = parallel_fill("find", space.range(0..3), found, (&wanted, &map), |i, (wanted, map)| {
    ///     map.find(wanted[i]).unwrap_or(0)
    /// })?;
    /// assert_eq!(found.to_vec(), [3, 0, 100]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    #[inline(always)]
    pub fn find(&self, key: K) -> Option<V> {
        self.slot(key).map(|slot| self.values[slot])
    }

    /// Whether the key is there.
    ///
    /// # Complexity
    /// A cache line of tags, and one of keys. For an absent key, usually only the line of tags.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::UnorderedMap;
    /// use spelt_core::{ExecutionSpace, Serial, View, parallel_map_reduce, reducers::Sum};
    /// let space = Serial::new();
    /// let keys = View::from_vec("keys", [3], vec![7, 2, 9])?;
    /// let mut set = UnorderedMap::with_capacity(&space, "set", 3)?;
    /// set.extend(&space, &keys, &View::from_vec("nothing", [3], vec![(); 3])?, ())?;
    /// let inside = parallel_map_reduce("count", space.range(0..8), &set, |i, set| u32::from(set.contains(i.get() as i32)), Sum::new())?;
    /// assert_eq!(inside, 2);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    #[inline(always)]
    pub fn contains(&self, key: K) -> bool {
        self.slot(key).is_some()
    }

    #[inline(always)]
    fn slot(&self, key: K) -> Option<usize> {
        find::<K>(self.keys.as_slice(), self.tags.as_slice(), self.buckets, key)
    }
}

impl<K: MapKey, V: Element> fmt::Debug for FindAccess<'_, K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FindAccess { .. }")
    }
}

/// The slot of a key in a table that nothing changes, which has `buckets` and one slot more, or none.
///
/// It reads the tags of a bucket, which fill a word, and then the key that has the tag of this one: if the key is not there, none, but for
/// one search in 30. No branch depends on the place in the bucket, so hardly any is predicted wrong (docs/benchmarks/containers.md).
#[inline(always)]
pub(super) fn find<K: MapKey>(keys: &[K::Stored], tags: &[u64], buckets: usize, key: K) -> Option<usize> {
    let key = key.to_bits();
    if key == K::Stored::EMPTY {
        return (Tags(*tags.get(buckets)?).used() != 0).then_some(buckets * BUCKET);
    }
    let probe = Probe::new(key, buckets);
    let tags_here = Tags(*tags.get(probe.bucket)?);
    match tags_here.places(probe.mixed).next() {
        Some(place) if keys[probe.slot(place)] == key => Some(probe.slot(place)),
        None if tags_here.has_empty() => None,
        _ => find_anywhere(keys, tags, buckets, key),
    }
}

/// [`find`] where another key of the bucket has the same tag, or the bucket is full.
///
/// It begins again: a [`Probe`] that it got from there would be written to memory for each key.
#[cold]
#[inline(never)]
fn find_anywhere<B: KeyBits>(keys: &[B], tags: &[u64], buckets: usize, key: B) -> Option<usize> {
    let mut probe = Probe::new(key, buckets);
    for _ in 0..buckets {
        let tags = Tags(tags[probe.bucket]);
        let mut slots = tags.places(probe.mixed).map(|place| probe.slot(place));
        if let Some(slot) = slots.find(|&slot| keys[slot] == key) {
            return Some(slot);
        }
        // A key goes to the next bucket only if this one was full, and no slot becomes empty again.
        if tags.has_empty() {
            return None;
        }
        probe.advance();
    }
    None
}
