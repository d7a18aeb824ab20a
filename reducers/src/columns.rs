//! `Columns`: one reducer for each of a number of columns known at run time.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::mem::size_of;
use core::ops::{Deref, DerefMut, Range};

use crate::Reducer;
use crate::reducer::Seal;

/// Reduces each of `len` columns with the same reducer.
///
/// The running value is a boxed slice of `len` values of `R`, and the result a vector of its outputs. On a host, each running value
/// is an allocation; for a length known at compile time see [`Elementwise`](crate::Elementwise).
///
/// A device reduces columns over a range or a box, not in teams, nor in parts, nor in a scan. The reducer is then passed by value. Each lane
/// of a tile keeps its columns in the device's memory, of which the launch takes up to 64 MiB, or more if one tile needs more. If the tiles do
/// not fit there together, they take turns, with one more value for each binary digit of the number of turns.
///
/// # Guarantee
///
/// Column `i` of the result is the reduction by `R` of the columns `i` of all contributions, with the lanes of `R`: its bits
/// do not depend on `len`.
///
/// # Panics
///
/// A join panics if the lengths differ, which happens only if a kernel replaces the running value. Creating and finishing a
/// running value panic if there is not enough memory.
///
/// # Complexity
///
/// `len` joins per join; one allocation per running value.
///
/// # Source
///
/// Kokkos: array reductions, with `value_count` and `value_type[]`.
///
/// # Examples
///
/// ```
/// use spelt_reducers::{Columns, Reducer, Sum};
///
/// let bins = Columns::new(Sum::<u64>::new(), 3);
/// let mut counts = bins.init();
/// for x in [0, 2, 2] {
///     counts[x] += 1;
/// }
/// assert_eq!(bins.finish(counts), [1, 0, 2]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Columns<R> {
    reducer: R,
    len: usize,
}

impl<R: Reducer> Columns<R> {
    /// Makes the reducer from that of one column and the number of columns.
    #[inline]
    #[must_use]
    pub const fn new(reducer: R, len: usize) -> Self {
        Self { reducer, len }
    }
}

impl<R: Reducer> Reducer for Columns<R> {
    type Value = ColumnsValue<R::Value>;
    type Output = Vec<R::Output>;

    const COMMUTATIVE: bool = R::COMMUTATIVE;
    const EXACT: bool = R::EXACT;
    const REORDERABLE: bool = R::REORDERABLE;
    const LANE_BYTES: usize = R::LANE_BYTES;
    const BY_COLUMNS: bool = true;

    #[inline(always)]
    fn by_columns<V: ColumnsVisitor<Self>>(&self, visitor: V, _seal: Seal) -> Option<V::Output> {
        Some(visitor.visit(
            &self.reducer,
            self.len,
            ColumnsValue,
            #[inline(always)]
            |value| value.0.as_ptr_range(),
        ))
    }

    fn init(&self) -> ColumnsValue<R::Value> {
        ColumnsValue(collected((0..self.len).map(|_| self.reducer.init())).into_boxed_slice())
    }

    #[inline]
    fn join(&self, into: &mut ColumnsValue<R::Value>, from: &ColumnsValue<R::Value>) {
        if into.len() != from.len() {
            differing_lengths(into.len(), from.len());
        }
        for (into, from) in into.iter_mut().zip(from.iter()) {
            self.reducer.join(into, from);
        }
    }

    fn finish(&self, value: ColumnsValue<R::Value>) -> Vec<R::Output> {
        collected(value.0.into_vec().into_iter().map(|column| self.reducer.finish(column)))
    }
}

/// Work on the columns of the values of `R`, for every type of column.
#[doc(hidden)]
pub trait ColumnsVisitor<R: Reducer> {
    /// The result of the work.
    type Output;

    /// Does it for `len` columns that each reduce by `column`: `value` makes a value of them, and `columns` tells where those of a value lie.
    fn visit<C: Reducer>(
        self,
        column: &C,
        len: usize,
        value: impl Fn(Box<[C::Value]>) -> R::Value,
        columns: impl Fn(&R::Value) -> Range<*const C::Value>,
    ) -> Self::Output;
}

/// Collects all values, with a panic where `collect` would abort the program.
fn collected<V>(columns: impl ExactSizeIterator<Item = V>) -> Vec<V> {
    let mut all = Vec::new();
    if all.try_reserve_exact(columns.len()).is_err() {
        no_memory(columns.len(), size_of::<V>());
    }
    all.extend(columns);
    all
}

#[cold]
#[inline(never)]
fn no_memory(len: usize, bytes: usize) -> ! {
    panic!("no memory for {len} columns of {bytes} bytes: reduce fewer columns at a time")
}

#[cold]
#[inline(never)]
#[track_caller]
fn differing_lengths(into: usize, from: usize) -> ! {
    panic!(
        "cannot join {from} columns into {into}: the kernel replaced a running value by one of another length"
    )
}

/// The running value of [`Columns`]: a boxed slice.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ColumnsValue<V>(Box<[V]>);

impl<V> ColumnsValue<V> {
    /// The boxed slice itself.
    #[must_use]
    pub fn into_inner(self) -> Box<[V]> {
        self.0
    }
}

impl<V> From<Box<[V]>> for ColumnsValue<V> {
    fn from(columns: Box<[V]>) -> Self {
        Self(columns)
    }
}

impl<V> From<Vec<V>> for ColumnsValue<V> {
    fn from(columns: Vec<V>) -> Self {
        Self(columns.into_boxed_slice())
    }
}

impl<V> Deref for ColumnsValue<V> {
    type Target = [V];

    #[inline(always)]
    fn deref(&self) -> &[V] {
        &self.0
    }
}

impl<V> DerefMut for ColumnsValue<V> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [V] {
        &mut self.0
    }
}
