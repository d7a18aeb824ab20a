//! Searches of one line that the caller runs alone, in one pass: what longer ones need around it takes as long as 300 iterations.

use core::marker::PhantomData;

use spelt_access::{Idx, KernelArgs};
use spelt_order::body::{Inlined, Late};
use spelt_order::cursor::{Cursor, Place};
use spelt_order::if_vector_loops;
use spelt_order::search::{self, BLOCK};
use spelt_order::search_row::find_offsets;
use spelt_reducers::at_index::Extremes;
use spelt_reducers::{MapReducer, Reducer};

use super::HostThreads;
use super::history::History;
use super::search::MapKernel;
use crate::isa::{self, Work};
use crate::launch::{Indices, IsLocation, Mapping, Prepared, SpaceFacts};

/// The most iterations on one line that a thread searches in one pass. Unit: iterations. Source: that of nested rows
/// (`core/src/team/search.rs`).
pub(super) const MAX_ONE_PASS: usize = 4 * BLOCK;

/// The search of `len` iterations from `start` on, all on one line.
struct OnePass<E, T, C, B> {
    start: C,
    len: usize,
    body: B,
    extremes: PhantomData<fn() -> (E, T)>,
}

impl<E, T, C, B> Work for OnePass<E, T, C, B>
where
    E: Extremes<T>,
    C: Cursor,
    B: for<'v> Late<(C, usize, &'v mut Option<T>)>,
{
    /// The offsets and not the values, which would be in memory as soon as a function returns them.
    type Output = (usize, usize);
    #[inline(always)]
    fn run(self) -> (usize, usize) {
        let mut body = Inlined::new::<(C, usize, &mut Option<T>)>(self.body);
        find_offsets::<E, T, C, _>(self.start, self.len, &mut body)
    }
}

/// The value of `len` iterations from `start` on, all on one line; not located where no contribution is better than the reducer's
/// identity.
#[inline(always)]
pub(super) fn in_one_pass<M, L, C, B, const N: usize>(
    reducer: &M::Reducer,
    start: C,
    len: usize,
    body: B,
) -> <M::Reducer as Reducer>::Value
where
    C: Place<N>,
    B: Copy + for<'v> Late<(C, usize, &'v mut Option<M::Item>)>,
    M: MapReducer<L>,
    L: IsLocation<N>,
{
    let (first, second) =
        isa::dispatch(OnePass::<M::Extremes, _, _, _> { start, len, body, extremes: PhantomData });
    let mut body = Inlined::new::<(C, usize, &mut Option<M::Item>)>(body);
    let mut value = reducer.init();
    for (number, offset) in [first, second].into_iter().enumerate().take(M::Extremes::NUMBER) {
        if offset < len {
            let item = search::item(&mut body, start, offset);
            M::set(reducer, &mut value, number, item, L::of(start.at(offset)));
        }
    }
    value
}

/// The outcome of [`run`].
pub(super) enum Outcome<T> {
    /// The search is over.
    Found(T),
    /// An extreme is the reducer's identity: other passes must follow this one.
    Unlocated,
    /// The launch is no such search; nothing has run.
    Other,
}

/// Runs a prepared launch, if it is such a search.
#[inline(always)]
pub(super) fn run<I, A, F, M, L, const N: usize>(
    launch: &Prepared<'_, A, I, N>,
    map: &Mapping<F, M, L>,
    reducer: &M::Reducer,
) -> Outcome<<M::Reducer as Reducer>::Output>
where
    I: Indices<N>,
    I::Space: HostThreads,
    A: KernelArgs,
    F: for<'k> Fn(Idx<'k, N>, A::Access<'k>) -> M::Item + Sync,
    M: MapReducer<L>,
    L: IsLocation<N>,
{
    if_vector_loops! {{
        let (n, indices) = (launch.count, &launch.indices);
        let is_plain = launch.state.is_usual() && launch.parts.is_none() && indices.chunk().is_none();
        if !is_plain || n == 0 || n > MAX_ONE_PASS {
            return Outcome::Other;
        }
        let start = I::place(&launch.corners, 0);
        if start.line() < n {
            return Outcome::Other;
        }
        let is_alone = indices.space().is_caller()
            || n == 1
            || History::of::<MapKernel<'_, A, F, M::Item, N>>().goes_alone(launch.state, n)
            || indices.space().threads() == 1;
        if !is_alone {
            return Outcome::Other;
        }
        // SAFETY: the caller runs all indices of the launch, which are `n` on one line.
        let body = unsafe { MapKernel::<A, F, M::Item, N>::new(&map.map, launch.raw) };
        let value = {
            let _running = launch.names.enter();
            in_one_pass::<M, L, _, _, N>(reducer, start, n, body)
        };
        if M::is_located(&value) { Outcome::Found(reducer.finish(value)) } else { Outcome::Unlocated }
    } else {
        let _ = (launch, map, reducer);
        Outcome::Other
    }}
}

#[cfg(all(test, not(spelt_loom)))]
mod tests {
    use super::*;
    use crate::reducers::{MinMaxLoc, MinMaxLocValue};
    use crate::{ExecutionSpace, Serial, Threads, View, parallel_map_reduce};

    /// The first places of the extremes of numbers in the order of a box.
    fn expected<const N: usize>(
        numbers: &[f32],
        place: impl Fn(usize) -> [usize; N],
    ) -> MinMaxLocValue<f32, [usize; N]> {
        let mut ends = MinMaxLoc::<f32, [usize; N]>::new().init();
        for (offset, number) in numbers.iter().enumerate() {
            if *number < ends.min_val {
                (ends.min_val, ends.min_loc) = (*number, place(offset));
            }
            if *number > ends.max_val {
                (ends.max_val, ends.max_loc) = (*number, place(offset));
            }
        }
        ends
    }

    fn check<S: ExecutionSpace<Memory = crate::HostSpace>>(space: &S, [rows, columns]: [usize; 2]) {
        let number = |offset: usize| if offset % 11 == 3 { f32::NAN } else { ((offset * 7919) % 101) as f32 };
        let numbers: Vec<f32> = (0..rows * columns).map(number).collect();
        let line =
            View::<f32, 1>::from_fn("line", [rows * columns], |[i]| numbers[i]).expect("there is memory");
        let matrix = View::<f32, 2>::from_fn("box", [rows, columns], |[i, j]| numbers[i * columns + j])
            .expect("there is memory");
        // Three times: a launch with a short one before it begins otherwise.
        for _ in 0..3 {
            let all = space.range(0..rows * columns);
            let found = parallel_map_reduce("line", all, &line, |i, line| line[i], MinMaxLoc::at_index());
            let found = found.expect("the View covers the range");
            let want = expected(&numbers, |offset| [offset]);
            assert_eq!(
                [found.min_loc, found.max_loc],
                [want.min_loc[0], want.max_loc[0]],
                "{rows}*{columns}"
            );
            assert_eq!([found.min_val, found.max_val], [want.min_val, want.max_val]);
            let all = space.md_range([0..rows, 0..columns]);
            let found = parallel_map_reduce("box", all, &matrix, |i, a| a[i], MinMaxLoc::at_index());
            let found = found.expect("the View covers the box");
            assert_eq!(
                found,
                expected(&numbers, |offset| [offset / columns, offset % columns]),
                "{rows}, {columns}"
            );
        }
    }

    #[test]
    fn short_searches_find_the_first_extremes_of_lines_and_boxes() {
        let threads = Threads::builder().num_threads(2).build().expect("there are threads");
        for n in [1, 2, 15, 16, 17, 31, 32, 33, 64, 100, 257] {
            for extents in [[1, n], [n, 1], [2, n], [3, n]] {
                check(&Serial::new(), extents);
                check(&threads, extents);
            }
        }
        for n in [MAX_ONE_PASS - 1, MAX_ONE_PASS, MAX_ONE_PASS + 1] {
            check(&Serial::new(), [1, n]);
            check(&threads, [1, n]);
        }
    }
}
