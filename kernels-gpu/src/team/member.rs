//! One lane of a team.

use core::any::type_name;
use core::mem::{MaybeUninit, size_of};
use core::panic::Location;

use spelt_reducers::Reducer;

use super::place::Place;
use super::shape::{EXCHANGE, PlacedTeams, TeamShape};
use crate::crew::reduce::{copy, joined};
use crate::crew::{Crew, hand_over, wait};
use crate::failure;
use crate::intrinsics::{
    __spelt_active_lanes, __spelt_alike, __spelt_barrier, __spelt_block, __spelt_shared, __spelt_thread,
    __spelt_warp_barrier, WARP,
};

/// The collective that a lane is about to join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The address of the place in the source, as far as it fits.
    site: u32,
    /// The length of the loop, mixed with the kind of the collective and its type.
    what: u32,
}

impl Call {
    /// Leaving the kernel.
    pub const LEAVE: Self = Self { site: LEFT, what: 0 };

    /// The call of `kind` over `length`, with values of type `T`, at the caller's location (through `track_caller`).
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn new<T>(kind: &'static str, length: u64) -> Self {
        Self::at::<T>(Location::caller(), kind, length)
    }

    /// The call of `kind` over `length`, with values of type `T`, at `site`.
    #[inline(always)]
    #[must_use]
    pub fn at<T>(site: &'static Location<'static>, kind: &'static str, length: u64) -> Self {
        // Types with different names have their names at different addresses.
        let of = type_name::<T>();
        let mixed = (kind.as_ptr().addr() as u32).wrapping_mul(0x85EB_CA6B)
            ^ (of.as_ptr().addr() as u32 ^ size_of::<T>() as u32).wrapping_mul(0x27D4_EB2F)
            ^ ((length >> 32) as u32).wrapping_mul(0x9E37_79B1);
        Self {
            site: core::ptr::from_ref(site).expose_provenance() as u32,
            // Different lengths of one loop give different numbers, no matter what is mixed in.
            what: mixed ^ length as u32,
        }
    }

    /// The `number`th such call, as a number that is the same in other lanes about to make the same call.
    #[inline(always)]
    #[must_use]
    pub fn number(self, number: u32) -> u64 {
        let what = self.what.wrapping_add(number.wrapping_mul(0x1656_67B1));
        u64::from(self.site) << 32 | u64::from(what)
    }
}

/// In place of the address of a place in the source, which is even: the kernel is left.
const LEFT: u32 = 1;

/// The source location of the call with this number; `None` if the kernel is left.
fn place(number: u64) -> Option<&'static Location<'static>> {
    let site = (number >> 32) as u32;
    if site == LEFT {
        return None;
    }
    let here = core::ptr::from_ref(Location::caller()).addr();
    let distance = site.wrapping_sub(here as u32) as i32;
    let place = core::ptr::with_exposed_provenance(here.wrapping_add_signed(distance as isize));
    // SAFETY: the number is that of a call in this kernel, as the words of meetings hold no others from the start on; so it has the lower
    // bits of the address of a place. All places of a kernel are constants of one module, so of one image, which has far less than 2 GiB:
    // the nearest address with these bits is that address.
    Some(unsafe { &*place })
}

/// A piece of scratch memory, taken from one end.
#[derive(Clone, Copy, Debug)]
struct Region {
    start: *mut u8,
    bytes: usize,
    used: usize,
}

impl Region {
    /// Room for `len` elements, or null; and the bytes used before.
    #[inline(always)]
    fn take<T>(&mut self, len: usize) -> (*mut T, usize) {
        let before = self.used;
        let start = self.start.addr();
        let from = (start + before).next_multiple_of(align_of::<T>()) - start;
        let end = from + len * size_of::<T>();
        if end > self.bytes {
            return (core::ptr::null_mut(), before);
        }
        self.used = end;
        (self.start.wrapping_add(from).cast(), before)
    }
}

/// One lane of a team.
///
/// Methods that take a [`Call`], and those that say so, are collective: all lanes of the team call them together.
#[derive(Debug)]
pub struct Member {
    pub(super) place: Place,
    meetings: u32,
    meeting: *mut u8,
    exchange: *mut u8,
    team_scratch: Region,
    lane_scratch: Region,
    /// The bytes before the team's scratch in shared memory, if it is there.
    shared_scratch: Option<usize>,
}

impl Member {
    /// This lane as a member of a team, with the number of its team among all that run at the same time; `None` if the lane is
    /// beyond the teams of its block.
    ///
    /// # Safety
    /// The launch has blocks of [`TeamShape::block_lanes`] lanes with [`TeamShape::shared_bytes`] of shared memory, and scratch in
    /// device memory if the shape says so; nothing else uses them.
    #[inline(always)]
    #[must_use]
    pub unsafe fn new(teams: &PlacedTeams) -> Option<(Self, usize)> {
        let (place, team) = Place::new(teams, __spelt_thread())?;
        let shape = &teams.shape;
        let (meeting, scratch) = teams.places(__spelt_shared(), __spelt_block(), team);
        let [of_team, of_lane] = shape.scratch;
        let member = Self {
            place,
            meetings: 0,
            meeting,
            exchange: meeting.wrapping_add(teams.before_exchange),
            team_scratch: Region { start: scratch, bytes: of_team, used: 0 },
            lane_scratch: Region {
                start: scratch.wrapping_add(of_team + of_lane * place.lane as usize),
                bytes: of_lane,
                used: 0,
            },
            shared_scratch: teams.before_scratch(team),
        };
        member.begin_meetings();
        Some((member, __spelt_block() as usize * shape.teams as usize + team as usize))
    }

    /// Writes a number into the words of all meetings: if diverging lanes do not come together at a barrier, a word may be read
    /// before it is written again.
    #[inline(always)]
    fn begin_meetings(&self) {
        if self.place.lane == 0 {
            let published = self.meeting.cast::<u64>();
            // SAFETY: the words are the team's, and are not read before the barrier.
            unsafe {
                published.write_volatile(Call::LEAVE.number(0));
                published.wrapping_add(1).write_volatile(Call::LEAVE.number(0));
            }
        }
        if self.place.has_vectors() {
            let lanes = self.thread();
            if lanes.crew.rank() == 0 {
                // SAFETY: the word is the thread's, and is not read before the barrier.
                unsafe { lanes.meeting.write_volatile(Call::LEAVE.number(0)) };
            }
        }
        self.barrier();
    }

    /// The number of the lane in the team.
    #[inline(always)]
    #[must_use]
    pub fn lane(&self) -> u32 {
        self.place.lane
    }

    /// The number of this lane's thread in the team.
    #[inline(always)]
    #[must_use]
    pub fn number(&self) -> u32 {
        self.place.number()
    }

    /// The lanes of this lane's thread.
    #[inline(always)]
    #[must_use]
    pub fn thread(&self) -> Lanes {
        self.lanes_of(self.place)
    }

    /// The lanes of the thread of the lane at `place`.
    #[inline(always)]
    fn lanes_of(&self, place: Place) -> Lanes {
        Lanes {
            crew: place.thread(),
            meeting: self.meeting.wrapping_add(TeamShape::before_lanes(place.number() as usize)).cast(),
        }
    }

    /// Waits until all lanes are here, and makes sure that they are about to do the same.
    ///
    /// # Panics
    /// If they are not.
    #[inline(always)]
    pub fn meet(&mut self, call: Call) {
        let id = call.number(self.meetings);
        self.meetings = self.meetings.wrapping_add(1);
        if self.place.has_vectors() {
            // A lane may be at a collective of its thread instead.
            self.lanes_of(self.place.here()).meet(id);
        }
        let published = self.meeting.cast::<u64>().wrapping_add(self.meetings as usize & 1);
        if self.place.lane == 0 {
            // SAFETY: the word is the team's, and written only by this lane; the lanes that read its earlier value have come to
            // the meeting in between.
            unsafe { published.write_volatile(id) };
        }
        self.barrier();
        // SAFETY: written before the barrier; the next but one meeting writes it again, behind a barrier.
        let first = unsafe { published.read_volatile() };
        if first != id {
            diverged(id, first);
        }
    }

    /// [`meet`](Self::meet) that also compares `numbers` exactly, not by a hash. The next meeting of the team must be an ordinary one.
    ///
    /// # Panics
    /// If other lanes are not here, or have other numbers.
    #[inline(always)]
    #[track_caller]
    pub fn meet_with(&mut self, call: Call, numbers: [u64; 2]) {
        let published = [2, 3].map(|word| self.meeting.cast::<u64>().wrapping_add(word));
        if self.place.lane == 0 {
            // SAFETY: the words are the team's, and written only by this lane; the lanes that read their earlier values have come to an
            // ordinary meeting in between.
            unsafe {
                published[0].write_volatile(numbers[0]);
                published[1].write_volatile(numbers[1]);
            }
        }
        self.meet(call);
        // SAFETY: written before the meeting, and not again before the next.
        let first = unsafe { [published[0].read_volatile(), published[1].read_volatile()] };
        if first[0] != numbers[0] || first[1] != numbers[1] {
            panic!(
                "the threads of a team are about to write different parts of scratch, or different arrays"
            );
        }
    }

    /// Waits until all lanes are here; they may come from different calls.
    #[inline(always)]
    pub(super) fn barrier(&self) {
        if self.place.in_warp {
            wait(self.place.mask);
        } else {
            __spelt_barrier();
        }
    }

    /// Broadcasts the value of lane `from`; the other lanes' values are ignored. To be called right after a meeting, or after a
    /// barrier before which no lane was in this function.
    #[inline(always)]
    #[must_use]
    pub fn hand_out<T>(&self, value: T, from: u32) -> T {
        if self.place.in_warp {
            return hand_over(self.place.mask, value, self.place.begin + from);
        }
        if core::mem::needs_drop::<T>() {
            panic!("a value that owns something cannot be passed to another thread of a device");
        }
        if size_of::<T>() <= EXCHANGE && align_of::<T>() <= 16 {
            let place = self.exchange.cast::<T>();
            if self.place.lane == from {
                // SAFETY: the exchange has room, is aligned, and is not accessed elsewhere before the barrier.
                unsafe { place.write(value) };
            }
            __spelt_barrier();
            // SAFETY: written before the barrier, a value of the same type without a destructor.
            return unsafe { place.read() };
        }
        let mut value = MaybeUninit::new(value);
        let bytes = size_of::<T>();
        let mut done = 0;
        while done < bytes {
            let count = (bytes - done).min(EXCHANGE);
            let part = value.as_mut_ptr().cast::<MaybeUninit<u8>>().wrapping_add(done);
            // SAFETY: the bytes are in the value and in the exchange; one lane writes, then all others read, behind a
            // barrier, and is not written again before the next.
            unsafe {
                if self.place.lane == from {
                    core::ptr::copy_nonoverlapping(part, self.exchange().cast(), count);
                }
                __spelt_barrier();
                if self.place.lane != from {
                    core::ptr::copy_nonoverlapping(self.exchange().cast(), part, count);
                }
            }
            done += count;
            if done < bytes {
                __spelt_barrier();
            }
        }
        // SAFETY: this lane's own value, or all bytes of another's, of a type without a destructor.
        unsafe { value.assume_init() }
    }

    /// The memory in which a team of more than a warp exchanges values.
    #[inline(always)]
    pub(super) fn exchange(&self) -> *mut u8 {
        self.exchange
    }

    /// Broadcasts the value of thread `source` to all threads.
    ///
    /// # Panics
    /// As [`meet`](Self::meet).
    #[inline(always)]
    #[track_caller]
    pub fn broadcast<T>(&mut self, call: Call, value: T, source: u32) -> T {
        self.meet(call);
        self.hand_out(value, self.place.first_lane(source))
    }

    /// The values of threads `0..count` joined by number; `init` for none.
    ///
    /// # Panics
    /// As [`meet`](Self::meet).
    #[inline(always)]
    #[track_caller]
    pub fn join_threads<R: Reducer>(
        &mut self,
        call: Call,
        reducer: &R,
        value: R::Value,
        count: u32,
    ) -> R::Value {
        self.meet(call);
        let mut sum = None;
        for thread in 0..self.place.threads {
            let next = self.hand_out(copy(&value), self.place.first_lane(thread));
            if !self.place.in_warp {
                self.barrier();
            }
            if thread < count {
                sum = Some(joined(reducer, sum, next));
            }
        }
        sum.unwrap_or_else(|| reducer.init())
    }

    /// Fills scratch of the team with `fill(0)`, .. and returns it with a token to [give it back](Self::release).
    ///
    /// # Panics
    /// If it does not fit; as [`meet`](Self::meet).
    #[inline(always)]
    #[track_caller]
    pub fn fill<T>(&mut self, call: Call, len: usize, mut fill: impl FnMut(usize) -> T) -> (*mut T, usize) {
        // All readers of the previous values have reached this point.
        self.meet(call);
        let (place, token) = self.team_scratch.take::<T>(len);
        if place.is_null() {
            no_room();
        }
        // Not by `step_by`, whose iterator takes a few more instructions for each.
        let mut k = self.place.lane as usize;
        while k < len {
            let value = fill(k);
            // SAFETY: there is room for `len`, and no other lane writes this place before all have met.
            unsafe { place.wrapping_add(k).write(value) };
            k += self.place.lanes() as usize;
        }
        self.barrier();
        (place, token)
    }

    /// Room for `len` words in scratch of the team, in shared memory, with a token to [give it back](Self::release). The first `zeros` are 0.
    ///
    /// # Panics
    /// If it does not fit, or scratch is not in shared memory; as [`meet`](Self::meet).
    ///
    /// # Safety
    /// All lanes of the team call it together, with the same `len` and `zeros`, which is at most `len`; until the token is given back they call the
    /// same collectives.
    #[inline(always)]
    #[track_caller]
    pub unsafe fn shared_words(&mut self, call: Call, len: usize, zeros: usize) -> (*mut u64, usize) {
        // All users of the previous words have reached this point.
        self.meet(call);
        let (place, token) = self.team_scratch.take::<u64>(len);
        let Some(scratch) = self.shared_scratch else { not_shared() };
        if place.is_null() {
            no_room();
        }
        // Counted from the beginning of shared memory, so that the compiler knows that it is there.
        let start = scratch + (place.addr() - self.team_scratch.start.addr());
        let words = __spelt_shared().wrapping_add(start).cast::<u64>();
        let mut k = self.place.lane as usize;
        while k < zeros {
            // SAFETY: there is room for `len`, of which `zeros` are a part, as this function asks; the lanes have the same place, as they took the
            // same scratch before, and no other lane writes this word before all have met.
            unsafe { words.wrapping_add(k).write(0) };
            k += self.place.lanes() as usize;
        }
        self.barrier();
        (words, token)
    }

    /// Adds one for each lane of the warp, in their order, to the sum at the lane's place. Each lane gets the sum before its own one. Lanes with
    /// the same `number`, of `BITS` bits, have the same place.
    ///
    /// The warp meets in between and at the end, without a comparison of the calls.
    ///
    /// # Safety
    /// All lanes of the team call it together, equally often, with numbers below 2^`BITS`. A thread has one lane, and the team has whole warps.
    /// There is a sum at each place, which only this warp uses; lanes with other numbers have other places.
    #[inline(always)]
    pub unsafe fn ordered_add<const BITS: u32>(&self, number: u32, sum: *mut u32) -> u32 {
        let mut equal = u32::MAX;
        let mut bit = 0;
        while bit < BITS {
            equal &= __spelt_alike(u32::MAX, number & 1 << bit);
            bit += 1;
        }
        let lane = self.place.lane % WARP;
        let earlier = (1 << lane) - 1;
        // SAFETY: there is a sum, which is only read until the warp meets.
        let before = unsafe { sum.read() };
        __spelt_warp_barrier(u32::MAX);
        let own = before.wrapping_add((equal & earlier).count_ones());
        // The last lane with this number.
        if equal & !(earlier << 1 | 1) == 0 {
            // SAFETY: of the lanes with this place, only this one uses it until the warp meets.
            unsafe { sum.write(own.wrapping_add(1)) };
        }
        __spelt_warp_barrier(u32::MAX);
        own
    }

    /// Waits until all lanes of a team of more than a warp are here, without a comparison of their calls.
    ///
    /// # Safety
    /// All lanes of the team call it together, and they are more than a warp.
    #[inline(always)]
    pub unsafe fn barrier_unchecked(&self) {
        __spelt_barrier();
    }

    /// Waits until the lanes of the warp are here.
    ///
    /// # Safety
    /// All lanes of the warp call it together, and the team has whole warps.
    #[inline(always)]
    pub unsafe fn warp_barrier_unchecked(&self) {
        __spelt_warp_barrier(u32::MAX);
    }

    /// Gives back scratch of the team.
    #[inline(always)]
    pub fn release(&mut self, token: usize) {
        self.team_scratch.used = token;
    }

    /// Room for `len` elements in the lane's own scratch, with a token to [give it back](Self::release_own).
    ///
    /// # Panics
    /// If it does not fit.
    #[inline(always)]
    #[track_caller]
    pub fn own<T>(&mut self, len: usize) -> (*mut T, usize) {
        let (place, token) = self.lane_scratch.take::<T>(len);
        if place.is_null() {
            no_room();
        }
        (place, token)
    }

    /// Gives back the lane's own scratch.
    #[inline(always)]
    pub fn release_own(&mut self, token: usize) {
        self.lane_scratch.used = token;
    }
}

/// One of the lanes of a thread.
#[derive(Clone, Copy, Debug)]
pub struct Lanes {
    /// The lanes.
    pub crew: Crew,
    meeting: *mut u64,
}

impl Lanes {
    /// Waits until all lanes are here, and makes sure that they are about to do the same.
    ///
    /// # Panics
    /// If they are not.
    #[inline(always)]
    pub fn meet(&self, number: u64) {
        if self.crew.size() == 1 {
            return;
        }
        if self.crew.rank() == 0 {
            // SAFETY: the word is the thread's, and written only by this lane; the lanes that read its earlier value have come
            // to the second barrier after that.
            unsafe { self.meeting.write_volatile(number) };
        }
        self.crew.barrier();
        // SAFETY: written before the barrier, and not again before the next.
        let first = unsafe { self.meeting.read_volatile() };
        if first != number {
            diverged(number, first);
        }
        self.crew.barrier();
    }
}

/// Ends the branch of a single lane: after it, all lanes take one path. Only for a device.
///
/// LLVM does not copy a convergent operation into a branch. Without it, LLVM joins the following tests with the test for the
/// lane, and this lane reaches the next barrier by another path than the lanes that wait there; lanes in lock-step leave neither
/// path before the barrier has let them through.
#[inline(always)]
pub fn join_branches() {
    _ = __spelt_active_lanes();
}

/// Fails: a lane is at the call with the number `own`, the first one of the team or thread at `first`.
#[cold]
#[inline(never)]
fn diverged(own: u64, first: u64) -> ! {
    match (place(own), place(first)) {
        (Some(own), first) => failure::diverged(own, first),
        (None, Some(first)) => failure::diverged(first, None),
        (None, None) => panic!("the lanes of a team leave the kernel after different numbers of collectives"),
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn not_shared() -> ! {
    panic!("this scratch is to be in shared memory, of which a block has too little")
}

#[cold]
#[inline(never)]
#[track_caller]
fn no_room() -> ! {
    panic!(
        "more scratch is requested than there is: ask for more with `.scratch(bytes per team, bytes per thread)` on the \
         policy"
    )
}
