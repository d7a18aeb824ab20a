//! The host's reductions of results that are made, and not stored.
//!
//! A piece of the elements reduces their results one element after the other, as far as its budget goes, and leaves the rest and
//! elements with more results than a tile to two more launches: one makes tiles, equal pieces of them, the other joins the tiles of
//! each element. So no element is counted before another begins, and the work of a piece is bounded for any sizes.

use core::mem::MaybeUninit;
use core::slice::{from_mut, from_ref};
use std::sync::{Mutex, PoisonError};

use spelt_core::isa::{Work, dispatch};
use spelt_core::reducers::Reducer;
use spelt_core::{Dynamic, Element, ExecutionSpace, Result, View, ViewRef, parallel_for};

use super::expand::too_many;
use super::order::{SHORT, TILE, join_made, join_pairwise, join_pairwise_in_place};
use crate::IndexElement;
use crate::large_values::is_large;
use crate::room::{appended, push};
use crate::unwritten::Unwritten;

/// The elements of a piece. Unit: elements. Source: measured with 10^7 elements on two threads, which take contiguous parts: 4.2 ms with 512,
/// 3.3 to 3.6 with 2048 (docs/benchmarks/algorithms.md).
const PIECE: usize = 2048;

/// The results of a piece beside those of elements with few. Unit: results. Source: so many for each element that leaving it to other
/// launches, some 20 ns, is less than its own work.
const BUDGET: usize = 64 * PIECE;

/// The tiles that one iteration makes.
const TILES: usize = 8;

/// The elements that are examined together. Unit: elements.
const SOME: usize = 16;

/// The name of the list of these in an error.
const LONG_ELEMENTS: &str = "elements with many results";

/// An element that is left to the launches over tiles.
struct Left {
    element: usize,
    /// The number of its results.
    len: usize,
    /// The tiles of those before it.
    tiles_before: usize,
}

impl Left {
    /// Its tiles among those of all.
    fn tiles(&self) -> core::ops::Range<usize> {
        self.tiles_before..self.tiles_before + self.len.div_ceil(TILE)
    }
}

/// A tile of the results of an element.
struct Tile<'a, T, R, G> {
    value: T,
    /// The first result.
    first: usize,
    len: usize,
    reducer: &'a R,
    get: &'a G,
}

impl<T, R, G> Work for Tile<'_, T, R, G>
where
    T: Element,
    R: Reducer,
    R::Value: Element,
    G: Fn(T, usize) -> R::Value,
{
    type Output = R::Value;

    #[inline(always)]
    fn run(self) -> R::Value {
        join_made(self.reducer, self.len, |k| (self.get)(self.value, self.first + k))
    }
}

/// Elements whose results are reduced one element after the other.
struct Piece<'a, T, R: Reducer, S, G> {
    values: &'a [T],
    out: &'a mut [MaybeUninit<R::Output>],
    /// The first element.
    first: usize,
    reducer: &'a R,
    size: &'a S,
    get: &'a G,
}

impl<T, R, S, G> Work for Piece<'_, T, R, S, G>
where
    T: Element,
    R: Reducer,
    R::Value: Element,
    S: Fn(T) -> usize,
    G: Fn(T, usize) -> R::Value,
{
    /// The elements that are left, or an error if there is no memory for these.
    type Output = Result<Vec<Left>>;

    /// Reduces the results of the elements as far as the budget goes.
    ///
    /// Fewer than [`SHORT`] results are one vector under a mask where the processor has wide ones, which saves a branch that is guessed wrong
    /// for most elements.
    #[inline(always)]
    fn run(self) -> Result<Vec<Left>> {
        let Self { values, out, first, reducer, size, get } = self;
        let (mut left, mut budget) = (Vec::new(), BUDGET);
        let mut one_by_one =
            |first: usize, values: &[T], out: &mut [MaybeUninit<R::Output>], lens: &[usize]| -> Result<()> {
                for (element, ((&value, out), &len)) in (first..).zip(values.iter().zip(out).zip(lens)) {
                    if len <= TILE.min(budget) {
                        budget -= len;
                        out.write(reducer.finish(reduce_tile(Tile { value, first: 0, len, reducer, get })));
                    } else {
                        push(&mut left, Left { element, len, tiles_before: 0 }, LONG_ELEMENTS)?;
                    }
                }
                Ok(())
            };
        // Arrays: of slices, the last sizes would be stored one by one, and the comparison of all would wait for each.
        let (whole, rest) = values.as_chunks::<SOME>();
        let (whole_out, rest_out) = out.as_chunks_mut::<SOME>();
        for (number, (values, out)) in whole.iter().zip(whole_out).enumerate() {
            let mut lens = [0; SOME];
            for (len, &value) in lens.iter_mut().zip(values) {
                *len = size(value);
            }
            if lens.iter().fold(0, |all, &len| all | len) < SHORT {
                for ((&value, out), &len) in values.iter().zip(out).zip(&lens) {
                    // Which changes no such number, and leaves only the loop for few.
                    let len = len & (SHORT - 1);
                    out.write(reducer.finish(join_made(reducer, len, |k| get(value, k))));
                }
            } else {
                one_by_one(first + number * SOME, values, out, &lens)?;
            }
        }
        let first = first + whole.len() * SOME;
        for (element, (value, out)) in (first..).zip(rest.iter().zip(rest_out)) {
            one_by_one(element, from_ref(value), from_mut(out), &[size(*value)])?;
        }
        Ok(left)
    }
}

/// Apart, so that the loop over elements with few results stays short.
#[inline(never)]
fn reduce_tile<W: Work>(tile: W) -> W::Output {
    dispatch(tile)
}

/// Reduces the results of each element.
pub(super) fn reduce_results<S, T, N, R>(
    space: &S,
    values: ViewRef<'_, T, 1, S::Memory>,
    size: impl Fn(T) -> N + Sync,
    get: impl Fn(T, usize) -> R::Value + Sync,
    reducer: R,
) -> Result<View<R::Output, 1, S::Memory>>
where
    S: ExecutionSpace,
    T: Element,
    N: IndexElement,
    R: Reducer + Copy + Sync,
    R::Value: Element,
    R::Output: Element,
{
    let n = values.len();
    let mut view = Unwritten::new(space, "reduced", n)?;
    let out = view.elements();
    let size = |value| size(value).place();
    let (size, get, reducer, left) = (&size, &get, &reducer, &Mutex::new(Ok(Vec::new())));
    parallel_for(
        "expand and reduce",
        space.range(0..n.div_ceil(PIECE)).chunk(1),
        values.lookup(),
        move |i, values| {
            let first = i.get() * PIECE;
            let range = first..n.min(first + PIECE);
            let values = &values.as_slice()[range.clone()];
            // SAFETY: an iteration writes the elements of its own piece.
            let out = unsafe { out.slice(range) };
            let more = dispatch(Piece { values, out, first, reducer, size, get });
            if !more.as_ref().is_ok_and(Vec::is_empty) {
                let mut left = left.lock().unwrap_or_else(PoisonError::into_inner);
                let all = core::mem::replace(&mut *left, Ok(Vec::new()));
                *left = all.and_then(|all| appended(all, more?, LONG_ELEMENTS));
            }
        },
    )?;
    let mut left =
        core::mem::replace(&mut *left.lock().unwrap_or_else(PoisonError::into_inner), Ok(Vec::new()))?;
    if left.is_empty() {
        // SAFETY: each piece has written all of its elements but those that it left.
        return Ok(unsafe { view.assume_init() });
    }
    let (mut tiles, mut total) = (0, 0_usize);
    for left in &mut left {
        total = total.checked_add(left.len).filter(|&total| total < usize::MAX).ok_or_else(|| too_many(n))?;
        left.tiles_before = tiles;
        tiles = left.tiles().end;
    }
    let left = &left;
    let mut parts = space.zeros::<R::Value, 1>("values of tiles", [tiles])?;
    // SAFETY: an iteration writes its own tiles.
    let distinct = unsafe { parts.distinct() };
    parallel_for(
        "expand and reduce tiles",
        space.range(0..tiles.div_ceil(TILES)).chunk(1).schedule(Dynamic),
        (values.lookup(), distinct),
        move |i, (values, mut parts)| {
            let first = i.get() * TILES;
            let Some(parts) = parts.slice_mut(first..tiles.min(first + TILES)) else { return };
            let mut at = left.partition_point(|left| left.tiles().end <= first);
            for (tile, part) in (first..).zip(parts) {
                at += usize::from(left[at].tiles().end == tile);
                let Left { element, len, tiles_before } = left[at];
                let first = (tile - tiles_before) * TILE;
                let (value, len) = (values.as_slice()[element], TILE.min(len - first));
                *part = dispatch(Tile { value, first, len, reducer, get });
            }
        },
    )?;
    // SAFETY: an iteration reads and writes the tiles of its own element.
    let parts = unsafe { parts.distinct() };
    parallel_for(
        "join tiles",
        space.range(0..left.len()).chunk(TILES).schedule(Dynamic),
        parts,
        move |i, mut parts| {
            let Left { element, .. } = left[i.get()];
            let parts = parts.slice_mut(left[i.get()].tiles()).expect("the tiles of an element are there");
            let result = reducer.finish(if const { is_large::<R::Value>() } {
                join_pairwise_in_place(parts.len(), |left, right| {
                    let right = parts[right];
                    reducer.join(&mut parts[left], &right);
                });
                parts[0]
            } else {
                join_pairwise(reducer, parts.len(), |tile| parts[tile])
            });
            // SAFETY: an iteration writes the result of its own element.
            unsafe { out.at(element) }.write(result);
        },
    )?;
    // SAFETY: now those that were left are written, too.
    Ok(unsafe { view.assume_init() })
}
