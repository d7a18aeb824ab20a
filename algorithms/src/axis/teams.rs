//! One output for each team: for contiguous rows on a device, where lanes then read neighbours.

use spelt_core::canonical::{lanes, tile_len};
use spelt_core::reducers::Reducer;
use spelt_core::{AUTO, Element, ExecutionSpace, Result, Stride, TeamSizes, ViewMut, ViewRef, parallel_for};

use super::LABEL;
use super::plan::index_of;

/// The maximum number of threads of a team whose row is one tile of the canonical order, enough work for no more. Unit: threads.
const WARP: usize = 32;

/// Reduces each line along the first dimension, the only one that is reduced.
pub(super) fn reduce_lines<S, T, F, R>(
    space: &S,
    x: ViewRef<'_, T, 6, S::Memory, Stride>,
    mut out: ViewMut<'_, R::Output, 6, S::Memory, Stride>,
    contribute: F,
    reducer: R,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    F: Fn(&mut R::Value, T, usize) + Copy + Sync,
    R: Reducer<Output: Element, Value: Clone + Send + 'static> + Copy + Sync,
{
    let (outputs, extents) = (out.len(), out.extents());
    let tile = tile_len(const { lanes(R::LANE_BYTES) });
    let recommended = space.team(outputs, AUTO).team_size_recommended();
    let size = if x.extents()[0] <= tile { recommended.min(WARP) } else { recommended };
    // SAFETY: a team touches the output with the number of its league rank, and no two teams have one.
    let out = unsafe { out.distinct() };
    parallel_for(LABEL, space.team(outputs, size), (x.lookup(), out), move |team, (x, mut out)| {
        let index = index_of(team.league_rank(), extents);
        let Some(row) = x.line(index, 0).as_slice() else { return };
        let value = team.parallel_reduce(
            team.thread_range(row.len()),
            |k, value| {
                let k = k.inner();
                // SAFETY: the loop is over the positions of the row.
                contribute(value, unsafe { *row.get_unchecked(k) }, k);
            },
            reducer,
        );
        team.single(|_| out[index] = value);
    })
}
