//! The element types of indices.

use spelt_core::Element;

/// A whole number that names a place in a View: the primitive integers.
///
/// A negative number, or one that does not fit in `usize`, lies outside every View. The trait is sealed, because kernels that
/// write there do not race only if a number always names the same place.
///
/// # Examples
/// ```
/// use spelt_algorithms::gather;
/// use spelt_core::{Serial, View};
/// let x = View::from_vec("x", [3], vec![10, 20, 30])?;
/// let mut y = View::from_vec("y", [2], vec![0, 0])?;
/// gather(&Serial::new(), &x, &View::from_vec("at", [2], vec![2_i8, -1])?, &mut y)?;
/// assert_eq!(y.as_slice(), Some(&[30, 0][..]));
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub trait IndexElement: Element + core::fmt::Debug + sealed::Sealed {
    /// Whether there are negative ones.
    #[doc(hidden)]
    const SIGNED: bool;

    /// The place; `usize::MAX`, which no View has, for numbers outside every View.
    #[doc(hidden)]
    fn place(self) -> usize;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! integers {
    ($($type:ty)*) => {$(
        impl sealed::Sealed for $type {}
        impl IndexElement for $type {
            const SIGNED: bool = <$type>::MIN != 0;
            #[inline(always)]
            fn place(self) -> usize {
                usize::try_from(self).unwrap_or(usize::MAX)
            }
        }
    )*};
}
integers! { u8 u16 u32 u64 usize i8 i16 i32 i64 isize }
