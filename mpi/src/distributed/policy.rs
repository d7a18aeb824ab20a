//! The policies of launches over all ranks.

use core::ops::Range;

use spelt_core::{ExecutionSpace, MdRangePolicy, OnSpace, RangePolicy, Schedule, TeamPolicy};

use crate::Communicator;

/// A policy whose iterations are divided among ranks: each runs those in its own rows, on its local space. Kernels see the indices of the
/// whole policy.
///
/// [`Mpi::range`](crate::Mpi::range), [`Mpi::md_range`](crate::Mpi::md_range) and [`Mpi::team`](crate::Mpi::team) make it. A launch over it is collective: all ranks make it, in
/// the same order, with the same policy. The Views among the arguments determine the division; without any, the iterations are divided
/// evenly.
///
/// # Examples
/// ```
/// use spelt_core::{Serial, parallel_map_reduce, reducers::Sum};
/// use spelt_mpi::{Communicator, Mpi};
/// let ranks = Communicator::alone();
/// let world = Mpi::new(&ranks, Serial::new());
/// let sum = parallel_map_reduce("sum", world.range(0..10).chunk(2), (), |i, ()| i.get(), Sum::<usize>::new())?;
/// assert_eq!(sum, 45);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Distributed<'w, P> {
    pub(crate) ranks: &'w Communicator,
    pub(crate) policy: P,
}

impl<P: OnSpace> OnSpace for Distributed<'_, P> {
    type Space = P::Space;
}

impl<S> Distributed<'_, RangePolicy<S>> {
    /// The iterations that a local thread takes at a time; see [`RangePolicy::chunk`].
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Serial, parallel_map_reduce, reducers::Sum};
    /// use spelt_mpi::{Communicator, Mpi};
    /// let ranks = Communicator::alone();
    /// let space = Mpi::new(&ranks, Serial::new());
    /// let sum = parallel_map_reduce("sum", space.range(0..10).chunk(2), (), |i, ()| i.get(), Sum::<usize>::new())?;
    /// assert_eq!(sum, 45);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn chunk(mut self, iterations: usize) -> Self {
        self.policy = self.policy.chunk(iterations);
        self
    }

    /// The distribution over local threads; see [`RangePolicy::schedule`].
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Serial, Dynamic, parallel_map_reduce, reducers::Sum};
    /// use spelt_mpi::{Communicator, Mpi};
    /// let ranks = Communicator::alone();
    /// let space = Mpi::new(&ranks, Serial::new());
    /// let policy = space.range(0..10).schedule(Dynamic);
    /// assert_eq!(parallel_map_reduce("sum", policy, (), |i, ()| i.get(), Sum::<usize>::new())?, 45);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn schedule(mut self, schedule: Schedule) -> Self {
        self.policy = self.policy.schedule(schedule);
        self
    }
}

impl<S, const R: usize> Distributed<'_, MdRangePolicy<S, R>> {
    /// The extents of the tiles that a local thread takes; see [`MdRangePolicy::tile`].
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Serial, parallel_map_reduce, reducers::Sum};
    /// use spelt_mpi::{Communicator, Mpi};
    /// let ranks = Communicator::alone();
    /// let space = Mpi::new(&ranks, Serial::new());
    /// let policy = space.md_range([0..4, 0..3]).tile([2, 0]);
    /// assert_eq!(parallel_map_reduce("sum", policy, (), |i, ()| i.index()[0], Sum::<usize>::new())?, 18);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn tile(mut self, tile: [usize; R]) -> Self {
        self.policy = self.policy.tile(tile);
        self
    }

    /// The distribution over local threads; see [`MdRangePolicy::schedule`].
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Serial, Dynamic, parallel_map_reduce, reducers::Sum};
    /// use spelt_mpi::{Communicator, Mpi};
    /// let ranks = Communicator::alone();
    /// let space = Mpi::new(&ranks, Serial::new());
    /// let policy = space.md_range([0..4, 0..3]).schedule(Dynamic);
    /// assert_eq!(parallel_map_reduce("sum", policy, (), |i, ()| i.index()[0], Sum::<usize>::new())?, 18);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn schedule(mut self, schedule: Schedule) -> Self {
        self.policy = self.policy.schedule(schedule);
        self
    }
}

impl<S, K> Distributed<'_, TeamPolicy<S, K>> {
    /// Reserves scratch memory, in bytes, for each team and for each of its threads; see [`TeamPolicy::scratch`].
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{AUTO, Serial, parallel_reduce, reducers::Sum};
    /// use spelt_mpi::{Communicator, Mpi};
    /// let ranks = Communicator::alone();
    /// let space = Mpi::new(&ranks, Serial::new());
    /// let policy = space.team(10, AUTO).scratch(64, 0);
    /// let sum = parallel_reduce("sum", policy, (), |team, ()| {
    ///     let last = team.with_scratch(8, |j| j, |_, numbers| numbers[7]);
    ///     team.contribute(last);
    /// }, Sum::<usize>::new())?;
    /// assert_eq!(sum, 70);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn scratch(mut self, bytes_per_team: usize, bytes_per_thread: usize) -> Self {
        self.policy = self.policy.scratch(bytes_per_team, bytes_per_thread);
        self
    }
}

/// A policy as rows: the indices of its first dimension, each with the iterations of the others.
pub(crate) trait Rows: Sized {
    /// Whether nested loops index the dimensions from the second on, and check them.
    const IS_LEAGUE: bool = false;
    /// The box of its indices.
    fn ranges(&self) -> Vec<Range<usize>>;
    /// The iterations in these rows alone.
    fn of_rows(&self, rows: Range<usize>) -> Self;

    fn rows(&self) -> Range<usize> {
        self.ranges().swap_remove(0)
    }
    /// The number of iterations of a row, if a `usize` can count those of all rows.
    fn row_len(&self) -> Option<usize> {
        let ranges = self.ranges();
        if ranges.iter().any(Range::is_empty) {
            return Some(0);
        }
        ranges.iter().try_fold(1_usize, |product, range| product.checked_mul(range.len()))?;
        Some(ranges[1..].iter().map(ExactSizeIterator::len).product())
    }
}

impl<S: ExecutionSpace> Rows for RangePolicy<&S> {
    fn ranges(&self) -> Vec<Range<usize>> {
        vec![self.range()]
    }
    fn of_rows(&self, rows: Range<usize>) -> Self {
        let policy = RangePolicy::new(*self.space(), rows).schedule(self.schedule_kind());
        match self.chunk_size() {
            Some(chunk) => policy.chunk(chunk),
            None => policy,
        }
    }
}

impl<S: ExecutionSpace, const R: usize> Rows for MdRangePolicy<&S, R> {
    fn ranges(&self) -> Vec<Range<usize>> {
        MdRangePolicy::ranges(self).to_vec()
    }
    fn of_rows(&self, rows: Range<usize>) -> Self {
        let mut ranges = MdRangePolicy::ranges(self);
        ranges[0] = rows;
        let mut policy = MdRangePolicy::new(*self.space(), ranges)
            .schedule(self.schedule_kind())
            .iterate(self.iteration());
        if let Some(chunk) = self.chunk_size() {
            policy = policy.chunk(chunk);
        }
        match self.tile_extents() {
            Some(tile) => policy.tile(tile),
            None => policy,
        }
    }
}

impl<S: ExecutionSpace, K: Copy> Rows for TeamPolicy<&S, K> {
    const IS_LEAGUE: bool = true;
    fn ranges(&self) -> Vec<Range<usize>> {
        let league = 0..self.league_size();
        vec![league]
    }
    fn of_rows(&self, rows: Range<usize>) -> Self {
        self.of_ranks(rows)
    }
}
