//! Arithmetic and bits, lane by lane: between vectors, and with a number for all lanes.

use core::ops::{
    Add, AddAssign, BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Div, DivAssign, Mul,
    MulAssign, Neg, Not, Rem, RemAssign, Shl, ShlAssign, Shr, ShrAssign, Sub, SubAssign,
};

use crate::element::sealed::{Integer, Lane, Signed};
use crate::simd::keep_lanes_together;
use crate::{Simd, SimdElement, SimdInteger, SimdSigned};

macro_rules! operators {
    ($($bound:ident: $operator:ident::$method:ident, $assign:ident::$assign_method:ident = $lane:path;)*) => {$(
        impl<T: $bound, const N: usize> $operator for Simd<T, N> {
            type Output = Self;
            #[inline(always)]
            fn $method(mut self, other: Self) -> Self {
                keep_lanes_together::<T, N>();
                let mut lane = 0;
                while lane < N {
                    self.0[lane] = $lane(self.0[lane], other.0[lane]);
                    lane += 1;
                }
                self
            }
        }
        impl<T: $bound, const N: usize> $operator<T> for Simd<T, N> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: T) -> Self {
                $operator::$method(self, Self::splat(other))
            }
        }
        impl<T: $bound, const N: usize> $assign for Simd<T, N> {
            #[inline(always)]
            fn $assign_method(&mut self, other: Self) {
                *self = $operator::$method(*self, other);
            }
        }
        impl<T: $bound, const N: usize> $assign<T> for Simd<T, N> {
            #[inline(always)]
            fn $assign_method(&mut self, other: T) {
                *self = $operator::$method(*self, Self::splat(other));
            }
        }
    )*};
}
operators! {
    SimdElement: Add::add, AddAssign::add_assign = T::plus;
    SimdElement: Sub::sub, SubAssign::sub_assign = Lane::minus;
    SimdElement: Mul::mul, MulAssign::mul_assign = T::times;
    SimdElement: Div::div, DivAssign::div_assign = Lane::divided_by;
    SimdElement: Rem::rem, RemAssign::rem_assign = Lane::remainder;
    SimdInteger: BitAnd::bitand, BitAndAssign::bitand_assign = Integer::and;
    SimdInteger: BitOr::bitor, BitOrAssign::bitor_assign = Integer::or;
    SimdInteger: BitXor::bitxor, BitXorAssign::bitxor_assign = Integer::xor;
}

macro_rules! numbers {
    ($operator:ident::$method:ident: $($number:ident)*) => {$(
        impl<const N: usize> $operator<Simd<$number, N>> for $number {
            type Output = Simd<$number, N>;
            #[inline(always)]
            fn $method(self, other: Simd<$number, N>) -> Simd<$number, N> {
                $operator::$method(Simd::splat(self), other)
            }
        }
    )*};
}
numbers! { Add::add: f32 f64 i8 i16 i32 i64 isize u8 u16 u32 u64 usize }
numbers! { Sub::sub: f32 f64 i8 i16 i32 i64 isize u8 u16 u32 u64 usize }
numbers! { Mul::mul: f32 f64 i8 i16 i32 i64 isize u8 u16 u32 u64 usize }
numbers! { Div::div: f32 f64 i8 i16 i32 i64 isize u8 u16 u32 u64 usize }

macro_rules! shifts {
    ($($operator:ident::$method:ident, $assign:ident::$assign_method:ident = $lane:ident;)*) => {$(
        /// Shifts every lane by the same number of bits, modulo the size of a lane.
        impl<T: SimdInteger, const N: usize> $operator<u32> for Simd<T, N> {
            type Output = Self;
            #[inline(always)]
            fn $method(mut self, bits: u32) -> Self {
                keep_lanes_together::<T, N>();
                let mut lane = 0;
                while lane < N {
                    self.0[lane] = Integer::$lane(self.0[lane], bits);
                    lane += 1;
                }
                self
            }
        }
        impl<T: SimdInteger, const N: usize> $assign<u32> for Simd<T, N> {
            #[inline(always)]
            fn $assign_method(&mut self, bits: u32) {
                *self = $operator::$method(*self, bits);
            }
        }
    )*};
}
shifts! {
    Shl::shl, ShlAssign::shl_assign = left;
    Shr::shr, ShrAssign::shr_assign = right;
}

impl<T: SimdSigned, const N: usize> Neg for Simd<T, N> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.map(Signed::negated)
    }
}

impl<T: SimdInteger, const N: usize> Not for Simd<T, N> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        self.map(Integer::not)
    }
}
