//! The reductions that have names.

use spelt_core::reducers::{Finish, LAnd, LOr, Max, Min, MinMaxElement, Prod, ProdElement, Sum, SumElement};
use spelt_core::tools::algorithm;
use spelt_core::{Element, ExecutionSpace, Layout, ReadView, Result, WriteView};

use super::accumulate::Accumulate;
use super::moments::ColumnMoments;
use super::quick::Cheap;
use super::reduce_axes_and;
use crate::Real;
use crate::Welford;
use crate::{Maximum, Minimum};

/// Defines a reduction along axes by its reducer and its contribution.
macro_rules! along_axes {
    ($(
        $(#[$meta:meta])*
        fn $name:ident[=> $out:ty $(, $more:ident)*]($x:ident, $count:ident $(, $parameter:ident: $type:ty)*)
        where [$($bounds:tt)*]
        $reducer:expr, |$value:ident, $item:ident, $k:pat_param| $body:expr $(, by $quick:expr)?
    )*) => {$(
        $(#[$meta])*
        ///
        /// # Guarantee, errors, complexity
        /// Those of [`reduce_axes`](super::reduce_axes).
        #[allow(unused_variables)]
        pub fn $name<S, T, $($more,)* L, K, const N: usize, const A: usize, const Q: usize>(
            space: &S,
            x: &impl ReadView<T, N, S::Memory, L>,
            axes: [usize; A],
            out: &mut impl WriteView<$out, Q, S::Memory, K>,
            $($parameter: $type,)*
        ) -> Result<()>
        where
            S: ExecutionSpace,
            T: Element,
            L: Layout,
            K: Layout,
            $($bounds)*
        {
            let _region = algorithm(stringify!($name));
            let extents = x.read().extents();
            // `reduce_axes` reports an axis that does not exist.
            let $count = axes.iter().filter_map(|&axis| extents.get(axis)).fold(1_u64, |n, &m| n.saturating_mul(m as u64));
            let quick = along_axes!(@quick $($quick)?);
            reduce_axes_and(space, x, axes, out, move |$value, $item: T, $k| $body, $reducer, quick)
        }
    )*};
    (@quick) => { Cheap };
    (@quick $quick:expr) => { $quick };
}

along_axes! {
    /// Sums along axes, in the [accumulator](Accumulate) of the output's type; 0 if there are no elements.
    ///
    /// Integers wrap.
    ///
    /// # Examples
    /// ```
    /// use spelt_algorithms::sum_axes;
    /// use spelt_core::{Serial, View};
    /// let x = View::from_vec("x", [2, 3], vec![100_i8, 100, 100, 1, 2, 3])?;
    /// let mut rows = View::<i32, 1>::zeros("rows", [2])?;
    /// sum_axes(&Serial::new(), &x, [1], &mut rows)?;
    /// assert_eq!(rows.to_vec(), [300, 6]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    fn sum_axes[=> O, O](x, _count)
    where [O: Accumulate<Accumulator: SumElement + From<T> + Send>,]
    Finish::new(Sum::<O::Accumulator>::new(), O::round),
    |sum, x, _| *sum = sum.plus(x.into())

    /// Multiplies along axes, in the [accumulator](Accumulate) of the output's type; 1 if there are no elements.
    ///
    /// Integers wrap.
    ///
    /// # Examples
    /// ```
    /// use spelt_algorithms::product_axes;
    /// use spelt_core::{Serial, View};
    /// let x = View::from_vec("x", [2, 3], vec![2_i8, 3, 100, -1, -1, 5])?;
    /// let mut rows = View::<i32, 1>::zeros("rows", [2])?;
    /// product_axes(&Serial::new(), &x, [1], &mut rows)?;
    /// assert_eq!(rows.to_vec(), [600, 5]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    fn product_axes[=> O, O](x, _count)
    where [O: Accumulate<Accumulator: ProdElement + From<T> + Send>,]
    Finish::new(Prod::<O::Accumulator>::new(), O::round),
    |product, x, _| *product = product.times(x.into())

    /// Means along axes: sums in the [accumulator](Accumulate) of the output's type, each divided once; NaN if there are no elements.
    ///
    /// # Examples
    /// ```
    /// use spelt_algorithms::mean_axes;
    /// use spelt_core::{Serial, View};
    /// let x = View::from_vec("x", [2, 3], vec![1_i32, 2, 4, 5, 6, 7])?;
    /// let mut columns = View::<f64, 2>::zeros("columns", [1, 3])?;
    /// mean_axes(&Serial::new(), &x, [0], &mut columns)?;
    /// assert_eq!(columns.to_vec(), [3.0, 4.0, 5.5]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    fn mean_axes[=> O, O](x, count)
    where [O: Accumulate<Accumulator: Real + From<T>>,]
    Finish::new(Sum::<O::Accumulator>::new(), move |sum: O::Accumulator| O::round(sum / Real::from_count(count))),
    |sum, x, _| *sum = sum.plus(x.into())

    /// Variances along axes, by [`Welford`]'s method: sums of squared deviations from the mean over the number of elements minus
    /// `correction`; NaN if that is not above 0.
    ///
    /// # Examples
    /// ```
    /// use spelt_algorithms::variance_axes;
    /// use spelt_core::{Serial, View};
    /// let x = View::from_vec("x", [2, 2], vec![1.0_f32, 3.0, 5.0, 5.0])?;
    /// let mut rows = View::<f64, 1>::zeros("rows", [2])?;
    /// variance_axes(&Serial::new(), &x, [1], &mut rows, 1)?;
    /// assert_eq!(rows.to_vec(), [2.0, 0.0]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    fn variance_axes[=> O, O](x, _count, correction: u64)
    where [O: Accumulate<Accumulator: Real + From<T>>,]
    Finish::new(Welford::<O::Accumulator>::new(), move |found: crate::Moments<O::Accumulator>| O::round(found.variance(correction))),
    |moments, x, _| moments.update(x.into()), by ColumnMoments::<O::Accumulator>::new()

    /// Standard deviations along axes: square roots of [`variance_axes`].
    ///
    /// # Examples
    /// ```
    /// use spelt_algorithms::standard_deviation_axes;
    /// use spelt_core::{Serial, View};
    /// let x = View::from_vec("x", [2, 2], vec![1.0_f32, 3.0, 5.0, 5.0])?;
    /// let mut rows = View::<f64, 1>::zeros("rows", [2])?;
    /// standard_deviation_axes(&Serial::new(), &x, [1], &mut rows, 0)?;
    /// assert_eq!(rows.to_vec(), [1.0, 0.0]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    fn standard_deviation_axes[=> O, O](x, _count, correction: u64)
    where [O: Accumulate<Accumulator: Real + From<T>>,]
    Finish::new(Welford::<O::Accumulator>::new(), move |found: crate::Moments<O::Accumulator>| {
        O::round(found.variance(correction).square_root())
    }),
    |moments, x, _| moments.update(x.into()), by ColumnMoments::<O::Accumulator>::new()

    /// Smallest values along axes, ignoring NaN; the largest value of the type if there are no elements.
    ///
    /// # Examples
    /// ```
    /// use spelt_algorithms::min_axes;
    /// use spelt_core::{Serial, View};
    /// let x = View::from_vec("x", [2, 3], vec![3.0, f64::NAN, 1.0, 5.0, 4.0, 4.0])?;
    /// let mut rows = View::<f64, 1>::zeros("rows", [2])?;
    /// min_axes(&Serial::new(), &x, [1], &mut rows)?;
    /// assert_eq!(rows.to_vec(), [1.0, 4.0]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    fn min_axes[=> T](x, _count)
    where [T: MinMaxElement,]
    Min::<T>::new(),
    |min, x, _| *min = if x < *min { x } else { *min }

    /// Largest values along axes, ignoring NaN; the lowest value of the type if there are no elements.
    ///
    /// # Examples
    /// ```
    /// use spelt_algorithms::max_axes;
    /// use spelt_core::{Serial, View};
    /// let x = View::from_vec("x", [2, 3], vec![3.0, f64::NAN, 1.0, 5.0, 4.0, 4.0])?;
    /// let mut rows = View::<f64, 1>::zeros("rows", [2])?;
    /// max_axes(&Serial::new(), &x, [1], &mut rows)?;
    /// assert_eq!(rows.to_vec(), [3.0, 5.0]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    fn max_axes[=> T](x, _count)
    where [T: MinMaxElement,]
    Max::<T>::new(),
    |max, x, _| *max = if x > *max { x } else { *max }

    /// Smallest values along axes, NaN if there is one; the largest value of the type if there are no elements.
    ///
    /// # Examples
    /// ```
    /// use spelt_algorithms::minimum_axes;
    /// use spelt_core::{Serial, View};
    /// let x = View::from_vec("x", [2, 2], vec![3.0, f64::NAN, 5.0, 4.0])?;
    /// let mut rows = View::<f64, 1>::zeros("rows", [2])?;
    /// minimum_axes(&Serial::new(), &x, [1], &mut rows)?;
    /// assert!(rows[0].is_nan() && rows[1] == 4.0);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    fn minimum_axes[=> T](x, _count)
    where [T: MinMaxElement,]
    Minimum::<T>::new(),
    |min, x, _| Minimum::<T>::new().update(min, x)

    /// Largest values along axes, NaN if there is one; the lowest value of the type if there are no elements.
    ///
    /// # Examples
    /// ```
    /// use spelt_algorithms::maximum_axes;
    /// use spelt_core::{Serial, View};
    /// let x = View::from_vec("x", [2, 2], vec![3.0, f64::NAN, 5.0, 4.0])?;
    /// let mut rows = View::<f64, 1>::zeros("rows", [2])?;
    /// maximum_axes(&Serial::new(), &x, [1], &mut rows)?;
    /// assert!(rows[0].is_nan() && rows[1] == 5.0);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    fn maximum_axes[=> T](x, _count)
    where [T: MinMaxElement,]
    Maximum::<T>::new(),
    |max, x, _| Maximum::<T>::new().update(max, x)

    /// Whether `condition` holds for an element along axes; false if there are no elements.
    ///
    /// # Examples
    /// ```
    /// use spelt_algorithms::any_axes;
    /// use spelt_core::{Serial, View};
    /// let x = View::from_vec("x", [2, 3], vec![3, 0, 9, 5, 4, 4])?;
    /// let mut rows = View::<bool, 1>::zeros("rows", [2])?;
    /// any_axes(&Serial::new(), &x, [1], &mut rows, |x| x == 0)?;
    /// assert_eq!(rows.to_vec(), [true, false]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    fn any_axes[=> bool, P](x, _count, condition: P)
    where [P: Fn(T) -> bool + Copy + Sync,]
    LOr::<bool>::new(),
    |any, x, _| *any |= condition(x), by ()

    /// Whether `condition` holds for every element along axes; true if there are no elements.
    ///
    /// # Examples
    /// ```
    /// use spelt_algorithms::all_axes;
    /// use spelt_core::{Serial, View};
    /// let x = View::from_vec("x", [2, 3], vec![3, 0, 9, 5, 4, 4])?;
    /// let mut rows = View::<bool, 1>::zeros("rows", [2])?;
    /// all_axes(&Serial::new(), &x, [1], &mut rows, |x| x > 0)?;
    /// assert_eq!(rows.to_vec(), [false, true]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    fn all_axes[=> bool, P](x, _count, condition: P)
    where [P: Fn(T) -> bool + Copy + Sync,]
    LAnd::<bool>::new(),
    |all, x, _| *all &= condition(x), by ()

    /// Sums of magnitudes along axes (the norm L1); 0 if there are no elements.
    ///
    /// # Examples
    /// ```
    /// use spelt_algorithms::norm_l1_axes;
    /// use spelt_core::{Serial, View};
    /// let x = View::from_vec("x", [2, 2], vec![3.0_f32, -4.0, 0.0, 2.0])?;
    /// let mut rows = View::<f64, 1>::zeros("rows", [2])?;
    /// norm_l1_axes(&Serial::new(), &x, [1], &mut rows)?;
    /// assert_eq!(rows.to_vec(), [7.0, 2.0]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    fn norm_l1_axes[=> O, O](x, _count)
    where [O: Accumulate<Accumulator: Real + From<T>>,]
    Finish::new(Sum::<O::Accumulator>::new(), O::round),
    |sum, x, _| *sum = sum.plus(O::Accumulator::from(x).magnitude())

    /// Sums of squares along axes (the norm L2, squared); 0 if there are no elements.
    ///
    /// # Examples
    /// ```
    /// use spelt_algorithms::norm_squared_axes;
    /// use spelt_core::{Serial, View};
    /// let x = View::from_vec("x", [2, 2], vec![3.0_f32, -4.0, 0.0, 2.0])?;
    /// let mut rows = View::<f64, 1>::zeros("rows", [2])?;
    /// norm_squared_axes(&Serial::new(), &x, [1], &mut rows)?;
    /// assert_eq!(rows.to_vec(), [25.0, 4.0]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    fn norm_squared_axes[=> O, O](x, _count)
    where [O: Accumulate<Accumulator: Real + From<T>>,]
    Finish::new(Sum::<O::Accumulator>::new(), O::round),
    |sum, x, _| {
        let x = O::Accumulator::from(x);
        *sum = sum.plus(x * x);
    }

    /// Square roots of sums of squares along axes (the norm L2); 0 if there are no elements.
    ///
    /// Squares that overflow the accumulator make it infinite.
    ///
    /// # Examples
    /// ```
    /// use spelt_algorithms::norm_l2_axes;
    /// use spelt_core::{Serial, View};
    /// let x = View::from_vec("x", [2, 2], vec![3.0_f32, -4.0, 0.0, 2.0])?;
    /// let mut rows = View::<f64, 1>::zeros("rows", [2])?;
    /// norm_l2_axes(&Serial::new(), &x, [1], &mut rows)?;
    /// assert_eq!(rows.to_vec(), [5.0, 2.0]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    fn norm_l2_axes[=> O, O](x, _count)
    where [O: Accumulate<Accumulator: Real + From<T>>,]
    Finish::new(Sum::<O::Accumulator>::new(), |sum: O::Accumulator| O::round(sum.square_root())),
    |sum, x, _| {
        let x = O::Accumulator::from(x);
        *sum = sum.plus(x * x);
    }

    /// Largest magnitudes along axes (the norm L-infinity), NaN if there is one; 0 if there are no elements.
    ///
    /// # Examples
    /// ```
    /// use spelt_algorithms::norm_max_axes;
    /// use spelt_core::{Serial, View};
    /// let x = View::from_vec("x", [2, 2], vec![3.0_f32, -4.0, 0.0, 2.0])?;
    /// let mut rows = View::<f64, 1>::zeros("rows", [2])?;
    /// norm_max_axes(&Serial::new(), &x, [1], &mut rows)?;
    /// assert_eq!(rows.to_vec(), [4.0, 2.0]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    fn norm_max_axes[=> O, O](x, _count)
    where [O: Accumulate<Accumulator: Real + From<T>>,]
    Finish::new(Maximum::<O::Accumulator>::new(), |max: O::Accumulator| {
        // Magnitudes are not below 0; the identity is.
        O::round(if max < O::Accumulator::ZERO { O::Accumulator::ZERO } else { max })
    }),
    |max, x, _| Maximum::<O::Accumulator>::new().update(max, O::Accumulator::from(x).magnitude())
}
