//! Common code of reducers without data.

/// Gives a type with a single private `PhantomData` `new`, `Default`, `Clone`, `Copy` and `Debug`, for all type arguments.
macro_rules! no_data {
    ($name:ident [$($generics:tt)*] [$($parameters:tt)*]) => {
        impl<$($generics)*> $name<$($parameters)*> {
            /// Makes the reducer, which holds no data.
            #[inline(always)]
            #[must_use]
            pub const fn new() -> Self {
                Self(core::marker::PhantomData)
            }
        }
        impl<$($generics)*> Default for $name<$($parameters)*> {
            fn default() -> Self {
                Self::new()
            }
        }
        impl<$($generics)*> Clone for $name<$($parameters)*> {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<$($generics)*> Copy for $name<$($parameters)*> {}
        impl<$($generics)*> core::fmt::Debug for $name<$($parameters)*> {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(stringify!($name))
            }
        }
    };
}
pub(super) use no_data;
