//! Arrays and tuples of elements, added and multiplied part by part.

use super::{ProdElement, SumElement};

impl<T: SumElement, const N: usize> SumElement for [T; N] {
    const ZERO: Self = [T::ZERO; N];
    const EXACT: bool = T::EXACT;
    const REORDERABLE: bool = T::REORDERABLE;
    const NEUTRAL: Option<Self> = match T::NEUTRAL {
        Some(part) => Some([part; N]),
        None => None,
    };

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        core::array::from_fn(|part| self[part].plus(other[part]))
    }

    #[inline(always)]
    fn adds_nothing(self) -> bool {
        self.into_iter().all(T::adds_nothing)
    }
}

impl<T: ProdElement, const N: usize> ProdElement for [T; N] {
    const ONE: Self = [T::ONE; N];
    const EXACT: bool = T::EXACT;
    const REORDERABLE: bool = T::REORDERABLE;
    const NEUTRAL: Option<Self> = match T::NEUTRAL {
        Some(part) => Some([part; N]),
        None => None,
    };

    #[inline(always)]
    fn times(self, other: Self) -> Self {
        core::array::from_fn(|part| self[part].times(other[part]))
    }

    #[inline(always)]
    fn scales_nothing(self) -> bool {
        self.into_iter().all(T::scales_nothing)
    }
}

macro_rules! tuples {
    ($(($($part:ident $value:ident $index:tt),+))*) => {$(
        impl<$($part: SumElement),+> SumElement for ($($part,)+) {
            const ZERO: Self = ($($part::ZERO,)+);
            const EXACT: bool = true $(&& $part::EXACT)+;
            const REORDERABLE: bool = true $(&& $part::REORDERABLE)+;
            const NEUTRAL: Option<Self> = match ($($part::NEUTRAL,)+) {
                ($(Some($value),)+) => Some(($($value,)+)),
                _ => None,
            };

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                ($(self.$index.plus(other.$index),)+)
            }

            #[inline(always)]
            fn adds_nothing(self) -> bool {
                true $(& self.$index.adds_nothing())+
            }
        }

        impl<$($part: ProdElement),+> ProdElement for ($($part,)+) {
            const ONE: Self = ($($part::ONE,)+);
            const EXACT: bool = true $(&& $part::EXACT)+;
            const REORDERABLE: bool = true $(&& $part::REORDERABLE)+;
            const NEUTRAL: Option<Self> = match ($($part::NEUTRAL,)+) {
                ($(Some($value),)+) => Some(($($value,)+)),
                _ => None,
            };

            #[inline(always)]
            fn times(self, other: Self) -> Self {
                ($(self.$index.times(other.$index),)+)
            }

            #[inline(always)]
            fn scales_nothing(self) -> bool {
                true $(& self.$index.scales_nothing())+
            }
        }
    )*};
}

tuples! {
    (A a 0)
    (A a 0, B b 1)
    (A a 0, B b 1, C c 2)
    (A a 0, B b 1, C c 2, D d 3)
    (A a 0, B b 1, C c 2, D d 3, E e 4)
    (A a 0, B b 1, C c 2, D d 3, E e 4, F f 5)
}
