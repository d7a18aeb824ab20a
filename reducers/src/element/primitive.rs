//! Elements among the types of the language.

use core::num::Wrapping;

use super::{BitElement, LogicalElement, MinMaxElement, ProdElement, SumElement};

macro_rules! integers {
    ($($int:ident)*) => {$(
        impl SumElement for $int {
            const ZERO: Self = 0;
            const EXACT: bool = true;
            const REORDERABLE: bool = true;

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
        }

        impl ProdElement for $int {
            const ONE: Self = 1;
            const EXACT: bool = true;
            const REORDERABLE: bool = true;

            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
        }

        impl SumElement for Wrapping<$int> {
            const ZERO: Self = Wrapping(0);
            const EXACT: bool = true;
            const REORDERABLE: bool = true;

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self + other
            }
        }

        impl ProdElement for Wrapping<$int> {
            const ONE: Self = Wrapping(1);
            const EXACT: bool = true;
            const REORDERABLE: bool = true;

            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self * other
            }
        }

        impl MinMaxElement for $int {
            const LARGEST: Self = $int::MAX;
            const LOWEST: Self = $int::MIN;
        }

        impl BitElement for $int {
            const NO_BITS: Self = 0;
            const ALL_BITS: Self = !0;
            const REORDERABLE: bool = true;

            #[inline(always)]
            fn and(self, other: Self) -> Self {
                self & other
            }

            #[inline(always)]
            fn or(self, other: Self) -> Self {
                self | other
            }
        }

        impl LogicalElement for $int {
            const FALSE: Self = 0;
            const TRUE: Self = 1;

            #[inline(always)]
            fn is_true(self) -> bool {
                self != 0
            }
        }
    )*};
}

integers! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize }

macro_rules! floats {
    ($($float:ident)*) => {$(
        impl SumElement for $float {
            const ZERO: Self = 0.0;

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self + other
            }
        }

        impl ProdElement for $float {
            const ONE: Self = 1.0;

            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self * other
            }
        }

        impl MinMaxElement for $float {
            const LARGEST: Self = $float::INFINITY;
            const LOWEST: Self = $float::NEG_INFINITY;
        }
    )*};
}

floats! { f32 f64 }

impl MinMaxElement for bool {
    const LARGEST: Self = true;
    const LOWEST: Self = false;
}

impl MinMaxElement for char {
    const LARGEST: Self = char::MAX;
    const LOWEST: Self = '\0';
}

impl BitElement for bool {
    const NO_BITS: Self = false;
    const ALL_BITS: Self = true;
    const REORDERABLE: bool = true;

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self & other
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self | other
    }
}

impl LogicalElement for bool {
    const FALSE: Self = false;
    const TRUE: Self = true;

    #[inline(always)]
    fn is_true(self) -> bool {
        self
    }
}
