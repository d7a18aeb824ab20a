//! Execution of the teams of a launch on a device.
//!
//! All lanes of a team run the closure, each with its own `Team`: all of them execute the code outside nested loops.

use core::cell::OnceCell;

use spelt_kernels_gpu::team::tuning;
use spelt_kernels_gpu::team::{EXCHANGE, Member, PlacedTeams, TeamShape, scratch_room};
use spelt_policies::TeamPolicy;

use crate::Result;
use crate::cuda::{Cuda, DeviceBuffer};
use crate::launch::{has_scratch, requested};
use crate::team::{Context, Limits, Mode, Team};

/// Shared memory of a block that is reserved for the launch itself and for the code. Unit: bytes. Source: CUDA reserves 1 KiB;
/// Spelt's kernels have one word besides scratch.
const SHARED_KEPT: usize = 2 << 10;

/// Shared memory of a multiprocessor that CUDA reserves for each block. Unit: bytes. Source: the CUDA C++ Programming Guide, compute capabilities 8
/// and 9.
const SHARED_RESERVED: usize = 1 << 10;

/// Room for the meetings of a team of threads with one lane, and for the alignment of its scratch. Unit: bytes.
const MEETINGS: usize = EXCHANGE + 128;

/// The scratch of each of `teams` teams that are on a multiprocessor at a time, each in a block of its own, where a block has at most `most` bytes of
/// shared memory: the multiprocessor has as many, and what is reserved for that block.
pub(in crate::cuda) fn shared_scratch(most: usize, teams: usize) -> usize {
    ((most + SHARED_RESERVED) / teams).saturating_sub(SHARED_RESERVED + SHARED_KEPT + MEETINGS)
}

/// The maximum shared memory for scratch of a block with several teams. Unit: bytes. Source: the limit of a block by
/// default.
const MAX_SHARED_OF_TEAMS: usize = 40 << 10;

/// The league in the form that a kernel receives.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct League {
    placed: PlacedTeams,
    limits: Limits,
    /// The teams of the whole league.
    size: usize,
    /// The league rank of the first team of the launch.
    first: usize,
    /// The teams of the launch.
    teams: usize,
    scratch: [usize; 2],
    /// Teams that run at the same time.
    running: usize,
}

/// The launch of a league.
pub(super) struct Plan {
    pub(super) league: League,
    pub(super) blocks: u32,
    pub(super) threads: u32,
    pub(super) shared_bytes: u32,
    /// Scratch that does not fit in shared memory.
    _scratch: Option<DeviceBuffer>,
}

impl Plan {
    /// The plan for `policy`, `units` teams of which can run at the same time.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory) if there is no memory for scratch that does not fit in shared memory.
    pub(super) fn new<K>(
        label: &str,
        policy: &TeamPolicy<&Cuda, K>,
        limits: Limits,
        units: usize,
    ) -> Result<Self> {
        let space = *policy.space();
        let facts = space.context().facts();
        let device = facts.for_teams();
        let vector = policy.vector_length() as u32;
        // The launch has checked that it is no more than a block can have.
        let threads = requested(policy).map_or_else(
            || tuning::threads(units, vector, has_scratch(policy), device),
            |threads| threads as u32,
        );
        let owned = !limits.threads_allowed();
        let threads = if owned { 1 << threads.min(32 / vector).ilog2() } else { threads };
        let scratch = [policy.scratch_per_team(), policy.scratch_per_thread()];
        let mut shape = TeamShape {
            threads,
            vector,
            teams: 1,
            owned,
            scratch: scratch.map(scratch_room),
            global_scratch: core::ptr::null_mut(),
        };
        let global = shape.shared_bytes() + SHARED_KEPT > facts.shared_bytes as usize;
        if shape.in_warp() {
            let shared = if global { 0 } else { shape.shared_bytes() };
            shape.teams = tuning::teams(units, shape.pitch(), shared, MAX_SHARED_OF_TEAMS, device);
        }
        let global_bytes = if global { shape.scratch_bytes() * shape.teams as usize } else { 0 };
        let blocks = tuning::blocks(units, shape.teams, shape.block_lanes(), global_bytes, device);
        let mut buffer = None;
        if global && blocks > 0 {
            let memory =
                space.scratch(global_bytes * blocks as usize).map_err(|error| error.in_kernel(label))?;
            shape.global_scratch = memory.pointer();
            buffer = Some(memory);
        }
        let running = blocks as usize * shape.teams as usize;
        Ok(Self {
            blocks,
            threads: shape.block_lanes(),
            shared_bytes: shape.shared_bytes() as u32,
            league: League {
                placed: PlacedTeams::new(shape),
                limits,
                size: policy.league_size(),
                first: policy.ranks().start,
                teams: policy.ranks().len(),
                scratch,
                running,
            },
            _scratch: buffer,
        })
    }
}

/// A lane's view of a running league.
pub(super) struct Lane {
    member: Member,
    /// The first unit of its team.
    pub(super) first: usize,
}

impl League {
    /// This lane's part in the league, if it has one.
    ///
    /// # Safety
    /// The launch has the blocks, threads and shared memory of the plan.
    #[inline(always)]
    pub(super) unsafe fn enter(&self) -> Option<Lane> {
        // SAFETY: the launch has the blocks, threads and shared memory of the plan, as `enter` asks, and the plan has
        // this shape.
        let (member, first) = unsafe { Member::new(&self.placed)? };
        Some(Lane { member, first })
    }

    /// The number of teams of the launch.
    #[inline(always)]
    pub(super) fn teams(&self) -> usize {
        self.teams
    }

    /// The distance from one unit of a team to its next.
    #[inline(always)]
    pub(super) fn step(&self) -> usize {
        self.running
    }

    /// Runs `body` with a team of the launch, given its number among these, and returns its contribution. The lanes of the team call it
    /// together.
    ///
    /// # Safety
    /// No other team runs this number at the same time.
    #[inline(always)]
    pub(super) unsafe fn run<V, K>(
        &self,
        lane: &mut Lane,
        number: usize,
        join: &dyn Fn(&mut V, &V),
        body: impl for<'k> FnOnce(&mut Team<'k, V, K>),
    ) -> Option<V> {
        let placed = &self.placed;
        let [of_team, of_thread] = self.scratch;
        let context =
            Context::new(None, &self.limits, self.size, placed.vector() as usize, (of_team, of_thread));
        let ranks = (lane.member.number() as usize, placed.threads() as usize);
        let mode = Mode::Device(&mut lane.member);
        let own = OnceCell::new();
        // SAFETY: no other team has this league rank meanwhile, as `run` asks; the lanes that call this are the team's
        // members.
        let mut team = unsafe { Team::<V, K>::new(self.first + number, ranks, &context, mode, join, &own) };
        body(&mut team);
        team.leave();
        team.into_contribution()
    }
}

impl Lane {
    /// Whether this is the lane of its team that does work to be done once.
    #[inline(always)]
    pub(super) fn leads(&self) -> bool {
        self.member.lane() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn teams_share_a_multiprocessor() {
        for most in [48 << 10, 64 << 10, 99 << 10, 163 << 10, 227 << 10] {
            for teams in 1..=4 {
                let scratch = shared_scratch(most, teams);
                let shape = TeamShape {
                    threads: 1024,
                    vector: 1,
                    teams: 1,
                    owned: false,
                    scratch: [scratch_room(scratch), 0],
                    global_scratch: core::ptr::null_mut(),
                };
                let block = shape.shared_bytes() + SHARED_RESERVED + size_of::<u64>();
                assert!(teams * block <= most + SHARED_RESERVED, "{teams} of {scratch} bytes, {most}");
                assert!(shape.shared_bytes() + SHARED_KEPT <= most, "{scratch} bytes are not shared, {most}");
                assert!(
                    teams * (block + (3 << 10)) > most,
                    "{scratch} bytes are few for {teams} teams, {most}"
                );
            }
        }
    }
}
