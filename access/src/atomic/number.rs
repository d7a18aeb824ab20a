//! The numbers that have atomic arithmetic.

use spelt_reducers::{Max, Min, MinMaxElement, Reducer};

use super::cell;
use crate::Element;

/// A number with atomic arithmetic: the integers, `f32` and `f64`.
///
/// # Examples
/// ```
/// use spelt_access::{AtomicAccess, AtomicNumber};
/// fn count<T: AtomicNumber>(counts: &AtomicAccess<'_, T, 1>, bin: usize) {
///     counts.inc(bin);
/// }
/// # let mut numbers = [0_u32, 0];
/// # let raw = spelt_access::RawView::<_, 1, spelt_access::Right>::new(numbers.as_mut_ptr(), [2], [1]);
/// # // SAFETY: nothing else uses the numbers.
/// # let counts = unsafe { AtomicAccess::new(raw) };
/// count(&counts, 1);
/// assert_eq!((counts.load(0), counts.load(1)), (0, 1));
/// ```
pub trait AtomicNumber: Element + sealed::Number {}

/// A number with atomic operations on its bits: the integers.
///
/// # Examples
/// ```
/// use spelt_access::{AtomicAccess, AtomicInteger};
/// fn mark<T: AtomicInteger>(marks: &AtomicAccess<'_, T, 1>, bits: T) {
///     marks.or(0, bits);
/// }
/// # let mut numbers = [1_u8];
/// # let raw = spelt_access::RawView::<_, 1, spelt_access::Right>::new(numbers.as_mut_ptr(), [1], [1]);
/// # // SAFETY: nothing else uses the number.
/// # let marks = unsafe { AtomicAccess::new(raw) };
/// mark(&marks, 4);
/// assert_eq!(marks.load(0), 5);
/// ```
pub trait AtomicInteger: AtomicNumber + sealed::Integer {}

impl<T: Element + sealed::Number> AtomicNumber for T {}
impl<T: Element + sealed::Integer> AtomicInteger for T {}

mod sealed {
    use super::*;

    /// Operations on values, and those of them that processors have on memory.
    pub trait Number: Element + MinMaxElement {
        const ONE: Self;
        fn plus(self, other: Self) -> Self;
        fn minus(self, other: Self) -> Self;
        fn times(self, other: Self) -> Self;
        fn over(self, other: Self) -> Self;
        #[inline(always)]
        fn lesser(mut self, other: Self) -> Self {
            Min::<Self>::new().join(&mut self, &other);
            self
        }
        #[inline(always)]
        fn greater(mut self, other: Self) -> Self {
            Max::<Self>::new().join(&mut self, &other);
            self
        }

        super::by_update! { plus fetch_plus minus fetch_minus lesser fetch_lesser greater fetch_greater }
    }

    pub trait Integer: Number {
        fn modulo(self, other: Self) -> Self;
        fn both(self, other: Self) -> Self;
        fn either(self, other: Self) -> Self;
        fn differing(self, other: Self) -> Self;
        fn not_both(self, other: Self) -> Self;
        fn left(self, bits: u32) -> Self;
        fn right(self, bits: u32) -> Self;

        super::by_update! { both fetch_both either fetch_either differing fetch_differing not_both fetch_not_both }
    }
}

/// Defines each operation on memory by the operation on values.
macro_rules! by_update {
    ($($operation:ident $fetch:ident)*) => {$(
        /// # Safety
        /// As for `cell::load`.
        #[inline(always)]
        unsafe fn $fetch(place: *mut Self, value: Self) -> Self {
            // SAFETY: `place` is a valid element that is accessed only through `cell`: both functions have the
            // contract of `cell::load`.
            unsafe { cell::update(place, |old| old.$operation(value)) }
        }
    )*};
}
use by_update;

/// Defines operations on memory by the processor's instructions, where the type has them.
macro_rules! by_processor {
    ($width:literal $atomic:ident: $($fetch:ident $native:ident $operation:ident)*) => {$(
        #[cfg(target_has_atomic = $width)]
        #[inline(always)]
        unsafe fn $fetch(place: *mut Self, value: Self) -> Self {
            use core::sync::atomic::{$atomic, Ordering};
            if cell::native::<Self, $atomic>() {
                // SAFETY: `native` compared size and alignment; the element is valid, and every access to it is atomic.
                unsafe { $atomic::from_ptr(place) }.$native(value, Ordering::Relaxed)
            } else {
                // SAFETY: `place` is a valid element that is accessed only through `cell`: both functions have the
                // contract of `cell::load`.
                unsafe { cell::update(place, |old| old.$operation(value)) }
            }
        }
    )*};
}

macro_rules! integers {
    ($($type:ident $($width:literal $atomic:ident)?;)*) => {$(
        impl sealed::Number for $type {
            const ONE: Self = 1;
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            #[inline(always)]
            fn over(self, other: Self) -> Self {
                self.wrapping_div(other)
            }
            $(by_processor! { $width $atomic:
                fetch_plus fetch_add plus
                fetch_minus fetch_sub minus
                fetch_lesser fetch_min lesser
                fetch_greater fetch_max greater
            })?
        }
        impl sealed::Integer for $type {
            #[inline(always)]
            fn modulo(self, other: Self) -> Self {
                self.wrapping_rem(other)
            }
            #[inline(always)]
            fn both(self, other: Self) -> Self {
                self & other
            }
            #[inline(always)]
            fn either(self, other: Self) -> Self {
                self | other
            }
            #[inline(always)]
            fn differing(self, other: Self) -> Self {
                self ^ other
            }
            #[inline(always)]
            fn not_both(self, other: Self) -> Self {
                !(self & other)
            }
            #[inline(always)]
            fn left(self, bits: u32) -> Self {
                self.wrapping_shl(bits)
            }
            #[inline(always)]
            fn right(self, bits: u32) -> Self {
                self.wrapping_shr(bits)
            }
            $(by_processor! { $width $atomic:
                fetch_both fetch_and both
                fetch_either fetch_or either
                fetch_differing fetch_xor differing
                fetch_not_both fetch_nand not_both
            })?
        }
    )*};
}
integers! {
    u8 "8" AtomicU8; i8 "8" AtomicI8;
    u16 "16" AtomicU16; i16 "16" AtomicI16;
    u32 "32" AtomicU32; i32 "32" AtomicI32;
    u64 "64" AtomicU64; i64 "64" AtomicI64;
    usize "ptr" AtomicUsize; isize "ptr" AtomicIsize;
    u128; i128;
}

macro_rules! floats {
    ($($type:ident)*) => {$(
        impl sealed::Number for $type {
            const ONE: Self = 1.0;
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self - other
            }
            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self * other
            }
            #[inline(always)]
            fn over(self, other: Self) -> Self {
                self / other
            }
        }
    )*};
}
floats!(f32 f64);
