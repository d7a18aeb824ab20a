//! `Min`, `Max` and `MinMax`: extreme values without their locations.

use crate::order::{higher, is_number, lower, select, tie};
use crate::stateless::stateless;
use crate::{MinMaxElement, Reducer};

macro_rules! extremum {
    ($(#[$meta:meta])* $name:ident, $identity:ident, $better:ident, $strictly:tt, $neutral:ident) => {
        stateless! {
            $(#[$meta])*
            $name<T>
        }

        impl<T: MinMaxElement> Reducer for $name<T> {
            type Value = T;
            type Output = T;

            const EXACT: bool = true;
            const REORDERABLE: bool = T::REORDERABLE;
            const MOSTLY_KEEPS: bool = true;
            const HAS_CONTRIBUTED: bool = true;

            #[inline(always)]
            fn init(&self) -> T {
                T::$identity
            }

            #[inline(always)]
            fn join(&self, into: &mut T, from: &T) {
                *into = select($better(*from, *into), *from, *into);
            }

            #[inline(always)]
            fn join_contributed(&self, into: &mut T, from: &T) {
                *into = select(*from $strictly *into, *from, *into);
            }

            #[inline(always)]
            fn contributed(&self, value: T) -> T {
                select(is_number(value), value, T::$identity)
            }

            #[inline(always)]
            fn is_identity(&self, value: &T) -> bool {
                *value == T::$identity
            }

            #[inline(always)]
            fn finish(&self, value: T) -> T {
                value
            }

            #[inline(always)]
            fn neutral(&self) -> Option<T> {
                T::$neutral
            }

            #[inline(always)]
            fn is_neutral(&self, value: &T) -> bool {
                T::$neutral.is_some_and(|neutral| tie(*value, neutral))
            }
        }
    };
}

extremum! {
    /// Keeps the smallest value.
    ///
    /// The running value is a plain `T`, for `if x < *min { *min = x }` or `*min = min.min(x)`. It starts from the largest
    /// value of the type, which is infinity for floats, and that is the result without contributions.
    ///
    /// NaN is ignored: a join replaces it by anything else, and the comparison above never accepts it. If all values
    /// are NaN, the result is the identity. A value in memory (a bin, an element of a scattered View) stays NaN if nothing
    /// else was contributed.
    ///
    /// `0.0` and `-0.0` are equal, and the earlier in the order of joins stays. In a scan and in index-ordered joins that
    /// is the one with the smaller index; in a reduction, whose lanes interleave, it is the earlier one in the canonical
    /// order, the same on every execution space.
    ///
    /// # Complexity
    ///
    /// One comparison per join, two for floats.
    ///
    /// # Source
    ///
    /// Kokkos: `Min<T>`, which keeps or drops NaN depending on the order of joins.
    ///
    /// # Examples
    ///
    /// ```
    /// use spelt_reducers::{Min, Reducer};
    ///
    /// let min = Min::<f64>::new();
    /// let mut lowest = min.init();
    /// for x in [3.0, f64::NAN, -1.0] {
    ///     if x < lowest {
    ///         lowest = x;
    ///     }
    /// }
    /// min.join(&mut lowest, &f64::NAN);
    /// assert_eq!(lowest, -1.0);
    /// ```
    Min, LARGEST, lower, <, NEUTRAL_MIN
}

extremum! {
    /// Keeps the largest value.
    ///
    /// The mirror image of [`Min`], also for NaN and equal zeros; it starts from the lowest value of the type, which is
    /// negative infinity for floats and 0 for unsigned integers.
    ///
    /// # Complexity
    ///
    /// One comparison per join, two for floats.
    ///
    /// # Source
    ///
    /// Kokkos: `Max<T>`.
    ///
    /// # Examples
    ///
    /// ```
    /// use spelt_reducers::{Max, Reducer};
    ///
    /// let max = Max::<i32>::new();
    /// let mut highest = max.init();
    /// max.join(&mut highest, &-7);
    /// assert_eq!(highest, -7);
    /// ```
    Max, LOWEST, higher, >, NEUTRAL_MAX
}

/// The running value and result of [`MinMax`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct MinMaxValue<T> {
    /// The smallest value.
    pub min_val: T,
    /// The largest value.
    pub max_val: T,
}

impl<T: MinMaxElement> MinMaxValue<T> {
    /// Contributes a value.
    ///
    /// NaN is ignored.
    ///
    /// # Examples
    ///
    /// ```
    /// use spelt_reducers::{MinMax, Reducer};
    ///
    /// let mut ends = MinMax::<f64>::new().init();
    /// ends.update(2.0);
    /// assert_eq!((ends.min_val, ends.max_val), (2.0, 2.0));
    /// ```
    #[inline(always)]
    pub fn update(&mut self, val: T) {
        self.min_val = select(val < self.min_val, val, self.min_val);
        // `<` on both lines: LLVM then packs the lanes of both halves (with AVX2 0.42 against 0.84 ns an element).
        self.max_val = select(self.max_val < val, val, self.max_val);
    }
}

stateless! {
    /// Keeps the smallest and the largest value.
    ///
    /// Each half is as in [`Min`] and [`Max`]. Without contributions, `min_val` is the largest value of the type
    /// and `max_val` the lowest.
    ///
    /// # Complexity
    ///
    /// Two comparisons per join, four for floats.
    ///
    /// # Source
    ///
    /// Kokkos: `MinMax<T>`.
    ///
    /// # Examples
    ///
    /// ```
    /// use spelt_reducers::{MinMax, Reducer};
    ///
    /// let mut ends = MinMax::<f64>::new().init();
    /// for x in [3.0, f64::NAN, -1.0] {
    ///     ends.update(x);
    /// }
    /// assert_eq!((ends.min_val, ends.max_val), (-1.0, 3.0));
    /// ```
    MinMax<T>
}

impl<T: MinMaxElement> Reducer for MinMax<T> {
    type Value = MinMaxValue<T>;
    type Output = MinMaxValue<T>;

    const EXACT: bool = true;
    const REORDERABLE: bool = T::REORDERABLE;
    const MOSTLY_KEEPS: bool = true;
    const HAS_CONTRIBUTED: bool = true;

    #[inline(always)]
    fn init(&self) -> MinMaxValue<T> {
        MinMaxValue { min_val: T::LARGEST, max_val: T::LOWEST }
    }

    #[inline(always)]
    fn join(&self, into: &mut MinMaxValue<T>, from: &MinMaxValue<T>) {
        into.min_val = select(lower(from.min_val, into.min_val), from.min_val, into.min_val);
        into.max_val = select(higher(from.max_val, into.max_val), from.max_val, into.max_val);
    }

    #[inline(always)]
    fn join_contributed(&self, into: &mut MinMaxValue<T>, from: &MinMaxValue<T>) {
        into.min_val = select(from.min_val < into.min_val, from.min_val, into.min_val);
        into.max_val = select(into.max_val < from.max_val, from.max_val, into.max_val);
    }

    #[inline(always)]
    fn contributed(&self, value: MinMaxValue<T>) -> MinMaxValue<T> {
        MinMaxValue {
            min_val: select(is_number(value.min_val), value.min_val, T::LARGEST),
            max_val: select(is_number(value.max_val), value.max_val, T::LOWEST),
        }
    }

    #[inline(always)]
    fn is_identity(&self, value: &MinMaxValue<T>) -> bool {
        (value.min_val == T::LARGEST) | (value.max_val == T::LOWEST)
    }

    #[inline(always)]
    fn finish(&self, value: MinMaxValue<T>) -> MinMaxValue<T> {
        value
    }

    #[inline(always)]
    fn neutral(&self) -> Option<MinMaxValue<T>> {
        Some(MinMaxValue { min_val: T::NEUTRAL_MIN?, max_val: T::NEUTRAL_MAX? })
    }

    #[inline(always)]
    fn is_neutral(&self, value: &MinMaxValue<T>) -> bool {
        self.neutral()
            .is_some_and(|neutral| tie(value.min_val, neutral.min_val) & tie(value.max_val, neutral.max_val))
    }
}
