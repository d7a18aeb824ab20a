//! The placement of teams on blocks and warps.

use crate::intrinsics::WARP;

/// Bytes in which the threads of a team of more than a warp exchange values. Unit: bytes. Source: a value of up
/// to 32 bytes from each of 32 warps.
pub const EXCHANGE: usize = 1024;

/// Bytes that a team's threads compare when they meet: a word for this meeting, one for the next, and two for the part of scratch that
/// they are about to write.
const MEETING: usize = 4 * WORD;

/// Bytes of a word that identifies the next collective of a lane.
const WORD: usize = 8;

/// The placement of a launch's teams on its blocks.
///
/// A lane is a thread of the hardware. A team of up to 32 lanes lies in one warp, with others, each on a power of
/// two of lanes; a larger one is a block.
#[derive(Clone, Copy, Debug)]
pub struct TeamShape {
    /// Threads of a team.
    pub threads: u32,
    /// Vector lanes of a thread, a power of two.
    pub vector: u32,
    /// Teams that a block runs at a time.
    pub teams: u32,
    /// Whether each index of a nested loop has one thread for the whole launch; `threads` is then a power of two, and a team
    /// lies in one warp.
    pub owned: bool,
    /// Bytes of scratch of a team, and of each lane: multiples of 16.
    pub scratch: [usize; 2],
    /// The address of scratch: null for shared memory, otherwise device memory for each team of each block.
    pub global_scratch: *mut u8,
}

// SAFETY: the pointer is one of the device, which only kernels follow.
unsafe impl Send for TeamShape {}
// SAFETY: a shared shape gives only a copy of the pointer, which only kernels follow.
unsafe impl Sync for TeamShape {}

impl TeamShape {
    /// The lanes of a team.
    #[inline(always)]
    #[must_use]
    pub const fn lanes(&self) -> u32 {
        self.threads * self.vector
    }

    /// Whether a team lies in one warp.
    #[inline(always)]
    #[must_use]
    pub const fn in_warp(&self) -> bool {
        self.lanes() <= WARP
    }

    /// The lanes from one team of a warp to the next.
    #[inline(always)]
    #[must_use]
    pub const fn pitch(&self) -> u32 {
        if self.in_warp() { self.lanes().next_power_of_two() } else { self.lanes() }
    }

    /// The lanes of a block.
    #[must_use]
    pub const fn block_lanes(&self) -> u32 {
        (self.pitch() * self.teams).next_multiple_of(if self.in_warp() { WARP } else { 1 })
    }

    /// Bytes in which the lanes of threads compare their next collective: a word for each thread, if it has several lanes.
    #[inline(always)]
    const fn lanes_bytes(&self) -> usize {
        if self.vector == 1 { 0 } else { (self.threads as usize * WORD).next_multiple_of(16) }
    }

    /// Bytes of shared memory that a team needs to meet and to exchange values.
    #[inline(always)]
    const fn meeting_bytes(&self) -> usize {
        MEETING + self.lanes_bytes() + if self.in_warp() { 0 } else { EXCHANGE }
    }

    /// The distance from the place where a team meets to the place where the lanes of a thread do.
    #[inline(always)]
    pub(super) const fn before_lanes(thread: usize) -> usize {
        MEETING + thread * WORD
    }

    /// Bytes of scratch of a team and all its lanes.
    #[inline(always)]
    #[must_use]
    pub const fn scratch_bytes(&self) -> usize {
        self.scratch[0] + self.scratch[1] * self.lanes() as usize
    }

    /// Bytes of shared memory of a block.
    #[must_use]
    pub const fn shared_bytes(&self) -> usize {
        let scratch = if self.global_scratch.is_null() { self.scratch_bytes() } else { 0 };
        (self.meeting_bytes() + scratch) * self.teams as usize
    }
}

/// A shape with the numbers that follow from it, which each lane would have to compute otherwise.
#[derive(Clone, Copy, Debug)]
pub struct PlacedTeams {
    pub(super) shape: TeamShape,
    /// The lanes of a team.
    pub(super) lanes: u32,
    /// The binary logarithm of the lanes from one team of a warp to the next; for a team that is a block, of more than a block has.
    pub(super) pitch_log2: u32,
    /// The binary logarithm of the lanes of a thread.
    pub(super) vector_log2: u32,
    /// The lanes of the warp that belong to its first team.
    pub(super) mask: u32,
    pub(super) in_warp: bool,
    /// Whether threads have one lane each, and those of a warp are a power of two.
    pub(super) even: bool,
    /// The distance from the place where a team meets to the place where it exchanges values.
    pub(super) before_exchange: usize,
    /// Bytes of shared memory for the meetings of a team, and from one team to the next.
    pub(super) meeting_bytes: usize,
    pub(super) team_bytes: usize,
}

impl PlacedTeams {
    /// The shape with what follows from it.
    #[must_use]
    pub fn new(shape: TeamShape) -> Self {
        let (lanes, in_warp) = (shape.lanes(), shape.in_warp());
        let meeting_bytes = shape.meeting_bytes();
        let scratch_bytes = if shape.global_scratch.is_null() { shape.scratch_bytes() } else { 0 };
        Self {
            shape,
            lanes,
            pitch_log2: if in_warp { shape.pitch().trailing_zeros() } else { u32::BITS - 1 },
            vector_log2: shape.vector.trailing_zeros(),
            mask: if lanes >= WARP { u32::MAX } else { (1 << lanes) - 1 },
            in_warp,
            before_exchange: MEETING + shape.lanes_bytes(),
            even: shape.vector == 1
                && if in_warp { lanes.is_power_of_two() } else { lanes.is_multiple_of(WARP) },
            meeting_bytes,
            team_bytes: meeting_bytes + scratch_bytes,
        }
    }

    /// The threads of a team.
    #[inline(always)]
    #[must_use]
    pub fn threads(&self) -> u32 {
        self.shape.threads
    }

    /// The lanes of a thread.
    #[inline(always)]
    #[must_use]
    pub fn vector(&self) -> u32 {
        self.shape.vector
    }

    /// The bytes of shared memory before the scratch of team `team` of the block, if that is there.
    #[inline(always)]
    pub(super) fn before_scratch(&self, team: u32) -> Option<usize> {
        let before = self.team_bytes * team as usize + self.meeting_bytes;
        self.shape.global_scratch.is_null().then_some(before)
    }

    /// The meeting place and the scratch of team `team` of the block.
    #[inline(always)]
    pub(super) fn places(&self, shared: *mut u8, block: u32, team: u32) -> (*mut u8, *mut u8) {
        let meeting = shared.wrapping_add(self.team_bytes * team as usize);
        let scratch = if self.shape.global_scratch.is_null() {
            meeting.wrapping_add(self.meeting_bytes)
        } else {
            let number = block as usize * self.shape.teams as usize + team as usize;
            self.shape.global_scratch.wrapping_add(self.shape.scratch_bytes() * number)
        };
        (meeting, scratch)
    }
}

/// Bytes to reserve for scratch of `bytes` bytes: with room for the alignment of some allocations.
#[must_use]
pub const fn scratch_room(bytes: usize) -> usize {
    if bytes == 0 { 0 } else { bytes.next_multiple_of(16) + 16 * SCRATCH_PARTS }
}

/// Parts of scratch of different alignment, of up to 16 bytes, that have room. Unit: parts. Source: deeper nesting is rare; it then
/// has less room. For a stricter alignment, request as many bytes more.
const SCRATCH_PARTS: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(threads: u32, vector: u32, teams: u32, scratch: [usize; 2]) -> TeamShape {
        TeamShape { threads, vector, teams, owned: false, scratch, global_scratch: core::ptr::null_mut() }
    }

    #[test]
    fn small_teams_share_a_warp_and_large_ones_are_a_block() {
        let small = shape(3, 2, 16, [64, 0]);
        assert_eq!(
            (small.pitch(), small.block_lanes(), small.shared_bytes()),
            (8, 128, 16 * (64 + MEETING + 32))
        );
        let large = shape(33, 1, 1, [0, 16]);
        assert_eq!((large.pitch(), large.block_lanes()), (33, 33));
        assert_eq!(large.shared_bytes(), MEETING + EXCHANGE + 33 * 16);
    }

    #[test]
    fn teams_of_a_block_share_no_byte() {
        for shape in [shape(3, 2, 16, [64, 16]), shape(32, 2, 1, [48, 0])] {
            let teams = PlacedTeams::new(shape);
            let base = core::ptr::without_provenance_mut::<u8>(4096);
            let mut ends = 4096;
            for team in 0..shape.teams {
                let (meeting, scratch) = teams.places(base, 0, team);
                assert_eq!(meeting.addr(), ends);
                assert_eq!(teams.before_scratch(team), Some(scratch.addr() - base.addr()));
                ends = scratch.addr() + shape.scratch_bytes();
            }
            assert_eq!(ends, 4096 + shape.shared_bytes());
        }
    }
}
