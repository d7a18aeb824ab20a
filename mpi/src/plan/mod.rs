//! Plans: rows of other ranks, fetched by their indices, and contributions to them, sent back.

mod arguments;
mod build;
mod launches;
mod messages;

pub use arguments::{Back, Forward, PlannedViews};

use core::fmt;

use spelt_core::{ExecutionSpace, Result, View};

use crate::communicator::Communicator;
use crate::device_memory::Blocks;
use crate::wire::Kind;

/// Which rows of a distributed array go from which rank to which, found once and used often: Cabana's `Halo`, Tpetra's `Import`.
///
/// The rows of the array, the indices of its first dimension, are divided among the ranks by cuts. Each rank has a View of its own rows, and a View
/// of ghosts: one row for each index that it gave to [`Communicator::plan`], in that order. Indices may be any, those of own rows included, and may
/// repeat. Both Views have any rank from 1 to 8, layout and memory that the plan's space reaches.
///
/// [`forward`](Plan::forward) copies rows from their owners to the ghosts, [`back`](Plan::back) joins ghosts into the owners' rows. Both are
/// collective and take several Views at once, with one message for each pair of neighbours: a rank that shares no rows with another sends it nothing.
/// Rows are packed and unpacked by launches on the plan's space. Messages land in memory of their own, so that no kernel sees a ghost change: in that
/// of the space's device, where messages [take](Communicator::takes_device_memory) it.
///
/// # Examples
/// The ghosts of a ring: each rank reads the rows before and after its own.
/// ```
/// use spelt_core::{Serial, View, reducers::Sum};
/// use spelt_mpi::InProcess;
/// let (n, cuts) = (6, [0, 2, 3, 6]);
/// let sums = InProcess::new(3).run(|ranks| {
///     let (first, past) = (cuts[ranks.rank()], cuts[ranks.rank() + 1]);
///     let space = Serial::new();
///     let plan = ranks.plan("ring", &space, &cuts, &[(first + n - 1) % n, past % n])?;
///
///     let mut x = View::from_fn("x", [past - first], |[i]| (first + i) as f64)?;
///     let mut ghosts = View::zeros("ghosts", [2])?;
///     plan.forward("neighbours", (&x, &mut ghosts))?;
///     assert_eq!(ghosts.to_vec(), [((first + n - 1) % n) as f64, (past % n) as f64]);
///
///     ghosts.fill(0.5);
///     plan.back("half to each neighbour", (&ghosts, &mut x, Sum::<f64>::new()))?;
///     Ok::<Vec<f64>, spelt_core::Error>(x.to_vec())
/// });
/// assert_eq!(sums[1].as_ref().expect("no error"), &[3.0]);
/// assert_eq!(sums[2].as_ref().expect("no error"), &[3.5, 4.0, 5.5]);
/// ```
pub struct Plan<'c, S: ExecutionSpace> {
    ranks: &'c Communicator,
    space: &'c S,
    /// The number of the call that made it: all ranks use the same plan.
    number: usize,
    /// Own rows.
    rows: usize,
    /// Rows of ghosts.
    ghosts: usize,
    /// The ranks whose rows this one wants.
    owners: Vec<Peer>,
    /// The ranks that want rows of this one.
    askers: Vec<Peer>,
    lists: Lists<S>,
    blocks: Blocks<S::Memory>,
}

/// Another rank, and the rows in messages with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Peer {
    rank: usize,
    /// Rows of a message forward: each wanted row once.
    forward: usize,
    /// Rows of a message back: one for each ghost.
    back: usize,
}

/// The indices that the launches of a plan read.
struct Lists<S: ExecutionSpace> {
    /// The own rows in messages forward, by asker.
    sent: Indices<S>,
    /// For each ghost, the place of its row: below the number of own rows, that row; otherwise, a row of the messages, counted from there.
    sources: Indices<S>,
    /// The ghosts in messages back, by owner.
    returned: Indices<S>,
    /// The own rows to which ghosts are joined.
    targets: Indices<S>,
    /// For each target, the first of its contributions; then the number of all.
    offsets: Indices<S>,
    /// The places of contributions: below the number of ghosts, that ghost; otherwise, a row of the messages, counted from there.
    contributions: Indices<S>,
}

/// A list of indices in the memory of a space.
type Indices<S> = View<usize, 1, <S as ExecutionSpace>::Memory>;

impl<'c, S: ExecutionSpace> Plan<'c, S> {
    /// The number of own rows.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::Serial;
    /// let (ranks, space) = (spelt_mpi::Communicator::alone(), Serial::new());
    /// let plan = ranks.plan("all", &space, &[0, 3], &[2, 2, 0, 1])?;
    /// assert_eq!((plan.rows(), plan.ghosts(), plan.neighbours()), (3, 4, 0));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of rows of ghosts: that of the indices from which the plan was made.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::Serial;
    /// let (ranks, space) = (spelt_mpi::Communicator::alone(), Serial::new());
    /// assert_eq!(ranks.plan("twice", &space, &[0, 3], &[1, 1])?.ghosts(), 2);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn ghosts(&self) -> usize {
        self.ghosts
    }

    /// The number of other ranks to which [`forward`](Plan::forward) sends a message.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::Serial;
    /// use spelt_mpi::InProcess;
    /// let neighbours = InProcess::new(3).run(|ranks| {
    ///     Ok(ranks.plan("row 0", &Serial::new(), &[0, 1, 2, 3], &[0])?.neighbours())
    /// });
    /// assert_eq!(neighbours.into_iter().collect::<Result<Vec<_>, _>>()?, [2, 0, 0]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn neighbours(&self) -> usize {
        self.askers.len()
    }

    /// Copies each wanted row from its owner's View to the ghosts: `(&x, &mut ghosts)`, or a tuple or array of such pairs.
    ///
    /// # Errors
    /// If a View does not have the plan's rows, or the two of a pair differ in their further extents; if type or extents differ between ranks
    /// (the error names both); if there is no memory, a launch fails, a rank makes another call or uses another plan, or a transfer fails.
    ///
    /// # Complexity
    /// One message for each rank that wants rows of this one, in which each row comes once; two launches for each pair of Views.
    ///
    /// # Examples
    /// Several Views in one message:
    /// ```
    /// use spelt_core::{Serial, View};
    /// use spelt_mpi::InProcess;
    /// let messages = InProcess::new(2).run(|ranks| {
    ///     let space = Serial::new();
    ///     let plan = ranks.plan("other", &space, &[0, 2, 4], &[2 * (1 - ranks.rank())])?;
    ///     let masses = View::from_fn("masses", [2], |[i]| (2 * ranks.rank() + i) as f32)?;
    ///     let places = View::from_fn("places", [2, 3], |[i, j]| 10 * (2 * ranks.rank() + i) + j)?;
    ///     let (mut mass, mut place) = (View::zeros("mass", [1])?, View::zeros("place", [1, 3])?);
    ///     let before = ranks.sent().messages;
    ///     plan.forward("other", ((&masses, &mut mass), (&places, &mut place)))?;
    ///     let other = 2 * (1 - ranks.rank());
    ///     assert_eq!((mass[0], place.to_vec()), (other as f32, vec![10 * other, 10 * other + 1, 10 * other + 2]));
    ///     Ok(ranks.sent().messages - before)
    /// });
    /// assert_eq!(messages.into_iter().collect::<Result<Vec<_>, _>>()?, [1, 1]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn forward<K>(&self, label: &str, views: impl PlannedViews<S, Forward, K>) -> Result<()> {
        self.transfer(Kind::Forward, label, [&self.askers, &self.owners], |peer| peer.forward, views)
    }

    /// Joins each ghost into its row on the owner: `(&ghosts, &mut x, reducer)`, or a tuple or array of such triples.
    ///
    /// A row of `x` is joined with the ghosts of its index one after another, in the order of the ranks, and on each rank in the order of its
    /// indices. A row without ghosts keeps its bits. So the bits depend on the lists of indices of all ranks, one after another, and on nothing else:
    /// where each rank lists the rows that its share of some things needs, such as the atoms of pairs, in the order of these things and with
    /// repetitions, the bits are **the same on any number of ranks**. Where ranks first add up contributions of their own, they are not.
    ///
    /// The ghosts keep their values.
    ///
    /// # Errors
    /// As [`forward`](Plan::forward).
    ///
    /// # Complexity
    /// One message for each rank whose rows this one wants, with one row for each ghost; two launches for each triple. Rows are joined in parallel, the
    /// ghosts of one row one after another.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Serial, View, reducers::Max};
    /// use spelt_mpi::InProcess;
    /// let highest = InProcess::new(4).run(|ranks| {
    ///     let space = Serial::new();
    ///     // Rank 0 has the only row.
    ///     let plan = ranks.plan("row 0", &space, &[0, 1, 1, 1, 1], &[0, 0])?;
    ///     let mut x = View::from_fn("x", [plan.rows()], |_| 5)?;
    ///     let ghosts = View::from_fn("ghosts", [2], |[i]| 3 * ranks.rank() as i32 - i as i32)?;
    ///     plan.back("highest", (&ghosts, &mut x, Max::<i32>::new()))?;
    ///     Ok::<Vec<i32>, spelt_core::Error>(x.to_vec())
    /// });
    /// assert_eq!(highest[0].as_ref().expect("no error"), &[9]);
    /// ```
    pub fn back<K>(&self, label: &str, views: impl PlannedViews<S, Back, K>) -> Result<()> {
        self.transfer(Kind::Back, label, [&self.owners, &self.askers], |peer| peer.back, views)
    }

    /// Counts bytes of a device that pass through memory of the host.
    fn count_staged(&self, bytes: usize) {
        self.ranks.count_staged(bytes);
    }
}

impl<S: ExecutionSpace> fmt::Debug for Plan<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plan")
            .field("rows", &self.rows)
            .field("ghosts", &self.ghosts)
            .field("owners", &self.owners)
            .field("askers", &self.askers)
            .finish_non_exhaustive()
    }
}
