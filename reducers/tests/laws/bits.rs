//! Bit equality, the edge values of floats, and strategies that like them.

use proptest::prelude::*;
use spelt_reducers::{
    ColumnsValue, FirstLocValue, LastLocValue, MaxLocValue, MinLocValue, MinMaxFirstLastLocValue,
    MinMaxLocValue, MinMaxValue,
};

/// The bits of a value, in a form that compares and prints.
pub(crate) trait Bits {
    fn bits(&self) -> Vec<u128>;
}

macro_rules! integers {
    ($($int:ident)*) => {$(
        impl Bits for $int {
            fn bits(&self) -> Vec<u128> {
                vec![*self as u128]
            }
        }
        impl Bits for core::num::Wrapping<$int> {
            fn bits(&self) -> Vec<u128> {
                vec![self.0 as u128]
            }
        }
    )*};
}

integers! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize }

macro_rules! floats {
    ($($float:ty)*) => {$(
        impl Bits for $float {
            fn bits(&self) -> Vec<u128> {
                vec![u128::from(self.to_bits())]
            }
        }
    )*};
}

floats! { f32 f64 }

#[cfg(feature = "half")]
floats! { half::f16 half::bf16 }

impl Bits for bool {
    fn bits(&self) -> Vec<u128> {
        vec![u128::from(*self)]
    }
}

impl Bits for String {
    fn bits(&self) -> Vec<u128> {
        self.bytes().map(u128::from).collect()
    }
}

impl<T: Bits, const N: usize> Bits for [T; N] {
    fn bits(&self) -> Vec<u128> {
        self.iter().flat_map(Bits::bits).collect()
    }
}

impl<T: Bits> Bits for Vec<T> {
    fn bits(&self) -> Vec<u128> {
        self.iter().flat_map(Bits::bits).collect()
    }
}

impl<T: Bits> Bits for ColumnsValue<T> {
    fn bits(&self) -> Vec<u128> {
        self.iter().flat_map(Bits::bits).collect()
    }
}

impl<T: Bits> Bits for Option<T> {
    fn bits(&self) -> Vec<u128> {
        self.as_ref().map_or(vec![], |some| [vec![1], some.bits()].concat())
    }
}

impl<A: Bits, B: Bits> Bits for (A, B) {
    fn bits(&self) -> Vec<u128> {
        [self.0.bits(), self.1.bits()].concat()
    }
}

impl<A: Bits, B: Bits, C: Bits> Bits for (A, B, C) {
    fn bits(&self) -> Vec<u128> {
        [self.0.bits(), self.1.bits(), self.2.bits()].concat()
    }
}

macro_rules! structs {
    ($($name:ident<$($param:ident),+> { $($field:ident),+ })*) => {$(
        impl<$($param: Bits),+> Bits for $name<$($param),+> {
            fn bits(&self) -> Vec<u128> {
                [$(self.$field.bits()),+].concat()
            }
        }
    )*};
}

structs! {
    MinMaxValue<T> { min_val, max_val }
    MinLocValue<T, L> { val, loc }
    MaxLocValue<T, L> { val, loc }
    MinMaxLocValue<T, L> { min_val, max_val, min_loc, max_loc }
    MinMaxFirstLastLocValue<T, L> { min_val, max_val, min_loc, max_loc }
    FirstLocValue<L> { min_loc_true, found }
    LastLocValue<L> { max_loc_true, found }
}

/// Values at which comparisons and rounding change their mind. Unit: none. Source: IEEE 754.
pub(crate) const EDGES: [f64; 16] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::MAX,
    f64::MIN,
    f64::MIN_POSITIVE,
    -f64::MIN_POSITIVE,
    5e-324,
    -5e-324,
    f64::EPSILON,
    1e16,
    f64::NAN,
    -f64::NAN,
];

/// Any float, with every other one an edge value, so that ties and NaN are common.
pub(crate) fn any_float() -> impl Strategy<Value = f64> {
    prop_oneof![prop::sample::select(&EDGES[..]), any::<u64>().prop_map(f64::from_bits)]
}

/// As [`any_float`], without NaN.
pub(crate) fn any_number() -> impl Strategy<Value = f64> {
    any_float().prop_map(|x| if x.is_nan() { 0.5 } else { x })
}
