//! The launches of a segmented scan on a host.

use spelt_core::reducers::Reducer;
use spelt_core::{Element, ExecutionSpace, Result, ScanPart, ViewMut, ViewRef, canonical, parallel_for};

use super::marks::Marks;
use super::runs::{BLOCK, Running, Segmented, end_of_block, ends_of_blocks, join_blocks, pass_block};
use crate::large_values::is_large;

/// The blocks that one iteration of a host scans. Source: estimated: a microsecond's work, which hides the search for its first segment.
const BLOCKS_OF_PIECE: usize = 16;

/// The elements that one iteration of a host scans. Unit: elements.
pub(super) const PIECE: usize = BLOCK * BLOCKS_OF_PIECE;

/// The size of the elements that each thread of a host scans before all go on, about. Unit: bytes. Source: half of a second-level cache, in
/// which the last launch finds what the first has read.
const STRETCH_BYTES: usize = 512 << 10;

/// Scans on a host: `values` into `out`, or the elements of `out` if `IN_PLACE`. Lengths and marks have been checked, and no segment has more
/// than `longest` elements.
pub(super) fn scan_on_host<const INCLUSIVE: bool, const IN_PLACE: bool, S, T, B, R>(
    space: &S,
    values: ViewRef<'_, T, 1, S::Memory>,
    marks: ViewRef<'_, B, 1, S::Memory>,
    mut out: ViewMut<'_, T, 1, S::Memory>,
    longest: usize,
    reducer: R,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    B: Marks,
    R: Reducer<Value = T> + Copy + Sync,
{
    // In place, the elements before a piece may have been replaced.
    if const { !IN_PLACE && !is_large::<T>() } && longest <= BLOCK {
        return scan_short_segments::<INCLUSIVE, _, _, _, _>(space, values, marks, out, reducer);
    }
    let n = out.len();
    // The first block has nothing before it.
    let blocks = if n <= BLOCK { 0 } else { n.div_ceil(BLOCK) };
    let mut ends = space.zeros::<T, 1>("ends of blocks", [blocks])?;
    let mut begun = space.zeros::<bool, 1>("blocks in which segments begin", [blocks])?;
    let mut joined = ScanPart::new(blocks, Segmented(reducer));
    let stretch = if const { is_large::<T>() } { n.max(1) } else { stretch::<R>(space.concurrency()) };
    for from in (0..n).step_by(stretch) {
        let to = n.min(from.saturating_add(stretch));
        let pieces = || space.range(from / PIECE..to.div_ceil(PIECE)).chunk(1);
        if blocks > 0 {
            let values = if IN_PLACE { out.view() } else { values };
            // SAFETY: an iteration writes the places of the blocks of its own piece.
            let (distinct_begun, distinct_ends) = unsafe { (begun.distinct(), ends.distinct()) };
            parallel_for(
                "ends of blocks",
                pieces(),
                (values.lookup(), marks.lookup(), distinct_begun, distinct_ends),
                move |i, (values, marks, mut begun, mut ends)| {
                    let first = i.get() * BLOCKS_OF_PIECE;
                    let range = first..blocks.min(first + BLOCKS_OF_PIECE);
                    let (Some(begun), Some(ends)) = (begun.slice_mut(range.clone()), ends.slice_mut(range))
                    else {
                        return;
                    };
                    let first = i.get() * PIECE;
                    let (values, marks) = (&values.as_slice()[first..], B::from(marks.as_slice(), first));
                    ends_of_blocks::<B, R>(&reducer, values, marks, begun, ends);
                },
            )?;
            if stretch >= n {
                join_blocks(space, &begun, &mut ends, reducer)?;
            } else {
                joined.scan(
                    "join blocks",
                    space.range(from / BLOCK..to.div_ceil(BLOCK)),
                    (&begun, &mut ends),
                    move |i, running: &mut Running<T>, last, (begun, mut ends)| {
                        let end = ends[i];
                        if last {
                            ends[i] = running.value;
                        }
                        pass_block(&reducer, running, begun[i], end);
                    },
                )?;
            }
        }
        // SAFETY: an iteration reads and writes the elements of its own piece.
        let distinct = unsafe { out.distinct() };
        parallel_for(
            "segmented scan",
            pieces(),
            (values.lookup(), marks.lookup(), ends.view().lookup(), distinct),
            move |i, (values, marks, before, mut out)| {
                let first = i.get() * PIECE;
                let Some(out) = out.slice_mut(first..n.min(first + PIECE)) else { return };
                let before = before.as_slice().get(i.get() * BLOCKS_OF_PIECE..).unwrap_or_default();
                let values = if IN_PLACE { &[] } else { &values.as_slice()[first..] };
                let marks = B::from(marks.as_slice(), first);
                B::scan::<INCLUSIVE, IN_PLACE, R>(marks, &reducer, values, before, out);
            },
        )?;
    }
    Ok(())
}

/// The elements that the three launches of a host scan before they go on: a whole number of tiles of the scan of blocks.
fn stretch<R: Reducer>(threads: usize) -> usize
where
    R::Value: Element,
{
    // No piece lies in two stretches: it would be scanned twice, which is wrong in place.
    const { assert!((BLOCK * canonical::ROWS).is_multiple_of(PIECE)) };
    let tile = BLOCK * canonical::tile_len(canonical::scan_lanes::<Segmented<R>>());
    let most = threads.saturating_mul(STRETCH_BYTES) / size_of::<R::Value>().max(1);
    most.max(1).checked_next_multiple_of(tile).unwrap_or(usize::MAX)
}

/// [`scan_on_host`] where a segment begins in every block, but perhaps the last one: what is before a piece is found in its own iteration.
fn scan_short_segments<const INCLUSIVE: bool, S, T, B, R>(
    space: &S,
    values: ViewRef<'_, T, 1, S::Memory>,
    marks: ViewRef<'_, B, 1, S::Memory>,
    mut out: ViewMut<'_, T, 1, S::Memory>,
    reducer: R,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    B: Marks,
    R: Reducer<Value = T> + Copy + Sync,
{
    let n = out.len();
    // SAFETY: an iteration writes the elements of its own piece.
    let distinct = unsafe { out.distinct() };
    parallel_for(
        "segmented scan",
        space.range(0..n.div_ceil(PIECE)).chunk(1),
        (values.lookup(), marks.lookup(), distinct),
        move |i, (values, marks, mut out)| {
            let first = i.get() * PIECE;
            let Some(out) = out.slice_mut(first..n.min(first + PIECE)) else { return };
            let (values, from) = (values.as_slice(), first.saturating_sub(BLOCK));
            let (mut marks, mut before) = (B::from(marks.as_slice(), from), [reducer.init()]);
            if from < first {
                let last = B::last(&mut marks, first - from);
                end_of_block(&reducer, &values[from..first], last, &mut before[0]);
            }
            B::scan::<INCLUSIVE, false, R>(marks, &reducer, &values[first..], &before, out);
        },
    )
}
