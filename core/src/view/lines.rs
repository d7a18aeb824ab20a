//! Lines of a rank-2 View as slices: rows of `Right`, columns of `Left`.

use spelt_access::{Element, Layout, Left, Right};

use super::memory_space::{HostAccessible, MemorySpace};
use super::{View, ViewMut, ViewRef, mismatch};

/// A dense layout: the dimension of a rank-2 View that numbers its contiguous lines, and their name.
trait Lined: Layout {
    const ACROSS: usize;
    const LINE: &'static str;
}
impl Lined for Right {
    const ACROSS: usize = 0;
    const LINE: &'static str = "row";
}
impl Lined for Left {
    const ACROSS: usize = 1;
    const LINE: &'static str = "column";
}

#[inline]
#[track_caller]
fn line<'a, T: Element, M: HostAccessible, L: Lined>(view: ViewRef<'a, T, 2, M, L>, index: usize) -> &'a [T] {
    let (lines, len) = (view.extents()[L::ACROSS], view.extents()[1 - L::ACROSS]);
    if index >= lines {
        mismatch::line(view.label, L::LINE, index, &view.extents());
    }
    // SAFETY: the View is dense and `index` is one of its lines, so the `len` elements after the first
    // `index * len` are its own, initialised and borrowed for `'a`.
    unsafe { core::slice::from_raw_parts(view.raw.pointer().add(index * len), len) }
}

#[inline]
#[track_caller]
fn line_mut<'a, T, M, L>(view: ViewMut<'a, T, 2, M, L>, index: usize) -> &'a mut [T]
where
    T: Element,
    M: HostAccessible,
    L: Lined,
{
    let (lines, len) = (view.extents()[L::ACROSS], view.extents()[1 - L::ACROSS]);
    if index >= lines {
        mismatch::line(view.label, L::LINE, index, &view.extents());
    }
    // SAFETY: the View is dense and `index` is one of its lines, so the `len` elements after the first `index * len`
    // are its own and initialised; the View, consumed by this call, had them exclusively for `'a`.
    unsafe { core::slice::from_raw_parts_mut(view.raw.pointer().add(index * len), len) }
}

fn lines_mut<'a, T, M, L>(view: ViewMut<'a, T, 2, M, L>) -> impl ExactSizeIterator<Item = &'a mut [T]>
where
    T: Element,
    M: HostAccessible,
    L: Lined,
{
    (0..view.extents()[L::ACROSS]).map(move |index| {
        // SAFETY: a second View of the same elements lives only inside this call; each line is requested once, lines
        // of a dense layout are disjoint, and `view` has them exclusively for `'a`.
        line_mut(unsafe { ViewMut::<T, 2, M, L>::new(view.raw, view.label, view.owner) }, index)
    })
}

macro_rules! lines {
    (read $view:ident [$($param:tt)*] $life:lifetime, $layout:ident $one:ident $all:ident $word:literal) => {
        impl<$($param)* T: Element, M: MemorySpace + HostAccessible> $view<$($param)* T, 2, M, $layout> {
            #[doc = concat!("One ", $word, " as a slice.")]
            ///
            /// # Panics
            /// If `index` is out of bounds.
            ///
            /// # Examples
            /// ```
            #[doc = concat!("use spelt_core::{", stringify!($layout), ", View};")]
            #[doc = concat!("let v = View::from_fn_in(", stringify!($layout), ", \"v\", [2, 2], |[i, j]| i + j)?;")]
            #[doc = concat!("assert_eq!(v.", stringify!($one), "(1), [1, 2]);")]
            /// # Ok::<(), spelt_core::Error>(())
            /// ```
            #[must_use]
            #[inline]
            #[track_caller]
            pub fn $one(&self, index: usize) -> &$life [T] {
                line(self.view(), index)
            }

            #[doc = concat!("All ", $word, "s as slices, in order.")]
            ///
            /// # Examples
            /// ```
            #[doc = concat!("use spelt_core::{", stringify!($layout), ", View};")]
            #[doc = concat!("let v = View::from_fn_in(", stringify!($layout), ", \"v\", [2, 2], |[i, j]| i + j)?;")]
            #[doc = concat!("assert!(v.", stringify!($all), "().eq([[0, 1], [1, 2]]));")]
            /// # Ok::<(), spelt_core::Error>(())
            /// ```
            pub fn $all(&self) -> impl ExactSizeIterator<Item = &$life [T]> + DoubleEndedIterator + Clone {
                let view = self.view();
                (0..view.extents()[$layout::ACROSS]).map(move |index| line(view, index))
            }
        }
    };
    (write $view:ident [$($param:tt)*] $layout:ident $one:ident $all:ident $word:literal) => {
        impl<$($param)* T: Element, M: MemorySpace + HostAccessible> $view<$($param)* T, 2, M, $layout> {
            #[doc = concat!("One ", $word, " as a mutable slice.")]
            ///
            /// # Panics
            /// If `index` is out of bounds.
            ///
            /// # Examples
            /// ```
            #[doc = concat!("use spelt_core::{", stringify!($layout), ", View};")]
            #[doc = concat!("let mut v = View::from_fn_in(", stringify!($layout), ", \"v\", [2, 2], |[i, j]| i + j)?;")]
            #[doc = concat!("v.", stringify!($one), "(1).fill(7);")]
            /// assert_eq!((v[[0, 0]], v[[1, 1]]), (0, 7));
            /// # Ok::<(), spelt_core::Error>(())
            /// ```
            #[must_use]
            #[inline]
            #[track_caller]
            pub fn $one(&mut self, index: usize) -> &mut [T] {
                line_mut(self.view_mut(), index)
            }

            #[doc = concat!("All ", $word, "s as mutable slices, in order.")]
            ///
            /// # Examples
            /// ```
            #[doc = concat!("use spelt_core::{", stringify!($layout), ", View};")]
            #[doc = concat!("let mut v = View::from_fn_in(", stringify!($layout), ", \"v\", [2, 2], |[i, j]| i + j)?;")]
            #[doc = concat!("v.", stringify!($all), "().for_each(|", $word, "| ", $word, "[1] = 9);")]
            /// assert_eq!((v[[0, 0]], v[[1, 1]]), (0, 9));
            /// # Ok::<(), spelt_core::Error>(())
            /// ```
            pub fn $all(&mut self) -> impl ExactSizeIterator<Item = &mut [T]> {
                lines_mut(self.view_mut())
            }
        }
    };
}
lines!(read View [] '_, Right row rows "row");
lines!(read ViewRef ['a,] 'a, Right row rows "row");
lines!(read ViewMut ['a,] '_, Right row rows "row");
lines!(write View [] Right row_mut rows_mut "row");
lines!(write ViewMut ['a,] Right row_mut rows_mut "row");
lines!(read View [] '_, Left column columns "column");
lines!(read ViewRef ['a,] 'a, Left column columns "column");
lines!(read ViewMut ['a,] '_, Left column columns "column");
lines!(write View [] Left column_mut columns_mut "column");
lines!(write ViewMut ['a,] Left column_mut columns_mut "column");
