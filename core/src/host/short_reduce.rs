//! Reductions of a few rows that the caller runs alone: one tile on one line, without all that longer ones need around it.

use spelt_access::KernelArgs;
use spelt_order::body::Inlined;
use spelt_order::cursor::Cursor;
use spelt_order::short_tile::{reduce_short_tile, short_lengths};
use spelt_reducers::Reducer;

use super::HostThreads;
use super::history::History;
use super::kernel::{ReduceKernel, ReduceStep};
use super::step::BEHIND_POINTER;
use crate::isa::{self, Work};
use crate::launch::{Contribution, Indices, Prepared, SpaceFacts};

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
        let mut body = Inlined::new::<(C, usize, &mut R::Value)>(self.body);
        reduce_short_tile::<false, _, _, _>(self.reducer, self.start, self.len, &mut body)
    }
    #[inline(always)]
    fn run_masked(self) -> R::Value {
        // Under masks, loops that are not vector code go over all lanes for a few of them.
        if const { B::MAY_FAIL } {
            return self.run();
        }
        let mut body = Inlined::new::<(C, usize, &mut R::Value)>(self.body);
        reduce_short_tile::<true, _, _, _>(self.reducer, self.start, self.len, &mut body)
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
    let (least, most) = const { short_lengths::<R, I::Place>() };
    if const { BEHIND_POINTER || short_lengths::<R, I::Place>().1 == 0 } {
        return None;
    }
    let (n, indices) = (launch.count, &launch.indices);
    if !launch.state.is_usual() || n < least || n > most || launch.parts.is_some() || indices.chunk().is_some() {
        return None;
    }
    let is_alone = indices.space().is_caller()
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
}
