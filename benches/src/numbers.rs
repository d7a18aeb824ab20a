//! The element types and the numbers that all contenders work on.

use core::fmt::{Debug, Display};
use core::ops::{AddAssign, Mul};

use spelt::Element;
use spelt::reducers::{MinMaxElement, SumElement};

use crate::limit::Wide;

/// A type that the cases run in.
pub trait Number:
    Element
    + Wide
    + SumElement
    + MinMaxElement
    + ndarray::LinalgScalar
    + AddAssign
    + Mul<Output = Self>
    + core::iter::Sum
    + Debug
    + Display
{
    /// Its name in the Kokkos peer and in tables.
    const NAME: &'static str;
    /// The distance from 1 to the next number, 0 for integers.
    const EPSILON: f64;
    /// A number of the sequence.
    fn element(i: usize) -> Self;
    /// A small integer.
    fn small(value: u8) -> Self;
    /// As `f64`, for comparing.
    fn wide(self) -> f64;
    /// The type's own minimum.
    fn least(self, other: Self) -> Self;
    /// The type's own maximum.
    fn most(self, other: Self) -> Self;
}

/// A Weyl sequence (Knuth 3, 6.4), as in the Kokkos peer: 24 bits, evenly spread, the same on every machine.
fn bits(i: usize) -> u64 {
    (i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40
}

macro_rules! floats {
    ($($type:ident)*) => {$(
        impl Number for $type {
            const NAME: &'static str = stringify!($type);
            const EPSILON: f64 = $type::EPSILON as f64;
            fn element(i: usize) -> Self {
                bits(i) as $type / (1 << 24) as $type
            }
            fn small(value: u8) -> Self {
                $type::from(value)
            }
            fn wide(self) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn least(self, other: Self) -> Self {
                self.min(other)
            }
            #[inline(always)]
            fn most(self, other: Self) -> Self {
                self.max(other)
            }
        }
    )*};
}
floats!(f32 f64);

impl Number for i64 {
    const NAME: &'static str = "i64";
    const EPSILON: f64 = 0.0;
    /// 10 bits, so that no sum overflows.
    fn element(i: usize) -> Self {
        (bits(i) >> 14) as i64
    }
    fn small(value: u8) -> Self {
        i64::from(value)
    }
    fn wide(self) -> f64 {
        self as f64
    }
    #[inline(always)]
    fn least(self, other: Self) -> Self {
        self.min(other)
    }
    #[inline(always)]
    fn most(self, other: Self) -> Self {
        self.max(other)
    }
}

/// Whether a sum of `n` positive terms is right: within the worst case of `n` roundings of `T`, equal for integers.
///
/// # Errors
/// With both values.
pub fn near<T: Number>(what: &str, got: T, want: f64, n: usize) -> Result<(), String> {
    let bound = want.abs() * n as f64 * T::EPSILON;
    // Written so that NaN is wrong.
    let right = (got.wide() - want).abs() <= bound;
    if !right {
        return Err(format!("{what} is {got}, not {want} within {bound:e}"));
    }
    Ok(())
}

/// Whether two values are the same.
///
/// # Errors
/// With both values.
pub fn same<T: PartialEq + Debug>(what: &str, got: T, want: T) -> Result<(), String> {
    if got == want { Ok(()) } else { Err(format!("{what} is {got:?}, not {want:?}")) }
}
