//! Reductions of a few rows that the caller runs alone: one tile on one line, without all that longer ones need around it.

use spelt_access::KernelArgs;
use spelt_order::body::Inlined;
use spelt_order::canonical;
use spelt_order::cursor::Cursor;
use spelt_order::if_vector_loops;
use spelt_order::short_tile::{longest, reduce_short_tile};
use spelt_reducers::Reducer;

use super::HostThreads;
use super::history::History;
use super::kernel::{ReduceKernel, ReduceStep};
use crate::isa::{self, Work};
use crate::launch::{Contribution, Indices, Prepared, SpaceFacts};

/// The most rows of a launch with checked reads, whose loops are not vector code. Unit: rows. Source: 100 elements take 49 ns here and 60 in
/// the loops of longer launches, 1000 take 251 and 202 (docs/benchmarks.md).
const MAX_CHECKED_ROWS: usize = 8;

/// The only tile of a launch.
struct ShortTile<'a, C, R, B> {
    reducer: &'a R,
    start: C,
    len: usize,
    body: B,
}

impl<C, R, B> Work for ShortTile<'_, C, R, B>
where
    C: Cursor,
    R: Reducer,
    B: ReduceStep<C, R::Value>,
{
    type Output = R::Value;
    #[inline(always)]
    fn run(self) -> R::Value {
        if const { B::MAY_FAIL } { self.run_with::<false, true>() } else { self.run_with::<false, false>() }
    }
    #[inline(always)]
    fn run_masked(self) -> R::Value {
        // Under masks, loops that are not vector code go over all lanes for a few of them.
        if const { B::MAY_FAIL } { self.run_with::<false, true>() } else { self.run_with::<true, false>() }
    }
}

impl<C: Cursor, R: Reducer, B: ReduceStep<C, R::Value>> ShortTile<'_, C, R, B> {
    /// Runs the tile; `MASKS` and `ALIKE`: as [`reduce_short_tile`].
    #[inline(always)]
    fn run_with<const MASKS: bool, const ALIKE: bool>(self) -> R::Value {
        let Self { reducer, start, len, body } = self;
        let run = |body: B| {
            let mut body = Inlined::new::<(C, usize, &mut R::Value)>(body);
            reduce_short_tile::<MASKS, MASKS, ALIKE, _, _, _>(reducer, start, len, &mut body)
        };
        if const { !B::WRITES } {
            return run(body);
        }
        let mut last = start;
        last.advance(len - 1);
        // SAFETY: a short tile lies on one line, and all of its iterations, at least one, run there and nowhere else.
        unsafe { body.on_span(start, last, run) }
    }
}

/// Runs a prepared launch, if it is such a reduction.
#[inline(always)]
pub(super) fn run<I, A, G, R, const N: usize>(
    launch: &Prepared<'_, A, I, N>,
    body: &G,
    reducer: &R,
) -> Option<R::Output>
where
    I: Indices<N>,
    I::Space: HostThreads,
    A: KernelArgs,
    G: Contribution<N, A, R>,
    R: Reducer + Sync,
    R::Value: Send,
{
    if_vector_loops! {{
        if const { longest::<R, I::Place>() == 0 } {
            return None;
        }
        let most = const {
            let checked = MAX_CHECKED_ROWS * canonical::lanes(R::LANE_BYTES);
            if A::MAY_FAIL { checked } else { longest::<R, I::Place>() }
        };
        let (n, indices) = (launch.count, &launch.indices);
        if !launch.state.is_usual() || n == 0 || n > most || launch.parts.is_some() || indices.chunk().is_some() {
            return None;
        }
        let is_alone = indices.space().is_caller()
            || n == 1
            || History::of::<ReduceKernel<'_, A, G, R, N>>().goes_alone(launch.state, n)
            || indices.space().threads() == 1;
        if !is_alone {
            return None;
        }
        // SAFETY: the tile is all indices, and each iteration of it runs once.
        let body = unsafe { ReduceKernel::new(launch, body, reducer) };
        let start = I::place(&launch.corners, 0);
        let value = {
            let _running = launch.names.enter();
            isa::dispatch(ShortTile { reducer, start, len: n, body })
        };
        Some(reducer.finish(value))
    } else {
        let _ = (launch, body, reducer);
        None
    }}
}
