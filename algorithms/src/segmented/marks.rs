//! The beginnings of segments, by flags or by offsets.

use spelt_core::Element;

use super::runs::{PIECE, RUN, any, bytes};

/// Elements that say where segments begin.
pub(super) trait Marks: Element {
    /// The marks from an element on.
    type Cursor<'a>;

    /// The marks from element `first` on.
    fn from(marks: &[Self], first: usize) -> Self::Cursor<'_>;

    /// The place of the last beginning among the next `len` elements, which are passed.
    fn last(cursor: &mut Self::Cursor<'_>, len: usize) -> Option<usize>;

    /// The flags of the next `len` elements, for which there is room.
    fn flags<'a>(cursor: Self::Cursor<'a>, len: usize, room: &'a mut [bool; PIECE]) -> &'a [bool];
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
    fn flags<'a>(cursor: &'a [bool], len: usize, _room: &'a mut [bool; PIECE]) -> &'a [bool] {
        &cursor[..len]
    }
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
    fn flags<'a>(
        (offsets, first): (&'a [usize], usize),
        len: usize,
        room: &'a mut [bool; PIECE],
    ) -> &'a [bool] {
        let flags = &mut room[..len];
        flags.fill(false);
        for &offset in offsets {
            match flags.get_mut(offset - first) {
                Some(flag) => *flag = true,
                None => break,
            }
        }
        flags
    }
}
