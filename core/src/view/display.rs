//! Views as text, in the manner of NumPy.

use core::fmt::{self, Write};

use spelt_access::{Element, Layout, RawView};

use super::memory_space::MemorySpace;
use super::{View, ViewMut, ViewRef};

/// Elements above which a View is summarised. Source: NumPy's `threshold`.
const THRESHOLD: usize = 1000;
/// Indices shown at either end of a dimension that is summarised. Source: NumPy's `edgeitems`.
const EDGE: usize = 3;

/// The indices of a dimension that are shown; `None` means the dots.
fn shown(extent: usize, summary: bool) -> impl Iterator<Item = Option<usize>> {
    let cut = summary && extent > 2 * EDGE;
    let head = if cut { EDGE } else { extent };
    let tail = if cut { extent - EDGE } else { extent };
    (0..head).map(Some).chain(cut.then_some(None)).chain((tail..extent).map(Some))
}

/// The cells in the order of the indices, or the dots, and the brackets around them.
struct Table<'a, T, const R: usize, L> {
    raw: RawView<T, R, L>,
    cell: &'a dyn Fn(&T, &mut String) -> fmt::Result,
    summary: bool,
}

impl<T, const R: usize, L: Layout> Table<'_, T, R, L> {
    fn cell(&self, index: [usize; R], text: &mut String) -> fmt::Result {
        text.clear();
        // SAFETY: `index` is below the extents, and the View that `raw` is of is borrowed and host-accessible.
        (self.cell)(unsafe { &*self.raw.at(index) }, text)
    }

    /// The width of the widest cell that is shown.
    fn width(
        &self,
        dimension: usize,
        index: &mut [usize; R],
        text: &mut String,
    ) -> Result<usize, fmt::Error> {
        if dimension == R {
            self.cell(*index, text)?;
            return Ok(text.chars().count());
        }
        let mut width = 0;
        for at in shown(self.raw.extents()[dimension], self.summary).flatten() {
            index[dimension] = at;
            width = width.max(self.width(dimension + 1, index, text)?);
        }
        Ok(width)
    }

    fn write(
        &self,
        dimension: usize,
        index: &mut [usize; R],
        width: usize,
        text: &mut String,
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        if dimension == R {
            self.cell(*index, text)?;
            return write!(f, "{text:>width$}");
        }
        f.write_char('[')?;
        for (place, at) in shown(self.raw.extents()[dimension], self.summary).enumerate() {
            if place > 0 {
                if dimension + 1 == R {
                    f.write_str(", ")?;
                } else {
                    // One line for each row, and one empty line more for each level of brackets.
                    write!(f, ",{:\n<1$}{2:3$}", "", R - 1 - dimension, "", dimension + 1)?;
                }
            }
            match at {
                Some(at) => {
                    index[dimension] = at;
                    self.write(dimension + 1, index, width, text, f)?;
                }
                None => f.write_str("...")?,
            }
        }
        f.write_char(']')
    }
}

/// Writes the elements of a View that the host can reach.
///
/// # Safety
/// The View that `raw` is of is borrowed by the caller, for reading, and lies in host-accessible memory.
unsafe fn elements<T, const R: usize, L: Layout>(
    raw: RawView<T, R, L>,
    f: &mut fmt::Formatter<'_>,
    cell: &dyn Fn(&T, &mut String) -> fmt::Result,
) -> fmt::Result {
    let table = Table { raw, cell, summary: raw.len() > THRESHOLD };
    if raw.is_empty() {
        return f.write_str("[]");
    }
    let mut text = String::new();
    let width = table.width(0, &mut [0; R], &mut text)?;
    table.write(0, &mut [0; R], width, &mut text, f)
}

macro_rules! text {
    ($($view:ident [$($param:tt)*];)*) => {$(
        /// Label, extents, layout and elements; above 1000 elements only three at either end of each dimension, as
        /// NumPy does. Elements that the host cannot reach are left out.
        impl<$($param)* T: Element + fmt::Debug, const R: usize, M: MemorySpace, L: Layout> fmt::Debug
            for $view<$($param)* T, R, M, L>
        {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{} `{}` {:?} {}", stringify!($view), self.label(), self.extents(), L::NAME)?;
                if !M::HOST_ACCESSIBLE {
                    return write!(f, " in {}", M::NAME);
                }
                f.write_char('\n')?;
                let (precision, plus) = (f.precision(), f.sign_plus());
                // SAFETY: `self` is borrowed, and the host reaches its memory.
                unsafe {
                    elements(self.raw, f, &|element, text| match (precision, plus) {
                        (Some(digits), false) => write!(text, "{element:.digits$?}"),
                        (Some(digits), true) => write!(text, "{element:+.digits$?}"),
                        (None, false) => write!(text, "{element:?}"),
                        (None, true) => write!(text, "{element:+?}"),
                    })
                }
            }
        }

        /// The elements in brackets, in aligned columns; above 1000 elements only three at either end of each
        /// dimension, as NumPy does. Precision and sign, as in `{v:+.3}`, go to each element.
        ///
        /// # Examples
        /// ```
        /// use spelt_core::View;
        /// let v = View::from_fn("v", [2, 2], |[i, j]| 100.0 * i as f64 + j as f64)?;
        /// assert_eq!(format!("{v:.1}"), "[[  0.0,   1.0],\n [100.0, 101.0]]");
        /// # Ok::<(), spelt_core::Error>(())
        /// ```
        impl<$($param)* T: Element + fmt::Display, const R: usize, M, L: Layout> fmt::Display
            for $view<$($param)* T, R, M, L>
        where
            M: crate::view::HostAccessible,
        {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let (precision, plus) = (f.precision(), f.sign_plus());
                // SAFETY: `self` is borrowed, and the host reaches its memory.
                unsafe {
                    elements(self.raw, f, &|element, text| match (precision, plus) {
                        (Some(digits), false) => write!(text, "{element:.digits$}"),
                        (Some(digits), true) => write!(text, "{element:+.digits$}"),
                        (None, false) => write!(text, "{element}"),
                        (None, true) => write!(text, "{element:+}"),
                    })
                }
            }
        }
    )*};
}
text! { View []; ViewRef ['a,]; ViewMut ['a,]; }
