//! Arrays and tuples of elements, added and multiplied part by part.

use super::{ProdElement, SumElement};

impl<T: SumElement, const N: usize> SumElement for [T; N] {
    const ZERO: Self = [T::ZERO; N];
    const EXACT: bool = T::EXACT;
    const REORDERABLE: bool = T::REORDERABLE;

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        core::array::from_fn(|part| self[part].plus(other[part]))
    }
}

impl<T: ProdElement, const N: usize> ProdElement for [T; N] {
    const ONE: Self = [T::ONE; N];
    const EXACT: bool = T::EXACT;
    const REORDERABLE: bool = T::REORDERABLE;

    #[inline(always)]
    fn times(self, other: Self) -> Self {
        core::array::from_fn(|part| self[part].times(other[part]))
    }
}

macro_rules! tuples {
    ($(($($part:ident $index:tt),+))*) => {$(
        impl<$($part: SumElement),+> SumElement for ($($part,)+) {
            const ZERO: Self = ($($part::ZERO,)+);
            const EXACT: bool = true $(&& $part::EXACT)+;
            const REORDERABLE: bool = true $(&& $part::REORDERABLE)+;

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                ($(self.$index.plus(other.$index),)+)
            }
        }

        impl<$($part: ProdElement),+> ProdElement for ($($part,)+) {
            const ONE: Self = ($($part::ONE,)+);
            const EXACT: bool = true $(&& $part::EXACT)+;
            const REORDERABLE: bool = true $(&& $part::REORDERABLE)+;

            #[inline(always)]
            fn times(self, other: Self) -> Self {
                ($(self.$index.times(other.$index),)+)
            }
        }
    )*};
}

tuples! {
    (A 0)
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
    (A 0, B 1, C 2, D 3, E 4)
    (A 0, B 1, C 2, D 3, E 4, F 5)
}
