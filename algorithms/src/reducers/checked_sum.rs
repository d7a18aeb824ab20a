//! Sums that detect overflow.

use core::marker::PhantomData;

use spelt_core::reducers::{Reducer, SumElement};

use super::no_data::no_data;

/// A whole number that [`CheckedSum`] adds: the primitive integers up to 64 bits.
///
/// Sealed: the sum is exact because no sum of them overflows `Wide`.
pub trait CheckedElement: TryFrom<Self::Wide> + sealed::Sealed {
    /// The integers of 128 bits with the same sign.
    type Wide: SumElement + Send + Sync;

    /// The same number.
    fn widen(self) -> Self::Wide;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! elements {
    ($wide:ident: $($narrow:ident)*) => {$(
        impl sealed::Sealed for $narrow {}
        impl CheckedElement for $narrow {
            type Wide = $wide;
            #[inline(always)]
            fn widen(self) -> $wide {
                self as $wide
            }
        }
    )*};
}
elements!(i128: i8 i16 i32 i64 isize);
elements!(u128: u8 u16 u32 u64 usize);

/// Adds integers; the result is `None` if the sum does not fit the type.
///
/// The exact sum of all contributions decides: it is kept in 128 bits, which 2^64 contributions cannot overflow. So partial
/// sums may exceed the type, and whether there is a result does not depend on the order of joins. Contributions are
/// [`widened`](CheckedElement::widen) before they join. [`Sum`](spelt_core::reducers::Sum) wraps.
///
/// # Complexity
/// An addition of 128 bits for each contribution and join, which does not vectorise: several times the time of a
/// [`Sum`](spelt_core::reducers::Sum).
///
/// # Examples
/// ```
/// use spelt_algorithms::{CheckedElement, CheckedSum, transform_reduce_commutative};
/// use spelt_core::{Serial, View};
/// let x = View::from_vec("x", [3], vec![i32::MAX, 1, -1])?;
/// let sum = |x| transform_reduce_commutative(&Serial::new(), x, |x: i32, _| x.widen(), CheckedSum::<i32>::new());
/// assert_eq!(sum(&x)?, Some(i32::MAX));
/// assert_eq!(sum(&View::from_vec("x", [2], vec![i32::MAX, 1])?)?, None);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub struct CheckedSum<T>(PhantomData<fn() -> T>);

impl<T: CheckedElement> Reducer for CheckedSum<T> {
    type Value = T::Wide;
    type Output = Option<T>;

    const EXACT: bool = true;
    const REORDERABLE: bool = true;

    #[inline(always)]
    fn init(&self) -> T::Wide {
        T::Wide::ZERO
    }

    #[inline(always)]
    fn join(&self, into: &mut T::Wide, from: &T::Wide) {
        // Wrapping, which no number of contributions of `T` can reach, so that no grouping panics.
        *into = into.plus(*from);
    }

    #[inline(always)]
    fn finish(&self, value: T::Wide) -> Option<T> {
        T::try_from(value).ok()
    }

    #[inline(always)]
    fn neutral(&self) -> Option<T::Wide> {
        T::Wide::NEUTRAL
    }

    #[inline(always)]
    fn is_neutral(&self, value: &T::Wide) -> bool {
        value.adds_nothing()
    }
}

no_data!(CheckedSum[T][T]);
