//! Views with an origin as arguments.

use spelt_access::Around;
use spelt_access::{
    Description, Element, HaloShape, KernelArg, Layout, MAX_RANK, Mut, OriginAccess, RawView, Ref, Shortage,
};

use super::view::describe;
use super::{Halo, Lookup};
use crate::view::{MemorySpace, OffsetView, ReadView, ViewMut, ViewRef, WriteView};

/// The adapter `G` of a View whose indices begin at an origin: `x.halo::<H>()` and the like of an [`OffsetView`].
///
/// The kernel receives an [`OriginAccess`].
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
}

/// `origin` in the form of a [`Description`].
#[inline(always)]
fn described<const R: usize>(origin: [isize; R]) -> Option<[isize; MAX_RANK]> {
    let mut all = [0; MAX_RANK];
    all[..R].copy_from_slice(&origin);
    Some(all)
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
            visit(Description { origin: described(self.origin), ..description })
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
    unsafe fn access<'k>(raw: &Self::Raw, part: usize) -> Self::Access<'k> {
        // SAFETY: the first half is the adapter's raw form; by its description the launch covers the witnesses minus the origin.
        unsafe { OriginAccess::new(G::access(&raw.0, part), raw.1) }
    }
    #[inline(always)]
    unsafe fn in_team(raw: &Self::Raw, league_rank: usize) -> (Self::Raw, usize) {
        // SAFETY: the first half is the adapter's raw form, and the league is that of this call.
        let (own, pairs) = unsafe { G::in_team(&raw.0, league_rank) };
        ((own, raw.1), pairs)
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
                    origin: described(self.origin()),
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
