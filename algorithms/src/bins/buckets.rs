//! Contributions sorted, stably, into buckets of neighbouring bins; each bucket is then joined by one thread, in order.

use spelt_core::reducers::{Reducer, Sum};
use spelt_core::{
    Element, Error, ErrorKind, ExecutionSpace, Layout, MemorySpace, Result, ViewMut, parallel_for,
    parallel_scan,
};

use super::Contributions;

/// The most buckets. Unit: buckets. Source: a thread writes to all of them in turn, so that as many pages as lines must fit in
/// what a core keeps of both.
const MOST_BUCKETS: usize = 512;

/// Blocks of contributions for each thread of a host. Unit: blocks. Source: a late thread costs an eighth of its share.
const BLOCKS_PER_THREAD: usize = 8;

/// Blocks of contributions on a device, where each is one thread's. Unit: blocks.
const BLOCKS_ON_DEVICE: usize = 2048;

/// Contributions in a block, at least. Unit: contributions.
const SHORTEST_BLOCK: usize = 256;

impl<I, V, M, LK, LV, B, F> Contributions<'_, I, V, M, LK, LV, B, F>
where
    I: Element,
    V: Element,
    M: MemorySpace,
    LK: Layout,
    LV: Layout,
    B: Fn(I) -> usize + Copy + Sync,
{
    /// Joins all contributions, those of each bin by ascending index, whatever the number of blocks.
    pub(super) fn in_buckets<S, T, R, L>(
        self,
        space: &S,
        mut bins: ViewMut<'_, T, 1, M, L>,
        reducer: R,
    ) -> Result<()>
    where
        S: ExecutionSpace<Memory = M>,
        T: Element,
        F: Fn(V) -> T + Copy + Sync,
        R: Reducer<Value = T, Output = T> + Copy + Send + Sync,
        L: Layout,
    {
        let Self { keys, values, bin, lift } = self;
        let (n, len) = (keys.len(), bins.len());
        // A power of two, so that no bin costs a division.
        let shift = len.div_ceil(MOST_BUCKETS).next_power_of_two().trailing_zeros();
        if shift > u32::BITS {
            return Err(Error::new(
                ErrorKind::Overflow,
                format!("view `{}`: {len} are more bins than can be sorted into", bins.label()),
            ));
        }
        let buckets = ((len - 1) >> shift) + 1;
        let wanted =
            if M::HOST_ACCESSIBLE { space.concurrency() * BLOCKS_PER_THREAD } else { BLOCKS_ON_DEVICE };
        let block = n.div_ceil(wanted).max(SHORTEST_BLOCK);
        let blocks = n.div_ceil(block);

        // How many contributions each block has for each bucket; then where the first of them goes.
        let mut places = space.zeros::<usize, 2>("places", [blocks, buckets])?;
        parallel_for(
            "bucket sizes",
            space.range(0..blocks).chunk(1),
            (keys.lookup(), places.by_rows_mut()),
            move |b, (keys, mut sizes)| {
                let sizes = &mut sizes[b];
                let first = b.get() * block;
                for i in first..n.min(first + block) {
                    let place = bin(keys[i]);
                    if place < len {
                        sizes[place >> shift] += 1;
                    }
                }
            },
        )?;
        let inside = parallel_scan(
            "bucket places",
            space.md_range([0..buckets, 0..blocks]),
            places.transposed_mut(),
            |i, before, last, mut places| {
                let size = places[i];
                if last {
                    places[i] = *before;
                }
                *before += size;
            },
            Sum::<usize>::new(),
        )?;
        if inside == 0 {
            return Ok(());
        }
        let mut sorted = space.zeros::<(u32, T), 1>("sorted", [inside])?;
        // SAFETY: each contribution takes the next place of its block and bucket, of which there are as many as the first kernel
        // counted: keys are data that nothing writes meanwhile, and `bin` answers alike for the same key. So no two take one
        // place.
        let target = unsafe { sorted.distinct() };
        parallel_for(
            "into buckets",
            space.range(0..blocks).chunk(1),
            (keys.lookup(), values.lookup(), places.by_rows_mut(), target),
            move |b, (keys, values, mut places, mut sorted)| {
                let places = &mut places[b];
                let first = b.get() * block;
                for i in first..n.min(first + block) {
                    let place = bin(keys[i]);
                    if place < len {
                        let next = &mut places[place >> shift];
                        let in_bucket = (place & ((1 << shift) - 1)) as u32;
                        sorted[*next] = (in_bucket, lift(values[i]));
                        *next += 1;
                    }
                }
            },
        )?;
        // SAFETY: bucket `b` writes bins from `b << shift` to before `(b + 1) << shift` alone, which it checks.
        let bins = unsafe { bins.distinct() };
        parallel_for(
            "bins of buckets",
            space.range(0..buckets).chunk(1),
            (places.lookup(), sorted.lookup(), bins),
            move |b, (places, sorted, mut bins)| {
                // The last block has left behind where each bucket ends.
                let ends = places.row(blocks - 1);
                let bucket = b.get();
                let begin = if bucket == 0 { 0 } else { ends[bucket - 1] };
                for at in begin..ends[bucket] {
                    let (in_bucket, value) = sorted[at];
                    let in_bucket = in_bucket as usize;
                    if in_bucket >> shift == 0
                        && let Some(into) = bins.get_mut((bucket << shift) + in_bucket)
                    {
                        reducer.join(into, &value);
                    }
                }
            },
        )
    }
}
