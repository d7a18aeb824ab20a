//! The beginnings of segments, by flags or by offsets.

use spelt_core::Element;
use spelt_core::reducers::Reducer;

use super::host::PIECE;
use super::runs::{RUN, any, bytes, scan_blocks};
use super::walk::scan_segments;
use crate::large_values::is_large;

/// Elements that say where segments begin.
pub(super) trait Marks: Element {
    /// The marks from an element on.
    type Cursor<'a>;

    /// The marks from element `first` on.
    fn from(marks: &[Self], first: usize) -> Self::Cursor<'_>;

    /// The place of the last beginning among the next `len` elements, which are passed.
    fn last(cursor: &mut Self::Cursor<'_>, len: usize) -> Option<usize>;

    /// Scans the next elements, at most a piece, into `out`, whose elements it takes if `IN_PLACE`, and otherwise `values`; `before` has
    /// the value before each block, or before the first few if segments begin in all others.
    fn scan<const INCLUSIVE: bool, const IN_PLACE: bool, R>(
        cursor: Self::Cursor<'_>,
        reducer: &R,
        values: &[R::Value],
        before: &[R::Value],
        out: &mut [R::Value],
    ) where
        R: Reducer,
        R::Value: Element;
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
    fn scan<const INCLUSIVE: bool, const IN_PLACE: bool, R>(
        cursor: &[bool],
        reducer: &R,
        values: &[R::Value],
        before: &[R::Value],
        out: &mut [R::Value],
    ) where
        R: Reducer,
        R::Value: Element,
    {
        let flags = &cursor[..out.len()];
        scan_blocks::<INCLUSIVE, IN_PLACE, R>(reducer, values, flags, before, out);
    }
}

/// Offsets, which have been checked: an empty segment begins where the next one does, or at the end.
impl Marks for usize {
    /// The offsets that are left, and the element.
    type Cursor<'a> = (&'a [usize], usize);

    #[inline(always)]
    fn from(marks: &[usize], first: usize) -> (&[usize], usize) {
        (&marks[first_from(marks, first)..], first)
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
    fn scan<const INCLUSIVE: bool, const IN_PLACE: bool, R>(
        (offsets, first): (&[usize], usize),
        reducer: &R,
        values: &[R::Value],
        before: &[R::Value],
        out: &mut [R::Value],
    ) where
        R: Reducer,
        R::Value: Element,
    {
        if const { !is_large::<R::Value>() } {
            return scan_segments::<INCLUSIVE, IN_PLACE, R>(reducer, values, (offsets, first), before, out);
        }
        let mut room = [false; PIECE];
        let flags = &mut room[..out.len()];
        for &offset in offsets {
            match flags.get_mut(offset - first) {
                Some(flag) => *flag = true,
                None => break,
            }
        }
        scan_blocks::<INCLUSIVE, IN_PLACE, R>(reducer, values, flags, before, out);
    }
}

/// The number of offsets below `element`.
///
/// Segments of similar lengths have them near the place that `element` has among all: the search begins there, and steps that double
/// lead to either side. A search in all of them would wait for memory in each of its first steps.
#[inline(always)]
fn first_from(offsets: &[usize], element: usize) -> usize {
    let Some((&end, segments)) = offsets.split_last() else { return 0 };
    // Exact where no number is too large; any place is right.
    let place = (element as f64 / end.max(1) as f64 * segments.len() as f64) as usize;
    let place = place.min(segments.len());
    let (mut low, mut high, mut step) = (place, place, 1);
    while low > 0 && offsets[low - 1] >= element {
        (high, low) = (low - 1, low.saturating_sub(step));
        step *= 2;
    }
    while high < offsets.len() && offsets[high] < element {
        (low, high) = (high + 1, (high + step).min(offsets.len()));
        step *= 2;
    }
    low + offsets[low..high].partition_point(|&offset| offset < element)
}

#[cfg(test)]
mod tests {
    use super::first_from;

    /// Beside a search in all of them: even and uneven segments, empty ones, and one of nearly all elements at either end.
    #[test]
    fn offsets_are_found() {
        let uneven = |i: usize| i * i / 7;
        let at_the_end = |i: usize| if i < 60 { i / 3 } else { 100_000 };
        let all: [&dyn Fn(usize) -> usize; 5] =
            [&|i| 10 * i, &uneven, &at_the_end, &|_| 0, &|i| if i == 0 { 0 } else { 500 + i / 2 }];
        for of in all {
            for count in [1, 2, 3, 17, 61] {
                let offsets: Vec<usize> = (0..count).map(of).collect();
                for element in (0..700).chain([99_999, 100_000, 100_001]) {
                    let wanted = offsets.partition_point(|&offset| offset < element);
                    assert_eq!(first_from(&offsets, element), wanted, "{element} in {offsets:?}");
                }
            }
        }
    }
}
