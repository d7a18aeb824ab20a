//! Positions of extremes along axes.
//!
//! A host searches a contiguous row by its values, as a mapped reduction does; elsewhere a position goes with each running value.

use spelt_core::reducers::{
    AtIndex, Finish, MaxLoc, MaxLocValue, MinLoc, MinLocValue, MinMaxElement, Reducer,
};
use spelt_core::tools::algorithm;
use spelt_core::{
    Element, ExecutionSpace, Layout, ReadView, Result, ViewRef, WriteView, parallel_map_reduce,
    serial_map_reduce,
};

use super::quick::Quick;
use super::{LABEL, reduce_axes_and};

macro_rules! positions {
    ($(
        $(#[$meta:meta])*
        fn $name:ident: $reducer:ident, $value:ident
    )*) => {$(
        impl<T: Element + MinMaxElement, R: Reducer<Output = usize>> Quick<T, R> for AtIndex<$reducer<T>> {
            const SEARCHES: bool = true;

            #[inline(always)]
            fn search(self, row: &[T]) -> Option<usize> {
                // SAFETY: `serial_map_reduce` asks for positions below the length that it was given.
                Some(serial_map_reduce(row.len(), |k| unsafe { *row.get_unchecked(k) }, self).loc)
            }

            fn search_on<S: ExecutionSpace>(
                self,
                space: &S,
                row: ViewRef<'_, T, 1, S::Memory>,
            ) -> Result<Option<usize>> {
                let positions = space.range(0..row.len());
                Ok(Some(parallel_map_reduce(LABEL, positions, row, |k, x| x[k], self)?.loc))
            }
        }

        $(#[$meta])*
        ///
        /// # Guarantee, errors, complexity
        /// Those of [`reduce_axes`](super::reduce_axes); a row of more than 4096 neighbours is read twice at most.
        pub fn $name<S, T, L, K, const N: usize, const A: usize, const Q: usize>(
            space: &S,
            x: &impl ReadView<T, N, S::Memory, L>,
            axes: [usize; A],
            out: &mut impl WriteView<usize, Q, S::Memory, K>,
        ) -> Result<()>
        where
            S: ExecutionSpace,
            T: Element + MinMaxElement,
            L: Layout,
            K: Layout,
        {
            let _region = algorithm(stringify!($name));
            let contribute = |found: &mut $value<T>, x, k| found.update(x, k);
            let reducer = Finish::new($reducer::<T>::new(), |found: $value<T>| found.loc);
            reduce_axes_and(space, x, axes, out, contribute, reducer, $reducer::<T>::at_index())
        }
    )*};
}

positions! {
    /// Positions of the smallest values along axes, the first of equal ones, ignoring NaN; `usize::MAX` if there are only
    /// NaNs.
    ///
    /// With several axes a position counts in their box, the last axis fastest.
    ///
    /// # Examples
    /// ```
    /// use spelt_algorithms::arg_min_axes;
    /// use spelt_core::{Serial, View};
    /// let x = View::from_vec("x", [2, 4], vec![3, 1, 1, 2, 5, 4, 4, 9])?;
    /// let mut rows = View::<usize, 1>::zeros("rows", [2])?;
    /// arg_min_axes(&Serial::new(), &x, [1], &mut rows)?;
    /// assert_eq!(rows.to_vec(), [1, 1]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    fn arg_min_axes: MinLoc, MinLocValue

    /// Positions of the largest values along axes: as [`arg_min_axes`].
    ///
    /// # Examples
    /// ```
    /// use spelt_algorithms::arg_max_axes;
    /// use spelt_core::{Serial, View};
    /// let x = View::from_vec("x", [2, 4], vec![3, 9, 9, 2, 5, 4, 4, 1])?;
    /// let mut rows = View::<usize, 1>::zeros("rows", [2])?;
    /// arg_max_axes(&Serial::new(), &x, [1], &mut rows)?;
    /// assert_eq!(rows.to_vec(), [1, 0]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    fn arg_max_axes: MaxLoc, MaxLocValue
}
