//! The radix sort on a device: teams of a warp sort tiles of neighbouring keys by one digit after another.
//!
//! Every pass is three launches, none of which waits for the host. The first counts the digits of each tile. The second turns the
//! counts into places: the keys of smaller digits, and of the same digit in earlier tiles, come first. In the third, each lane of a
//! team takes neighbouring keys: it counts their digits, the team adds up the counts of earlier lanes for each digit, and then each lane
//! moves its keys in order. So no two keys have the same place, and keys with the same digit keep their order. Lanes count in bins of
//! their own in scratch, which is shared memory.

use core::ops::Range;

use spelt_core::reducers::Sum;
use spelt_core::{
    Element, ExecutionSpace, Result, TeamSize, View, ViewRef, parallel_for, parallel_scan_into,
};

use super::key::{Direction, RadixKey};
use super::pass::{self, PairViews, RADIX};

/// Threads of a team. Unit: threads. Source: a warp, whose lanes wait for no other.
const LANES: usize = 32;

/// Keys that a lane loads at a time. Unit: keys. Source: with the next ones, which are on their way meanwhile, they stay in registers.
const LOADED: usize = 8;

/// The maximum number of keys of a lane. Unit: keys. Source: a byte counts them.
const MAX_EACH: usize = u8::MAX as usize / LOADED * LOADED;

/// The number of teams for which lanes have fewer keys. Unit: teams. Source: eight for each of the 132 multiprocessors of an H200, as many
/// as have room for their scratch.
const AT_A_TIME: usize = 1056;

/// The distance between the counts of two lanes. Unit: counts. Source: an odd number, so that the same digit of 32 lanes does not lie in the same
/// banks of shared memory.
const PITCH: usize = RADIX + 1;

/// The distance between the places of two digits, odd for the same reason. Unit: places.
const LANES_PITCH: usize = LANES + 1;

/// Bytes of scratch for the counts of a team's lanes.
const COUNTS: usize = LANES * PITCH;

/// The numbers of keys of earlier lanes, for each digit and lane.
const BEFORE: usize = RADIX * LANES_PITCH;

/// Bytes of scratch for the counts, for the places of a tile's digits, and for how many keys of earlier lanes have each digit.
const PLACES: usize = COUNTS + RADIX * size_of::<usize>() + BEFORE * size_of::<u16>();

/// The number of keys up to which one team sorts them. Unit: keys. Source: on an H200 one team takes 52 us for 1000 keys, and the passes
/// 224 for 10^5; the border between them is not measured.
const FEW: usize = 4096;

/// The maximum size of few keys with their values in scratch. Unit: bytes.
const FEW_BYTES: usize = 64 << 10;

/// Few keys of a thread. Unit: keys. Source: estimated: fewer threads wait less for one another.
const FEW_EACH: usize = 8;

/// The division of keys into tiles.
#[derive(Clone, Copy, Debug)]
struct Tiles {
    keys: usize,
    /// The keys of a lane, a multiple of [`LOADED`].
    each: usize,
    count: usize,
}

impl Tiles {
    fn new(keys: usize) -> Self {
        let each = keys.div_ceil(LANES * AT_A_TIME).clamp(1, MAX_EACH).next_multiple_of(LOADED);
        Self { keys, each, count: keys.div_ceil(LANES * each) }
    }

    /// The keys of a tile.
    #[inline(always)]
    fn of(&self, tile: usize) -> Range<usize> {
        let first = tile * LANES * self.each;
        first..self.keys.min(first + LANES * self.each)
    }

    /// The keys of a lane that moves them.
    #[inline(always)]
    fn of_lane(&self, tile: usize, lane: usize) -> Range<usize> {
        let first = self.keys.min((tile * LANES + lane) * self.each);
        first..self.keys.min(first + self.each)
    }
}

/// Calls `body` with all elements; the next ones are on their way while some are used.
#[inline(always)]
fn each<T: Copy>(mut loads: impl Iterator<Item = [T; LOADED]>, body: &mut impl FnMut(T)) {
    let Some(mut loaded) = loads.next() else { return };
    loop {
        let next = loads.next();
        loaded.into_iter().for_each(&mut *body);
        match next {
            Some(next) => loaded = next,
            None => return,
        }
    }
}

/// Calls `body` with every 32nd key, from that of this lane on.
#[inline(always)]
fn strided<K: Copy>(keys: &[K], lane: usize, mut body: impl FnMut(K)) {
    let lane = lane % LANES;
    let (many, rest) = keys.as_chunks::<{ LANES * LOADED }>();
    each(many.iter().map(|keys| core::array::from_fn(|k| keys[k * LANES + lane])), &mut body);
    rest.iter().skip(lane).step_by(LANES).for_each(|key| body(*key));
}

/// Neighbouring keys that are loaded by a few instructions, since they are aligned.
#[repr(C, align(16))]
struct Together<K>([K; LOADED]);

/// The keys before those that are together, these, and those after them. Keys of a byte are too few bytes to be aligned.
#[inline(always)]
fn together<K: RadixKey>(keys: &[K]) -> (&[K], &[Together<K>], &[K]) {
    if const { size_of::<Together<K>>() > LOADED * size_of::<K>() } {
        return (keys, &[], &[]);
    }
    // SAFETY: by the comparison, `Together` has no bytes but those of its keys.
    unsafe { keys.align_to() }
}

/// Calls `body` with each key and its value, from the last one on.
#[inline(always)]
fn backward<K: RadixKey, V: Copy>(keys: &[K], values: &[V], mut body: impl FnMut((K, V))) {
    let (before, many_keys, after) = together(keys);
    let (values_before, values) = values.split_at_checked(before.len()).unwrap_or((&[], &[]));
    let (many_values, values_after) = values.as_chunks::<LOADED>();
    after.iter().copied().zip(values_after.iter().copied()).rev().for_each(&mut body);
    let backward = |(keys, values): (&Together<K>, &[V; LOADED])| {
        let keys = keys.0;
        core::array::from_fn(|k| (keys[LOADED - 1 - k], values[LOADED - 1 - k]))
    };
    each(many_keys.iter().zip(many_values).rev().map(backward), &mut body);
    before.iter().copied().zip(values_before.iter().copied()).rev().for_each(&mut body);
}

/// Sorts `pairs` by these bits of their keys, stably.
pub(super) fn sort<S: ExecutionSpace, K: RadixKey, V: Element>(
    space: &S,
    pairs: PairViews<'_, K, V, S::Memory>,
    direction: Direction<K::Bits>,
    bits: Range<u32>,
) -> Result<()> {
    // Borrowed for as long as the spare ones.
    let mut pairs = PairViews { ..pairs };
    let n = pairs.keys.len();
    let mut spare_keys = space.zeros::<K, 1>("sort: keys", [n])?;
    let mut spare_values = space.zeros::<V, 1>("sort: values", [n])?;
    let mut spare = PairViews { keys: spare_keys.view_mut(), values: spare_values.view_mut() };
    let tiles = Tiles::new(n);
    let mut table = space.zeros::<usize, 1>("sort: places", [RADIX * tiles.count])?;
    let mut all = space.zeros::<usize, 0>("sort: all places", [])?;
    let mut at_home = true;
    for shift in bits.step_by(8) {
        let (from, to) = if at_home { (&mut pairs, &mut spare) } else { (&mut spare, &mut pairs) };
        count(space, from.keys.view(), direction, shift, tiles, &mut table)?;
        parallel_scan_into(
            "sort: places",
            space.range(0..RADIX * tiles.count),
            &mut table,
            move |i, sum, last, mut places| {
                let count = places[i];
                if last {
                    places[i] = *sum;
                }
                *sum += count;
            },
            Sum::<usize>::new(),
            &mut all,
        )?;
        scatter(space, from, to, direction, shift, tiles, &table)?;
        at_home = !at_home;
    }
    if at_home {
        return Ok(());
    }
    pass::back(space, spare, &mut pairs)
}

/// Sorts few pairs by one team, in one launch; returns whether they are few.
pub(super) fn sort_few<S: ExecutionSpace, K: RadixKey, V: Element>(
    space: &S,
    pairs: &mut PairViews<'_, K, V, S::Memory>,
    direction: Direction<K::Bits>,
) -> Result<bool> {
    let n = pairs.keys.len();
    let bytes = n.saturating_mul(size_of::<(K, u32)>() + size_of::<V>());
    if n > FEW || bytes > FEW_BYTES {
        return Ok(false);
    }
    let threads = (n / FEW_EACH).next_power_of_two().max(LANES);
    let policy = space.team(1, TeamSize::AtMost(threads)).scratch(bytes + align_of::<V>(), 0);
    // SAFETY: the launch has one team. Its threads read all elements into scratch, and meet before each writes elements of its own.
    let args = unsafe { (pairs.keys.distinct(), pairs.values.distinct()) };
    parallel_for("sort: few", policy, args, move |team, (mut keys, mut values)| {
        // Of the first pair, until each thread has read others.
        let (key, value) = (keys[0], values[0]);
        team.with_scratch_mut(
            [n],
            |_| (key, 0),
            |team, mut sorted| {
                team.with_scratch_mut(
                    [n],
                    |_| value,
                    |team, mut unsorted| {
                        sorted.write(team, n, |[i], pair, _| *pair = (keys[i], i as u32));
                        unsorted.write(team, n, |[i], value, _| *value = values[i]);
                        crate::team::sort_by(team, &mut sorted, |a, b| {
                            (direction.bits(a.0), a.1) < (direction.bits(b.0), b.1)
                        });
                        team.parallel_for(team.thread_range(n), |i| {
                            let i = i.inner();
                            let (key, from) = sorted[i];
                            keys[i] = key;
                            values[i] = unsorted[from as usize];
                        });
                    },
                );
            },
        );
    })?;
    Ok(true)
}

/// Writes the number of keys of each tile with each digit at `shift`: those of one digit are neighbours.
fn count<S: ExecutionSpace, K: RadixKey>(
    space: &S,
    keys: ViewRef<'_, K, 1, S::Memory>,
    direction: Direction<K::Bits>,
    shift: u32,
    tiles: Tiles,
    table: &mut View<usize, 1, S::Memory>,
) -> Result<()> {
    // SAFETY: no two pairs of a digit and a tile have the same place, and each pair is one iteration of one team.
    let table = unsafe { table.distinct() };
    parallel_for(
        "sort: count",
        space.team(tiles.count, TeamSize::AtMost(LANES)).scratch(COUNTS, 0),
        (keys.lookup(), table),
        move |team, (keys, mut table)| {
            let tile = team.league_rank();
            team.with_scratch_mut(
                [LANES, PITCH],
                |_| 0_u8,
                |team, mut counts| {
                    counts.write_rows(team, 0..LANES, |lane, row, _| {
                        let keys = keys.as_slice().get(tiles.of(tile));
                        let (Some(row), Some(keys)) = (row.first_chunk_mut::<RADIX>(), keys) else { return };
                        // The counts of a tile have no order, so that lanes load neighbours.
                        strided(keys, lane, |key| row[direction.digit(key, shift)] += 1);
                    });
                    let Some(counts) = counts.as_slice().first_chunk::<COUNTS>() else { return };
                    team.parallel_for(team.thread_range(RADIX), |digit| {
                        let digit = digit.inner() % RADIX;
                        let of_lane = |lane| u32::from(counts[lane * PITCH + digit]);
                        let sum: u32 = (0..LANES).map(of_lane).sum();
                        table[digit * tiles.count + tile] = sum as usize;
                    });
                },
            );
        },
    )
}

/// Moves every key of `from`, with its value, to its place in `to`. `table` has the first place of each digit and tile.
fn scatter<S: ExecutionSpace, K: RadixKey, V: Element>(
    space: &S,
    from: &PairViews<'_, K, V, S::Memory>,
    to: &mut PairViews<'_, K, V, S::Memory>,
    direction: Direction<K::Bits>,
    shift: u32,
    tiles: Tiles,
    table: &View<usize, 1, S::Memory>,
) -> Result<()> {
    // SAFETY: the places of a tile and digit begin where `table` says and are as many as its keys with that digit, which `count` has
    // found; those of a lane begin after as many as earlier lanes have. The keys are not written in between, and their digits are
    // always the same ones, as `RadixKey` is sealed. So no two keys have one place.
    let (to_keys, to_values) = unsafe { (to.keys.distinct(), to.values.distinct()) };
    parallel_for(
        "sort: scatter",
        space.team(tiles.count, TeamSize::AtMost(LANES)).scratch(PLACES, 0),
        (from.keys.view().lookup(), from.values.view().lookup(), table.lookup(), to_keys, to_values),
        move |team, (keys, values, table, mut to_keys, mut to_values)| {
            let tile = team.league_rank();
            let first = |[digit]: [usize; 1]| table[digit * tiles.count + tile];
            let lane_of = |lane| (tiles.of_lane(tile, lane), keys.as_slice(), values.as_slice());
            team.with_scratch_mut([RADIX], first, |team, first| {
                team.with_scratch_mut(
                    [RADIX, LANES_PITCH],
                    |_| 0_u16,
                    |team, mut before| {
                        team.with_scratch_mut(
                            [LANES, PITCH],
                            |_| 0_u8,
                            |team, mut counts| {
                                counts.write_rows(team, 0..LANES, |lane, row, _| {
                                    let (range, keys, _) = lane_of(lane);
                                    let (Some(row), Some(keys)) =
                                        (row.first_chunk_mut::<RADIX>(), keys.get(range))
                                    else {
                                        return;
                                    };
                                    let mut count = |key| row[direction.digit(key, shift)] += 1;
                                    let (before, many, after) = together(keys);
                                    each(many.iter().map(|keys| keys.0), &mut count);
                                    before.iter().chain(after).copied().for_each(count);
                                });
                                before.write_rows(team, 0..RADIX, |digit, row, _| {
                                    let Some(counts) = counts.as_slice().first_chunk::<COUNTS>() else {
                                        return;
                                    };
                                    let mut sum = 0;
                                    for (lane, before) in row.iter_mut().take(LANES).enumerate() {
                                        *before = sum;
                                        sum += u16::from(counts[lane * PITCH + digit % RADIX]);
                                    }
                                });
                                counts.write_rows(team, 0..LANES, |lane, row, _| {
                                    let (range, keys, values) = lane_of(lane);
                                    let (Some(row), Some(keys), Some(values)) = (
                                        row.first_chunk_mut::<RADIX>(),
                                        keys.get(range.clone()),
                                        values.get(range),
                                    ) else {
                                        return;
                                    };
                                    let (Some(first), Some(before)) = (
                                        first.as_slice().first_chunk::<RADIX>(),
                                        before.as_slice().first_chunk::<BEFORE>(),
                                    ) else {
                                        return;
                                    };
                                    // The last key with a digit takes the last place.
                                    backward(keys, values, |(key, value)| {
                                        let digit = direction.digit(key, shift);
                                        row[digit] -= 1;
                                        let earlier = before[digit * LANES_PITCH + lane % LANES];
                                        let place =
                                            first[digit] + usize::from(earlier) + usize::from(row[digit]);
                                        if let Some(to) = to_keys.get_mut(place) {
                                            *to = key;
                                        }
                                        if let Some(to) = to_values.get_mut(place) {
                                            *to = value;
                                        }
                                    });
                                });
                            },
                        );
                    },
                );
            });
        },
    )
}

#[cfg(test)]
mod tests {
    use spelt_core::{Element, Serial, View};

    use super::super::key::{Direction, RadixKey};
    use super::super::pass::PairViews;
    use super::{AT_A_TIME, FEW, LANES, LOADED, MAX_EACH, Tiles, sort, sort_few};

    /// Sorts keys with their indices by the launches of a device, from a place that is aligned and from one that is not.
    fn check<K: RadixKey + PartialEq>(keys: &[K], descending: bool) {
        let direction = Direction::new(descending);
        let mut order: Vec<u32> = (0..keys.len() as u32).collect();
        order.sort_by_key(|&i| direction.bits(keys[i as usize]));
        let wanted: Vec<K> = order.iter().map(|&i| keys[i as usize]).collect();
        for (before, few) in [(0, false), (1, false), (1, true)] {
            let n = before + keys.len();
            let at = |i: usize| keys[i.saturating_sub(before)];
            let mut found = View::from_fn("keys", [n], |[i]| at(i)).expect("memory");
            let mut places =
                View::from_fn("values", [n], |[i]| i.saturating_sub(before) as u32).expect("memory");
            let (mut keys, mut values) = (found.subview_mut(before..n), places.subview_mut(before..n));
            let mut pairs = PairViews { keys: keys.view_mut(), values: values.view_mut() };
            if few {
                let are_few = sort_few(&Serial::new(), &mut pairs, direction).expect("memory");
                assert!(if wanted.len() > FEW { !are_few } else { are_few || wanted.len() > FEW / 2 });
                if !are_few {
                    continue;
                }
            } else {
                sort(&Serial::new(), pairs, direction, 0..8 * size_of::<K>() as u32).expect("memory");
            }
            assert!(found.to_vec()[before..] == wanted, "{} keys, {before}, {few}", wanted.len());
            assert_eq!(places.to_vec()[before..], order, "{} keys, {before}, {few}", wanted.len());
        }
    }

    fn noise(i: usize) -> u64 {
        (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23).wrapping_mul(0xD6E8_FEB8_6659_FD93)
    }

    #[test]
    fn keys_are_sorted_about_the_borders_of_tiles() {
        let tile = LANES * LOADED;
        for n in [2, LOADED, LOADED + 1, tile - 1, tile, tile + 1, 3 * tile + 7, FEW, FEW + 1] {
            for descending in [false, true] {
                check(&(0..n).map(|i| noise(i) as u8).collect::<Vec<_>>(), descending);
                check(&(0..n).map(|i| noise(i) as i16).collect::<Vec<_>>(), descending);
                check(&(0..n).map(|i| noise(i) as u32 % 1000).collect::<Vec<_>>(), descending);
                check(&(0..n).map(noise).collect::<Vec<_>>(), descending);
            }
        }
    }

    #[test]
    fn many_keys_are_sorted() {
        // Lanes have several loads, one value has nearly all keys of a tile, and the last lane has some of a load.
        let n = 3 * LANES * AT_A_TIME * LOADED - 5;
        check(&(0..n).map(|i| if i % 50 == 0 { noise(i) as u16 } else { 7 }).collect::<Vec<_>>(), false);
    }

    #[test]
    fn tiles_have_all_keys() {
        for n in [1, 255, 256, 257, 300_000, LANES * AT_A_TIME * MAX_EACH - 1, 1 << 33] {
            let tiles = Tiles::new(n);
            assert!(tiles.each <= MAX_EACH && tiles.each.is_multiple_of(LOADED), "{tiles:?}");
            assert!(tiles.of(tiles.count - 1).end == n && !tiles.of(tiles.count - 1).is_empty(), "{tiles:?}");
            let last = tiles.count - 1;
            let lanes = (0..LANES).flat_map(|lane| tiles.of_lane(last, lane)).collect::<Vec<_>>();
            assert!(lanes.into_iter().eq(tiles.of(last)), "{tiles:?}");
        }
    }

    #[test]
    fn pairs_that_do_not_fit_in_scratch_are_not_few() {
        #[derive(Clone, Copy, Element)]
        #[element(crate = "spelt_core")]
        struct Wide([u64; 32]);
        let mut keys = View::from_fn("keys", [300], |[i]| noise(i)).expect("memory");
        let mut values = View::<Wide, 1>::zeros("values", [300]).expect("memory");
        let mut pairs = PairViews { keys: keys.view_mut(), values: values.view_mut() };
        assert!(!sort_few(&Serial::new(), &mut pairs, Direction::new(false)).expect("memory"));
    }
}
