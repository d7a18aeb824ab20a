//! `LAnd` and `LOr`.

use crate::order::select;
use crate::stateless::stateless;
use crate::{LogicalElement, Reducer};

macro_rules! connective {
    ($(#[$meta:meta])* $name:ident, $identity:ident, $op:tt) => {
        stateless! {
            $(#[$meta])*
            $name<T>
        }

        impl<T: LogicalElement> Reducer for $name<T> {
            type Value = T;
            type Output = T;

            const EXACT: bool = T::EXACT;
            const REORDERABLE: bool = T::EXACT;

            #[inline(always)]
            fn init(&self) -> T {
                T::$identity
            }

            #[inline(always)]
            fn join(&self, into: &mut T, from: &T) {
                *into = select(into.is_true() $op from.is_true(), T::TRUE, T::FALSE);
            }

            #[inline(always)]
            fn finish(&self, value: T) -> T {
                select(value.is_true(), T::TRUE, T::FALSE)
            }

            #[inline(always)]
            fn neutral(&self) -> Option<T> {
                // If 2 also counts as true, a join makes it 1.
                T::EXACT.then_some(T::$identity)
            }

            #[inline(always)]
            fn is_neutral(&self, value: &T) -> bool {
                T::EXACT & (value.is_true() == T::$identity.is_true())
            }
        }
    };
}

connective! {
    /// Whether all values are true.
    ///
    /// The running value is a plain `T` that starts as true, for `*all &= x > 0.0`; with `bool` for `T` it is
    /// exact. For integers zero is false, everything else is true, and the result is 0 or 1; running values may differ, so
    /// these reductions are not exact. Nothing is skipped: every iteration runs, even after the first false.
    ///
    /// # Complexity
    ///
    /// Two tests per join, without branches.
    ///
    /// # Source
    ///
    /// Kokkos: `LAnd<T>`.
    ///
    /// # Examples
    ///
    /// ```
    /// use spelt_reducers::{LAnd, Reducer};
    ///
    /// let all = LAnd::<bool>::new();
    /// let mut value = all.init();
    /// all.join(&mut value, &true);
    /// assert!(all.finish(value));
    /// all.join(&mut value, &false);
    /// assert!(!all.finish(value));
    /// ```
    LAnd, TRUE, &
}

connective! {
    /// Whether any value is true.
    ///
    /// The running value is a plain `T` that starts as false, for `*any |= x > 0.0`. For integers, and for values that are not
    /// skipped, see [`LAnd`].
    ///
    /// # Complexity
    ///
    /// Two tests per join, without branches.
    ///
    /// # Source
    ///
    /// Kokkos: `LOr<T>`.
    ///
    /// # Examples
    ///
    /// ```
    /// use spelt_reducers::{LOr, Reducer};
    ///
    /// let any = LOr::<i32>::new();
    /// let mut value = any.init();
    /// any.join(&mut value, &-3);
    /// assert_eq!(any.finish(value), 1);
    /// ```
    LOr, FALSE, |
}
