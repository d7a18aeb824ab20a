//! Mapped reductions whose locations are the indices, on threads of the host: the extremes first, then their locations.
//!
//! The result does not depend on the order of joins, so the iterations are distributed as those of a `parallel_for`.

use core::marker::PhantomData;
use std::sync::{Mutex, PoisonError};

use spelt_access::{Idx, KernelArgs};
use spelt_order::body::{Inlined, Late};
use spelt_order::cursor::{Cursor, Place, skip};
use spelt_order::search::{self, BLOCK, Contributions, Found};
use spelt_order::tile;
use spelt_reducers::at_index::Extremes;
use spelt_reducers::{MapReducer, Reducer};

use super::HostThreads;
use super::chunks::{BREAK_EVEN_OF_SUMS, UNITS_PER_THREAD, chunk_len};
use super::distribution::{Distribution, Ranges, Start, run_chunks_from};
use super::history::History;
use super::kernel::{InPart, copies, places};
use super::short_search::{self, MAX_ONE_PASS, Outcome, in_one_pass};
use crate::isa::{self, Work};
use crate::launch::{Indices, IsLocation, Mapping, Prepared};
use crate::moment::Moment;

/// Searches of more iterations take chunks of whole blocks. Unit: iterations. Source: a chunk takes 80 ns more than its iterations, to
/// join its lanes, which is a quarter of a block; and two threads still have four chunks each.
const FEW: usize = 8 * 2 * BLOCK;

/// The closure of a mapped reduction.
pub(super) struct MapKernel<'a, A: KernelArgs, F, T, const N: usize> {
    map: &'a F,
    raw: A::Raw,
    part: usize,
    item: PhantomData<fn() -> T>,
}

copies! { [A: KernelArgs, F, T, const N: usize] MapKernel<'_, A, F, T, N>; }

impl<'a, A: KernelArgs, F, T, const N: usize> MapKernel<'a, A, F, T, N> {
    /// That of a launch.
    ///
    /// # Safety
    /// It runs indices of the launch alone, which has checked coverage, and each on one thread at a time.
    #[inline(always)]
    pub(super) unsafe fn new(map: &'a F, raw: A::Raw) -> Self {
        Self { map, raw, part: 0, item: PhantomData }
    }
}

impl<'v, A, F, T, C, const N: usize> Late<(C, usize, &'v mut Option<T>)> for MapKernel<'_, A, F, T, N>
where
    A: KernelArgs,
    F: for<'k> Fn(Idx<'k, N>, A::Access<'k>) -> T,
    C: Place<N>,
{
    #[inline(always)]
    fn call(&mut self, (place, distance, item): (C, usize, &'v mut Option<T>)) {
        // SAFETY: the contract of `new`: the index is one of the launch, and no other thread runs it now; it may run several times. The item outlives
        // the accessors, so it does not hold them.
        let found = unsafe { (self.map)(Idx::new(place.at(distance)), A::access(&self.raw, self.part)) };
        *item = Some(found);
    }
}

impl<A: KernelArgs, F, T, const N: usize> InPart for MapKernel<'_, A, F, T, N> {
    #[inline(always)]
    fn in_part(self, part: usize) -> Self {
        Self { part, ..self }
    }
}

/// The first pass over some iterations.
struct Find<'a, C, B, E, T> {
    start: C,
    first: usize,
    len: usize,
    body: &'a B,
    extremes: PhantomData<fn() -> (E, T)>,
}

impl<C, B, E, T> Work for Find<'_, C, B, E, T>
where
    C: Cursor,
    B: Copy + for<'v> Late<(C, usize, &'v mut Option<T>)>,
    E: Extremes<T>,
{
    type Output = Found<E>;
    #[inline(always)]
    fn run(self) -> Found<E> {
        let mut body = Inlined::new::<(C, usize, &mut Option<T>)>(*self.body);
        search::find(self.start, self.first, self.len, &mut body)
    }
}

/// The search for each extreme from its own start on.
struct Locate<'a, C, B, M: MapReducer<L>, L, const N: usize> {
    reducer: &'a M::Reducer,
    found: &'a Found<M::Extremes>,
    starts: [C; 2],
    lens: [usize; 2],
    body: &'a B,
}

impl<C, B, M, L, const N: usize> Work for Locate<'_, C, B, M, L, N>
where
    C: Place<N>,
    B: Copy + for<'v> Late<(C, usize, &'v mut Option<M::Item>)>,
    M: MapReducer<L>,
    L: IsLocation<N>,
{
    type Output = <M::Reducer as Reducer>::Value;
    #[inline(always)]
    fn run(self) -> Self::Output {
        let Self { reducer, found, starts, lens, body } = self;
        let mut body = Inlined::new::<(C, usize, &mut Option<M::Item>)>(*body);
        let mut value = reducer.init();
        for number in 0..M::Extremes::NUMBER {
            let (mut place, len) = (starts[number], lens[number]);
            let offset = search::offset::<M::Extremes, M::Item, C, _>(found, number, place, len, &mut body);
            if let Some(offset) = offset {
                skip(&mut place, offset);
                let item = search::item(&mut body, place, 0);
                M::contribute(reducer, &mut value, item, L::of(place.at(0)));
            }
        }
        value
    }
}

/// The contributions of all of some iterations.
struct All<'a, C, B, M: MapReducer<L>, L, const N: usize> {
    reducer: &'a M::Reducer,
    start: C,
    len: usize,
    part: usize,
    body: &'a B,
}

impl<C, B, M, L, const N: usize> Work for All<'_, C, B, M, L, N>
where
    C: Place<N>,
    B: InPart + for<'v> Late<(C, usize, &'v mut Option<M::Item>)>,
    M: MapReducer<L>,
    L: IsLocation<N>,
{
    type Output = <M::Reducer as Reducer>::Value;
    #[inline(always)]
    fn run(self) -> Self::Output {
        let Self { reducer, start: mut place, len, part, body } = self;
        let body = Inlined::new::<(C, usize, &mut Option<M::Item>)>(body.in_part(part));
        let location = |place: C, distance| L::of(place.at(distance));
        let mut contributions = Contributions::<M, L, _, _>::new(reducer, body, location);
        tile::reduce_run(reducer, &mut place, len, &mut contributions)
    }
}

/// Runs a prepared launch.
#[inline(always)]
pub(super) fn run<I, A, F, M, L, const N: usize>(
    launch: &Prepared<'_, A, I, N>,
    map: &Mapping<F, M, L>,
    reducer: &M::Reducer,
) -> <M::Reducer as Reducer>::Output
where
    I: Indices<N>,
    I::Space: HostThreads,
    A: KernelArgs,
    F: for<'k> Fn(Idx<'k, N>, A::Access<'k>) -> M::Item + Sync,
    M: MapReducer<L>,
    M::Reducer: Sync,
    <M::Reducer as Reducer>::Value: Send,
    L: IsLocation<N>,
{
    match short_search::run(launch, map, reducer) {
        Outcome::Found(output) => output,
        Outcome::Unlocated => run_any(launch, map, reducer, false),
        Outcome::Other => run_any(launch, map, reducer, true),
    }
}

/// [`run`] for any number of iterations; a few are searched in one pass first, if `one_pass`.
#[inline(never)]
fn run_any<I, A, F, M, L, const N: usize>(
    launch: &Prepared<'_, A, I, N>,
    map: &Mapping<F, M, L>,
    reducer: &M::Reducer,
    one_pass: bool,
) -> <M::Reducer as Reducer>::Output
where
    I: Indices<N>,
    I::Space: HostThreads,
    A: KernelArgs,
    F: for<'k> Fn(Idx<'k, N>, A::Access<'k>) -> M::Item + Sync,
    M: MapReducer<L>,
    M::Reducer: Sync,
    <M::Reducer as Reducer>::Value: Send,
    L: IsLocation<N>,
{
    if launch.count == 0 {
        return reducer.finish(reducer.init());
    }
    // SAFETY: each pass takes the indices of the launch and gives each to one thread, and passes follow one another.
    let body = unsafe { MapKernel::<A, F, M::Item, N>::new(&map.map, launch.raw) };
    // Not the launch itself: its arguments need not be `Sync`.
    let place = places::<I, N>(launch.corners, 0, 0);
    let (space, count) = (launch.indices.space(), launch.count);
    let mut distribution =
        Distribution { break_even: BREAK_EVEN_OF_SUMS, ..Distribution::new(&Ranges::of(launch), 1) };
    if launch.parts.is_some() {
        // A replica takes each contribution once.
        let all = |first, len, part| {
            // At the lowest level: arguments with replicas are rare beside extremes, and every level is a copy of the closure.
            All::<I::Place, _, M, L, N> { reducer, start: place(first), len, part, body: &body }.run()
        };
        return reducer.finish(join_all(Start::Distributed, space, count, &distribution, reducer, &all));
    }
    let found = Mutex::new(Found::<M::Extremes>::nothing());
    // Before the chunk is set: one that the program chose has no contest.
    let start = distribution.start(space, count, History::of::<MapKernel<'_, A, F, M::Item, N>>());
    if count > FEW {
        distribution
            .chunk
            .get_or_insert(chunk_len(space, count, 1, UNITS_PER_THREAD).next_multiple_of(2 * BLOCK));
    }
    let first = place(0);
    if let Start::Alone { timed } = start
        && one_pass
        && count <= MAX_ONE_PASS
        && first.line() >= count
    {
        let timed = timed.map(|history| (history, Moment::now()));
        let _running = launch.names.enter();
        let value = in_one_pass::<M, L, _, _, N>(reducer, first, count, body);
        if let Some((history, begun)) = timed {
            history.record(count, begun.elapsed());
        }
        if M::is_located(&value) {
            return reducer.finish(value);
        }
    }
    run_chunks_from(start, space, count, &distribution, |first, len, _| {
        let more =
            isa::dispatch(Find { start: place(first), first, len, body: &body, extremes: PhantomData });
        found.lock().unwrap_or_else(PoisonError::into_inner).join(&more);
    });
    let found = &found.into_inner().unwrap_or_else(PoisonError::into_inner);
    let locate = |starts, lens| {
        isa::dispatch(Locate::<I::Place, _, M, L, N> { reducer, found, starts, lens, body: &body })
    };
    // A type whose order contradicts itself may have no block.
    let firsts = [0, 1].map(|number| found.block(number).min(count - 1));
    let value = {
        let _running = launch.names.enter();
        locate(firsts.map(place), firsts.map(|first| BLOCK.min(count - first)))
    };
    if M::is_located(&value) {
        return reducer.finish(value);
    }
    // An extreme is the identity of the reducer: there may be contributions equal to it behind NaNs, or none. This pass begins as the
    // first one did: a short search wakes no thread.
    let distribution = Distribution::new(&Ranges::of(launch), 1);
    reducer.finish(join_all(start.again(), space, count, &distribution, reducer, &|first, len, _| {
        locate([place(first); 2], [len; 2])
    }))
}

/// Joins the values `of(first, len, part)` of all parts of the iterations. Compiled once for each reducer and kind of space.
///
/// Threads join their values as they have them: these are extremes at their first locations, whose joins may come in any order.
#[cold]
#[inline(never)]
fn join_all<R: Reducer + Sync>(
    start: Start,
    space: &impl HostThreads,
    count: usize,
    distribution: &Distribution<'_>,
    reducer: &R,
    of: &(dyn Fn(usize, usize, usize) -> R::Value + Sync),
) -> R::Value
where
    R::Value: Send,
{
    let value = Mutex::new(reducer.init());
    run_chunks_from(start, space, count, distribution, |first, len, part| {
        let more = of(first, len, part);
        reducer.join(&mut value.lock().unwrap_or_else(PoisonError::into_inner), &more);
    });
    value.into_inner().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(all(test, not(spelt_loom)))]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::super::opening::tests::opening_after;
    use super::*;
    use crate::reducers::{MinLoc, MinMaxLoc};
    use crate::spaces::Backwards;
    use crate::{ExecutionSpace, Serial, parallel_for, parallel_map_reduce, serial_map_reduce};

    /// Calls `search` with a closure that returns NaN, and panics as soon as it has been called more than `most` times.
    fn called_at_most(most: usize, search: impl FnOnce(&(dyn Fn() -> f64 + Sync))) {
        let calls = AtomicUsize::new(0);
        search(&|| {
            let before = calls.fetch_add(1, Ordering::Relaxed);
            assert!(before < most, "more than {most} calls");
            f64::NAN
        });
    }

    #[test]
    fn nan_alone_is_read_a_few_times() {
        let space = Serial::new();
        let (least, ends) = (MinLoc::<f64>::new().init(), MinMaxLoc::<f64>::new().init());
        for n in [1, 63, 64, 65, 1000, BLOCK, 100_000] {
            // One pass; the extremes, and then each location; launches look for it in one block before. Vectors overlap at ends.
            let passes = |number: usize| number * (n + 64);
            called_at_most(passes(3), |nan| {
                assert_eq!(serial_map_reduce(n, |_| nan(), MinLoc::at_index()), least);
            });
            called_at_most(passes(4), |nan| {
                assert_eq!(serial_map_reduce(n, |_| nan(), MinMaxLoc::at_index()), ends);
            });
            called_at_most(passes(4), |nan| {
                let found =
                    parallel_map_reduce("one", space.range(0..n), (), |_, ()| nan(), MinLoc::at_index());
                assert_eq!(found.expect("nothing can fail"), least);
            });
            called_at_most(passes(6), |nan| {
                let found =
                    parallel_map_reduce("two", space.range(0..n), (), |_, ()| nan(), MinMaxLoc::at_index());
                assert_eq!(found.expect("nothing can fail"), ends);
            });
        }
    }

    /// The indices that the last pass of a search of `n` NaNs takes, in this order.
    fn last_pass(n: usize) -> Vec<usize> {
        let calls = Mutex::new(Vec::new());
        parallel_map_reduce(
            "nan",
            Backwards.range(0..n),
            (),
            |i, ()| {
                calls.lock().expect("no call panics").push(i.get());
                f64::NAN
            },
            MinLoc::at_index(),
        )
        .expect("nothing can fail");
        let calls = calls.into_inner().expect("no call panics");
        calls[calls.len() - n..].to_vec()
    }

    /// The space runs units backwards, so a search that is cut shows.
    #[test]
    fn nan_of_a_short_search_is_searched_by_the_caller() {
        for n in [2, 10, 63] {
            let ascending: Vec<usize> = (0..n).collect();
            opening_after(usize::MAX, || assert_eq!(last_pass(n), ascending));
            // One unit that the caller has begun, and then the others.
            opening_after(0, || assert_eq!(last_pass(n)[..2], [0, n - 1]));
            parallel_for("kernel", Serial::new().range(0..1), (), |_, ()| {
                assert_eq!(last_pass(n), ascending);
            })
            .expect("nothing can fail");
        }
    }
}
