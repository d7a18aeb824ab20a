//! `MinMaxLoc` and `MinMaxFirstLastLoc`: both extreme values with their locations.

use crate::order::{
    earlier, higher, later, lower, select, select_unpredictable, tie, update_higher, update_lower,
};
use crate::stateless::stateless;
use crate::{Location, MinMaxElement, Reducer};

macro_rules! both_extrema {
    (
        $(#[$meta:meta])* $name:ident,
        $(#[$value_meta:meta])* $value:ident,
        max_loc: $(#[$max_loc_meta:meta])* $max_loc_identity:ident, $max_closer:ident,
        $(#[$update_meta:meta])* update
    ) => {
        $(#[$value_meta])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[repr(C)]
        pub struct $value<T, L = usize> {
            /// The smallest value.
            pub min_val: T,
            /// The largest value.
            pub max_val: T,
            /// The location of the smallest value; the smallest one if there are several.
            pub min_loc: L,
            $(#[$max_loc_meta])*
            pub max_loc: L,
        }

        impl<T: MinMaxElement, L: Location> $value<T, L> {
            $(#[$update_meta])*
            #[inline(always)]
            pub fn update(&mut self, val: T, loc: L) {
                let take = update_lower(val, self.min_val, earlier(loc, self.min_loc));
                self.min_val = select(take, val, self.min_val);
                self.min_loc = select(take, loc, self.min_loc);
                let take = update_higher(val, self.max_val, $max_closer(loc, self.max_loc));
                self.max_val = select(take, val, self.max_val);
                self.max_loc = select(take, loc, self.max_loc);
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
                $value { min_val: T::LARGEST, max_val: T::LOWEST, min_loc: L::MAX, max_loc: L::$max_loc_identity }
            }

            #[inline(always)]
            fn join(&self, into: &mut $value<T, L>, from: &$value<T, L>) {
                let take = lower(from.min_val, into.min_val)
                    | (tie(from.min_val, into.min_val) & earlier(from.min_loc, into.min_loc));
                into.min_val = select_unpredictable(take, from.min_val, into.min_val);
                into.min_loc = select_unpredictable(take, from.min_loc, into.min_loc);
                let take = higher(from.max_val, into.max_val)
                    | (tie(from.max_val, into.max_val) & $max_closer(from.max_loc, into.max_loc));
                into.max_val = select_unpredictable(take, from.max_val, into.max_val);
                into.max_loc = select_unpredictable(take, from.max_loc, into.max_loc);
            }

            #[inline(always)]
            fn finish(&self, value: $value<T, L>) -> $value<T, L> {
                value
            }

            #[inline(always)]
            fn neutral(&self) -> Option<$value<T, L>> {
                let (min_val, max_val) = (T::NEUTRAL_MIN?, T::NEUTRAL_MAX?);
                Some($value { min_val, max_val, min_loc: L::MAX, max_loc: L::$max_loc_identity })
            }

            #[inline(always)]
            fn is_neutral(&self, value: &$value<T, L>) -> bool {
                self.neutral().is_some_and(|neutral| {
                    tie(value.min_val, neutral.min_val)
                        & tie(value.max_val, neutral.max_val)
                        & !earlier(value.min_loc, neutral.min_loc)
                        & !$max_closer(value.max_loc, neutral.max_loc)
                })
            }
        }
    };
}

both_extrema! {
    /// Keeps the smallest and the largest value, each with its location.
    ///
    /// Each half is as in [`MinLoc`](crate::MinLoc) and [`MaxLoc`](crate::MaxLoc): of equal values the smallest location
    /// wins, at both ends, and NaN is ignored. If only NaN was contributed, both locations are
    /// [`Location::MAX`].
    ///
    /// # Complexity
    ///
    /// Four to six comparisons of values and two of locations per join, without branches.
    ///
    /// # Source
    ///
    /// Kokkos: `MinMaxLoc<T, Index>`, where the winner among equals depends on the order of joins.
    ///
    /// # Examples
    ///
    /// ```
    /// use spelt_reducers::{MinMaxLoc, Reducer};
    ///
    /// let x = [2.0, 1.0, 1.0, 2.0];
    /// let mut best = MinMaxLoc::<f64>::new().init();
    /// for (i, x) in x.into_iter().enumerate() {
    ///     best.update(x, i);
    /// }
    /// assert_eq!((best.min_val, best.min_loc), (1.0, 1));
    /// assert_eq!((best.max_val, best.max_loc), (2.0, 0));
    /// ```
    MinMaxLoc,
    /// The running value and result of [`MinMaxLoc`].
    MinMaxLocValue,
    max_loc:
    /// The location of the largest value; the smallest one if there are several.
    MAX, earlier,
    /// Contributes a value and its location to both ends.
    ///
    /// Ties go to the smaller location; NaN is ignored.
    ///
    /// # Examples
    ///
    /// ```
    /// use spelt_reducers::{MinMaxLoc, Reducer};
    ///
    /// let mut best = MinMaxLoc::<f32, [usize; 2]>::new().init();
    /// best.update(1.5, [3, 4]);
    /// assert_eq!((best.min_loc, best.max_loc), ([3, 4], [3, 4]));
    /// ```
    update
}

both_extrema! {
    /// Keeps the smallest value with its first location and the largest value with its last.
    ///
    /// As [`MinMaxLoc`], except that of equal largest values the largest location wins. If only NaN was
    /// contributed, `min_loc` is [`Location::MAX`] and `max_loc` is [`Location::MIN`].
    ///
    /// # Complexity
    ///
    /// Four to six comparisons of values and two of locations per join, without branches.
    ///
    /// # Source
    ///
    /// Kokkos: `MinMaxFirstLastLoc<T, Index>`; it is what C++'s `minmax_element` returns.
    ///
    /// # Examples
    ///
    /// ```
    /// use spelt_reducers::{MinMaxFirstLastLoc, Reducer};
    ///
    /// let x = [2.0, 1.0, 1.0, 2.0];
    /// let mut best = MinMaxFirstLastLoc::<f64>::new().init();
    /// for (i, x) in x.into_iter().enumerate() {
    ///     best.update(x, i);
    /// }
    /// assert_eq!((best.min_loc, best.max_loc), (1, 3));
    /// ```
    MinMaxFirstLastLoc,
    /// The running value and result of [`MinMaxFirstLastLoc`].
    MinMaxFirstLastLocValue,
    max_loc:
    /// The location of the largest value; the largest one if there are several.
    MIN, later,
    /// Contributes a value and its location to both ends.
    ///
    /// Ties go to the smaller location for the minimum, to the larger for the maximum; NaN is ignored.
    ///
    /// # Examples
    ///
    /// ```
    /// use spelt_reducers::{MinMaxFirstLastLoc, Reducer};
    ///
    /// let mut best = MinMaxFirstLastLoc::<u8>::new().init();
    /// best.update(3, 5);
    /// best.update(3, 6);
    /// assert_eq!((best.min_loc, best.max_loc), (5, 6));
    /// ```
    update
}
