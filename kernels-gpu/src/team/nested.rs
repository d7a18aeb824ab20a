//! Loops nested in a team.

use core::mem::{MaybeUninit, size_of};

use spelt_order::canonical;
use spelt_reducers::Reducer;

use super::member::{Call, Member};
use super::shape::{Cut, EXCHANGE};
use crate::crew::Crew;
use crate::crew::pending_nodes::PendingNodes;
use crate::crew::reduce::{self as crew_reduce, copy};
use crate::crew::scan::{scan_all, scan_alone};
use crate::intrinsics::WARP;
use spelt_order::cursor::Cursor;

/// The threads that share the iterations of a loop, and this thread's place among them.
#[derive(Clone, Copy)]
struct Sharers {
    /// This one's number.
    rank: u32,
    /// Their number.
    count: u32,
    /// Lanes of each.
    width: u32,
}

impl Member {
    /// The threads of the team, or its lanes for a `flat` loop.
    #[inline(always)]
    fn sharers(&self, flat: bool) -> Sharers {
        if flat {
            Sharers { rank: self.lane, count: self.threads * self.vector, width: 1 }
        } else {
            Sharers { rank: self.number(), count: self.threads, width: self.vector }
        }
    }

    /// The number of sharers that work together in a warp of the team, a power of two.
    #[inline(always)]
    fn in_a_warp(&self, sharers: Sharers) -> u32 {
        if self.in_warp {
            1 << (u32::BITS - 1 - sharers.count.leading_zeros())
        } else {
            WARP >> sharers.width.trailing_zeros()
        }
    }

    /// Calls `body` for each of `count` iterations from `place` on, each by the sharer whose number is the iteration's key
    /// modulo the number of sharers.
    #[inline(always)]
    pub fn each<C: Cursor>(
        &self,
        flat: bool,
        mut place: C,
        mut count: usize,
        mut body: impl FnMut(C, usize),
    ) {
        let sharers = self.sharers(flat);
        let (rank, step) = (sharers.rank as usize, sharers.count as usize);
        while count > 0 {
            let along = place.line().min(count);
            for distance in (before(place.key(), rank, step)..along).step_by(step) {
                body(place, distance);
            }
            count -= along;
            if count > 0 {
                place.advance(along);
            }
        }
    }

    /// The lanes of the warp that share the iterations of a loop; for a team in one warp, the largest power of two of them.
    #[inline(always)]
    fn crew(&self, sharers: Sharers) -> Crew {
        let lane = if self.in_warp { self.lane } else { self.lane % WARP };
        Crew::new(self.begin, sharers.width, self.in_a_warp(sharers), lane)
    }

    /// Reduces `count` iterations in the canonical order; the result is valid in every lane.
    ///
    /// # Panics
    /// If the team's lanes do not all make this call.
    #[inline(always)]
    #[track_caller]
    pub fn reduce<R, C>(
        &mut self,
        call: Call,
        flat: bool,
        reducer: &R,
        count: usize,
        place: &impl Fn(usize) -> C,
        body: &mut impl FnMut(C, usize, &mut R::Value),
    ) -> R::Value
    where
        R: Reducer,
        C: Cursor,
    {
        self.meet(call);
        if count == 0 {
            return reducer.init();
        }
        let sharers = self.sharers(flat);
        let tiles = canonical::tile_count(count, canonical::lanes(R::LANE_BYTES));
        if self.owned && !(C::LINE && R::COMMUTATIVE) {
            let crew = self.crew(sharers);
            let value =
                crew_reduce::reduce(reducer, Crew::alone(), count, 0..tiles, place, &mut relay(crew, body));
            crew.barrier();
            return value;
        }
        let (warps, most) = if self.in_warp {
            (1, u32::MAX)
        } else {
            (self.threads * self.vector / WARP, max_values::<R::Value>())
        };
        let in_a_warp = self.in_a_warp(sharers);
        let (crew, cut, group) = if self.owned {
            let cut = Cut { group: in_a_warp, tiles, groups: 1 };
            (self.crew(sharers).turned(place(0).key()), cut, 0)
        } else {
            let cut = Cut::new(tiles, R::LANE_BYTES, warps, in_a_warp, most);
            let warp = if self.in_warp { 0 } else { self.lane / WARP };
            let crew = self.crew(sharers);
            // Sharers beyond a power of two, and warps that are not whole, are in no group.
            let group = if warp < warps && crew.rank() < in_a_warp {
                let group = cut.group.trailing_zeros();
                warp * (in_a_warp >> group) + (crew.rank() >> group)
            } else {
                u32::MAX
            };
            (crew.part(cut.group), cut, group)
        };
        let mut value = None;
        if group < cut.groups {
            let first = group as usize * cut.tiles;
            let tiles = first..tiles.min(first + cut.tiles);
            value = Some(crew_reduce::reduce(reducer, crew, count, tiles, place, body));
        }
        let value = match value {
            Some(value) => value,
            None => reducer.init(),
        };
        self.join_groups(reducer, sharers, cut, group, value)
    }

    /// Joins the values of groups pairwise by number; the result is valid in every lane.
    #[inline(always)]
    fn join_groups<R: Reducer>(
        &self,
        reducer: &R,
        sharers: Sharers,
        cut: Cut,
        group: u32,
        value: R::Value,
    ) -> R::Value {
        let pitch = cut.group * sharers.width;
        if self.in_warp {
            // The lanes then see what the bodies have written: values that move from lane to lane do not order memory.
            self.barrier();
        }
        if cut.groups == 1 {
            if self.in_warp && cut.group == sharers.count {
                return value;
            }
            return self.hand_out(value, 0);
        }
        let mut nodes = PendingNodes::new();
        if self.in_warp {
            for group in 0..cut.groups {
                let value = self.hand_out(copy(&value), group * pitch);
                nodes.push(reducer, value);
            }
            return nodes.join(reducer);
        }
        let values = self.exchange().cast::<MaybeUninit<R::Value>>();
        if group < cut.groups && self.lane.is_multiple_of(pitch) {
            // SAFETY: the cut leaves room for an aligned value of each group; only this lane writes it, all read behind a
            // barrier, and all earlier readers of the exchange have passed the meeting before this reduction.
            unsafe { values.add(group as usize).write(MaybeUninit::new(copy(&value))) };
        }
        self.barrier();
        for group in 0..cut.groups {
            // SAFETY: the group's value, written above; `copy` has checked its type.
            let value = unsafe { values.add(group as usize).read().assume_init() };
            nodes.push(reducer, value);
        }
        nodes.join(reducer)
    }

    /// Scans `count` iterations in the canonical order, or in any order if joins may be regrouped; the total is valid in every
    /// lane.
    ///
    /// One warp runs it.
    ///
    /// # Panics
    /// If the team's lanes do not all make this call.
    #[inline(always)]
    #[track_caller]
    pub fn scan<R, C>(
        &mut self,
        call: Call,
        flat: bool,
        reducer: &R,
        count: usize,
        place: &impl Fn(usize) -> C,
        body: &mut impl FnMut(C, usize, &mut R::Value, bool),
    ) -> R::Value
    where
        R: Reducer,
        C: Cursor,
    {
        self.meet(call);
        if count == 0 {
            return reducer.init();
        }
        let sharers = self.sharers(flat);
        let crew = self.crew(sharers);
        let mut value = None;
        if (self.in_warp || self.lane < WARP) && crew.rank() < crew.size() {
            value = Some(if self.owned && !C::LINE {
                scan_alone(reducer, count, place, &mut relay_scan(crew, body))
            } else {
                let crew = crew.turned(if self.owned { place(0).key() } else { 0 });
                scan_all(reducer, crew, count, place, body)
            });
        }
        let value = match value {
            Some(value) => value,
            None => reducer.init(),
        };
        if self.in_warp {
            // As after a reduction.
            self.barrier();
            if crew.size() == sharers.count {
                return value;
            }
        }
        self.hand_out(value, 0)
    }
}

/// The maximum number of values in the exchange, 1 if it has no room for any.
#[inline(always)]
const fn max_values<V>() -> u32 {
    let (bytes, fit) = (size_of::<V>(), align_of::<V>() <= 16);
    if bytes == 0 || !fit || bytes > EXCHANGE { 1 } else { (EXCHANGE / bytes) as u32 }
}

/// The distance from a place with `key` to the first whose key is `rank` modulo `step`.
#[inline(always)]
fn before(key: usize, rank: usize, step: usize) -> usize {
    if step.is_power_of_two() {
        return rank.wrapping_sub(key) & (step - 1);
    }
    let here = key % step;
    if rank >= here { rank - here } else { rank + step - here }
}

/// A body that only the owner of an iteration runs, while the rest of the crew waits for the value.
#[inline(always)]
fn relay<C: Cursor, V>(crew: Crew, body: &mut impl FnMut(C, usize, &mut V)) -> impl FnMut(C, usize, &mut V) {
    move |place, distance, value| {
        let owner = place.key().wrapping_add(distance) as u32 & (crew.size() - 1);
        if crew.rank() == owner {
            body(place, distance, value);
        }
        *value = crew.from(copy(value), owner);
    }
}

/// [`relay`] for scans.
#[inline(always)]
fn relay_scan<C: Cursor, V>(
    crew: Crew,
    body: &mut impl FnMut(C, usize, &mut V, bool),
) -> impl FnMut(C, usize, &mut V, bool) {
    move |place, distance, value, last| {
        let owner = place.key().wrapping_add(distance) as u32 & (crew.size() - 1);
        if crew.rank() == owner {
            body(place, distance, value, last);
        }
        *value = crew.from(copy(value), owner);
    }
}

#[cfg(test)]
mod tests {
    use super::before;

    #[test]
    fn the_first_own_place_has_the_own_rank() {
        for step in 1..40 {
            for rank in 0..step {
                for key in 0..100 {
                    let distance = before(key, rank, step);
                    assert!(distance < step && (key + distance) % step == rank);
                }
            }
        }
    }
}
