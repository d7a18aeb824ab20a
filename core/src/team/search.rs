//! Mapped reductions whose locations are the indices, on one thread of a host: in one pass where the row is short, otherwise the
//! extremes first and then their locations.

use core::marker::PhantomData;

use spelt_order::body::ReduceBody;
use spelt_order::cursor::Cursor;
use spelt_order::search;
use spelt_order::search_row;
use spelt_reducers::at_index::Extremes;
use spelt_reducers::{MapReducer, Reducer};

use crate::isa::{self, Work};

/// Rows of at most this length are searched at the instruction set of the caller, which is usually inside a launch and so has the best
/// one. Unit: iterations. Source: measured with minmaxloc of `f64` (Zen 4, AVX-512): the call of [`isa::dispatch`] takes
/// 10 ns, of rows of 31 36 ns instead of 54, of 100 44 instead of 53, of 316 one part in 100.
const MAX_WITHOUT_DISPATCH: usize = 256;

/// The longest rows that are searched in one pass. Unit: iterations. Source: measured with minmaxloc of `f64` (Zen 4, AVX-512): lines of
/// 8000 take 0.79 of the time of two passes, of 10^4 0.92, of 16,000 0.89 (docs/benchmarks.md).
const ONE_PASS: usize = 4 * search::BLOCK;

/// The joined value of all iterations, not finished; `location(place, distance)` is the location of an iteration.
#[inline(always)]
pub(crate) fn search_here<M, L, C>(
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
    let mut value = reducer.init();
    if count == 0 {
        return value;
    }
    let start = place(0);
    let one_line = start.line() >= count;
    // The offsets and not the value, which would be in memory as soon as another function returns it.
    let mut offsets = if one_line && count <= MAX_WITHOUT_DISPATCH {
        search_row::find_offsets::<M::Extremes, _, _, _>(start, count, body)
    } else if one_line && count <= ONE_PASS {
        isa::dispatch(OnePass::<M::Extremes, _, _, _> { start, count, body, extremes: PhantomData })
    } else {
        (usize::MAX, usize::MAX)
    };
    let number = const { <M::Extremes as Extremes<M::Item>>::NUMBER };
    if offsets.0 == usize::MAX || (number > 1 && offsets.1 == usize::MAX) {
        let place = &place;
        offsets =
            isa::dispatch(TwoPasses::<M::Extremes, _, _, _> { count, place, body, extremes: PhantomData });
    }
    for (number, offset) in [offsets.0, offsets.1].into_iter().enumerate().take(number) {
        if offset < count {
            let (place, distance) = if one_line { (start, offset) } else { (place(offset), 0) };
            let item = search::item(body, place, distance);
            M::set(reducer, &mut value, number, item, location(place, distance));
        }
    }
    value
}

/// The search of a row.
struct OnePass<'a, E, T, C, B> {
    start: C,
    count: usize,
    body: &'a mut B,
    extremes: PhantomData<fn() -> (E, T)>,
}

impl<E, T, C, B> Work for OnePass<'_, E, T, C, B>
where
    E: Extremes<T>,
    C: Cursor,
    B: ReduceBody<C, Option<T>>,
{
    type Output = (usize, usize);
    #[inline(always)]
    fn run(self) -> (usize, usize) {
        let Self { start, count, body, .. } = self;
        body.enter();
        search_row::find_offsets::<E, T, C, B>(start, count, body)
    }
}

/// The search of a long loop, or for extremes that are the identity.
struct TwoPasses<'a, E, T, P, B> {
    count: usize,
    place: &'a P,
    body: &'a mut B,
    extremes: PhantomData<fn() -> (E, T)>,
}

impl<C, E, T, P, B> Work for TwoPasses<'_, E, T, P, B>
where
    C: Cursor,
    E: Extremes<T>,
    P: Fn(usize) -> C,
    B: ReduceBody<C, Option<T>>,
{
    type Output = (usize, usize);
    #[inline(always)]
    fn run(self) -> (usize, usize) {
        let Self { count, place, body, .. } = self;
        body.enter();
        let found = search::find::<E, T, C, B>(place(0), 0, count, body);
        let mut offsets = [usize::MAX; 2];
        for (number, offset) in offsets.iter_mut().enumerate().take(E::NUMBER) {
            // To the end: if an extreme is the identity of the reducer, the first block may have only NaN. A type whose order
            // contradicts itself may have no block.
            let first = found.block(number).min(count - 1);
            let here = search::offset::<E, T, C, B>(&found, number, place(first), count - first, body);
            *offset = here.map_or(usize::MAX, |here| first + here);
        }
        offsets.into()
    }
}
