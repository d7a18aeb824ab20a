//! Segments of a View: their beginnings and ends.
//!
//! Flags mark the first element of each segment; elements before the first flag are a segment too. There is one more offset
//! than segments: segment `s` has the elements from `offsets[s]` to before `offsets[s + 1]`, and may have none.

use core::ops::Range;
use core::sync::atomic::{AtomicBool, Ordering};

use spelt_core::isa::dispatch;
use spelt_core::reducers::{Max, Min};
use spelt_core::tools::algorithm;
use spelt_core::{
    Element, Error, ErrorKind, ExecutionSpace, Layout, MemorySpace, Offsets, ReadView, Result, SegmentShape,
    View, ViewRef, parallel_for, parallel_map_reduce, parallel_reduce,
};

use crate::IndexElement;
use crate::bounds::none_negative;
use crate::dense::Dense;
use crate::flag_blocks::{FlagBlocks, Pick};

/// The offsets of the segments that flags mark: the start of each, and at the end the number of flags.
///
/// A segment begins at every `true` and at the first element, whether that is flagged or not. Without flags the result is `[0]`: no
/// segments. Flags cannot express empty segments.
///
/// # Errors
/// [`ErrorKind::OutOfMemory`]; any error of the launch on a device.
///
/// # Complexity
/// Work `O(n + segments)`, span `O(n / threads + log n)`; the flags are read twice and the offsets written once.
///
/// # Examples
/// ```
/// use spelt_algorithms::offsets_from_flags;
/// use spelt_core::{Serial, View};
/// let flags = View::from_vec("flags", [5], vec![false, false, true, true, false])?;
/// assert_eq!(offsets_from_flags(&Serial::new(), &flags)?.view().to_vec(), [0, 2, 3, 5]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn offsets_from_flags<S, L>(
    space: &S,
    flags: &impl ReadView<bool, 1, S::Memory, L>,
) -> Result<Offsets<S::Memory>>
where
    S: ExecutionSpace,
    L: Layout,
{
    let _region = algorithm("offsets_from_flags");
    let flags = flags.read();
    let offsets = begins(space, flags)?;
    // SAFETY: these are indices of flags, in ascending order, and then their number; without flags a 0 alone.
    Ok(unsafe { Offsets::new_unchecked(offsets, flags.len()) })
}

/// The offsets in a View of any integers, such as the `u32` or `i32` row map of a sparse matrix, checked and converted once.
///
/// [`Offsets::new`] takes a View of `usize` as it is.
///
/// # Errors
/// [`ErrorKind::Overflow`] if an offset is negative; [`ErrorKind::Format`] if one is below the one before it;
/// [`ErrorKind::OutOfMemory`]; any error of the launch on a device.
///
/// # Complexity
/// Work `O(segments)`, span `O(segments / threads + log segments)`; the offsets are read and written once, then those in the memory of a
/// device are copied to the host for the check.
///
/// # Examples
/// ```
/// use spelt_algorithms::offsets_from_integers;
/// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
/// let space = Serial::new();
/// let rows = offsets_from_integers(&space, &View::from_vec("row map", [4], vec![0_u32, 2, 2, 5])?)?;
/// let mut y = space.zeros::<usize, 1>("y", [5])?;
/// parallel_for("number", space.range(0..rows.segments()), y.by_segments_mut(&rows), |i, mut y| y[i].fill(i.get()))?;
/// assert_eq!(y.to_vec(), [0, 0, 2, 2, 2]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn offsets_from_integers<S, I, L>(
    space: &S,
    offsets: &impl ReadView<I, 1, S::Memory, L>,
) -> Result<Offsets<S::Memory>>
where
    S: ExecutionSpace,
    I: IndexElement,
    L: Layout,
{
    let _region = algorithm("offsets_from_integers");
    let numbers = offsets.read();
    let mut offsets = space.zeros::<usize, 1>(numbers.label(), [numbers.len()])?;
    let largest = parallel_reduce(
        "convert offsets",
        space.range(0..numbers.len()),
        (numbers, &mut offsets),
        move |i, largest, (numbers, mut offsets)| {
            offsets[i] = numbers[i].place();
            *largest = offsets[i].max(*largest);
        },
        Max::<usize>::new(),
    )?;
    if largest == usize::MAX {
        none_negative(space, "offset", numbers)?;
    }
    Offsets::new(offsets)
}

/// The index of the first element of each segment, and at the end the number of elements.
fn begins<S, L>(space: &S, flags: ViewRef<'_, bool, 1, S::Memory, L>) -> Result<View<usize, 1, S::Memory>>
where
    S: ExecutionSpace,
    L: Layout,
{
    let n = flags.len();
    if n == 0 {
        return space.zeros("offsets", [1]);
    }
    let dense = Dense::of(space, flags)?;
    let flags = dense.view();
    // The head is a segment, flagged or not.
    let blocks = FlagBlocks::new(space, flags, true)?;
    let (shape, segments) = (blocks.shape(), blocks.set);
    let mut offsets = space.zeros::<usize, 1>("offsets", [segments + 1])?;
    // SAFETY: a block writes as many offsets as it has counted, from the sum of the counts before it on; the last block
    // also writes the one after all of them.
    let distinct = unsafe { offsets.distinct() };
    parallel_for(
        "offsets of segments",
        blocks.policy(space),
        (flags.lookup(), blocks.before.lookup(), distinct),
        move |i, (flags, before, mut offsets)| {
            let (elements, places) = shape.of(i.get(), before.as_slice());
            let (first, end) = (elements.start, elements.end);
            let flags = &flags.as_slice()[elements];
            if let Some(out) = offsets.slice_mut(places) {
                dispatch(Pick { flags, head: first == 0, out, pick: |k| first + k });
            }
            if end == n {
                offsets[segments] = n;
            }
        },
    )?;
    Ok(offsets)
}

/// Keys (see [`segmented_reduce`](super::segmented_reduce)) that a host processes at a time. Unit: keys. Source: estimated: it finds
/// the first segment of a piece in a microsecond, and then has some ten microseconds' work.
pub(super) const HOST_PIECE: usize = 16_384;

/// The first segment of a range whose key is `key` or above, or the end: keys of segments ascend.
#[inline(always)]
pub(super) fn first_segment(offsets: &[usize], segments: Range<usize>, key: usize) -> usize {
    let (mut low, mut high) = (segments.start, segments.end);
    while low < high {
        let middle = low + (high - low) / 2;
        if offsets[middle] + middle < key {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// Checks that offsets cut `values` into segments without gaps, in one pass on the space, unless they are `known` to; returns the number of
/// segments, and the length of the longest.
pub(super) fn check_offsets<S, T, L>(
    space: &S,
    offsets: ViewRef<'_, usize, 1, S::Memory>,
    known: Option<SegmentShape>,
    values: ViewRef<'_, T, 1, S::Memory, L>,
) -> Result<(usize, usize)>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
{
    let n = values.len();
    let Some(segments) = offsets.len().checked_sub(1) else {
        return Err(wrong(
            offsets,
            "there are no offsets: their number must be that of the segments plus 1, so pass a single 0 for no segments",
        ));
    };
    // Elements may be zero-sized, so their number has no other limit.
    if n.checked_add(segments).is_none_or(|keys| keys > isize::MAX as usize) {
        let message = format!("{n} elements in {segments} segments are too many to count");
        return Err(Error::new(ErrorKind::Overflow, message));
    }
    if segments == 0 {
        let only = offsets.to_host()?[0];
        return match (only, n) {
            (0, 0) => Ok((0, 0)),
            _ => Err(ends(offsets, 0, only, values)),
        };
    }
    if let Some(SegmentShape { first: 0, end, longest }) = known
        && end == n
    {
        return Ok((segments, longest));
    }
    let (lows, highs) = (offsets.subview(0..segments), offsets.subview(1..segments + 1));
    let range = || space.range(0..segments);
    if const { !S::IS_DEVICE } {
        if let Some(longest) = longest_on_host(space, offsets, n)? {
            return Ok((segments, longest));
        }
    } else {
        let longest = parallel_map_reduce(
            "check offsets",
            range(),
            (lows, highs),
            move |i, (lows, highs)| {
                let bad = (lows[i] > highs[i])
                    | ((i.get() == 0) & (lows[i] != 0))
                    | ((i.get() + 1 == segments) & (highs[i] != n));
                if bad { usize::MAX } else { highs[i] - lows[i] }
            },
            Max::new(),
        )?;
        // No segment has as many elements as an index can count.
        if longest < usize::MAX {
            return Ok((segments, longest));
        }
    }
    let first = parallel_map_reduce(
        "find the offset that decreases",
        range(),
        (lows, highs),
        |i, (lows, highs)| if lows[i] > highs[i] { i.get() } else { usize::MAX },
        Min::new(),
    )?;
    if first < segments {
        let pair = offsets.subview(first..first + 2).to_host()?;
        return Err(wrong(
            offsets,
            &format!(
                "offset {} at position {} is below offset {} at position {first}: offsets must not decrease",
                pair[1],
                first + 1,
                pair[0]
            ),
        ));
    }
    let head = offsets.subview(0..1).to_host()?[0];
    if head != 0 {
        return Err(wrong(
            offsets,
            &format!(
                "the first offset is {head}, but segments begin at element 0: make it 0, or give a subview"
            ),
        ));
    }
    let last = offsets.subview(segments..segments + 1).to_host()?[0];
    Err(ends(offsets, segments, last, values))
}

/// The length of the longest segment of offsets, at least two, that begin at 0, do not decrease, and end at `n`; `None` of any others.
///
/// The ends are looked at apart from the others, so that each of these is one comparison.
fn longest_on_host<S>(space: &S, offsets: ViewRef<'_, usize, 1, S::Memory>, n: usize) -> Result<Option<usize>>
where
    S: ExecutionSpace,
{
    let segments = offsets.len() - 1;
    let right = AtomicBool::new(false);
    parallel_for("check the first and last offset", space.range(0..1), offsets.lookup(), |_, offsets| {
        right.store(offsets[0] == 0 && offsets[segments] == n, Ordering::Relaxed);
    })?;
    let longest = parallel_map_reduce(
        "check offsets",
        space.range(0..segments),
        (offsets.subview(0..segments), offsets.subview(1..segments + 1)),
        |i, (lows, highs)| if lows[i] > highs[i] { usize::MAX } else { highs[i] - lows[i] },
        Max::<usize>::new(),
    )?;
    // No segment has as many elements as an index can count.
    Ok((right.into_inner() && longest < usize::MAX).then_some(longest))
}

/// The error of a last offset that is not the number of elements.
fn ends<T: Element, M: MemorySpace, L: Layout>(
    offsets: ViewRef<'_, usize, 1, M>,
    position: usize,
    last: usize,
    values: ViewRef<'_, T, 1, M, L>,
) -> Error {
    wrong(
        offsets,
        &format!(
            "the last offset is {last}, at position {position}, but view `{}` has {} elements: segments end with it, so \
             the two must be equal",
            values.label(),
            values.len()
        ),
    )
}

fn wrong<M: MemorySpace>(offsets: ViewRef<'_, usize, 1, M>, what: &str) -> Error {
    Error::new(ErrorKind::Format, format!("offsets in view `{}`: {what}", offsets.label()))
}
