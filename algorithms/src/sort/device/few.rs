//! Few keys, which one team sorts in one launch, in scratch.

use spelt_core::{Element, ExecutionSpace, Result, parallel_for};

use super::super::key::{Direction, RadixBits, RadixKey};
use super::super::pass::PairViews;
use super::digits::{BITS, DIGITS};
use super::ranks::{GROUPS, Sums, Thread, sums_len};
use super::room::{Room, bytes_of};
use super::size_of_teams;
use super::steps::step_unchecked;
use super::tiles::LANES;

/// The number of keys up to which one team sorts them, if they have room. Unit: keys. Source: their places have two bytes; the limit that matters is
/// that of their size.
pub(super) const FEW: usize = 16_384;

/// The maximum number of keys of a thread in a team that could have more threads. Unit: keys. Source: estimated: a row of keys takes longer
/// than one more warp does.
const FEW_EACH: usize = 4;

/// The maximum number of threads that sort them. Unit: threads. Source: there are 128 registers for each.
const FEW_THREADS: usize = 512;

/// Whether values have places to move: those without bytes have none.
const fn has_values<V>() -> bool {
    size_of::<V>() > 0
}

/// Sorts few pairs by one team, in one launch; returns whether they are few.
pub(in super::super) fn sort_few<S: ExecutionSpace, K: RadixKey, V: Element>(
    space: &S,
    pairs: &mut PairViews<'_, K, V, S::Memory>,
    direction: Direction<K::Bits>,
) -> Result<bool> {
    let n = pairs.keys.len();
    if n > FEW {
        return Ok(false);
    }
    let threads = n.div_ceil(FEW_EACH).next_power_of_two().clamp(2 * LANES, FEW_THREADS);
    let warps = threads / LANES;
    // Keys and the places of their values are in two halves: each digit moves them from one to the other.
    let origins = if has_values::<V>() { 2 * n } else { 0 };
    let of_keys = bytes_of::<K>(2 * n) + bytes_of::<u16>(origins) + bytes_of::<u16>(n);
    let bytes = bytes_of::<V>(n)
        .saturating_add(of_keys + bytes_of::<u32>(sums_len(warps)) + bytes_of::<u32>(DIGITS + GROUPS));
    if bytes > space.shared_scratch(1) {
        return Ok(false);
    }
    let flip = direction.flip();
    let policy = space.team(1, size_of_teams(space, threads)).scratch(bytes, 0);
    // SAFETY: the launch has one team. Its threads read all pairs into scratch, and meet before each writes pairs of its own.
    let args = unsafe { (pairs.keys.distinct(), pairs.values.distinct()) };
    parallel_for("sort: few", policy, args, move |team, (mut keys, mut values)| {
        assert!(
            !S::IS_DEVICE || team.team_size() == threads,
            "a team of a device has the threads that it is to have"
        );
        // SAFETY: there are as many bytes as the arrays need, all zero, so that the sums are clear. Within a step, which ends with a meeting,
        // threads use elements of their own, or only read. A digit's ranks are those of a permutation, in which places without a key are the last,
        // so each place in the other half is written once. A device's team has whole warps, more than one, as asserted.
        unsafe {
            team.with_distinct_scratch(
                bytes / size_of::<u64>(),
                |_| 0_u64,
                |team, mut words| {
                    let mut room = Room::new(words.as_mut_ptr());
                    let sums = Sums::new(room.cut(sums_len(warps)), warps);
                    let numbers = room.cut::<u32>(DIGITS + GROUPS);
                    let (numbers, groups) = (numbers.part(0, DIGITS), numbers.part(DIGITS, GROUPS));
                    let (tile, moved) = (room.cut::<K>(2 * n), room.cut::<V>(n));
                    let (origins, ranks) = (room.cut::<u16>(origins), room.cut::<u16>(n));
                    step_unchecked(team, n, |i| {
                        if let (Some(&key), Some(&value)) = (keys.get(i), values.get(i)) {
                            tile.set(i, key);
                            moved.set(i, value);
                        }
                        if const { has_values::<V>() } {
                            origins.set(i, i as u16);
                        }
                    });
                    let thread =
                        if S::IS_DEVICE { Thread::of::<true>(team) } else { Thread::of::<false>(team) };
                    let each = n.div_ceil(team.team_size());
                    let first = thread.first(each as u32) as usize;
                    let (mut from, mut to) = (0, n);
                    for shift in (0..8 * size_of::<K>() as u32).step_by(BITS as usize) {
                        let digit = move |key: K| u32::from(key.to_radix().digit(shift)) ^ flip;
                        for k in 0..each {
                            // Places that have no key are ranked last.
                            let place = first + thread.row(k) as usize;
                            let digit =
                                if place < n { digit(tile.get(from + place)) } else { DIGITS as u32 - 1 };
                            let rank = sums.rank(team, thread, digit);
                            if place < n {
                                ranks.set(place, rank as u16);
                            }
                        }
                        sums.join(team, numbers, groups);
                        for k in 0..each {
                            let place = first + thread.row(k) as usize;
                            if place < n {
                                let key = tile.get(from + place);
                                let rank = sums.in_team(thread, digit(key), ranks.get(place).into()) as usize;
                                tile.set(to + rank, key);
                                if const { has_values::<V>() } {
                                    origins.set(to + rank, origins.get(from + place));
                                }
                            }
                        }
                        team.barrier_unchecked();
                        sums.clear(team);
                        team.barrier_unchecked();
                        (from, to) = (to, from);
                    }
                    step_unchecked(team, n, |i| {
                        if let Some(to) = keys.get_mut(i) {
                            *to = tile.get(from + i);
                        }
                        let origin =
                            if const { has_values::<V>() } { usize::from(origins.get(from + i)) } else { i };
                        if let Some(to) = values.get_mut(i) {
                            *to = moved.get(origin);
                        }
                    });
                },
            );
        }
    })?;
    Ok(true)
}
