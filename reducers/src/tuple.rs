//! A tuple of reducers is a reducer: several results from one pass over the data.

use crate::Reducer;

macro_rules! tuples {
    ($($(#[$meta:meta])* ($($part:ident $index:tt),+))*) => {$(
        $(#[$meta])*
        impl<$($part: Reducer),+> Reducer for ($($part,)+) {
            type Value = ($($part::Value,)+);
            type Output = ($($part::Output,)+);

            const COMMUTATIVE: bool = true $(&& $part::COMMUTATIVE)+;
            const EXACT: bool = true $(&& $part::EXACT)+;
            const REORDERABLE: bool = true $(&& $part::REORDERABLE)+;

            #[inline(always)]
            fn init(&self) -> Self::Value {
                ($(self.$index.init(),)+)
            }

            #[inline(always)]
            fn join(&self, into: &mut Self::Value, from: &Self::Value) {
                $(self.$index.join(&mut into.$index, &from.$index);)+
            }

            #[inline(always)]
            fn join_contributed(&self, into: &mut Self::Value, from: &Self::Value) {
                $(self.$index.join_contributed(&mut into.$index, &from.$index);)+
            }

            #[inline(always)]
            fn finish(&self, value: Self::Value) -> Self::Output {
                ($(self.$index.finish(value.$index),)+)
            }

            #[inline(always)]
            fn neutral(&self) -> Option<Self::Value> {
                Some(($(self.$index.neutral()?,)+))
            }

            #[inline(always)]
            fn is_neutral(&self, value: &Self::Value) -> bool {
                true $(& self.$index.is_neutral(&value.$index))+
            }
        }
    )*};
}

tuples! {
    (A 0)
    /// Reduces with both reducers in one pass; so do tuples of up to eight.
    ///
    /// Values join in index order if one of the reducers requires it, and the tuple is exact if all are.
    ///
    /// # Source
    ///
    /// Kokkos: `parallel_reduce` with several reducers.
    ///
    /// # Examples
    ///
    /// ```
    /// use spelt_reducers::{Max, Reducer, Sum};
    ///
    /// let both = (Sum::<i32>::new(), Max::<i32>::new());
    /// let mut value = both.init();
    /// for x in [3, 5, 4] {
    ///     let (sum, max) = &mut value;
    ///     *sum += x;
    ///     *max = (*max).max(x);
    /// }
    /// assert_eq!(both.finish(value), (12, 5));
    /// ```
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
    (A 0, B 1, C 2, D 3, E 4)
    (A 0, B 1, C 2, D 3, E 4, F 5)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7)
}
