//! `Mpi`.

use core::fmt;
use core::ops::Range;
use std::rc::Rc;

use spelt_core::{
    Element, Error, ErrorKind, ExecutionSpace, MdRangePolicy, MemorySpace, Portable, RangePolicy, Result,
    TeamPolicy, TeamSize, View,
};

use super::Partition;
use super::policy::Distributed;
use super::staging::Pinned;
use super::storage::rows_mut;
use super::view::DistributedView;
use crate::Communicator;

/// The ranks, each with its local execution space: makes policies and Views that are divided among all of them.
///
/// The change from one process to many is the line that makes the space: `Mpi::new(ranks, Threads::new()?)` in place of `Threads::new()?`.
/// Policies, closures and reducers stay as they are, and results have the bits of one process, for any number of ranks.
///
/// It is not an [`ExecutionSpace`]: generic code that allocates scratch on a space would take local memory for that of all ranks.
/// [`local`](Self::local) is the local space.
///
/// # Examples
/// ```
/// use spelt_core::{Serial, parallel_for, parallel_reduce, reducers::Sum};
/// use spelt_mpi::{InProcess, Mpi};
/// let norm = |ranks| {
///     let sums = InProcess::new(ranks).run(|ranks| {
///         let space = Mpi::new(ranks, Serial::new());
///         let x = space.view_from_fn("x", [10_000], |[i]| 1.0 / (i + 1) as f64)?;
///         let mut y = space.zeros::<f64, 1>("y", [10_000])?;
///         parallel_for("square", space.range(0..10_000), (&x, &mut y), |i, (x, mut y)| y[i] = x[i] * x[i])?;
///         parallel_reduce("sum", space.range(0..10_000), &y, |i, sum, y| *sum += y[i], Sum::<f64>::new())
///     });
///     sums.into_iter().next_back().expect("a rank")
/// };
/// assert_eq!(norm(1)?.to_bits(), norm(3)?.to_bits());
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub struct Mpi<'r, S> {
    ranks: &'r Communicator,
    space: Rc<S>,
}

impl<'r, S: ExecutionSpace + 'static> Mpi<'r, S> {
    /// These ranks, of which this one runs its iterations on `space`.
    ///
    /// If the ranks of a machine have more threads than cores, a sentence to standard error says so, and what to set.
    ///
    /// # Examples
    /// ```
    /// let ranks = spelt_mpi::Communicator::alone();
    /// assert_eq!(spelt_mpi::Mpi::new(&ranks, spelt_core::Serial::new()).ranks().size(), 1);
    /// ```
    #[must_use]
    pub fn new(ranks: &'r Communicator, space: S) -> Self {
        if const { !S::IS_DEVICE } {
            ranks.warn_if_oversubscribed(space.concurrency());
        }
        Self { ranks, space: Rc::new(space) }
    }

    /// The ranks.
    ///
    /// # Examples
    /// ```
    /// let ranks = spelt_mpi::Communicator::alone();
    /// assert_eq!(spelt_mpi::Mpi::new(&ranks, spelt_core::Serial::new()).ranks().rank(), 0);
    /// ```
    #[must_use]
    pub fn ranks(&self) -> &'r Communicator {
        self.ranks
    }

    /// The space of this rank.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::ExecutionSpace;
    /// let ranks = spelt_mpi::Communicator::alone();
    /// assert_eq!(spelt_mpi::Mpi::new(&ranks, spelt_core::Serial::new()).local().name(), "Serial");
    /// ```
    #[must_use]
    pub fn local(&self) -> &S {
        &self.space
    }

    /// The indices of `range`, divided among the ranks.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Serial, parallel_map_reduce, reducers::Max};
    /// use spelt_mpi::{Communicator, Mpi};
    /// let ranks = Communicator::alone();
    /// let space = Mpi::new(&ranks, Serial::new());
    /// let max = parallel_map_reduce("max", space.range(0..10), (), |i, ()| i.get() * 7 % 10, Max::<usize>::new())?;
    /// assert_eq!(max, 9);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn range(&self, range: Range<usize>) -> Distributed<'_, RangePolicy<&S>> {
        Distributed { ranks: self.ranks, policy: self.space.range(range) }
    }

    /// The indices of a box, divided among the ranks by the first one.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Serial, parallel_map_reduce, reducers::Sum};
    /// use spelt_mpi::{Communicator, Mpi};
    /// let ranks = Communicator::alone();
    /// let space = Mpi::new(&ranks, Serial::new());
    /// let sum = parallel_map_reduce("sum", space.md_range([1..3, 0..4]), (), |i, ()| i.index()[0], Sum::<usize>::new())?;
    /// assert_eq!(sum, 12);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn md_range<const R: usize>(
        &self,
        ranges: [Range<usize>; R],
    ) -> Distributed<'_, MdRangePolicy<&S, R>> {
        Distributed { ranks: self.ranks, policy: self.space.md_range(ranges) }
    }

    /// A league of `league` teams of `size` threads, or [`AUTO`](spelt_core::AUTO), divided among the ranks as the rows of the Views are; see
    /// [`ExecutionSpace::team`].
    ///
    /// League ranks and the size of the league are those of the whole. Nested loops read and write `&x` and `&mut y` at their witnesses.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{AUTO, Serial, parallel_for};
    /// use spelt_mpi::{InProcess, Mpi};
    /// let tables = InProcess::new(2).run(|ranks| {
    ///     let space = Mpi::new(ranks, Serial::new());
    ///     let mut table = space.zeros::<usize, 2>("table", [3, 2])?;
    ///     parallel_for("table", space.team(3, AUTO), &mut table, |team, mut table| {
    ///         let league_rank = team.league_rank();
    ///         team.parallel_for(team.thread_range(2), |i| table[i] = 10 * league_rank);
    ///     })?;
    ///     space.gather("table", &table, 0)
    /// });
    /// let table = tables.into_iter().next().expect("rank 0")?.expect("the root");
    /// assert_eq!(table.to_vec(), [0, 0, 10, 10, 20, 20]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn team(&self, league: usize, size: impl Into<TeamSize>) -> Distributed<'_, TeamPolicy<&S>> {
        Distributed { ranks: self.ranks, policy: self.space.team(league, size) }
    }

    /// A View whose elements are zero. Its rows are divided [evenly](Partition::even), those of rank 1 [by tiles](Partition::by_tiles).
    ///
    /// # Errors
    /// [`ErrorKind::OutOfMemory`] if there is not enough memory.
    ///
    /// # Panics
    /// Rank 0 does not compile: it has no rows.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::Serial;
    /// use spelt_mpi::{Communicator, Mpi};
    /// let ranks = Communicator::alone();
    /// assert_eq!(Mpi::new(&ranks, Serial::new()).zeros::<f64, 1>("x", [3])?.own().as_view().to_vec(), [0.0; 3]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn zeros<T: Element + Portable, const R: usize>(
        &self,
        label: impl Into<String>,
        extents: [usize; R],
    ) -> Result<DistributedView<T, R, S::Memory>> {
        const { assert!(R > 0, "a View of rank 0 has no rows to divide among ranks") };
        self.zeros_on(&self.partition(&extents), label, extents)
    }

    /// A View whose elements are zero, with the rows of `partition`.
    ///
    /// # Errors
    /// [`ErrorKind::Extents`] if the partition has another number of rows or of ranks; [`ErrorKind::OutOfMemory`] if there is not enough memory.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::Serial;
    /// use spelt_mpi::{InProcess, Mpi, Partition};
    /// let own = InProcess::new(2).run(|ranks| {
    ///     let partition = Partition::from_cuts(&[0, 1, 4])?;
    ///     Ok::<_, spelt_core::Error>(Mpi::new(ranks, Serial::new()).zeros_on::<f64, 1>(&partition, "x", [4])?.own_rows())
    /// });
    /// assert_eq!(own[1].as_ref().expect("no error"), &(1..4));
    /// ```
    pub fn zeros_on<T: Element + Portable, const R: usize>(
        &self,
        partition: &Partition,
        label: impl Into<String>,
        extents: [usize; R],
    ) -> Result<DistributedView<T, R, S::Memory>> {
        self.make(partition, label.into(), extents, |space, label, extents, _| space.zeros(label, extents))
    }

    /// A View whose elements are those that `f` returns for their indices.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfMemory`] if there is not enough memory.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::Serial;
    /// use spelt_mpi::{Communicator, Mpi};
    /// let ranks = Communicator::alone();
    /// let x = Mpi::new(&ranks, Serial::new()).view_from_fn("x", [2, 2], |[i, j]| 10 * i + j)?;
    /// assert_eq!(x.own().as_view().to_vec(), [0, 1, 10, 11]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn view_from_fn<T: Element + Portable, const R: usize>(
        &self,
        label: impl Into<String>,
        extents: [usize; R],
        f: impl Fn([usize; R]) -> T + Sync,
    ) -> Result<DistributedView<T, R, S::Memory>> {
        const { assert!(R > 0, "a View of rank 0 has no rows to divide among ranks") };
        self.view_from_fn_on(&self.partition(&extents), label, extents, f)
    }

    /// As [`view_from_fn`](Self::view_from_fn), with the rows of `partition`.
    ///
    /// # Errors
    /// Those of [`zeros_on`](Self::zeros_on).
    ///
    /// # Examples
    /// ```
    /// use spelt_core::Serial;
    /// use spelt_mpi::{Communicator, Mpi, Partition};
    /// let ranks = Communicator::alone();
    /// let x = Mpi::new(&ranks, Serial::new()).view_from_fn_on(&Partition::even(3, 1), "x", [3], |[i]| i)?;
    /// assert_eq!(x.own().as_view().to_vec(), [0, 1, 2]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn view_from_fn_on<T: Element + Portable, const R: usize>(
        &self,
        partition: &Partition,
        label: impl Into<String>,
        extents: [usize; R],
        f: impl Fn([usize; R]) -> T + Sync,
    ) -> Result<DistributedView<T, R, S::Memory>> {
        self.make(partition, label.into(), extents, |space, label, extents, first| {
            space.view_from_fn(label, extents, |mut index: [usize; R]| {
                index[0] += first;
                f(index)
            })
        })
    }

    /// A copy of a whole View on the host of rank `root`; `None` on the others. All ranks call it.
    ///
    /// # Errors
    /// If `root` is not a rank, a rank makes another call, or a transfer fails.
    ///
    /// # Complexity
    /// P - 1 messages in log2 P steps.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::Serial;
    /// use spelt_mpi::{Communicator, Mpi};
    /// let ranks = Communicator::alone();
    /// let space = Mpi::new(&ranks, Serial::new());
    /// let x = space.view_from_fn("x", [3], |[i]| i)?;
    /// assert_eq!(space.gather("x", &x, 0)?.expect("the only rank").to_vec(), [0, 1, 2]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn gather<T: Element + Portable, const R: usize, M: MemorySpace>(
        &self,
        label: &str,
        view: &DistributedView<T, R, M>,
        root: usize,
    ) -> Result<Option<View<T, R>>> {
        let mut bytes = Vec::new();
        view.held.rows.pack(view.places(), &mut bytes)?;
        let Some(parts) = self.ranks.gather(label, root, bytes)? else { return Ok(None) };
        let mut whole = View::zeros(view.label(), view.extents())?;
        for (rank, part) in parts.iter().enumerate() {
            let mut rows = rows_mut(whole.view_mut(), view.partition().rows(rank));
            T::read_slice(rows.as_mut_slice().unwrap_or_default(), &mut &part[..]).ok_or_else(|| {
                let message = format!(
                    "`{label}`: rank {rank} sent {} bytes, too few for its rows of view `{}`",
                    part.len(),
                    view.label()
                );
                Error::new(ErrorKind::Communication, message)
            })?;
        }
        Ok(Some(whole))
    }

    pub(super) fn partition(&self, extents: &[usize]) -> Partition {
        match extents {
            [rows] => Partition::by_tiles(*rows, self.ranks.size()),
            _ => Partition::even(extents[0], self.ranks.size()),
        }
    }

    fn make<T: Element + Portable, const R: usize>(
        &self,
        partition: &Partition,
        label: String,
        extents: [usize; R],
        own: impl FnOnce(&S, String, [usize; R], usize) -> Result<View<T, R, S::Memory>>,
    ) -> Result<DistributedView<T, R, S::Memory>> {
        const { assert!(R > 0, "a View of rank 0 has no rows to divide among ranks") };
        if (partition.len(), partition.ranks()) != (extents[0], self.ranks.size()) {
            let message = format!(
                "view `{label}` with extents {extents:?} on {} ranks: the partition has {} rows and {} ranks",
                self.ranks.size(),
                partition.len(),
                partition.ranks()
            );
            return Err(Error::new(ErrorKind::Extents, message));
        }
        let rows = partition.rows(self.ranks.rank());
        let mut local = extents;
        local[0] = rows.len();
        let view = own(&self.space, label, local, rows.start)?;
        let staging = Box::new(Pinned::new(Rc::clone(&self.space)));
        DistributedView::new(view, self.ranks.rank(), partition.clone(), extents, staging)
    }
}

impl<S: ExecutionSpace> fmt::Debug for Mpi<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mpi").field("ranks", &self.ranks).field("space", &self.space).finish()
    }
}
