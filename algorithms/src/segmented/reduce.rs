//! Reductions of each segment of a View.
//!
//! The work is cut by **keys**: element `j` of segment `s`, from its first, has the key `offsets[s] + s + j`, and the end of
//! the segment has one too. So keys count elements and segments together, none of them twice, and pieces with equal numbers of
//! keys are equal work, for any segments. A piece processes the tiles (see [`segment_order`](super::order)) whose
//! first key it has. A segment of one tile is then finished; tiles of longer ones go to places, and two more launches join them.
//!
//! Tiles of segments of several tiles have places by key: tiles that are full begin at least [`TILE`] keys apart, and so do
//! last tiles that are not. So for each [`TILE`] keys there is a place for either kind.

use spelt_core::isa::{Work, dispatch};
use spelt_core::reducers::Reducer;
use spelt_core::tools::algorithm;
use spelt_core::{
    Dynamic, Element, ExecutionSpace, Layout, ReadView, Result, View, ViewMut, ViewRef, WriteView,
    parallel_for,
};

use super::offsets::{HOST_PIECE, check_offsets, first_segment, offsets_from_flags};
use super::order::{TILE, join_pairwise, join_pairwise_in_place, join_tile};
use super::staged::{self, reduce_tiles};
use super::teams::reduce_pieces;
use crate::bounds::same_length;
use crate::dense::{Dense, write_densely};
use crate::flag_blocks::granularity;
use crate::large_values::is_large;

/// Keys of a piece, on a host and on a device, which needs as many threads as there are tiles. Unit: keys.
const KEYS_PER_PIECE: [usize; 2] = [HOST_PIECE, TILE];

/// The least number of pieces of a host, where they are longer than that. Source: measured with segments of 10 `f32`: 10^7 elements in as many pieces as
/// have [`HOST_PIECE`] keys take longer, since a thread that goes from one to the next reads elsewhere.
const PIECES: usize = 128;

/// The pieces for each thread, so that a late one costs little.
const PIECES_PER_THREAD: usize = 8;

/// Tiles that one iteration joins: a power of two, so that they are a node of the tree.
const GROUP: usize = 256;

/// The number of segments that are examined together. Unit: segments.
const SOME: usize = 16;

/// The maximum number of keys for which a team of a device takes each piece, and not a thread. Unit: keys. Source: measured on an H200 with
/// segments of 100 `f64`: 10^6 elements take 106 us by teams and 331 us by threads, of which there are too few to hide the latency of
/// memory; 10^7 elements 618 and 444 us, since a team takes more instructions.
const MAX_KEYS_OF_TEAMS: usize = 1 << 22;

/// A segment of several tiles.
#[derive(Clone, Copy)]
pub(super) struct Long {
    /// The key of its first element.
    pub(super) key: usize,
    pub(super) len: usize,
}

impl Long {
    #[inline(always)]
    pub(super) fn of(offsets: &[usize], segment: usize) -> Self {
        let (first, end) = (offsets[segment], offsets[segment + 1]);
        Self { key: first + segment, len: end - first }
    }

    #[inline(always)]
    fn tiles(self) -> usize {
        self.len.div_ceil(TILE)
    }

    /// The place of the value of tile `tile`.
    #[inline(always)]
    pub(super) fn place(self, tile: usize) -> usize {
        let full = (tile + 1) * TILE <= self.len;
        2 * (self.key / TILE + tile) + usize::from(!full)
    }

    /// The first tile whose key is at least `key`.
    #[inline(always)]
    pub(super) fn tile_from(self, key: usize) -> usize {
        key.saturating_sub(self.key).div_ceil(TILE)
    }
}

/// The segments whose first key is in a piece: the kernel around them is too long to be compiled for each processor.
struct Piece<'a, T, O, R, F> {
    values: &'a [T],
    /// The start of each, and the end of the last.
    offsets: &'a [usize],
    first: usize,
    out: &'a mut [O],
    reducer: R,
    /// Reduces the tiles of a segment, from a given one on.
    tiles: F,
}

impl<T, R, F> Work for Piece<'_, T, R::Output, R, F>
where
    T: Element,
    R: Reducer<Value = T>,
    F: FnMut(usize, Long, usize),
{
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        for (number, out) in core::mem::take(&mut self.out).chunks_mut(SOME).enumerate() {
            let first = number * SOME;
            let Some(offsets) = self.offsets.get(first..first + out.len() + 1) else { return };
            let single = offsets.windows(2).fold(true, |single, ends| single & (ends[1] - ends[0] == 1));
            let mut begin = offsets[0];
            if single {
                // Segments of one element each are a loop over vectors.
                for (out, element) in out.iter_mut().zip(&self.values[begin..]) {
                    let mut value = self.reducer.init();
                    self.reducer.join(&mut value, element);
                    *out = self.reducer.finish(value);
                }
                continue;
            }
            for (number, (out, &end)) in out.iter_mut().zip(&offsets[1..]).enumerate() {
                let len = end - begin;
                if len <= TILE {
                    *out = self.reducer.finish(join_tile(&self.reducer, &self.values[begin..end]));
                } else {
                    let segment = self.first + first + number;
                    (self.tiles)(segment, Long { key: begin + segment, len }, 0);
                }
                begin = end;
            }
        }
    }
}

/// Reduces the segments of offsets that have been checked; none has more than `longest` elements.
pub(crate) fn segmented_reduce<S, T, R>(
    space: &S,
    values: ViewRef<'_, T, 1, S::Memory>,
    offsets: ViewRef<'_, usize, 1, S::Memory>,
    mut out: ViewMut<'_, R::Output, 1, S::Memory>,
    longest: usize,
    reducer: R,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    R: Reducer<Value = T> + Copy + Sync,
    R::Output: Element,
{
    let (n, segments) = (values.len(), offsets.len() - 1);
    let keys = n + segments;
    // A constant first: teams are not compiled for hosts, nor for values that do not fit in registers.
    if const { S::IS_DEVICE && staged::fits::<R>() } && n.min(longest) <= TILE {
        return if segments > 0 { reduce_tiles(space, values, offsets, &mut out, reducer) } else { Ok(()) };
    }
    // A segment of several tiles takes more elements than a tile has.
    let blocks = if n.min(longest) > TILE { keys.div_ceil(TILE) } else { 0 };
    let mut places = space.zeros::<T, 1>("values of tiles", [2 * blocks])?;
    // One more than the segment whose full tile begins in the block, or 0.
    let mut owners = space.zeros::<usize, 1>("segments of tiles", [blocks])?;
    if const { S::IS_DEVICE && !is_large::<T>() } && keys <= MAX_KEYS_OF_TEAMS {
        reduce_pieces(space, values, offsets, &mut out, (&mut places, &mut owners), reducer)?;
    } else {
        let pieces = PIECES.max(PIECES_PER_THREAD.saturating_mul(space.concurrency()));
        let longer = if const { S::IS_DEVICE } { 0 } else { keys / pieces };
        let piece = granularity::<S>(KEYS_PER_PIECE).max(longer);
        // SAFETY: the offsets do not decrease and stay so while they are borrowed, so each tile has one key and one piece.
        // `out` is written where a segment of one tile is, `places` and `owners` where no other tile has its place.
        let (out, places, owners) = unsafe { (out.distinct(), places.distinct(), owners.distinct()) };
        parallel_for(
            "segmented reduce",
            space.range(0..keys.div_ceil(piece)).chunk(1).schedule(Dynamic),
            (values.lookup(), offsets.lookup(), out, places, owners),
            move |i, (values, offsets, mut out, mut places, mut owners)| {
                let (values, offsets) = (values.as_slice(), offsets.as_slice());
                let keys = i.get() * piece..keys.min((i.get() + 1) * piece);
                let first = first_segment(offsets, 0..segments, keys.start);
                let last = first_segment(offsets, first..segments.min(first + piece), keys.end);
                let mut tiles = |segment: usize, long: Long, from: usize| {
                    let elements = &values[offsets[segment]..offsets[segment + 1]];
                    let mut tile = from;
                    while tile * TILE < long.len && long.key + tile * TILE < keys.end {
                        let elements = &elements[tile * TILE..long.len.min((tile + 1) * TILE)];
                        let place = long.place(tile);
                        places[place] = join_tile(&reducer, elements);
                        if elements.len() == TILE {
                            owners[place / 2] = segment + 1;
                        }
                        tile += 1;
                    }
                };
                if first > 0 {
                    // It began before this piece, and may have tiles in it.
                    let long = Long::of(offsets, first - 1);
                    let from = long.tile_from(keys.start);
                    if from * TILE < long.len {
                        tiles(first - 1, long, from);
                    }
                }
                let Some(out) = out.slice_mut(first..last) else { return };
                dispatch(Piece { values, offsets: &offsets[first..=last], first, out, reducer, tiles });
            },
        )?;
    }
    if blocks == 0 {
        return Ok(());
    }
    {
        // SAFETY: an iteration joins the tiles of one group of one segment, each group in the iteration of its first tile.
        let places = unsafe { places.distinct() };
        parallel_for(
            "join tiles",
            space.range(0..blocks),
            (offsets.lookup(), &owners, places),
            move |i, (offsets, owners, mut places)| {
                let Some(segment) = owners[i].checked_sub(1) else { return };
                let long = Long::of(offsets.as_slice(), segment);
                let tile = i.get() - long.key / TILE;
                let count = GROUP.min(long.tiles() - tile);
                if tile.is_multiple_of(GROUP) && count > 1 {
                    let place = |number| long.place(tile + number);
                    if const { is_large::<T>() } {
                        join_pairwise_in_place(count, |left, right| {
                            let right = places[place(right)];
                            reducer.join(&mut places[place(left)], &right);
                        });
                    } else {
                        places[place(0)] = join_pairwise(&reducer, count, |number| places[place(number)]);
                    }
                }
            },
        )?;
    }
    // SAFETY: one iteration for each segment of several tiles writes to `out`, and reads and writes the places of its tiles: that of its
    // first tile.
    let (out, places) = unsafe { (out.distinct(), places.distinct()) };
    parallel_for(
        "join groups of tiles",
        space.range(0..blocks),
        (offsets.lookup(), &owners, places, out),
        move |i, (offsets, owners, mut places, mut out)| {
            let Some(segment) = owners[i].checked_sub(1) else { return };
            let long = Long::of(offsets.as_slice(), segment);
            if i.get() == long.key / TILE {
                let groups = long.tiles().div_ceil(GROUP);
                let place = |group| long.place(group * GROUP);
                out[segment] = if const { is_large::<T>() } {
                    join_pairwise_in_place(groups, |left, right| {
                        let right = places[place(right)];
                        reducer.join(&mut places[place(left)], &right);
                    });
                    reducer.finish(places[place(0)])
                } else {
                    reducer.finish(join_pairwise(&reducer, groups, |group| places[place(group)]))
                };
            }
        },
    )
}

/// Reduces each segment from `offsets[s]` to before `offsets[s + 1]` into `out[s]`.
///
/// The number of offsets is that of the segments plus 1; the first is 0, the last the number of elements, and they never
/// decrease. [`offsets_from_integers`](crate::offsets_from_integers) converts those of other integers, such as an `i32` row map, once.
/// [`Offsets`](spelt_core::Offsets) are taken too, and not checked again where [`Offsets::new`](spelt_core::Offsets::new) has checked them: on
/// a device the host then waits for nothing. A segment without elements gives `finish(init())`. How the elements of a segment join depends on their
/// number, the size of a value and [`COMMUTATIVE`](Reducer::COMMUTATIVE), but not on other segments or on
/// its position: the same bits on every space, thread count and run. From its first element on, a segment is cut into tiles
/// of 1024, which join pairwise. A tile of 64 elements or more joins as [`parallel_reduce`](spelt_core::parallel_reduce()) joins
/// that many; a shorter one in eight lanes (fewer for values of more than 16 bytes), and one of fewer than 16 elements from left
/// to right. Wrap the reducer in [`InOrder`](spelt_core::reducers::InOrder) if
/// it declares that it commutes but does not. If joins are exact and commute, the results are those of a sequential loop.
///
/// # Errors
/// [`ErrorKind::Format`](spelt_core::ErrorKind::Format) if offsets decrease, leave a gap or go beyond the elements, with
/// position and values; [`ErrorKind::Extents`](spelt_core::ErrorKind::Extents) if the length of `out` differs from the number of
/// segments; nothing is written then. Any error of the launch on a device.
///
/// # Panics
/// If the reducer panics.
///
/// # Complexity
/// Work `n` joins, and at most 31 more for each tile of 64 elements or more, seven for each of 16 to 63, and one for each of
/// 1024; `segments` finishes; span `O((n + segments) / threads + log n)` for segments of up to 10^8 elements, and one more join
/// for each 262,144 elements of the longest. The pieces of work are equal for all lengths. Elements are read once,
/// offsets twice; `n / 512` values are written and read besides the results. Views with gaps are copied.
///
/// # Source
/// The cut is that of Merrill and Garland, Merge-based parallel sparse matrix-vector multiplication, 2016.
///
/// # Examples
/// ```
/// use spelt_algorithms::segmented_reduce_by_offsets;
/// use spelt_core::{Serial, View, reducers::Sum};
/// let x = View::from_vec("x", [7], vec![8, 6, 7, 5, 3, 0, 9])?;
/// let offsets = View::from_vec("offsets", [4], vec![0, 3, 3, 7])?;
/// let mut sums = View::<i32, 1>::zeros("sums", [3])?;
/// segmented_reduce_by_offsets(&Serial::new(), &x, &offsets, &mut sums, Sum::new())?;
/// assert_eq!(sums.to_vec(), [21, 0, 17]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn segmented_reduce_by_offsets<S, T, L, J, K, R>(
    space: &S,
    values: &impl ReadView<T, 1, S::Memory, L>,
    offsets: &impl ReadView<usize, 1, S::Memory, J>,
    out: &mut impl WriteView<R::Output, 1, S::Memory, K>,
    reducer: R,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    J: Layout,
    K: Layout,
    R: Reducer<Value = T> + Copy + Sync,
    R::Output: Element,
{
    let _region = algorithm("segmented_reduce_by_offsets");
    let values = values.read();
    let known = offsets.segment_shape();
    let offsets = Dense::of(space, offsets.read())?;
    let (segments, longest) = check_offsets(space, offsets.view(), known, values)?;
    same_length(
        "segmented reduce, without the last offset",
        offsets.view().subview(0..segments),
        out.read(),
    )?;
    let values = Dense::of(space, values)?;
    write_densely(space, out, |out| {
        segmented_reduce(space, values.view(), offsets.view(), out, longest, reducer)
    })
}

/// Reduces each segment that `flags` mark, and returns as many results.
///
/// A segment begins at every `true`, and at the first element whether it is flagged or not; so the elements before the first
/// flag are a segment too. Without elements there are no results. Order and bits are as for [`segmented_reduce_by_offsets`].
///
/// # Errors
/// [`ErrorKind::Extents`](spelt_core::ErrorKind::Extents) if the numbers of flags and elements differ;
/// [`ErrorKind::OutOfMemory`](spelt_core::ErrorKind::OutOfMemory); any error of the launch on a device.
///
/// # Panics
/// If the reducer panics.
///
/// # Complexity
/// As [`segmented_reduce_by_offsets`]; instead of given offsets the flags are read twice, and the offsets written, and read
/// once. The host waits for the number of segments.
///
/// # Examples
/// ```
/// use spelt_algorithms::segmented_reduce_by_flags;
/// use spelt_core::{Serial, View, reducers::Sum};
/// let x = View::from_vec("x", [5], vec![1, 2, 3, 4, 5])?;
/// let flags = View::from_vec("flags", [5], vec![false, false, false, true, false])?;
/// let sums = segmented_reduce_by_flags(&Serial::new(), &x, &flags, Sum::new())?;
/// assert_eq!(sums.to_vec(), [6, 9]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn segmented_reduce_by_flags<S, T, L, J, R>(
    space: &S,
    values: &impl ReadView<T, 1, S::Memory, L>,
    flags: &impl ReadView<bool, 1, S::Memory, J>,
    reducer: R,
) -> Result<View<R::Output, 1, S::Memory>>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    J: Layout,
    R: Reducer<Value = T> + Copy + Sync,
    R::Output: Element,
{
    let _region = algorithm("segmented_reduce_by_flags");
    let values = values.read();
    same_length("segmented reduce", values, flags.read())?;
    let offsets = offsets_from_flags(space, flags)?;
    let values = Dense::of(space, values)?;
    let mut out = space.zeros("segments", [offsets.segments()])?;
    segmented_reduce(space, values.view(), offsets.view(), out.view_mut(), usize::MAX, reducer)?;
    Ok(out)
}
