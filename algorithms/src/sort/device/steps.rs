//! The steps in which a team sorts a tile by a digit.
//!
//! Each lane has neighbouring keys: it counts their digits, the team adds up the counts of earlier lanes, and the lane finds its keys' ranks.

use core::array::from_fn;

use spelt_core::reducers::Sum;
use spelt_core::{DistinctAccess, Element, Team, unrolled};

use super::super::key::RadixKey;
use super::digits::{Counts, DIGITS, ENDS, GROUP, GROUPS, Quad, WHOLE, WORDS, group_of, increment, turned};
use super::tiles::{AHEAD, LANES, LOADED, TOGETHER};

/// Calls `body` for `0..count`, distributed over the team, which meets at the end.
///
/// It is less code than a loop of the team, and the kernel is inlined as a whole only if it is not too long.
#[inline(always)]
pub(super) fn step(team: &mut Team<'_>, count: usize, mut body: impl FnMut(usize)) {
    let mut number = team.team_rank();
    while number < count {
        body(number);
        number += team.team_size();
    }
    team.barrier();
}

/// Loads keys, or values, of a tile: those whose places have the remainder `lane`, so that lanes load neighbours.
///
/// # Safety
/// No other iteration has this lane, and none reads the tile, which has room for the keys.
#[inline(always)]
pub(super) unsafe fn load<K: Copy>(lane: usize, keys: &[K], tile: *mut K) {
    // SAFETY: as this function asks.
    let (done, rest) = unsafe { load_by::<K, AHEAD, { AHEAD * LANES }>(lane, keys, tile) };
    // SAFETY: as before; the places are those after the keys that are loaded.
    let (more, rest) = unsafe { load_by::<K, LOADED, TOGETHER>(lane, rest, tile.add(done)) };
    let mut k = lane;
    while let Some(&key) = rest.get(k) {
        // SAFETY: the place is that of the key, for which there is room, and its remainder is this lane.
        unsafe { tile.add(done + more + k).write(key) };
        k += LANES;
    }
}

/// Loads `N` keys of a lane at a time, of `ALL` of the team, while there are as many; returns the number of keys that are loaded, and the others.
///
/// # Safety
/// As [`load`].
#[inline(always)]
unsafe fn load_by<K: Copy, const N: usize, const ALL: usize>(
    lane: usize,
    keys: &[K],
    tile: *mut K,
) -> (usize, &[K]) {
    let (many, rest) = keys.as_chunks::<ALL>();
    for (number, keys) in many.iter().enumerate() {
        let loaded: [K; N] = from_fn(|k| keys[k * LANES + lane % LANES]);
        unrolled::<N>(|k| {
            // SAFETY: the place is that of the key, for which there is room, and its remainder is this lane.
            unsafe { tile.add(number * ALL + k * LANES + lane % LANES).write(loaded[k]) };
        });
    }
    (many.len() * ALL, rest)
}

/// Counts the digits of a lane's keys.
///
/// # Safety
/// `counts` are the bytes of the [`QUADS`]; no other iteration has this lane.
#[inline(always)]
pub(super) unsafe fn count_lane<K: RadixKey>(
    lane: usize,
    keys: &[K],
    digit: impl Fn(K) -> usize,
    counts: *mut u8,
) {
    // SAFETY: the bytes are those of the quads, of which each lane has its own.
    unsafe {
        let counts = counts.add(4 * (lane % LANES));
        let (many, rest) = keys.as_chunks::<LOADED>();
        for &keys in many {
            unrolled::<LOADED>(|k| {
                increment(counts, digit(keys[k]));
            });
        }
        for &key in rest {
            increment(counts, digit(key));
        }
    }
}

/// Turns the lanes' counts of a word into those of earlier lanes of their group, and sums up those of each group and of all lanes.
#[inline(always)]
pub(super) fn join(
    word: usize,
    quads: &mut DistinctAccess<'_, Quad, 1>,
    rows: &mut DistinctAccess<'_, Counts, 1>,
) {
    let mut sums = Counts::ZERO;
    unrolled::<GROUPS>(|number| {
        let Some(quad) = quads.get_mut(turned(word, number)) else { return };
        let (before, sum) = quad.before();
        *quad = before;
        let sum = Counts::of(sum);
        sums = sums.plus(sum);
        if let Some(of_group) = rows.get_mut(group_of(word, number) * WORDS + word) {
            *of_group = sum;
        }
    });
    if let Some(of_all) = rows.get_mut(WHOLE * WORDS + word) {
        *of_all = sums;
    }
}

/// Finds the ranks of the digits' first keys; an iteration of the scan has its own word.
///
/// `each` gets each digit, the rank after its last key in the previous tile, and that of its first key in this one.
#[inline(always)]
pub(super) fn rank_digits(
    team: &mut Team<'_>,
    rows: &mut DistinctAccess<'_, Counts, 1>,
    mut each: impl FnMut(usize, u32, u32),
) {
    team.parallel_scan(
        team.thread_range(WORDS),
        |word, sum, last| {
            let word = word.inner();
            let (Some(&counts), Some(&ends)) =
                (rows.get(WHOLE * WORDS + word), rows.get(ENDS * WORDS + word))
            else {
                return;
            };
            let [a, b, c, d] = counts.each();
            let firsts = [*sum, *sum + a, *sum + a + b, *sum + a + b + c];
            *sum = firsts[3] + d;
            if !last {
                return;
            }
            let before = ends.each();
            unrolled::<4>(|k| each(4 * word + k, before[k], firsts[k]));
            if let Some(of_all) = rows.get_mut(WHOLE * WORDS + word) {
                *of_all = Counts::from_each(firsts);
            }
            if let Some(ends) = rows.get_mut(ENDS * WORDS + word) {
                *ends = Counts::from_each(firsts).plus(counts);
            }
        },
        Sum::<u32>::new(),
    );
}

/// Turns the counts of a word in each group into the ranks of the group's first keys.
#[inline(always)]
pub(super) fn begin_groups(word: usize, rows: &mut DistinctAccess<'_, Counts, 1>) {
    let Some(&(mut rank)) = rows.get(WHOLE * WORDS + word) else { return };
    unrolled::<GROUPS>(|group| {
        if let Some(counts) = rows.get_mut(group * WORDS + word) {
            let next = rank.plus(*counts);
            *counts = rank;
            rank = next;
        }
    });
}

/// Calls `put` with the rank of each of a lane's keys, its place among them, and the key.
///
/// The counts are those of the keys in earlier lanes of a group, and the rows have the ranks of each group's first keys: so each key gets a
/// rank of its own, below the number of keys of all lanes.
///
/// # Safety
/// `counts` are the bytes of the [`QUADS`], and `rows` has [`ROWS`]. No other iteration has this lane, and none writes the rows.
#[inline(always)]
pub(super) unsafe fn rank_lane<K: RadixKey>(
    lane: usize,
    keys: &[K],
    digit: impl Fn(K) -> usize,
    (counts, rows): (*mut u8, *mut Counts),
    put: impl Fn(usize, usize, K),
) {
    // SAFETY: the pointers are as this function asks; each lane has its own counts.
    unsafe {
        let counts = counts.add(4 * (lane % LANES));
        let ranks = rows.add(lane / GROUP % GROUPS * WORDS).cast::<u16>();
        let put = |place: usize, key| {
            let digit = digit(key);
            let rank = u32::from(*ranks.add(digit)) + u32::from(increment(counts, digit));
            put(rank as usize, place, key);
        };
        let (many, rest) = keys.as_chunks::<LOADED>();
        for (number, &keys) in many.iter().enumerate() {
            unrolled::<LOADED>(|k| put(number * LOADED + k, keys[k]));
        }
        for (k, &key) in rest.iter().enumerate() {
            put(many.len() * LOADED + k, key);
        }
    }
}

/// Writes keys of a tile, with their values, to their places: those whose ranks have the remainder `lane`, so that lanes write neighbours.
///
/// # Safety
/// No other iteration has this lane, and none writes the tile, the order or the bases. The first `len` elements of the order are the
/// places in the tile of `len` keys, which have as many values; a key's rank and the base of its digit give a place that no other key has.
#[inline(always)]
pub(super) unsafe fn put_lane<K: RadixKey, V: Element>(
    lane: usize,
    (len, values, digit): (usize, &[V], impl Fn(K) -> usize),
    tile: &DistinctAccess<'_, K, 1>,
    order: &DistinctAccess<'_, u16, 1>,
    bases: &DistinctAccess<'_, usize, 1>,
    (to_keys, to_values): (&mut DistinctAccess<'_, K, 1>, &mut DistinctAccess<'_, V, 1>),
) {
    let (Some(tile), Some(order), Some(bases)) =
        (tile.slice(0..len), order.slice(0..len), bases.slice(0..DIGITS))
    else {
        return;
    };
    let lane = lane % LANES;
    let base = |key| bases[digit(key) % DIGITS];
    let mut put = |place, key, value| {
        if let Some(to) = to_keys.get_mut(place) {
            *to = key;
        }
        if let Some(to) = to_values.get_mut(place) {
            *to = value;
        }
    };
    let (many, rest) = order.as_chunks::<TOGETHER>();
    for (number, order) in many.iter().enumerate() {
        let from: [_; LOADED] = from_fn(|k| usize::from(order[k * LANES + lane]));
        // SAFETY: the order has places of keys, as this function asks.
        let keys = from.map(|from| unsafe { *tile.get_unchecked(from) });
        // SAFETY: as before; there are as many values.
        let values = from.map(|from| unsafe { *values.get_unchecked(from) });
        let bases = keys.map(base);
        unrolled::<LOADED>(|k| {
            put(bases[k].wrapping_add(number * TOGETHER + k * LANES + lane), keys[k], values[k]);
        });
    }
    let mut k = lane;
    while let Some(&from) = rest.get(k) {
        let from = usize::from(from);
        // SAFETY: as before.
        let (key, value) = unsafe { (*tile.get_unchecked(from), *values.get_unchecked(from)) };
        put(base(key).wrapping_add(many.len() * TOGETHER + k), key, value);
        k += LANES;
    }
}

/// Clears counts, for the next tile.
#[inline(always)]
pub(super) fn clear(lane: usize, quads: &mut DistinctAccess<'_, Quad, 1>) {
    let mut k = lane;
    while let Some(quad) = quads.get_mut(k) {
        *quad = Quad::ZERO;
        k += LANES;
    }
}
