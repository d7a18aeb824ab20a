//! Nested reductions whose locations are the indices, on one thread of a host: the extremes first, then their locations.

use spelt_order::body::ReduceBody;
use spelt_order::cursor::Cursor;
use spelt_order::search::{self, Found};
use spelt_reducers::at_index::Extremes;
use spelt_reducers::{MapReducer, Reducer};

use crate::isa::{self, Work};

/// Loops of fewer iterations gain nothing from vectors. Unit: iterations.
const SHORT: usize = 24;

/// The joined value of all iterations, not finished; `location(place, distance)` is the location of an iteration.
#[inline(always)]
pub(super) fn search_here<M, L, C>(
    reducer: &M::Reducer,
    count: usize,
    place: impl Fn(usize) -> C,
    body: &mut impl ReduceBody<C, Option<M::Item>>,
    location: impl Fn(C, usize) -> L,
) -> <M::Reducer as Reducer>::Value
where
    M: MapReducer<L>,
    C: Cursor,
{
    if count == 0 {
        return reducer.init();
    }
    let start = place(0);
    if count < SHORT && start.line() >= count {
        let found = search::find_in_row(start, count, body);
        return locate::<M, L, C>(reducer, &found, count, place, body, location);
    }
    isa::dispatch(Search::<M, L, _, _, _> { reducer, count, place, body, location })
}

/// The first contributions that equal the extremes.
#[inline(always)]
fn locate<M, L, C>(
    reducer: &M::Reducer,
    found: &Found<M::Extremes>,
    count: usize,
    place: impl Fn(usize) -> C,
    body: &mut impl ReduceBody<C, Option<M::Item>>,
    location: impl Fn(C, usize) -> L,
) -> <M::Reducer as Reducer>::Value
where
    M: MapReducer<L>,
    C: Cursor,
{
    let mut value = reducer.init();
    for number in 0..M::Extremes::NUMBER {
        // To the end: if an extreme is the identity of the reducer, the first block may have only NaN. A type whose order contradicts
        // itself may have no block.
        let first = found.block(number).min(count - 1);
        let (start, len) = (place(first), count - first);
        search::locate::<M, L, C, _>(reducer, found, number, start, len, body, &location, &mut value);
    }
    value
}

/// The search of a long loop.
struct Search<'a, M: MapReducer<L>, L, P, B, F> {
    reducer: &'a M::Reducer,
    count: usize,
    place: P,
    body: &'a mut B,
    location: F,
}

impl<C, M, L, P, B, F> Work for Search<'_, M, L, P, B, F>
where
    C: Cursor,
    M: MapReducer<L>,
    P: Fn(usize) -> C,
    B: ReduceBody<C, Option<M::Item>>,
    F: Fn(C, usize) -> L,
{
    type Output = <M::Reducer as Reducer>::Value;
    #[inline(always)]
    fn run(self) -> Self::Output {
        let Self { reducer, count, place, body, location } = self;
        body.enter();
        let found = search::find(place(0), 0, count, body);
        locate::<M, L, C>(reducer, &found, count, place, body, location)
    }
}
