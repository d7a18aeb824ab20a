//! The division of keys into tiles, and of these among teams.

use core::ops::Range;

/// Threads of a team. Unit: threads. Source: a warp, whose lanes wait for no other.
pub(super) const LANES: usize = 32;

/// Keys of a lane whose loop is written out. Unit: keys. Source: with the places computed from them, they stay in registers.
pub(super) const LOADED: usize = 7;

/// Keys that a lane loads at a time from far memory: several times [`LOADED`]. Unit: keys. Source: a team waits three times for a large tile.
pub(super) const AHEAD: usize = 3 * LOADED;

/// Keys that a team handles at a time.
pub(super) const TOGETHER: usize = LANES * LOADED;

/// The maximum number of keys of a lane in a tile: a multiple of [`LOADED`], so that a group's keys can be counted in a byte, and odd, so that the
/// keys of 32 lanes do not lie in the same banks of shared memory.
pub(super) const MAX_EACH: usize = 63;

/// The maximum number of tiles of a team, so that a byte counts a lane's keys in all of them.
pub(super) const MAX_ROUNDS: usize = u8::MAX as usize / MAX_EACH;

/// The number of teams for which tiles are smaller. Unit: teams. Source: eight for each of the 132 multiprocessors of an H200, as many as
/// have room for their scratch.
pub(super) const AT_A_TIME: usize = 1056;

/// The division of keys into tiles, and of these among teams.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tiles {
    keys: usize,
    /// The keys of a lane in a tile, an odd multiple of [`LOADED`].
    pub(super) each: usize,
    /// The tiles of a team.
    pub(super) rounds: usize,
    /// The number of teams.
    pub(super) teams: usize,
}

impl Tiles {
    pub(super) fn new(keys: usize) -> Self {
        let each = keys.div_ceil(LANES * AT_A_TIME).div_ceil(LOADED) * LOADED;
        let each = if each.is_multiple_of(2) { each + LOADED } else { each }.clamp(LOADED, MAX_EACH);
        let rounds = keys.div_ceil(LANES * each * AT_A_TIME).clamp(1, MAX_ROUNDS);
        Self { keys, each, rounds, teams: keys.div_ceil(LANES * each * rounds) }
    }

    /// The number of keys of a whole tile.
    #[inline(always)]
    pub(super) fn tile(&self) -> usize {
        LANES * self.each
    }

    /// The keys of a team.
    #[inline(always)]
    pub(super) fn of_team(&self, team: usize) -> Range<usize> {
        let len = LANES * self.each * self.rounds;
        let first = team * len;
        first..self.keys.min(first + len)
    }

    /// The keys of a tile of a team.
    #[inline(always)]
    pub(super) fn of(&self, team: usize, round: usize) -> Range<usize> {
        let first = self.keys.min((team * self.rounds + round) * LANES * self.each);
        first..self.keys.min(first + LANES * self.each)
    }

    /// The keys of a lane among the `len` keys of a tile.
    #[inline(always)]
    pub(super) fn of_lane(&self, len: usize, lane: usize) -> Range<usize> {
        len.min(lane * self.each)..len.min((lane + 1) * self.each)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_have_all_keys() {
        let most = LANES * MAX_EACH * MAX_ROUNDS * AT_A_TIME;
        for n in [1, 255, 256, 257, 300_000, 3_000_000, most - 1, most, most + 1, 1 << 33] {
            let tiles = Tiles::new(n);
            assert!(tiles.each <= MAX_EACH && tiles.each % (2 * LOADED) == LOADED, "{tiles:?}");
            let last = tiles.teams - 1;
            assert!(tiles.of_team(last).end == n && !tiles.of_team(last).is_empty(), "{tiles:?}");
            let of_team = (0..tiles.rounds).flat_map(|round| tiles.of(last, round));
            assert!(of_team.eq(tiles.of_team(last)), "{tiles:?}");
            let tile = tiles.of(last, 0);
            let lanes = (0..LANES).flat_map(|lane| tiles.of_lane(tile.len(), lane));
            assert!(lanes.eq(0..tile.len()), "{tiles:?}");
        }
    }
}
