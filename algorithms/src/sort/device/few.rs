//! Few keys, which one team sorts in one launch, in scratch.

use spelt_core::{Element, ExecutionSpace, Result, TeamSize, parallel_for};

use super::super::key::{Direction, RadixKey};
use super::super::pass::PairViews;
use super::digits::{BITS, Counts, DIGITS, QUADS, Quad, ROWS, WORDS};
use super::steps::{begin_groups, clear, count_lane, join, load, rank_digits, rank_lane, step};
use super::tiles::{LANES, MAX_EACH};

/// The number of keys up to which one team sorts them: those of the largest tile. Unit: keys. Source: the lanes' counts are bytes; the border
/// to the passes is not measured.
pub(super) const FEW: usize = LANES * MAX_EACH;

/// The maximum size of few keys with their values in scratch. Unit: bytes.
const FEW_BYTES: usize = 64 << 10;

/// Sorts few pairs by one team, in one launch; returns whether they are few.
pub(in super::super) fn sort_few<S: ExecutionSpace, K: RadixKey, V: Element>(
    space: &S,
    pairs: &mut PairViews<'_, K, V, S::Memory>,
    direction: Direction<K::Bits>,
) -> Result<bool> {
    let n = pairs.keys.len();
    // Keys and their places are in two halves: each digit moves them from one to the other.
    let bytes = n.saturating_mul(2 * (size_of::<K>() + size_of::<u16>()) + size_of::<V>());
    if n > FEW || bytes > FEW_BYTES {
        return Ok(false);
    }
    // Odd, so that the keys of lanes do not lie in the same banks of shared memory.
    let each = n.div_ceil(LANES) | 1;
    let bytes = bytes + ROWS * WORDS * size_of::<Counts>() + QUADS * size_of::<Quad>() + align_of::<V>();
    let policy = space.team(1, TeamSize::AtMost(LANES)).scratch(bytes, 0);
    // SAFETY: the launch has one team. Its threads read all pairs into scratch, and meet before each writes pairs of its own.
    let args = unsafe { (pairs.keys.distinct(), pairs.values.distinct()) };
    parallel_for("sort: few", policy, args, move |team, (mut keys, mut values)| {
        let (Some(&key), Some(&value)) = (keys.get(0), values.get(0)) else { return };
        // SAFETY: within a step, which ends with a meeting, lanes use elements of their own, or only read; each step says which. A digit's ranks
        // are those of a permutation, so each place in the other half is written once.
        unsafe {
            team.with_distinct_scratch(
                QUADS,
                |_| Quad::ZERO,
                |team, mut quads| {
                    team.with_distinct_scratch(
                        ROWS * WORDS,
                        |_| Counts::ZERO,
                        |team, mut rows| {
                            team.with_distinct_scratch(
                                n,
                                |_| value,
                                |team, mut moved| {
                                    team.with_distinct_scratch(
                                        2 * n,
                                        |_| key,
                                        |team, mut tile| {
                                            team.with_distinct_scratch(
                                                2 * n,
                                                |i| i as u16,
                                                |team, mut origins| {
                                                    let counts = quads.as_mut_ptr().cast::<u8>();
                                                    step(team, LANES, |lane| {
                                                        let (Some(keys), Some(values)) =
                                                            (keys.slice(0..n), values.slice(0..n))
                                                        else {
                                                            return;
                                                        };
                                                        load(lane, keys, tile.as_mut_ptr());
                                                        load(lane, values, moved.as_mut_ptr());
                                                    });
                                                    let (mut from, mut to) = (0, n);
                                                    for shift in
                                                        (0..8 * size_of::<K>() as u32).step_by(BITS as usize)
                                                    {
                                                        let digit =
                                                            move |key| direction.digit(key, shift) % DIGITS;
                                                        let begin = |lane: usize| from + n.min(lane * each);
                                                        step(team, LANES, |lane| {
                                                            let Some(keys) =
                                                                tile.slice(begin(lane)..begin(lane + 1))
                                                            else {
                                                                return;
                                                            };
                                                            count_lane(lane, keys, digit, counts);
                                                        });
                                                        step(team, WORDS, |word| {
                                                            join(word, &mut quads, &mut rows)
                                                        });
                                                        rank_digits(team, &mut rows, |_, _, _| {});
                                                        step(team, WORDS, |word| {
                                                            begin_groups(word, &mut rows)
                                                        });
                                                        step(team, LANES, |lane| {
                                                            let first = begin(lane);
                                                            let (all, origins) =
                                                                (tile.as_mut_ptr(), origins.as_mut_ptr());
                                                            let Some(keys) =
                                                                tile.slice(first..begin(lane + 1))
                                                            else {
                                                                return;
                                                            };
                                                            rank_lane(
                                                                lane,
                                                                keys,
                                                                digit,
                                                                (counts, rows.as_mut_ptr()),
                                                                |rank, place, key| {
                                                                    all.add(to + rank).write(key);
                                                                    origins.add(to + rank).write(
                                                                        origins.add(first + place).read(),
                                                                    );
                                                                },
                                                            );
                                                        });
                                                        step(team, LANES, |lane| clear(lane, &mut quads));
                                                        (from, to) = (to, from);
                                                    }
                                                    step(team, LANES, |lane| {
                                                        let mut i = lane;
                                                        while i < n {
                                                            let origin = origins
                                                                .get(from + i)
                                                                .map_or(0, |&origin| usize::from(origin));
                                                            if let (Some(to), Some(&key)) =
                                                                (keys.get_mut(i), tile.get(from + i))
                                                            {
                                                                *to = key;
                                                            }
                                                            if let (Some(to), Some(&value)) =
                                                                (values.get_mut(i), moved.get(origin))
                                                            {
                                                                *to = value;
                                                            }
                                                            i += LANES;
                                                        }
                                                    });
                                                },
                                            );
                                        },
                                    );
                                },
                            );
                        },
                    );
                },
            );
        }
    })?;
    Ok(true)
}
