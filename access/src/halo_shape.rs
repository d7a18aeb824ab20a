//! The offsets that a halo covers, as types, so that the test of a constant offset costs nothing.

use core::fmt::Debug;

/// The offsets that a halo covers in each of `R` dimensions.
///
/// [`Around<H>`](Around) covers `-H..=H` in every dimension. [`Between`] covers a lower and an upper reach in one: give
/// one of them for rank 1, a tuple with one for each dimension otherwise. The trait is sealed, because launches trust
/// its reaches.
///
/// # Examples
/// ```
/// use spelt_access::{Around, HaloShape, Between};
/// fn reaches<W: HaloShape<2>>() -> [[usize; 2]; 2] {
///     [W::LOWER, W::UPPER]
/// }
/// assert_eq!(reaches::<Around<1>>(), [[1, 1], [1, 1]]);
/// assert_eq!(reaches::<(Between<-2, 1>, Between<0, 3>)>(), [[2, 0], [1, 3]]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not describe a halo in {R} dimensions",
    note = "give one `Between<LOWER, UPPER>` for each dimension: `Between<-2, 1>` for rank 1, `(Between<-2, 1>, Between<0, 0>)` for rank 2"
)]
pub trait HaloShape<const R: usize>: sealed::Sealed<R> + Copy + Debug + Send + Sync + 'static {
    /// The number of places that may be read before the index, in each dimension.
    const LOWER: [usize; R];
    /// The number of places that may be read after the index, in each dimension.
    const UPPER: [usize; R];
    /// Whether `halo::<H>()` made it, for messages.
    #[doc(hidden)]
    const EVEN: bool = false;
}

/// The halo of `H` places on every side: the shape of `view.halo::<H>()`.
///
/// # Examples
/// ```
/// use spelt_access::{Around, HaloShape};
/// assert_eq!(<Around<2> as HaloShape<3>>::LOWER, [2, 2, 2]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Around<const H: usize>;

/// The offsets `LOWER..=UPPER` in one dimension: `Between<-2, 1>` reads two places before the index and one after it.
///
/// `LOWER` above 0 or `UPPER` below 0 does not compile, because the index itself is always covered.
///
/// # Examples
/// ```
/// use spelt_access::{HaloShape, Between};
/// assert_eq!(<Between<-2, 1> as HaloShape<1>>::LOWER, [2]);
/// assert_eq!(<Between<-2, 1> as HaloShape<1>>::UPPER, [1]);
/// ```
/// ```compile_fail
/// use spelt_access::{HaloShape, Between};
/// assert_eq!(<Between<1, 2> as HaloShape<1>>::LOWER, [1]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Between<const LOWER: isize, const UPPER: isize>;

impl<const LOWER: isize, const UPPER: isize> Between<LOWER, UPPER> {
    const BELOW: usize = {
        assert!(LOWER <= 0, "the lower end of `Between` is at most 0");
        LOWER.unsigned_abs()
    };
    const ABOVE: usize = {
        assert!(UPPER >= 0, "the upper end of `Between` is at least 0");
        UPPER.unsigned_abs()
    };
}

impl<const R: usize, const H: usize> HaloShape<R> for Around<H> {
    const LOWER: [usize; R] = [H; R];
    const UPPER: [usize; R] = [H; R];
    const EVEN: bool = true;
}

impl<const A: isize, const B: isize> HaloShape<1> for Between<A, B> {
    const LOWER: [usize; 1] = [Self::BELOW];
    const UPPER: [usize; 1] = [Self::ABOVE];
}

mod sealed {
    pub trait Sealed<const R: usize> {}
    impl<const R: usize, const H: usize> Sealed<R> for super::Around<H> {}
    impl<const A: isize, const B: isize> Sealed<1> for super::Between<A, B> {}
}

macro_rules! tuples {
    ($($rank:literal: $($lower:ident $upper:ident),*;)*) => {$(
        impl<$(const $lower: isize, const $upper: isize),*> sealed::Sealed<$rank> for ($(Between<$lower, $upper>,)*) {}
        impl<$(const $lower: isize, const $upper: isize),*> HaloShape<$rank> for ($(Between<$lower, $upper>,)*) {
            const LOWER: [usize; $rank] = [$(Between::<$lower, $upper>::BELOW),*];
            const UPPER: [usize; $rank] = [$(Between::<$lower, $upper>::ABOVE),*];
        }
    )*};
}
tuples! {
    1: A0 B0;
    2: A0 B0, A1 B1;
    3: A0 B0, A1 B1, A2 B2;
    4: A0 B0, A1 B1, A2 B2, A3 B3;
    5: A0 B0, A1 B1, A2 B2, A3 B3, A4 B4;
    6: A0 B0, A1 B1, A2 B2, A3 B3, A4 B4, A5 B5;
    7: A0 B0, A1 B1, A2 B2, A3 B3, A4 B4, A5 B5, A6 B6;
    8: A0 B0, A1 B1, A2 B2, A3 B3, A4 B4, A5 B5, A6 B6, A7 B7;
}

/// The reach of the shape `W` in `dimension`, on the side of `offset`.
#[inline(always)]
pub(crate) fn reach<W: HaloShape<R>, const R: usize>(dimension: usize, offset: isize) -> usize {
    if offset < 0 { W::LOWER[dimension] } else { W::UPPER[dimension] }
}

/// The first reach of the shape `W` that `offset` exceeds.
#[inline(always)]
pub(crate) fn exceeded<W: HaloShape<R>, const R: usize>(offset: [isize; R]) -> usize {
    let mut dimension = 0;
    while dimension < R {
        let reach = reach::<W, R>(dimension, offset[dimension]);
        if offset[dimension].unsigned_abs() > reach {
            return reach;
        }
        dimension += 1;
    }
    0
}
