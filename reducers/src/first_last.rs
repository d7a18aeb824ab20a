//! `FirstLoc` and `LastLoc`: where a condition holds for the first or the last time.

use crate::order::{earlier, later, select};
use crate::stateless::stateless;
use crate::{Location, Reducer};

macro_rules! located_condition {
    (
        $(#[$meta:meta])* $name:ident,
        $(#[$value_meta:meta])* $value:ident,
        $(#[$field_meta:meta])* $field:ident,
        $(#[$update_meta:meta])* update,
        $identity:ident, $closer:ident
    ) => {
        $(#[$value_meta])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[repr(C)]
        pub struct $value<L = usize> {
            $(#[$field_meta])*
            pub $field: L,
            /// Whether an update found the condition true.
            pub found: bool,
        }

        impl<L: Location> $value<L> {
            $(#[$update_meta])*
            #[inline(always)]
            pub fn update(&mut self, condition: bool, loc: L) {
                self.$field = select(condition & $closer(loc, self.$field), loc, self.$field);
                self.found |= condition;
            }

            /// The location, or `None` if the condition held nowhere.
            ///
            /// A kernel may assign the location without setting `found`, as in Kokkos: any location but the identity then
            /// counts as found.
            #[inline(always)]
            #[must_use]
            pub fn get(&self) -> Option<L> {
                (self.found | $closer(self.$field, L::$identity)).then_some(self.$field)
            }
        }

        stateless! {
            $(#[$meta])*
            $name<L = usize>
        }

        impl<L: Location> Reducer for $name<L> {
            type Value = $value<L>;
            type Output = $value<L>;

            const EXACT: bool = true;

            #[inline(always)]
            fn init(&self) -> $value<L> {
                $value { $field: L::$identity, found: false }
            }

            #[inline(always)]
            fn join(&self, into: &mut $value<L>, from: &$value<L>) {
                into.$field = select($closer(from.$field, into.$field), from.$field, into.$field);
                into.found |= from.found;
            }

            #[inline(always)]
            fn finish(&self, value: $value<L>) -> $value<L> {
                value
            }

            #[inline(always)]
            fn neutral(&self) -> Option<$value<L>> {
                Some(self.init())
            }

            #[inline(always)]
            fn is_neutral(&self, value: &$value<L>) -> bool {
                !value.found & !$closer(value.$field, L::$identity)
            }
        }
    };
}

located_condition! {
    /// Keeps the smallest location where a condition holds.
    ///
    /// Joins commute and associate to the last bit. If the condition held nowhere, the location is
    /// [`Location::MAX`], and [`get`](FirstLocValue::get) returns `None`. Nothing is skipped: every iteration runs, even
    /// after the first hit.
    ///
    /// # Complexity
    ///
    /// One comparison of locations per join, without branches.
    ///
    /// # Source
    ///
    /// Kokkos: `FirstLoc<Index>`, without the flag.
    ///
    /// # Examples
    ///
    /// ```
    /// use spelt_reducers::{FirstLoc, Reducer};
    ///
    /// let mut first = FirstLoc::<usize>::new().init();
    /// assert_eq!(first.get(), None);
    /// for (i, x) in [1, 7, 8].into_iter().enumerate() {
    ///     first.update(x > 5, i);
    /// }
    /// assert_eq!(first.get(), Some(1));
    /// ```
    FirstLoc,
    /// The running value and result of [`FirstLoc`].
    FirstLocValue,
    /// The smallest location where the condition holds, or [`Location::MAX`].
    min_loc_true,
    /// Contributes the condition at a location.
    ///
    /// # Examples
    ///
    /// ```
    /// use spelt_reducers::{FirstLoc, Reducer};
    ///
    /// let mut first = FirstLoc::<[u32; 2]>::new().init();
    /// first.update(true, [2, 0]);
    /// first.update(true, [0, 5]);
    /// first.update(false, [0, 4]);
    /// assert_eq!(first.min_loc_true, [0, 5]);
    /// ```
    update,
    MAX, earlier
}

located_condition! {
    /// Keeps the largest location where a condition holds.
    ///
    /// The mirror image of [`FirstLoc`]. If the condition held nowhere, the location is [`Location::MIN`], which for
    /// `usize` is 0, a valid location: [`get`](LastLocValue::get) distinguishes the two.
    ///
    /// # Complexity
    ///
    /// One comparison of locations per join, without branches.
    ///
    /// # Source
    ///
    /// Kokkos: `LastLoc<Index>`, without the flag.
    ///
    /// # Examples
    ///
    /// ```
    /// use spelt_reducers::{LastLoc, Reducer};
    ///
    /// let mut last = LastLoc::<usize>::new().init();
    /// assert_eq!((last.max_loc_true, last.get()), (0, None));
    /// last.update(true, 0);
    /// assert_eq!((last.max_loc_true, last.get()), (0, Some(0)));
    /// ```
    LastLoc,
    /// The running value and result of [`LastLoc`].
    LastLocValue,
    /// The largest location where the condition holds, or [`Location::MIN`].
    max_loc_true,
    /// Contributes the condition at a location.
    ///
    /// # Examples
    ///
    /// ```
    /// use spelt_reducers::{LastLoc, Reducer};
    ///
    /// let mut last = LastLoc::<usize>::new().init();
    /// last.update(true, 4);
    /// last.update(true, 2);
    /// last.update(false, 9);
    /// assert_eq!(last.max_loc_true, 4);
    /// ```
    update,
    MIN, later
}
