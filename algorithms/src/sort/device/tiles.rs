//! The division of keys into tiles, and of these among teams.

use core::ops::Range;

/// Lanes of a warp. Unit: threads.
pub(super) const LANES: usize = 32;

/// Threads of a team that moves keys, one for each digit. Unit: threads. Source: measured, docs/benchmarks/device.md: with 512, keys without values
/// take longer.
pub(super) const THREADS: usize = 256;

/// Keys of four bytes of a thread in a tile. Unit: keys. Source: measured, docs/benchmarks/device.md: 7 and 21 took longer.
pub(super) const EACH: usize = 14;

/// Keys of eight bytes. Unit: keys. Source: measured, docs/benchmarks/device.md: two teams on a multiprocessor leave each thread 128 registers.
pub(super) const EACH_WIDE: usize = 12;

/// Pairs of more than eight bytes. Unit: keys. Source: a tile of them is to fit in shared memory where that is 64 KiB.
pub(super) const EACH_LARGE: usize = 7;

/// Keys of eight bytes of a lane that are counted at a time. Unit: keys. Source: with as many that come meanwhile, they stay in registers.
pub(super) const LOADED_WIDE: usize = 6;

/// Smaller keys of a lane that are counted at a time. Unit: keys. Source: measured, docs/benchmarks/device.md: 7 take longer.
pub(super) const LOADED: usize = 14;

/// The number of teams from which on they have more tiles. Unit: teams. Source: eight for each of the 132 multiprocessors of an H200.
pub(super) const AT_A_TIME: usize = if cfg!(test) { 8 } else { 1056 };

/// The maximum number of warps that count the keys of a team. Unit: warps. Source: each then has a multiple of the keys that it counts at a time, in most tiles.
pub(super) const MAX_PARTS: usize = 8;

/// The division of keys into tiles, and of these among teams.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tiles {
    keys: usize,
    /// The maximum number of tiles of a team.
    pub(super) tiles: usize,
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
    /// The division of keys among teams of at most `max_tiles` tiles, with `each` keys for a thread.
    pub(super) fn new(keys: usize, max_tiles: usize, each: usize) -> Self {
        Self::with(keys, max_tiles, each, AT_A_TIME)
    }

    /// The division for a device that runs `at_a_time` teams.
    pub(super) fn with(keys: usize, max_tiles: usize, each: usize, at_a_time: usize) -> Self {
        let tile = THREADS * each;
        let tiles = (keys / (tile * at_a_time)).clamp(1, max_tiles);
        let of_team = tile * tiles;
        // So that a byte counts the keys of a lane.
        let max_rounds = u8::MAX as usize / (tile / LANES);
        let teams = keys.div_ceil(of_team);
        let mut parts = 1;
        while parts * max_rounds < tiles || (parts < MAX_PARTS && 2 * teams * parts < at_a_time) {
            parts *= 2;
        }
        Self { keys, tiles, of_team, parts, teams, counts: keys.div_ceil(of_team / parts) }
    }

    /// The place in the table of a team's first key with this digit, or after that of its last one that of the next digit.
    #[inline(always)]
    pub(super) fn first_count(&self, digit: usize, team: usize) -> usize {
        digit * self.counts + self.counts.min(team * self.parts)
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
        for (max_tiles, each) in
            [(1, EACH), (1, EACH_LARGE), (3, EACH), (4, EACH_WIDE), (7, EACH), (7, EACH_LARGE)]
        {
            let tile = THREADS * each;
            let most = tile * max_tiles * AT_A_TIME;
            let some = (1..=max_tiles).map(|tiles| tile * tiles * AT_A_TIME + 7);
            let edges =
                [1, 447, 448, 449, tile, tile + 1, 300_000, 3_000_000, most - 1, most, most + 1, 1 << 33];
            for n in edges.into_iter().chain(some) {
                let tiles = Tiles::new(n, max_tiles, each);
                let (team, count) = (tiles.of_team(tiles.teams - 1), tiles.of_count(tiles.counts - 1));
                assert!(
                    team.end == n && count.end == n && !team.is_empty() && !count.is_empty(),
                    "{tiles:?}"
                );
                for team in [0, tiles.teams / 2, tiles.teams - 1] {
                    assert_eq!(
                        tiles.of_team(team).start,
                        tiles.of_count(team * tiles.parts).start,
                        "{tiles:?}"
                    );
                    assert!(
                        tiles.of_team(team).len() <= tiles.tiles * tile && tiles.tiles <= max_tiles,
                        "{tiles:?}"
                    );
                }
                assert_eq!(tiles.first_count(3, tiles.teams), tiles.first_count(4, 0), "{tiles:?}");
                assert!(tiles.of_count(0).len() <= LANES * u8::MAX as usize, "{tiles:?}");
            }
        }
    }
}
