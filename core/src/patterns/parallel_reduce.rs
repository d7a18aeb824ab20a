//! `parallel_reduce`.

use spelt_kernels_gpu::tile::{self, Boxed, Cursor, Line};
use spelt_kernels_gpu::{Element, KernelArgs};
use spelt_policies::{Idx, Layout, MdRangePolicy, RangePolicy, Schedule, canonical};
use spelt_reducers::Reducer;

use super::OnSpace;
use super::chunks::{BREAK_EVEN, MOST_UNITS, tiles_per_unit};
use super::parallel_for::counted;
use super::slots::Slots;
use crate::Result;
use crate::isa::{self, Work};
use crate::launch::{Names, check_covered};
use crate::memory::HostAccessible;
use crate::spaces::{Backend, ExecutionSpace, ReachedBy};
use crate::view::View;

/// Reduces over every index of `policy`: the closure updates a running value, the reducer joins the values.
///
/// Values join in the canonical order (see [`canonical`]): the bits of the result are the same on every space,
/// thread count, schedule, chunk, tile and run. An empty policy gives `finish(init())`.
///
/// # Errors
/// As [`parallel_for`](crate::parallel_for()).
///
/// # Panics
/// If an iteration or a join panics: all threads stop, then the panic goes on here.
///
/// # Complexity
/// Work O(n) calls and O(n / 64) joins, span O(n / threads + log n). No allocation for values up to 64 bytes.
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Serial, View, parallel_reduce, reducers::Sum};
/// let space = Serial::new();
/// let x = View::from_fn("x", [1000], |[i]| i as f64)?;
/// let y = View::from_fn("y", [1000], |_| 0.5)?;
/// let dot = parallel_reduce("dot", space.range(0..1000), (&x, &y),
///     |i, sum, (x, y)| *sum += x[i] * y[i], Sum::<f64>::new())?;
/// assert_eq!(dot, 249_750.0);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[inline]
pub fn parallel_reduce<P, A, F, R>(
    label: &str,
    policy: P,
    args: A,
    functor: F,
    reducer: R,
) -> Result<R::Output>
where
    R: Reducer,
    P: ReducePolicy<A, F, R>,
    A: KernelArgs + ReachedBy<P::Space>,
{
    policy.reduce(label, args, functor, reducer)
}

/// [`parallel_reduce`] with the result written into the rank-0 View `result` instead of returned.
///
/// The View's old value plays no part. On an asynchronous space the call does not wait for the result.
///
/// # Errors
/// As [`parallel_reduce`].
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Serial, View, parallel_reduce_into, reducers::Sum};
/// let space = Serial::new();
/// let mut total = View::<usize, 0>::zeros("total", [])?;
/// parallel_reduce_into("sum", space.range(0..5), (), |i, sum, ()| *sum += i.get(), Sum::<usize>::new(), &mut total)?;
/// assert_eq!(total[[]], 10);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[inline]
pub fn parallel_reduce_into<P, A, F, R, M, L>(
    label: &str,
    policy: P,
    args: A,
    functor: F,
    reducer: R,
    result: &mut View<R::Output, 0, M, L>,
) -> Result<()>
where
    R: Reducer,
    R::Output: Element,
    P: ReducePolicy<A, F, R>,
    A: KernelArgs + ReachedBy<P::Space>,
    M: HostAccessible,
    L: Layout,
{
    result[[]] = policy.reduce(label, args, functor, reducer)?;
    Ok(())
}

/// [`parallel_reduce`] in its mapped form: the closure returns what its index contributes.
///
/// # Errors
/// As [`parallel_reduce`].
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Serial, View, parallel_map_reduce, reducers::Sum};
/// let space = Serial::new();
/// let x = View::from_fn("x", [1000], |[i]| i as f64)?;
/// let squares = parallel_map_reduce("squares", space.range(0..1000), &x, |i, x| x[i] * x[i], Sum::<f64>::new())?;
/// assert_eq!(squares, 332_833_500.0);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[inline]
pub fn parallel_map_reduce<P, A, F, R>(
    label: &str,
    policy: P,
    args: A,
    map: F,
    reducer: R,
) -> Result<R::Output>
where
    R: Reducer,
    P: MapReducePolicy<A, F, R>,
    A: KernelArgs + ReachedBy<P::Space>,
{
    policy.map_reduce(label, args, map, reducer)
}

/// A policy that `parallel_reduce` runs `F` over, with the arguments `A` and the reducer `R`.
#[diagnostic::on_unimplemented(
    message = "`parallel_reduce` cannot run this closure over `{Self}`",
    note = "over a range or md_range the closure is `|i, value, (x, y)| ..`, over teams `|team, (x, y)| ..` with \
            `team.contribute(value)`; it and the reducer must be `Sync`, the reducer's value `Send`"
)]
pub trait ReducePolicy<A, F, R: Reducer>: OnSpace {
    /// Runs it.
    #[doc(hidden)]
    fn reduce(self, label: &str, args: A, functor: F, reducer: R) -> Result<R::Output>;
}

/// A policy that `parallel_map_reduce` runs `F` over, with the arguments `A` and the reducer `R`.
pub trait MapReducePolicy<A, F, R: Reducer>: OnSpace {
    /// Runs it.
    #[doc(hidden)]
    fn map_reduce(self, label: &str, args: A, map: F, reducer: R) -> Result<R::Output>;
}

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

/// Reduces `n` iterations in the canonical order.
///
/// `place(offset)` is the place of an iteration, `body(place, distance, value, block)` the iteration `distance`
/// further along its line.
#[inline]
pub(crate) fn reduce<C, R, G>(
    backend: &impl Backend,
    n: usize,
    sharing: &Sharing,
    names: &Names<'_>,
    reducer: &R,
    place: impl Fn(usize) -> C + Sync,
    body: G,
) -> R::Value
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
fn reduce_with<C, R, D, G>(
    backend: &impl Backend,
    n: usize,
    sharing: &Sharing,
    names: &Names<'_>,
    reducer: &R,
    place: impl Fn(usize) -> C + Sync,
    raw: &D,
    body: G,
) -> R::Value
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
        return reducer.init();
    }
    let threads = backend.threads();
    let fine = sharing.chunk.is_some_and(|chunk| chunk < tile_len) && tiles < 4 * threads;
    if sharing.blocks.is_none()
        && (threads == 1 || (!fine && (tiles == 1 || (sharing.chunk.is_none() && n < BREAK_EVEN))))
    {
        let _running = names.enter();
        if tiles == 1 {
            return run_tile(0, 0);
        }
        return tile::join_pairwise(reducer, tiles, &mut |number| run_tile(number, 0));
    }
    if fine && sharing.blocks.is_none() {
        let lanes = canonical::lanes(R::LANE_BYTES);
        let mut slots = Slots::<R::Value>::new(tiles * lanes);
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
        return tile::join_pairwise(reducer, tiles, &mut |number| {
            let live = tile::live_lanes::<R>(tile_len.min(n - number * tile_len));
            tile::join_lanes(reducer, live, |lane| {
                slots.take(number * lanes + lane).expect("every live lane has run")
            })
            .expect("no tile is empty")
        });
    }
    // Units of a launch in blocks are a function of its length alone, as the blocks must be.
    let per_unit = match sharing.blocks {
        None => tiles_per_unit(backend, tiles),
        Some(_) => tiles.div_ceil(MOST_UNITS).next_power_of_two(),
    };
    let units = tiles.div_ceil(per_unit);
    let mut slots = Slots::<R::Value>::new(units);
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
    tile::join_pairwise(reducer, units, &mut |unit| slots.take(unit).expect("every unit has run"))
}

/// A launch's lowered arguments, checked and named, with the reduction over a range.
fn over_range<S, A, R, G>(
    policy: &RangePolicy<&S>,
    label: &str,
    mut args: A,
    reducer: &R,
    body: G,
) -> Result<R::Output>
where
    S: ExecutionSpace,
    A: KernelArgs,
    R: Reducer + Sync,
    R::Value: Send,
    G: for<'k> Fn(Idx<'k, 1>, &mut R::Value, A::Access<'k>) + Sync,
{
    let range = policy.range();
    check_covered(label, &args, &[range.start], &[range.end])?;
    let sharing =
        Sharing { chunk: policy.chunk_size(), schedule: policy.schedule_kind(), blocks: args.blocks() };
    // SAFETY: `args` lives, and is only described, until the launch is over.
    let (raw, held) = unsafe { args.lower() };
    let names = Names::new(label, &args);
    let body = &body;
    let value = reduce_with(
        *policy.space(),
        policy.len(),
        &sharing,
        &names,
        reducer,
        |offset| Line { index: range.start + offset },
        &raw,
        |place: Line, distance, value: &mut R::Value, raw: &A::Raw, block| {
            // SAFETY: each iteration of each tile runs once, so each index has one witness; coverage is checked.
            unsafe { body(Idx::new([place.index + distance]), value, A::access(raw, block)) }
        },
    );
    A::finish(held);
    Ok(reducer.finish(value))
}

fn over_box<S, A, R, G, const N: usize>(
    policy: &MdRangePolicy<&S, N>,
    label: &str,
    mut args: A,
    reducer: &R,
    body: G,
) -> Result<R::Output>
where
    S: ExecutionSpace,
    A: KernelArgs,
    R: Reducer + Sync,
    R::Value: Send,
    G: for<'k> Fn(Idx<'k, N>, &mut R::Value, A::Access<'k>) + Sync,
{
    let count = counted(label, policy)?;
    let lower = policy.ranges().map(|range| range.start);
    let upper = policy.ranges().map(|range| range.end);
    check_covered(label, &args, &lower, &upper)?;
    let sharing =
        Sharing { chunk: policy.chunk_size(), schedule: policy.schedule_kind(), blocks: args.blocks() };
    // SAFETY: `args` lives, and is only described, until the launch is over.
    let (raw, held) = unsafe { args.lower() };
    let names = Names::new(label, &args);
    let body = &body;
    let value = reduce_with(
        *policy.space(),
        count,
        &sharing,
        &names,
        reducer,
        |offset| Boxed::new(lower, upper, offset),
        &raw,
        |place: Boxed<N>, distance, value: &mut R::Value, raw: &A::Raw, block| {
            let mut index = place.index;
            index[N - 1] += distance;
            // SAFETY: each iteration of each tile runs once, so each index has one witness; coverage is checked.
            unsafe { body(Idx::new(index), value, A::access(raw, block)) }
        },
    );
    A::finish(held);
    Ok(reducer.finish(value))
}

impl<S, A, F, R> ReducePolicy<A, F, R> for RangePolicy<&S>
where
    S: ExecutionSpace,
    A: KernelArgs,
    R: Reducer + Sync,
    R::Value: Send,
    F: for<'k> Fn(Idx<'k, 1>, &mut R::Value, A::Access<'k>) + Sync,
{
    fn reduce(self, label: &str, args: A, functor: F, reducer: R) -> Result<R::Output> {
        over_range(&self, label, args, &reducer, functor)
    }
}

impl<S, A, F, R> MapReducePolicy<A, F, R> for RangePolicy<&S>
where
    S: ExecutionSpace,
    A: KernelArgs,
    R: Reducer + Sync,
    R::Value: Send,
    F: for<'k> Fn(Idx<'k, 1>, A::Access<'k>) -> R::Value + Sync,
{
    fn map_reduce(self, label: &str, args: A, map: F, reducer: R) -> Result<R::Output> {
        over_range(&self, label, args, &reducer, |i, value: &mut R::Value, args| {
            reducer.join(value, &map(i, args));
        })
    }
}

impl<S, A, F, R, const N: usize> ReducePolicy<A, F, R> for MdRangePolicy<&S, N>
where
    S: ExecutionSpace,
    A: KernelArgs,
    R: Reducer + Sync,
    R::Value: Send,
    F: for<'k> Fn(Idx<'k, N>, &mut R::Value, A::Access<'k>) + Sync,
{
    fn reduce(self, label: &str, args: A, functor: F, reducer: R) -> Result<R::Output> {
        over_box(&self, label, args, &reducer, functor)
    }
}

impl<S, A, F, R, const N: usize> MapReducePolicy<A, F, R> for MdRangePolicy<&S, N>
where
    S: ExecutionSpace,
    A: KernelArgs,
    R: Reducer + Sync,
    R::Value: Send,
    F: for<'k> Fn(Idx<'k, N>, A::Access<'k>) -> R::Value + Sync,
{
    fn map_reduce(self, label: &str, args: A, map: F, reducer: R) -> Result<R::Output> {
        over_box(&self, label, args, &reducer, |i, value: &mut R::Value, args| {
            reducer.join(value, &map(i, args));
        })
    }
}
