//! Leagues of teams.

use crate::Schedule;

/// How many threads work together in a team.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TeamSize {
    /// The space chooses: one thread on host spaces, a warp or more on a device.
    #[default]
    Auto,
    /// This many threads.
    Threads(usize),
}

/// Lets the space choose the team size.
pub const AUTO: TeamSize = TeamSize::Auto;

impl From<usize> for TeamSize {
    fn from(threads: usize) -> Self {
        Self::Threads(threads)
    }
}

/// The type-level mark of a team without vector lanes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scalar;

/// The type-level mark of a team whose threads have vector lanes.
#[derive(Clone, Copy, Debug)]
pub struct Vector;

/// A league of teams on a space: Kokkos's `TeamPolicy`.
///
/// Made by a space, `space.team(league, AUTO)`. The closure runs once per league index with a team; `V` says
/// whether the threads of a team have vector lanes, which changes what nested ranges hand out.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct TeamPolicy<S, V = Scalar> {
    space: S,
    league: usize,
    size: TeamSize,
    vector_length: usize,
    scratch_per_team: usize,
    scratch_per_thread: usize,
    chunk: Option<usize>,
    schedule: Schedule,
    kind: core::marker::PhantomData<V>,
}

impl<S> TeamPolicy<S> {
    /// A league of `league` teams of `size` threads on `space`.
    pub fn new(space: S, league: usize, size: impl Into<TeamSize>) -> Self {
        Self {
            space,
            league,
            size: size.into(),
            vector_length: 1,
            scratch_per_team: 0,
            scratch_per_thread: 0,
            chunk: None,
            schedule: Schedule::Static,
            kind: core::marker::PhantomData,
        }
    }

    /// Gives each thread `length` vector lanes.
    pub fn vector(self, length: usize) -> TeamPolicy<S, Vector> {
        TeamPolicy {
            space: self.space,
            league: self.league,
            size: self.size,
            vector_length: length,
            scratch_per_team: self.scratch_per_team,
            scratch_per_thread: self.scratch_per_thread,
            chunk: self.chunk,
            schedule: self.schedule,
            kind: core::marker::PhantomData,
        }
    }
}

impl<S, V> TeamPolicy<S, V> {
    /// Reserves scratch memory, in bytes, for each team and for each of its threads.
    ///
    /// For elements aligned to more than 16 bytes ask for their alignment on top: a device's scratch begins at multiples of 16.
    pub fn scratch(mut self, bytes_per_team: usize, bytes_per_thread: usize) -> Self {
        self.scratch_per_team = bytes_per_team;
        self.scratch_per_thread = bytes_per_thread;
        self
    }

    /// Hands out `teams` at a time, at least 1.
    pub fn chunk(mut self, teams: usize) -> Self {
        self.chunk = Some(teams.max(1));
        self
    }

    /// Chooses how chunks go to threads.
    pub fn schedule(mut self, schedule: Schedule) -> Self {
        self.schedule = schedule;
        self
    }

    /// The space it runs on.
    pub fn space(&self) -> &S {
        &self.space
    }

    /// The number of teams.
    pub fn league_size(&self) -> usize {
        self.league
    }

    /// The team size asked for.
    pub fn team_size(&self) -> TeamSize {
        self.size
    }

    /// The number of vector lanes of a thread.
    pub fn vector_length(&self) -> usize {
        self.vector_length
    }

    /// The scratch memory of a team, in bytes.
    pub fn scratch_per_team(&self) -> usize {
        self.scratch_per_team
    }

    /// The scratch memory of a thread, in bytes.
    pub fn scratch_per_thread(&self) -> usize {
        self.scratch_per_thread
    }

    /// The chunk asked for.
    pub fn chunk_size(&self) -> Option<usize> {
        self.chunk
    }

    /// The schedule.
    pub fn schedule_kind(&self) -> Schedule {
        self.schedule
    }
}
