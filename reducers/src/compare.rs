//! `MinBy`, `MinLocBy` and the like: extrema under a user-defined order.
//!
//! The running value is an `Option` that starts as `None`, because an order given by a closure has no largest value to start
//! from. (Kokkos starts from the numeric identities, which remain the result under a descending order.)

use core::cmp::Ordering;
use core::marker::PhantomData;

use crate::order::{earlier, later};
use crate::{
    Location, MaxLocValue, MinLocValue, MinMaxFirstLastLocValue, MinMaxLocValue, MinMaxValue, Reducer,
};

/// Defines a reducer that holds a comparison; `$join` joins two present values.
macro_rules! compared {
    (
        $(#[$meta:meta])* $name:ident<T, F $(, $loc:ident)?>, $value:ty,
        update: ($($arg:ident: $arg_type:ty),+) $single:expr,
        join: |$compare:ident, $into:ident, $from:ident| $join:block
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy)]
        pub struct $name<T, F $(, $loc = usize)?> {
            compare: F,
            types: PhantomData<fn() -> (T, $($loc)?)>,
        }

        impl<T, F $(, $loc)?> $name<T, F $(, $loc)?>
        where
            T: Copy,
            F: Fn(&T, &T) -> Ordering,
            $($loc: Location,)?
        {
            /// Makes the reducer from a comparison, such as `|a, b| b.cmp(a)` for a descending order.
            #[inline(always)]
            #[must_use]
            pub const fn new(compare: F) -> Self {
                Self { compare, types: PhantomData }
            }

            /// Contributes to a running value; the same as joining this one contribution.
            #[inline(always)]
            pub fn update(&self, value: &mut Option<$value>, $($arg: $arg_type),+) {
                self.join(value, &Some($single));
            }
        }

        impl<T, F $(, $loc)?> Reducer for $name<T, F $(, $loc)?>
        where
            T: Copy,
            F: Fn(&T, &T) -> Ordering,
            $($loc: Location,)?
        {
            type Value = Option<$value>;
            type Output = Option<$value>;

            #[inline(always)]
            fn init(&self) -> Option<$value> {
                None
            }

            #[inline(always)]
            fn join(&self, into: &mut Option<$value>, from: &Option<$value>) {
                match (into.as_mut(), from) {
                    (Some($into), Some($from)) => {
                        let $compare = &self.compare;
                        $join
                    }
                    (None, _) => *into = *from,
                    (Some(_), None) => {}
                }
            }

            #[inline(always)]
            fn finish(&self, value: Option<$value>) -> Option<$value> {
                value
            }

            #[inline(always)]
            fn neutral(&self) -> Option<Option<$value>> {
                Some(None)
            }

            #[inline(always)]
            fn is_neutral(&self, value: &Option<$value>) -> bool {
                value.is_none()
            }
        }

        impl<T, F $(, $loc)?> core::fmt::Debug for $name<T, F $(, $loc)?> {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(stringify!($name))
            }
        }
    };
}

/// Whether `new` replaces `kept`: it is less, or equal and `closer` decides the tie in its favour.
#[inline(always)]
fn wins(order: Ordering, closer: bool) -> bool {
    (order == Ordering::Less) | ((order == Ordering::Equal) & closer)
}

compared! {
    /// Keeps the value that compares least.
    ///
    /// The result is `None` without contributions. Of values that compare equal the earlier in the order of joins
    /// stays; if that matters, [`MinLocBy`] decides by location. NaN is ordered by the comparison
    /// (`f64::total_cmp` puts it at the ends).
    ///
    /// The comparison must be a total order. No code relies on this: scans follow the canonical order, so that even a comparison
    /// that is not an order gives the same bits on every execution space.
    ///
    /// # Panics
    ///
    /// If the comparison panics.
    ///
    /// # Complexity
    ///
    /// One comparison per join.
    ///
    /// # Source
    ///
    /// C++'s `min_element` with a comparison; Kokkos has it for the first/last reducers only.
    ///
    /// # Examples
    ///
    /// ```
    /// use spelt_reducers::{MinBy, Reducer};
    ///
    /// let longest = MinBy::new(|a: &&str, b: &&str| b.len().cmp(&a.len()));
    /// let mut best = longest.init();
    /// longest.update(&mut best, "oat");
    /// longest.update(&mut best, "spelt");
    /// assert_eq!(best, Some("spelt"));
    /// ```
    MinBy<T, F>, T,
    update: (val: T) val,
    join: |compare, into, from| {
        if compare(from, into) == Ordering::Less {
            *into = *from;
        }
    }
}

compared! {
    /// Keeps the value that compares greatest.
    ///
    /// Otherwise as [`MinBy`]; of values that compare equal the earlier in the order of joins stays.
    ///
    /// # Examples
    ///
    /// ```
    /// use spelt_reducers::{MaxBy, Reducer};
    ///
    /// let farthest = MaxBy::new(|a: &i32, b: &i32| a.abs().cmp(&b.abs()));
    /// let mut best = farthest.init();
    /// farthest.update(&mut best, 3);
    /// farthest.update(&mut best, -8);
    /// assert_eq!(best, Some(-8));
    /// ```
    MaxBy<T, F>, T,
    update: (val: T) val,
    join: |compare, into, from| {
        if compare(from, into) == Ordering::Greater {
            *into = *from;
        }
    }
}

compared! {
    /// Keeps the values that compare least and greatest.
    ///
    /// Each half as [`MinBy`] and [`MaxBy`].
    ///
    /// # Examples
    ///
    /// ```
    /// use spelt_reducers::{MinMaxBy, Reducer};
    ///
    /// let ends = MinMaxBy::new(f64::total_cmp);
    /// let mut value = ends.init();
    /// ends.update(&mut value, 0.0);
    /// ends.update(&mut value, -0.0);
    /// assert!(value.unwrap().min_val.is_sign_negative());
    /// ```
    MinMaxBy<T, F>, MinMaxValue<T>,
    update: (val: T) MinMaxValue { min_val: val, max_val: val },
    join: |compare, into, from| {
        if compare(&from.min_val, &into.min_val) == Ordering::Less {
            into.min_val = from.min_val;
        }
        if compare(&from.max_val, &into.max_val) == Ordering::Greater {
            into.max_val = from.max_val;
        }
    }
}

compared! {
    /// Keeps the value that compares least, and its location.
    ///
    /// As [`MinBy`], except that of values that compare equal the one with the smallest location wins, regardless of the order
    /// of joins.
    ///
    /// # Source
    ///
    /// Kokkos: `MinFirstLocCustomComparator`, which is wrong for a descending order.
    ///
    /// # Examples
    ///
    /// ```
    /// use spelt_reducers::{MinLocBy, Reducer};
    ///
    /// let highest = MinLocBy::<f64, _>::new(|a, b| b.total_cmp(a));
    /// let mut best = highest.init();
    /// for (i, x) in [-3.0, -1.0, -2.0].into_iter().enumerate() {
    ///     highest.update(&mut best, x, i);
    /// }
    /// assert_eq!(best.map(|best| (best.val, best.loc)), Some((-1.0, 1)));
    /// ```
    MinLocBy<T, F, L>, MinLocValue<T, L>,
    update: (val: T, loc: L) MinLocValue { val, loc },
    join: |compare, into, from| {
        if wins(compare(&from.val, &into.val), earlier(from.loc, into.loc)) {
            *into = *from;
        }
    }
}

compared! {
    /// Keeps the value that compares greatest, and its location.
    ///
    /// As [`MaxBy`], except that of values that compare equal the one with the smallest location wins, regardless of the order
    /// of joins.
    ///
    /// # Source
    ///
    /// Kokkos: `MaxFirstLocCustomComparator`, which is wrong for a descending order.
    ///
    /// # Examples
    ///
    /// ```
    /// use spelt_reducers::{MaxLocBy, Reducer};
    ///
    /// let farthest = MaxLocBy::<i32, _>::new(|a, b| a.abs().cmp(&b.abs()));
    /// let mut best = farthest.init();
    /// farthest.update(&mut best, 5, 9);
    /// farthest.update(&mut best, -5, 4);
    /// assert_eq!(best.map(|best| (best.val, best.loc)), Some((-5, 4)));
    /// ```
    MaxLocBy<T, F, L>, MaxLocValue<T, L>,
    update: (val: T, loc: L) MaxLocValue { val, loc },
    join: |compare, into, from| {
        if wins(compare(&into.val, &from.val), earlier(from.loc, into.loc)) {
            *into = *from;
        }
    }
}

compared! {
    /// Keeps the values that compare least and greatest, each with its location.
    ///
    /// Each half as [`MinLocBy`] and [`MaxLocBy`]: ties go to the smallest location at both ends.
    ///
    /// # Examples
    ///
    /// ```
    /// use spelt_reducers::{MinMaxLocBy, Reducer};
    ///
    /// let descending = MinMaxLocBy::<u32, _>::new(|a, b| b.cmp(a));
    /// let mut value = descending.init();
    /// for (i, x) in [4, 6, 4].into_iter().enumerate() {
    ///     descending.update(&mut value, x, i);
    /// }
    /// let value = value.unwrap();
    /// assert_eq!((value.min_loc, value.max_loc), (1, 0));
    /// ```
    MinMaxLocBy<T, F, L>, MinMaxLocValue<T, L>,
    update: (val: T, loc: L) MinMaxLocValue { min_val: val, max_val: val, min_loc: loc, max_loc: loc },
    join: |compare, into, from| {
        if wins(compare(&from.min_val, &into.min_val), earlier(from.min_loc, into.min_loc)) {
            (into.min_val, into.min_loc) = (from.min_val, from.min_loc);
        }
        if wins(compare(&into.max_val, &from.max_val), earlier(from.max_loc, into.max_loc)) {
            (into.max_val, into.max_loc) = (from.max_val, from.max_loc);
        }
    }
}

compared! {
    /// Keeps the value that compares least with its first location, and the greatest with its last.
    ///
    /// As [`MinMaxLocBy`], except that of equal greatest values the largest location wins.
    ///
    /// # Source
    ///
    /// Kokkos: `MinMaxFirstLastLocCustomComparator`, which is wrong for a descending order.
    ///
    /// # Examples
    ///
    /// ```
    /// use spelt_reducers::{MinMaxFirstLastLocBy, Reducer};
    ///
    /// let descending = MinMaxFirstLastLocBy::<u32, _>::new(|a, b| b.cmp(a));
    /// let mut value = descending.init();
    /// for (i, x) in [4, 6, 4].into_iter().enumerate() {
    ///     descending.update(&mut value, x, i);
    /// }
    /// let value = value.unwrap();
    /// assert_eq!((value.min_loc, value.max_loc), (1, 2));
    /// ```
    MinMaxFirstLastLocBy<T, F, L>, MinMaxFirstLastLocValue<T, L>,
    update: (val: T, loc: L) MinMaxFirstLastLocValue { min_val: val, max_val: val, min_loc: loc, max_loc: loc },
    join: |compare, into, from| {
        if wins(compare(&from.min_val, &into.min_val), earlier(from.min_loc, into.min_loc)) {
            (into.min_val, into.min_loc) = (from.min_val, from.min_loc);
        }
        if wins(compare(&into.max_val, &from.max_val), later(from.max_loc, into.max_loc)) {
            (into.max_val, into.max_loc) = (from.max_val, from.max_loc);
        }
    }
}
