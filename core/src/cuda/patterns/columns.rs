//! `parallel_reduce` of columns on a device.
//!
//! Values lie in memory that the launch takes: one for each lane of as many tiles as fit. If there are more tiles, they take turns, a power of
//! two at a time, whose joined value is a node of the canonical tree. Two nodes of one size join as soon as both are there, so that few are
//! kept: one for each digit of the number of turns.

use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ops::Range;

use spelt_access::{Description, Idx, KernelArgs};
use spelt_kernels_gpu::index_space::IndexSpace;
use spelt_kernels_gpu::kernel::Kernel;
use spelt_kernels_gpu::numbering::Numbering;
use spelt_kernels_gpu::reduce::columns::{self, Groups, Lanes, live_lanes};
use spelt_kernels_gpu::tuning::FOR_THREADS;
use spelt_order::canonical;
use spelt_reducers::{ColumnsVisitor, Reducer, seal};

use super::assert_plain;
use super::workspace::ALIGNMENT as BUFFER_ALIGNMENT;
use crate::cuda::context::lock;
use crate::cuda::{Cuda, DeviceBuffer, Launch, Uses, driver};
use crate::launch::{Contribution, Indices, Prepared};
use crate::{Error, ErrorKind, Result};

/// The memory for the values of lanes, unless one tile needs more. Unit: bytes. Source: estimated: with 30 columns of 8 bytes, it
/// holds the lanes of all threads of an H100.
const LANES_BYTES: usize = 64 << 20;

/// Values that one launch joins to one. Unit: values. Source: estimated: two launches then join the tiles of 8 million iterations, and a thread
/// takes some 60 us.
const GROUP: usize = 64;

/// The kernel of the lanes.
struct RunLanes<A, R, G, S, const N: usize>(PhantomData<(A, R, G, S)>);

#[repr(C)]
struct LanesParams<D, R, G, S, const N: usize> {
    body: G,
    reducer: R,
    raw: D,
    walk: S,
    numbering: Numbering<N>,
    lanes: Lanes,
}

// SAFETY: `run` calls the body, which is `Sync`, once for each index.
unsafe impl<A, R, G, S, const N: usize> Kernel for RunLanes<A, R, G, S, N>
where
    A: KernelArgs,
    R: Reducer + Sync,
    G: Contribution<N, A, R>,
    S: IndexSpace<Index = [usize; N]>,
{
    type Params = LanesParams<A::Raw, R, G, S, N>;

    /// # Safety
    /// The launch covers the iterations of the tiles and meets the conditions of [`columns::run`]; the arguments' borrows live.
    #[inline(always)]
    unsafe fn run(params: &Self::Params) {
        let LanesParams { body, reducer, raw, walk, numbering, lanes } = params;
        let body = |index, value: &mut R::Value| {
            let number = numbering.number(index);
            // SAFETY: each index is visited once, and the launch covers it.
            unsafe { body.contribute(reducer, Idx::new(index), value, A::access(raw, number)) }
        };
        // SAFETY: the launch meets the conditions of `columns::run`, as this function asks.
        unsafe { columns::run(reducer, walk, lanes, &body) }
    }
}

/// The kernel of joins.
struct JoinGroups<R>(PhantomData<R>);

#[repr(C)]
struct GroupsParams<R> {
    reducer: R,
    groups: Groups,
}

// SAFETY: `run` only joins, by a reducer that is `Sync`.
unsafe impl<R: Reducer + Sync> Kernel for JoinGroups<R> {
    type Params = GroupsParams<R>;

    /// # Safety
    /// The launch meets the conditions of [`columns::join`].
    #[inline(always)]
    unsafe fn run(params: &Self::Params) {
        // SAFETY: the launch meets the conditions of `columns::join`, as this function asks.
        unsafe { columns::join(&params.reducer, &params.groups) }
    }
}

/// The columns of a value. Bytes are those of all of them, if they are not too many.
struct Shape {
    len: usize,
    bytes: Option<usize>,
}

/// Finds the [`Shape`].
struct FindShape;

impl<R: Reducer> ColumnsVisitor<R> for FindShape {
    type Output = Shape;
    fn visit<C: Reducer>(
        self,
        _column: &C,
        len: usize,
        _value: impl Fn(Box<[C::Value]>) -> R::Value,
        _columns: impl Fn(&R::Value) -> Range<*const C::Value>,
    ) -> Shape {
        assert_plain!(C::Value, "the value of a column in a kernel for a device");
        const { assert!(align_of::<C::Value>() <= BUFFER_ALIGNMENT, "columns are aligned to 256 bytes") };
        Shape { len, bytes: len.checked_mul(size_of::<C::Value>()) }
    }
}

/// Copies a value to the host.
struct Fetch<'a> {
    space: &'a Cuda,
    place: *const u8,
}

impl<R: Reducer> ColumnsVisitor<R> for Fetch<'_> {
    type Output = Result<R::Value>;
    fn visit<C: Reducer>(
        self,
        _column: &C,
        len: usize,
        value: impl Fn(Box<[C::Value]>) -> R::Value,
        _columns: impl Fn(&R::Value) -> Range<*const C::Value>,
    ) -> Result<R::Value> {
        let mut columns: Vec<C::Value> = Vec::new();
        columns.try_reserve_exact(len).map_err(|_full| {
            let bytes = len.saturating_mul(size_of::<C::Value>());
            Error::new(
                ErrorKind::OutOfMemory,
                format!("the host has no memory for the {bytes} bytes of the result"),
            )
        })?;
        let room: &mut [MaybeUninit<C::Value>] = &mut columns.spare_capacity_mut()[..len];
        // SAFETY: the place holds a value that the kernels have written, and this launch alone uses it.
        unsafe { self.space.copy_to_host(self.place.cast::<C::Value>(), room)? };
        // SAFETY: the copy has written them: bytes of values without drop glue, which the device no longer uses.
        unsafe { columns.set_len(len) };
        Ok(value(columns.into_boxed_slice()))
    }
}

/// A reduction that is about to run, and the memory for its values.
struct Running<'a, R> {
    space: &'a Cuda,
    label: &'a str,
    reducer: &'a R,
    /// Columns of a value, and their bytes.
    len: usize,
    bytes: usize,
    buffer: DeviceBuffer,
}

impl<R: Reducer + Sync> Running<'_, R> {
    /// The value with this number in the buffer.
    fn value(&self, number: usize) -> *mut u8 {
        self.buffer.pointer().wrapping_add(number * self.bytes)
    }

    /// A copy of the reducer.
    fn reducer(&self) -> R {
        // SAFETY: the reducer has no drop glue, and the device gets the copy.
        unsafe { core::ptr::read(self.reducer) }
    }

    /// The shape of a launch with this many threads.
    fn launch<'l>(&'l self, threads: Option<usize>, uses: &'l [Description<'l>]) -> Result<Launch<'l>> {
        let blocks = threads.and_then(|threads| u32::try_from(threads.div_ceil(FOR_THREADS as usize)).ok());
        let blocks = blocks.filter(|&blocks| blocks <= spelt_kernels_gpu::tuning::MAX_BLOCKS);
        let blocks = blocks.ok_or_else(|| {
            let message =
                format!("{} columns are too many for a device: reduce fewer columns at a time", self.len);
            Error::new(ErrorKind::Policy, message).in_kernel(self.label)
        })?;
        Ok(Launch { label: self.label, blocks, threads: FOR_THREADS, shared_bytes: 0, uses })
    }

    /// Joins `count` values from number `first` on, in groups of `size`.
    ///
    /// # Safety
    /// Earlier launches have written these values, `distance` apart, and nothing but this reduction uses them.
    unsafe fn join(
        &self,
        first: usize,
        distance: usize,
        count: usize,
        size: usize,
        by_halves: bool,
    ) -> Result<()> {
        if count < 2 || self.len == 0 {
            return Ok(());
        }
        let launch = self.launch(count.div_ceil(size).checked_mul(self.len), &[])?;
        let groups = Groups { values: self.value(first), distance, count, size, by_halves };
        let params = GroupsParams { reducer: self.reducer(), groups };
        // SAFETY: there is a thread for each column of each group, and by the contract the values are written and this reduction's.
        unsafe { self.space.launch::<JoinGroups<R>>(&launch, params) }
    }

    /// Joins `count` values from number `first` on, pairwise by number, into the first.
    ///
    /// # Safety
    /// As for [`join`](Self::join).
    unsafe fn join_all(&self, first: usize, mut distance: usize, mut count: usize) -> Result<()> {
        while count > 1 {
            // SAFETY: by the contract; each launch leaves the values of its groups, further apart.
            unsafe { self.join(first, distance, count, GROUP, false)? };
            (distance, count) = (distance * GROUP, count.div_ceil(GROUP));
        }
        Ok(())
    }
}

/// The maximum number of nodes that a reduction in turns keeps at a time: after a turn whose number has only ones as binary digits, one for each
/// of them, and its own.
const fn max_nodes(turns: usize) -> usize {
    if turns > 1 { turns.ilog2() as usize + 1 } else { 0 }
}

/// How often the last two of `nodes` join after a turn, which has left the last one. After the last turn, nodes of any sizes join, because those
/// without a neighbour move up.
const fn joins_after(turn: usize, turns: usize, nodes: usize) -> usize {
    if turn + 1 < turns { turn.trailing_ones() as usize } else { nodes - 1 }
}

/// Runs a prepared launch.
pub(super) fn run<I, A, G, R, const N: usize>(
    launch: &Prepared<'_, A, I, N>,
    numbering: Numbering<N>,
    body: G,
    reducer: R,
) -> Result<R::Output>
where
    I: Indices<N, Space = Cuda>,
    A: KernelArgs,
    G: Contribution<N, A, R>,
    R: Reducer + Sync,
{
    assert_plain!(G, "the closure of a kernel for a device");
    assert_plain!(R, "the reducer of a kernel for a device");
    let (space, label, n) = (launch.indices.space(), launch.label, launch.count);
    let shape = reducer.by_columns(FindShape, seal()).filter(|_| n > 0);
    let Some(Shape { len, bytes }) = shape else { return Ok(reducer.finish(reducer.init())) };
    let lanes = canonical::lanes(R::LANE_BYTES);
    let tiles = canonical::tile_count(n, lanes);
    let tuned = || (LANES_BYTES / lanes / bytes.unwrap_or(usize::MAX).max(1)).max(1);
    let most = lock(&space.workspace).cut.map_or_else(tuned, |(_, steps)| steps as usize);
    let at_once = (1 << most.ilog2()).min(tiles.next_power_of_two());
    let turns = tiles.div_ceil(at_once);
    // The values of lanes, and behind them those of nodes.
    let of_lanes = at_once.min(tiles) * lanes;
    let room = bytes.and_then(|bytes| bytes.checked_mul(of_lanes + max_nodes(turns)));
    let (Some(bytes), Some(room)) = (bytes, room) else {
        let message = format!("no memory for {len} columns in each lane: reduce fewer columns at a time");
        return Err(Error::new(ErrorKind::OutOfMemory, message).in_kernel(label));
    };
    let in_kernel = |error: Error| error.in_kernel(label);
    let buffer = space.scratch(room.max(1)).map_err(in_kernel)?;
    let running = Running { space, label, reducer: &reducer, len, bytes, buffer };
    let uses = Uses::of(launch.args);
    // The nodes that are kept, in order.
    let mut nodes = 0;
    for turn in 0..turns {
        let first = turn * at_once;
        let here = at_once.min(tiles - first);
        let shape = running.launch(Some(here * lanes), &uses)?;
        // SAFETY: `assert_plain` has accepted the body; the copy goes to the device.
        let body = unsafe { core::ptr::read(&body) };
        let walk = I::on_device(&launch.corners, lanes);
        let lanes_here = Lanes { n, first, tiles: here, values: running.value(0) };
        let params = LanesParams {
            body,
            reducer: running.reducer(),
            raw: launch.raw,
            walk,
            numbering,
            lanes: lanes_here,
        };
        // SAFETY: a prepared launch is covered and its arguments are described. There is a thread for each lane of the tiles, each of which
        // has an iteration, and the buffer has room for their values, which `FindShape` has found to be aligned.
        unsafe { space.launch::<RunLanes<A, R, G, I::OnDevice, N>>(&shape, params)? };
        let in_last = (n - (first + here - 1) * canonical::tile_len(lanes)).min(canonical::tile_len(lanes));
        let live = (here - 1) * lanes + live_lanes(R::COMMUTATIVE, lanes, in_last);
        // SAFETY: the lanes with iterations are the first ones of each tile, all of them but in the last tile; then each tile's value is
        // that of its first lane.
        unsafe {
            running.join(0, 1, live, lanes, R::COMMUTATIVE)?;
            running.join_all(0, lanes, here)?;
        }
        if turns > 1 && bytes > 0 {
            let [to, from] =
                [of_lanes + nodes, 0].map(|number| running.value(number).addr() as driver::Address);
            // SAFETY: both are places for a value in the buffer, and the stream keeps the order.
            unsafe { driver::copy(to, from, bytes, space.stream.raw()) }
                .map_err(|fault| in_kernel(space.context().failed("keeping a partial result", fault)))?;
            nodes += 1;
            for _ in 0..joins_after(turn, turns, nodes) {
                nodes -= 1;
                // SAFETY: the last two nodes have been left there, side by side.
                unsafe { running.join(of_lanes + nodes - 1, 1, 2, 2, false)? };
            }
        }
    }
    let place = if turns > 1 { of_lanes } else { 0 };
    let fetched = reducer.by_columns(Fetch { space, place: running.value(place) }, seal());
    // The columns were found above.
    fetched
        .map_or_else(|| Ok(reducer.init()), |value| value.map_err(in_kernel))
        .map(|value| reducer.finish(value))
}

#[cfg(test)]
mod tests {
    use super::{joins_after, max_nodes};

    /// The text of nodes that join pairwise by number, level by level.
    fn pairwise(mut nodes: Vec<String>) -> String {
        while nodes.len() > 1 {
            nodes = nodes
                .chunks(2)
                .map(|pair| if pair.len() == 2 { format!("({})", pair.concat()) } else { pair[0].clone() })
                .collect();
        }
        nodes.remove(0)
    }

    #[test]
    fn few_nodes_join_in_the_order_of_the_tree() {
        for turns in 2..=130 {
            let mut kept: Vec<String> = Vec::new();
            for turn in 0..turns {
                kept.push(format!("{turn},"));
                assert!(kept.len() <= max_nodes(turns), "{} nodes after turn {turn} of {turns}", kept.len());
                for _ in 0..joins_after(turn, turns, kept.len()) {
                    let last = kept.split_off(kept.len() - 2).concat();
                    kept.push(format!("({last})"));
                }
            }
            assert_eq!(
                kept,
                [pairwise((0..turns).map(|turn| format!("{turn},")).collect())],
                "{turns} turns"
            );
        }
    }
}
