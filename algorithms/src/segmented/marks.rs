//! The beginnings of segments, by flags or by offsets, as flags of one block after another.

use spelt_core::Element;

use super::runs::BLOCK;

/// Elements that say where segments begin.
pub(super) trait Marks: Element {
    /// The marks from an element on.
    type Cursor<'a>;

    /// The marks from element `first` on.
    fn from(marks: &[Self], first: usize) -> Self::Cursor<'_>;

    /// The flags of the next `len` elements, at most a block, for which there is room.
    fn flags<'a, 'c: 'a>(
        cursor: &mut Self::Cursor<'c>,
        room: &'a mut [bool; BLOCK],
        len: usize,
    ) -> &'a [bool];
}

/// A flag for each element.
impl Marks for bool {
    type Cursor<'a> = &'a [bool];

    #[inline(always)]
    fn from(marks: &[bool], first: usize) -> &[bool] {
        &marks[first..]
    }

    #[inline(always)]
    fn flags<'a, 'c: 'a>(cursor: &mut &'c [bool], _room: &'a mut [bool; BLOCK], len: usize) -> &'a [bool] {
        let (flags, rest) = cursor.split_at(len);
        *cursor = rest;
        flags
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
    fn flags<'a, 'c: 'a>(
        (offsets, first): &mut (&'c [usize], usize),
        room: &'a mut [bool; BLOCK],
        len: usize,
    ) -> &'a [bool] {
        room.fill(false);
        let mut passed = 0;
        for &offset in *offsets {
            let place = offset - *first;
            if place >= len {
                break;
            }
            room[place] = true;
            passed += 1;
        }
        *offsets = &offsets[passed..];
        *first += len;
        &room[..len]
    }
}
