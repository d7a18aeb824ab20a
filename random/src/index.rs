//! The types that [`Random::at`](crate::Random::at) takes.

use spelt_core::{Idx, SignedIdx};

/// An index with its own random numbers: a witness of rank 1, or an integer.
///
/// In a box it is the number of the place, the last index fastest, such as `i[0] * columns + i[1]`.
///
/// # Examples
/// ```
/// use spelt_random::Random;
/// let random = Random::new(1);
/// assert_eq!(random.at(7_usize).u64(), random.at(7_u32).u64());
/// assert_ne!(random.at(7).u64(), random.at(-7).u64());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an index of random numbers",
    note = "give a witness of rank 1 or an integer; in a box the number of the place, such as `i[0] * columns + i[1]`"
)]
pub trait RandomIndex: sealed::Sealed {
    /// The index as 64 bits; negative ones are extended.
    #[doc(hidden)]
    fn bits(self) -> u64;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! indices {
    ($($type:ty),*) => {$(
        impl sealed::Sealed for $type {}
        impl RandomIndex for $type {
            #[inline(always)]
            fn bits(self) -> u64 {
                self as u64
            }
        }
    )*};
}
indices!(u8, u16, u32, u64, usize, i8, i16, i32, i64, isize);

impl sealed::Sealed for Idx<'_, 1> {}
impl RandomIndex for Idx<'_, 1> {
    #[inline(always)]
    fn bits(self) -> u64 {
        self.get() as u64
    }
}

impl sealed::Sealed for SignedIdx<'_, 1> {}
impl RandomIndex for SignedIdx<'_, 1> {
    #[inline(always)]
    fn bits(self) -> u64 {
        self.get() as u64
    }
}
