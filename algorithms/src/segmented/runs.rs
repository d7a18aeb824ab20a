//! The order of a segmented scan, and its three launches.
//!
//! Elements are cut, from the first one of the View on, into runs of [`RUN`], and runs into blocks of [`RUNS`]. In a run, elements join
//! from left to right; the running value begins with the identity at the beginning of the run and of each segment. The runs of a block
//! join from left to right as well, and blocks as `parallel_scan` joins that many: where a segment begins, nothing before it counts. So
//! an element whose segment began before its run has the value before the run, joined with that of its run; any other has that of its
//! run alone.
//!
//! A run is a short chain of joins, and the chains of several runs do not wait for one another: a processor overlaps them, where a loop
//! over the elements waits for each join.
//!
//! The first launch finds the value that each block (on a device each run) ends with, the second joins these, and the third scans. On a
//! host the first looks no further back than the last beginning in the block: short segments cost it nearly nothing.

use core::hint::{black_box, select_unpredictable};

use spelt_core::reducers::Reducer;
use spelt_core::{Element, ExecutionSpace, Result, View, ViewMut, ViewRef, parallel_for, parallel_scan};

use super::large_runs::{end_of_large_block, scan_large_block};
use super::marks::Marks;
use super::order::{from_left, joined};
use crate::large_values::is_large;

/// The elements of a run. Unit: elements. Source: measured with `f32` on an Intel Xeon: 16 take 0.35 to 0.5 ns an element where runs
/// have beginnings, 32 twice that, since their values do not stay in registers.
pub(super) const RUN: usize = 16;

/// The runs of a block. Source: estimated: blocks join in 3 ns each, a tenth of the time of a block's elements.
const RUNS: usize = 16;

/// The elements of a block. Unit: elements.
pub(super) const BLOCK: usize = RUN * RUNS;

/// A running value, and whether a segment begins in the elements that it is of.
///
/// The flag, all zero or not, fills a word, so that values of 2, 4 and 8 bytes leave no padding: a device that moves whole words
/// would read that unwritten.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Running<V> {
    begins: [u16; 4],
    pub(super) value: V,
}

/// The flag that is not set.
const CONTINUES: [u16; 4] = [0; 4];

/// The flag that is set.
const BEGINS: [u16; 4] = [1; 4];

/// The reducer of a segmented scan: values join within a segment.
///
/// Associative if the inner reducer is (Schwartz, Ultracomputers, 1980; Blelloch, Prefix sums and their applications,
/// 1990, section 1.5), and never commutative.
#[derive(Clone, Copy)]
pub(super) struct Segmented<R>(pub(super) R);

impl<R: Reducer> Reducer for Segmented<R>
where
    R::Value: Element,
{
    type Value = Running<R::Value>;
    type Output = ();

    const COMMUTATIVE: bool = false;
    const EXACT: bool = R::EXACT;

    #[inline(always)]
    fn init(&self) -> Running<R::Value> {
        Running { begins: CONTINUES, value: self.0.init() }
    }

    #[inline(always)]
    fn join(&self, into: &mut Running<R::Value>, from: &Running<R::Value>) {
        if from.begins != CONTINUES {
            *into = *from;
        } else {
            self.0.join(&mut into.value, &from.value);
        }
    }

    #[inline(always)]
    fn finish(&self, _value: Running<R::Value>) {}
}

/// Whether any of the flags is set: a comparison of vectors.
#[inline(always)]
pub(super) fn any(flags: &[bool]) -> bool {
    flags.iter().fold(0, |any, &flag| any | u8::from(flag)) != 0
}

/// The flags of a run, one byte each, the first the lowest.
#[inline(always)]
pub(super) fn bytes(flags: &[bool; RUN]) -> u128 {
    u128::from_le_bytes(flags.map(u8::from))
}

/// The first value where `condition` holds, otherwise the second: without a jump if they are small.
#[inline(always)]
fn select<T: Element>(condition: bool, first: T, second: T) -> T {
    if const { size_of::<T>() <= 16 } {
        return select_unpredictable(condition, first, second);
    }
    if condition { first } else { second }
}

/// The value at the end of a block, given the place of the last beginning in it, before which nothing counts.
#[inline(always)]
pub(super) fn end_of_block<R>(reducer: &R, values: &[R::Value], last: Option<usize>, end: &mut R::Value)
where
    R: Reducer,
    R::Value: Element,
{
    let (mut value, mut from) = (reducer.init(), 0);
    if let Some(last) = last {
        from = values.len().min((last / RUN + 1) * RUN);
        value = from_left(reducer, &values[last..from]);
    }
    let (runs, rest) = values[from..].as_chunks::<RUN>();
    for run in runs {
        reducer.join(&mut value, &from_left(reducer, run));
    }
    if !rest.is_empty() {
        reducer.join(&mut value, &from_left(reducer, rest));
    }
    *end = value;
}

/// Scans a run by its flags into `out`, whose elements it takes if `IN_PLACE`, and otherwise `values`; returns the value after it, given
/// that before.
#[inline(always)]
fn scan_run<const INCLUSIVE: bool, const IN_PLACE: bool, R>(
    reducer: &R,
    before: R::Value,
    values: &[R::Value],
    flags: &[bool],
    out: &mut [R::Value],
) -> R::Value
where
    R: Reducer,
    R::Value: Element,
{
    let (mut value, mut begun) = (reducer.init(), false);
    for (k, (out, &begins)) in out.iter_mut().zip(flags).enumerate() {
        if begins {
            value = reducer.init();
            begun = true;
        }
        // Read first, because an exclusive scan overwrites it.
        let element = if IN_PLACE { *out } else { values[k] };
        if !INCLUSIVE {
            *out = if begun { value } else { joined(reducer, before, &value) };
        }
        reducer.join(&mut value, &element);
        if INCLUSIVE {
            *out = if begun { value } else { joined(reducer, before, &value) };
        }
    }
    if begun { value } else { joined(reducer, before, &value) }
}

/// [`scan_run`] of a whole run in which no segment begins.
#[inline(always)]
pub(super) fn scan_plain_run<const INCLUSIVE: bool, const IN_PLACE: bool, R>(
    reducer: &R,
    before: R::Value,
    values: &[R::Value],
    out: &mut [R::Value; RUN],
) -> R::Value
where
    R: Reducer,
    R::Value: Element,
{
    let mut value = reducer.init();
    for (k, out) in out.iter_mut().enumerate() {
        let (exclusive, element) = (value, if IN_PLACE { *out } else { values[k] });
        reducer.join(&mut value, &element);
        *out = joined(reducer, before, if INCLUSIVE { &value } else { &exclusive });
    }
    if INCLUSIVE { out[RUN - 1] } else { joined(reducer, before, &value) }
}

/// [`scan_run`] of a whole run, of the elements of `out` if there are no `values`, of which a run stays in registers, without a jump for each
/// where the processor can.
///
/// Inlined, its reads of single flags would replace the comparison of vectors before it.
#[inline(never)]
fn scan_flagged_run<const INCLUSIVE: bool, R>(
    reducer: &R,
    before: R::Value,
    values: Option<&[R::Value; RUN]>,
    flags: &[bool; RUN],
    out: &mut [R::Value; RUN],
) -> R::Value
where
    R: Reducer,
    R::Value: Element,
{
    let values = *values.unwrap_or(out);
    let mut value = reducer.init();
    let mut of_run = [value; RUN];
    for (of_run, (element, &begins)) in of_run.iter_mut().zip(values.iter().zip(flags)) {
        let exclusive = select(begins, reducer.init(), value);
        value = joined(reducer, exclusive, element);
        *of_run = if INCLUSIVE { value } else { exclusive };
    }
    let first = bytes(flags).trailing_zeros() / 8;
    for ((out, of_run), &is_before) in out.iter_mut().zip(&of_run).zip(places_before(first)) {
        if const { size_of::<R::Value>() <= 16 } {
            // The join that is not needed saves a jump. It is one with the identity: values of two segments never meet, which a reducer
            // might refuse.
            let from = select(is_before != 0, *of_run, reducer.init());
            let with_before = joined(reducer, before, &from);
            *out = if is_before == 0 { *of_run } else { with_before };
        } else {
            *out = if is_before == 0 { *of_run } else { joined(reducer, before, of_run) };
        }
    }
    value
}

/// For each place of a run, 1 if it is before the given one, and otherwise 0.
///
/// From memory, and the compiler is not told what is there: it would replace a comparison of vectors by a jump for each place.
#[inline(always)]
fn places_before(place: u32) -> &'static [u32; RUN] {
    static BEFORE: [[u32; RUN]; RUN + 1] = {
        let mut before = [[0; RUN]; RUN + 1];
        let (mut place, mut k) = (0, 0);
        while place <= RUN {
            while k < place {
                before[place][k] = 1;
                k += 1;
            }
            (place, k) = (place + 1, 0);
        }
        before
    };
    black_box(&BEFORE[place as usize])
}

/// The value at the end of each of some blocks, and whether segments begin in it.
///
/// It and [`scan_blocks`] are compiled once, and not for each processor: their chains of joins are no vectors, and a choice by a mask
/// of AVX-512 takes longer than one by the older instructions (0.9 ns an element of `f32` where flags are close, and 0.45).
#[inline(never)]
pub(super) fn ends_of_blocks<B: Marks, R>(
    reducer: &R,
    values: &[R::Value],
    mut marks: B::Cursor<'_>,
    begun: &mut [bool],
    ends: &mut [R::Value],
) where
    R: Reducer,
    R::Value: Element,
{
    for ((values, begun), end) in values.chunks(BLOCK).zip(begun).zip(ends) {
        let last = B::last(&mut marks, values.len());
        *begun = last.is_some();
        if const { is_large::<R::Value>() } {
            end_of_large_block(reducer, values, last, end);
        } else {
            end_of_block(reducer, values, last, end);
        }
    }
}

/// Scans some blocks into `out`, whose elements it takes if `IN_PLACE`, and otherwise `values`; `before` has the value before each block,
/// or nothing if there is only one.
#[inline(never)]
pub(super) fn scan_blocks<const INCLUSIVE: bool, const IN_PLACE: bool, R>(
    reducer: &R,
    values: &[R::Value],
    flags: &[bool],
    before: &[R::Value],
    out: &mut [R::Value],
) where
    R: Reducer,
    R::Value: Element,
{
    for (number, (out, flags)) in out.chunks_mut(BLOCK).zip(flags.chunks(BLOCK)).enumerate() {
        let values = if IN_PLACE { values } else { &values[number * BLOCK..][..out.len()] };
        if const { is_large::<R::Value>() } {
            scan_large_block::<INCLUSIVE, IN_PLACE, R>(reducer, before.get(number), values, flags, out);
            continue;
        }
        scan_block::<INCLUSIVE, IN_PLACE, R>(reducer, before.get(number), values, flags, out);
    }
}

/// Scans a block into `out`, whose elements it takes if `IN_PLACE`, and otherwise `values`, given the value before, if there is one.
///
/// Where values are large it is not called, and their frames have no room for its runs.
#[inline(always)]
fn scan_block<const INCLUSIVE: bool, const IN_PLACE: bool, R>(
    reducer: &R,
    before: Option<&R::Value>,
    values: &[R::Value],
    flags: &[bool],
    out: &mut [R::Value],
) where
    R: Reducer,
    R::Value: Element,
{
    let mut value = before.copied().unwrap_or_else(|| reducer.init());
    let (runs, rest) = out.as_chunks_mut::<RUN>();
    let (run_flags, rest_flags) = flags.as_chunks::<RUN>();
    let (run_values, rest_values) = values.as_chunks::<RUN>();
    for (run, (out, flags)) in runs.iter_mut().zip(run_flags).enumerate() {
        let values = if IN_PLACE { None } else { Some(&run_values[run]) };
        value = if any(flags) {
            scan_flagged_run::<INCLUSIVE, R>(reducer, value, values, flags, out)
        } else {
            let values: &[R::Value] = values.map_or(&[], |values| values);
            scan_plain_run::<INCLUSIVE, IN_PLACE, R>(reducer, value, values, out)
        };
    }
    scan_run::<INCLUSIVE, IN_PLACE, R>(reducer, value, rest_values, rest_flags, rest);
}

/// Goes on behind a block: the running value becomes the one before the next, given that at the end of this one and whether segments begin
/// in it.
#[inline(always)]
pub(super) fn pass_block<R>(reducer: &R, running: &mut Running<R::Value>, begun: bool, end: R::Value)
where
    R: Reducer,
    R::Value: Element,
{
    if begun {
        (running.begins, running.value) = (BEGINS, end);
    } else {
        reducer.join(&mut running.value, &end);
    }
}

/// The value before each block, given that at the end of each and whether segments begin in it.
pub(super) fn join_blocks<S, R>(
    space: &S,
    begun: &View<bool, 1, S::Memory>,
    ends: &mut View<R::Value, 1, S::Memory>,
    reducer: R,
) -> Result<()>
where
    S: ExecutionSpace,
    R: Reducer + Copy + Sync,
    R::Value: Element,
{
    parallel_scan(
        "join blocks",
        space.range(0..ends.len()),
        (begun, ends),
        move |i, running, last, (begun, mut ends)| {
            // Read first, because the value before replaces it.
            let end = ends[i];
            if last {
                ends[i] = running.value;
            }
            pass_block(&reducer, running, begun[i], end);
        },
        Segmented(reducer),
    )
}

/// Scans on a device, a thread for each run: `values` into `out`, or the elements of `out` if `IN_PLACE`.
pub(super) fn scan_on_device<const INCLUSIVE: bool, const IN_PLACE: bool, S, T, R>(
    space: &S,
    values: ViewRef<'_, T, 1, S::Memory>,
    flags: ViewRef<'_, bool, 1, S::Memory>,
    mut out: ViewMut<'_, T, 1, S::Memory>,
    reducer: R,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    R: Reducer<Value = T> + Copy + Sync,
{
    let n = out.len();
    let (runs, blocks) = (n.div_ceil(RUN), n.div_ceil(BLOCK));
    let mut run_ends = space.zeros::<T, 1>("ends of runs", [runs])?;
    let mut run_begun = space.zeros::<bool, 1>("runs in which segments begin", [runs])?;
    parallel_for(
        "ends of runs",
        space.range(0..runs),
        (if IN_PLACE { out.view() } else { values }.lookup(), flags.lookup(), &mut run_begun, &mut run_ends),
        move |i, (values, flags, mut begun, mut ends)| {
            let range = i.get() * RUN..n.min((i.get() + 1) * RUN);
            let flags = &flags.as_slice()[range.clone()];
            begun[i] = any(flags);
            // From the last beginning on.
            let from = flags.iter().rposition(|&begins| begins).unwrap_or(0);
            ends[i] = from_left(&reducer, &values.as_slice()[range][from..]);
        },
    )?;
    let mut begun = space.zeros::<bool, 1>("blocks in which segments begin", [blocks])?;
    let mut ends = space.zeros::<T, 1>("ends of blocks", [blocks])?;
    parallel_for(
        "ends of blocks",
        space.range(0..blocks),
        (run_begun.view().lookup(), run_ends.view().lookup(), &mut begun, &mut ends),
        move |i, (run_begun, run_ends, mut begun, mut ends)| {
            let range = i.get() * RUNS..runs.min((i.get() + 1) * RUNS);
            begun[i] = any(&run_begun.as_slice()[range.clone()]);
            ends[i] = after_runs(&reducer, reducer.init(), run_begun.as_slice(), run_ends.as_slice(), range);
        },
    )?;
    join_blocks(space, &begun, &mut ends, reducer)?;
    // SAFETY: an iteration reads and writes the elements of its own run.
    let distinct = unsafe { out.distinct() };
    parallel_for(
        "segmented scan",
        space.range(0..runs),
        (
            values.lookup(),
            flags.lookup(),
            (run_begun.view().lookup(), run_ends.view().lookup(), ends.view().lookup()),
            distinct,
        ),
        move |i, (values, flags, (run_begun, run_ends, before), mut out)| {
            let run = i.get();
            let range = run * RUN..n.min((run + 1) * RUN);
            let block = run / RUNS;
            let before = before.as_slice()[block];
            let before =
                after_runs(&reducer, before, run_begun.as_slice(), run_ends.as_slice(), block * RUNS..run);
            let Some(out) = out.slice_mut(range.clone()) else { return };
            let values = if IN_PLACE { &[] } else { &values.as_slice()[range.clone()] };
            let flags = &flags.as_slice()[range];
            scan_run::<INCLUSIVE, IN_PLACE, R>(&reducer, before, values, flags, out);
        },
    )
}

/// The value after some runs, given that before them.
#[inline(always)]
fn after_runs<R>(
    reducer: &R,
    before: R::Value,
    begun: &[bool],
    ends: &[R::Value],
    runs: core::ops::Range<usize>,
) -> R::Value
where
    R: Reducer,
    R::Value: Element,
{
    let mut value = before;
    for run in runs {
        value = if begun[run] { ends[run] } else { joined(reducer, value, &ends[run]) };
    }
    value
}
