//! `Sum` and `Prod`.

use crate::stateless::stateless;
use crate::{FloatSums, ProdElement, Reducer, SumElement};

stateless! {
    /// Adds values.
    ///
    /// Sums of integers wrap, also in debug builds: lanes overflow where a sequential sum would not. The running value is
    /// a plain `T`, and in a debug build the kernel's own `*sum += x[i]` panics on overflow, as usual in Rust; if an
    /// integer sum may overflow temporarily, write `*sum = sum.wrapping_add(x[i])` or sum `Wrapping<T>`.
    ///
    /// Floating-point sums start from `+0.0` and follow the canonical order of the launch: the same bits on every
    /// execution space, and an error that grows with the logarithm of the number of tiles rather than with the number of
    /// iterations. A sum of `-0.0` alone is `0.0`, but joins with values in memory begin with `-0.0`, which is neutral. NaN and
    /// infinities propagate as in IEEE 754.
    ///
    /// # Complexity
    ///
    /// One addition per join.
    ///
    /// # Source
    ///
    /// Kokkos: `Sum<T>`.
    ///
    /// # Examples
    ///
    /// ```
    /// use spelt_reducers::{Reducer, Sum};
    ///
    /// let sum = Sum::<u8>::new();
    /// let mut total = sum.init();
    /// sum.join(&mut total, &200);
    /// sum.join(&mut total, &100);
    /// assert_eq!(sum.finish(total), 44);
    /// ```
    Sum<T>
}

impl<T: SumElement> Reducer for Sum<T> {
    type Value = T;
    type Output = T;

    const EXACT: bool = T::EXACT;
    const REORDERABLE: bool = T::REORDERABLE;
    const PACKED: bool = T::PACKED;

    #[inline(always)]
    fn init(&self) -> T {
        T::ZERO
    }

    #[inline(always)]
    fn join(&self, into: &mut T, from: &T) {
        *into = into.plus(*from);
    }

    #[inline(always)]
    fn finish(&self, value: T) -> T {
        value
    }

    #[inline(always)]
    fn neutral(&self) -> Option<T> {
        T::NEUTRAL
    }

    #[inline(always)]
    fn is_neutral(&self, value: &T) -> bool {
        value.adds_nothing()
    }

    #[inline(always)]
    fn float_sums<'v>(&self, values: &'v mut [T]) -> FloatSums<'v> {
        T::float_sums(values)
    }
}

stateless! {
    /// Multiplies values.
    ///
    /// Products of integers wrap; the remarks of [`Sum`] on debug builds and rounding apply here too. NaN and
    /// infinities propagate as in IEEE 754.
    ///
    /// # Complexity
    ///
    /// One multiplication per join.
    ///
    /// # Source
    ///
    /// Kokkos: `Prod<T>`.
    ///
    /// # Examples
    ///
    /// ```
    /// use spelt_reducers::{Prod, Reducer};
    ///
    /// let product = Prod::<f64>::new();
    /// let mut total = product.init();
    /// product.join(&mut total, &1.5);
    /// product.join(&mut total, &4.0);
    /// assert_eq!(product.finish(total), 6.0);
    /// ```
    Prod<T>
}

impl<T: ProdElement> Reducer for Prod<T> {
    type Value = T;
    type Output = T;

    const EXACT: bool = T::EXACT;
    const REORDERABLE: bool = T::REORDERABLE;
    const PACKED: bool = T::PACKED;

    #[inline(always)]
    fn init(&self) -> T {
        T::ONE
    }

    #[inline(always)]
    fn join(&self, into: &mut T, from: &T) {
        *into = into.times(*from);
    }

    #[inline(always)]
    fn finish(&self, value: T) -> T {
        value
    }

    #[inline(always)]
    fn neutral(&self) -> Option<T> {
        T::NEUTRAL
    }

    #[inline(always)]
    fn is_neutral(&self, value: &T) -> bool {
        value.scales_nothing()
    }
}
