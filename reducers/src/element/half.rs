//! Elements among `half`'s numbers. Sums and products round after every operation.

use half::{bf16, f16};

use super::{MinMaxElement, ProdElement, SumElement};

macro_rules! halves {
    ($($half:ident)*) => {$(
        impl SumElement for $half {
            const ZERO: Self = $half::ZERO;
            const NEUTRAL: Option<Self> = Some($half::NEG_ZERO);

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self + other
            }

            #[inline(always)]
            fn adds_nothing(self) -> bool {
                self.to_bits() == $half::NEG_ZERO.to_bits()
            }
        }

        impl ProdElement for $half {
            const ONE: Self = $half::ONE;
            const NEUTRAL: Option<Self> = Some($half::ONE);

            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self * other
            }

            #[inline(always)]
            fn scales_nothing(self) -> bool {
                self == $half::ONE
            }
        }

        impl MinMaxElement for $half {
            const LARGEST: Self = $half::INFINITY;
            const LOWEST: Self = $half::NEG_INFINITY;
            const NEUTRAL_MIN: Option<Self> = Some($half::NAN);
            const NEUTRAL_MAX: Option<Self> = Some($half::NAN);
        }
    )*};
}

halves! { f16 bf16 }
