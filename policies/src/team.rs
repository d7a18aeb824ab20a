//! Leagues of teams.

use core::ops::Range;

use crate::Schedule;

/// The number of threads in a team.
///
/// # Examples
/// ```
/// use spelt_policies::{AUTO, TeamPolicy, TeamSize};
/// assert_eq!(TeamPolicy::new((), 100, 4).team_size(), TeamSize::Threads(4));
/// assert_eq!(TeamPolicy::new((), 100, AUTO).team_size(), TeamSize::Auto);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TeamSize {
    /// The space chooses: one thread on host spaces; on a device a warp, more for a small league and a part of a warp for a large one.
    #[default]
    Auto,
    /// This many threads; the launch fails if the space supports fewer.
    Threads(usize),
    /// On a device this many threads, or its maximum if that is smaller; on a host the size of `Auto`, but at most this many.
    AtMost(usize),
}

/// The space chooses the team size.
pub const AUTO: TeamSize = TeamSize::Auto;

impl From<usize> for TeamSize {
    fn from(threads: usize) -> Self {
        Self::Threads(threads)
    }
}

/// The type parameter of a team without vector lanes.
///
/// # Examples
/// ```
/// use spelt_policies::{AUTO, Scalar, TeamPolicy};
/// let policy: TeamPolicy<(), Scalar> = TeamPolicy::new((), 100, AUTO);
/// assert_eq!(policy.vector_length(), 1);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Scalar;

/// The type parameter of a team whose threads have vector lanes.
///
/// # Examples
/// ```
/// use spelt_policies::{AUTO, TeamPolicy, Vector};
/// let policy: TeamPolicy<(), Vector> = TeamPolicy::new((), 100, AUTO).vector(8);
/// assert_eq!(policy.vector_length(), 8);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Vector;

/// A league of teams on a space: Kokkos's `TeamPolicy`.
///
/// A space makes it: `space.team(league, AUTO)`. The closure runs once per league index with a team. `V` is [`Scalar`] or
/// [`Vector`]: with vector lanes, nested ranges yield other types.
///
/// # Examples
/// ```
/// use spelt_policies::{AUTO, TeamPolicy};
/// let space = (); // `Serial`, `Threads`, ..: usually `space.team(100, AUTO)`
/// let policy = TeamPolicy::new(space, 100, AUTO).scratch(1024, 0);
/// assert_eq!((policy.league_size(), policy.scratch_per_team()), (100, 1024));
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct TeamPolicy<S, V = Scalar> {
    space: S,
    league: usize,
    /// The league rank of the first team, and one past that of the last.
    ranks: (usize, usize),
    size: TeamSize,
    vector_length: usize,
    scratch_per_team: usize,
    scratch_per_thread: usize,
    chunk: Option<usize>,
    schedule: Option<Schedule>,
    kind: core::marker::PhantomData<V>,
}

impl<S> TeamPolicy<S> {
    /// A league of `league` teams of `size` threads on `space`.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::{AUTO, TeamPolicy};
    /// assert_eq!(TeamPolicy::new((), 100, AUTO).league_size(), 100);
    /// ```
    pub fn new(space: S, league: usize, size: impl Into<TeamSize>) -> Self {
        Self {
            space,
            league,
            ranks: (0, league),
            size: size.into(),
            vector_length: 1,
            scratch_per_team: 0,
            scratch_per_thread: 0,
            chunk: None,
            schedule: None,
            kind: core::marker::PhantomData,
        }
    }

    /// Gives each thread `length` vector lanes.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::{AUTO, TeamPolicy};
    /// assert_eq!(TeamPolicy::new((), 100, AUTO).vector(8).vector_length(), 8);
    /// ```
    pub fn vector(self, length: usize) -> TeamPolicy<S, Vector> {
        TeamPolicy {
            space: self.space,
            league: self.league,
            ranks: self.ranks,
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
    /// For elements aligned to more than 16 bytes add their alignment: a device's scratch begins at multiples of 16.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::{AUTO, TeamPolicy};
    /// let policy = TeamPolicy::new((), 100, AUTO).scratch(1024, 64);
    /// assert_eq!((policy.scratch_per_team(), policy.scratch_per_thread()), (1024, 64));
    /// ```
    pub fn scratch(mut self, bytes_per_team: usize, bytes_per_thread: usize) -> Self {
        self.scratch_per_team = bytes_per_team;
        self.scratch_per_thread = bytes_per_thread;
        self
    }

    /// Requests teams of `threads` threads on a device, or of its maximum if that is smaller. Teams on hosts have the size of [`AUTO`],
    /// one thread, which this limit does not raise.
    ///
    /// Generic code requests the size that suits a device. The threads of a larger team on a host wait for one another in each scratch
    /// call, barrier and nested loop, so only an exact size, `space.team(league, 4)`, makes one. The results of nested `parallel_reduce`
    /// and `parallel_scan` do not depend on the size.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::{AUTO, TeamPolicy, TeamSize};
    /// assert_eq!(TeamPolicy::new((), 100, AUTO).at_most(256).team_size(), TeamSize::AtMost(256));
    /// ```
    pub fn at_most(mut self, threads: usize) -> Self {
        self.size = TeamSize::AtMost(threads);
        self
    }

    /// Sets the number of teams that a thread takes at a time, at least 1.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::{AUTO, TeamPolicy};
    /// assert_eq!(TeamPolicy::new((), 100, AUTO).chunk(2).chunk_size(), Some(2));
    /// ```
    pub fn chunk(mut self, teams: usize) -> Self {
        self.chunk = Some(teams.max(1));
        self
    }

    /// Sets the distribution of chunks over threads.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::{AUTO, Dynamic, TeamPolicy};
    /// assert_eq!(TeamPolicy::new((), 100, AUTO).schedule(Dynamic).schedule_kind(), Dynamic);
    /// ```
    pub fn schedule(mut self, schedule: Schedule) -> Self {
        self.schedule = Some(schedule);
        self
    }

    /// The teams of these league ranks alone, which keep their ranks: a part of the league.
    ///
    /// # Panics
    /// If the league does not have these ranks.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::{AUTO, TeamPolicy};
    /// let policy = TeamPolicy::new((), 100, AUTO).of_ranks(20..50);
    /// assert_eq!((policy.league_size(), policy.ranks()), (100, 20..50));
    /// ```
    pub fn of_ranks(mut self, ranks: Range<usize>) -> Self {
        assert!(
            ranks.start <= ranks.end && ranks.end <= self.league,
            "a league of {} teams does not have the league ranks {ranks:?}",
            self.league
        );
        self.ranks = (ranks.start, ranks.end);
        self
    }

    /// The league ranks of the teams that run: all, or those of [`of_ranks`](Self::of_ranks).
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::{AUTO, TeamPolicy};
    /// assert_eq!(TeamPolicy::new((), 100, AUTO).ranks(), 0..100);
    /// ```
    pub fn ranks(&self) -> Range<usize> {
        self.ranks.0..self.ranks.1
    }

    /// The space.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::{AUTO, TeamPolicy};
    /// assert_eq!(TeamPolicy::new("a space", 100, AUTO).space(), &"a space");
    /// ```
    pub fn space(&self) -> &S {
        &self.space
    }

    /// The same policy on another space.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::{AUTO, TeamPolicy};
    /// let policy = TeamPolicy::new("a space", 100, AUTO);
    /// assert_eq!(policy.on("another space").space(), &"another space");
    /// ```
    pub fn on<T>(self, space: T) -> TeamPolicy<T, V> {
        let Self {
            space: _,
            league,
            ranks,
            size,
            vector_length,
            scratch_per_team,
            scratch_per_thread,
            chunk,
            schedule,
            kind,
        } = self;
        TeamPolicy {
            space,
            league,
            ranks,
            size,
            vector_length,
            scratch_per_team,
            scratch_per_thread,
            chunk,
            schedule,
            kind,
        }
    }

    /// The number of teams.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::{AUTO, TeamPolicy};
    /// assert_eq!(TeamPolicy::new((), 100, AUTO).league_size(), 100);
    /// ```
    pub fn league_size(&self) -> usize {
        self.league
    }

    /// The requested team size.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::{TeamPolicy, TeamSize};
    /// assert_eq!(TeamPolicy::new((), 100, 4).team_size(), TeamSize::Threads(4));
    /// ```
    pub fn team_size(&self) -> TeamSize {
        self.size
    }

    /// The number of vector lanes of a thread.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::{AUTO, TeamPolicy};
    /// assert_eq!(TeamPolicy::new((), 100, AUTO).vector_length(), 1);
    /// ```
    pub fn vector_length(&self) -> usize {
        self.vector_length
    }

    /// The scratch memory of a team, in bytes.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::{AUTO, TeamPolicy};
    /// assert_eq!(TeamPolicy::new((), 100, AUTO).scratch_per_team(), 0);
    /// ```
    pub fn scratch_per_team(&self) -> usize {
        self.scratch_per_team
    }

    /// The scratch memory of a thread, in bytes.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::{AUTO, TeamPolicy};
    /// assert_eq!(TeamPolicy::new((), 100, AUTO).scratch(1024, 64).scratch_per_thread(), 64);
    /// ```
    pub fn scratch_per_thread(&self) -> usize {
        self.scratch_per_thread
    }

    /// The requested chunk.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::{AUTO, TeamPolicy};
    /// assert_eq!(TeamPolicy::new((), 100, AUTO).chunk_size(), None);
    /// ```
    pub fn chunk_size(&self) -> Option<usize> {
        self.chunk
    }

    /// The schedule.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::{AUTO, Static, TeamPolicy};
    /// assert_eq!(TeamPolicy::new((), 100, AUTO).schedule_kind(), Static);
    /// ```
    pub fn schedule_kind(&self) -> Schedule {
        self.schedule.unwrap_or_default()
    }

    /// The schedule, if the program has set it.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn given_schedule(&self) -> Option<Schedule> {
        self.schedule
    }
}
