//! The first few keys in sorted order, without sorting the rest.

use spelt_core::reducers::{BitElement, Sum};
use spelt_core::tools::algorithm;
use spelt_core::{ExecutionSpace, Layout, ReadView, Result, View, ViewRef, parallel_for, parallel_scan};

use crate::best_keys::best_keys;
use crate::bins::Contributions;
use crate::dense::Dense;
use crate::sort::{Blocks, Direction, PairViews, RADIX, RadixBits, RadixKey, places, sort_pairs, starts};

/// The number of keys for each one that is wanted from which a host reads them once. Unit: keys. Source: measured, with 10^5 keys on two
/// threads.
const KEYS_PER_WANTED: usize = 64;

/// The number of keys from which a host with so many threads reads them once, for `k` of them: each thread has its list of candidates, and
/// one thread joins the lists.
fn few(threads: usize, k: usize) -> usize {
    k.saturating_mul(KEYS_PER_WANTED).saturating_mul(threads.div_ceil(2))
}

/// The order of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extreme {
    /// The largest.
    Largest,
    /// The smallest.
    Smallest,
}

/// The order of equal keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Ties {
    /// The one with the smallest index, as in a stable sort.
    #[default]
    SmallerIndex,
    /// The one with the largest index.
    LargerIndex,
}

/// The `k` first keys in sorted order, with their indices: the largest ones or the smallest ones, the extreme one first.
///
/// Equal keys are chosen, and sorted, in the order given by `ties`. If there are at most `k` keys, all are returned. Floats have the
/// total order of [`sort`](crate::sort): positive NaNs are largest.
///
/// # Errors
/// [`OutOfMemory`](spelt_core::ErrorKind::OutOfMemory) if there is not enough memory for the result, or for the candidates of all threads.
///
/// # Complexity
/// With n keys of b bytes: work O(b n + b k), span O(b (n / threads + log n)). A host reads the keys once if k is below n / 32 / threads and n / 64: each
/// thread keeps the first k of its share, and compares others only with the last of these. Otherwise the keys are read up to b times to find the
/// last one, digit by digit from the highest, until all keys with the digits so far are selected or not; then once to copy
/// the first k, which are sorted. Radix selection: Alabi, Blanchard, Gordon, Steinbach: Fast k-selection algorithms for
/// graphics processing units, 2012.
///
/// # Examples
/// ```
/// use spelt_algorithms::{Extreme, Ties, top_k};
/// use spelt_core::{Serial, View};
/// let keys = View::from_vec("keys", [6], vec![10, 8, 8, 8, 6, 5])?;
/// let (best, indices) = top_k(&Serial::new(), &keys, 3, Extreme::Largest, Ties::SmallerIndex)?;
/// assert_eq!(best.to_vec(), [10, 8, 8]);
/// assert_eq!(indices.to_vec(), [0, 1, 2]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn top_k<S, K, L>(
    space: &S,
    keys: &impl ReadView<K, 1, S::Memory, L>,
    k: usize,
    extreme: Extreme,
    ties: Ties,
) -> Result<(View<K, 1, S::Memory>, View<usize, 1, S::Memory>)>
where
    S: ExecutionSpace,
    K: RadixKey,
    L: Layout,
{
    let _region = algorithm("top_k");
    let k = k.min(keys.read().len());
    let mut best = space.zeros::<K, 1>(keys.read().label(), [k])?;
    let mut indices = space.zeros::<usize, 1>("indices", [k])?;
    if k > 0 {
        let descending = extreme == Extreme::Largest;
        let keys = Dense::of(space, keys.read())?;
        let direction = Direction::new(descending);
        if const { !S::IS_DEVICE } && keys.view().len() >= few(space.concurrency(), k) {
            return best_few(space, keys.view(), best, indices, direction, ties);
        }
        let cut = Cut::find(space, keys.view(), direction, k)?;
        let mut pairs = PairViews { keys: best.view_mut(), values: indices.view_mut() };
        take(space, keys.view(), &mut pairs, direction, cut, ties)?;
        sort_pairs(space, pairs, descending)?;
    }
    Ok((best, indices))
}

/// The same on a host, if `k` keys are few.
fn best_few<S: ExecutionSpace, K: RadixKey>(
    space: &S,
    keys: ViewRef<'_, K, 1, S::Memory>,
    mut best: View<K, 1, S::Memory>,
    mut indices: View<usize, 1, S::Memory>,
    direction: Direction<K::Bits>,
    ties: Ties,
) -> Result<(View<K, 1, S::Memory>, View<usize, 1, S::Memory>)> {
    let backwards = ties == Ties::LargerIndex;
    let found = best_keys(space, keys, best.len(), direction, backwards)?;
    let range = space.range(0..found.len());
    let found = &found;
    parallel_for(
        "top_k: best",
        range,
        (keys.lookup(), &mut best, &mut indices),
        move |i, (keys, mut best, mut indices)| {
            let (_, rank) = found[i.get()];
            let index = if backwards { !rank } else { rank };
            best[i] = keys[index];
            indices[i] = index;
        },
    )?;
    Ok((best, indices))
}

/// The end of the first keys: by the bits of `mask`, `before` keys are smaller than `bits` and all taken, `equal` are equal and
/// `taken` of them taken.
#[derive(Clone, Copy, Debug)]
struct Cut<B> {
    bits: B,
    mask: B,
    before: usize,
    equal: usize,
    taken: usize,
}

impl<B: RadixBits> Cut<B> {
    /// Whether a key is equal to the cut, as far as its bits are known.
    #[inline(always)]
    fn is_at(self, key: B) -> bool {
        key.and(self.mask) == self.bits
    }

    /// Finds the cut after `k` keys; `k` is neither 0 nor larger than the number of keys.
    fn find<S: ExecutionSpace, K: RadixKey<Bits = B>>(
        space: &S,
        keys: ViewRef<'_, K, 1, S::Memory>,
        direction: Direction<B>,
        k: usize,
    ) -> Result<Self> {
        let mut cut = Self { bits: B::NO_BITS, mask: B::NO_BITS, before: 0, equal: keys.len(), taken: k };
        let mut shift = 8 * size_of::<B>() as u32;
        while shift > 0 && cut.taken < cut.equal {
            shift -= 8;
            let starts = if const { S::IS_DEVICE } {
                starts_by_teams(space, keys, direction, cut, shift)?
            } else {
                starts_by_blocks(space, keys, direction, cut, shift)?
            };
            // The last digit before which there are fewer keys than are taken.
            let digit = starts.partition_point(|&start| start < cut.taken) - 1;
            let end = starts.get(digit + 1).copied().unwrap_or(cut.equal);
            cut.bits = cut.bits.or(B::from_u64((digit as u64) << shift));
            cut.mask = cut.mask.or(B::from_u64(0xFF << shift));
            cut.before += starts[digit];
            cut.equal = end - starts[digit];
            cut.taken -= starts[digit];
        }
        Ok(cut)
    }
}

/// The number of keys equal to the cut so far whose digits at `shift` are smaller than each digit, counted as a histogram is.
fn starts_by_teams<S: ExecutionSpace, K: RadixKey>(
    space: &S,
    keys: ViewRef<'_, K, 1, S::Memory>,
    direction: Direction<K::Bits>,
    cut: Cut<K::Bits>,
    shift: u32,
) -> Result<Vec<usize>> {
    let bin = move |key| {
        let key = direction.bits(key);
        // There is no such bin for others.
        if cut.is_at(key) { usize::from(key.digit(shift)) } else { RADIX }
    };
    let mut counts = space.zeros::<usize, 1>("top_k: counts", [RADIX])?;
    Contributions { keys, values: keys, bin, lift: |_| 1 }.sum_into(space, &mut counts)?;
    let before = |sum: &mut usize, count: &usize| {
        let before = *sum;
        *sum += count;
        Some(before)
    };
    Ok(counts.to_host()?.iter().scan(0, before).collect())
}

/// [`starts_by_teams`] for hosts, where a thread counts each block.
fn starts_by_blocks<S: ExecutionSpace, K: RadixKey>(
    space: &S,
    keys: ViewRef<'_, K, 1, S::Memory>,
    direction: Direction<K::Bits>,
    cut: Cut<K::Bits>,
    shift: u32,
) -> Result<Vec<usize>> {
    let blocks = Blocks::new(keys.len());
    let mut table = space.zeros::<usize, 2>("top_k: counts", [blocks.count, RADIX])?;
    let policy = space.range(0..blocks.count).chunk(1);
    parallel_for(
        "top_k: count",
        policy,
        (keys.lookup(), table.by_rows_mut()),
        move |block, (keys, mut table)| {
            let row = &mut table[block];
            let Some(row) = row.first_chunk_mut::<RADIX>() else { return };
            for &key in blocks.of(keys.as_slice(), block.get()) {
                let key = direction.bits(key);
                if cut.is_at(key) {
                    row[usize::from(key.digit(shift))] += 1;
                }
            }
        },
    )?;
    places(space, &mut table)?;
    starts(&table)
}

/// Copies the keys before the cut, in the order of their indices or in reverse, and after them those equal to it.
fn take<S: ExecutionSpace, K: RadixKey>(
    space: &S,
    keys: ViewRef<'_, K, 1, S::Memory>,
    to: &mut PairViews<'_, K, usize, S::Memory>,
    direction: Direction<K::Bits>,
    cut: Cut<K::Bits>,
    ties: Ties,
) -> Result<()> {
    // SAFETY: the scan counts the keys before the cut, and those equal to it, before each of them: no two get the same place.
    let (to_keys, to_indices) = unsafe { (to.keys.distinct(), to.values.distinct()) };
    parallel_scan(
        "top_k: take",
        space.range(0..keys.len()),
        (keys, to_keys, to_indices),
        move |i, ranks, last, (keys, mut to_keys, mut to_indices)| {
            let key = keys[i];
            let bits = direction.bits(key).and(cut.mask);
            let [before, equal] = *ranks;
            let backwards = ties == Ties::LargerIndex;
            let place = if bits < cut.bits {
                ranks[0] += 1;
                Some(if backwards { cut.before - 1 - before } else { before })
            } else if bits == cut.bits {
                ranks[1] += 1;
                let rank = if backwards { cut.equal - 1 - equal } else { equal };
                (rank < cut.taken).then_some(cut.before + rank)
            } else {
                None
            };
            if let (true, Some(place)) = (last, place)
                && let (Some(to_key), Some(to_index)) = (to_keys.get_mut(place), to_indices.get_mut(place))
            {
                *to_key = key;
                *to_index = i.get();
            }
        },
        Sum::<[usize; 2]>::new(),
    )
    .map(drop)
}
