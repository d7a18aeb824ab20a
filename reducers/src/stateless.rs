//! The common shape of the built-in reducers: no data, only types.

/// Defines a reducer without data, with `new`, `Default`, `Clone`, `Copy` and `Debug` for all type arguments.
macro_rules! stateless {
    ($(#[$meta:meta])* $name:ident<$($param:ident $(= $default:ty)?),+>) => {
        $(#[$meta])*
        pub struct $name<$($param $(= $default)?),+>(core::marker::PhantomData<fn() -> ($($param,)+)>);

        impl<$($param),+> $name<$($param),+> {
            /// Makes the reducer, which holds no data.
            #[inline(always)]
            #[must_use]
            pub const fn new() -> Self {
                Self(core::marker::PhantomData)
            }
        }

        impl<$($param),+> Default for $name<$($param),+> {
            fn default() -> Self {
                Self::new()
            }
        }

        impl<$($param),+> Clone for $name<$($param),+> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<$($param),+> Copy for $name<$($param),+> {}

        impl<$($param),+> core::fmt::Debug for $name<$($param),+> {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(stringify!($name))
            }
        }
    };
}

pub(crate) use stateless;
