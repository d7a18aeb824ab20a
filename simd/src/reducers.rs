//! Vectors as the values of `Sum`, `Prod`, `BAnd` and `BOr`, each lane alone.
//!
//! `Min` and `Max` require an order of whole values, which vectors do not have: `Elementwise::<Min<f64>, 4>` with
//! [`Simd::to_array`] gives the extremes of each lane.

use spelt_core::reducers::{BitElement, ProdElement, SumElement};

use crate::{Simd, SimdElement, SimdInteger};

impl<T: SimdElement, const N: usize> SumElement for Simd<T, N> {
    const ZERO: Self = Self([T::ZERO; N]);
    const PACKED: bool = true;
    const EXACT: bool = <T as SumElement>::EXACT;
    const REORDERABLE: bool = <T as SumElement>::REORDERABLE;
    const NEUTRAL: Option<Self> = match <T as SumElement>::NEUTRAL {
        Some(lane) => Some(Self([lane; N])),
        None => None,
    };

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }

    #[inline(always)]
    fn adds_nothing(self) -> bool {
        self.0.adds_nothing()
    }
}

impl<T: SimdElement, const N: usize> ProdElement for Simd<T, N> {
    const ONE: Self = Self([T::ONE; N]);
    const PACKED: bool = true;
    const EXACT: bool = <T as ProdElement>::EXACT;
    const REORDERABLE: bool = <T as ProdElement>::REORDERABLE;
    const NEUTRAL: Option<Self> = match <T as ProdElement>::NEUTRAL {
        Some(lane) => Some(Self([lane; N])),
        None => None,
    };

    #[inline(always)]
    fn times(self, other: Self) -> Self {
        self * other
    }

    #[inline(always)]
    fn scales_nothing(self) -> bool {
        self.0.scales_nothing()
    }
}

impl<T: SimdInteger + BitElement, const N: usize> BitElement for Simd<T, N> {
    const NO_BITS: Self = Self([T::NO_BITS; N]);
    const ALL_BITS: Self = Self([T::ALL_BITS; N]);
    const PACKED: bool = true;
    const REORDERABLE: bool = <T as BitElement>::REORDERABLE;

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
        self.simd_eq(Self::NO_BITS).all()
    }

    #[inline(always)]
    fn has_all_bits(self) -> bool {
        self.simd_eq(Self::ALL_BITS).all()
    }
}
