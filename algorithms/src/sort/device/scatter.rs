//! The move of keys to their places.
//!
//! A team ranks its keys, which are neighbours, a tile at a time, and writes them into scratch in the order of the ranks. So its threads write
//! neighbours: the more keys a team has, the more of them go to neighbouring places, and the fewer sectors are written in part.

use core::array::from_fn;
use core::ops::Range;

use spelt_core::{Element, ExecutionSpace, Result, Team, View, parallel_for, unrolled};

use super::super::key::{Direction, RadixBits, RadixKey};
use super::super::pass::PairViews;
use super::digits::DIGITS;
use super::ranks::{GROUPS, Sums, Thread, add_smaller, sums_len};
use super::room::{Cut, Room, bytes_of};
use super::size_of_teams;
use super::steps::step_unchecked;
use super::tiles::{EACH, EACH_LARGE, EACH_WIDE, LANES, THREADS, Tiles};

/// The warps of a team.
const WARPS: usize = THREADS / LANES;

/// The largest values that are put in order in scratch. Unit: bytes. Source: a few larger ones fill a sector, so that it does not matter who
/// writes their neighbours.
const MAX_STAGED: usize = 8;

/// Keys of a thread that are written at a time. Unit: keys. Source: estimated: their loads overlap, and the places stay in registers.
const AT_ONCE: usize = 7;

/// Teams that are on a multiprocessor at a time, so that some write while others read. Unit: teams. Source: estimated.
const SHARING: usize = 2;

/// Whether values are put in order in scratch, beside the keys.
const fn staged<V>() -> bool {
    size_of::<V>() > 0 && size_of::<V>() <= MAX_STAGED
}

/// Keys of a thread in a tile.
pub(super) const fn each<K, V>() -> usize {
    match size_of::<K>() + if staged::<V>() { size_of::<V>() } else { 0 } {
        0..=8 if size_of::<K>() <= size_of::<u32>() => EACH,
        0..=8 => EACH_WIDE,
        _ => EACH_LARGE,
    }
}

/// Words of scratch of a team that are clear at first.
const ZEROS: usize = bytes_of::<u32>(sums_len(WARPS)) / size_of::<u64>();

/// Bytes of scratch of a team with this number of tiles.
const fn bytes<K, V>(tiles: usize) -> usize {
    let keys = tiles * THREADS * each::<K, V>();
    let digits = ZEROS * size_of::<u64>() + bytes_of::<u32>(DIGITS + GROUPS) + bytes_of::<usize>(DIGITS);
    digits + bytes_of::<K>(keys) + if staged::<V>() { bytes_of::<V>(keys) } else { 0 }
}

/// The maximum number of tiles of a team for which there is room.
pub(super) fn max_tiles<S: ExecutionSpace, K: RadixKey, V: Element>(space: &S) -> usize {
    let fit = |room: usize| room.saturating_sub(bytes::<K, V>(0)) / (bytes::<K, V>(1) - bytes::<K, V>(0));
    // Where they have no room for a tile, a team has the multiprocessor to itself.
    let together = fit(space.shared_scratch(SHARING));
    if together > 0 { together } else { fit(space.shared_scratch(1)).max(1) }
}

/// The arrays of a team.
#[derive(Clone, Copy)]
struct Arrays<K, V> {
    sums: Sums,
    /// For each digit, the rank of its next key among the team's: those of tiles that have been ranked come before.
    firsts: Cut<u32>,
    groups: Cut<u32>,
    /// For each digit, the place of its first key less that key's rank.
    bases: Cut<usize>,
    /// The keys in the order of their ranks.
    keys: Cut<K>,
    /// Their values, if they are put in order here.
    values: Cut<V>,
}

impl<K, V> Arrays<K, V> {
    /// # Safety
    /// There are as many [`bytes`] as for this number of tiles; the warps are at most [`WARPS`].
    #[inline(always)]
    unsafe fn new(words: *mut u64, tiles: usize, warps: usize) -> Self {
        let mut room = Room::new(words);
        // SAFETY: the words have room for these arrays.
        unsafe {
            let sums = Sums::new(room.cut(sums_len(WARPS)), warps);
            let numbers = room.cut::<u32>(DIGITS + GROUPS);
            let keys = tiles * THREADS * each::<K, V>();
            Self {
                sums,
                firsts: numbers.part(0, DIGITS),
                groups: numbers.part(DIGITS, GROUPS),
                bases: room.cut(DIGITS),
                keys: room.cut(keys),
                values: room.cut(if staged::<V>() { keys } else { 0 }),
            }
        }
    }
}

/// Where keys go, and their values.
struct Targets<K, V> {
    keys: *mut K,
    values: *mut V,
    /// The number of keys, and that of values.
    len: usize,
}

impl<K: Copy, V: Copy> Targets<K, V> {
    /// # Safety
    /// No other key goes to this place, which is one.
    #[inline(always)]
    unsafe fn set_key(&self, place: usize, key: K) {
        debug_assert!(place < self.len, "a key's place is in `to`");
        // SAFETY: the place is this key's, as this function asks.
        unsafe { self.keys.add(place).write(key) };
    }

    /// # Safety
    /// As [`set_key`](Self::set_key).
    #[inline(always)]
    unsafe fn set_value(&self, place: usize, value: V) {
        debug_assert!(place < self.len, "a value's place is in `to`");
        // SAFETY: the place is this value's, as this function asks.
        unsafe { self.values.add(place).write(value) };
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
    // Constants: a device gets the kernel of one of them.
    if const { each::<K, V>() == EACH } {
        scatter_tiles::<S, K, V, EACH>(space, from, to, direction, shift, tiles, table)
    } else if const { each::<K, V>() == EACH_WIDE } {
        scatter_tiles::<S, K, V, EACH_WIDE>(space, from, to, direction, shift, tiles, table)
    } else {
        scatter_tiles::<S, K, V, EACH_LARGE>(space, from, to, direction, shift, tiles, table)
    }
}

/// [`scatter`] with `EACH` keys for a thread in a tile.
fn scatter_tiles<S: ExecutionSpace, K: RadixKey, V: Element, const EACH: usize>(
    space: &S,
    from: &PairViews<'_, K, V, S::Memory>,
    to: &mut PairViews<'_, K, V, S::Memory>,
    direction: Direction<K::Bits>,
    shift: u32,
    tiles: Tiles,
    table: &View<usize, 1, S::Memory>,
) -> Result<()> {
    const {
        assert!(align_of::<K>() <= align_of::<u64>(), "keys are aligned in the words of a team");
    }
    assert!(each::<K, V>() == EACH, "a team has room for tiles of that size");
    let len = to.keys.len();
    // Places are not compared with them where keys and values are written.
    assert!(
        to.values.len() == len && from.keys.len() == len && from.values.len() == len,
        "keys and values of a sort are as many before a pass as after it"
    );
    // SAFETY: the places of a team and digit begin where `table` says and are as many as its keys with that digit, which `count` has
    // found; each rank is one key's, and those of a digit begin after those of smaller ones. The keys are not
    // written in between, and their digits are always the same ones, as `RadixKey` is sealed. So no two keys have one place.
    let (to_keys, to_values) = unsafe { (to.keys.distinct(), to.values.distinct()) };
    let words = bytes::<K, V>(tiles.tiles) / size_of::<u64>();
    let policy = space.team(tiles.teams, size_of_teams(space, THREADS)).scratch(words * size_of::<u64>(), 0);
    let args = (from.keys.view().lookup(), from.values.view().lookup(), table.lookup(), to_keys, to_values);
    let flip = direction.flip();
    let digit = move |key: K| u32::from(key.to_radix().digit(shift)) ^ flip;
    parallel_for(
        "sort: scatter",
        policy,
        args,
        move |team, (keys, values, table, mut to_keys, mut to_values)| {
            let rank = team.league_rank();
            let range = tiles.of_team(rank);
            let (Some(keys), Some(values)) =
                (keys.as_slice().get(range.clone()), values.as_slice().get(range))
            else {
                return;
            };
            if keys.is_empty() {
                return;
            }
            let threads = team.team_size();
            assert!(
                !S::IS_DEVICE || threads == THREADS,
                "a team of a device has the threads that it is to have"
            );
            let targets = Targets { keys: to_keys.as_mut_ptr(), values: to_values.as_mut_ptr(), len };
            // SAFETY: the keys of a team are the same in all its lanes, so that all make this call, or none, with the same numbers, and rank the same
            // tiles in it. There are as many words as the arrays need; the sums are clear. Between two meetings threads
            // use elements of their own, or only read. A device's team has whole warps, more than one, as asserted; the table gives places to this
            // team alone, all below the number of keys that were counted, of which `to` has as many, and as many values, as asserted.
            unsafe {
                team.with_shared_words(words, ZEROS, |team, words| {
                    let warps = if S::IS_DEVICE { WARPS } else { threads.div_ceil(LANES) };
                    let arrays = Arrays::<K, V>::new(words, tiles.tiles, warps);
                    let thread =
                        if S::IS_DEVICE { Thread::of::<true>(team) } else { Thread::of::<false>(team) };
                    let tile = if S::IS_DEVICE { THREADS * EACH } else { threads * EACH };
                    // They come while the digits' places do.
                    let mut own: [K; EACH] = load(keys, 0, tile, thread);
                    let Arrays { firsts, groups, bases, .. } = arrays;
                    step_unchecked(team, DIGITS, |digit| {
                        let [place, next] = [rank, rank + 1].map(|team| tiles.first_count(digit, team));
                        let place = table[place];
                        let next = if next < DIGITS * tiles.counts { table[next] } else { len };
                        bases.set(digit, place);
                        firsts.set(digit, (next - place) as u32);
                    });
                    add_smaller(team, firsts, groups, |digit, first| {
                        firsts.set(digit, first);
                        // It may be negative, and wraps around.
                        bases.set(digit, bases.get(digit).wrapping_sub(first as usize));
                    });
                    let mut begin = 0;
                    while begin < keys.len() {
                        rank_tile(
                            team,
                            thread,
                            (keys, values),
                            begin..begin + tile,
                            &mut own,
                            digit,
                            arrays,
                            &targets,
                        );
                        begin += tile;
                    }
                    team.barrier_unchecked();
                    write(team, keys.len(), digit, arrays, &targets);
                });
            }
        },
    )
}

/// Puts the thread's keys of a tile, which it has, in the order of their ranks, with their values, and loads its keys of the next one in their place.
///
/// # Safety
/// The team calls it together, with `arrays` of its own and one tile after another, of at most [`EACH`] keys for each thread; [`load`] has given each
/// thread its keys. The first ranks and bases are those of the team's digits.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "they are the state of a team, which stays in registers")]
unsafe fn rank_tile<K: RadixKey, V: Element, const EACH: usize>(
    team: &mut Team<'_>,
    thread: Thread,
    (keys, values): (&[K], &[V]),
    tile: Range<usize>,
    own: &mut [K; EACH],
    digit: impl Fn(K) -> u32,
    arrays: Arrays<K, V>,
    to: &Targets<K, V>,
) {
    let Arrays { firsts, bases, sums, .. } = arrays;
    let first = tile.start + thread.first(EACH as u32) as usize;
    // The thread's key in row `k` is one of the team's if the row begins before this distance.
    let left = keys.len().saturating_sub(first) as u32;
    // SAFETY: the ranks of the team's keys are all numbers below their number, of which scratch has room for as many keys, and for values that are put
    // in order there; other keys, which stand for those that there are not, come after them and are left out. Each thread uses digits, ranks and places
    // of its own between two meetings, and sums of its own warp.
    unsafe {
        // They come while the keys are ranked.
        let own_values = if const { staged::<V>() } {
            Some(load::<V, EACH>(values, tile.start, tile.len(), thread))
        } else {
            None
        };
        // Two to a register.
        let mut in_warp = [0; super::tiles::EACH.div_ceil(2)];
        unrolled::<EACH>(|k| in_warp[k / 2] |= sums.rank(team, thread, digit(own[k])) << (16 * (k % 2)));
        sums.advance(team, firsts);
        unrolled::<EACH>(|k| {
            let digit = digit(own[k]);
            let rank = sums.in_team(thread, digit, in_warp[k / 2] >> (16 * (k % 2)) & 0xFFFF) as usize;
            if thread.row(k) < left {
                arrays.keys.set(rank, own[k]);
                if let Some(own) = &own_values {
                    arrays.values.set(rank, own[k]);
                } else if size_of::<V>() > 0 {
                    let place = bases.get(digit as usize).wrapping_add(rank);
                    to.set_value(place, *values.get_unchecked(first + thread.row(k) as usize));
                }
            }
        });
        if tile.end < keys.len() {
            *own = load(keys, tile.end, tile.len(), thread);
        }
        sums.clear_own(team, thread);
    }
}

/// Writes the team's `len` keys, which are in the order of their ranks, to their places, and their values.
///
/// # Safety
/// The team calls it together, with `arrays` of its own, in which all its keys have been put in order; the places that the bases give are in `to`, which
/// has a key and a value at each, and no other team's keys have them.
#[inline(always)]
unsafe fn write<K: RadixKey, V: Element>(
    team: &Team<'_>,
    len: usize,
    digit: impl Fn(K) -> u32,
    arrays: Arrays<K, V>,
    to: &Targets<K, V>,
) {
    let Arrays { bases, keys, values, .. } = arrays;
    let (mut rank, step) = (team.team_rank(), team.team_size());
    // SAFETY: the ranks are those of keys, and each is one thread's.
    unsafe {
        let place = |key: K, rank: usize| bases.get(digit(key) as usize).wrapping_add(rank);
        while rank + (AT_ONCE - 1) * step < len {
            let own: [K; AT_ONCE] = from_fn(|k| keys.get(rank + k * step));
            let places: [usize; AT_ONCE] = from_fn(|k| place(own[k], rank + k * step));
            unrolled::<AT_ONCE>(|k| to.set_key(places[k], own[k]));
            if const { staged::<V>() } {
                unrolled::<AT_ONCE>(|k| to.set_value(places[k], values.get(rank + k * step)));
            }
            rank += AT_ONCE * step;
        }
        while rank < len {
            let key = keys.get(rank);
            let place = place(key, rank);
            to.set_key(place, key);
            if const { staged::<V>() } {
                to.set_value(place, values.get(rank));
            }
            rank += step;
        }
    }
}

/// The thread's keys or values of the tile of `tile` that begins at `start`: the team's last one in place of those that there are not.
///
/// # Safety
/// There is one in the tile.
#[inline(always)]
unsafe fn load<T: Copy, const EACH: usize>(
    all: &[T],
    start: usize,
    tile: usize,
    thread: Thread,
) -> [T; EACH] {
    let first = start + thread.first(EACH as u32) as usize;
    // SAFETY: the places are those of elements.
    unsafe {
        // All threads take the same way.
        if all.len() - start >= tile && tile == THREADS * EACH {
            let own = all.as_ptr().add(first);
            from_fn(|k| own.add(thread.row(k) as usize).read())
        } else {
            let last = all.len() - 1;
            from_fn(|k| all.as_ptr().add(last.min(first + thread.row(k) as usize)).read())
        }
    }
}
