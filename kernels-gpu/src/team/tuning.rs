//! The numbers of launches over leagues, with their reasons.

use crate::intrinsics::WARP;
use crate::tuning::MAX_THREADS;

/// Lanes of a block of teams that each lie in a warp. Unit: lanes. Source: estimated: 16 such blocks fill a multiprocessor of
/// 2048 lanes, as 24 fill one of 3072 and 12 one of 1536: below the limit of 16 to 32 blocks.
const BLOCK_LANES: u32 = 128;

/// The number of lanes on a multiprocessor from which teams stay within a warp. Unit: lanes. Source: estimated: half of the
/// 2048 that it has hide the latency of memory if each lane has a few loads in flight.
const MULTIPROCESSOR_LANES: usize = 1024;

/// The maximum number of lanes of a team whose size the space chooses. Unit: lanes. Source: estimated: a tile of the canonical
/// order keeps one warp busy; eight warps are 16384 numbers of a row, and leave 8 blocks to a multiprocessor.
const AUTO_LANES: usize = 256;

/// Lanes of a team of a large league, so that a warp runs several. Unit: lanes. Source: counted in the code for sm_90 by `ptxas`: a
/// warp executes some 200 instructions for each team that reduces a row, however short, and an H200 (132 multiprocessors, four
/// instructions a cycle at 1.75 GHz) 110 in the time in which it reads 64 numbers of `f64`. Eight numbers of 8 bytes are two sectors.
const SMALL_TEAM: u32 = 8;

/// Rounds of small teams from which on a league is large. Unit: teams for each [`SMALL_TEAM`] lanes of the device. Source: measured on an
/// H200: teams of 8 take 0.5 of the time of teams of 32 for 156,250 rows of 64 `f64`, and 1.25 for 100,000 rows of 1000.
const LARGE_LEAGUE: usize = 2;

/// Rounds of blocks of a launch over a large league. Unit: blocks for each one that can be resident at a time. Source: estimated:
/// the last round, in which multiprocessors run dry, is then an eighth of the launch.
const ROUNDS: usize = 8;

/// The part of the device's memory that scratch may take: one part in this many. Source: a guess that leaves most of the memory
/// to Views.
const SCRATCH_PART: usize = 8;

/// The facts that determine the blocks of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Device {
    /// Multiprocessors.
    pub multiprocessors: usize,
    /// Lanes that a multiprocessor runs at a time.
    pub multiprocessor_lanes: usize,
    /// Bytes of memory.
    pub memory: usize,
}

/// The threads of a team of a league of `league`, if the space chooses: one warp, or more if there are too few teams to fill the
/// device, or less if there are many. A power of two.
///
/// Teams with scratch, which then limits how many there are at a time, and those whose threads have several lanes have a warp at least.
#[must_use]
pub const fn threads(league: usize, vector: u32, scratch: bool, device: Device) -> u32 {
    let small_teams = device.multiprocessors * device.multiprocessor_lanes / SMALL_TEAM as usize;
    if vector == 1 && !scratch && league >= small_teams * LARGE_LEAGUE {
        return SMALL_TEAM;
    }
    let wanted = device.multiprocessors * MULTIPROCESSOR_LANES / if league == 0 { 1 } else { league };
    let mut lanes = WARP as usize;
    while lanes < AUTO_LANES && lanes * 2 <= wanted {
        lanes *= 2;
    }
    let threads = lanes as u32 / vector;
    if threads == 0 { 1 } else { threads }
}

/// The maximum number of threads of a team whose threads have `vector` lanes.
#[must_use]
pub const fn max_threads(vector: u32) -> u32 {
    MAX_THREADS / vector
}

/// The teams of a block, a power of two, if a team lies on `pitch` lanes of a warp and takes `shared` bytes of shared
/// memory: as many as fit, but few enough that every multiprocessor gets blocks.
#[must_use]
pub const fn teams(league: usize, pitch: u32, shared: usize, max_shared: usize, device: Device) -> u32 {
    let mut teams = BLOCK_LANES / pitch;
    while teams > 1
        && (teams as usize * shared > max_shared
            || teams * pitch > WARP && league.div_ceil(teams as usize) < device.multiprocessors)
    {
        teams /= 2;
    }
    teams
}

/// The blocks of a launch of `league` teams, `teams` of them in each block of `lanes` lanes with `scratch` bytes of scratch
/// in device memory.
#[must_use]
pub fn blocks(league: usize, teams: u32, lanes: u32, scratch: usize, device: Device) -> u32 {
    let at_a_time = device.multiprocessors * (device.multiprocessor_lanes / lanes as usize).max(1);
    let most = match (device.memory / SCRATCH_PART).checked_div(scratch) {
        None => at_a_time * ROUNDS,
        Some(fit) => at_a_time.min(fit).max(1),
    };
    league.div_ceil(teams as usize).min(most) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    const H100: Device = Device { multiprocessors: 132, multiprocessor_lanes: 2048, memory: 80 << 30 };

    #[test]
    fn small_leagues_have_large_teams() {
        assert_eq!(threads(1, 1, false, H100), 256);
        assert_eq!(threads(512, 1, true, H100), 256);
        assert_eq!(threads(2000, 1, false, H100), 64);
        assert_eq!(threads(50_000, 1, false, H100), 32);
        assert_eq!(threads(100_000, 8, false, H100), 4);
        assert_eq!(threads(0, 32, false, H100), 8);
    }

    #[test]
    fn large_leagues_have_small_teams() {
        let large = 132 * 2048 / 8 * 2;
        assert_eq!(threads(large - 1, 1, false, H100), 32);
        assert_eq!(threads(large, 1, false, H100), 8);
        assert_eq!(threads(large, 1, true, H100), 32);
        assert_eq!(threads(large, 2, false, H100), 16);
        assert_eq!(teams(large, 8, 0, 48 << 10, H100), 16);
    }

    #[test]
    fn blocks_have_the_teams_that_fit() {
        assert_eq!(teams(1 << 20, 32, 0, 48 << 10, H100), 4);
        assert_eq!(teams(1 << 20, 8, 0, 48 << 10, H100), 16);
        assert_eq!(teams(100, 32, 0, 48 << 10, H100), 1);
        assert_eq!(teams(100, 8, 0, 48 << 10, H100), 4);
        assert_eq!(teams(1 << 20, 32, 40 << 10, 48 << 10, H100), 1);
        assert_eq!(blocks(10, 4, 128, 0, H100), 3);
        assert_eq!(blocks(1 << 30, 4, 128, 0, H100), 132 * 16 * 8);
        assert_eq!(blocks(1 << 30, 1, 32, 1 << 30, H100), 10);
    }
}
