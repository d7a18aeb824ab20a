//! The requirements on types that reducers join: identities and operations.
//!
//! Each trait serves one or two reducers, and a type implements those that make sense for it: a complex number has a sum but
//! no minimum, `bool` has a conjunction but no sum. Any crate may implement them. Kokkos has all of this in
//! `reduction_identity<T>`.

#[cfg(feature = "num-complex")]
mod complex;
mod compound;
#[cfg(feature = "half")]
mod half;
mod primitive;

/// A type whose values [`Sum`](crate::Sum) adds.
///
/// Implemented for the integers (which wrap), for `Wrapping` of them, for `f32` and `f64`, and for arrays and tuples, which are
/// added part by part. With their features, the numbers of `half` and `num-complex` have it too. Implement it for your own
/// types.
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
    /// The identity of the sum, from which sums start.
    const ZERO: Self;

    /// See [`Reducer::PACKED`](crate::Reducer::PACKED).
    #[doc(hidden)]
    const PACKED: bool = false;

    /// Whether `(a + b) + c` and `a + (b + c)` always have the same bits.
    const EXACT: bool = false;

    /// Whether in addition `a + b` and `b + a` always have the same bits.
    const REORDERABLE: bool = false;

    /// The value that, when added, never changes bits, if there is one. For floats it is `-0.0`: adding `0.0` turns `-0.0` into
    /// `0.0`. See [`Reducer::neutral`](crate::Reducer::neutral).
    const NEUTRAL: Option<Self> = None;

    /// The sum. It must not panic: those of integers wrap.
    #[must_use]
    fn plus(self, other: Self) -> Self;

    /// Whether this has the bits of [`NEUTRAL`](Self::NEUTRAL).
    #[inline(always)]
    #[must_use]
    fn adds_nothing(self) -> bool {
        false
    }

    /// See [`Reducer::float_sums`](crate::Reducer::float_sums).
    #[doc(hidden)]
    #[inline(always)]
    fn float_sums(_values: &mut [Self]) -> crate::FloatSums<'_> {
        crate::FloatSums::Others
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
    /// The identity of the product, from which products start.
    const ONE: Self;

    /// See [`Reducer::PACKED`](crate::Reducer::PACKED).
    #[doc(hidden)]
    const PACKED: bool = false;

    /// Whether `(a * b) * c` and `a * (b * c)` always have the same bits.
    const EXACT: bool = false;

    /// Whether in addition `a * b` and `b * a` always have the same bits.
    const REORDERABLE: bool = false;

    /// The value that, when multiplied, never changes bits, if there is one.
    /// See [`Reducer::neutral`](crate::Reducer::neutral).
    const NEUTRAL: Option<Self> = None;

    /// The product. It must not panic: those of integers wrap.
    #[must_use]
    fn times(self, other: Self) -> Self;

    /// Whether this has the bits of [`NEUTRAL`](Self::NEUTRAL).
    #[inline(always)]
    #[must_use]
    fn scales_nothing(self) -> bool {
        false
    }
}

/// A type whose values have an order, with a lowest and a largest value, for [`Min`](crate::Min) and [`Max`](crate::Max).
///
/// Implemented for the integers, `bool`, `char`, `f32` and `f64`, and with the feature `half` for its numbers. Implement
/// it for your own types. The order must be total. Values that are not equal to themselves, such as NaN, need no place in it: the
/// reducers ignore them.
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
    /// The identity of a minimum: no value is larger. It is equal to itself.
    const LARGEST: Self;

    /// The identity of a maximum: no value is lower. It is equal to itself.
    const LOWEST: Self;

    /// Whether values always have the same bits unless one is lower, so that no order of joins changes a bit. Those of floats do not:
    /// `0.0` and `-0.0` are equal.
    const REORDERABLE: bool = false;

    /// The value that a minimum replaces by any other: NaN if the type has one, else the largest value.
    /// See [`Reducer::neutral`](crate::Reducer::neutral).
    const NEUTRAL_MIN: Option<Self> = None;

    /// The value that a maximum replaces by any other: NaN if the type has one, else the lowest value.
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
    /// The identity of `or`: all bits are 0.
    const NO_BITS: Self;

    /// The identity of `and`: all bits are 1.
    const ALL_BITS: Self;

    /// See [`Reducer::PACKED`](crate::Reducer::PACKED).
    #[doc(hidden)]
    const PACKED: bool = false;

    /// Whether `a | b` and `b | a`, and `a & b` and `b & a`, always have the same bits.
    const REORDERABLE: bool = false;

    /// The bits that are 1 in both.
    #[must_use]
    fn and(self, other: Self) -> Self;

    /// The bits that are 1 in at least one.
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
/// Implemented for `bool` and for the integers. As in C++, zero is false and every other integer is true. The result of a
/// reduction of integers is 0 or 1.
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

    /// Whether [`FALSE`](Self::FALSE) and [`TRUE`](Self::TRUE) are the only values of the type. Integers have others: 2 also counts
    /// as true, and a join may turn it into 1.
    const EXACT: bool = false;

    /// Whether the value counts as true.
    #[must_use]
    fn is_true(self) -> bool;
}
