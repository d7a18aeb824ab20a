//! Elements among `half`'s numbers. Sums and products round after every operation.

use half::{bf16, f16};

use super::{MinMaxElement, ProdElement, SumElement};

macro_rules! halves {
    ($($half:ident)*) => {$(
        impl SumElement for $half {
            const ZERO: Self = $half::ZERO;

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self + other
            }
        }

        impl ProdElement for $half {
            const ONE: Self = $half::ONE;

            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self * other
            }
        }

        impl MinMaxElement for $half {
            const LARGEST: Self = $half::INFINITY;
            const LOWEST: Self = $half::NEG_INFINITY;
        }
    )*};
}

halves! { f16 bf16 }
