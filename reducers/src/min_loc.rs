//! `MinLoc` and `MaxLoc`: an extreme value with its location.

use crate::order::{earlier, higher, lower, select, tie, update_higher, update_lower};
use crate::stateless::stateless;
use crate::{Location, MinMaxElement, Reducer};

macro_rules! located_extremum {
    (
        $(#[$meta:meta])* $name:ident,
        $(#[$value_meta:meta])* $value:ident,
        $(#[$update_meta:meta])* update,
        $identity:ident, $better:ident, $update_better:ident, $neutral:ident
    ) => {
        $(#[$value_meta])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[repr(C)]
        pub struct $value<T, L = usize> {
            /// The extreme value.
            pub val: T,
            /// Its location; the smallest one if there are several.
            pub loc: L,
        }

        impl<T: MinMaxElement, L: Location> $value<T, L> {
            $(#[$update_meta])*
            #[inline(always)]
            pub fn update(&mut self, val: T, loc: L) {
                let take = $update_better(val, self.val, earlier(loc, self.loc));
                self.val = select(take, val, self.val);
                self.loc = select(take, loc, self.loc);
            }
        }

        stateless! {
            $(#[$meta])*
            $name<T, L = usize>
        }

        impl<T: MinMaxElement, L: Location> Reducer for $name<T, L> {
            type Value = $value<T, L>;
            type Output = $value<T, L>;

            const EXACT: bool = true;
            // The value, or both, are in the first word, before the locations.
            const HALF_WORDS: u32 = (size_of::<T>() == 4) as u32;

            #[inline(always)]
            fn init(&self) -> $value<T, L> {
                $value { val: T::$identity, loc: L::MAX }
            }

            #[inline(always)]
            fn join(&self, into: &mut $value<T, L>, from: &$value<T, L>) {
                let take = $better(from.val, into.val) | (tie(from.val, into.val) & earlier(from.loc, into.loc));
                into.val = select(take, from.val, into.val);
                into.loc = select(take, from.loc, into.loc);
            }

            #[inline(always)]
            fn finish(&self, value: $value<T, L>) -> $value<T, L> {
                value
            }

            #[inline(always)]
            fn neutral(&self) -> Option<$value<T, L>> {
                Some($value { val: T::$neutral?, loc: L::MAX })
            }

            #[inline(always)]
            fn is_neutral(&self, value: &$value<T, L>) -> bool {
                T::$neutral.is_some_and(|neutral| tie(value.val, neutral)) & !earlier(value.loc, L::MAX)
            }
        }
    };
}

located_extremum! {
    /// Keeps the smallest value and its location.
    ///
    /// Of equal values the one with the smallest location wins, for any order of contributions and joins; `0.0` and
    /// `-0.0` are equal. NaN is ignored. If only NaN was contributed, the result is the identity: the largest
    /// value of the type, which is infinity for floats, at [`Location::MAX`]. Contributions equal to that value still
    /// give their location.
    ///
    /// Joins commute and associate to the last bit, as long as no location is contributed twice.
    ///
    /// Kernels contribute with [`update`](MinLocValue::update). A kernel that assigns the fields itself must keep NaN out:
    /// updates would keep it, and lose later values, until a join replaces it.
    ///
    /// # Complexity
    ///
    /// Two or three comparisons of values and one of locations per join, without branches.
    ///
    /// # Source
    ///
    /// Kokkos: `MinLoc<T, Index>`, where the winner among equals depends on the order of joins, and `MinFirstLoc`.
    ///
    /// # Examples
    ///
    /// ```
    /// use spelt_reducers::{MinLoc, Reducer};
    ///
    /// let x = [4.0, 1.0, f64::NAN, 1.0];
    /// let mut best = MinLoc::<f64>::new().init();
    /// for i in (0..x.len()).rev() {
    ///     best.update(x[i], i);
    /// }
    /// assert_eq!((best.val, best.loc), (1.0, 1));
    /// ```
    MinLoc,
    /// The running value and result of [`MinLoc`].
    MinLocValue,
    /// Contributes a value and its location.
    ///
    /// Takes both if the value is lower, or equal at a smaller location; ignores NaN.
    ///
    /// # Examples
    ///
    /// ```
    /// use spelt_reducers::{MinLoc, Reducer};
    ///
    /// let mut best = MinLoc::<i32>::new().init();
    /// best.update(i32::MAX, 7);
    /// assert_eq!(best.loc, 7);
    /// ```
    update,
    LARGEST, lower, update_lower, NEUTRAL_MIN
}

located_extremum! {
    /// Keeps the largest value and its location.
    ///
    /// Of equal values the one with the smallest location wins, as in [`MinLoc`], of which this is otherwise the mirror
    /// image. If only NaN was contributed, the result is the lowest value of the type, which is negative
    /// infinity for floats, at [`Location::MAX`].
    ///
    /// # Complexity
    ///
    /// Two or three comparisons of values and one of locations per join, without branches.
    ///
    /// # Source
    ///
    /// Kokkos: `MaxLoc<T, Index>`, where the winner among equals depends on the order of joins, and `MaxFirstLoc`.
    ///
    /// # Examples
    ///
    /// ```
    /// use spelt_reducers::{MaxLoc, Reducer};
    ///
    /// let mut best = MaxLoc::<u32, [usize; 2]>::new().init();
    /// best.update(5, [1, 0]);
    /// best.update(5, [0, 9]);
    /// assert_eq!((best.val, best.loc), (5, [0, 9]));
    /// ```
    MaxLoc,
    /// The running value and result of [`MaxLoc`].
    MaxLocValue,
    /// Contributes a value and its location.
    ///
    /// Takes both if the value is higher, or equal at a smaller location; ignores NaN.
    ///
    /// # Examples
    ///
    /// ```
    /// use spelt_reducers::{MaxLoc, Reducer};
    ///
    /// let mut best = MaxLoc::<u32>::new().init();
    /// best.update(0, 7);
    /// assert_eq!(best.loc, 7);
    /// ```
    update,
    LOWEST, higher, update_higher, NEUTRAL_MAX
}

/// Kokkos's name for [`MinLoc`], which already promises the smallest location.
pub type MinFirstLoc<T, L = usize> = MinLoc<T, L>;

/// Kokkos's name for [`MaxLoc`], which already promises the smallest location.
pub type MaxFirstLoc<T, L = usize> = MaxLoc<T, L>;
