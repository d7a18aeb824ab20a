//! `DistributedView`.

use core::any::Any;
use core::fmt;
use core::marker::PhantomData;
use core::ops::Range;

use spelt_core::{Element, HostSpace, MemorySpace, OffsetViewMut, OffsetViewRef, Portable, Result, View};

use super::Partition;
use super::staging::Staging;
use super::storage::{Held, Local, rows, rows_mut};

/// A View whose rows, the indices of its first dimension, are divided among ranks: each rank has an interval of them in the memory of its
/// local space.
///
/// [`Mpi::zeros`](crate::Mpi::zeros) and [`Mpi::view_from_fn`](crate::Mpi::view_from_fn) make it. Extents and indices are those of the whole.
/// Arguments of launches over [`Mpi`](crate::Mpi)'s policies:
///
/// | argument | the kernel |
/// |---|---|
/// | `&x`, `&mut y` | reads, or writes, the element at the witness |
/// | `x.halo::<H>()`, `x.halo_of::<W>()` | reads the elements around the witness. The launch fetches rows of other ranks first, if those that are here are old |
/// | `x.by_rows()`, `x.by_rows_mut()` | reads, or writes, the row of the witness |
/// | `x.along::<0>()` (rank 1) | reads the element at the first component of the witness |
///
/// Other arguments, such as `&View` and `view.lookup()`, are the same on all ranks; a kernel cannot write them.
///
/// # Examples
/// ```
/// use spelt_core::{Serial, parallel_for};
/// use spelt_mpi::{InProcess, Mpi};
/// let wholes = InProcess::new(3).run(|ranks| {
///     let space = Mpi::new(ranks, Serial::new());
///     let mut x = space.view_from_fn("x", [5, 3], |[i, j]| (10 * i + j) as f64)?;
///     let mut y = space.zeros::<f64, 2>("y", [5, 3])?;
///     parallel_for("differences", space.md_range([1..4, 1..2]), (x.halo::<1>(), &mut y), |i, (x, mut y)| {
///         y[i] = x.at(i, [1, 0]) - x.at(i, [-1, 1]);
///     })?;
///     space.gather("result", &y, 0)
/// });
/// let y = wholes.into_iter().next().expect("rank 0")?.expect("the root gets it");
/// assert_eq!([y[[0, 1]], y[[1, 1]], y[[3, 1]], y[[3, 2]]], [0.0, 19.0, 19.0, 0.0]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub struct DistributedView<T: Element, const R: usize, M: MemorySpace = HostSpace> {
    pub(crate) held: Held,
    elements: PhantomData<(T, M)>,
}

impl<T: Element + Portable, const R: usize, M: MemorySpace> DistributedView<T, R, M> {
    /// The View of these extents, with the rows of this rank.
    pub(crate) fn new(
        own: View<T, R, M>,
        rank: usize,
        partition: Partition,
        extents: [usize; R],
        staging: Box<dyn Staging<T, R, M>>,
    ) -> Result<Self> {
        let mut origin = [0; R];
        origin[0] = partition.rows(rank).start.cast_signed();
        let label = own.label().to_owned();
        let rows = Local { view: own.with_origin(origin)?, staging };
        let held = Held::new(&label, partition, rank, extents, rows);
        Ok(Self { held, elements: PhantomData })
    }

    /// This View with a periodic first dimension: the row after the last is the first. Halos then reach over both ends, and policies may
    /// contain all rows.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Serial, parallel_for};
    /// use spelt_mpi::{Communicator, Mpi};
    /// let ranks = Communicator::alone();
    /// let world = Mpi::new(&ranks, Serial::new());
    /// let mut x = world.view_from_fn("x", [4], |[i]| i as f64)?.periodic();
    /// let mut y = world.zeros::<f64, 1>("y", [4])?;
    /// parallel_for("right", world.range(0..4), (x.halo::<1>(), &mut y), |i, (x, mut y)| y[i] = x.at(i, [1]))?;
    /// assert_eq!(y.own().as_view().to_vec(), [1.0, 2.0, 3.0, 0.0]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn periodic(mut self) -> Self {
        self.held.periodic = true;
        self.held.touch();
        self
    }
}

impl<T: Element, const R: usize, M: MemorySpace> DistributedView<T, R, M> {
    /// The label.
    ///
    /// # Examples
    /// ```
    /// use spelt_mpi::{Communicator, Mpi};
    /// let ranks = Communicator::alone();
    /// let x = Mpi::new(&ranks, spelt_core::Serial::new()).zeros::<f64, 2>("x", [5, 2])?;
    /// assert_eq!((x.label(), x.extents(), x.own_rows()), ("x", [5, 2], 0..5));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn label(&self) -> &str {
        &self.held.label
    }

    /// The number of indices in each dimension, of all ranks together.
    ///
    /// # Examples
    /// ```
    /// use spelt_mpi::{Communicator, Mpi};
    /// let ranks = Communicator::alone();
    /// assert_eq!(Mpi::new(&ranks, spelt_core::Serial::new()).zeros::<f64, 2>("x", [5, 2])?.extents(), [5, 2]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn extents(&self) -> [usize; R] {
        core::array::from_fn(|dimension| self.held.extents[dimension])
    }

    /// The division of the rows.
    ///
    /// # Examples
    /// ```
    /// use spelt_mpi::{Communicator, Mpi};
    /// let ranks = Communicator::alone();
    /// let world = Mpi::new(&ranks, spelt_core::Serial::new());
    /// assert_eq!(world.zeros::<f64, 2>("x", [5, 2])?.partition().cuts(), [0, 5]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn partition(&self) -> &Partition {
        &self.held.partition
    }

    /// The rows of this rank.
    ///
    /// # Examples
    /// ```
    /// use spelt_mpi::{Communicator, Mpi};
    /// let ranks = Communicator::alone();
    /// assert_eq!(Mpi::new(&ranks, spelt_core::Serial::new()).zeros::<f64, 1>("x", [5])?.own_rows(), 0..5);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn own_rows(&self) -> Range<usize> {
        self.held.own()
    }

    /// The elements of this rank, under their indices in the whole.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::Serial;
    /// use spelt_mpi::{InProcess, Mpi};
    /// let firsts = InProcess::new(2).run(|ranks| {
    ///     let x = Mpi::new(ranks, Serial::new()).view_from_fn("x", [10, 1], |[i, _]| i)?;
    ///     Ok::<usize, spelt_core::Error>(x.own()[[x.own_rows().start as isize, 0]])
    /// });
    /// assert_eq!(firsts.into_iter().map(Result::unwrap).collect::<Vec<_>>(), [0, 5]);
    /// ```
    #[must_use]
    pub fn own(&self) -> OffsetViewRef<'_, T, R, M> {
        let local = self.local();
        let origin = self.own_origin(local);
        let own = rows(local.view.as_view(), self.places());
        own.with_origin(origin).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The elements of this rank, under their indices in the whole, to write. All ranks call it, also those that change nothing: copies of
    /// these rows on other ranks are old then. The same holds for launches over the local space that write this View.
    ///
    /// How often a rank calls it between two launches over all ranks does not matter. If only some ranks do, the next messages of such a
    /// launch are an error.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::Serial;
    /// use spelt_mpi::{Communicator, Mpi};
    /// let ranks = Communicator::alone();
    /// let mut x = Mpi::new(&ranks, Serial::new()).zeros::<f64, 1>("x", [3])?;
    /// x.own_mut()[1] = 2.0;
    /// assert_eq!(x.own().as_view().to_vec(), [0.0, 2.0, 0.0]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn own_mut(&mut self) -> OffsetViewMut<'_, T, R, M> {
        self.held.touch();
        let origin = self.own_origin(self.local());
        let places = self.places();
        let own = rows_mut(self.local_mut().view.as_view_mut(), places);
        own.with_origin(origin).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The own rows, counted from the first one with memory.
    pub(crate) fn places(&self) -> Range<usize> {
        self.held.places_of(&self.own_rows())
    }

    fn own_origin(&self, local: &Local<T, R, M>) -> [isize; R] {
        let mut origin = local.view.origin();
        origin[0] = self.own_rows().start.cast_signed();
        origin
    }

    /// The memory with the rows of this rank and of its neighbours.
    pub(crate) fn local(&self) -> &Local<T, R, M> {
        (&*self.held.rows as &dyn Any).downcast_ref().expect("a View is made with its own type of memory")
    }

    pub(crate) fn local_mut(&mut self) -> &mut Local<T, R, M> {
        (&mut *self.held.rows as &mut dyn Any)
            .downcast_mut()
            .expect("a View is made with its own type of memory")
    }
}

impl<T: Element, const R: usize, M: MemorySpace> fmt::Debug for DistributedView<T, R, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DistributedView")
            .field("label", &self.label())
            .field("extents", &self.extents())
            .field("own_rows", &self.own_rows())
            .finish_non_exhaustive()
    }
}
