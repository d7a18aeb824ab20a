//! The radix sort on a device: teams sort tiles of neighbouring keys by one digit after another.
//!
//! Every pass is three launches, none of which waits for the host. The first counts the digits of each team's keys. The second turns the
//! counts into places: the keys of smaller digits, and of the same digit of earlier teams, come first. In the third, each team finds the
//! ranks of its keys by the digit, a tile at a time, and writes them into shared memory in the order of the ranks; from there its
//! threads write neighbours. No two keys have the same place, and keys with the same digit keep their order.
//!
//! | file | concept |
//! |---|---|
//! | `tiles.rs` | the division of keys among teams, and among the warps that count |
//! | `digits.rs` | the counts of a warp that counts, and their sums |
//! | `ranks.rs` | the ranks of a team's keys by a digit |
//! | `scatter.rs` | the move of keys to their places |
//! | `few.rs` | few keys, which one team sorts in one launch |
//! | `room.rs` | one piece of scratch that has several arrays |
//! | `steps.rs` | work that is distributed over a team's threads, which meet at the end |

mod digits;
mod few;
mod ranks;
mod room;
mod scatter;
mod steps;
mod tiles;

use core::array::from_fn;
use core::ops::Range;

use spelt_core::reducers::Sum;
use spelt_core::{
    AUTO, Element, ExecutionSpace, Result, TeamSize, TeamSizes, View, ViewRef, parallel_for,
    parallel_scan_into, unrolled,
};

use super::key::{Direction, RadixBits, RadixKey};
use super::pass::{self, PairViews};
use crate::unwritten::room_on_device;
use digits::{BITS, Counts, DIGITS, GROUPS, QUADS, Quad, WORDS, increment, turned};
pub(super) use few::sort_few;
use room::{Room, bytes_of};
use scatter::{each, max_tiles, scatter};
use steps::step;
use tiles::{LANES, LOADED, LOADED_WIDE, Tiles};

/// Sorts `pairs` by these bits of their keys, stably.
pub(super) fn sort<S: ExecutionSpace, K: RadixKey, V: Element>(
    space: &S,
    pairs: PairViews<'_, K, V, S::Memory>,
    direction: Direction<K::Bits>,
    bits: Range<u32>,
) -> Result<()> {
    let tiles = Tiles::new(pairs.keys.len(), max_tiles::<S, K, V>(space), each::<K, V>());
    sort_in(space, pairs, direction, bits, tiles)
}

/// [`sort`] in these tiles.
fn sort_in<S: ExecutionSpace, K: RadixKey, V: Element>(
    space: &S,
    pairs: PairViews<'_, K, V, S::Memory>,
    direction: Direction<K::Bits>,
    bits: Range<u32>,
    tiles: Tiles,
) -> Result<()> {
    // Borrowed for as long as the spare ones.
    let mut pairs = PairViews { ..pairs };
    let n = pairs.keys.len();
    // SAFETY: the first launch with them is the first pass, which reads none and gives each place one key with its value.
    let (mut spare_keys, mut spare_values) = unsafe {
        (
            room_on_device::<_, K, 1>(space, "sort: keys", [n])?,
            room_on_device::<_, V, 1>(space, "sort: values", [n])?,
        )
    };
    let mut spare = PairViews { keys: spare_keys.view_mut(), values: spare_values.view_mut() };
    let mut table = space.zeros::<usize, 1>("sort: places", [DIGITS * tiles.counts])?;
    let mut all = space.zeros::<usize, 0>("sort: all places", [])?;
    let mut at_home = true;
    for shift in bits.step_by(BITS as usize) {
        let (from, to) = if at_home { (&mut pairs, &mut spare) } else { (&mut spare, &mut pairs) };
        count(space, from.keys.view(), direction, shift, tiles, &mut table)?;
        parallel_scan_into(
            "sort: places",
            space.range(0..DIGITS * tiles.counts),
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

/// Writes the number of keys of each warp with each digit at `shift`: those of one digit are neighbours.
fn count<S: ExecutionSpace, K: RadixKey>(
    space: &S,
    keys: ViewRef<'_, K, 1, S::Memory>,
    direction: Direction<K::Bits>,
    shift: u32,
    tiles: Tiles,
    table: &mut View<usize, 1, S::Memory>,
) -> Result<()> {
    // SAFETY: no two pairs of a digit and a team have the same place, and each word of digits of a team is one iteration.
    let table = unsafe { table.distinct() };
    let flip = direction.flip();
    let digit = move |key: K| (u32::from(key.to_radix().digit(shift)) ^ flip) as usize;
    let words = const { bytes_of::<Quad>(QUADS) / size_of::<u64>() };
    parallel_for(
        "sort: count",
        space.team(tiles.counts, TeamSize::AtMost(LANES)).scratch(words * size_of::<u64>(), 0),
        (keys.lookup(), table),
        move |team, (keys, mut table)| {
            let rank = team.league_rank();
            let Some(keys) = keys.as_slice().get(tiles.of_count(rank)) else { return };
            // SAFETY: the keys of a team are the same in all its lanes, so that all make this call, or none, with constants, and in it the same two
            // steps. There are as many words as the quads need, all zero. A lane counts in its own bytes, and there is one for each digit. After a
            // meeting they are only read; each word of digits is one iteration.
            unsafe {
                team.with_shared_words(words, words, |team, words| {
                    let quads = Room::new(words).cut::<Quad>(QUADS);
                    let counts = quads.address(0).cast::<u8>();
                    step(team, LANES, |lane| {
                        // The counts of a team have no order, so that lanes load neighbours.
                        let (lane, counts) = (lane % LANES, counts.add(4 * (lane % LANES)));
                        if const { size_of::<K>() <= size_of::<u32>() } {
                            count_keys::<K, LOADED, { LOADED * LANES }>(keys, lane, counts, digit);
                        } else {
                            count_keys::<K, LOADED_WIDE, { LOADED_WIDE * LANES }>(keys, lane, counts, digit);
                        }
                    });
                    step(team, WORDS, |word| {
                        let mut sums = Counts::ZERO;
                        for group in 0..GROUPS {
                            let Quad([a, b, c, d]) = quads.get(turned(word, group));
                            let pairs =
                                [Counts::of(a).plus(Counts::of(b)), Counts::of(c).plus(Counts::of(d))];
                            sums = sums.plus(pairs[0]).plus(pairs[1]);
                        }
                        let counts = sums.each();
                        unrolled::<4>(|k| table[(4 * word + k) * tiles.counts + rank] = counts[k] as usize);
                    });
                });
            }
        },
    )
}

/// Counts the digits of a lane's keys, which are in rows of one for each lane, in the lane's bytes. `LOADED` of its keys come while as many are
/// counted; `TOGETHER` are those of all lanes.
///
/// # Safety
/// As [`increment`], of which the lane has a byte for each digit.
#[inline(always)]
unsafe fn count_keys<K: Copy, const LOADED: usize, const TOGETHER: usize>(
    keys: &[K],
    lane: usize,
    counts: *mut u8,
    digit: impl Fn(K) -> usize,
) {
    const { assert!(TOGETHER == LOADED * LANES, "each lane loads as many keys") };
    // SAFETY: the lane has the bytes, as this function asks.
    let count = |key| unsafe { increment(counts, digit(key)) };
    let (many, rest) = keys.as_chunks::<TOGETHER>();
    let load = |keys: &[K; TOGETHER]| -> [K; LOADED] { from_fn(|k| keys[k * LANES + lane]) };
    if let Some(first) = many.first() {
        let mut next = load(first);
        for number in 1..=many.len() {
            let own = next;
            next = load(many.get(number).unwrap_or(first));
            unrolled::<LOADED>(|k| {
                count(own[k]);
            });
        }
    }
    let mut k = lane;
    while let Some(&key) = rest.get(k) {
        count(key);
        k += LANES;
    }
}

/// The size of teams of up to `threads` threads: on a host 1, but in tests all threads of the space.
fn size_of_teams<S: ExecutionSpace>(space: &S, threads: usize) -> TeamSize {
    if cfg!(test) {
        TeamSize::Threads(threads.min(space.team(1, AUTO).team_size_max()))
    } else {
        TeamSize::AtMost(threads)
    }
}

#[cfg(test)]
mod tests {
    use spelt_core::{Element, ExecutionSpace, HostSpace, Serial, Threads, View};

    use super::super::key::{Direction, RadixKey};
    use super::super::pass::PairViews;
    use super::few::FEW;
    use super::tiles::{AT_A_TIME, EACH, LANES, LOADED, THREADS, Tiles};
    use super::{each, max_tiles, sort_few, sort_in};

    const TILE: usize = THREADS * EACH;

    /// Teams of two tiles, or of three where they are the longest.
    fn some_tiles(n: usize, each: usize) -> Tiles {
        Tiles::new(n, if each == EACH { 3 } else { 2 }, each)
    }

    /// Sorts keys with their indices by the launches of a device.
    fn check<K: RadixKey + PartialEq>(keys: &[K], descending: bool) {
        check_with(&Serial::new(), keys, |i| i, descending, some_tiles);
    }

    /// As [`check`], on a space of the host: with indices, which take the place of the keys in scratch, with larger values, and without values.
    fn check_on<S: ExecutionSpace<Memory = HostSpace>, K: RadixKey + PartialEq>(
        space: &S,
        keys: &[K],
        descending: bool,
    ) {
        check_with(space, keys, |i| i, descending, some_tiles);
        check_with(space, keys, |i| [i, !i, 7], descending, some_tiles);
        check_with(space, keys, |_| (), descending, some_tiles);
    }

    /// As [`check_on`], with these values of the keys, from a place that is aligned and from one that is not.
    fn check_with<S, K, V>(
        space: &S,
        keys: &[K],
        value: fn(u32) -> V,
        descending: bool,
        tiles: fn(usize, usize) -> Tiles,
    ) where
        S: ExecutionSpace<Memory = HostSpace>,
        K: RadixKey + PartialEq,
        V: Element + PartialEq,
    {
        let direction = Direction::new(descending);
        let mut order: Vec<u32> = (0..keys.len() as u32).collect();
        order.sort_by_key(|&i| direction.bits(keys[i as usize]));
        let wanted: Vec<K> = order.iter().map(|&i| keys[i as usize]).collect();
        let in_order: Vec<V> = order.iter().map(|&i| value(i)).collect();
        for (before, few) in [(0, false), (1, false), (1, true)] {
            let n = before + keys.len();
            let at = |i: usize| i.saturating_sub(before);
            let mut found = View::from_fn("keys", [n], |[i]| keys[at(i)]).expect("memory");
            let mut moved = View::from_fn("values", [n], |[i]| value(at(i) as u32)).expect("memory");
            let (mut keys, mut values) = (found.subview_mut(before..n), moved.subview_mut(before..n));
            let mut pairs = PairViews { keys: keys.view_mut(), values: values.view_mut() };
            if few {
                let are_few = sort_few(space, &mut pairs, direction).expect("memory");
                assert!(if wanted.len() > FEW { !are_few } else { are_few || wanted.len() > FEW / 2 });
                if !are_few {
                    continue;
                }
            } else {
                let tiles = tiles(wanted.len(), each::<K, V>());
                sort_in(space, pairs, direction, 0..8 * size_of::<K>() as u32, tiles).expect("memory");
            }
            let what = format!("{} keys, values of {} bytes, {before}, {few}", wanted.len(), size_of::<V>());
            assert!(found.to_vec()[before..] == wanted, "keys: {what}");
            assert!(moved.to_vec()[before..] == in_order, "values: {what}");
        }
    }

    fn noise(i: usize) -> u64 {
        (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23).wrapping_mul(0xD6E8_FEB8_6659_FD93)
    }

    #[test]
    fn keys_are_sorted_about_the_borders_of_tiles() {
        let (warp, tile) = (LANES * LOADED, TILE);
        for n in [2, EACH, EACH + 1, warp, warp + 1, tile - 1, tile, tile + 1, FEW, FEW + 1] {
            for descending in [false, true] {
                check_on(&Serial::new(), &(0..n).map(|i| noise(i) as u8).collect::<Vec<_>>(), descending);
                check(&(0..n).map(|i| noise(i) as i16).collect::<Vec<_>>(), descending);
                if n < FEW {
                    check(&(0..n).map(|i| noise(i) as u32 % 1000).collect::<Vec<_>>(), descending);
                    check(&(0..n).map(noise).collect::<Vec<_>>(), descending);
                }
            }
        }
    }

    #[test]
    fn threads_of_a_team_rank_their_keys_together() {
        for threads in [2, 3, 40] {
            let space = Threads::builder().num_threads(threads).build().expect("threads");
            for n in [2, threads * EACH - 1, threads * EACH, 2 * threads * EACH + 1] {
                for descending in [false, true] {
                    check_on(&space, &(0..n).map(|i| noise(i) as u8 % 5).collect::<Vec<_>>(), descending);
                    let keys = (0..n).map(|i| noise(i) as i32).collect::<Vec<_>>();
                    check_with(&space, &keys, |i| i, descending, some_tiles);
                }
            }
        }
    }

    #[test]
    fn many_keys_are_sorted() {
        // Teams have two tiles of a device, and one value has nearly all keys.
        let n = 2 * TILE * AT_A_TIME + THREADS + 5;
        check(&(0..n).map(|i| if i % 50 == 0 { noise(i) as u16 } else { 7 }).collect::<Vec<_>>(), false);
    }

    #[test]
    fn teams_have_as_many_tiles_as_there_is_room_for() {
        const H100: usize = 7;
        assert_eq!(max_tiles::<Serial, u32, ()>(&Serial::new()), H100);
        assert_eq!(max_tiles::<Serial, u64, ()>(&Serial::new()), 4);
        assert_eq!(max_tiles::<Serial, u32, f32>(&Serial::new()), H100 / 2);
        assert_eq!(max_tiles::<Serial, u32, [u64; 2]>(&Serial::new()), H100);
        assert_eq!(max_tiles::<Serial, u64, u64>(&Serial::new()), H100 / 2);
        let of = |n, each| Tiles::with(n, H100, each, 1);
        for tiles in [3, H100] {
            let n = tiles * TILE + 7;
            assert_eq!(of(n, EACH).of_team(0).len(), tiles * TILE);
            let keys = (0..n).map(|i| noise(i) as u8).collect::<Vec<_>>();
            check_with(&Serial::new(), &keys, |i| i, false, of);
            check_with(&Serial::new(), &keys, f64::from, false, of);
        }
    }

    #[test]
    fn pairs_that_do_not_fit_in_scratch_are_not_few() {
        #[derive(Clone, Copy, Element)]
        #[element(crate = "spelt_core")]
        struct Wide([u64; 32]);
        let mut keys = View::from_fn("keys", [900], |[i]| noise(i)).expect("memory");
        let mut values = View::<Wide, 1>::zeros("values", [900]).expect("memory");
        let mut pairs = PairViews { keys: keys.view_mut(), values: values.view_mut() };
        assert!(!sort_few(&Serial::new(), &mut pairs, Direction::new(false)).expect("memory"));
        // Keys without values need no room for the places of values.
        let mut keys = View::from_fn("keys", [10_000], |[i]| noise(i)).expect("memory");
        let mut values = View::<(), 1>::zeros("values", [10_000]).expect("memory");
        let mut pairs = PairViews { keys: keys.view_mut(), values: values.view_mut() };
        assert!(sort_few(&Serial::new(), &mut pairs, Direction::new(false)).expect("memory"));
    }
}
