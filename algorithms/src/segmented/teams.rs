//! The pieces of a segmented reduction on a device: a team of a warp for each, whose lanes read neighbours.
//!
//! A lane joins a segment of fewer than [`LONG`] elements alone. Longer segments, tile by tile, are reductions of the team, which join
//! in the order of a whole reduction, as the order of segments has it.

use spelt_core::reducers::{Max, Reducer};
use spelt_core::{Element, ExecutionSpace, Result, TeamSize, View, ViewMut, ViewRef, parallel_for};

use super::offsets::first_segment;
use super::order::{LONG, TILE, Unfinished, join_tile};
use super::reduce::Long;

/// Threads of a team. Unit: threads. Source: a warp, whose lanes wait for no other.
const LANES: usize = 32;

/// Keys of a piece. Unit: keys. Source: those of a tile, of which a segment of several tiles has one for each piece.
const PIECE: usize = TILE;

/// Reduces segments of one tile, and the tiles of others to their places, which `owners` name.
pub(super) fn reduce_pieces<S, T, R>(
    space: &S,
    values: ViewRef<'_, T, 1, S::Memory>,
    offsets: ViewRef<'_, usize, 1, S::Memory>,
    out: &mut ViewMut<'_, R::Output, 1, S::Memory>,
    (places, owners): (&mut View<T, 1, S::Memory>, &mut View<usize, 1, S::Memory>),
    reducer: R,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    R: Reducer<Value = T> + Copy + Sync,
    R::Output: Element,
{
    let segments = offsets.len() - 1;
    let keys = values.len() + segments;
    // SAFETY: the offsets do not decrease and stay so while they are borrowed, so each tile has one key and one team. One lane of it
    // writes to `out` where a segment of one tile is, to `places` and `owners` where no other tile has its place.
    let (out, places, owners) = unsafe { (out.distinct(), places.distinct(), owners.distinct()) };
    parallel_for(
        "segmented reduce",
        space.team(keys.div_ceil(PIECE), TeamSize::AtMost(LANES)),
        (values.lookup(), offsets.lookup(), out, places, owners),
        move |team, (values, offsets, mut out, mut places, mut owners)| {
            let (values, offsets) = (values.as_slice(), offsets.as_slice());
            let piece = team.league_rank();
            let keys = piece * PIECE..keys.min((piece + 1) * PIECE);
            let first = first_segment(offsets, 0..segments, keys.start);
            let last = first_segment(offsets, first..segments.min(first + PIECE), keys.end);
            team.parallel_for(team.thread_range(first..last), |segment| {
                let segment = segment.inner();
                let elements = &values[offsets[segment]..offsets[segment + 1]];
                if elements.len() < LONG {
                    out[segment] = reducer.finish(join_tile(&reducer, elements));
                }
            });
            let longest = team.parallel_reduce(
                team.thread_range(first..last),
                |segment, longest| {
                    let segment = segment.inner();
                    *longest = (*longest).max(offsets[segment + 1] - offsets[segment]);
                },
                Max::<usize>::new(),
            );
            // The segment before may have tiles in this piece.
            let begin = first.saturating_sub(1);
            for segment in begin..if longest < LONG { first } else { last } {
                let long = Long::of(offsets, segment);
                if long.len < LONG {
                    continue;
                }
                let elements = &values[offsets[segment]..offsets[segment + 1]];
                let mut tile = if segment < first { long.tile_from(keys.start) } else { 0 };
                while tile * TILE < long.len && long.key + tile * TILE < keys.end {
                    let elements = &elements[tile * TILE..long.len.min((tile + 1) * TILE)];
                    let value = if elements.len() < LONG {
                        join_tile(&reducer, elements)
                    } else {
                        team.parallel_reduce(
                            team.thread_range(elements.len()),
                            |k, value| {
                                // SAFETY: the loop is over the positions of these elements.
                                reducer.join(value, unsafe { elements.get_unchecked(k.inner()) });
                            },
                            Unfinished(&reducer),
                        )
                    };
                    team.single(|_| {
                        if long.len <= TILE {
                            out[segment] = reducer.finish(value);
                            return;
                        }
                        let place = long.place(tile);
                        places[place] = value;
                        if elements.len() == TILE {
                            owners[place / 2] = segment + 1;
                        }
                    });
                    tile += 1;
                }
            }
        },
    )
}
