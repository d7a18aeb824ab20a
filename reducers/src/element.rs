//! What a type needs to be reduced: its identities, and the operations that join.
//!
//! One small trait per pair of reducers, so that a type offers just what makes sense for it: a complex number has a sum
//! but no minimum, `bool` has a conjunction but no sum. The traits are open; together they are what Kokkos calls
//! `reduction_identity<T>`.

#[cfg(feature = "num-complex")]
mod complex;
mod compound;
#[cfg(feature = "half")]
mod half;
mod primitive;

/// A type whose values [`Sum`](crate::Sum) adds.
///
/// Implemented for the integers (which wrap), `Wrapping` of them, `f32`, `f64`, and arrays and tuples of elements, part
/// by part; with features, for `half`'s and `num-complex`'s numbers. Implement it for your own types.
///
/// # Source
///
/// Kokkos: `reduction_identity<T>::sum()`.
///
/// # Examples
///
/// ```
/// use spelt_reducers::{Reducer, Sum, SumElement};
///
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// struct Charge {
///     coulomb: f64,
/// }
///
/// impl SumElement for Charge {
///     const ZERO: Self = Charge { coulomb: 0.0 };
///     fn plus(self, other: Self) -> Self {
///         Charge { coulomb: self.coulomb + other.coulomb }
///     }
/// }
///
/// let sum = Sum::<Charge>::new();
/// let mut total = sum.init();
/// sum.join(&mut total, &Charge { coulomb: 1.5 });
/// assert_eq!(total.coulomb, 1.5);
/// ```
pub trait SumElement: Copy {
    /// The value that adds nothing.
    const ZERO: Self;

    /// Whether `plus` is associative to the last bit.
    const EXACT: bool = false;

    /// Whether the order of the operands never changes a bit either.
    const REORDERABLE: bool = false;

    /// The value that adds nothing to the bit: `-0.0` for floats. See [`Reducer::neutral`](crate::Reducer::neutral).
    const NEUTRAL: Option<Self> = None;

    /// The sum; must not panic, so integers wrap.
    #[must_use]
    fn plus(self, other: Self) -> Self;

    /// Whether this is [`NEUTRAL`](Self::NEUTRAL), to the bit.
    #[inline(always)]
    #[must_use]
    fn adds_nothing(self) -> bool {
        false
    }
}

/// A type whose values [`Prod`](crate::Prod) multiplies.
///
/// Implemented for the types that have [`SumElement`]. Implement it for your own types.
///
/// # Source
///
/// Kokkos: `reduction_identity<T>::prod()`.
///
/// # Examples
///
/// ```
/// use spelt_reducers::{Prod, ProdElement, Reducer};
///
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// struct Zoom(f32);
///
/// impl ProdElement for Zoom {
///     const ONE: Self = Zoom(1.0);
///     fn times(self, other: Self) -> Self {
///         Zoom(self.0 * other.0)
///     }
/// }
///
/// let product = Prod::<Zoom>::new();
/// let mut total = product.init();
/// product.join(&mut total, &Zoom(2.5));
/// assert_eq!(total, Zoom(2.5));
/// ```
pub trait ProdElement: Copy {
    /// The value that scales nothing.
    const ONE: Self;

    /// Whether `times` is associative to the last bit.
    const EXACT: bool = false;

    /// Whether the order of the operands never changes a bit either.
    const REORDERABLE: bool = false;

    /// The value that scales nothing to the bit. See [`Reducer::neutral`](crate::Reducer::neutral).
    const NEUTRAL: Option<Self> = None;

    /// The product; must not panic, so integers wrap.
    #[must_use]
    fn times(self, other: Self) -> Self;

    /// Whether this is [`NEUTRAL`](Self::NEUTRAL), to the bit.
    #[inline(always)]
    #[must_use]
    fn scales_nothing(self) -> bool {
        false
    }
}

/// A type that has a minimum and a maximum: an order, and a value at either end of it.
///
/// Implemented for the integers, `bool`, `char`, `f32` and `f64`, and with the feature `half` for its numbers. Implement
/// it for your own types. The order must be total, except for values that are unequal to themselves (NaN): the reducers
/// ignore those.
///
/// # Source
///
/// Kokkos: `reduction_identity<T>::min()` and `::max()`; the ends for floats are infinite, as in Kokkos 5.
///
/// # Examples
///
/// ```
/// use spelt_reducers::{MinMaxElement, Max, Reducer};
///
/// #[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
/// struct Kelvin(f64);
///
/// impl MinMaxElement for Kelvin {
///     const LARGEST: Self = Kelvin(f64::INFINITY);
///     const LOWEST: Self = Kelvin(0.0);
/// }
///
/// assert_eq!(Max::<Kelvin>::new().init(), Kelvin(0.0));
/// ```
pub trait MinMaxElement: Copy + PartialOrd {
    /// The identity of a minimum: no value is larger.
    const LARGEST: Self;

    /// The identity of a maximum: no value is lower.
    const LOWEST: Self;

    /// What a minimum drops for any other value: NaN if the type has one, else the largest value.
    /// See [`Reducer::neutral`](crate::Reducer::neutral).
    const NEUTRAL_MIN: Option<Self> = None;

    /// What a maximum drops for any other value: NaN if the type has one, else the lowest value.
    const NEUTRAL_MAX: Option<Self> = None;
}

/// A type whose bits [`BAnd`](crate::BAnd) and [`BOr`](crate::BOr) combine.
///
/// Implemented for the integers and `bool`. Implement it for your own types, such as bit flags.
///
/// # Source
///
/// Kokkos: `reduction_identity<T>::band()` and `::bor()`.
///
/// # Examples
///
/// ```
/// use spelt_reducers::{BAnd, BitElement, Reducer};
///
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// struct Flags(u32);
///
/// impl BitElement for Flags {
///     const NO_BITS: Self = Flags(0);
///     const ALL_BITS: Self = Flags(!0);
///     fn and(self, other: Self) -> Self {
///         Flags(self.0 & other.0)
///     }
///     fn or(self, other: Self) -> Self {
///         Flags(self.0 | other.0)
///     }
/// }
///
/// let common = BAnd::<Flags>::new();
/// let mut value = common.init();
/// common.join(&mut value, &Flags(6));
/// common.join(&mut value, &Flags(3));
/// assert_eq!(value, Flags(2));
/// ```
pub trait BitElement: Copy {
    /// The identity of `or`: no bit set.
    const NO_BITS: Self;

    /// The identity of `and`: every bit set.
    const ALL_BITS: Self;

    /// Whether the order of the operands never changes a bit.
    const REORDERABLE: bool = false;

    /// The bits set in both.
    #[must_use]
    fn and(self, other: Self) -> Self;

    /// The bits set in either.
    #[must_use]
    fn or(self, other: Self) -> Self;

    /// Whether this is [`NO_BITS`](Self::NO_BITS). See [`Reducer::is_neutral`](crate::Reducer::is_neutral).
    #[inline(always)]
    #[must_use]
    fn has_no_bits(self) -> bool {
        false
    }

    /// Whether this is [`ALL_BITS`](Self::ALL_BITS).
    #[inline(always)]
    #[must_use]
    fn has_all_bits(self) -> bool {
        false
    }
}

/// A type that [`LAnd`](crate::LAnd) and [`LOr`](crate::LOr) read as true or false.
///
/// Implemented for `bool` and, as in C++, for the integers: zero is false, all else is true, and the result of a
/// reduction is 0 or 1.
///
/// # Source
///
/// Kokkos: `reduction_identity<T>::land()` and `::lor()`.
///
/// # Examples
///
/// ```
/// use spelt_reducers::{LAnd, LogicalElement, Reducer};
///
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// enum Check {
///     Passed,
///     Failed,
/// }
///
/// impl LogicalElement for Check {
///     const FALSE: Self = Check::Failed;
///     const TRUE: Self = Check::Passed;
///     fn is_true(self) -> bool {
///         self == Check::Passed
///     }
/// }
///
/// let all = LAnd::<Check>::new();
/// let mut value = all.init();
/// all.join(&mut value, &Check::Failed);
/// assert_eq!(all.finish(value), Check::Failed);
/// ```
pub trait LogicalElement: Copy {
    /// The identity of a disjunction.
    const FALSE: Self;

    /// The identity of a conjunction.
    const TRUE: Self;

    /// Whether there are no other values than these two, so that joins never change one for another that means the same.
    const EXACT: bool = false;

    /// Whether the value counts as true.
    #[must_use]
    fn is_true(self) -> bool;
}
