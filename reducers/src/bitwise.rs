//! `BAnd` and `BOr`.

use crate::stateless::stateless;
use crate::{BitElement, Reducer};

macro_rules! bitwise {
    ($(#[$meta:meta])* $name:ident, $identity:ident, $is_identity:ident, $op:ident) => {
        stateless! {
            $(#[$meta])*
            $name<T>
        }

        impl<T: BitElement> Reducer for $name<T> {
            type Value = T;
            type Output = T;

            const EXACT: bool = true;
            const REORDERABLE: bool = T::REORDERABLE;
            const PACKED: bool = T::PACKED;

            #[inline(always)]
            fn init(&self) -> T {
                T::$identity
            }

            #[inline(always)]
            fn join(&self, into: &mut T, from: &T) {
                *into = into.$op(*from);
            }

            #[inline(always)]
            fn finish(&self, value: T) -> T {
                value
            }

            #[inline(always)]
            fn neutral(&self) -> Option<T> {
                // An element type without this test has no neutral value.
                T::$identity.$is_identity().then_some(T::$identity)
            }

            #[inline(always)]
            fn is_neutral(&self, value: &T) -> bool {
                value.$is_identity()
            }
        }
    };
}

bitwise! {
    /// Keeps the bits that are set in all values.
    ///
    /// The running value is a plain `T`, for `*common &= x`; it starts with all bits set.
    ///
    /// # Complexity
    ///
    /// One operation per join.
    ///
    /// # Source
    ///
    /// Kokkos: `BAnd<T>`, whose identity was wrong for some releases before 5.1.
    ///
    /// # Examples
    ///
    /// ```
    /// use spelt_reducers::{BAnd, Reducer};
    ///
    /// let common = BAnd::<u8>::new();
    /// let mut bits = common.init();
    /// assert_eq!(bits, 0xff);
    /// common.join(&mut bits, &0b0110);
    /// common.join(&mut bits, &0b0011);
    /// assert_eq!(bits, 0b0010);
    /// ```
    BAnd, ALL_BITS, has_all_bits, and
}

bitwise! {
    /// Keeps the bits that are set in any value.
    ///
    /// The running value is a plain `T`, for `*any |= x`; it starts with no bit set.
    ///
    /// # Complexity
    ///
    /// One operation per join.
    ///
    /// # Source
    ///
    /// Kokkos: `BOr<T>`.
    ///
    /// # Examples
    ///
    /// ```
    /// use spelt_reducers::{BOr, Reducer};
    ///
    /// let any = BOr::<u8>::new();
    /// let mut bits = any.init();
    /// any.join(&mut bits, &0b0110);
    /// any.join(&mut bits, &0b0011);
    /// assert_eq!(bits, 0b0111);
    /// ```
    BOr, NO_BITS, has_no_bits, or
}
