//! The move of keys to their places.
//!
//! A team ranks a tile of neighbouring keys and writes it into scratch in the order of the ranks. So its threads write neighbours.

use core::array::from_fn;

use spelt_core::{Element, ExecutionSpace, Result, Team, View, parallel_for, unrolled};

use super::super::key::{Direction, RadixBits, RadixKey};
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

/// Whether values are put in order in scratch, where the keys have been.
const fn staged<V>() -> bool {
    size_of::<V>() > 0 && size_of::<V>() <= MAX_STAGED
}

/// Whether a thread keeps its keys in registers while it ranks them. Otherwise it loads them again: two teams on a multiprocessor leave each thread
/// 128 registers, and with kept keys `i64` would take 131, and `u32` with values 141 (docs/benchmarks/device.md).
const fn kept<K, V>() -> bool {
    size_of::<K>() <= size_of::<u32>() && !staged::<V>()
}

/// Words of scratch of a team that are clear at first.
const ZEROS: usize = (bytes_of::<u32>(DIGITS) + bytes_of::<u32>(sums_len(WARPS))) / size_of::<u64>();

/// Words of the tile: of its keys, and afterwards of their values.
const fn tile_words<K, V>() -> usize {
    let (keys, values) = (bytes_of::<K>(TILE), if staged::<V>() { bytes_of::<V>(TILE) } else { 0 });
    (if keys > values { keys } else { values }) / size_of::<u64>()
}

/// The maximum size of a team's scratch. Unit: bytes. Source: every device gives a block 48 KiB of shared memory; 2 KiB of them are for the meetings
/// of the team, which take 1056 bytes, and for the alignment of scratch.
const MAX_BYTES: usize = 46 << 10;

/// Words of scratch of a team.
const fn words<K, V>() -> usize {
    ZEROS + bytes_of::<usize>(DIGITS) / size_of::<u64>() + tile_words::<K, V>()
}

/// The arrays of a team.
#[derive(Clone, Copy)]
struct Arrays {
    /// The ranks after the digits' last keys in the tile before.
    ends: Cut<u32>,
    sums: Sums,
    /// For each digit, the place of its first key less that key's rank.
    bases: Cut<usize>,
    /// The keys of the tile, and then their values.
    tile: Cut<u64>,
}

impl Arrays {
    /// # Safety
    /// There are [`words`].
    #[inline(always)]
    unsafe fn new<K, V>(words: *mut u64) -> Self {
        let mut room = Room::new(words);
        // SAFETY: the words have room for these arrays.
        unsafe {
            Self {
                ends: room.cut(DIGITS),
                sums: Sums::new(room.cut(sums_len(WARPS)), WARPS),
                bases: room.cut(DIGITS),
                tile: room.cut(const { tile_words::<K, V>() }),
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
    const {
        assert!(align_of::<K>() <= align_of::<u64>(), "keys are aligned in the words of a tile");
        assert!(words::<K, V>() * size_of::<u64>() <= MAX_BYTES, "every device has room for a team");
    }
    let len = to.keys.len();
    // Places are not compared with them where keys and values are written.
    assert!(
        to.values.len() == len && from.keys.len() == len && from.values.len() == len,
        "keys and values of a sort are as many before a pass as after it"
    );
    // SAFETY: the places of a team and digit begin where `table` says and are as many as its keys with that digit, which `count` has
    // found; those of a tile begin after those of the team's earlier tiles, and within a tile each rank is one key's. The keys are not
    // written in between, and their digits are always the same ones, as `RadixKey` is sealed. So no two keys have one place.
    let (to_keys, to_values) = unsafe { (to.keys.distinct(), to.values.distinct()) };
    let words = const { words::<K, V>() };
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
            let targets = Targets { keys: to_keys.as_mut_ptr(), values: to_values.as_mut_ptr(), len };
            // SAFETY: the keys of a team are the same in all its lanes, so that all make this call, or none, with constants, and move the same tiles
            // in it. There are as many words as the arrays need; the sums are clear and each digit's keys end at 0. Between two meetings threads
            // use elements of their own, or only read. A device's team has whole warps, more than one, as asserted; the table gives places to this
            // team alone, all below the number of keys that were counted, of which `to` has as many, and as many values, as asserted.
            unsafe {
                team.with_shared_words(words, ZEROS, |team, words| {
                    let arrays = Arrays::new::<K, V>(words);
                    step_unchecked(team, DIGITS, |digit| {
                        let base = table[digit * tiles.counts + rank * tiles.parts];
                        arrays.bases.set(digit, base);
                    });
                    let tile = if S::IS_DEVICE { TILE } else { threads * EACH };
                    while !keys.is_empty() {
                        let len = keys.len().min(tile);
                        move_tile::<S, K, V>(team, (&keys[..len], &values[..len]), digit, arrays, &targets);
                        (keys, values) = (&keys[len..], &values[len..]);
                    }
                });
            }
        },
    )
}

/// Moves the keys of a tile, with their values.
///
/// # Safety
/// The team calls it together, with `arrays` of its own and a tile of at most [`EACH`] keys for each thread, and as many values; the places that the
/// bases give are in `to`, which has a key and a value at each, and no other team's keys have them.
#[inline(always)]
unsafe fn move_tile<S: ExecutionSpace, K: RadixKey, V: Element>(
    team: &mut Team<'_>,
    (keys, values): (&[K], &[V]),
    digit: impl Fn(K) -> u32,
    arrays: Arrays,
    to: &Targets<K, V>,
) {
    let len = keys.len() as u32;
    let thread = if S::IS_DEVICE { Thread::of::<true>(team) } else { Thread::of::<false>(team) };
    let Arrays { bases, ends, sums, tile: words } = arrays;
    let first = thread.first(EACH as u32);
    // The thread's key in row `k` is one of the tile if the row begins before this distance.
    let left = len.saturating_sub(first);
    // SAFETY: there are keys and values, of which each thread loads some, the last ones again where there are no more; those are ranked last,
    // and not moved to `to`. So the ranks are all numbers below `EACH` times the threads, and each place in scratch that is read has a key, or a
    // value. Each thread uses digits, ranks and places of its own between two meetings. The tile's words have room for its keys and for values
    // that are put in order there.
    unsafe {
        let (tile, tile_values) = (words.of::<K>(TILE), words.of::<V>(if staged::<V>() { TILE } else { 0 }));
        let own = load(keys, first, thread);
        let digits: [u32; EACH] = if thread.row(EACH - 1) < left {
            from_fn(|k| digit(own[k]))
        } else {
            from_fn(|k| if thread.row(k) < left { digit(own[k]) } else { DIGITS as u32 - 1 })
        };
        let mut ranks = [0; EACH];
        unrolled::<EACH>(|k| ranks[k] = sums.rank(team, thread, digits[k]));
        sums.join(team, |digit, first, count| {
            let before = bases.get(digit).wrapping_add(ends.get(digit) as usize);
            // It may be negative, and wraps around.
            bases.set(digit, before.wrapping_sub(first as usize));
            ends.set(digit, first + count);
        });
        let own = if const { kept::<K, V>() } { own } else { load(keys, first, thread) };
        unrolled::<EACH>(|k| {
            ranks[k] = sums.in_team(thread, digits[k], ranks[k]);
            tile.set(ranks[k] as usize, own[k]);
            if size_of::<V>() > 0 && !const { staged::<V>() } && thread.row(k) < left {
                let place = bases.get(digits[k] as usize).wrapping_add(ranks[k] as usize);
                debug_assert!(place < to.len, "a value's place is in `to`");
                to.values.add(place).write(*values.get_unchecked((first + thread.row(k)) as usize));
            }
        });
        team.barrier_unchecked();
        let step = if S::IS_DEVICE { THREADS as u32 } else { team.team_size() as u32 };
        let next = team.team_rank() as u32;
        // The thread's keys in the order of the ranks are also in rows, of one for each thread.
        let row = |k: usize| k as u32 * step;
        let left = len.saturating_sub(next);
        let mut written = [0; EACH];
        unrolled::<{ EACH / AT_ONCE }>(|part| {
            let own: [K; AT_ONCE] = from_fn(|k| tile.get((next + row(part * AT_ONCE + k)) as usize));
            unrolled::<AT_ONCE>(|k| {
                let key = own[k];
                let k = part * AT_ONCE + k;
                written[k] = digit(key);
                let place = bases.get(written[k] as usize).wrapping_add((next + row(k)) as usize);
                if row(k) < left {
                    debug_assert!(place < to.len, "a key's place is in `to`");
                    to.keys.add(place).write(key);
                }
            });
        });
        if const { staged::<V>() } {
            let own = load(values, first, thread);
            team.barrier_unchecked();
            unrolled::<EACH>(|k| tile_values.set(ranks[k] as usize, own[k]));
            team.barrier_unchecked();
            unrolled::<EACH>(|k| {
                let place = bases.get(written[k] as usize).wrapping_add((next + row(k)) as usize);
                if row(k) < left {
                    debug_assert!(place < to.len, "a value's place is in `to`");
                    to.values.add(place).write(tile_values.get((next + row(k)) as usize));
                }
            });
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
