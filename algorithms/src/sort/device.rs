//! The radix sort on a device: teams of a warp sort tiles of neighbouring keys by one digit after another.
//!
//! Every pass is three launches, none of which waits for the host. The first counts the digits of each team's keys. The second turns the
//! counts into places: the keys of smaller digits, and of the same digit of earlier teams, come first. In the third, each team sorts its
//! keys by the digit, a tile at a time, in scratch, which is shared memory: each lane has neighbouring keys and counts their digits, the
//! team adds up the counts of earlier lanes, and each lane finds the ranks of its keys within the tile. Then the tile is written in the
//! order of the ranks, so that the lanes write neighbours. No two keys have the same place, and keys with the same digit keep their order.

mod digits;
mod few;
mod steps;
mod tiles;

use core::array::from_fn;
use core::ops::Range;

use spelt_core::reducers::Sum;
use spelt_core::{
    Element, ExecutionSpace, Result, TeamSize, View, ViewRef, parallel_for, parallel_scan_into, unrolled,
};

use super::key::{Direction, RadixKey};
use super::pass::{self, PairViews};
use crate::unwritten::room_on_device;
use digits::{BITS, Counts, DIGITS, GROUPS, QUADS, Quad, ROWS, WORDS, increment, turned};
pub(super) use few::sort_few;
use steps::{begin_groups, clear, count_lane, join, load, put_lane, rank_digits, rank_lane, step};
use tiles::{LANES, LOADED, TOGETHER, Tiles};

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
    // SAFETY: the first launch with them is the first pass, which reads none and gives each place one key with its value.
    let (mut spare_keys, mut spare_values) = unsafe {
        (
            room_on_device::<_, K, 1>(space, "sort: keys", [n])?,
            room_on_device::<_, V, 1>(space, "sort: values", [n])?,
        )
    };
    let mut spare = PairViews { keys: spare_keys.view_mut(), values: spare_values.view_mut() };
    let tiles = Tiles::new(n);
    let mut table = space.zeros::<usize, 1>("sort: places", [DIGITS * tiles.teams])?;
    let mut all = space.zeros::<usize, 0>("sort: all places", [])?;
    let mut at_home = true;
    for shift in bits.step_by(BITS as usize) {
        let (from, to) = if at_home { (&mut pairs, &mut spare) } else { (&mut spare, &mut pairs) };
        count(space, from.keys.view(), direction, shift, tiles, &mut table)?;
        parallel_scan_into(
            "sort: places",
            space.range(0..DIGITS * tiles.teams),
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

/// Writes the number of keys of each team with each digit at `shift`: those of one digit are neighbours.
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
    let digit = move |key| direction.digit(key, shift) % DIGITS;
    parallel_for(
        "sort: count",
        space.team(tiles.teams, TeamSize::AtMost(LANES)).scratch(QUADS * size_of::<Quad>(), 0),
        (keys.lookup(), table),
        move |team, (keys, mut table)| {
            let rank = team.league_rank();
            let Some(keys) = keys.as_slice().get(tiles.of_team(rank)) else { return };
            // SAFETY: a lane counts in its own bytes; after a meeting, each word of digits is one iteration.
            unsafe {
                team.with_distinct_scratch(
                    QUADS,
                    |_| Quad::ZERO,
                    |team, mut quads| {
                        let counts = quads.as_mut_ptr().cast::<u8>();
                        step(team, LANES, |lane| {
                            // The counts of a team have no order, so that lanes load neighbours.
                            let (lane, counts) = (lane % LANES, counts.add(4 * (lane % LANES)));
                            let (many, rest) = keys.as_chunks::<TOGETHER>();
                            for keys in many {
                                let keys: [K; LOADED] = from_fn(|k| keys[k * LANES + lane]);
                                unrolled::<LOADED>(|k| {
                                    increment(counts, digit(keys[k]));
                                });
                            }
                            let mut k = lane;
                            while let Some(&key) = rest.get(k) {
                                increment(counts, digit(key));
                                k += LANES;
                            }
                        });
                        step(team, WORDS, |word| {
                            let mut sums = Counts::ZERO;
                            for group in 0..GROUPS {
                                let Some(&Quad([a, b, c, d])) = quads.get(turned(word, group)) else {
                                    return;
                                };
                                let pairs =
                                    [Counts::of(a).plus(Counts::of(b)), Counts::of(c).plus(Counts::of(d))];
                                sums = sums.plus(pairs[0]).plus(pairs[1]);
                            }
                            let counts = sums.each();
                            unrolled::<4>(|k| {
                                table[(4 * word + k) * tiles.teams + rank] = counts[k] as usize
                            });
                        });
                    },
                );
            }
        },
    )
}

/// Bytes of scratch of a team that moves keys: for five arrays.
const fn scatter_bytes<K>(tile: usize) -> usize {
    let of_digits = DIGITS * size_of::<usize>() + ROWS * WORDS * size_of::<Counts>();
    of_digits + QUADS * size_of::<Quad>() + tile * (size_of::<u16>() + size_of::<K>())
}

/// Moves every key of `from`, with its value, to its place in `to`. `table` has the first place of each digit and team.
fn scatter<S: ExecutionSpace, K: RadixKey, V: Element>(
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
    let policy =
        space.team(tiles.teams, TeamSize::AtMost(LANES)).scratch(scatter_bytes::<K>(tiles.tile()), 0);
    let args = (from.keys.view().lookup(), from.values.view().lookup(), table.lookup(), to_keys, to_values);
    let digit = move |key| direction.digit(key, shift) % DIGITS;
    parallel_for(
        "sort: scatter",
        policy,
        args,
        move |team, (keys, values, table, mut to_keys, mut to_values)| {
            let rank = team.league_rank();
            let Some(&any) = keys.as_slice().first() else { return };
            let first = |digit: usize| table[digit * tiles.teams + rank];
            let len = tiles.tile();
            // SAFETY: within a step, which ends with a meeting, lanes use elements of their own, or only read; each step says which.
            unsafe {
                team.with_distinct_scratch(DIGITS, first, |team, mut bases| {
                    team.with_distinct_scratch(
                        ROWS * WORDS,
                        |_| Counts::ZERO,
                        |team, mut rows| {
                            team.with_distinct_scratch(
                                QUADS,
                                |_| Quad::ZERO,
                                |team, mut quads| {
                                    team.with_distinct_scratch(
                                        len,
                                        |_| 0_u16,
                                        |team, mut order| {
                                            team.with_distinct_scratch(
                                                len,
                                                |_| any,
                                                |team, mut tile| {
                                                    for round in 0..tiles.rounds {
                                                        let range = tiles.of(rank, round);
                                                        let (Some(keys), Some(values)) = (
                                                            keys.as_slice().get(range.clone()),
                                                            values.as_slice().get(range),
                                                        ) else {
                                                            return;
                                                        };
                                                        let counts = quads.as_mut_ptr().cast::<u8>();
                                                        step(team, LANES, |lane| {
                                                            load(lane, keys, tile.as_mut_ptr())
                                                        });
                                                        step(team, LANES, |lane| {
                                                            let range = tiles.of_lane(keys.len(), lane);
                                                            let Some(keys) = tile.slice(range) else {
                                                                return;
                                                            };
                                                            count_lane(lane, keys, digit, counts);
                                                        });
                                                        step(team, WORDS, |word| {
                                                            join(word, &mut quads, &mut rows)
                                                        });
                                                        rank_digits(
                                                            team,
                                                            &mut rows,
                                                            |digit, before, first| {
                                                                if let Some(base) = bases.get_mut(digit) {
                                                                    // It may be negative, and wraps around.
                                                                    let rank =
                                                                        base.wrapping_add(before as usize);
                                                                    *base = rank.wrapping_sub(first as usize);
                                                                }
                                                            },
                                                        );
                                                        step(team, WORDS, |word| {
                                                            begin_groups(word, &mut rows)
                                                        });
                                                        step(team, LANES, |lane| {
                                                            let range = tiles.of_lane(keys.len(), lane);
                                                            let first = range.start;
                                                            let Some(keys) = tile.slice(range) else {
                                                                return;
                                                            };
                                                            let (counts, order) = (
                                                                (counts, rows.as_mut_ptr()),
                                                                order.as_mut_ptr(),
                                                            );
                                                            rank_lane(
                                                                lane,
                                                                keys,
                                                                digit,
                                                                counts,
                                                                |rank, place, _| {
                                                                    order
                                                                        .add(rank)
                                                                        .write((first + place) as u16);
                                                                },
                                                            );
                                                        });
                                                        step(team, LANES, |lane| {
                                                            let from = (keys.len(), values, digit);
                                                            let to = (&mut to_keys, &mut to_values);
                                                            put_lane(lane, from, &tile, &order, &bases, to);
                                                            clear(lane, &mut quads);
                                                        });
                                                    }
                                                },
                                            );
                                        },
                                    );
                                },
                            );
                        },
                    );
                });
            }
        },
    )
}

#[cfg(test)]
mod tests {
    use spelt_core::{Element, Serial, View};

    use super::super::key::{Direction, RadixKey};
    use super::super::pass::PairViews;
    use super::few::FEW;
    use super::tiles::{AT_A_TIME, LANES, LOADED, MAX_EACH};
    use super::{sort, sort_few};

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
        // Teams have two tiles of the largest size, and one value has nearly all keys of a tile.
        let n = 2 * LANES * AT_A_TIME * MAX_EACH - 5;
        check(&(0..n).map(|i| if i % 50 == 0 { noise(i) as u16 } else { 7 }).collect::<Vec<_>>(), false);
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
