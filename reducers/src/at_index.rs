//! Reducers of mapped reductions: the closure returns a contribution, and the launch supplies its location.

use core::marker::PhantomData;

use crate::{Location, MaxLoc, MinLoc, MinMax, MinMaxElement, MinMaxLoc, MinMaxValue, Reducer};

/// `MinLoc`, `MaxLoc` or `MinMaxLoc` over contributions whose locations are their indices.
///
/// In a mapped reduction the closure then returns the value alone: `parallel_map_reduce(.., |i, x| x[i], MinLoc::at_index())`. The
/// location is the index of the policy: a `usize` over a range, a `[usize; N]` over a box or in a nested loop.
///
/// `MinFirstLoc` and `MaxFirstLoc` are the same types. `MinMaxFirstLastLoc` has no such form: the second pass finds the first place of
/// a value, and it keeps the last one of the largest.
///
/// The result has the bits of the ordinary form, in which the closure updates the running value. From some hundred elements on
/// hosts find it faster: a first pass looks for the value alone, and then one block is searched for its location. So the closure may
/// run several times for an index. It must only compute: additions to atomic values may happen several times, and if it returns
/// different values, the result is unspecified.
///
/// # Examples
///
/// ```
/// use spelt_reducers::{MapReducer, MinLoc, Reducer};
///
/// fn least<M: MapReducer<usize>>(x: Vec<M::Item>, mapped: M) -> <M::Reducer as Reducer>::Output {
///     let reducer = mapped.reducer();
///     let mut value = reducer.init();
///     for (i, x) in x.into_iter().enumerate() {
///         M::contribute(&reducer, &mut value, x, i);
///     }
///     reducer.finish(value)
/// }
///
/// assert_eq!(least(vec![4.0, 1.0, 1.0], MinLoc::at_index()).loc, 1);
/// ```
pub struct AtIndex<R>(PhantomData<fn() -> R>);

impl<R> Clone for AtIndex<R> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for AtIndex<R> {}

impl<R> core::fmt::Debug for AtIndex<R> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("AtIndex")
    }
}

/// Defines the reducer of a mapped reduction over indices with locations `L`.
///
/// Implemented for every [`Reducer`], which joins the contributions, and for [`AtIndex`].
pub trait MapReducer<L> {
    /// The contribution that the closure returns.
    type Item;

    /// The reducer that joins running values.
    type Reducer: Reducer;

    /// The extremes without their locations, for a first pass; `()` if there is no such pass.
    #[doc(hidden)]
    type Extremes: Extremes<Self::Item>;

    /// The reducer that joins running values.
    fn reducer(self) -> Self::Reducer;

    /// Adds a contribution to a running value, which began as the reducer's identity and was changed by contributions and joins alone.
    fn contribute(
        reducer: &Self::Reducer,
        value: &mut <Self::Reducer as Reducer>::Value,
        item: Self::Item,
        location: L,
    );

    /// Sets extreme `number` of a running value to a contribution and its location, which no other contribution is better than.
    #[doc(hidden)]
    #[inline(always)]
    fn set(
        reducer: &Self::Reducer,
        value: &mut <Self::Reducer as Reducer>::Value,
        _number: usize,
        item: Self::Item,
        location: L,
    ) {
        Self::contribute(reducer, value, item, location);
    }

    /// Whether the value has the locations of all its extremes.
    #[doc(hidden)]
    #[inline(always)]
    fn is_located(_value: &<Self::Reducer as Reducer>::Value) -> bool {
        true
    }
}

/// The extremes of contributions without their locations: one, or the smallest and the largest.
#[doc(hidden)]
pub trait Extremes<T>: Copy + Send + Sync {
    /// Their number.
    const NUMBER: usize;
    /// The extremes of no contribution.
    const NONE: Self;
    /// One extreme.
    type Value: Copy;
    /// A contribution as an extreme.
    fn value(item: &T) -> Self::Value;
    /// Extreme `number` of no contribution.
    fn none(number: usize) -> Self::Value;
    /// Whether `new` is strictly better than `kept` as extreme `number`.
    fn is_better(new: Self::Value, kept: Self::Value, number: usize) -> bool;
    /// The extremes with these values, of which it takes the first [`NUMBER`](Self::NUMBER).
    fn of(values: [Self::Value; 2]) -> Self;
    /// Adds a contribution; ignores NaN.
    fn update(&mut self, item: T);
    /// Joins those of other contributions.
    fn join(&mut self, other: &Self);
    /// Whether extreme `number` is strictly better than that of `kept`.
    fn improves(&self, kept: &Self, number: usize) -> bool;
    /// Whether a contribution equals extreme `number`.
    fn is_reached(&self, item: &T, number: usize) -> bool;
}

impl<R: Reducer, L> MapReducer<L> for R {
    type Item = R::Value;
    type Reducer = R;
    type Extremes = ();

    #[inline(always)]
    fn reducer(self) -> R {
        self
    }

    #[inline(always)]
    fn contribute(reducer: &R, value: &mut R::Value, item: R::Value, _location: L) {
        reducer.join_contributed(value, &item);
    }
}

impl<T> Extremes<T> for () {
    const NUMBER: usize = 0;
    const NONE: Self = ();
    type Value = ();
    #[inline(always)]
    fn value(_item: &T) {}
    #[inline(always)]
    fn none(_number: usize) {}
    #[inline(always)]
    fn is_better((): (), (): (), _number: usize) -> bool {
        false
    }
    #[inline(always)]
    fn of(_values: [(); 2]) {}
    #[inline(always)]
    fn update(&mut self, _item: T) {}
    #[inline(always)]
    fn join(&mut self, _other: &Self) {}
    #[inline(always)]
    fn improves(&self, _kept: &Self, _number: usize) -> bool {
        false
    }
    #[inline(always)]
    fn is_reached(&self, _item: &T, _number: usize) -> bool {
        false
    }
}

macro_rules! one_extreme {
    ($reducer:ident, $extreme:ident, $identity:ident, $new:ident $kept:ident: $better:expr) => {
        impl<T> $reducer<T> {
            /// This reducer for mapped reductions whose closure returns the value alone: see [`AtIndex`].
            #[inline(always)]
            #[must_use]
            pub const fn at_index() -> AtIndex<Self> {
                AtIndex(PhantomData)
            }
        }

        /// The extreme value of contributions.
        #[doc(hidden)]
        #[derive(Clone, Copy, Debug)]
        pub struct $extreme<T>(T);

        impl<T: MinMaxElement + Send + Sync> Extremes<T> for $extreme<T> {
            const NUMBER: usize = 1;
            const NONE: Self = Self(T::$identity);
            type Value = T;

            #[inline(always)]
            fn value(item: &T) -> T {
                *item
            }
            #[inline(always)]
            fn none(_number: usize) -> T {
                T::$identity
            }
            #[inline(always)]
            fn is_better($new: T, $kept: T, _number: usize) -> bool {
                $better
            }

            #[inline(always)]
            fn of([value, _]: [T; 2]) -> Self {
                Self(value)
            }
            #[inline(always)]
            fn update(&mut self, item: T) {
                let ($new, $kept) = (item, self.0);
                self.0 = if $better { item } else { self.0 };
            }
            #[inline(always)]
            fn join(&mut self, other: &Self) {
                self.update(other.0);
            }
            #[inline(always)]
            fn improves(&self, kept: &Self, _number: usize) -> bool {
                let ($new, $kept) = (self.0, kept.0);
                $better
            }
            #[inline(always)]
            fn is_reached(&self, item: &T, _number: usize) -> bool {
                *item == self.0
            }
        }

        impl<T: MinMaxElement + Send + Sync, L: Location> MapReducer<L> for AtIndex<$reducer<T>> {
            type Item = T;
            type Reducer = $reducer<T, L>;
            type Extremes = $extreme<T>;

            #[inline(always)]
            fn reducer(self) -> Self::Reducer {
                $reducer::new()
            }

            #[inline(always)]
            fn contribute(
                _reducer: &Self::Reducer,
                value: &mut <Self::Reducer as Reducer>::Value,
                item: T,
                location: L,
            ) {
                value.update(item, location);
            }

            #[inline(always)]
            fn set(
                _reducer: &Self::Reducer,
                value: &mut <Self::Reducer as Reducer>::Value,
                _number: usize,
                item: T,
                location: L,
            ) {
                (value.val, value.loc) = (item, location);
            }

            #[inline(always)]
            fn is_located(value: &<Self::Reducer as Reducer>::Value) -> bool {
                value.loc.precedes(L::MAX)
            }
        }
    };
}

// `<` in both: see `MinMaxValue::update`.
one_extreme!(MinLoc, Least, LARGEST, new kept: new < kept);
one_extreme!(MaxLoc, Most, LOWEST, new kept: kept < new);

impl<T> MinMaxLoc<T> {
    /// This reducer for mapped reductions whose closure returns the value alone: see [`AtIndex`].
    #[inline(always)]
    #[must_use]
    pub const fn at_index() -> AtIndex<Self> {
        AtIndex(PhantomData)
    }
}

impl<T: MinMaxElement + Send + Sync> Extremes<T> for MinMaxValue<T> {
    const NUMBER: usize = 2;
    const NONE: Self = Self { min_val: T::LARGEST, max_val: T::LOWEST };
    type Value = T;

    #[inline(always)]
    fn value(item: &T) -> T {
        *item
    }
    #[inline(always)]
    fn none(number: usize) -> T {
        if number == 0 { T::LARGEST } else { T::LOWEST }
    }
    #[inline(always)]
    fn is_better(new: T, kept: T, number: usize) -> bool {
        if number == 0 { new < kept } else { kept < new }
    }

    #[inline(always)]
    fn of([min_val, max_val]: [T; 2]) -> Self {
        Self { min_val, max_val }
    }
    #[inline(always)]
    fn update(&mut self, item: T) {
        Self::update(self, item);
    }
    #[inline(always)]
    fn join(&mut self, other: &Self) {
        MinMax::new().join(self, other);
    }
    #[inline(always)]
    fn improves(&self, kept: &Self, number: usize) -> bool {
        if number == 0 { self.min_val < kept.min_val } else { kept.max_val < self.max_val }
    }
    #[inline(always)]
    fn is_reached(&self, item: &T, number: usize) -> bool {
        *item == if number == 0 { self.min_val } else { self.max_val }
    }
}

impl<T: MinMaxElement + Send + Sync, L: Location> MapReducer<L> for AtIndex<MinMaxLoc<T>> {
    type Item = T;
    type Reducer = MinMaxLoc<T, L>;
    type Extremes = MinMaxValue<T>;

    #[inline(always)]
    fn reducer(self) -> Self::Reducer {
        MinMaxLoc::new()
    }

    #[inline(always)]
    fn contribute(
        _reducer: &Self::Reducer,
        value: &mut <Self::Reducer as Reducer>::Value,
        item: T,
        location: L,
    ) {
        value.update(item, location);
    }

    #[inline(always)]
    fn set(
        _reducer: &Self::Reducer,
        value: &mut <Self::Reducer as Reducer>::Value,
        number: usize,
        item: T,
        location: L,
    ) {
        if number == 0 {
            (value.min_val, value.min_loc) = (item, location);
        } else {
            (value.max_val, value.max_loc) = (item, location);
        }
    }

    #[inline(always)]
    fn is_located(value: &<Self::Reducer as Reducer>::Value) -> bool {
        value.min_loc.precedes(L::MAX) & value.max_loc.precedes(L::MAX)
    }
}
