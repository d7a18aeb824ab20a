//! The `K` smallest values, in order.

use core::marker::PhantomData;

use spelt_core::reducers::sieve::{Sieve, SieveVisitor};
use spelt_core::reducers::{Location, MinMaxElement, Reducer};

use super::no_data::no_data;

/// The running value of [`KMin`], [`ArgKMin`] and [`KMinLoc`]: the `K` smallest values so far with their locations, ascending.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct KMinValue<T, const K: usize, L = usize> {
    /// The values; past the last one that was contributed, the largest value of the type.
    pub val: [T; K],
    /// Their locations; after the last contribution, [`Location::MAX`].
    pub loc: [L; K],
}

impl<T: MinMaxElement, const K: usize, L: Location> KMinValue<T, K, L> {
    /// Contributes a value and its location; ignores NaN.
    ///
    /// # Complexity
    /// One comparison if the value is not among the `K` smallest so far, otherwise `K`.
    #[inline(always)]
    pub fn update(&mut self, val: T, loc: L) {
        // A value that comes after the last one comes after all; so does NaN.
        if K > 0 && val <= self.val[K - 1] {
            self.insert(val, loc);
        }
    }

    /// Swaps the new entry with every later one: a step of insertion sort without branches.
    #[inline(always)]
    fn insert(&mut self, mut val: T, mut loc: L) {
        if K > 1 && self.is_nothing_from(0) {
            // The compiler finds that this is all that happens to a new value.
            (self.val[0], self.loc[0]) = (val, loc);
            return;
        }
        for k in 0..K {
            let (there, place) = (self.val[k], self.loc[k]);
            let sooner = val < there || (val == there && loc.precedes(place));
            self.val[k] = if sooner { val } else { there };
            self.loc[k] = if sooner { loc } else { place };
            val = if sooner { there } else { val };
            loc = if sooner { place } else { loc };
        }
    }

    /// Whether entry `k` and those after it were not contributed, or are as if they were not.
    #[inline(always)]
    fn is_nothing_from(&self, k: usize) -> bool {
        k >= K || (self.val[k] == T::LARGEST && !self.loc[k].precedes(L::MAX))
    }
}

/// The sieve of the reducers: a comparison with the last of the smallest values.
struct Last;

impl<T: MinMaxElement, const K: usize, L: Location, R: Reducer<Value = KMinValue<T, K, L>>> Sieve<R>
    for Last
{
    type Key = T;
    type Tag = L;

    #[inline(always)]
    fn only(value: &KMinValue<T, K, L>) -> Option<(T, L)> {
        value.is_nothing_from(1).then(|| (value.val[0], value.loc[0]))
    }

    #[inline(always)]
    fn may_keep(value: &KMinValue<T, K, L>, key: T) -> bool {
        key <= value.val[K - 1]
    }

    #[inline(always)]
    fn contribute(value: &mut KMinValue<T, K, L>, key: T, tag: L) {
        value.update(key, tag);
    }
}

macro_rules! k_smallest {
    ($($(#[$meta:meta])* $name:ident -> $output:ty, |$value:ident| $finish:expr;)*) => {$(
        $(#[$meta])*
        pub struct $name<T, const K: usize, L = usize>(PhantomData<fn() -> (T, L)>);

        impl<T: MinMaxElement, const K: usize, L: Location> Reducer for $name<T, K, L> {
            type Value = KMinValue<T, K, L>;
            type Output = $output;

            const EXACT: bool = true;
            const REORDERABLE: bool = true;
            // One smallest value is compared and replaced in each lane of a vector as it is.
            const HAS_SIEVE: bool = K > 1;

            #[inline(always)]
            fn by_sieve<V: SieveVisitor<Self>>(visitor: V) -> Option<V::Output> {
                Some(visitor.visit::<Last>())
            }

            #[inline(always)]
            fn init(&self) -> Self::Value {
                KMinValue { val: [T::LARGEST; K], loc: [L::MAX; K] }
            }

            #[inline(always)]
            fn join(&self, into: &mut Self::Value, from: &Self::Value) {
                for k in 0..K {
                    into.update(from.val[k], from.loc[k]);
                }
            }

            #[inline(always)]
            fn finish(&self, $value: Self::Value) -> Self::Output {
                $finish
            }
        }

        no_data!($name [T, const K: usize, L] [T, K, L]);
    )*};
}

k_smallest! {
    /// Keeps the `K` smallest values, ascending.
    ///
    /// With fewer than `K` contributions, the rest is the largest value of the type, which is infinity for floats. NaN is ignored.
    /// Joins commute and associate to the last bit, as long as a location that is contributed twice comes with the same bits.
    ///
    /// # Complexity
    /// [`KMinValue::update`] per contribution, `K` of them per join.
    ///
    /// # Source
    /// KeOps: `KMin`.
    ///
    /// # Examples
    /// ```
    /// use spelt_algorithms::KMin;
    /// use spelt_core::reducers::Reducer;
    /// let smallest = KMin::<f64, 2>::new();
    /// let mut value = smallest.init();
    /// [5.0, f64::NAN, 2.0, 7.0].into_iter().enumerate().for_each(|(at, x)| value.update(x, at));
    /// assert_eq!(smallest.finish(value), [2.0, 5.0]);
    /// ```
    KMin -> [T; K], |value| value.val;

    /// Keeps the locations of the `K` smallest values, in the order of the values.
    ///
    /// Of equal values the one with the smaller location comes first, for any order of contributions and joins. If fewer than
    /// `K` values were contributed, the rest is [`Location::MAX`], which is `usize::MAX` for indices, never a valid one. NaN is ignored.
    ///
    /// # Complexity
    /// [`KMinValue::update`] per contribution, `K` of them per join.
    ///
    /// # Source
    /// KeOps: `ArgKMin`, where the rest is 0 and indices are floats.
    ///
    /// # Examples
    /// The two nearest points on a line:
    /// ```
    /// use spelt_algorithms::{ArgKMin, reduce_pairs_over_j};
    /// use spelt_core::{Serial, View};
    /// let (x, y) = (View::from_vec("x", [1], vec![2.5_f32])?, View::from_fn("y", [5], |[j]| j as f32)?);
    /// let mut nearest = View::<[usize; 2], 1>::zeros("nearest", [1])?;
    /// reduce_pairs_over_j(&Serial::new(), &x, &y, &mut nearest,
    ///     |[_, j], best, (x, y)| best.update((x - y).abs(), j), ArgKMin::<f32, 2>::new())?;
    /// assert_eq!(nearest[0], [2, 3]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    ArgKMin -> [L; K], |value| value.loc;

    /// Keeps the `K` smallest values with their locations: [`KMin`] and [`ArgKMin`] in one.
    ///
    /// # Source
    /// KeOps: `KMin_ArgKMin`.
    ///
    /// # Examples
    /// ```
    /// use spelt_algorithms::KMinLoc;
    /// use spelt_core::reducers::Reducer;
    /// let smallest = KMinLoc::<i32, 3>::new();
    /// let mut value = smallest.init();
    /// [5, 2].into_iter().enumerate().for_each(|(at, x)| value.update(x, at));
    /// assert_eq!(smallest.finish(value), [(2, 1), (5, 0), (i32::MAX, usize::MAX)]);
    /// ```
    KMinLoc -> [(T, L); K], |value| core::array::from_fn(|k| (value.val[k], value.loc[k]));
}
