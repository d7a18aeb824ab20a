//! Reducing all tiles of a launch, shared out among threads, in the canonical order.

use spelt_order::cursor::Cursor;
use spelt_order::{canonical, tile};
use spelt_policies::Schedule;
use spelt_reducers::Reducer;

use super::chunks::{BREAK_EVEN, MAX_UNITS, tiles_per_unit};
use super::slots::Slots;
use crate::arena::NoRoom;
use crate::isa::{self, Work};
use crate::launch::Names;
use crate::on_heap::{OnHeap, is_large};
use crate::spaces::Backend;

/// One tile.
///
/// It refers to the lowered arguments, so that making it costs no copy; `run` takes one, which the compiler need not
/// read anew after each store of the kernel.
struct Tile<'a, C, R, D, G> {
    reducer: &'a R,
    start: C,
    len: usize,
    block: usize,
    raw: &'a D,
    body: &'a G,
}

impl<C: Cursor, R: Reducer, D: Copy, G: Fn(C, usize, &mut R::Value, &D, usize)> Work
    for Tile<'_, C, R, D, G>
{
    type Output = Option<R::Value>;
    #[inline(always)]
    fn run(self) -> Option<R::Value> {
        let Self { reducer, start, len, block, raw, body } = self;
        let raw = *raw;
        tile::reduce_tile(reducer, start, len, &mut |place, distance, value: &mut R::Value| {
            body(place, distance, value, &raw, block);
        })
    }
}

/// How a reduction is to be shared out.
pub(crate) struct Sharing {
    pub(crate) chunk: Option<usize>,
    pub(crate) schedule: Schedule,
    pub(crate) blocks: Option<usize>,
}

/// Reduces `n` iterations in the canonical order, and finishes.
///
/// `place(offset)` is the place of an iteration, `body(place, distance, value, block)` the iteration `distance`
/// further along its line.
///
/// # Errors
/// If there is no memory for partial results; nothing has run.
#[inline]
pub(crate) fn reduce<C, R, G>(
    backend: &impl Backend,
    n: usize,
    sharing: &Sharing,
    names: &Names<'_>,
    reducer: &R,
    place: impl Fn(usize) -> C + Sync,
    body: G,
) -> Result<R::Output, NoRoom>
where
    C: Cursor,
    R: Reducer + Sync,
    R::Value: Send,
    G: Fn(C, usize, &mut R::Value, usize) + Sync,
{
    reduce_with(backend, n, sharing, names, reducer, place, &(), |place, distance, value, (), block| {
        body(place, distance, value, block);
    })
}

/// [`reduce`] with lowered arguments, which `body` gets a copy of that stays in registers.
///
/// They stand apart from the closure because moving them into one costs as much as summing 100 numbers: a copy by
/// 16 bytes of what was just stored by 8 waits until the stores are done.
#[inline]
#[expect(clippy::too_many_arguments, reason = "each is one thing that a launch knows")]
pub(super) fn reduce_with<C, R, D, G>(
    backend: &impl Backend,
    n: usize,
    sharing: &Sharing,
    names: &Names<'_>,
    reducer: &R,
    place: impl Fn(usize) -> C + Sync,
    raw: &D,
    body: G,
) -> Result<R::Output, NoRoom>
where
    C: Cursor,
    R: Reducer + Sync,
    R::Value: Send,
    D: Copy + Sync,
    G: Fn(C, usize, &mut R::Value, &D, usize) + Sync,
{
    if const { is_large::<R::Value>() } {
        let on_heap = OnHeap(reducer);
        let body = |place, distance, value: &mut Box<R::Value>, raw: &D, block| {
            body(place, distance, value, raw, block);
        };
        let value = reduce_values(backend, n, sharing, names, &on_heap, place, raw, body)?;
        Ok(on_heap.finish(value))
    } else {
        Ok(reducer.finish(reduce_values(backend, n, sharing, names, reducer, place, raw, body)?))
    }
}

/// [`reduce_with`] without the end.
#[inline]
#[expect(clippy::too_many_arguments, reason = "each is one thing that a launch knows")]
fn reduce_values<C, R, D, G>(
    backend: &impl Backend,
    n: usize,
    sharing: &Sharing,
    names: &Names<'_>,
    reducer: &R,
    place: impl Fn(usize) -> C + Sync,
    raw: &D,
    body: G,
) -> Result<R::Value, NoRoom>
where
    C: Cursor,
    R: Reducer + Sync,
    R::Value: Send,
    D: Copy + Sync,
    G: Fn(C, usize, &mut R::Value, &D, usize) + Sync,
{
    let tile_len = canonical::tile_len(canonical::lanes(R::LANE_BYTES));
    let tiles = n.div_ceil(tile_len);
    let run_tile = |number: usize, block: usize| {
        let first = number * tile_len;
        isa::dispatch(Tile {
            reducer,
            start: place(first),
            len: tile_len.min(n - first),
            block,
            raw,
            body: &body,
        })
        .expect("no tile is empty")
    };
    if n == 0 {
        return Ok(reducer.init());
    }
    let threads = backend.threads();
    let fine = sharing.chunk.is_some_and(|chunk| chunk < tile_len) && tiles < 4 * threads;
    if sharing.blocks.is_none()
        && (threads == 1 || (!fine && (tiles == 1 || (sharing.chunk.is_none() && n < BREAK_EVEN))))
    {
        let _running = names.enter();
        if tiles == 1 {
            return Ok(run_tile(0, 0));
        }
        return Ok(tile::join_pairwise(reducer, tiles, &mut |number| run_tile(number, 0)));
    }
    if fine && sharing.blocks.is_none() {
        let lanes = canonical::lanes(R::LANE_BYTES);
        let mut slots = Slots::<R::Value>::new(tiles * lanes)?;
        backend.run_units(tiles * lanes, sharing.schedule, &|unit| {
            let (first, lane) = (unit / lanes * tile_len, unit % lanes);
            let len = tile_len.min(n - first);
            if lane < tile::live_lanes::<R>(len) {
                let _running = names.enter();
                let value = tile::reduce_lane(
                    reducer,
                    place(first),
                    len,
                    lane,
                    &mut |place, distance, value: &mut R::Value| {
                        body(place, distance, value, raw, 0);
                    },
                );
                // SAFETY: each unit runs once.
                unsafe { slots.put(unit, value) }
            }
        });
        let _running = names.enter();
        return Ok(tile::join_pairwise(reducer, tiles, &mut |number| {
            let live = tile::live_lanes::<R>(tile_len.min(n - number * tile_len));
            tile::join_lanes(reducer, live, |lane| {
                slots.take(number * lanes + lane).expect("every live lane has run")
            })
            .expect("no tile is empty")
        }));
    }
    // Units of a launch in blocks are a function of its length alone, as the blocks must be.
    let per_unit = match sharing.blocks {
        None => tiles_per_unit(backend, tiles),
        Some(_) => tiles.div_ceil(MAX_UNITS).next_power_of_two(),
    };
    let units = tiles.div_ceil(per_unit);
    let mut slots = Slots::<R::Value>::new(units)?;
    let run_unit = |unit: usize, block: usize| {
        let first = unit * per_unit;
        let value = tile::join_pairwise(reducer, per_unit.min(tiles - first), &mut |number| {
            run_tile(first + number, block)
        });
        // SAFETY: each unit runs once.
        unsafe { slots.put(unit, value) }
    };
    match sharing.blocks {
        None => backend.run_units(units, sharing.schedule, &|unit| {
            let _running = names.enter();
            run_unit(unit, 0);
        }),
        Some(blocks) => {
            let part = units.div_ceil(blocks);
            backend.run_units(units.div_ceil(part), sharing.schedule, &|block| {
                let _running = names.enter();
                (block * part..units.min((block + 1) * part)).for_each(|unit| run_unit(unit, block));
            });
        }
    }
    let _running = names.enter();
    Ok(tile::join_pairwise(reducer, units, &mut |unit| slots.take(unit).expect("every unit has run")))
}
