//! The slots of an [`UnorderedMap`](super::UnorderedMap).

use core::marker::PhantomData;

use spelt_core::reducers::Sum;
use spelt_core::{
    Covers, Description, Element, Error, ErrorKind, ExecutionSpace, KernelArg, LookupAccess, MemorySpace,
    RawView, Result, Right, View, describe, parallel_fill, parallel_for, parallel_map_reduce,
};

use super::UnorderedMap;
use super::access::{FindAccess, Inserts};
use super::key::{BUCKET, KeyBits, MapKey};
use super::reducer::MapReducer;
use super::tags::Tags;

/// The slots of a map: keys and values side by side.
///
/// The last slot is that of the key whose bits are those of an empty slot. A table without keys has no slots.
#[derive(Debug)]
pub(super) struct Table<K: MapKey, V: Element, M: MemorySpace> {
    pub(super) keys: View<K::Stored, 1, M>,
    pub(super) values: View<V, 1, M>,
    /// The [`Tags`] of each bucket, and last those of the last slot; 0 before all keys are there.
    pub(super) tags: View<u64, 1, M>,
    /// A power of two, or 0.
    pub(super) buckets: usize,
}

impl<K: MapKey, V: Element, M: MemorySpace> Table<K, V, M> {
    /// A table without slots.
    pub(super) fn none<S: ExecutionSpace<Memory = M>>(space: &S, label: &str) -> Result<Self> {
        Ok(Self {
            keys: space.zeros(label, [0])?,
            values: space.zeros(label, [0])?,
            tags: space.zeros(label, [0])?,
            buckets: 0,
        })
    }

    /// The number of buckets and of slots for `capacity` keys; an error if no address space holds them.
    pub(super) fn sizes(label: &str, capacity: usize) -> Result<(usize, usize)> {
        let slots = capacity.checked_mul(2);
        let buckets = slots.and_then(|slots| slots.div_ceil(BUCKET).checked_next_power_of_two());
        let bytes = size_of::<V>().max(size_of::<K::Stored>());
        buckets
            .and_then(|buckets| Some((buckets, buckets.checked_mul(BUCKET)?.checked_add(1)?)))
            .filter(|(_, slots)| slots.checked_mul(bytes).is_some_and(|bytes| bytes <= isize::MAX as usize))
            .ok_or_else(|| {
                let message =
                    format!("map `{label}`: slots for {capacity} keys do not fit in the address space");
                Error::new(ErrorKind::Overflow, message)
            })
    }

    /// An empty table for `capacity` keys, of which half of the slots are used at most, so that a search ends soon, and nearly always at
    /// the same place. Source: measured, docs/benchmarks/containers.md: up to three quarters, and with the loop before the present one, 10^4 keys that are not there took 13.9 ns
    /// each, now 3.95.
    pub(super) fn empty<S, J>(space: &S, label: &str, capacity: usize) -> Result<Self>
    where
        S: ExecutionSpace<Memory = M>,
        J: MapReducer<V>,
    {
        let (buckets, slots) = Self::sizes(label, capacity)?;
        // First, so that a map that replaces one as large finds the heap as that one did: behind the values, the C library gave the
        // freed end of the heap back to the system, for 12 ns a key (docs/benchmarks/containers.md).
        let tags = space.zeros(label, [buckets + 1])?;
        let keys = space.zeros(label, [slots])?;
        let mut values = space.zeros(label, [slots])?;
        if size_of::<V>() != 0 {
            space.fill(&mut values, J::identity())?;
        }
        Ok(Self { keys, values, tags, buckets })
    }

    /// A copy with the identity of `J` in its empty slots.
    pub(super) fn copied<S, J>(&self, space: &S) -> Result<Self>
    where
        S: ExecutionSpace<Memory = M>,
        J: MapReducer<V>,
    {
        let tags = space.zeros(self.keys.label(), self.tags.extents())?;
        let all = || space.range(0..self.keys.len());
        let keys = space.uninit(self.keys.label(), self.keys.extents())?;
        let keys = parallel_fill("copy keys", all(), keys, &self.keys, |i, keys| keys[i])?;
        let values = space.uninit(self.values.label(), self.values.extents())?;
        let args = (&self.keys, &self.values);
        let values = parallel_fill("copy values", all(), values, args, |i, (keys, values)| {
            if keys[i] == K::Stored::EMPTY { J::identity() } else { values[i] }
        })?;
        Ok(Self { keys, values, tags, buckets: self.buckets })
    }

    /// Lends the table to `launch`, which inserts, and returns the number of keys: all of them, or `None` if a key has found no slot.
    pub(super) fn filled<S, J, O>(
        &mut self,
        space: &S,
        launch: impl FnOnce(&mut Inserts<'_, K, V, J, M>) -> Result<O>,
    ) -> Result<(O, Option<usize>)>
    where
        S: ExecutionSpace<Memory = M>,
        J: MapReducer<V>,
    {
        let mut full = space.zeros::<u32, 1>(self.keys.label(), [1])?;
        let output = launch(&mut Inserts {
            keys: self.keys.atomic(),
            values: self.values.atomic(),
            full: full.atomic(),
            buckets: self.buckets,
            reducer: PhantomData,
        })?;
        if full.to_host()?[0] != 0 {
            return Ok((output, None));
        }
        let all = space.range(0..self.tags.len());
        let args = (self.keys.lookup(), &mut self.tags);
        parallel_for("tags of keys", all, args, |i, (keys, mut tags)| {
            let (buckets, last) = keys.as_slice().as_chunks::<BUCKET>();
            tags[i] = match buckets.get(i.get()) {
                Some(keys) => Tags::of_bucket(keys).0,
                None => Tags::of_last(last[0]).0,
            };
        })?;
        let used = parallel_map_reduce(
            "count keys",
            space.range(0..self.tags.len()),
            &self.tags,
            |i, tags| Tags(tags[i]).used(),
            Sum::<usize>::new(),
        )?;
        Ok((output, Some(used)))
    }
}

// SAFETY: the accessor checks every index; keys, values and tags are described and borrowed shared.
unsafe impl<K: MapKey, V: Element, M: MemorySpace> KernelArg for &UnorderedMap<K, V, M> {
    type Raw = (RawView<K::Stored, 1, Right>, RawView<V, 1, Right>, RawView<u64, 1, Right>, usize);
    type Access<'k> = FindAccess<'k, K, V>;
    type Held = ();
    type Memory = (M, ());
    #[inline(always)]
    fn describe<'a>(&'a self, visit: &mut impl FnMut(Description<'a>)) {
        visit(Description { covers: Covers::Nothing, ..describe(self.table.keys.view()) });
        visit(Description { covers: Covers::Nothing, ..describe(self.table.values.view()) });
        visit(Description { covers: Covers::Nothing, ..describe(self.table.tags.view()) });
    }
    #[inline(always)]
    unsafe fn lower(&mut self) -> (Self::Raw, ()) {
        ((self.table.keys.raw(), self.table.values.raw(), self.table.tags.raw(), self.table.buckets), ())
    }
    #[inline(always)]
    unsafe fn access<'k>(raw: &Self::Raw, _part: usize) -> Self::Access<'k> {
        // SAFETY: by the contract of `access`, the borrow lives; it is shared, so nothing writes keys, values and tags.
        unsafe {
            let (keys, values) = (LookupAccess::new(raw.0), LookupAccess::new(raw.1));
            FindAccess::new(keys, values, LookupAccess::new(raw.2), raw.3)
        }
    }
}
