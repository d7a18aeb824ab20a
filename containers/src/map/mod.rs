//! [`UnorderedMap`]: values under integer keys.

mod access;
mod key;
mod reducer;
mod table;
mod tags;

use core::fmt;

use spelt_algorithms::{positions, sort_by_key};
use spelt_core::{
    CopyFrom, Element, Error, ErrorKind, ExecutionSpace, HostAccessible, HostSpace, Layout, MemorySpace,
    ReadView, Result, View, parallel_fill, parallel_for,
};

use key::{BUCKET, KeyBits};
use reducer::Moved;
use table::Table;

pub use access::{FindAccess, InsertAccess, Inserts};
pub use key::MapKey;
pub use reducer::{MapReducer, MapValue};

/// Values under integer keys, inserted and found by kernels: Kokkos's `UnorderedMap`.
///
/// Phases are borrows. [`insert`](Self::insert) borrows the map exclusively and lends it to launches that insert; `&map` is an argument of
/// launches that find. Contents, and the order of [`to_sorted`](Self::to_sorted), depend on the inserted pairs alone, not on the space, the
/// threads or the run: values of one key are joined by an exact reducer, and an insertion returns nothing. More keys than
/// [`capacity`](Self::capacity) are an error, after which the map is as it was before.
///
/// Every integer is a key. A map to `()` is a set.
///
/// # Examples
/// The first place of each number of a list, found by kernels, and then in ascending order:
/// ```
/// use spelt_containers::UnorderedMap;
/// use spelt_core::{ExecutionSpace, Serial, View, parallel_for, parallel_map_reduce, reducers::{Min, Sum}};
/// let space = Serial::new();
/// let global = View::from_fn("global", [1000], |[i]| (i as u64 * 7919) % 100)?;
/// let mut first = UnorderedMap::<u64, u32>::with_capacity(&space, "first", 100)?;
/// first.insert(&space, Min::new(), |first| {
///     let args = (&global, first);
///     parallel_for("first place", space.range(0..1000), args, |i, (global, first)| first.insert(global[i], i.get() as u32))
/// })?;
/// assert_eq!((first.len(), first.get(19)), (100, Some(1)));
/// let firsts = parallel_map_reduce("firsts", space.range(0..1000), (&global, &first), |i, (global, first)| {
///     u32::from(first.find(global[i]) == Some(i.get() as u32))
/// }, Sum::new())?;
/// assert_eq!(firsts, 100);
/// let (keys, places) = first.to_sorted(&space)?;
/// assert_eq!((keys[19], places[19]), (19, 1));
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub struct UnorderedMap<K: MapKey, V: Element, M: MemorySpace = HostSpace> {
    /// Without keys it has no slots, or those of an earlier insertion.
    table: Table<K, V, M>,
    len: usize,
    capacity: usize,
}

impl<K: MapKey, V: Element, M: MemorySpace> UnorderedMap<K, V, M> {
    /// An empty map in the memory of `space` that may hold `capacity` keys.
    ///
    /// # Errors
    /// [`ErrorKind::Overflow`] if the slots do not fit in the address space; those of [`ExecutionSpace::zeros`].
    ///
    /// # Complexity
    /// O(1): the first insertion allocates the slots, two to four for each key, and at least 8.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::UnorderedMap;
    /// use spelt_core::Serial;
    /// let map = UnorderedMap::<u64, u32>::with_capacity(&Serial::new(), "map", 100)?;
    /// assert_eq!((map.len(), map.capacity()), (0, 100));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn with_capacity<S: ExecutionSpace<Memory = M>>(
        space: &S,
        label: impl AsRef<str>,
        capacity: usize,
    ) -> Result<Self> {
        Table::<K, V, M>::sizes(label.as_ref(), capacity)?;
        Ok(Self { table: Table::none(space, label.as_ref())?, len: 0, capacity })
    }

    /// The label: its name in messages.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::UnorderedMap;
    /// use spelt_core::Serial;
    /// assert_eq!(UnorderedMap::<u64, u32>::with_capacity(&Serial::new(), "map", 100)?.label(), "map");
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn label(&self) -> &str {
        self.table.keys.label()
    }

    /// The number of keys.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::UnorderedMap;
    /// use spelt_core::{Serial, View, reducers::Sum};
    /// let space = Serial::new();
    /// let mut map = UnorderedMap::with_capacity(&space, "map", 9)?;
    /// map.extend(&space, &View::from_vec("keys", [3], vec![5, 0, 5])?, &View::from_vec("ones", [3], vec![1, 1, 1])?, Sum::new())?;
    /// assert_eq!(map.len(), 2);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no keys.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::UnorderedMap;
    /// use spelt_core::Serial;
    /// assert!(UnorderedMap::<u64, u32>::with_capacity(&Serial::new(), "map", 100)?.is_empty());
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The number of keys that it may hold.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::UnorderedMap;
    /// use spelt_core::Serial;
    /// assert_eq!(UnorderedMap::<u64, u32>::with_capacity(&Serial::new(), "map", 100)?.capacity(), 100);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Lends the map to `launch`, whose kernels insert; values of one key are joined by `reducer`.
    ///
    /// All or nothing: if `launch` returns an error or panics, or if there are more keys than the capacity, the map is as it was before.
    /// So a sum is not added twice if the insertion is repeated after [`reserve`](Self::reserve).
    ///
    /// # Errors
    /// [`ErrorKind::Capacity`] if there are more keys than [`capacity`](Self::capacity): the error depends on the keys alone. Those of
    /// `launch`; [`ErrorKind::OutOfMemory`]; any error that a device reports.
    ///
    /// # Complexity
    /// That of `launch`, and O(capacity): slots are filled or copied before it, and counted after it. Two tables are held meanwhile if the
    /// map has keys. Keys that someone chose so that all try the same buckets take O(n^2).
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::UnorderedMap;
    /// use spelt_core::{ErrorKind, ExecutionSpace, Serial, parallel_for, reducers::Sum};
    /// let space = Serial::new();
    /// let mut map = UnorderedMap::<u32, u64>::with_capacity(&space, "map", 10)?;
    /// let count = |map: &mut UnorderedMap<u32, u64>, keys: u32| {
    ///     map.insert(&space, Sum::new(), |map| {
    ///         parallel_for("count", space.range(0..1000), map, move |i, map| map.insert(i.get() as u32 % keys, 1))
    ///     })
    /// };
    /// count(&mut map, 10)?;
    /// let error = count(&mut map, 11).unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::Capacity);
    /// assert_eq!(error.to_string(), "map `map` has room for 10 keys, but there are 11: `reserve` more, and insert again");
    /// assert_eq!((map.len(), map.get(3)), (10, Some(100)));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn insert<S, J, O>(
        &mut self,
        space: &S,
        reducer: J,
        launch: impl FnOnce(&mut Inserts<'_, K, V, J, M>) -> Result<O>,
    ) -> Result<O>
    where
        S: ExecutionSpace<Memory = M>,
        J: MapReducer<V>,
    {
        drop(reducer);
        let mut table = if self.is_empty() {
            Table::empty::<S, J>(space, self.label(), self.capacity)?
        } else {
            self.table.copied::<S, J>(space)?
        };
        let (output, len) = table.filled::<S, J, O>(space, launch)?;
        if let Some(len) = len.filter(|&len| len <= self.capacity) {
            (self.table, self.len) = (table, len);
            return Ok(output);
        }
        let keys = len.map_or_else(|| format!("more than {}", table.buckets * BUCKET), |len| len.to_string());
        Err(Error::new(
            ErrorKind::Capacity,
            format!(
                "map `{}` has room for {} keys, but there are {keys}: `reserve` more, and insert again",
                self.label(),
                self.capacity
            ),
        ))
    }

    /// Inserts pairs of keys and values, with the same number in each View.
    ///
    /// # Errors
    /// [`ErrorKind::Extents`] if the lengths differ; those of [`insert`](Self::insert). The map is then as it was before.
    ///
    /// # Complexity
    /// O(n) for n pairs, and as [`insert`](Self::insert).
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::UnorderedMap;
    /// use spelt_core::{Serial, View, reducers::Max};
    /// let space = Serial::new();
    /// let keys = View::from_vec("keys", [3], vec![5_u16, 0, 5])?;
    /// let values = View::from_vec("values", [3], vec![7, 8, 9])?;
    /// let mut map = UnorderedMap::with_capacity(&space, "map", 2)?;
    /// map.extend(&space, &keys, &values, Max::new())?;
    /// assert_eq!((map.get(5), map.get(0)), (Some(9), Some(8)));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn extend<S, J, L1, L2>(
        &mut self,
        space: &S,
        keys: &impl ReadView<K, 1, M, L1>,
        values: &impl ReadView<V, 1, M, L2>,
        reducer: J,
    ) -> Result<()>
    where
        S: ExecutionSpace<Memory = M>,
        J: MapReducer<V>,
        L1: Layout,
        L2: Layout,
    {
        let (keys, values) = (keys.read(), values.read());
        if keys.len() != values.len() {
            return Err(Error::new(
                ErrorKind::Extents,
                format!(
                    "map `{}`: view `{}` has {} keys, but view `{}` has {} values: the lengths must be equal",
                    self.label(),
                    keys.label(),
                    keys.len(),
                    values.label(),
                    values.len()
                ),
            ));
        }
        self.insert(space, reducer, |map| {
            let args = (keys, values, map);
            parallel_for("insert pairs", space.range(0..keys.len()), args, |i, (keys, values, map)| {
                map.insert(keys[i], values[i]);
            })
        })
    }

    /// Makes room for `additional` more keys than there are.
    ///
    /// # Errors
    /// [`ErrorKind::Overflow`] if their slots do not fit in the address space, [`ErrorKind::OutOfMemory`]. The map is then as it was
    /// before.
    ///
    /// # Complexity
    /// O(1) if there is room, or if there are no keys; else O(capacity), and two tables are held meanwhile.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::UnorderedMap;
    /// use spelt_core::{Serial, View, reducers::Sum};
    /// let space = Serial::new();
    /// let (one, two) = (View::from_vec("one", [1], vec![1_u32])?, View::from_vec("two", [1], vec![2_u32])?);
    /// let mut map = UnorderedMap::with_capacity(&space, "map", 1)?;
    /// map.extend(&space, &one, &one, Sum::new())?;
    /// map.reserve(&space, 1)?;
    /// map.extend(&space, &two, &two, Sum::new())?;
    /// assert_eq!((map.capacity(), map.get(1), map.get(2)), (2, Some(1), Some(2)));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn reserve<S: ExecutionSpace<Memory = M>>(&mut self, space: &S, additional: usize) -> Result<()> {
        let wanted = self.len.saturating_add(additional);
        if wanted > self.capacity {
            Table::<K, V, M>::sizes(self.label(), wanted)?;
            if !self.is_empty() {
                (self.table, self.len) = self.moved(space, wanted, |_, _| true)?;
            }
            self.capacity = wanted;
        }
        Ok(())
    }

    /// Removes the pairs for which `keep` returns false; a kernel calls it once for each pair.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfMemory`]; any error that a device reports. The map is then as it was before, and if `keep` panics too.
    ///
    /// # Complexity
    /// O(capacity); two tables are held meanwhile.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::UnorderedMap;
    /// use spelt_core::{Serial, View, reducers::Sum};
    /// let space = Serial::new();
    /// let keys = View::from_vec("keys", [4], vec![0, 1, 2, 3])?;
    /// let mut map = UnorderedMap::with_capacity(&space, "map", 4)?;
    /// map.extend(&space, &keys, &keys, Sum::new())?;
    /// map.retain(&space, |key, _| key % 2 == 0)?;
    /// assert_eq!(map.to_sorted(&space)?.0.to_vec(), [0, 2]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn retain<S: ExecutionSpace<Memory = M>>(
        &mut self,
        space: &S,
        keep: impl Fn(K, V) -> bool + Sync,
    ) -> Result<()> {
        if !self.is_empty() {
            (self.table, self.len) = self.moved(space, self.capacity, keep)?;
        }
        Ok(())
    }

    /// Removes all keys; the capacity stays. The memory of the slots is freed.
    ///
    /// # Errors
    /// As [`with_capacity`](Self::with_capacity).
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::UnorderedMap;
    /// use spelt_core::{Serial, View, reducers::Sum};
    /// let space = Serial::new();
    /// let one = View::from_vec("one", [1], vec![1])?;
    /// let mut map = UnorderedMap::with_capacity(&space, "map", 1)?;
    /// map.extend(&space, &one, &one, Sum::new())?;
    /// map.clear(&space)?;
    /// assert_eq!((map.len(), map.capacity(), map.get(1)), (0, 1, None));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn clear<S: ExecutionSpace<Memory = M>>(&mut self, space: &S) -> Result<()> {
        self.table = Table::none(space, self.label())?;
        self.len = 0;
        Ok(())
    }

    /// The keys in ascending order, and their values: the map's order of iteration.
    ///
    /// A reduction over these Views has the same bits on every space and run, for floats computed from them too.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfMemory`]; any error that a device reports.
    ///
    /// # Complexity
    /// O(capacity), and a sort of the pairs by key.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::UnorderedMap;
    /// use spelt_core::{Serial, View, reducers::Sum};
    /// let space = Serial::new();
    /// let keys = View::from_vec("keys", [4], vec![-3_i64, 9, 0, -3])?;
    /// let mut map = UnorderedMap::with_capacity(&space, "map", 9)?;
    /// map.extend(&space, &keys, &View::from_vec("ones", [4], vec![1; 4])?, Sum::new())?;
    /// let (keys, counts) = map.to_sorted(&space)?;
    /// assert_eq!((keys.to_vec(), counts.to_vec()), (vec![-3, 0, 9], vec![2, 1, 1]));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn to_sorted<S: ExecutionSpace<Memory = M>>(
        &self,
        space: &S,
    ) -> Result<(View<K, 1, M>, View<V, 1, M>)> {
        let Table { keys, values, buckets, .. } = &self.table;
        let slots = positions(space, keys, |&key| key != K::Stored::EMPTY)?;
        let all = || space.range(0..slots.len());
        let last = buckets * BUCKET;
        let sorted = space.uninit(self.label(), [slots.len()])?;
        let args = (&slots, keys.lookup());
        let mut sorted = parallel_fill("keys of slots", all(), sorted, args, move |i, (slots, keys)| {
            key_of::<K>(slots[i], keys[slots[i]], last)
        })?;
        let joined = space.uninit(self.label(), [slots.len()])?;
        let args = (&slots, values.lookup());
        let mut joined =
            parallel_fill("values of slots", all(), joined, args, |i, (slots, values)| values[slots[i]])?;
        sort_by_key(space, &mut sorted, &mut joined)?;
        Ok((sorted, joined))
    }

    /// A copy in the memory of `space`.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfMemory`] if there is not enough memory; any error that a device reports.
    ///
    /// # Complexity
    /// O(capacity).
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::UnorderedMap;
    /// use spelt_core::Serial;
    /// let map = UnorderedMap::<u64, u32>::with_capacity(&Serial::new(), "map", 100)?;
    /// assert_eq!(map.to_space(&Serial::new())?.capacity(), 100);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn to_space<S: ExecutionSpace>(&self, space: &S) -> Result<UnorderedMap<K, V, S::Memory>>
    where
        S::Memory: CopyFrom<M>,
    {
        let Table { keys, values, tags, buckets } = &self.table;
        let (keys, values, tags) = (keys.to_space(space)?, values.to_space(space)?, tags.to_space(space)?);
        let table = Table { keys, values, tags, buckets: *buckets };
        Ok(UnorderedMap { table, len: self.len, capacity: self.capacity })
    }

    /// A copy in the memory of the host, to [`get`](Self::get) values there.
    ///
    /// # Errors
    /// As [`to_space`](Self::to_space).
    ///
    /// # Complexity
    /// O(capacity).
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::UnorderedMap;
    /// use spelt_core::Serial;
    /// let map = UnorderedMap::<u64, u32>::with_capacity(&Serial::new(), "map", 100)?;
    /// assert_eq!(map.to_host()?.get(7), None);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn to_host(&self) -> Result<UnorderedMap<K, V>> {
        let Table { keys, values, tags, buckets } = &self.table;
        let (keys, values, tags) = (keys.to_host()?, values.to_host()?, tags.to_host()?);
        let table = Table { keys, values, tags, buckets: *buckets };
        Ok(UnorderedMap { table, len: self.len, capacity: self.capacity })
    }

    /// A table for `capacity` keys with the pairs that `keep` keeps, and their number.
    fn moved<S: ExecutionSpace<Memory = M>>(
        &self,
        space: &S,
        capacity: usize,
        keep: impl Fn(K, V) -> bool + Sync,
    ) -> Result<(Table<K, V, M>, usize)> {
        let mut table = Table::empty::<S, Moved>(space, self.label(), capacity)?;
        let Table { keys, values, buckets, .. } = &self.table;
        let last = buckets * BUCKET;
        let ((), len) = table.filled::<S, Moved, ()>(space, |moved| {
            let args = (keys, values, moved);
            parallel_for("move keys", space.range(0..keys.len()), args, move |i, (keys, values, moved)| {
                let key = key_of::<K>(i.get(), keys[i], last);
                if keys[i] != K::Stored::EMPTY && keep(key, values[i]) {
                    moved.insert(key, values[i]);
                }
            })
        })?;
        Ok((table, len.expect("there are as many slots as keys, and more")))
    }
}

impl<K: MapKey, V: Element, M: HostAccessible> UnorderedMap<K, V, M> {
    /// The value under `key`, on the host.
    ///
    /// # Complexity
    /// As [`FindAccess::find`].
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::UnorderedMap;
    /// use spelt_core::{Serial, View, reducers::Sum};
    /// let space = Serial::new();
    /// let one = View::from_vec("one", [1], vec![1])?;
    /// let mut map = UnorderedMap::with_capacity(&space, "map", 1)?;
    /// map.extend(&space, &one, &one, Sum::new())?;
    /// assert_eq!((map.get(1), map.get(2)), (Some(1), None));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn get(&self, key: K) -> Option<V> {
        self.slot(key).map(|slot| self.table.values[slot])
    }

    /// Whether `key` is there, on the host.
    ///
    /// # Complexity
    /// As [`FindAccess::contains`].
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::UnorderedMap;
    /// use spelt_core::Serial;
    /// assert!(!UnorderedMap::<u64, ()>::with_capacity(&Serial::new(), "set", 100)?.contains(0));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn contains(&self, key: K) -> bool {
        self.slot(key).is_some()
    }

    fn slot(&self, key: K) -> Option<usize> {
        const CONTIGUOUS: &str = "an owned View of rank 1 is contiguous";
        let Table { keys, tags, buckets, .. } = &self.table;
        let (keys, tags) = (keys.as_slice().expect(CONTIGUOUS), tags.as_slice().expect(CONTIGUOUS));
        access::find::<K>(keys, tags, *buckets, key)
    }
}

/// The key of a slot that is used, of which `last` is that of the key whose bits are empty.
#[inline(always)]
fn key_of<K: MapKey>(slot: usize, bits: K::Stored, last: usize) -> K {
    K::from_bits(if slot == last { K::Stored::EMPTY } else { bits })
}

impl<K: MapKey, V: Element, M: MemorySpace> fmt::Debug for UnorderedMap<K, V, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnorderedMap")
            .field("label", &self.label())
            .field("len", &self.len)
            .field("capacity", &self.capacity)
            .finish_non_exhaustive()
    }
}
