//! The common shape of the adapters' accessors: a raw View with the brand of a launch.

/// Defines an accessor with its `Debug` and `extent`; a shared one is `Copy` too.
macro_rules! accessor {
    ($(#[$meta:meta])* shared $name:ident<$rank:tt> [$($const:ident)*]) => {
        $crate::accessor::accessor!($(#[$meta])* exclusive $name<$rank> [$($const)*]);

        impl<T, $(const $const: usize,)* L> Clone for $name<'_, T, $($const,)* L> {
            #[inline(always)]
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<T, $(const $const: usize,)* L> Copy for $name<'_, T, $($const,)* L> {}
    };
    ($(#[$meta:meta])* exclusive $name:ident<$rank:tt> [$($const:ident)*]) => {
        $(#[$meta])*
        pub struct $name<'k, T, $(const $const: usize,)* L = $crate::Right> {
            pub(crate) raw: $crate::RawView<T, $rank, L>,
            brand: $crate::access::Brand<'k, T>,
        }

        impl<T, $(const $const: usize,)* L> core::fmt::Debug for $name<'_, T, $($const,)* L> {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(concat!(stringify!($name), " { .. }"))
            }
        }

        impl<T, $(const $const: usize,)* L: $crate::Layout> $name<'_, T, $($const,)* L> {
            /// The number of indices in dimension `dimension`.
            ///
            /// # Examples
            /// ```
            #[doc = concat!("# use spelt_access::{RawView, Right, ", stringify!($name), "};")]
            /// # let mut numbers = [1, 4, 9];
            /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
            /// # // SAFETY: nothing else uses the numbers.
            #[doc = concat!(
                "# let x = unsafe { ", stringify!($name), "::<_, ", $("1 /* ", stringify!($const), " */, ",)* "Right>::new(raw) };"
            )]
            /// // For the View [1, 4, 9]:
            /// assert_eq!(x.extent(0), 3);
            /// ```
            #[inline(always)]
            pub fn extent(&self, dimension: usize) -> usize {
                self.raw.extents()[dimension]
            }
        }
    };
}
pub(crate) use accessor;
