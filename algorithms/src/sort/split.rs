//! The split of all keys by their highest bits: the buckets of prefixes, and the move into them.

use spelt_core::isa::{Work, dispatch};
use spelt_core::{Element, ExecutionSpace, MemorySpace, Result, View, ViewRef, parallel_for};

use super::host::PART;
use super::key::{Direction, RadixKey};
use super::lines::Lines;
use super::look::{Count, Prefix, WIDEST};
use super::pass::{Blocks, PairViews};

/// The number of prefixes of the widest kind.
const PREFIXES: usize = 1 << WIDEST;

/// The maximum number of buckets. Source: a line of keys for each must stay in the second cache beside one of values.
const BUCKETS: usize = 1 << 11;

/// The binary logarithm of the number of buckets for uniformly distributed keys.
const USUAL_BUCKETS: u32 = 10;

/// The minimum number of keys of a bucket that is not a single prefix. Source: with fewer keys, the time per key hardly decreases.
const BUCKET: usize = 1 << 12;

/// Keys and values of more bytes are moved through lines. Source: fewer bytes stay in the caches, which lines would bypass.
const CACHED: usize = 1 << 22;

/// Counts the prefixes of the keys of each block.
pub(super) fn count<S: ExecutionSpace, K: RadixKey>(
    space: &S,
    keys: ViewRef<'_, K, 1, S::Memory>,
    direction: Direction<K::Bits>,
    prefix: Prefix,
    blocks: Blocks,
    table: &mut View<u32, 2, S::Memory>,
) -> Result<()> {
    #[cfg(test)]
    super::pass::tests::COUNTED.set(super::pass::tests::COUNTED.get() + 1);
    let policy = space.range(0..blocks.count).chunk(1);
    parallel_for(
        "sort: count",
        policy,
        (keys.lookup(), table.by_rows_mut()),
        move |block, (keys, mut table)| {
            let counts = &mut table[block];
            counts.fill(0);
            dispatch(Count { keys: blocks.of(keys.as_slice(), block.get()), direction, prefix, counts });
        },
    )
}

/// Keys that are sorted together: some neighbouring prefixes, a power of two of them.
#[derive(Debug)]
pub(super) struct Buckets {
    /// The start of each, with the bit above those that may vary in it; then the end of the last.
    list: Vec<(usize, u32)>,
}

impl Buckets {
    /// All keys in one.
    pub(super) fn one(n: usize, end: u32) -> Self {
        Self { list: vec![(0, end), (n, 0)] }
    }

    /// Groups prefixes, whose counts `table` has for each block, into buckets; returns them, the bucket of each prefix, and the
    /// place of the first key of each block and bucket.
    pub(super) fn new<M: MemorySpace>(
        table: &View<u32, 2, M>,
        prefix: Prefix,
        n: usize,
    ) -> Result<(Self, View<u16, 1>, View<usize, 2>)> {
        let [blocks, row] = table.extents();
        let table = table.to_host()?;
        let rows = || table.as_slice().unwrap_or(&[]).chunks_exact(row);
        let mut ends = vec![0_usize; prefix.values() + 1];
        for counts in rows() {
            ends[1..].iter_mut().zip(counts).for_each(|(end, &count)| *end += count as usize);
        }
        for i in 1..ends.len() {
            ends[i] += ends[i - 1];
        }
        let mut most = BUCKET.min(n / PART).max((n + n / 2) >> USUAL_BUCKETS);
        let list = loop {
            let list = cut(&ends, prefix, most);
            if list.len() <= BUCKETS {
                break list;
            }
            most *= 2;
        };
        let mut map = vec![0_u16; PREFIXES];
        let mut prefixes = 0;
        let mut next = Vec::with_capacity(BUCKETS);
        for (number, &(_, level)) in list.iter().enumerate() {
            map[prefixes..prefixes + (1 << level)].fill(number as u16);
            next.push(ends[prefixes]);
            prefixes += 1 << level;
        }
        let mut buckets: Vec<_> =
            next.iter().zip(&list).map(|(&start, &(_, level))| (start, prefix.shift + level)).collect();
        buckets.push((n, 0));
        let mut places = vec![0; blocks * BUCKETS];
        for (places, counts) in places.chunks_exact_mut(BUCKETS).zip(rows()) {
            places[..next.len()].copy_from_slice(&next);
            for (&count, &bucket) in counts.iter().zip(&map).take(prefix.values()) {
                next[usize::from(bucket)] += count as usize;
            }
        }
        let map = View::from_vec("sort: map", [PREFIXES], map)?;
        let places = View::from_vec("sort: places", [blocks, BUCKETS], places)?;
        Ok((Self { list: buckets }, map, places))
    }

    pub(super) fn list(&self) -> &[(usize, u32)] {
        &self.list
    }

    /// The number of keys of the largest.
    pub(super) fn largest(&self) -> usize {
        self.list.windows(2).map(|ends| ends[1].0 - ends[0].0).max().unwrap_or(0)
    }
}

/// Cuts prefixes, which begin at `ends[prefix]`, into buckets of at most `most` keys or one prefix: returns the
/// first prefix of each, and the binary logarithm of the number of its prefixes.
fn cut(ends: &[usize], prefix: Prefix, most: usize) -> Vec<(usize, u32)> {
    let mut list = Vec::new();
    let mut first = 0;
    while first < prefix.values() {
        // The largest bucket that begins here; first + (1 << level) does not pass the end, as that is a power of two.
        let aligned = first.trailing_zeros().min(prefix.width);
        let level = (1..=aligned).rev().find(|level| ends[first + (1 << level)] - ends[first] <= most);
        let level = level.unwrap_or(0);
        list.push((first, level));
        first += 1 << level;
    }
    list
}

/// Moves every key of `from`, with its value, to its bucket in `to`; `places` advance.
#[expect(clippy::too_many_arguments, reason = "each is needed, and there is one caller")]
pub(super) fn scatter<S: ExecutionSpace, K: RadixKey, V: Element>(
    space: &S,
    from: &PairViews<'_, K, V, S::Memory>,
    to: &mut PairViews<'_, K, V, S::Memory>,
    direction: Direction<K::Bits>,
    prefix: Prefix,
    blocks: Blocks,
    map: &View<u16, 1, S::Memory>,
    places: &mut View<usize, 2, S::Memory>,
) -> Result<()> {
    #[cfg(test)]
    super::pass::tests::SCATTERED.set(super::pass::tests::SCATTERED.get() + 1);
    let many = from.keys.len() * (size_of::<K>() + size_of::<V>()) > CACHED;
    // SAFETY: the places of a block and bucket begin where `places` says and are as many as its keys of that bucket, which were
    // counted: no two blocks or buckets share one. The keys are not written in between, and their prefixes are always the
    // same ones, as `RadixKey` is sealed.
    let (keys, values) = unsafe { (to.keys.distinct(), to.values.distinct()) };
    let args = (
        from.keys.view().lookup(),
        from.values.view().lookup(),
        map.lookup(),
        places.by_rows_mut(),
        keys,
        values,
    );
    parallel_for(
        "sort: split",
        space.range(0..blocks.count).chunk(1),
        args,
        move |block, (keys, values, map, mut places, to_keys, to_values)| {
            let parts = (map.as_slice().first_chunk(), places[block].first_chunk_mut());
            let (Some(map), Some(places)) = parts else { return };
            let keys = blocks.of(keys.as_slice(), block.get());
            let values = blocks.of(values.as_slice(), block.get());
            let (to_keys, to_values) = (Lines::new(to_keys), Lines::new(to_values));
            dispatch(Move { keys, values, direction, prefix, map, places, to_keys, to_values, many });
        },
    )
}

/// The move of a block.
struct Move<'a, 'k, K: RadixKey, V: Element> {
    keys: &'a [K],
    values: &'a [V],
    direction: Direction<K::Bits>,
    prefix: Prefix,
    map: &'a [u16; PREFIXES],
    places: &'a mut [usize; BUCKETS],
    to_keys: Lines<'k, K, BUCKETS>,
    to_values: Lines<'k, V, BUCKETS>,
    many: bool,
}

impl<K: RadixKey, V: Element> Work for Move<'_, '_, K, V> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { keys, values, direction, prefix, map, places, mut to_keys, mut to_values, many } = self;
        let next = |places: &mut [usize; BUCKETS], key: K| {
            // Written so that the compiler sees the bounds.
            let bucket = usize::from(map[prefix.of_key(key, direction) % PREFIXES]) % BUCKETS;
            let place = places[bucket];
            places[bucket] = place + 1;
            (bucket, place)
        };
        let pairs = keys.iter().zip(values);
        if !(many && to_keys.have_room() && to_values.have_room()) {
            for (&key, &value) in pairs {
                let (_, place) = next(places, key);
                to_keys.write(place, key);
                to_values.write(place, value);
            }
            return;
        }
        let firsts = *places;
        for (&key, &value) in pairs {
            let (bucket, place) = next(places, key);
            // SAFETY: there is room, and the places of each bucket rise from `firsts` on.
            unsafe {
                to_keys.put(bucket, place, key, &firsts);
                to_values.put(bucket, place, value, &firsts);
            }
        }
        // SAFETY: all were put, and `places` has the next of each bucket.
        unsafe {
            to_keys.finish(&firsts, places);
            to_values.finish(&firsts, places);
        }
    }
}
