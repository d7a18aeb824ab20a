//! Lanes of one warp that work together, and exchange of values between them.

pub(crate) mod pending_nodes;
pub mod reduce;
pub mod scan;

use core::mem::{MaybeUninit, needs_drop};

use spelt_reducers::Reducer;

use self::reduce::{copy, joined};
use crate::intrinsics::{__spelt_shuffle, __spelt_warp_barrier};
use crate::warp::by_words;

/// One participant of a crew. The number of participants is a power of two, and all are in one warp.
///
/// A participant may have several lanes of the warp, the same number for each, which all do the same.
/// Every method but the getters is collective: all lanes of the crew call it together.
#[derive(Clone, Copy, Debug)]
pub struct Crew {
    /// The lanes of the warp that belong to it.
    mask: u32,
    /// The lane that corresponds to this one in the participant with the lowest lanes.
    first: u32,
    /// Lanes of a participant.
    width: u32,
    /// Participants: a power of two.
    size: u32,
    /// The distance of participant 0 from the first: the numbers wrap around.
    turn: u32,
    /// This participant's number.
    rank: u32,
}

impl Crew {
    /// The crew of this lane alone.
    #[inline(always)]
    #[must_use]
    pub fn alone() -> Self {
        Self { mask: 0, first: 0, width: 1, size: 1, turn: 0, rank: 0 }
    }

    /// The crew of `size` participants, each of `width` lanes, whose lanes begin at `begin` of the warp, for the lane with number
    /// `lane` in it; `size` and `width` are powers of two.
    #[inline(always)]
    #[must_use]
    pub(crate) fn new(begin: u32, width: u32, size: u32, lane: u32) -> Self {
        let lanes = width * size;
        let mask = if lanes >= 32 { u32::MAX } else { ((1 << lanes) - 1) << begin };
        Self { mask, first: begin + lane % width, width, size, turn: 0, rank: lane / width }
    }

    /// The same lanes with participant 0 moved to where number `turn`, modulo the size, was.
    #[inline(always)]
    #[must_use]
    pub fn turned(self, turn: usize) -> Self {
        let turn = turn as u32 & (self.size - 1);
        Self { turn, rank: self.rank.wrapping_sub(turn) & (self.size - 1), ..self }
    }

    /// The part of `size` participants that this one belongs to; `size` is a power of two not above this crew's, which is
    /// not turned.
    #[inline(always)]
    #[must_use]
    pub fn part(self, size: u32) -> Self {
        let number = self.rank / size;
        let lanes = size * self.width;
        let skipped = number * lanes;
        let begin = (self.first - self.first % self.width) + skipped;
        let mask = if lanes >= 32 { u32::MAX } else { ((1 << lanes) - 1) << begin };
        let mask = if self.size == 1 { self.mask } else { mask };
        Self { mask, first: self.first + skipped, size, rank: self.rank % size, ..self }
    }

    /// The number of participants.
    #[inline(always)]
    #[must_use]
    pub fn size(&self) -> u32 {
        self.size
    }

    /// This participant's number.
    #[inline(always)]
    #[must_use]
    pub fn rank(&self) -> u32 {
        self.rank
    }

    /// Calls `body` for each of `count` iterations that belongs to this participant: those whose number is its own modulo the
    /// size. Not collective.
    #[inline(always)]
    pub fn each(&self, count: usize, mut body: impl FnMut(usize)) {
        for number in (self.rank as usize..count).step_by(self.size as usize) {
            body(number);
        }
    }

    /// The lane of the warp from which this lane takes the value of participant `number`, modulo the size.
    #[inline(always)]
    fn source(&self, number: u32) -> u32 {
        self.first + (number.wrapping_add(self.turn) & (self.size - 1)) * self.width
    }

    /// Broadcasts the value of participant `number`, modulo the size.
    #[inline(always)]
    #[must_use]
    pub fn from<V>(&self, value: V, number: u32) -> V {
        if self.size == 1 {
            return value;
        }
        hand_over(self.mask, value, self.source(number))
    }

    /// Waits for all lanes; their earlier writes are visible afterwards.
    #[inline(always)]
    pub fn barrier(&self) {
        if self.mask != 0 {
            __spelt_warp_barrier(self.mask);
        }
    }
}

/// The value of the lane `from` of the warp; all lanes of `mask` call it together.
///
/// # Panics
/// If the type has a destructor, because the value is then in several places.
#[inline(always)]
#[must_use]
pub(crate) fn hand_over<V>(mask: u32, value: V, from: u32) -> V {
    if needs_drop::<V>() {
        panic!("a value that owns something cannot be passed to another thread of a device");
    }
    let value = by_words(&MaybeUninit::new(value), |word| __spelt_shuffle(mask, word, from));
    // SAFETY: all bytes of a value of the same type, without a destructor, from a lane that had it.
    unsafe { value.assume_init() }
}

/// The value from which an iteration starts: the tiles, the rows and the iterations before it, as far as there are any.
#[inline(always)]
pub(crate) fn start_from<R: Reducer>(
    reducer: &R,
    tiles: Option<&R::Value>,
    rows: Option<&R::Value>,
    iterations: Option<&R::Value>,
) -> R::Value {
    let add = |value: Option<R::Value>, part: Option<&R::Value>| match part {
        None => value,
        Some(part) => Some(joined(reducer, value, copy(part))),
    };
    match add(add(add(None, tiles), rows), iterations) {
        Some(value) => value,
        None => reducer.init(),
    }
}
