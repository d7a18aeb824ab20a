//! The indices that accessors accept.

use crate::{Idx, NestedIdx, SignedIdx};

/// A witness of rank `R` of the launch branded `'k`: an [`Idx`], or a [`NestedIdx`] of a team.
///
/// # Safety
/// Sealed: accessors do not check the bounds of a witness.
///
/// # Examples
/// ```
/// use spelt_access::Witness;
/// fn component<'k, const R: usize>(i: impl Witness<'k, R>, dimension: usize) -> usize {
///     i.position()[dimension]
/// }
/// # // SAFETY: there is no accessor.
/// # let i = unsafe { spelt_access::Idx::<2>::new([3, 5]) };
/// // In the iteration with index [3, 5]:
/// assert_eq!(component(i, 1), 5);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the index of this iteration",
    label = "an iteration writes at its own index alone",
    note = "a View of rank {R} takes the index of a range or box of the same rank",
    note = "in a loop within the iteration, write a row that the iteration owns: pass `y.by_rows_mut()`, and write `y.row_mut(i)[j]`; or let the policy have all dimensions: `space.md_range([0..n, 0..m])`, and write `y[ij]`",
    note = "in a loop nested in a team, index by the loop's own witness: `h[j]` is the element `[team.league_rank(), j.inner()]`",
    note = "to read neighbours, pass `x.halo::<1>()`; to read any index, `x.lookup()`; to change other elements, `y.atomic()` or `y.scatter()`"
)]
pub unsafe trait Witness<'k, const R: usize>: Copy + sealed::Sealed {
    /// The index in every dimension.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::Witness;
    /// # // SAFETY: there is no accessor.
    /// # let i = unsafe { spelt_access::Idx::<2>::new([3, 5]) };
    /// // In the iteration with index [3, 5]:
    /// assert_eq!(i.position(), [3, 5]);
    /// ```
    fn position(self) -> [usize; R];
}

// SAFETY: a witness.
unsafe impl<'k, const R: usize> Witness<'k, R> for Idx<'k, R> {
    #[inline(always)]
    fn position(self) -> [usize; R] {
        self.index()
    }
}
// SAFETY: a witness.
unsafe impl<'k, const R: usize> Witness<'k, R> for NestedIdx<'k, '_, R> {
    #[inline(always)]
    fn position(self) -> [usize; R] {
        self.index()
    }
}

/// An index of a View of rank `R`: `[usize; R]`, for rank 1 also `usize`, or any witness of that rank. Accessors that accept
/// it check its bounds.
///
/// The other integers of up to 64 bits serve as well: lists of indices are often `u32` or `i32`. A negative index is out of bounds.
///
/// # Examples
/// ```
/// use spelt_access::AsIndex;
/// fn sum<const R: usize>(index: impl AsIndex<R>) -> usize {
///     index.as_index().iter().sum()
/// }
/// assert_eq!((sum(7), sum([3, 5]), sum([3_u32, 5])), (7, 8, 8));
/// ```
pub trait AsIndex<const R: usize>: Copy + sealed::Sealed {
    /// The index as an array.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::AsIndex;
    /// assert_eq!((7.as_index(), [3, 5].as_index()), ([7], [3, 5]));
    /// ```
    fn as_index(self) -> [usize; R];

    /// The index for a View whose indices begin at an origin. A number too large for `isize` becomes the largest one, which no such View has.
    #[doc(hidden)]
    fn as_signed(self) -> [isize; R];
}

/// The number, or the largest `isize`, which no View with an origin has as an index.
macro_rules! signed {
    ($number:expr) => {
        isize::try_from($number).unwrap_or(isize::MAX)
    };
}

impl<const R: usize> AsIndex<R> for [usize; R] {
    #[inline(always)]
    fn as_index(self) -> [usize; R] {
        self
    }
    #[inline(always)]
    fn as_signed(self) -> [isize; R] {
        self.map(|number| signed!(number))
    }
}
impl AsIndex<1> for usize {
    #[inline(always)]
    fn as_index(self) -> [usize; 1] {
        [self]
    }
    #[inline(always)]
    fn as_signed(self) -> [isize; 1] {
        [signed!(self)]
    }
}
impl<const R: usize> AsIndex<R> for Idx<'_, R> {
    #[inline(always)]
    fn as_index(self) -> [usize; R] {
        self.index()
    }
    #[inline(always)]
    fn as_signed(self) -> [isize; R] {
        self.index().as_signed()
    }
}
impl<const R: usize> AsIndex<R> for NestedIdx<'_, '_, R> {
    #[inline(always)]
    fn as_index(self) -> [usize; R] {
        self.index()
    }
    #[inline(always)]
    fn as_signed(self) -> [isize; R] {
        self.index().as_signed()
    }
}
/// A negative component becomes a number above every extent, as that of an integer does.
impl<const R: usize> AsIndex<R> for SignedIdx<'_, R> {
    #[inline(always)]
    fn as_index(self) -> [usize; R] {
        self.index().map(isize::cast_unsigned)
    }
    #[inline(always)]
    fn as_signed(self) -> [isize; R] {
        self.index()
    }
}

/// An index by number, which brackets of accessors check: an [`AsIndex`] that is not a witness.
///
/// Accessors have one generic implementation of `Index` for all of them, so that the type of `x[0].abs()` is known before the type of `0`
/// is.
///
/// # Examples
/// ```
/// use spelt_access::CheckedIndex;
/// fn sum<const R: usize>(index: impl CheckedIndex<R>) -> usize {
///     index.as_index().iter().sum()
/// }
/// assert_eq!((sum(7), sum([3_u32, 5])), (7, 8));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an index of a View of rank {R}",
    label = "not an index here",
    note = "an index is the launch's own witness, an integer of up to 64 bits (rank 1), or an array of them"
)]
pub trait CheckedIndex<const R: usize>: AsIndex<R> {}

impl CheckedIndex<1> for usize {}
impl<const R: usize> CheckedIndex<R> for [usize; R] {}

/// The index that a number is: above every extent if the number is negative, and such that messages can show its sign.
macro_rules! place {
    ($number:expr, $integer:ty) => {
        match size_of::<$integer>() <= size_of::<usize>() {
            true => $number as usize,
            false => usize::try_from($number).unwrap_or(usize::MAX),
        }
    };
}

/// Other integers, and arrays of them for these ranks. (An array of rank 0 would have no type.)
macro_rules! integers {
    ($($integer:ty)*) => {$(
        impl AsIndex<1> for $integer {
            #[inline(always)]
            fn as_index(self) -> [usize; 1] {
                [place!(self, $integer)]
            }
            #[inline(always)]
            fn as_signed(self) -> [isize; 1] {
                [signed!(self)]
            }
        }
        impl CheckedIndex<1> for $integer {}
        impl sealed::Sealed for $integer {}
        integers!($integer: 1 2 3 4 5 6 7 8);
    )*};
    ($integer:ty: $($rank:literal)*) => {$(
        impl AsIndex<$rank> for [$integer; $rank] {
            #[inline(always)]
            fn as_index(self) -> [usize; $rank] {
                self.map(|number| place!(number, $integer))
            }
            #[inline(always)]
            fn as_signed(self) -> [isize; $rank] {
                self.map(|number| signed!(number))
            }
        }
        impl CheckedIndex<$rank> for [$integer; $rank] {}
        impl sealed::Sealed for [$integer; $rank] {}
    )*};
}
integers!(u8 u16 u32 u64 i8 i16 i32 i64 isize);

mod sealed {
    use crate::{Idx, NestedIdx, SignedIdx};

    pub trait Sealed {}
    impl Sealed for usize {}
    impl<const R: usize> Sealed for [usize; R] {}
    impl<const R: usize> Sealed for Idx<'_, R> {}
    impl<const R: usize> Sealed for NestedIdx<'_, '_, R> {}
    impl<const R: usize> Sealed for SignedIdx<'_, R> {}
}
