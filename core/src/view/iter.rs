//! Iteration over a View on the host, in the order of the indices.

use core::iter::FusedIterator;
use core::marker::PhantomData;

use spelt_access::{Element, Layout, RawView};

use super::memory_space::HostAccessible;
use super::{View, ViewMut, ViewRef};

/// The position of an iterator: the next index, last dimension fastest, and the number of remaining elements.
#[derive(Clone, Debug)]
struct Position<T, const R: usize, L> {
    raw: RawView<T, R, L>,
    next: [usize; R],
    left: usize,
}

impl<T, const R: usize, L: Layout> Position<T, R, L> {
    fn new(raw: RawView<T, R, L>) -> Self {
        Self { raw, next: [0; R], left: raw.len() }
    }

    #[inline]
    fn advance(&mut self) -> Option<([usize; R], *mut T)> {
        self.left = self.left.checked_sub(1)?;
        let index = self.next;
        let extents = self.raw.extents();
        for dimension in (0..R).rev() {
            self.next[dimension] += 1;
            if self.next[dimension] < extents[dimension] {
                break;
            }
            self.next[dimension] = 0;
        }
        // SAFETY: the odometer takes each of the `len` indices once and `left` was above 0, so `index` is in bounds.
        Some((index, unsafe { self.raw.at(index) }))
    }
}

macro_rules! iterator {
    ($(#[$doc:meta])* $name:ident, $borrow:ty, |$index:ident, $pointer:ident| $item:ty = $make:expr) => {
        $(#[$doc])*
        #[derive(Debug)]
        #[must_use = "iterators are lazy and do nothing unless consumed"]
        pub struct $name<'a, T, const R: usize, L> {
            position: Position<T, R, L>,
            borrow: PhantomData<$borrow>,
        }

        impl<'a, T: Element, const R: usize, L: Layout> Iterator for $name<'a, T, R, L> {
            type Item = $item;

            #[inline]
            fn next(&mut self) -> Option<Self::Item> {
                self.position.advance().map(|($index, $pointer)| $make)
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                (self.position.left, Some(self.position.left))
            }

            // Whole rows run as a plain loop, without the odometer.
            #[inline]
            fn fold<B, F: FnMut(B, Self::Item) -> B>(mut self, start: B, mut f: F) -> B {
                let mut value = start;
                let row = self.position.raw.extents().last().copied().unwrap_or(1).max(1);
                while self.position.left % row != 0 {
                    let Some(item) = self.next() else { return value };
                    value = f(value, item);
                }
                while self.position.left > 0 {
                    let mut $index = self.position.next;
                    for last in 0..row {
                        if R > 0 {
                            $index[R - 1] = last;
                        }
                        // SAFETY: the position is the start of a row that is still to come.
                        let $pointer = unsafe { self.position.raw.at($index) };
                        value = f(value, $make);
                    }
                    self.position.skip_row(row);
                }
                value
            }
        }

        impl<T: Element, const R: usize, L: Layout> ExactSizeIterator for $name<'_, T, R, L> {}
        impl<T: Element, const R: usize, L: Layout> FusedIterator for $name<'_, T, R, L> {}
    };
}

impl<T, const R: usize, L: Layout> Position<T, R, L> {
    /// Skips one whole row of `row` elements, from its start.
    #[inline]
    fn skip_row(&mut self, row: usize) {
        self.left -= row;
        let extents = self.raw.extents();
        for dimension in (0..R.saturating_sub(1)).rev() {
            self.next[dimension] += 1;
            if self.next[dimension] < extents[dimension] {
                break;
            }
            self.next[dimension] = 0;
        }
    }
}

iterator! {
    /// The elements of a View in the order of the indices: see [`View::iter`].
    ///
    /// # Examples
    /// ```
    /// let v = spelt_core::View::from_fn("v", [2, 2], |[i, j]| 10 * i + j)?;
    /// let mut elements = v.iter();
    /// assert_eq!((elements.len(), elements.next(), elements.sum()), (4, Some(&0), 22_usize));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    Iter, &'a [T], |_index, pointer| &'a T = {
        // SAFETY: the pointer is that of an element, and the View's memory is borrowed for `'a`.
        unsafe { &*pointer }
    }
}
iterator! {
    /// Mutable references to the elements of a View, in the order of the indices: see [`View::iter_mut`].
    ///
    /// # Examples
    /// ```
    /// let mut v = spelt_core::View::<usize, 1>::zeros("v", [3])?;
    /// for (number, element) in v.iter_mut().enumerate() {
    ///     *element = number * number;
    /// }
    /// assert_eq!(v.to_vec(), [0, 1, 4]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    IterMut, &'a mut [T], |_index, pointer| &'a mut T = {
        // SAFETY: the pointer is that of an element which the position names once; different indices lie at different
        // places, and the View's memory is borrowed exclusively for `'a`.
        unsafe { &mut *pointer }
    }
}
iterator! {
    /// The indices and elements of a View in the order of the indices: see [`View::indexed_iter`].
    ///
    /// # Examples
    /// ```
    /// let v = spelt_core::View::from_fn("v", [2, 2], |[i, j]| i == j)?;
    /// let diagonal: Vec<_> = v.indexed_iter().filter(|(_, is_set)| **is_set).map(|(index, _)| index).collect();
    /// assert_eq!(diagonal, [[0, 0], [1, 1]]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    IndexedIter, &'a [T], |index, pointer| ([usize; R], &'a T) = {
        // SAFETY: the pointer is that of an element, and the View's memory is borrowed for `'a`.
        (index, unsafe { &*pointer })
    }
}
iterator! {
    /// The indices of a View with mutable references to their elements, in the order of the indices: see
    /// [`View::indexed_iter_mut`].
    ///
    /// # Examples
    /// ```
    /// let mut v = spelt_core::View::<usize, 2>::zeros("v", [2, 2])?;
    /// for ([i, j], element) in v.indexed_iter_mut() {
    ///     *element = i + j;
    /// }
    /// assert_eq!(v.to_vec(), [0, 1, 1, 2]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    IndexedIterMut, &'a mut [T], |index, pointer| ([usize; R], &'a mut T) = {
        // SAFETY: the pointer is that of an element which the position names once; different indices lie at different
        // places, and the View's memory is borrowed exclusively for `'a`.
        (index, unsafe { &mut *pointer })
    }
}

impl<T: Element, const R: usize, L: Layout> Clone for Iter<'_, T, R, L> {
    fn clone(&self) -> Self {
        Self { position: self.position.clone(), borrow: PhantomData }
    }
}
impl<T: Element, const R: usize, L: Layout> Clone for IndexedIter<'_, T, R, L> {
    fn clone(&self) -> Self {
        Self { position: self.position.clone(), borrow: PhantomData }
    }
}

impl<'a, T: Element, const R: usize, M: HostAccessible, L: Layout> ViewRef<'a, T, R, M, L> {
    pub(super) fn elements(self) -> Iter<'a, T, R, L> {
        Iter { position: Position::new(self.raw), borrow: PhantomData }
    }
    pub(super) fn indexed_elements(self) -> IndexedIter<'a, T, R, L> {
        IndexedIter { position: Position::new(self.raw), borrow: PhantomData }
    }
}

impl<'a, T: Element, const R: usize, M: HostAccessible, L: Layout> ViewMut<'a, T, R, M, L> {
    pub(super) fn elements_mut(self) -> IterMut<'a, T, R, L> {
        IterMut { position: Position::new(self.raw), borrow: PhantomData }
    }
    pub(super) fn indexed_elements_mut(self) -> IndexedIterMut<'a, T, R, L> {
        IndexedIterMut { position: Position::new(self.raw), borrow: PhantomData }
    }
}

macro_rules! iterable {
    ($($view:ty, $iter:ident, $item:ty, $method:ident;)*) => {$(
        impl<'a, T: Element, const R: usize, M: HostAccessible, L: Layout> IntoIterator for $view {
            type Item = $item;
            type IntoIter = $iter<'a, T, R, L>;
            fn into_iter(self) -> Self::IntoIter {
                self.$method()
            }
        }
    )*};
}
iterable! {
    ViewRef<'a, T, R, M, L>, Iter, &'a T, elements;
    &'a View<T, R, M, L>, Iter, &'a T, iter;
    &'a ViewMut<'_, T, R, M, L>, Iter, &'a T, iter;
    ViewMut<'a, T, R, M, L>, IterMut, &'a mut T, elements_mut;
    &'a mut View<T, R, M, L>, IterMut, &'a mut T, iter_mut;
    &'a mut ViewMut<'_, T, R, M, L>, IterMut, &'a mut T, iter_mut;
}
