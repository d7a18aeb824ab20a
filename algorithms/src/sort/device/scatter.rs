//! The move of keys to their places.
//!
//! A team ranks a tile of neighbouring keys and writes it into scratch in the order of the ranks. So its threads write neighbours.

use core::array::from_fn;

use spelt_core::{DistinctAccess, Element, ExecutionSpace, Result, Team, View, parallel_for, unrolled};

use super::super::key::{Direction, RadixKey};
use super::super::pass::PairViews;
use super::digits::DIGITS;
use super::ranks::{Sums, Thread, sums_len};
use super::room::{Cut, Room, bytes_of};
use super::size_of_teams;
use super::steps::step_unchecked;
use super::tiles::{EACH, LANES, THREADS, TILE, Tiles};

/// The warps of a team.
const WARPS: usize = THREADS / LANES;

/// The largest values that are put in order in scratch. Unit: bytes. Source: a few larger ones fill a sector, so that it does not matter who
/// writes their neighbours.
const MAX_STAGED: usize = 8;

/// Keys of a thread that are written at a time: a divisor of [`EACH`]. Unit: keys. Source: estimated: their loads overlap, and the places stay in
/// registers.
const AT_ONCE: usize = 7;

const _: () = assert!(EACH.is_multiple_of(AT_ONCE), "keys that are written at a time are those of a tile");

/// Whether values are put in order in scratch.
const fn staged<V>() -> bool {
    size_of::<V>() > 0 && size_of::<V>() <= MAX_STAGED
}

/// Words of scratch of a team.
const fn words<K, V>() -> usize {
    let values = if staged::<V>() { bytes_of::<V>(TILE) } else { 0 };
    let sums = bytes_of::<u32>(DIGITS) + bytes_of::<u32>(sums_len(WARPS));
    (bytes_of::<usize>(DIGITS) + sums + bytes_of::<K>(TILE) + values) / size_of::<u64>()
}

/// The arrays of a team.
#[derive(Clone, Copy)]
struct Arrays<K, V> {
    /// For each digit, the place of its first key less that key's rank.
    bases: Cut<usize>,
    /// The ranks after the digits' last keys in the tile before.
    ends: Cut<u32>,
    sums: Sums,
    keys: Cut<K>,
    /// Empty where values are not put in order in scratch.
    values: Cut<V>,
}

impl<K, V> Arrays<K, V> {
    /// # Safety
    /// There are [`words`].
    #[inline(always)]
    unsafe fn new(words: *mut u64) -> Self {
        let mut room = Room::new(words);
        // SAFETY: the words have room for these arrays.
        unsafe {
            Self {
                bases: room.cut(DIGITS),
                ends: room.cut(DIGITS),
                sums: Sums::new(room.cut(sums_len(WARPS)), WARPS),
                keys: room.cut(TILE),
                values: if const { staged::<V>() } { room.cut(TILE) } else { Cut::empty() },
            }
        }
    }
}

/// Moves every key of `from`, with its value, to its place in `to`. `table` has the first place of each digit and part of a team.
pub(super) fn scatter<S: ExecutionSpace, K: RadixKey, V: Element>(
    space: &S,
    from: &PairViews<'_, K, V, S::Memory>,
    to: &mut PairViews<'_, K, V, S::Memory>,
    direction: Direction<K::Bits>,
    shift: u32,
    tiles: Tiles,
    table: &View<usize, 1, S::Memory>,
) -> Result<()> {
    // SAFETY: the places of a team and digit begin where `table` says and are as many as its keys with that digit, which `count` has
    // found; those of a tile begin after those of the team's earlier tiles, and within a tile each rank is one key's. The keys are not
    // written in between, and their digits are always the same ones, as `RadixKey` is sealed. So no two keys have one place.
    let (to_keys, to_values) = unsafe { (to.keys.distinct(), to.values.distinct()) };
    let words = const { words::<K, V>() };
    let policy = space.team(tiles.teams, size_of_teams(space, THREADS)).scratch(words * size_of::<u64>(), 0);
    let args = (from.keys.view().lookup(), from.values.view().lookup(), table.lookup(), to_keys, to_values);
    let digit = move |key| (direction.digit(key, shift) % DIGITS) as u32;
    parallel_for(
        "sort: scatter",
        policy,
        args,
        move |team, (keys, values, table, mut to_keys, mut to_values)| {
            let rank = team.league_rank();
            let range = tiles.of_team(rank);
            let (Some(mut keys), Some(mut values)) =
                (keys.as_slice().get(range.clone()), values.as_slice().get(range))
            else {
                return;
            };
            let threads = team.team_size();
            assert!(
                !S::IS_DEVICE || threads == THREADS,
                "a team of a device has the threads that it is to have"
            );
            // SAFETY: there are as many words as the arrays need, all zero, so that the sums are clear and each digit's keys end at 0. Between two
            // meetings threads use elements of their own, or only read. A device's team has whole warps, more than one, as asserted; the table
            // gives places to this team alone.
            unsafe {
                team.with_distinct_scratch(
                    words,
                    |_| 0_u64,
                    |team, mut words| {
                        let arrays = Arrays::<K, V>::new(words.as_mut_ptr());
                        step_unchecked(team, DIGITS, |digit| {
                            let base = table[digit * tiles.counts + rank * tiles.parts];
                            arrays.bases.set(digit, base);
                        });
                        let tile = if S::IS_DEVICE { TILE } else { threads * EACH };
                        while !keys.is_empty() {
                            let len = keys.len().min(tile);
                            let from = (&keys[..len], &values[..len]);
                            move_tile::<S, K, V>(team, from, digit, arrays, (&mut to_keys, &mut to_values));
                            (keys, values) = (&keys[len..], &values[len..]);
                        }
                    },
                );
            }
        },
    )
}

/// Moves the keys of a tile, with their values.
///
/// # Safety
/// The team calls it together, with `arrays` of its own and a tile of at most [`EACH`] keys for each thread; no other team's keys have the
/// places that the bases give.
#[inline(always)]
unsafe fn move_tile<S: ExecutionSpace, K: RadixKey, V: Element>(
    team: &mut Team<'_>,
    (keys, values): (&[K], &[V]),
    digit: impl Fn(K) -> u32,
    arrays: Arrays<K, V>,
    (to_keys, to_values): (&mut DistinctAccess<'_, K, 1>, &mut DistinctAccess<'_, V, 1>),
) {
    let len = keys.len() as u32;
    let thread = if S::IS_DEVICE { Thread::of::<true>(team) } else { Thread::of::<false>(team) };
    let Arrays { bases, ends, sums, keys: tile, values: tile_values } = arrays;
    let first = thread.first(EACH as u32);
    // The thread's key in row `k` is one of the tile if the row begins before this distance.
    let left = len.saturating_sub(first);
    // SAFETY: there are keys and values, of which each thread loads some, the last ones again where there are no more; those are ranked last,
    // and not moved to `to`. So the ranks are all numbers below `EACH` times the threads, and each place in scratch that is read has a key. Each
    // thread uses digits, ranks and places of its own between two meetings.
    unsafe {
        let digits = |k: usize, key| if thread.row(k) < left { digit(key) } else { DIGITS as u32 - 1 };
        let mut in_warp = [0; EACH];
        let own = load(keys, first, thread);
        unrolled::<EACH>(|k| in_warp[k] = sums.rank(team, thread, digits(k, own[k])));
        sums.join(team, |digit, first, count| {
            let before = bases.get(digit).wrapping_add(ends.get(digit) as usize);
            // It may be negative, and wraps around.
            bases.set(digit, before.wrapping_sub(first as usize));
            ends.set(digit, first + count);
        });
        // Again: registers for them all would leave room for fewer teams.
        let own = load(keys, first, thread);
        if const { staged::<V>() } {
            let own_values = load(values, first, thread);
            unrolled::<EACH>(|k| {
                let rank = sums.in_team(thread, digits(k, own[k]), in_warp[k]) as usize;
                tile.set(rank, own[k]);
                tile_values.set(rank, own_values[k]);
            });
        } else {
            unrolled::<EACH>(|k| {
                let digit = digits(k, own[k]);
                let rank = sums.in_team(thread, digit, in_warp[k]) as usize;
                tile.set(rank, own[k]);
                if size_of::<V>() > 0
                    && thread.row(k) < left
                    && let Some(to) = to_values.get_mut(bases.get(digit as usize).wrapping_add(rank))
                {
                    *to = *values.get_unchecked((first + thread.row(k)) as usize);
                }
            });
        }
        team.barrier_unchecked();
        let step = if S::IS_DEVICE { THREADS as u32 } else { team.team_size() as u32 };
        let mut next = team.team_rank() as u32;
        while next < len {
            let row = |k: usize| k * step as usize;
            let left = len - next;
            // Behind the tile's keys there are others, which are not written.
            let own: [K; AT_ONCE] = from_fn(|k| tile.get(next as usize + row(k)));
            let places: [usize; AT_ONCE] =
                from_fn(|k| bases.get(digit(own[k]) as usize).wrapping_add(next as usize + row(k)));
            unrolled::<AT_ONCE>(|k| {
                if (row(k) as u32) < left {
                    if let Some(to) = to_keys.get_mut(places[k]) {
                        *to = own[k];
                    }
                    if const { staged::<V>() }
                        && let Some(to) = to_values.get_mut(places[k])
                    {
                        *to = tile_values.get(next as usize + row(k));
                    }
                }
            });
            next += AT_ONCE as u32 * step;
        }
        sums.clear(team);
        team.barrier_unchecked();
    }
}

/// The thread's keys or values: in a tile with fewer, the last one in place of those that there are not.
///
/// # Safety
/// There is one.
#[inline(always)]
unsafe fn load<T: Copy>(all: &[T], first: u32, thread: Thread) -> [T; EACH] {
    let last = all.len() as u32 - 1;
    let first = first.min(last);
    // SAFETY: the places are those of elements.
    unsafe {
        let own = all.as_ptr().add(first as usize);
        if first + thread.row(EACH - 1) <= last {
            from_fn(|k| own.add(thread.row(k) as usize).read())
        } else {
            let (left, last) = (last - first, own.add((last - first) as usize).read());
            from_fn(|k| if thread.row(k) <= left { own.add(thread.row(k) as usize).read() } else { last })
        }
    }
}
