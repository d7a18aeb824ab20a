//! Elements among the types of the language.

use core::num::Wrapping;

use crate::FloatSums;

use super::{BitElement, LogicalElement, MinMaxElement, ProdElement, SumElement};

macro_rules! integers {
    ($($int:ident)*) => {$(
        impl SumElement for $int {
            const ZERO: Self = 0;
            const EXACT: bool = true;
            const REORDERABLE: bool = true;
            const NEUTRAL: Option<Self> = Some(0);

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn adds_nothing(self) -> bool {
                self == 0
            }
        }

        impl ProdElement for $int {
            const ONE: Self = 1;
            const EXACT: bool = true;
            const REORDERABLE: bool = true;
            const NEUTRAL: Option<Self> = Some(1);

            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }

            #[inline(always)]
            fn scales_nothing(self) -> bool {
                self == 1
            }
        }

        impl SumElement for Wrapping<$int> {
            const ZERO: Self = Wrapping(0);
            const EXACT: bool = true;
            const REORDERABLE: bool = true;
            const NEUTRAL: Option<Self> = Some(Wrapping(0));

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self + other
            }

            #[inline(always)]
            fn adds_nothing(self) -> bool {
                self.0 == 0
            }
        }

        impl ProdElement for Wrapping<$int> {
            const ONE: Self = Wrapping(1);
            const EXACT: bool = true;
            const REORDERABLE: bool = true;
            const NEUTRAL: Option<Self> = Some(Wrapping(1));

            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self * other
            }

            #[inline(always)]
            fn scales_nothing(self) -> bool {
                self.0 == 1
            }
        }

        impl MinMaxElement for $int {
            const LARGEST: Self = $int::MAX;
            const LOWEST: Self = $int::MIN;
            const REORDERABLE: bool = true;
            const NEUTRAL_MIN: Option<Self> = Some($int::MAX);
            const NEUTRAL_MAX: Option<Self> = Some($int::MIN);
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

            #[inline(always)]
            fn has_no_bits(self) -> bool {
                self == Self::NO_BITS
            }

            #[inline(always)]
            fn has_all_bits(self) -> bool {
                self == Self::ALL_BITS
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
    ($($float:ident $sums:ident)*) => {$(
        impl SumElement for $float {
            const ZERO: Self = 0.0;
            const NEUTRAL: Option<Self> = Some(-0.0);

            #[inline(always)]
            fn float_sums(values: &mut [Self]) -> FloatSums<'_> {
                FloatSums::$sums(values)
            }

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self + other
            }

            #[inline(always)]
            fn adds_nothing(self) -> bool {
                self.to_bits() == (-0.0 as $float).to_bits()
            }
        }

        impl ProdElement for $float {
            const ONE: Self = 1.0;
            const NEUTRAL: Option<Self> = Some(1.0);

            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self * other
            }

            #[inline(always)]
            fn scales_nothing(self) -> bool {
                self == 1.0
            }
        }

        impl MinMaxElement for $float {
            const LARGEST: Self = $float::INFINITY;
            const LOWEST: Self = $float::NEG_INFINITY;
            const NEUTRAL_MIN: Option<Self> = Some($float::NAN);
            const NEUTRAL_MAX: Option<Self> = Some($float::NAN);
        }
    )*};
}

floats! { f32 F32 f64 F64 }

impl MinMaxElement for bool {
    const LARGEST: Self = true;
    const LOWEST: Self = false;
    const REORDERABLE: bool = true;
    const NEUTRAL_MIN: Option<Self> = Some(true);
    const NEUTRAL_MAX: Option<Self> = Some(false);
}

impl MinMaxElement for char {
    const LARGEST: Self = char::MAX;
    const LOWEST: Self = '\0';
    const REORDERABLE: bool = true;
    const NEUTRAL_MIN: Option<Self> = Some(char::MAX);
    const NEUTRAL_MAX: Option<Self> = Some('\0');
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

    #[inline(always)]
    fn has_no_bits(self) -> bool {
        !self
    }

    #[inline(always)]
    fn has_all_bits(self) -> bool {
        self
    }
}

impl LogicalElement for bool {
    const FALSE: Self = false;
    const TRUE: Self = true;
    const EXACT: bool = true;

    #[inline(always)]
    fn is_true(self) -> bool {
        self
    }
}
