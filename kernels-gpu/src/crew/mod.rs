//! Lanes of one warp that work together, and exchange of values between them.

pub(crate) mod pending_nodes;
pub mod reduce;
pub mod scan;

use core::mem::{MaybeUninit, needs_drop};

use spelt_reducers::Reducer;

use self::reduce::{copy, joined};
use crate::intrinsics::{__spelt_active_lanes, __spelt_here, __spelt_shuffle, __spelt_warp_barrier, WARP};
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

    /// The crew of 2^`size_log2` participants, each of 2^`width_log2` lanes, whose lanes begin at `begin` of the warp, for the lane with
    /// number `lane` in it.
    #[inline(always)]
    #[must_use]
    pub(crate) fn new(begin: u32, width_log2: u32, size_log2: u32, lane: u32) -> Self {
        let (width, size, lanes) = (1 << width_log2, 1 << size_log2, 1 << (width_log2 + size_log2));
        let mask = if lanes >= WARP { u32::MAX } else { ((1 << lanes) - 1) << begin };
        let (first, rank) = (begin + (lane & (width - 1)), lane >> width_log2);
        Self { mask, first, width, size, turn: 0, rank }
    }

    /// The crew of `size` lanes, a power of two, which begin at `begin` of the warp; they have the bits of `mask`.
    #[inline(always)]
    #[must_use]
    pub(crate) fn of_lanes(mask: u32, begin: u32, size: u32, rank: u32) -> Self {
        Self { mask, first: begin, width: 1, size, turn: 0, rank }
    }

    /// The same crew, hidden from the compiler: see [`__spelt_here`].
    #[inline(always)]
    pub(crate) fn here(self) -> Self {
        Self { size: __spelt_here(self.size), rank: __spelt_here(self.rank), ..self }
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
        let number = self.rank >> size.trailing_zeros();
        let lanes = size * self.width;
        let skipped = number * lanes;
        let begin = (self.first & !(self.width - 1)) + skipped;
        let mask = if lanes >= 32 { u32::MAX } else { ((1 << lanes) - 1) << begin };
        let mask = if self.size == 1 { self.mask } else { mask };
        Self { mask, first: self.first + skipped, size, rank: self.rank & (size - 1), ..self }
    }

    /// The same crew, whose participants have a lane each, for a caller that has tested its size: if that is a constant there, so is all that
    /// follows from it.
    #[inline(always)]
    pub(crate) fn of_size(self, size: u32) -> Self {
        debug_assert!(self.size == size && self.width == 1, "the caller has compared them");
        let rank = self.rank & (size - 1);
        if size == WARP {
            Self { mask: u32::MAX, first: 0, width: 1, size, rank, ..self }
        } else {
            Self { width: 1, size, rank, ..self }
        }
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

    /// Runs `body` with this crew, whose only collective there is [`next`](Self::next), called equally often in all crews of the warp. So one
    /// look at whether all lanes of the warp are here is enough.
    #[inline(always)]
    pub(crate) fn together<V>(self, value: V, mut body: impl FnMut(Self, V) -> V) -> V {
        if self.size == 1 {
            return body(self, value);
        }
        if whole_warp(self.mask) {
            body(Self { mask: u32::MAX, ..self }, value)
        } else {
            body(self.here(), value)
        }
    }

    /// The value of participant `number`, modulo the size, [together](Self::together).
    #[inline(always)]
    #[must_use]
    pub(crate) fn next<V>(&self, value: V, number: u32) -> V {
        if self.size == 1 {
            return value;
        }
        hand_over_by(self.mask, value, self.source(number))
    }

    /// Waits for all lanes; their earlier writes are visible afterwards.
    #[inline(always)]
    pub fn barrier(&self) {
        if self.mask != 0 {
            wait(self.mask);
        }
    }
}

/// Whether all lanes of the warp are at this place together, so that they all take part in the next operation on lanes of `mask`.
///
/// For a mask that is no constant, `ptxas` first compares the masks of all lanes, which takes longer than a shuffle or barrier
/// itself. A whole warp does without: either it is one team, or its teams happen to be at the same place. All lanes then see that all
/// are here, and all do the same next.
#[inline(always)]
fn whole_warp(mask: u32) -> bool {
    mask == u32::MAX || __spelt_active_lanes() == u32::MAX
}

/// Waits until the lanes of `mask` are here; their earlier writes are visible afterwards.
#[inline(always)]
pub(crate) fn wait(mask: u32) {
    if whole_warp(mask) {
        __spelt_warp_barrier(u32::MAX);
    } else {
        __spelt_warp_barrier(mask);
    }
}

/// The value of the lane `from` of the warp; all lanes of `mask` call it together.
///
/// # Panics
/// If the type has a destructor, because the value is then in several places.
#[inline(always)]
#[must_use]
pub(crate) fn hand_over<V>(mask: u32, value: V, from: u32) -> V {
    if whole_warp(mask) { hand_over_by(u32::MAX, value, from) } else { hand_over_by(mask, value, from) }
}

/// [`hand_over`] without a look at whether the whole warp is here.
#[inline(always)]
fn hand_over_by<V>(mask: u32, value: V, from: u32) -> V {
    if needs_drop::<V>() {
        panic!("a value that owns something cannot be passed to another thread of a device");
    }
    let value = MaybeUninit::new(value);
    let value = by_words(&value, |word| __spelt_shuffle(mask, word, from));
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
