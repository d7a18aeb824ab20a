//! Contributions in contiguous blocks, each joined into its own bins, which then join in order.

use core::ops::Range;

use spelt_core::reducers::Reducer;
use spelt_core::{
    Element, ExecutionSpace, Layout, LookupAccess, MemorySpace, Result, View, ViewMut, parallel_for,
};

use super::Contributions;
use super::partial::{Partial, flags_for, found};

/// The least distance between the writes of two blocks. Unit: bytes. Source: two cache lines, which processors fetch together.
const APART: usize = 128;

/// Bins of at least this size are joined without a copy where possible. Unit: bytes. Source: copying smaller ones takes negligible time.
const LARGE: usize = 1 << 18;

/// The number of contributions that justify starting a thread. Unit: contributions. Source: they take some microseconds.
const SHARED_OUT: usize = 4096;

/// Contributions that a turn of the loop on a host has. Unit: contributions. Source: measured with sums of `f32` into 256 bins, two threads, AVX-512: 0.98 of
/// rayon's chunks, 1.09 with four a turn.
const AT_A_TIME: usize = 8;

/// [`AT_A_TIME`] where bins lie beyond the caches of a core. Unit: contributions. Source: measured with 10^6 bins on one thread: 0.84 of the time of four a
/// turn, 0.88 of eight.
const ONE_BY_ONE: usize = 1;

/// The largest value of which `JOINED_TOGETHER` are kept apart from the bins. Unit: bytes. Source: they are a kibibyte.
const SMALL: usize = 16;

/// The values of a byte.
const BYTES: usize = 256;

/// Bins whose copies one thread joins at a time. Unit: bins. Source: the copies of this number of neighbours share cache lines.
const JOINED_TOGETHER: usize = 64;

/// The values of copies that justify starting a thread that joins them. Unit: values. Source: estimated: vectors join as many in less than a
/// microsecond, the time of a launch on two threads.
const JOINED_ALONE: usize = 8192;

/// The groups of [`JOINED_TOGETHER`] bins that a thread joins at a time.
fn groups_at_a_time(blocks: usize, len: usize) -> usize {
    JOINED_ALONE.div_ceil(blocks * JOINED_TOGETHER).max(len / 1024 / JOINED_TOGETHER)
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
    /// Joins all contributions in this number of blocks.
    pub(super) fn in_blocks<S, T, R, L>(
        self,
        space: &S,
        blocks: usize,
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
        if blocks == 1 {
            // SAFETY: the launch has one iteration.
            let bins = unsafe { bins.distinct() };
            return parallel_for(
                "bins",
                space.range(0..1),
                (keys.lookup(), values.lookup(), bins),
                move |_, (keys, values, mut bins)| {
                    // With the number of bins as a constant, every byte is one of them, and the loop has no check.
                    if const { size_of::<I>() == 1 } && bins.extent(0) == BYTES {
                        for_each_of::<AT_A_TIME, S, _, _, _, _>(0..n, &keys, &values, |key, value| {
                            if let Some(into) = bins.get_mut(bin(key)) {
                                reducer.join(into, &lift(value));
                            }
                        });
                        return;
                    }
                    for_each_of::<AT_A_TIME, S, _, _, _, _>(0..n, &keys, &values, |key, value| {
                        if let Some(into) = bins.get_mut(bin(key)) {
                            reducer.join(into, &lift(value));
                        }
                    });
                },
            );
        }
        if R::EXACT && len.saturating_mul(size_of::<T>()) >= LARGE {
            return self.in_bins_and_blocks(space, blocks, bins, reducer);
        }
        let block = n.div_ceil(blocks);
        let pitch = len.next_multiple_of(APART.div_ceil(size_of::<T>().max(1)));
        let mut copies = space.zeros::<T, 2>("copies", [blocks, pitch])?;
        let flags = flags_for(&reducer, len);
        let mut started = space.zeros::<bool, 2>("flags", [blocks, flags.next_multiple_of(APART)])?;
        parallel_for(
            "bins of blocks",
            space.range(0..blocks).chunk(SHARED_OUT.div_ceil(block)),
            (keys.lookup(), values.lookup(), copies.by_rows_mut(), started.by_rows_mut()),
            move |b, (keys, values, mut copies, mut started)| {
                let (copy, started) = (&mut copies[b][..len], &mut started[b][..flags]);
                let first = b.get() * block;
                let range = first..n.min(first + block);
                let join_all = inlined(
                    #[inline(always)]
                    |mut copy: Partial<'_, T, R>| {
                        for_each_of::<AT_A_TIME, S, _, _, _, _>(
                            range.clone(),
                            &keys,
                            &values,
                            |key, value| {
                                copy.join(bin(key), lift(value));
                            },
                        );
                    },
                );
                // Every byte is one of 256 bins: with that number as a constant, the loop has no check.
                match <&mut [T; BYTES]>::try_from(&mut *copy) {
                    Ok(copy) if const { size_of::<I>() == 1 } => {
                        join_all(Partial::begin(copy, started, reducer));
                    }
                    _ => join_all(Partial::begin(copy, started, reducer)),
                }
            },
        )?;
        join(space, blocks, &copies, &started, bins, reducer)
    }

    /// The same for an exact reducer: the first block joins the bins themselves, which saves making and joining a copy.
    fn in_bins_and_blocks<S, T, R, L>(
        self,
        space: &S,
        blocks: usize,
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
        let block = n.div_ceil(blocks);
        let mut copies = space.zeros::<T, 1>("copies", [(blocks - 1) * len])?;
        let flags = flags_for(&reducer, len);
        let mut started = space.zeros::<bool, 1>("flags", [(blocks - 1) * flags])?;
        // SAFETY: only the first block touches bins; each of the others touches only its own copy and flags.
        let (into, others, flagged) = unsafe { (bins.distinct(), copies.distinct(), started.distinct()) };
        parallel_for(
            "bins and blocks",
            space.range(0..blocks).chunk(SHARED_OUT.div_ceil(block)),
            (keys.lookup(), values.lookup(), into, others, flagged),
            move |b, (keys, values, mut bins, mut copies, mut started)| {
                let b = b.get();
                let range = b * block..n.min((b + 1) * block);
                let Some(copy) = b.checked_sub(1) else {
                    for_each_of::<ONE_BY_ONE, S, _, _, _, _>(range, &keys, &values, |key, value| {
                        if let Some(into) = bins.get_mut(bin(key)) {
                            reducer.join(into, &lift(value));
                        }
                    });
                    return;
                };
                let Some(started) = started.slice_mut(copy * flags..(copy + 1) * flags) else { return };
                let Some(copy) = copies.slice_mut(copy * len..(copy + 1) * len) else { return };
                let mut copy = Partial::begin_in_zeros(copy, started, reducer);
                for_each_of::<ONE_BY_ONE, S, _, _, _, _>(range, &keys, &values, |key, value| {
                    copy.join(bin(key), lift(value))
                });
            },
        )?;
        parallel_for(
            "bins of all blocks",
            space.range(0..len).chunk(JOINED_TOGETHER.max(len / 1024)),
            (copies.lookup(), started.lookup(), bins),
            move |place, (copies, started, mut bins)| {
                let mut joined = bins[place];
                for at in (0..blocks - 1).map(|copy| copy * len + place.get()) {
                    if let Some(value) = found(&reducer, copies[at], || Some(started[at])) {
                        reducer.join(&mut joined, &value);
                    }
                }
                bins[place] = joined;
            },
        )
    }
}

/// Calls `join` with the keys and values of a range, in order, on a host `EACH` of them a turn.
#[inline(always)]
fn for_each_of<const EACH: usize, S: ExecutionSpace, I: Element, V: Element, LK: Layout, LV: Layout>(
    range: Range<usize>,
    keys: &LookupAccess<'_, I, 1, LK>,
    values: &LookupAccess<'_, V, 1, LV>,
    mut join: impl FnMut(I, V),
) {
    if !S::IS_DEVICE
        && !range.is_empty()
        && let Some(keys) = slice(keys, &range)
        && let Some(values) = slice(values, &range)
    {
        let ((keys, last_keys), (values, last_values)) =
            (keys.as_chunks::<EACH>(), values.as_chunks::<EACH>());
        for (keys, values) in keys.iter().zip(values) {
            for k in 0..EACH {
                join(keys[k], values[k]);
            }
        }
        last_keys.iter().zip(last_values).for_each(|(key, value)| join(*key, *value));
        return;
    }
    // Bounds that the compiler sees, so that it need not check each index.
    for i in range.start..range.end.min(keys.extent(0)).min(values.extent(0)) {
        join(keys[i], values[i]);
    }
}

/// A range of neighbours in memory; `None` if they are apart.
#[inline(always)]
fn slice<'s, T: Element, L: Layout>(
    all: &'s LookupAccess<'_, T, 1, L>,
    range: &Range<usize>,
) -> Option<&'s [T]> {
    all.line([0], 0).part(range.start, range.len())?.as_slice()
}

/// The closure itself: it can have an attribute only as an argument of a function.
#[inline(always)]
fn inlined<T, R, F: Fn(Partial<'_, T, R>)>(join_all: F) -> F {
    join_all
}

/// Joins the copies of all blocks to the bins, in order.
fn join<S, T, R, L>(
    space: &S,
    blocks: usize,
    copies: &View<T, 2, S::Memory>,
    started: &View<bool, 2, S::Memory>,
    mut bins: ViewMut<'_, T, 1, S::Memory, L>,
    reducer: R,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    R: Reducer<Value = T> + Copy + Sync,
    L: Layout,
{
    let len = bins.len();
    if !S::IS_DEVICE && const { size_of::<T>() <= SMALL } {
        // SAFETY: each iteration touches the bins from `JOINED_TOGETHER` times its number on, as many as these.
        let bins = unsafe { bins.distinct() };
        return parallel_for(
            "bins of all blocks",
            space.range(0..len.div_ceil(JOINED_TOGETHER)).chunk(groups_at_a_time(blocks, len)),
            (copies.lookup(), started.lookup(), bins),
            move |group, (copies, started, mut bins)| {
                let first = group.get() * JOINED_TOGETHER;
                let width = JOINED_TOGETHER.min(len - first);
                // Apart from the bins, so that vectors can hold them.
                let mut joined = [bins[first]; JOINED_TOGETHER];
                for k in 1..width {
                    joined[k] = bins[first + k];
                }
                for block in 0..blocks {
                    let values = &copies.row(block)[first..][..width];
                    let mut join = |k: usize, value: T, started: Option<bool>| {
                        let mut into = joined[k];
                        if let Some(value) = found(&reducer, value, || started) {
                            reducer.join(&mut into, &value);
                        }
                        joined[k] = into;
                    };
                    if reducer.neutral().is_none() {
                        let started = &started.row(block)[first..][..width];
                        (0..width).for_each(|k| join(k, values[k], Some(started[k])));
                    } else if let Some(values) = values.first_chunk::<JOINED_TOGETHER>() {
                        (0..JOINED_TOGETHER).for_each(|k| join(k, values[k], None));
                    } else {
                        (0..width).for_each(|k| join(k, values[k], None));
                    }
                }
                for k in 0..width {
                    bins[first + k] = joined[k];
                }
            },
        );
    }
    parallel_for(
        "bins of all blocks",
        space.range(0..len).chunk(JOINED_TOGETHER.max(len / 1024)),
        (copies.lookup(), started.lookup(), bins),
        move |place, (copies, started, mut bins)| {
            let mut joined = bins[place];
            for at in (0..blocks).map(|block| [block, place.get()]) {
                if let Some(value) = found(&reducer, copies[at], || Some(started[at])) {
                    reducer.join(&mut joined, &value);
                }
            }
            bins[place] = joined;
        },
    )
}

#[cfg(test)]
mod tests {
    use super::{JOINED_TOGETHER, groups_at_a_time};

    #[test]
    fn few_copies_are_joined_on_one_thread_and_many_by_groups() {
        // Eight copies of 256 bins, and four of 1024 and 4096.
        for (blocks, len, units) in [(8, 256, 1), (4, 1024, 1), (4, 4096, 2), (64, 256, 2), (128, 256, 4)] {
            let groups = usize::div_ceil(len, JOINED_TOGETHER);
            assert_eq!(groups.div_ceil(groups_at_a_time(blocks, len)), units, "{blocks} blocks of {len}");
        }
        assert_eq!(groups_at_a_time(1024, 1 << 20), 16);
        assert_eq!(groups_at_a_time(1, 1), 128);
    }
}
