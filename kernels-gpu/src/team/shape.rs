//! The placement of teams on blocks and warps.

use spelt_order::canonical;

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

    /// The distance from the place where a team meets to the place where it exchanges values.
    #[inline(always)]
    pub(super) const fn before_exchange(&self) -> usize {
        MEETING + self.lanes_bytes()
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

    /// The bytes of shared memory before the scratch of team `team` of the block, if that is there.
    #[inline(always)]
    pub(super) fn before_scratch(&self, team: u32) -> Option<usize> {
        let (team, meeting, scratch) = (team as usize, self.meeting_bytes(), self.scratch_bytes());
        self.global_scratch.is_null().then_some((meeting + scratch) * team + meeting)
    }

    /// The meeting place and the scratch of team `team` of the block.
    #[inline(always)]
    pub(super) fn places(&self, shared: *mut u8, block: u32, team: u32) -> (*mut u8, *mut u8) {
        let (team, meeting, scratch) = (team as usize, self.meeting_bytes(), self.scratch_bytes());
        if self.global_scratch.is_null() {
            let place = shared.wrapping_add((meeting + scratch) * team);
            (place, place.wrapping_add(meeting))
        } else {
            let number = block as usize * self.teams as usize + team;
            (shared.wrapping_add(meeting * team), self.global_scratch.wrapping_add(scratch * number))
        }
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

/// The division of a nested reduction over groups of lanes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    /// Participants of a group: the lanes of a tile, or all lanes of a small team.
    pub(super) group: u32,
    /// Tiles of a group: a power of two.
    pub(super) tiles: usize,
    /// Groups with tiles.
    pub(super) groups: u32,
}

impl Cut {
    /// The cut of `tiles` tiles with values of `lane_bytes` bytes for lanes, among `warps` warps of `participants`
    /// participants, a power of two, with at most `most` groups.
    #[inline(always)]
    pub(super) fn new(tiles: usize, lane_bytes: usize, warps: u32, participants: u32, most: u32) -> Self {
        let group = participants.min(canonical::lanes(lane_bytes) as u32);
        let groups = ((participants >> group.trailing_zeros()) * warps).min(most);
        if tiles == 1 || groups == 1 {
            return Self { group, tiles, groups: 1 };
        }
        let tiles_each = tiles.div_ceil(groups as usize).next_power_of_two();
        Self { group, tiles: tiles_each, groups: tiles.div_ceil(tiles_each) as u32 }
    }
}

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
            let base = core::ptr::without_provenance_mut::<u8>(4096);
            let mut ends = 4096;
            for team in 0..shape.teams {
                let (meeting, scratch) = shape.places(base, 0, team);
                assert_eq!(meeting.addr(), ends);
                assert_eq!(shape.before_scratch(team), Some(scratch.addr() - base.addr()));
                ends = scratch.addr() + shape.scratch_bytes();
            }
            assert_eq!(ends, 4096 + shape.shared_bytes());
        }
    }

    #[test]
    fn all_tiles_have_one_group() {
        for tiles in 1..200 {
            for (warps, participants, most) in [(1, 32, u32::MAX), (8, 32, u32::MAX), (3, 4, 5), (32, 32, 1)]
            {
                let cut = Cut::new(tiles, 8, warps, participants, most);
                assert!(
                    cut.groups >= 1 && cut.groups <= most && cut.groups <= warps * participants / cut.group
                );
                assert!(
                    (cut.groups as usize - 1) * cut.tiles < tiles && tiles <= cut.groups as usize * cut.tiles
                );
                assert!(cut.groups == 1 || cut.tiles.is_power_of_two());
            }
        }
    }
}
