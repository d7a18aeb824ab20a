//! The host's scan of elements whose segments offsets delimit: one segment after the other, without flags.

use spelt_core::Element;
use spelt_core::reducers::Reducer;

use super::order::joined;
use super::runs::{BLOCK, RUN, scan_plain_run};

/// Scans the elements of some blocks into `out`, whose elements it takes if `IN_PLACE`, and otherwise `values`.
///
/// The first one is element `first`, `offsets` are those from there on, and `before` has the value before each block, or before the first
/// few: then a segment begins in every other one, and the value before the next is the last of its own.
///
/// It is compiled once, and not for each processor: see [`ends_of_blocks`](super::runs).
#[inline(never)]
pub(super) fn scan_segments<const INCLUSIVE: bool, const IN_PLACE: bool, R>(
    reducer: &R,
    values: &[R::Value],
    (offsets, first): (&[usize], usize),
    before: &[R::Value],
    out: &mut [R::Value],
) where
    R: Reducer,
    R::Value: Element,
{
    let len = out.len();
    let (mut at, mut begins, mut value) = (0, false, reducer.init());
    for &offset in offsets {
        let end = len.min(offset - first);
        if begins && at < end {
            let stop = end.min((at / RUN + 1) * RUN);
            let values = if IN_PLACE { &[] } else { &values[at..stop] };
            value = scan_part::<INCLUSIVE, IN_PLACE, false, R>(reducer, value, values, &mut out[at..stop]);
            at = stop;
        }
        while at < end {
            // A run begins here, in a segment that has begun.
            if at.is_multiple_of(BLOCK)
                && let Some(&before) = before.get(at / BLOCK)
            {
                value = before;
            }
            let stop = end.min(at + RUN);
            let values = if IN_PLACE { &[] } else { &values[at..stop] };
            let out = &mut out[at..stop];
            value = match out.as_mut_array() {
                Some(out) => scan_plain_run::<INCLUSIVE, IN_PLACE, R>(reducer, value, values, out),
                None => scan_part::<INCLUSIVE, IN_PLACE, true, R>(reducer, value, values, out),
            };
            at = stop;
        }
        if end == len {
            return;
        }
        begins = true;
    }
}

/// Scans a part of a run in which no segment begins, but with its first element; returns the value after it. If `JOINS`, the segment began
/// before the run, and has the value `before` there.
#[inline(always)]
fn scan_part<const INCLUSIVE: bool, const IN_PLACE: bool, const JOINS: bool, R>(
    reducer: &R,
    before: R::Value,
    values: &[R::Value],
    out: &mut [R::Value],
) -> R::Value
where
    R: Reducer,
    R::Value: Element,
{
    let mut value = reducer.init();
    let with_before = |value: &R::Value| if JOINS { joined(reducer, before, value) } else { *value };
    let mut step = |out: &mut R::Value, element: R::Value| {
        let exclusive = value;
        reducer.join(&mut value, &element);
        *out = with_before(if INCLUSIVE { &value } else { &exclusive });
    };
    if IN_PLACE {
        for out in out {
            let element = *out;
            step(out, element);
        }
    } else {
        for (out, element) in out.iter_mut().zip(values) {
            step(out, *element);
        }
    }
    with_before(&value)
}
