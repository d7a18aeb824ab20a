//! Contributions sorted, stably, into buckets of neighbouring bins; each bucket is then joined by one thread, block after block.

use core::ops::Range;

use spelt_core::reducers::{Reducer, Sum};
use spelt_core::{
    Element, Error, ErrorKind, ExecutionSpace, Layout, MemorySpace, Result, View, ViewMut, ViewRef,
    parallel_for, parallel_scan,
};

use super::Contributions;
use super::partial::{Partial, flags_for};
use crate::unwritten::Unwritten;

/// The maximum number of buckets. Unit: buckets. Source: a thread writes to all of them in turn, so their pages must fit into the
/// translation buffers of a core, and their lines into its cache.
const MAX_BUCKETS: usize = 512;

/// Parts of blocks for each thread of a host. Unit: parts. Source: a late thread costs an eighth of its share.
const PARTS_PER_THREAD: usize = 8;

/// Parts of blocks on a device, where one thread takes each. Unit: parts.
const PARTS_ON_DEVICE: usize = 2048;

/// The minimum number of contributions in a part. Unit: contributions.
const SHORTEST_PART: usize = 256;

/// The division of contributions and bins.
#[derive(Clone, Copy)]
struct Cut {
    /// The number of contributions, and of bins.
    n: usize,
    bins: usize,
    /// Each bucket has `1 << shift` bins: a power of two, so that no bin costs a division.
    shift: u32,
    buckets: usize,
    /// Each block has `parts` parts of `part` contributions, the last of them fewer.
    blocks: usize,
    block: usize,
    parts: usize,
    part: usize,
}

impl Cut {
    fn new(n: usize, bins: usize, blocks: usize, wanted_parts: usize) -> Self {
        let shift = bins.div_ceil(MAX_BUCKETS).next_power_of_two().trailing_zeros();
        let block = n.div_ceil(blocks);
        let parts = wanted_parts.div_ceil(blocks).min(block.div_ceil(SHORTEST_PART));
        let (buckets, part) = (((bins - 1) >> shift) + 1, block.div_ceil(parts));
        Self { n, bins, shift, buckets, blocks, block, parts, part }
    }

    fn width(self) -> usize {
        1 << self.shift
    }

    fn all_parts(self) -> usize {
        self.blocks * self.parts
    }

    /// The contributions of a part.
    #[inline(always)]
    fn of_part(self, number: usize) -> Range<usize> {
        let block = number / self.parts;
        let first = block * self.block + number % self.parts * self.part;
        first..self.n.min((block + 1) * self.block).min(first + self.part)
    }
}

impl<I, V, M, LK, LV, B, F> Contributions<'_, I, V, M, LK, LV, B, F>
where
    I: Element,
    V: Element,
    M: MemorySpace,
    LK: Layout,
    LV: Layout,
    B: Fn(I) -> usize + Copy + Sync,
{
    /// Joins all contributions in this number of blocks, each cut further as there are threads.
    pub(super) fn in_buckets<S, T, R, L>(
        self,
        space: &S,
        blocks: usize,
        bins: ViewMut<'_, T, 1, M, L>,
        reducer: R,
    ) -> Result<()>
    where
        S: ExecutionSpace<Memory = M>,
        T: Element,
        F: Fn(V) -> T + Copy + Sync,
        R: Reducer<Value = T, Output = T> + Copy + Send + Sync,
        L: Layout,
    {
        let wanted = if S::IS_DEVICE { PARTS_ON_DEVICE } else { space.concurrency() * PARTS_PER_THREAD };
        let cut = Cut::new(self.keys.len(), bins.len(), blocks, wanted);
        if cut.shift > u32::BITS {
            return Err(Error::new(
                ErrorKind::Overflow,
                format!("view `{}`: {} are more bins than can be sorted into", bins.label(), cut.bins),
            ));
        }
        let mut places = sizes(space, self.keys, self.bin, cut)?;
        let inside = begins(space, &mut places)?;
        if inside == 0 {
            return Ok(());
        }
        let sorted = self.sort(space, cut, &mut places, inside)?;
        join(space, cut, &places, &sorted, bins, reducer)
    }

    /// The contributions with the numbers of their bins in their buckets, bucket after bucket, in each by ascending index.
    /// `places` has the start of each part and bucket, and will have its end.
    fn sort<S, T>(
        self,
        space: &S,
        cut: Cut,
        places: &mut View<usize, 2, M>,
        inside: usize,
    ) -> Result<View<(u32, T), 1, M>>
    where
        S: ExecutionSpace<Memory = M>,
        T: Element,
        F: Fn(V) -> T + Copy + Sync,
    {
        let Self { keys, values, bin, lift } = self;
        let policy = space.range(0..cut.all_parts()).chunk(1);
        // Each contribution takes the next place of its part and bucket, and `sizes` counted as many places as contributions: keys are data
        // that nothing writes meanwhile, and `bin` returns the same for the same key. So no two take the same place.
        if const { !S::IS_DEVICE } {
            let mut view = Unwritten::<(u32, T), M>::new(space, "sorted", inside)?;
            let sorted = view.elements();
            parallel_for(
                "into buckets",
                policy,
                (keys.lookup(), values.lookup(), places.by_rows_mut()),
                move |part, (keys, values, mut places)| {
                    let places = &mut places[part];
                    for i in cut.of_part(part.get()) {
                        let place = bin(keys[i]);
                        if place < cut.bins {
                            let next = &mut places[place >> cut.shift];
                            let in_bucket = (place & (cut.width() - 1)) as u32;
                            // SAFETY: no two contributions take the same place, as said above.
                            unsafe { sorted.at(*next) }.write((in_bucket, lift(values[i])));
                            *next += 1;
                        }
                    }
                },
            )?;
            // SAFETY: the contributions that were counted, each at a place of its own, are as many as places.
            return Ok(unsafe { view.assume_init() });
        }
        let mut sorted = space.zeros::<(u32, T), 1>("sorted", [inside])?;
        // SAFETY: no two contributions take the same place, as said above.
        let target = unsafe { sorted.distinct() };
        parallel_for(
            "into buckets",
            policy,
            (keys.lookup(), values.lookup(), places.by_rows_mut(), target),
            move |part, (keys, values, mut places, mut sorted)| {
                let places = &mut places[part];
                for i in cut.of_part(part.get()) {
                    let place = bin(keys[i]);
                    if place < cut.bins {
                        let next = &mut places[place >> cut.shift];
                        let in_bucket = (place & (cut.width() - 1)) as u32;
                        sorted[*next] = (in_bucket, lift(values[i]));
                        *next += 1;
                    }
                }
            },
        )?;
        Ok(sorted)
    }
}

/// The number of contributions of each part to each bucket.
fn sizes<S, I, LK>(
    space: &S,
    keys: ViewRef<'_, I, 1, S::Memory, LK>,
    bin: impl Fn(I) -> usize + Copy + Sync,
    cut: Cut,
) -> Result<View<usize, 2, S::Memory>>
where
    S: ExecutionSpace,
    I: Element,
    LK: Layout,
{
    let mut sizes = space.zeros::<usize, 2>("places", [cut.all_parts(), cut.buckets])?;
    parallel_for(
        "bucket sizes",
        space.range(0..cut.all_parts()).chunk(1),
        (keys.lookup(), sizes.by_rows_mut()),
        move |part, (keys, mut sizes)| {
            let sizes = &mut sizes[part];
            for i in cut.of_part(part.get()) {
                let place = bin(keys[i]);
                if place < cut.bins {
                    sizes[place >> cut.shift] += 1;
                }
            }
        },
    )?;
    Ok(sizes)
}

/// Turns the sizes of parts and buckets into their starts, bucket after bucket; returns their sum.
fn begins<S: ExecutionSpace>(space: &S, sizes: &mut View<usize, 2, S::Memory>) -> Result<usize> {
    let [parts, buckets] = sizes.extents();
    parallel_scan(
        "bucket places",
        space.md_range([0..buckets, 0..parts]),
        sizes.transposed_mut(),
        |i, before, last, mut places| {
            let size = places[i];
            if last {
                places[i] = *before;
            }
            *before += size;
        },
        Sum::<usize>::new(),
    )
}

/// Joins the sorted contributions to the bins, a thread for each bucket.
fn join<S, T, R, L>(
    space: &S,
    cut: Cut,
    ends: &View<usize, 2, S::Memory>,
    sorted: &View<(u32, T), 1, S::Memory>,
    mut bins: ViewMut<'_, T, 1, S::Memory, L>,
    reducer: R,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    R: Reducer<Value = T> + Copy + Sync,
    L: Layout,
{
    // One copy of a bucket's bins for each block; a single block writes the bins themselves.
    let copied = if cut.blocks == 1 { 0 } else { cut.width() };
    let mut copies = space.zeros::<T, 2>("copies", [cut.buckets, copied])?;
    let mut started = space.zeros::<bool, 2>("flags", [cut.buckets, flags_for(&reducer, copied)])?;
    // SAFETY: bucket `b` writes only bins from `b << shift` to before `(b + 1) << shift`, which it checks.
    let bins = unsafe { bins.distinct() };
    parallel_for(
        "bins of buckets",
        space.range(0..cut.buckets).chunk(1),
        (ends.lookup(), sorted.lookup(), copies.by_rows_mut(), started.by_rows_mut(), bins),
        move |bucket, (ends, sorted, mut copies, mut started, mut bins)| {
            let (copy, started) = (&mut copies[bucket], &mut started[bucket]);
            let bucket = bucket.get();
            let first_bin = bucket << cut.shift;
            // A bucket begins where the last part of the one before has ended.
            let mut at = if bucket == 0 { 0 } else { ends[[cut.all_parts() - 1, bucket - 1]] };
            for block in 0..cut.blocks {
                let past = ends[[(block + 1) * cut.parts - 1, bucket]];
                let mut copy = Partial::begin(copy, started, reducer);
                for at in at..past {
                    let (in_bucket, value) = sorted[at];
                    let in_bucket = in_bucket as usize;
                    if cut.blocks > 1 {
                        copy.join(in_bucket, value);
                    } else if in_bucket < cut.width()
                        && let Some(into) = bins.get_mut(first_bin + in_bucket)
                    {
                        reducer.join(into, &value);
                    }
                }
                for (in_bucket, value) in copy.values().enumerate() {
                    if let Some(into) = bins.get_mut(first_bin + in_bucket)
                        && let Some(value) = value
                    {
                        reducer.join(into, &value);
                    }
                }
                at = past;
            }
        },
    )
}
