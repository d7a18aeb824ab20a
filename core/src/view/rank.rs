//! Ranks as types, so that the rank of a subview can be computed from the types of its slices.

use spelt_access::{Element, Layout, MAX_RANK, RawView, SlabRef};

use super::memory_space::{HostSpace, MemorySpace};
use super::{ViewMut, ViewRef};

/// Pointer, extents and strides of a subview, with its View's label and owner.
#[doc(hidden)]
#[derive(Debug)]
pub struct Part<'a, T: Element, M: MemorySpace> {
    pub(super) pointer: *mut T,
    pub(super) extents: [usize; MAX_RANK],
    pub(super) strides: [usize; MAX_RANK],
    pub(super) label: &'a str,
    pub(super) owner: Option<&'a M::Allocation>,
}

/// A rank as a type.
///
/// # Examples
/// ```
/// use spelt_core::{HostSpace, Right, ViewRef, subview::{AnyRank, Rank}};
/// let v: <Rank<1> as AnyRank>::Ref<'_, i32, HostSpace, Right> = ViewRef::from(&[1, 2][..]);
/// assert_eq!(v.rank(), 1);
/// ```
#[derive(Debug)]
pub struct Rank<const R: usize>;

/// A rank as a type, with the Views that have it.
///
/// # Examples
/// ```
/// use spelt_core::{HostSpace, Right, View, ViewMut, subview::{AnyRank, Rank}};
/// type Plane<'a> = <<Rank<1> as AnyRank>::Next as AnyRank>::Mut<'a, i32, HostSpace, Right>;
/// let mut v = View::<i32, 2>::zeros("v", [2, 2])?;
/// let plane: Plane<'_> = v.view_mut();
/// assert_eq!(plane.rank(), 2);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub trait AnyRank {
    /// One dimension more.
    type Next: AnyRank;
    /// One dimension less.
    type Previous: AnyRank;
    /// A shared View of this rank.
    type Ref<'a, T: Element, M: MemorySpace, L: Layout>;
    /// An exclusive View of this rank.
    type Mut<'a, T: Element, M: MemorySpace, L: Layout>;
    /// A part of an accessor of this rank.
    type Slab<'v, T: 'v, L: 'v>;
    /// The part, of the View at the address `view`, as a slab.
    ///
    /// # Safety
    /// As `SlabRef::new`.
    #[doc(hidden)]
    unsafe fn slab<'v, T: Element, L: Layout>(
        part: Part<'v, T, HostSpace>,
        view: usize,
    ) -> Self::Slab<'v, T, L>;
    /// The part as a shared View.
    ///
    /// # Safety
    /// As `ViewRef::new`.
    #[doc(hidden)]
    unsafe fn shared<T: Element, M: MemorySpace, L: Layout>(part: Part<'_, T, M>) -> Self::Ref<'_, T, M, L>;
    /// The part as an exclusive View.
    ///
    /// # Safety
    /// As `ViewMut::new`.
    #[doc(hidden)]
    unsafe fn exclusive<T: Element, M: MemorySpace, L: Layout>(
        part: Part<'_, T, M>,
    ) -> Self::Mut<'_, T, M, L>;
}

macro_rules! ranks {
    ($($previous:literal $rank:literal $next:literal;)*) => {$(
        impl AnyRank for Rank<$rank> {
            type Next = Rank<$next>;
            type Previous = Rank<$previous>;
            type Ref<'a, T: Element, M: MemorySpace, L: Layout> = ViewRef<'a, T, $rank, M, L>;
            type Mut<'a, T: Element, M: MemorySpace, L: Layout> = ViewMut<'a, T, $rank, M, L>;
            type Slab<'v, T: 'v, L: 'v> = SlabRef<'v, T, $rank, L>;
            #[inline]
            unsafe fn slab<'v, T: Element, L: Layout>(
                part: Part<'v, T, HostSpace>,
                view: usize,
            ) -> SlabRef<'v, T, $rank, L> {
                // SAFETY: `slab` has the contract of `SlabRef::new`, and `part.raw()` has the part's rank, which the generated
                // arm names.
                unsafe { SlabRef::new(part.raw(), view) }
            }
            #[inline]
            unsafe fn shared<T: Element, M: MemorySpace, L: Layout>(
                part: Part<'_, T, M>,
            ) -> Self::Ref<'_, T, M, L> {
                // SAFETY: `shared` has the contract of `ViewRef::new`, and `part.raw()` has the part's rank, which the
                // generated arm names.
                unsafe { ViewRef::new(part.raw(), part.label, part.owner) }
            }
            #[inline]
            unsafe fn exclusive<T: Element, M: MemorySpace, L: Layout>(
                part: Part<'_, T, M>,
            ) -> Self::Mut<'_, T, M, L> {
                // SAFETY: `exclusive` has the contract of `ViewMut::new`, and `part.raw()` has the part's rank, which
                // the generated arm names.
                unsafe { ViewMut::new(part.raw(), part.label, part.owner) }
            }
        }
    )*};
}
// The successor of the last and the predecessor of the first are never reached: eight entries of a tuple give at most rank 8,
// and code that adds or removes a dimension refuses those ranks.
ranks! { 0 0 1; 0 1 2; 1 2 3; 2 3 4; 3 4 5; 4 5 6; 5 6 7; 6 7 8; 7 8 8; }

impl<T: Element, M: MemorySpace> Part<'_, T, M> {
    #[inline]
    fn raw<const R: usize, L: Layout>(&self) -> RawView<T, R, L> {
        RawView::new(
            self.pointer,
            core::array::from_fn(|dimension| self.extents[dimension]),
            core::array::from_fn(|dimension| self.strides[dimension]),
        )
    }
}
