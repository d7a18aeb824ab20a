//! Values of several rows, stored word by word: the same word of all rows is one vector.
//!
//! The lanes of `spelt-order` have storage of the same shapes, which is private there and is a reducer's: it moves values with drop glue out,
//! and stores words in halves. Rows need neither, and their interface is safe.

use core::mem::{MaybeUninit, align_of, needs_drop, size_of};

/// The largest value that is stored by words. Unit: words. Source: more do not fit into registers anyway.
const MAX_WORDS: usize = 8;

/// The layout of the values in memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// One value after the other.
    Values,
    /// Word `w` of all rows together, in words of 8 bytes.
    Words8,
    /// The same in words of 4 bytes.
    Words4,
}

/// The values of `B` rows, all of them initialised.
///
/// As an array, the numbers of a point would lie beside each other, where a vector holds the same number of all rows: the compiler leaves
/// loops over such arrays scalar, or spends more on their shuffles than on the work.
#[repr(C, align(64))]
pub(crate) struct Words<T, const B: usize>([MaybeUninit<T>; B]);

impl<T, const B: usize> Words<T, B> {
    /// Whether values can be stored: a copy of their bytes is a copy of the value, and they are few.
    pub(crate) const COPIES: bool = !needs_drop::<T>() && size_of::<T>() <= 8 * MAX_WORDS;

    const SHAPE: Shape = match (size_of::<T>(), align_of::<T>()) {
        _ if B == 1 || !Self::COPIES => Shape::Values,
        (size, align) if size <= align => Shape::Values,
        (_, 8) => Shape::Words8,
        (size, 4) if size <= 4 * MAX_WORDS => Shape::Words4,
        _ => Shape::Values,
    };

    /// Whether values are stored such that the same word of all rows is one vector.
    pub(crate) const BY_WORDS: bool =
        Self::COPIES && (size_of::<T>() <= align_of::<T>() || !Self::is(Shape::Values));

    /// Whether the values have this shape: a constant, so that one arm is compiled of those that depend on it.
    const fn is(shape: Shape) -> bool {
        Self::SHAPE as u8 == shape as u8
    }

    /// Row `row` holds `value(row)`.
    #[inline(always)]
    pub(crate) fn new(mut value: impl FnMut(usize) -> T) -> Self {
        let mut words = Self([const { MaybeUninit::uninit() }; B]);
        for row in 0..B {
            words.put(row, value(row));
        }
        words
    }

    /// Stores the value of a row.
    #[inline(always)]
    pub(crate) fn put(&mut self, row: usize, value: T) {
        let value = MaybeUninit::new(value);
        if const { Self::is(Shape::Values) } {
            self.0[row] = value;
        } else if const { Self::is(Shape::Words8) } {
            self.put_words::<u64>(row, &value);
        } else {
            self.put_words::<u32>(row, &value);
        }
    }

    /// A copy of the value of a row.
    #[inline(always)]
    pub(crate) fn get(&self, row: usize) -> T {
        // Not at compile time: callers that exclude other values by a branch name this function all the same.
        assert!(const { Self::COPIES }, "a copy of the bytes would be a second owner");
        let value = if const { Self::is(Shape::Values) } {
            // SAFETY: a copy of bytes that need not be a value.
            unsafe { core::ptr::read(&self.0[row]) }
        } else if const { Self::is(Shape::Words8) } {
            self.words::<u64>(row)
        } else {
            self.words::<u32>(row)
        };
        // SAFETY: `new` has stored a value in each row, in this shape, and values without drop glue may be copied: see `COPIES`.
        unsafe { value.assume_init() }
    }

    /// Stores `value`, word by word `W`.
    #[inline(always)]
    fn put_words<W: Copy>(&mut self, row: usize, value: &MaybeUninit<T>) {
        assert!(row < B);
        for word in 0..size_of::<T>() / size_of::<W>() {
            // SAFETY: the value is made of this many words, aligned for them, and so are `B` values; the row is one of them.
            // `MaybeUninit` carries padding as it is.
            unsafe {
                let from = value.as_ptr().cast::<MaybeUninit<W>>().add(word);
                *self.0.as_mut_ptr().cast::<MaybeUninit<W>>().add(word * B + row) = *from;
            }
        }
    }

    /// Loads a value that `put_words` stored.
    #[inline(always)]
    fn words<W: Copy>(&self, row: usize) -> MaybeUninit<T> {
        assert!(row < B);
        let mut value = MaybeUninit::<T>::uninit();
        for word in 0..size_of::<T>() / size_of::<W>() {
            // SAFETY: the value is made of this many words, aligned for them, and so are `B` values; the row is one of them.
            unsafe {
                let into = value.as_mut_ptr().cast::<MaybeUninit<W>>().add(word);
                *into = *self.0.as_ptr().cast::<MaybeUninit<W>>().add(word * B + row);
            }
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::Words;

    /// Stores a value in each of 16 rows, replaces some, and compares all with an array.
    fn rows_hold<T: Copy + PartialEq + core::fmt::Debug>(value: impl Fn(usize) -> T) {
        let mut expected: [T; 16] = core::array::from_fn(&value);
        let mut words = Words::<T, 16>::new(&value);
        for row in [0, 7, 15] {
            expected[row] = value(100 + row);
            words.put(row, value(100 + row));
        }
        assert_eq!(core::array::from_fn::<_, 16, _>(|row| words.get(row)), expected);
    }

    #[test]
    fn rows_hold_their_values() {
        rows_hold(|row| row as f64);
        rows_hold(|row| row as u8);
        rows_hold(|row| [row as f32, 1.5 * row as f32, -(row as f32)]);
        rows_hold(|row| [row as f64, -(row as f64)]);
        // Padding, words of different sizes, more words than are stored, and none.
        rows_hold(|row| (row as f64, row as u8, row as u32));
        rows_hold(|row| (row as u32, row as u16));
        rows_hold(|row| [row as u32; 9]);
        rows_hold(|row| [row as u16; 3]);
        rows_hold(|_| ());
    }

    #[test]
    #[should_panic(expected = "row < B")]
    fn a_row_beyond_the_last_panics() {
        let _ = Words::<[f32; 2], 4>::new(|_| [0.0; 2]).get(4);
    }
}
