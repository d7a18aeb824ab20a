//! Loops nested in a team.

use core::mem::{MaybeUninit, size_of};

use spelt_order::canonical;
use spelt_reducers::Reducer;

use super::cut::Cut;
use super::member::{Call, Member};
use super::shape::EXCHANGE;
use crate::crew::Crew;
use crate::crew::pending_nodes::PendingNodes;
use crate::crew::reduce::{self as crew_reduce, Crews, FOUR, copy};
use crate::crew::scan::{scan_all, scan_alone};
use crate::intrinsics::WARP;
use spelt_order::cursor::Cursor;

/// The part of a lane in a nested reduction.
#[derive(Clone, Copy)]
struct Part {
    /// The lanes that reduce a tile together.
    crew: Crew,
    /// Their number among all such groups, which is beyond them for lanes that only wait.
    number: u32,
    /// The division of the tiles over the groups.
    cut: Cut,
    /// The lanes from one group to the next, where there are several.
    pitch: u32,
    /// Whether the only group has all lanes of the team.
    everyone: bool,
}

impl Member {
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
        let sharers = self.place.sharers(flat);
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
        let tiles = canonical::tile_count(count, const { canonical::lanes(R::LANE_BYTES) });
        if self.place.owned && !(C::LINE && R::COMMUTATIVE) {
            let here = self.place.here();
            let crew = here.crew(here.sharers(flat));
            let value = crew_reduce::reduce(
                reducer,
                Crews::of(Crew::alone()),
                count,
                0..tiles,
                place,
                &mut relay(crew, body),
            );
            crew.barrier();
            return value;
        }
        let turn = if self.place.owned { place(0).key() } else { 0 };
        let even = if R::COMMUTATIVE {
            let lanes = const { canonical::lanes(R::LANE_BYTES) as u32 };
            self.place.even_crew(lanes, if C::LINE { FOUR as u32 } else { 1 })
        } else {
            None
        };
        let part = if let Some(crew) = even
            && self.place.in_warp
        {
            Part { crew, number: 0, cut: Cut { tiles, groups: 1 }, pitch: 0, everyone: true }
        } else {
            self.part::<R>(flat, tiles)
        };
        let mut value = None;
        if part.number < part.cut.groups {
            let first = part.number as usize * part.cut.tiles;
            let tiles = first..tiles.min(first + part.cut.tiles);
            let crews = Crews { crew: part.crew.turned(turn), even: even.map(|crew| crew.turned(turn)) };
            value = Some(crew_reduce::reduce(reducer, crews, count, tiles, place, body));
        }
        let value = match value {
            Some(value) => value,
            None => reducer.init(),
        };
        self.join_groups(reducer, part, value)
    }

    /// The part of this lane in the reduction of `tiles` tiles by the team's threads, or lanes if it is `flat`.
    #[inline(always)]
    fn part<R: Reducer>(&self, flat: bool, tiles: usize) -> Part {
        let here = self.place.here();
        let sharers = here.sharers(flat);
        let crew = here.crew(sharers);
        if here.owned {
            let everyone = crew.size() == sharers.count;
            return Part { crew, number: 0, cut: Cut { tiles, groups: 1 }, pitch: 0, everyone };
        }
        let (warps, most) =
            if here.in_warp { (1, u32::MAX) } else { (here.lanes() / WARP, max_values::<R::Value>()) };
        let size = crew.size();
        let group = size.min(const { canonical::lanes(R::LANE_BYTES) as u32 });
        let group_log2 = group.trailing_zeros();
        let warp = if here.in_warp { 0 } else { here.lane / WARP };
        // Sharers beyond a power of two, and warps that are not whole, are in no group.
        let number = if warp < warps && crew.rank() < size {
            warp * (size >> group_log2) + (crew.rank() >> group_log2)
        } else {
            u32::MAX
        };
        Part {
            crew: crew.part(group),
            number,
            cut: Cut::new(tiles, (size >> group_log2) * warps, most),
            pitch: group << sharers.width_log2,
            everyone: here.in_warp && group == sharers.count,
        }
    }

    /// Joins the values of groups pairwise by number; the result is valid in every lane.
    #[inline(always)]
    fn join_groups<R: Reducer>(&self, reducer: &R, part: Part, value: R::Value) -> R::Value {
        let in_warp = self.place.in_warp;
        if in_warp {
            // The lanes then see what the bodies have written: values that move from lane to lane do not order memory.
            self.barrier();
        }
        let groups = part.cut.groups;
        if groups == 1 {
            return if part.everyone { value } else { self.hand_out(value, 0) };
        }
        let mut nodes = PendingNodes::new();
        if in_warp {
            for group in 0..groups {
                let value = self.hand_out(copy(&value), group * part.pitch);
                nodes.push(reducer, value);
            }
            return nodes.join(reducer);
        }
        let values = self.exchange().cast::<MaybeUninit<R::Value>>();
        if part.number < groups && self.place.lane.is_multiple_of(part.pitch) {
            // SAFETY: the cut leaves room for an aligned value of each group; only this lane writes it, all read behind a
            // barrier, and all earlier readers of the exchange have passed the meeting before this reduction.
            unsafe { values.add(part.number as usize).write(MaybeUninit::new(copy(&value))) };
        }
        self.barrier();
        for group in 0..groups {
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
        let here = self.place.here();
        let sharers = here.sharers(flat);
        let crew = here.crew(sharers);
        let mut value = None;
        if (here.in_warp || here.lane < WARP) && crew.rank() < crew.size() {
            value = Some(if here.owned && !C::LINE {
                scan_alone(reducer, count, place, &mut relay_scan(crew, body))
            } else {
                let crew = crew.turned(if here.owned { place(0).key() } else { 0 });
                scan_all(reducer, crew, count, place, body)
            });
        }
        let value = match value {
            Some(value) => value,
            None => reducer.init(),
        };
        if here.in_warp {
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
