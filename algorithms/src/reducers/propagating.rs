//! Extrema that a NaN makes NaN.

use core::marker::PhantomData;

use spelt_core::reducers::{MinMaxElement, Reducer};

macro_rules! propagating {
    ($(#[$meta:meta])* $name:ident, $identity:ident, $better:tt) => {
        $(#[$meta])*
        ///
        /// # Examples
        /// ```
        /// use spelt_core::reducers::Reducer;
        #[doc = concat!("let reducer = spelt_algorithms::", stringify!($name), "::<f32>::new();")]
        /// let (mut left, mut right) = (reducer.init(), reducer.init());
        /// reducer.update(&mut left, 3.0);
        /// reducer.update(&mut right, f32::NAN);
        /// reducer.join(&mut left, &right);
        /// assert!(left.is_nan());
        /// ```
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $name<T>(PhantomData<T>);

        impl<T: MinMaxElement> $name<T> {
            /// The reducer.
            #[inline(always)]
            #[must_use]
            pub const fn new() -> Self {
                Self(PhantomData)
            }

            /// Contributes a value.
            #[allow(clippy::eq_op, reason = "finds NaN")]
            #[inline(always)]
            pub fn update(&self, into: &mut T, x: T) {
                // NaN is outside the order: it stays, and replaces everything else.
                let take = (x $better *into) | (x != x);
                *into = if take & (*into == *into) { x } else { *into };
            }
        }

        impl<T: MinMaxElement> Reducer for $name<T> {
            type Value = T;
            type Output = T;
            const EXACT: bool = true;
            const REORDERABLE: bool = T::REORDERABLE;

            #[inline(always)]
            fn init(&self) -> T {
                T::$identity
            }
            #[inline(always)]
            fn join(&self, into: &mut T, from: &T) {
                self.update(into, *from);
            }
            #[inline(always)]
            fn finish(&self, value: T) -> T {
                value
            }
            #[inline(always)]
            fn neutral(&self) -> Option<T> {
                Some(T::$identity)
            }
            #[inline(always)]
            fn is_neutral(&self, value: &T) -> bool {
                *value == T::$identity
            }
        }
    };
}

propagating! {
    /// The smallest value, or NaN if there is one: IEEE 754-2019's `minimum`, except that of zeros of both signs the earlier
    /// one in the order of joins stays.
    ///
    /// [`Min`](spelt_core::reducers::Min) ignores NaN.
    Minimum, LARGEST, <
}
propagating! {
    /// The largest value, or NaN if there is one: IEEE 754-2019's `maximum`, except that of zeros of both signs the earlier
    /// one in the order of joins stays.
    ///
    /// [`Max`](spelt_core::reducers::Max) ignores NaN.
    Maximum, LOWEST, >
}
