//! The division of keys into tiles, and of these among teams.

use core::ops::Range;

/// Lanes of a warp. Unit: threads.
pub(super) const LANES: usize = 32;

/// Threads of a team that moves keys, one for each digit. Unit: threads. Source: measured, docs/benchmarks/device.md: with 512, keys without values
/// take longer.
pub(super) const THREADS: usize = 256;

/// Keys of a thread in a tile. Unit: keys. Source: measured, docs/benchmarks/device.md: 7 and 21 take longer.
pub(super) const EACH: usize = 14;

/// Keys that a team moves at a time.
pub(super) const TILE: usize = THREADS * EACH;

/// Keys of a lane that are counted at a time. Unit: keys. Source: with the places computed from them, they stay in registers.
pub(super) const LOADED: usize = 7;

/// Keys that a warp counts at a time.
pub(super) const TOGETHER: usize = LANES * LOADED;

/// The maximum number of tiles that a warp counts, so that a byte counts the keys of a lane.
pub(super) const MAX_ROUNDS: usize = u8::MAX as usize / (TILE / LANES);

/// The maximum number of tiles of a team. Unit: tiles. Source: estimated: a team begins with 256 places, of which each is in another sector of 32
/// bytes, so it reads 8 KiB; a tile of `u32` is 14 KiB to read and as many to write. With eight tiles the start adds 3.6 %.
const MAX_TILES: usize = 8;

/// The number of teams from which on they have more tiles. Unit: teams. Source: eight for each of the 132 multiprocessors of an H200.
pub(super) const AT_A_TIME: usize = if cfg!(test) { 8 } else { 1056 };

/// The maximum number of warps that count the keys of a team. Unit: warps. Source: each then has a multiple of [`TOGETHER`].
pub(super) const MAX_PARTS: usize = 8;

/// The division of keys into tiles, and of these among teams.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tiles {
    keys: usize,
    /// The keys of a team.
    of_team: usize,
    /// The warps that count the keys of a team.
    pub(super) parts: usize,
    /// The number of teams.
    pub(super) teams: usize,
    /// The number of warps that count.
    pub(super) counts: usize,
}

impl Tiles {
    pub(super) fn new(keys: usize) -> Self {
        Self::with(keys, AT_A_TIME)
    }

    /// The division for a device that runs `at_a_time` teams.
    pub(super) fn with(keys: usize, at_a_time: usize) -> Self {
        let tiles = (keys / (TILE * at_a_time)).clamp(1, MAX_TILES);
        let of_team = TILE * tiles;
        let teams = keys.div_ceil(of_team);
        let mut parts = 1;
        while parts * MAX_ROUNDS < tiles || (parts < MAX_PARTS && 2 * teams * parts < at_a_time) {
            parts *= 2;
        }
        Self { keys, of_team, parts, teams, counts: keys.div_ceil(of_team / parts) }
    }

    /// The keys of a team.
    #[inline(always)]
    pub(super) fn of_team(&self, team: usize) -> Range<usize> {
        let first = team * self.of_team;
        first..self.keys.min(first + self.of_team)
    }

    /// The keys that a warp counts.
    #[inline(always)]
    pub(super) fn of_count(&self, count: usize) -> Range<usize> {
        let len = self.of_team / self.parts;
        let first = count * len;
        first..self.keys.min(first + len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_have_all_keys() {
        let most = TILE * MAX_TILES * AT_A_TIME;
        let some = (1..=MAX_TILES).map(|tiles| TILE * tiles * AT_A_TIME + 7);
        let edges = [1, 447, 448, 449, TILE, TILE + 1, 300_000, 3_000_000, most - 1, most, most + 1, 1 << 33];
        for n in edges.into_iter().chain(some) {
            let tiles = Tiles::new(n);
            let (team, count) = (tiles.of_team(tiles.teams - 1), tiles.of_count(tiles.counts - 1));
            assert!(team.end == n && count.end == n && !team.is_empty() && !count.is_empty(), "{tiles:?}");
            for team in [0, tiles.teams / 2, tiles.teams - 1] {
                assert_eq!(tiles.of_team(team).start, tiles.of_count(team * tiles.parts).start, "{tiles:?}");
            }
            assert!(tiles.of_count(0).len() <= LANES * u8::MAX as usize, "{tiles:?}");
        }
    }
}
