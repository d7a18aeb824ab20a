//! The beginnings of segments, by flags or by offsets, and a host's scan of a block by either.

use core::hint::select_unpredictable;

use spelt_core::Element;
use spelt_core::reducers::Reducer;

use super::runs::{RUN, joined, scan_plain_run, scan_run};
use crate::large_values::is_large;

/// Elements that say where segments begin.
pub(super) trait Marks: Element {
    /// The marks from an element on.
    type Cursor<'a>;

    /// The marks from element `first` on.
    fn from(marks: &[Self], first: usize) -> Self::Cursor<'_>;

    /// The place of the last beginning among the next `len` elements, which are passed.
    fn last(cursor: &mut Self::Cursor<'_>, len: usize) -> Option<usize>;

    /// Scans the next elements, which are a block, into `out`, whose elements it takes if `IN_PLACE`, and otherwise `values`; given the
    /// value before the block.
    fn scan_block<const INCLUSIVE: bool, const IN_PLACE: bool, R>(
        cursor: &mut Self::Cursor<'_>,
        reducer: &R,
        before: R::Value,
        values: &[R::Value],
        out: &mut [R::Value],
    ) where
        R: Reducer,
        R::Value: Element;
}

/// Whether any of the flags is set: a comparison of vectors.
#[inline(always)]
pub(super) fn any(flags: &[bool]) -> bool {
    flags.iter().fold(0, |any, &flag| any | u8::from(flag)) != 0
}

/// The flags of a run, one byte each, the first the lowest.
#[inline(always)]
fn bytes(flags: &[bool; RUN]) -> u128 {
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

/// A flag for each element.
impl Marks for bool {
    type Cursor<'a> = &'a [bool];

    #[inline(always)]
    fn from(marks: &[bool], first: usize) -> &[bool] {
        &marks[first..]
    }

    #[inline(always)]
    fn last(cursor: &mut &[bool], len: usize) -> Option<usize> {
        let (flags, rest) = cursor.split_at(len);
        *cursor = rest;
        if !any(flags) {
            return None;
        }
        let (runs, rest) = flags.as_chunks::<RUN>();
        if let Some(place) = rest.iter().rposition(|&begins| begins) {
            return Some(runs.len() * RUN + place);
        }
        let run = runs.iter().rposition(|flags| any(flags))?;
        Some(run * RUN + RUN - 1 - bytes(&runs[run]).leading_zeros() as usize / 8)
    }

    #[inline(always)]
    fn scan_block<const INCLUSIVE: bool, const IN_PLACE: bool, R>(
        cursor: &mut &[bool],
        reducer: &R,
        before: R::Value,
        values: &[R::Value],
        out: &mut [R::Value],
    ) where
        R: Reducer,
        R::Value: Element,
    {
        let (flags, left) = cursor.split_at(out.len());
        *cursor = left;
        let mut value = before;
        let (runs, rest) = out.as_chunks_mut::<RUN>();
        let (run_flags, rest_flags) = flags.as_chunks::<RUN>();
        let (run_values, rest_values) = values.as_chunks::<RUN>();
        for (run, (out, flags)) in runs.iter_mut().zip(run_flags).enumerate() {
            let values: &[R::Value] = if IN_PLACE { &[] } else { &run_values[run] };
            value = if !any(flags) {
                scan_plain_run::<INCLUSIVE, IN_PLACE, R>(reducer, value, values, out)
            } else if const { is_large::<R::Value>() } {
                scan_run::<INCLUSIVE, IN_PLACE, R>(reducer, value, values, flags, out)
            } else {
                let values = if IN_PLACE { *out } else { run_values[run] };
                scan_flagged_run::<INCLUSIVE, R>(reducer, value, &values, flags, out)
            };
        }
        scan_run::<INCLUSIVE, IN_PLACE, R>(reducer, value, rest_values, rest_flags, rest);
    }
}

/// [`scan_run`] of a whole run of values of which a run stays in registers, without a jump for each
/// where the processor can.
///
/// Inlined, its reads of single flags would replace the comparison of vectors before it.
#[inline(never)]
fn scan_flagged_run<const INCLUSIVE: bool, R>(
    reducer: &R,
    before: R::Value,
    values: &[R::Value; RUN],
    flags: &[bool; RUN],
    out: &mut [R::Value; RUN],
) -> R::Value
where
    R: Reducer,
    R::Value: Element,
{
    let mut value = reducer.init();
    let mut of_run = [value; RUN];
    for (of_run, (element, &begins)) in of_run.iter_mut().zip(values.iter().zip(flags)) {
        let exclusive = select(begins, reducer.init(), value);
        value = joined(reducer, exclusive, element);
        *of_run = if INCLUSIVE { value } else { exclusive };
    }
    let first = bytes(flags).trailing_zeros() / 8;
    for (k, (out, of_run)) in (0_u32..).zip(out.iter_mut().zip(&of_run)) {
        *out = if k < first { joined(reducer, before, of_run) } else { *of_run };
    }
    value
}

/// Offsets, which have been checked: an empty segment begins where the next one does, or at the end.
impl Marks for usize {
    /// The offsets that are left, and the element.
    type Cursor<'a> = (&'a [usize], usize);

    #[inline(always)]
    fn from(marks: &[usize], first: usize) -> (&[usize], usize) {
        (&marks[marks.partition_point(|&offset| offset < first)..], first)
    }

    #[inline(always)]
    fn last((offsets, first): &mut (&[usize], usize), len: usize) -> Option<usize> {
        let end = *first + len;
        let passed = offsets.iter().take_while(|&&offset| offset < end).count();
        let last = offsets[..passed].last().map(|offset| offset - *first);
        (*offsets, *first) = (&offsets[passed..], end);
        last
    }

    #[inline(always)]
    fn scan_block<const INCLUSIVE: bool, const IN_PLACE: bool, R>(
        (offsets, first): &mut (&[usize], usize),
        reducer: &R,
        before: R::Value,
        values: &[R::Value],
        out: &mut [R::Value],
    ) where
        R: Reducer,
        R::Value: Element,
    {
        let (mut left, mut before) = (offsets.iter(), before);
        let mut next = left.next().copied().unwrap_or(usize::MAX);
        for (run, out) in out.chunks_mut(RUN).enumerate() {
            let start = *first + run * RUN;
            let values = if IN_PLACE { values } else { &values[run * RUN..][..out.len()] };
            if next >= start + out.len()
                && let Some(out) = out.as_mut_array::<RUN>()
            {
                before = scan_plain_run::<INCLUSIVE, IN_PLACE, R>(reducer, before, values, out);
                continue;
            }
            let mut end = out.len().min(next - start);
            let mut value = scan_piece::<INCLUSIVE, IN_PLACE, R>(
                reducer,
                &values[..if IN_PLACE { 0 } else { end }],
                &mut out[..end],
                |of_run| joined(reducer, before, of_run),
            );
            if end == out.len() {
                before = joined(reducer, before, &value);
                continue;
            }
            while end < out.len() {
                let at = end;
                // Empty segments begin there too.
                while next == start + at {
                    next = left.next().copied().unwrap_or(usize::MAX);
                }
                end = out.len().min(next - start);
                value = scan_piece::<INCLUSIVE, IN_PLACE, R>(
                    reducer,
                    if IN_PLACE { &[] } else { &values[at..end] },
                    &mut out[at..end],
                    |of_run| *of_run,
                );
            }
            before = value;
        }
        *first += out.len();
        // The next beginning is still to come.
        let passed = offsets.len() - left.len();
        *offsets = &offsets[if next == usize::MAX { passed } else { passed - 1 }..];
    }
}

/// Scans a part of a run from the identity on, and writes `prefix` of each running value; returns the last one.
#[inline(always)]
fn scan_piece<const INCLUSIVE: bool, const IN_PLACE: bool, R>(
    reducer: &R,
    values: &[R::Value],
    out: &mut [R::Value],
    prefix: impl Fn(&R::Value) -> R::Value,
) -> R::Value
where
    R: Reducer,
    R::Value: Element,
{
    let mut value = reducer.init();
    let mut step = |out: &mut R::Value, element: &R::Value| {
        let exclusive = value;
        reducer.join(&mut value, element);
        *out = prefix(if INCLUSIVE { &value } else { &exclusive });
    };
    if IN_PLACE {
        out.iter_mut().for_each(|out| step(out, &{ *out }));
    } else {
        out.iter_mut().zip(values).for_each(|(out, element)| step(out, element));
    }
    value
}
