//! Views with an origin as arguments.

use spelt_access::{
    Around, Description, Element, HaloShape, KernelArg, Layout, Mut, Origin, OriginAccess, OwnRows, RawView,
    Ref, ScatterVisitor, Shortage,
};
use spelt_reducers::{Reducer, Sum, SumElement};

use super::view::describe;
use super::{Along, Atomic, Halo, Lookup, Partial, PartialMut, Rows, RowsMut, Scatter};
use crate::view::{MemorySpace, OffsetView, ReadView, ViewMut, ViewRef, WriteView};

/// The adapter `G` of a View whose indices begin at an origin: `x.halo::<H>()` and the like of an [`OffsetView`].
///
/// The kernel receives an [`OriginAccess`].
///
/// Blocks, segments and `flat` count parts or nested indices from zero, not elements from an origin: pass them as
/// `x.as_view().by_blocks(n)`, with [`as_view`](OffsetView::as_view) or [`as_view_mut`](OffsetView::as_view_mut).
///
/// # Errors
/// Those of the adapter, with the indices counted from the origin.
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
/// let space = Serial::new();
/// let x = View::from_fn("x", [5], |[i]| i)?.with_origin([-1])?;
/// let mut y = View::<usize, 1>::zeros("y", [3])?;
/// parallel_for("add", space.range(0..3), (x.halo::<1>(), &mut y), |i, (x, mut y)| y[i] = x.at(i, [-1]) + x.at(i, [1]))?;
/// assert_eq!(y.to_vec(), [2, 4, 6]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use = "an adapter does nothing until a launch takes it"]
pub struct FromOrigin<G, const R: usize> {
    adapter: G,
    origin: [isize; R],
}

impl<T: Element, const R: usize, M: MemorySpace, L: Layout, V: ReadView<T, R, M, L>>
    OffsetView<T, R, M, L, V>
{
    /// An argument that reads this View at an index and at offsets up to `H`; see [`Halo`].
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
    /// let x = View::from_vec("x", [4], vec![1, 4, 9, 16])?.with_origin([-1])?;
    /// let mut y = View::<i32, 1>::zeros("y", [2])?;
    /// parallel_for("differences", Serial::new().range(0..2), (x.halo::<1>(), &mut y), |i, (x, mut y)| {
    ///     y[i] = x.at(i, [1]) - x.at(i, [-1]);
    /// })?;
    /// assert_eq!(y.to_vec(), [8, 12]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline]
    pub fn halo<const H: usize>(&self) -> FromOrigin<Halo<'_, T, R, Around<H>, M, L>, R> {
        self.halo_of()
    }

    /// An argument that reads this View at an index and at the offsets of the shape `W`; see [`Halo`].
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Between, ExecutionSpace, Serial, View, parallel_for};
    /// let x = View::from_vec("x", [4], vec![1, 4, 9, 16])?.with_origin([-2])?;
    /// let mut y = View::<i32, 1>::zeros("y", [2])?;
    /// parallel_for("upwind", Serial::new().range(0..2), (x.halo_of::<Between<-2, 0>>(), &mut y), |i, (x, mut y)| {
    ///     y[i] = x[i] - x.at(i, [-2]);
    /// })?;
    /// assert_eq!(y.to_vec(), [8, 12]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline]
    pub fn halo_of<W: HaloShape<R>>(&self) -> FromOrigin<Halo<'_, T, R, W, M, L>, R> {
        FromOrigin { adapter: self.as_view().halo_of(), origin: self.origin() }
    }

    /// An argument that reads this View at any index, checked; see [`Lookup`].
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
    /// let table = View::from_vec("table", [3], vec![1, 4, 9])?.with_origin([-1])?;
    /// let mut y = View::<i32, 1>::zeros("y", [3])?;
    /// parallel_for("reverse", Serial::new().range(0..3), (table.lookup(), &mut y), |i, (table, mut y)| {
    ///     y[i] = table[1 - i.get() as isize];
    /// })?;
    /// assert_eq!(y.to_vec(), [9, 4, 1]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline]
    pub fn lookup(&self) -> FromOrigin<Lookup<'_, T, R, M, L>, R> {
        FromOrigin { adapter: self.as_view().lookup(), origin: self.origin() }
    }

    /// An argument that reads this View where it has the index of the iteration; see [`Partial`].
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
    /// let space = Serial::new();
    /// let x = View::from_vec("x", [2], vec![1, 4])?.with_origin([-1])?;
    /// let mut y = View::<i32, 1>::zeros("y", [4])?.with_origin([-2])?;
    /// parallel_for("copy", space.signed_range(y.range()), (x.partial(), &mut y), |i, (x, mut y)| {
    ///     y[i] = x.get(i).copied().unwrap_or(7);
    /// })?;
    /// assert_eq!(y.as_view().to_vec(), [7, 1, 4, 7]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline]
    pub fn partial(&self) -> FromOrigin<Partial<'_, T, R, M, L>, R> {
        FromOrigin { adapter: self.as_view().partial(), origin: self.origin() }
    }

    /// An argument that writes this View where it has the index of the iteration; see [`PartialMut`].
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
    /// let mut y = View::<isize, 1>::zeros("y", [2])?.with_origin([-1])?;
    /// parallel_for("number", Serial::new().signed_range(-5..5), y.partial_mut(), |i, mut y| {
    ///     if let Some(y) = y.get_mut(i) {
    ///         *y = i.get();
    ///     }
    /// })?;
    /// assert_eq!(y.as_view().to_vec(), [-1, 0]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline]
    pub fn partial_mut(&mut self) -> FromOrigin<PartialMut<'_, T, R, M, L>, R>
    where
        V: WriteView<T, R, M, L>,
    {
        let origin = self.origin();
        FromOrigin { adapter: PartialMut { view: self.as_view_mut() }, origin }
    }

    /// An argument whose elements every iteration can change, atomically; see [`Atomic`].
    ///
    /// # Examples
    /// Particles between -2 and 2 are counted by cell:
    /// ```
    /// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
    /// let space = Serial::new();
    /// let positions = View::from_vec("positions", [4], vec![-1.5_f64, 0.2, 1.9, -1.1])?;
    /// let mut counts = View::<u32, 1>::zeros("counts", [4])?.with_origin([-2])?;
    /// parallel_for("count", space.range(0..4), (&positions, counts.atomic()), |i, (positions, counts)| {
    ///     counts.inc(positions[i].floor() as isize);
    /// })?;
    /// assert_eq!(counts.as_view().to_vec(), [2, 0, 1, 1]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline]
    pub fn atomic(&mut self) -> Atomic<'_, T, R, M, L, [isize; R]>
    where
        V: WriteView<T, R, M, L>,
    {
        let origin = self.origin();
        Atomic { view: self.as_view_mut(), origin }
    }

    /// An argument to which every iteration adds at any index; see [`Scatter`].
    ///
    /// # Examples
    /// Charges are shared among the two nearest cells, ghost cells included:
    /// ```
    /// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
    /// let space = Serial::new();
    /// let positions = View::from_vec("positions", [2], vec![-0.5_f64, 1.25])?;
    /// let mut charge = View::<f64, 1>::zeros("charge", [4])?.with_origin([-1])?;
    /// parallel_for("deposit", space.range(0..2), (&positions, charge.scatter()), |i, (positions, charge)| {
    ///     let (cell, part) = (positions[i].floor(), positions[i] - positions[i].floor());
    ///     charge.add(cell as isize, 1.0 - part);
    ///     charge.add(cell as isize + 1, part);
    /// })?;
    /// assert_eq!(charge.as_view().to_vec(), [0.5, 0.5, 0.75, 0.25]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline]
    pub fn scatter(&mut self) -> Scatter<'_, T, R, M, L, Sum<T>, [isize; R]>
    where
        V: WriteView<T, R, M, L>,
        T: SumElement,
    {
        self.scatter_with(Sum::new())
    }

    /// As [`scatter`](Self::scatter), with the operation of `op`.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Serial, View, parallel_for, reducers::Max};
    /// let mut most = View::<i64, 1>::zeros("most", [2])?.with_origin([-1])?;
    /// parallel_for("most", Serial::new().range(0..5), most.scatter_with(Max::new()), |i, most| {
    ///     most.max(-(i.get() as isize % 2), i.get() as i64);
    /// })?;
    /// assert_eq!(most.as_view().to_vec(), [3, 4]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline]
    pub fn scatter_with<Op>(&mut self, op: Op) -> Scatter<'_, T, R, M, L, Op, [isize; R]>
    where
        V: WriteView<T, R, M, L>,
        Op: Reducer<Value = T, Output = T> + Copy + Send + Sync,
    {
        let origin = self.origin();
        Scatter::new(self.as_view_mut(), op, origin)
    }

    /// An argument that lends each iteration the elements with its index as the first; see [`Rows`]. The other dimensions keep their
    /// origins.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
    /// let a = View::from_fn("a", [2, 3], |[i, j]| 10 * i + j)?.with_origin([-1, -1])?;
    /// let mut y = View::<usize, 1>::zeros("y", [2])?.with_origin([-1])?;
    /// let policy = Serial::new();
    /// parallel_for("sums", policy.signed_range(-1..1), (a.by_rows(), &mut y), |i, (a, mut y)| {
    ///     let row = a.row(i);
    ///     y[i] = row[-1] + row[0] + row[1];
    /// })?;
    /// assert_eq!(y.as_view().to_vec(), [3, 33]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline]
    pub fn by_rows(&self) -> FromOrigin<Rows<'_, T, R, M, L>, R> {
        FromOrigin { adapter: self.as_view().by_rows(), origin: self.origin() }
    }

    /// An argument that lends each iteration the elements with its index as the first, mutable; see [`RowsMut`]. The other dimensions
    /// keep their origins.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
    /// let mut a = View::<f64, 2>::zeros("a", [3, 4])?.with_origin([-1, -2])?;
    /// parallel_for("edges", Serial::new().signed_range(0..2), a.by_rows_mut(), |i, mut a| {
    ///     let mut row = a.row_mut(i);
    ///     row[-2] = 1.0;
    ///     row[1] = row[-2] + 1.0;
    /// })?;
    /// assert_eq!((a[[0, -2]], a[[0, 1]], a[[1, 1]], a[[-1, 1]]), (1.0, 2.0, 2.0, 0.0));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline]
    pub fn by_rows_mut(&mut self) -> FromOrigin<RowsMut<'_, T, R, M, L>, R>
    where
        V: WriteView<T, R, M, L>,
    {
        const { assert!(R > 1, "rows are parts of Views of rank 2 or more: pass the View itself") };
        let origin = self.origin();
        FromOrigin { adapter: RowsMut { view: self.as_view_mut() }, origin }
    }
}

impl<T: Element, M: MemorySpace, L: Layout, V: ReadView<T, 1, M, L>> OffsetView<T, 1, M, L, V> {
    /// An argument that reads this View at component `D` of the index of the iteration; see [`Along`].
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
    /// let widths = View::from_vec("widths", [3], vec![1.0, 2.0, 3.0])?.with_origin([-1])?;
    /// let mut y = View::<f64, 2>::zeros("y", [2, 3])?.with_origin([0, -1])?;
    /// let space = Serial::new();
    /// parallel_for("scale", space.signed_md_range(y.ranges()), (widths.along::<1>(), &mut y), |i, (widths, mut y)| {
    ///     y[i] = 10.0 * widths[i];
    /// })?;
    /// assert_eq!((y[[0, -1]], y[[1, 1]]), (10.0, 30.0));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline]
    pub fn along<const D: usize>(&self) -> FromOrigin<Along<'_, T, D, M, L>, 1> {
        FromOrigin { adapter: self.as_view().along(), origin: self.origin() }
    }
}

// SAFETY: all is as in the adapter, except for the origin: the launch adds it to the indices that the adapter covers, since descriptions
// have it, and the accessor subtracts it from each witness.
unsafe impl<G: KernelArg, const R: usize> KernelArg for FromOrigin<G, R> {
    type Raw = (G::Raw, [isize; R]);
    type Access<'k> = OriginAccess<G::Access<'k>, R>;
    type Held = G::Held;
    type Memory = G::Memory;
    const BY_TEAM: bool = G::BY_TEAM;
    #[inline(always)]
    fn describe<'a>(&'a self, visit: &mut impl FnMut(Description<'a>)) {
        self.adapter.describe(&mut |description| {
            visit(Description { origin: self.origin.described(), ..description })
        });
    }
    #[inline(always)]
    fn parts(&self) -> Option<usize> {
        self.adapter.parts()
    }
    #[inline(always)]
    fn prepare(&mut self, iterations: usize) -> Result<(), Shortage> {
        self.adapter.prepare(iterations)
    }
    #[inline(always)]
    unsafe fn lower(&mut self) -> (Self::Raw, Self::Held) {
        // SAFETY: the adapter's `lower` has this contract: the result is used only while the borrow lives.
        let (raw, held) = unsafe { self.adapter.lower() };
        ((raw, self.origin), held)
    }
    #[inline(always)]
    unsafe fn lower_on_device(&mut self) -> (Self::Raw, Self::Held) {
        // SAFETY: the adapter's `lower_on_device` has this contract: the result is used only while the borrow lives.
        let (raw, held) = unsafe { self.adapter.lower_on_device() };
        ((raw, self.origin), held)
    }
    #[inline(always)]
    fn scattered<V: ScatterVisitor>(raw: &mut Self::Raw, visitor: &mut V) -> Result<(), V::Error> {
        G::scattered(&mut raw.0, visitor)
    }
    #[inline(always)]
    unsafe fn access<'k>(raw: &Self::Raw, part: usize) -> Self::Access<'k> {
        // SAFETY: the first half is the adapter's raw form; by its description the launch covers the witnesses minus the origin.
        unsafe { OriginAccess::new(G::access(&raw.0, part), raw.1) }
    }
    #[inline(always)]
    unsafe fn in_team(raw: &Self::Raw, league_rank: usize) -> (Self::Raw, OwnRows) {
        // SAFETY: the first half is the adapter's raw form, and the league is that of this call.
        let (team, own) = unsafe { G::in_team(&raw.0, league_rank) };
        ((team, raw.1), own)
    }
    #[inline(always)]
    fn finish(held: Self::Held) {
        G::finish(held);
    }
}

macro_rules! views_with_origin {
    ($($access:ident, $written:literal, [$($generics:tt)*] $type:ty, $raw:expr;)*) => {$(
        // SAFETY: the accessor is built for the View that the argument borrows, shared for `Ref`, exclusively for `Mut`; Views that can be
        // written are injective. The description has the origin, which the launch adds to the covered indices.
        unsafe impl<$($generics)*> KernelArg for $type {
            type Raw = (RawView<T, R, L>, [isize; R]);
            type Access<'k> = OriginAccess<$access<'k, T, R, L>, R>;
            type Held = ();
            type Memory = (M, ());
            #[inline(always)]
            fn describe<'a>(&'a self, visit: &mut impl FnMut(Description<'a>)) {
                let description = describe(self.as_view());
                visit(Description {
                    written: $written,
                    writes: $written,
                    origin: self.origin().described(),
                    ..description
                });
            }
            #[inline(always)]
            unsafe fn lower(&mut self) -> (Self::Raw, ()) {
                let raw: fn(&mut Self) -> RawView<T, R, L> = $raw;
                ((raw(self), self.origin()), ())
            }
            #[inline(always)]
            unsafe fn access<'k>(raw: &Self::Raw, _part: usize) -> Self::Access<'k> {
                // SAFETY: by the contract of `access`, the launch covers the witnesses of `'k`, which the description moves by the
                // origin, and the borrow lives.
                unsafe { OriginAccess::new($access::new(raw.0), raw.1) }
            }
        }
    )*};
}
views_with_origin! {
    Ref, false,
    ['v, T: Element, const R: usize, M: MemorySpace, L: Layout, V: ReadView<T, R, M, L>] &'v OffsetView<T, R, M, L, V>,
    |view| view.as_view().raw();

    Ref, false,
    ['b, T: Element, const R: usize, M: MemorySpace, L: Layout] OffsetView<T, R, M, L, ViewRef<'b, T, R, M, L>>,
    |view| view.as_view().raw();

    Mut, true,
    ['v, T: Element, const R: usize, M: MemorySpace, L: Layout, V: WriteView<T, R, M, L>] &'v mut OffsetView<T, R, M, L, V>,
    |view| view.as_view_mut().raw_mut();

    Mut, true,
    ['b, T: Element, const R: usize, M: MemorySpace, L: Layout] OffsetView<T, R, M, L, ViewMut<'b, T, R, M, L>>,
    |view| view.as_view_mut().raw_mut();
}
