//! Distributed Views as arguments.

use core::marker::PhantomData;

use spelt_core::{
    Along, Around, Covers, Description, Divided, Element, FromOrigin, Halo, HaloShape, KernelArg,
    MemorySpace, OffsetViewMut, OffsetViewRef, Portable, Right, Rows, RowsMut, describe,
};

use super::access::{AllRows, AllRowsMut, DistributedAccess, DistributedAlongAccess, DistributedMutAccess};
use super::halo_access::DistributedHaloAccess;
use super::rows_access::{DistributedRowsAccess, DistributedRowsMutAccess};
use super::storage::{Access, Indexed, MAX_RANK, Reach};
use super::view::DistributedView;

/// A distributed View that a kernel reads at its index and at the offsets of the shape `W`: the argument for stencils.
///
/// [`DistributedView::halo`] makes it. The launch fetches the rows of other ranks within the shape's reach, if the copies that are here are
/// old, and runs the iterations that need none of them meanwhile.
///
/// # Examples
/// ```
/// use spelt_core::{Serial, parallel_for};
/// use spelt_mpi::{Communicator, Mpi};
/// let ranks = Communicator::alone();
/// let space = Mpi::new(&ranks, Serial::new());
/// let mut x = space.view_from_fn("x", [4], |[i]| (i * i) as f64)?;
/// let mut y = space.zeros::<f64, 1>("y", [4])?;
/// parallel_for("second difference", space.range(1..3), (x.halo::<1>(), &mut y), |i, (x, mut y)| {
///     y[i] = x.at(i, [-1]) - 2.0 * x[i] + x.at(i, [1]);
/// })?;
/// assert_eq!(y.own().as_view().to_vec(), [0.0, 2.0, 2.0, 0.0]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
///
/// No safe code writes a View whose rows are on their way to other ranks: the argument borrows it.
/// ```compile_fail,E0499
/// use spelt_core::{Serial, parallel_for};
/// use spelt_mpi::{Communicator, Mpi};
/// let ranks = Communicator::alone();
/// let space = Mpi::new(&ranks, Serial::new());
/// let mut x = space.zeros::<f64, 1>("x", [4])?;
/// parallel_for("no", space.range(1..3), (x.halo::<1>(), &mut x), |i, (x, mut y)| y[i] = x.at(i, [1]))?;
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "an adapter does nothing until a launch takes it"]
pub struct DistributedHalo<'v, T: Element, const R: usize, W, M: MemorySpace> {
    view: &'v mut DistributedView<T, R, M>,
    shape: PhantomData<W>,
}

/// A distributed View that a kernel reads by rows.
///
/// # Examples
/// ```
/// use spelt_core::{Serial, parallel_for};
/// use spelt_mpi::{Communicator, Mpi};
/// let ranks = Communicator::alone();
/// let space = Mpi::new(&ranks, Serial::new());
/// let a = space.view_from_fn("a", [4, 3], |[i, j]| (i * j) as f64)?;
/// let mut sums = space.zeros_on::<f64, 1>(a.partition(), "sums", [4])?;
/// parallel_for("sums", space.range(0..4), (a.by_rows(), &mut sums), |i, (a, mut sums)| sums[i] = a[i].iter().sum())?;
/// assert_eq!(sums.own().as_view().to_vec(), [0.0, 3.0, 6.0, 9.0]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "an adapter does nothing until a launch takes it"]
pub struct DistributedRows<'v, T: Element, const R: usize, M: MemorySpace> {
    view: &'v DistributedView<T, R, M>,
}

/// A distributed View that a kernel writes by rows.
///
/// # Examples
/// ```
/// use spelt_core::{Serial, parallel_for};
/// use spelt_mpi::{Communicator, Mpi};
/// let ranks = Communicator::alone();
/// let space = Mpi::new(&ranks, Serial::new());
/// let mut a = space.zeros::<usize, 2>("a", [2, 3])?;
/// parallel_for("fill", space.range(0..2), a.by_rows_mut(), |i, mut a| a[i].fill(i.get()))?;
/// assert_eq!(a.own().as_view().to_vec(), [0, 0, 0, 1, 1, 1]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "an adapter does nothing until a launch takes it"]
pub struct DistributedRowsMut<'v, T: Element, const R: usize, M: MemorySpace> {
    view: &'v mut DistributedView<T, R, M>,
}

/// A distributed View of rank 1 that a kernel reads at the first component of the witness.
///
/// # Examples
/// ```
/// use spelt_core::{Serial, parallel_for};
/// use spelt_mpi::{Communicator, Mpi};
/// let ranks = Communicator::alone();
/// let space = Mpi::new(&ranks, Serial::new());
/// let heights = space.view_from_fn("heights", [2], |[i]| i as f64)?;
/// let mut y = space.zeros_on::<f64, 2>(heights.partition(), "y", [2, 2])?;
/// let args = (heights.along::<0>(), &mut y);
/// parallel_for("heights", space.md_range([0..2, 0..2]), args, |i, (heights, mut y)| y[i] = heights[i])?;
/// assert_eq!(y.own().as_view().to_vec(), [0.0, 0.0, 1.0, 1.0]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "an adapter does nothing until a launch takes it"]
pub struct DistributedAlong<'v, T: Element, M: MemorySpace> {
    view: &'v DistributedView<T, 1, M>,
}

impl<T: Element + Portable, const R: usize, M: MemorySpace> DistributedView<T, R, M> {
    /// An argument that reads this View at the witness and at offsets up to `H` in each dimension; see [`DistributedHalo`].
    ///
    /// # Errors
    /// The launch returns an error on all ranks if the policy comes closer to an end of the View than `H`, except for the ends of a
    /// [periodic](DistributedView::periodic) first dimension.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Serial, parallel_for};
    /// use spelt_mpi::{InProcess, Mpi};
    /// let results = InProcess::new(4).run(|ranks| {
    ///     let world = Mpi::new(ranks, Serial::new());
    ///     let mut x = world.view_from_fn("x", [9, 1], |[i, _]| i * i)?;
    ///     let mut y = world.zeros::<usize, 2>("y", [9, 1])?;
    ///     parallel_for("sums", world.md_range([1..8, 0..1]), (x.halo_of::<(Between<-1, 1>, Between<0, 0>)>(), &mut y),
    ///         |i, (x, mut y)| y[i] = x.at(i, [-1, 0]) + x.at(i, [1, 0]))?;
    ///     world.gather("y", &y, 0)
    /// });
    /// # use spelt_core::Between;
    /// let y = results.into_iter().next().expect("rank 0")?.expect("the root");
    /// assert_eq!(y.to_vec(), [0, 4, 10, 20, 34, 52, 74, 100, 0]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline]
    pub fn halo<const H: usize>(&mut self) -> DistributedHalo<'_, T, R, Around<H>, M> {
        self.halo_of()
    }

    /// As [`halo`](Self::halo), with a lower and an upper reach in each dimension: `(Between<-2, 1>, Between<0, 0>)`.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Between, Serial, parallel_for};
    /// use spelt_mpi::{Communicator, Mpi};
    /// let ranks = Communicator::alone();
    /// let world = Mpi::new(&ranks, Serial::new());
    /// let mut x = world.view_from_fn("x", [4], |[i]| i)?;
    /// let mut y = world.zeros::<usize, 1>("y", [4])?;
    /// parallel_for("left", world.range(2..4), (x.halo_of::<Between<-2, 0>>(), &mut y), |i, (x, mut y)| y[i] = x.at(i, [-2]))?;
    /// assert_eq!(y.own().as_view().to_vec(), [0, 0, 0, 1]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline]
    pub fn halo_of<W: HaloShape<R>>(&mut self) -> DistributedHalo<'_, T, R, W, M> {
        DistributedHalo { view: self, shape: PhantomData }
    }

    /// Does not compile: a rank has its own rows, and a halo those around them. Rows at any other indices come by a
    /// [plan](crate::Mpi::plan), into a View whose `lookup()` a kernel reads.
    ///
    /// # Examples
    /// ```compile_fail,E0277
    /// use spelt_core::{Serial, parallel_for};
    /// use spelt_mpi::{Communicator, Mpi};
    /// let ranks = Communicator::alone();
    /// let world = Mpi::new(&ranks, Serial::new());
    /// let x = world.view_from_fn("x", [4], |[i]| i)?;
    /// let mut y = world.zeros::<usize, 1>("y", [4])?;
    /// parallel_for("reverse", world.range(0..4), (x.lookup(), &mut y), |i, (x, mut y)| y[i] = x[3 - i.get()])?;
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    /// With a plan:
    /// ```
    /// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
    /// use spelt_mpi::{InProcess, Mpi};
    /// let reversed = InProcess::new(3).run(|ranks| {
    ///     let world = Mpi::new(ranks, Serial::new());
    ///     let x = world.view_from_fn("x", [7, 1], |[i, _]| i)?;
    ///     let mut y = world.zeros::<usize, 2>("y", [7, 1])?;
    ///     // The rows that this rank reads, in the order in which it reads them.
    ///     let rows: Vec<usize> = x.own_rows().map(|i| 6 - i).collect();
    ///     let plan = world.plan("reverse", x.partition(), &rows)?;
    ///     let mut ghosts = View::zeros("ghosts", [plan.ghosts(), 1])?;
    ///     plan.forward("reverse", (&x.own().as_view(), &mut ghosts))?;
    ///     let mut own = y.own_mut();
    ///     let policy = world.local().md_range([0..rows.len(), 0..1]);
    ///     parallel_for("reverse", policy, (&ghosts, &mut own.as_view_mut()), |i, (x, mut y)| y[i] = x[i])?;
    ///     world.gather("y", &y, 0)
    /// });
    /// let y = reversed.into_iter().next().expect("rank 0")?.expect("the root");
    /// assert_eq!(y.to_vec(), [6, 5, 4, 3, 2, 1, 0]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline]
    pub fn lookup(&self) -> &Self
    where
        Self: AllRows,
    {
        self
    }

    /// Does not compile: a rank has its own rows. Contributions to rows at any indices go by a [plan](crate::Mpi::plan).
    ///
    /// # Examples
    /// ```compile_fail,E0277
    /// use spelt_core::{Serial, parallel_for};
    /// use spelt_mpi::{Communicator, Mpi};
    /// let ranks = Communicator::alone();
    /// let world = Mpi::new(&ranks, Serial::new());
    /// let mut bins = world.zeros::<f64, 1>("bins", [4])?;
    /// parallel_for("weights", world.range(0..100), bins.scatter(), |i, bins| bins.add(i.get() * 7 % 4, 0.1))?;
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    /// With a plan, which lists the row of each contribution in their order, the sums have the same bits on any number of ranks:
    /// ```
    /// use spelt_core::{ExecutionSpace, Serial, View, parallel_for, reducers::Sum};
    /// use spelt_mpi::{InProcess, Mpi, Partition};
    /// let sums = |ranks| {
    ///     let all = InProcess::new(ranks).run(|ranks| {
    ///         let world = Mpi::new(ranks, Serial::new());
    ///         let mut bins = world.zeros::<f64, 1>("bins", [4])?;
    ///         let own = Partition::even(100, ranks.size()).rows(ranks.rank());
    ///         let rows: Vec<usize> = own.clone().map(|i| i * 7 % 4).collect();
    ///         let plan = world.plan("weights", bins.partition(), &rows)?;
    ///         let mut weights = View::<f64, 1>::zeros("weights", [plan.ghosts()])?;
    ///         parallel_for("weights", world.local().range(0..rows.len()), &mut weights, |i, mut weights| {
    ///             weights[i] = 0.1 * (own.start + i.get()) as f64;
    ///         })?;
    ///         plan.back("weights", (&weights, &mut bins.own_mut().as_view_mut(), Sum::<f64>::new()))?;
    ///         world.gather("bins", &bins, 0)
    ///     });
    ///     all.into_iter().next().expect("rank 0")
    /// };
    /// let bits = |bins: View<f64, 1>| bins.iter().map(|sum| sum.to_bits()).collect::<Vec<_>>();
    /// assert_eq!(sums(3)?.map(bits), sums(1)?.map(bits));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline]
    pub fn scatter(&mut self) -> &mut Self
    where
        Self: AllRowsMut,
    {
        self
    }

    /// Does not compile, as [`scatter`](Self::scatter), which has the way to do it: `plan.back` takes any reducer.
    ///
    /// # Examples
    /// ```compile_fail,E0277
    /// use spelt_core::{Serial, parallel_for, reducers::Max};
    /// use spelt_mpi::{Communicator, Mpi};
    /// let ranks = Communicator::alone();
    /// let world = Mpi::new(&ranks, Serial::new());
    /// let mut most = world.zeros::<u32, 1>("most", [4])?;
    /// parallel_for("most", world.range(0..9), most.scatter_with(Max::new()), |i, most| most.max(i.get() % 4, 1))?;
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline]
    pub fn scatter_with<Op>(&mut self, _op: Op) -> &mut Self
    where
        Self: AllRowsMut,
    {
        self
    }

    /// Does not compile, as [`scatter`](Self::scatter), which has the way to do it.
    ///
    /// # Examples
    /// ```compile_fail,E0277
    /// use spelt_core::{Serial, parallel_for};
    /// use spelt_mpi::{Communicator, Mpi};
    /// let ranks = Communicator::alone();
    /// let world = Mpi::new(&ranks, Serial::new());
    /// let mut counts = world.zeros::<u32, 1>("counts", [4])?;
    /// parallel_for("count", world.range(0..9), counts.atomic(), |i, counts| counts.add(i.get() % 4, 1))?;
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline]
    pub fn atomic(&mut self) -> &mut Self
    where
        Self: AllRowsMut,
    {
        self
    }

    /// An argument that lends each iteration of a range the row with its index, to read.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Serial, parallel_reduce, reducers::Sum};
    /// use spelt_mpi::{Communicator, Mpi};
    /// let ranks = Communicator::alone();
    /// let world = Mpi::new(&ranks, Serial::new());
    /// let a = world.view_from_fn("a", [4, 3], |[i, j]| (i * j) as f64)?;
    /// let sum = parallel_reduce("sum", world.range(0..4), a.by_rows(), |i, sum, a| *sum += a.row(i)[2], Sum::<f64>::new())?;
    /// assert_eq!(sum, 12.0);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline]
    pub fn by_rows(&self) -> DistributedRows<'_, T, R, M> {
        const { assert!(R > 1, "rows are parts of Views of rank 2 or more: pass the View itself") };
        DistributedRows { view: self }
    }

    /// An argument that lends each iteration of a range the row with its index, to write.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Serial, parallel_for};
    /// use spelt_mpi::{Communicator, Mpi};
    /// let ranks = Communicator::alone();
    /// let world = Mpi::new(&ranks, Serial::new());
    /// let mut a = world.zeros::<usize, 2>("a", [2, 2])?;
    /// parallel_for("rows", world.range(0..2), a.by_rows_mut(), |i, mut a| a.row_mut(i)[1] = i.get())?;
    /// assert_eq!(a.own().as_view().to_vec(), [0, 0, 0, 1]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline]
    pub fn by_rows_mut(&mut self) -> DistributedRowsMut<'_, T, R, M> {
        const { assert!(R > 1, "rows are parts of Views of rank 2 or more: pass the View itself") };
        DistributedRowsMut { view: self }
    }
}

impl<T: Element + Portable, M: MemorySpace> DistributedView<T, 1, M> {
    /// An argument that reads this View at the first component of the witness, whose policy has any rank. `D` is 0: the other components are
    /// not divided among ranks.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Serial, parallel_for};
    /// use spelt_mpi::{Communicator, Mpi, Partition};
    /// let ranks = Communicator::alone();
    /// let world = Mpi::new(&ranks, Serial::new());
    /// let heights = world.view_from_fn("heights", [2], |[i]| i as f64)?;
    /// let mut y = world.zeros_on::<f64, 2>(heights.partition(), "y", [2, 2])?;
    /// parallel_for("heights", world.md_range([0..2, 0..2]), (heights.along::<0>(), &mut y), |i, (heights, mut y)| y[i] = heights[i])?;
    /// assert_eq!(y.own().as_view().to_vec(), [0.0, 0.0, 1.0, 1.0]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline]
    pub fn along<const D: usize>(&self) -> DistributedAlong<'_, T, M> {
        const {
            assert!(
                D == 0,
                "the first dimension alone is divided among ranks: pass a View that is the same on all ranks"
            )
        };
        DistributedAlong { view: self }
    }
}

impl<T: Element, const R: usize, M: MemorySpace> DistributedView<T, R, M> {
    /// The own rows, at the witnesses of their indices.
    fn description(&self) -> Description<'_> {
        let own = self.own();
        let view = own.as_view();
        let (extents, strides) = (view.extents(), view.strides());
        let mut description = Description {
            label: self.label(),
            address: view.raw().pointer() as usize,
            rank: R,
            covers: Covers::Rank(R),
            divided: true,
            element_bytes: size_of::<T>(),
            elements: describe(view).elements,
            allocation: self.local().view.as_view().owner().map(|owner| owner as &dyn core::any::Any),
            origin: Some([0; MAX_RANK]),
            ..Description::SCALAR
        };
        description.extents[..R].copy_from_slice(&extents);
        description.upper[..R].copy_from_slice(&extents);
        description.strides[..R].copy_from_slice(&strides);
        if let Some(origin) = &mut description.origin {
            origin[0] = self.own_rows().start.cast_signed();
        }
        description
    }

    /// The description of a halo.
    fn halo_description<W: HaloShape<R>>(&self) -> Description<'_> {
        let mut description = self.description();
        let rows = self.halo_rows::<W>();
        description.lower[0] = rows.start;
        description.upper[0] = rows.end;
        for dimension in 1..R {
            description.lower[dimension] = W::LOWER[dimension];
            description.upper[dimension] = description.extents[dimension].saturating_sub(W::UPPER[dimension]);
        }
        Description { adapter: ".halo()", ..description }
    }
}

/// Arguments whose kernel has the own rows of a View alone.
macro_rules! own_rows {
    ($($type:ty, [$($generics:tt)*] $local:ty => $access:ident<$($parameters:tt),*> {
        own: |$view:ident| $own:expr,
        argument: |$rows:ident| $argument:expr,
        description: |$shared:ident| $description:expr,
        covers: |$covering:ident, $lower:ident, $upper:ident| $covers:expr,
        divided: |$whole:ident| $divided:expr,
    })*) => {$(
        // SAFETY: the accessor is built for the own rows, which the argument borrows, shared for reading and exclusively for writing. The
        // description has their allocation, and covers the witnesses with an index among them.
        unsafe impl<'v, $($generics)*> KernelArg for $type {
            type Raw = <$local as KernelArg>::Raw;
            type Access<'k> = $access<$($parameters),*>;
            type Held = ();
            type Memory = (M, ());
            fn describe<'a>(&'a self, visit: &mut impl FnMut(Description<'a>)) {
                let $shared = self;
                visit($description);
            }
            #[inline(always)]
            fn covers_box(&self, $lower: &[usize], $upper: &[usize]) -> bool {
                let $covering = self;
                $covers
            }
            unsafe fn lower(&mut self) -> (Self::Raw, ()) {
                let $view = self;
                #[allow(unused_mut, reason = "of rows that are written")]
                let mut $rows = $own;
                let mut argument = $argument;
                // SAFETY: the rows belong to the View, whose borrow in `self` outlives the result.
                unsafe { KernelArg::lower(&mut argument) }
            }
            fn divided(&mut self, visit: &mut dyn FnMut(Divided<'_>)) {
                let $whole = self;
                visit($divided);
            }
            #[inline(always)]
            unsafe fn access<'k>(raw: &Self::Raw, part: usize) -> Self::Access<'k> {
                // SAFETY: the raw form is that of the own rows, and by the description the launch covers its witnesses there.
                $access::new(unsafe { <$local as KernelArg>::access(raw, part) })
            }
        }
    )*};
}
own_rows! {
    &'v DistributedView<T, R, M>, [T: Element, const R: usize, M: MemorySpace]
    OffsetViewRef<'v, T, R, M> => DistributedAccess<'k, T, R> {
        own: |view| view.own(),
        argument: |own| own,
        description: |view| view.description(),
        covers: |view, lower, upper| view.covers(lower, upper),
        divided: |view| Divided::Shared(&view.held, &Access::Read(Indexed::All)),
    }
    &'v mut DistributedView<T, R, M>, [T: Element, const R: usize, M: MemorySpace]
    OffsetViewMut<'v, T, R, M> => DistributedMutAccess<'k, T, R> {
        own: |view| view.own_mut(),
        argument: |own| own,
        description: |view| Description { written: true, writes: true, ..view.description() },
        covers: |view, lower, upper| view.covers(lower, upper),
        divided: |view| Divided::Exclusive(&mut view.held, &Access::Write(Indexed::All)),
    }
    DistributedAlong<'v, T, M>, [T: Element, M: MemorySpace]
    FromOrigin<Along<'v, T, 0, M, Right>, 1> => DistributedAlongAccess<'k, T> {
        own: |along| along.view.own(),
        argument: |own| own.along::<0>(),
        description: |along| Description { adapter: ".along::<0>()", covers: Covers::Along(0), ..along.view.description() },
        covers: |along, lower, upper| along.view.covers_rows(lower, upper),
        divided: |along| Divided::Shared(&along.view.held, &Access::Read(Indexed::Rows)),
    }
}

macro_rules! by_rows {
    ($($name:ident, $rows:ident, $access:ident, $writes:literal, $text:literal,
       |$view:ident| $own:expr, |$own_rows:ident| $argument:expr, |$whole:ident| $divided:expr;)*) => {$(
        // SAFETY: the accessor is built for the own rows, which the argument borrows, shared for reading and exclusively for writing, and
        // subtracts the first one's number from the witness. The description has their allocation, and covers the witnesses among them.
        unsafe impl<'v, T: Element, const R: usize, M: MemorySpace> KernelArg for $name<'v, T, R, M> {
            type Raw = (<$rows<'v, T, R, M, Right> as KernelArg>::Raw, isize);
            type Access<'k> = $access<'k, T, R>;
            type Held = ();
            type Memory = (M, ());
            fn describe<'a>(&'a self, visit: &mut impl FnMut(Description<'a>)) {
                let description = self.view.description();
                visit(Description {
                    adapter: $text,
                    part: "a row of ",
                    covers: Covers::Rank(1),
                    writes: $writes,
                    ..description
                });
            }
            #[inline(always)]
            fn covers_box(&self, lower: &[usize], upper: &[usize]) -> bool {
                lower.len() != 1 || self.view.covers_rows(lower, upper)
            }
            unsafe fn lower(&mut self) -> (Self::Raw, ()) {
                let first = self.view.own_rows().start.cast_signed();
                let $view = &mut self.view;
                #[allow(unused_mut, reason = "of rows that are written")]
                let mut $own_rows = $own;
                let mut argument = $argument;
                // SAFETY: the rows belong to the View, whose borrow in `self` outlives the result.
                let (raw, ()) = unsafe { KernelArg::lower(&mut argument) };
                ((raw, first), ())
            }
            fn divided(&mut self, visit: &mut dyn FnMut(Divided<'_>)) {
                let $whole = &mut self.view;
                visit($divided);
            }
            #[inline(always)]
            unsafe fn access<'k>(raw: &Self::Raw, part: usize) -> Self::Access<'k> {
                // SAFETY: the first half is the raw form of the own rows, and by the description the launch covers the witnesses minus the
                // second.
                unsafe { $access::new(<$rows<'v, T, R, M, Right> as KernelArg>::access(&raw.0, part), raw.1) }
            }
        }
    )*};
}
by_rows! {
    DistributedRows, Rows, DistributedRowsAccess, false, ".by_rows()", |view| view.own(), |own| own.as_view().by_rows(),
    |view| Divided::Shared(&view.held, &Access::Read(Indexed::Rows));
    DistributedRowsMut, RowsMut, DistributedRowsMutAccess, true, ".by_rows_mut()", |view| view.own_mut().into_view(), |own| own.by_rows_mut(),
    |view| Divided::Exclusive(&mut view.held, &Access::Write(Indexed::Rows));
}

// SAFETY: the accessor is built for the rows that this rank holds, which are borrowed exclusively, and reads at offsets of the shape alone;
// the description covers the own rows for which all of these lie in the memory.
unsafe impl<'v, T: Element, const R: usize, W: HaloShape<R>, M: MemorySpace> KernelArg
    for DistributedHalo<'v, T, R, W, M>
{
    type Raw = <FromOrigin<Halo<'v, T, R, W, M, Right>, R> as KernelArg>::Raw;
    type Access<'k> = DistributedHaloAccess<'k, T, R, W>;
    type Held = ();
    type Memory = (M, ());
    fn describe<'a>(&'a self, visit: &mut impl FnMut(Description<'a>)) {
        visit(self.view.halo_description::<W>());
    }
    #[inline(always)]
    fn covers_box(&self, lower: &[usize], upper: &[usize]) -> bool {
        self.view.halo_covers::<W>(lower, upper)
    }
    unsafe fn lower(&mut self) -> (Self::Raw, ()) {
        let mut argument = self.view.local().view.halo_of::<W>();
        // SAFETY: the memory belongs to the View, whose borrow in `self` outlives the result.
        unsafe { KernelArg::lower(&mut argument) }
    }
    fn divided(&mut self, visit: &mut dyn FnMut(Divided<'_>)) {
        let reach = Reach::new(R, |dimension| [W::LOWER[dimension], W::UPPER[dimension]]);
        visit(Divided::Exclusive(&mut self.view.held, &Access::Halo(reach)));
    }
    #[inline(always)]
    unsafe fn access<'k>(raw: &Self::Raw, part: usize) -> Self::Access<'k> {
        // SAFETY: the raw form is that of the halo over all rows with memory; by the description the launch covers the witnesses whose
        // places at each offset lie there.
        DistributedHaloAccess::new(unsafe {
            <FromOrigin<Halo<'v, T, R, W, M, Right>, R> as KernelArg>::access(raw, part)
        })
    }
}
