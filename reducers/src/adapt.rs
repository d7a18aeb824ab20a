//! `InOrder` and `Finish`: a reducer with one trait item changed.

use crate::Reducer;

/// A reducer whose values join in index order.
///
/// Wraps any reducer and sets [`Reducer::COMMUTATIVE`] to `false`: lanes then take contiguous runs of iterations. With
/// [`Min`](crate::Min), for example, the `0.0` or `-0.0` with the smaller index then stays. Joins are still grouped as a
/// tree: a floating-point sum in index order is not the sum of a sequential loop. If the order of the joins does not change bits
/// ([`Reducer::REORDERABLE`], such as for sums of integers), the wrapper has no effect and no cost.
///
/// # Complexity
///
/// As the inner reducer; on a device, loads of neighbouring lanes are no longer neighbours, unless order changes no bit.
///
/// # Examples
///
/// ```
/// use spelt_reducers::{InOrder, Min, Reducer};
///
/// fn commutative<R: Reducer>(_: &R) -> bool {
///     R::COMMUTATIVE
/// }
///
/// let min = Min::<f64>::new();
/// assert!(commutative(&min) && !commutative(&InOrder::new(min)));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct InOrder<R>(R);

impl<R: Reducer> InOrder<R> {
    /// Wraps a reducer.
    #[inline(always)]
    #[must_use]
    pub const fn new(reducer: R) -> Self {
        Self(reducer)
    }

    /// Converts the joined value to another result, once, at the end.
    #[inline(always)]
    #[must_use]
    pub fn with_finish<O, F>(self, finish: F) -> Finish<Self, F>
    where
        F: Fn(R::Output) -> O,
    {
        Finish::new(self, finish)
    }
}

impl<R: Reducer> Reducer for InOrder<R> {
    type Value = R::Value;
    type Output = R::Output;

    const COMMUTATIVE: bool = R::REORDERABLE;
    const EXACT: bool = R::EXACT;
    const REORDERABLE: bool = R::REORDERABLE;
    const LANE_BYTES: usize = R::LANE_BYTES;
    const HALF_WORDS: u32 = R::HALF_WORDS;
    const PACKED: bool = R::PACKED;
    const MOSTLY_KEEPS: bool = R::MOSTLY_KEEPS;

    #[inline(always)]
    fn init(&self) -> R::Value {
        self.0.init()
    }

    #[inline(always)]
    fn join(&self, into: &mut R::Value, from: &R::Value) {
        self.0.join(into, from);
    }

    #[inline(always)]
    fn join_contributed(&self, into: &mut R::Value, from: &R::Value) {
        self.0.join_contributed(into, from);
    }

    #[inline(always)]
    fn finish(&self, value: R::Value) -> R::Output {
        self.0.finish(value)
    }

    #[inline(always)]
    fn neutral(&self) -> Option<R::Value> {
        self.0.neutral()
    }

    #[inline(always)]
    fn is_neutral(&self, value: &R::Value) -> bool {
        self.0.is_neutral(value)
    }
}

/// A reducer whose output goes through a closure.
///
/// The closure runs once, on the result of the inner reducer.
///
/// # Source
///
/// Kokkos: `final`.
///
/// # Examples
///
/// ```
/// use spelt_reducers::{Finish, Reducer, Sum};
///
/// let norm = Finish::new(Sum::<f64>::new(), f64::sqrt);
/// assert_eq!(norm.finish(9.0), 3.0);
/// ```
#[derive(Clone, Copy)]
pub struct Finish<R, F> {
    reducer: R,
    finish: F,
}

impl<R: Reducer, F> Finish<R, F> {
    /// Wraps a reducer.
    #[inline(always)]
    #[must_use]
    pub const fn new<O>(reducer: R, finish: F) -> Self
    where
        F: Fn(R::Output) -> O,
    {
        Self { reducer, finish }
    }
}

impl<R, F, O> Finish<R, F>
where
    R: Reducer,
    F: Fn(R::Output) -> O,
{
    /// Makes values join in index order.
    #[inline(always)]
    #[must_use]
    pub fn non_commutative(self) -> InOrder<Self> {
        InOrder::new(self)
    }
}

impl<R, F, O> Reducer for Finish<R, F>
where
    R: Reducer,
    F: Fn(R::Output) -> O,
{
    type Value = R::Value;
    type Output = O;

    const COMMUTATIVE: bool = R::COMMUTATIVE;
    const EXACT: bool = R::EXACT;
    const REORDERABLE: bool = R::REORDERABLE;
    const LANE_BYTES: usize = R::LANE_BYTES;
    const HALF_WORDS: u32 = R::HALF_WORDS;
    const PACKED: bool = R::PACKED;
    const MOSTLY_KEEPS: bool = R::MOSTLY_KEEPS;

    #[inline(always)]
    fn init(&self) -> R::Value {
        self.reducer.init()
    }

    #[inline(always)]
    fn join(&self, into: &mut R::Value, from: &R::Value) {
        self.reducer.join(into, from);
    }

    #[inline(always)]
    fn join_contributed(&self, into: &mut R::Value, from: &R::Value) {
        self.reducer.join_contributed(into, from);
    }

    #[inline(always)]
    fn finish(&self, value: R::Value) -> O {
        (self.finish)(self.reducer.finish(value))
    }

    #[inline(always)]
    fn neutral(&self) -> Option<R::Value> {
        self.reducer.neutral()
    }

    #[inline(always)]
    fn is_neutral(&self, value: &R::Value) -> bool {
        self.reducer.is_neutral(value)
    }
}

impl<R: core::fmt::Debug, F> core::fmt::Debug for Finish<R, F> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Finish").field("reducer", &self.reducer).finish_non_exhaustive()
    }
}
