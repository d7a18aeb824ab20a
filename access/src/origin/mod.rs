//! The accessor of a View with an origin: another accessor, with indices that begin elsewhere than at zero.
//!
//! | file | content |
//! |---|---|
//! | `at_zero` | [`Origin`]: the origin of accessors that check every index |
//! | `witness` | [`OriginWitness`]: the witnesses that accessors with an origin accept |
//! | `slabs` | slabs and rows, whose other dimensions keep their origins |
//! | `partial`, `along` | the accessors of `partial()` and `along::<D>()` |

mod along;
mod at_zero;
mod partial;
mod slabs;
mod witness;

use core::fmt;
use core::ops::{Index, IndexMut, Range};

use crate::{
    AsIndex, CheckedIndex, HaloAccess, HaloShape, Idx, Layout, Mut, NestedIdx, Reader, Ref, SignedIdx, Slab,
    failure,
};

pub use at_zero::{AtZero, Origin};
pub use witness::OriginWitness;

/// The accessor `A` of a View whose indices begin at an origin: `x[i]` is the element at `i` minus the origin.
///
/// It is indexed by the witnesses of `A`, and also by a [`SignedIdx`], without a check, because the launch has compared the policy with the
/// View's indices. If nothing writes the View, `x[-2]` (rank 1), `x[[-2, 0]]` and `x.get([-2])` read any index, checked: integers of any
/// type, and arrays of them.
///
/// # Examples
/// ```
/// # use spelt_access::{OriginAccess, RawView, Ref, Right, SignedIdx};
/// # let mut numbers = [1, 4, 9];
/// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
/// # // SAFETY: there is one iteration, whose index is in bounds, and nothing else uses the numbers.
/// # let (i, x) = unsafe { (SignedIdx::<1>::new([-1]), OriginAccess::new(Ref::new(raw), [-1])) };
/// // In the iteration with index -1, for the View [1, 4, 9] from the origin [-1]:
/// assert_eq!((x[i], x[i + 1], x[1], x.get([2])), (1, 4, 9, None));
/// ```
#[derive(Clone, Copy)]
pub struct OriginAccess<A, const R: usize> {
    access: A,
    origin: [isize; R],
}

impl<A, const R: usize> fmt::Debug for OriginAccess<A, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OriginAccess").field("origin", &self.origin).finish_non_exhaustive()
    }
}

impl<A, const R: usize> OriginAccess<A, R> {
    /// The accessor `access` with indices from `origin` on.
    ///
    /// # Safety
    /// `access` is an accessor of a launch, and the launch's witnesses, minus `origin`, fulfil the contract of `access` for its witnesses.
    #[doc(hidden)]
    #[inline(always)]
    pub unsafe fn new(access: A, origin: [isize; R]) -> Self {
        Self { access, origin }
    }

    /// The first index in each dimension.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{OriginAccess, RawView, Ref, Right};
    /// # let mut numbers = [1, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let x = unsafe { OriginAccess::new(Ref::new(raw), [-1]) };
    /// // For a View from the origin [-1]:
    /// assert_eq!(x.origin(), [-1]);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn origin(&self) -> [isize; R] {
        self.origin
    }
}

/// `index` counted from zero. An index below the origin becomes a number above every extent.
#[doc(hidden)]
#[inline(always)]
#[must_use]
pub fn from_zero<const R: usize>(index: [isize; R], origin: [isize; R]) -> [usize; R] {
    let mut place = [0; R];
    let mut dimension = 0;
    while dimension < R {
        place[dimension] = index[dimension].wrapping_sub(origin[dimension]).cast_unsigned();
        dimension += 1;
    }
    place
}

#[inline(always)]
fn signed<const R: usize>(index: [usize; R]) -> [isize; R] {
    let mut signed = [0; R];
    let mut dimension = 0;
    while dimension < R {
        signed[dimension] = index[dimension].cast_signed();
        dimension += 1;
    }
    signed
}

/// Panics: there is no element at `index`, which counts from `origin`.
#[cold]
#[inline(always)]
#[track_caller]
fn beyond<A: Reader<R>, const R: usize>(access: &A, index: [isize; R], origin: [isize; R]) -> ! {
    if A::PART {
        let extents = access.raw().extents();
        failure::beyond_slab(access.address(), from_zero(index, [0; R]), extents, from_zero(origin, [0; R]))
    } else {
        failure::beyond(access.address(), from_zero(index, [0; R]))
    }
}

impl<A: Reader<R>, const R: usize> OriginAccess<A, R> {
    /// The indices in dimension `dimension`.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{OriginAccess, RawView, Ref, Right};
    /// # let mut numbers = [1, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let x = unsafe { OriginAccess::new(Ref::new(raw), [-1]) };
    /// // For the View [1, 4, 9] from the origin [-1]:
    /// assert_eq!(x.range(0), -1..2);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn range(&self, dimension: usize) -> Range<isize> {
        let begin = self.origin[dimension];
        begin..begin.wrapping_add_unsigned(self.access.raw().extents()[dimension])
    }

    /// The element at `index`, or `None` if `index` is out of bounds.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{OriginAccess, RawView, Ref, Right};
    /// # let mut numbers = [1, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let x = unsafe { OriginAccess::new(Ref::new(raw), [-1]) };
    /// // For the View [1, 4, 9] from the origin [-1]:
    /// assert_eq!((x.get(-1), x.get([1_u8]), x.get(2)), (Some(&1), Some(&9), None));
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn get(&self, index: impl AsIndex<R>) -> Option<&A::Element> {
        let (raw, place) = (self.access.raw(), from_zero(index.as_signed(), self.origin));
        // SAFETY: in bounds by the test, and nothing writes the element while the accessor is borrowed.
        raw.contains(place).then(|| unsafe { &*raw.at(place) })
    }
}

impl<'k, T, const R: usize, W: HaloShape<R>, L: Layout> OriginAccess<HaloAccess<'k, T, R, W, L>, R> {
    /// The element at distance `offset` from the witness; see [`HaloAccess::at`].
    ///
    /// # Panics
    /// If the offset exceeds the shape's reach in a dimension, in either direction.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{Around, HaloAccess, OriginAccess, RawView, Right, SignedIdx};
    /// # let mut numbers = [1, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: there is one iteration, whose index is in bounds, and nothing else uses the numbers.
    /// # let i = unsafe { SignedIdx::<1>::new([0]) };
    /// # let x = unsafe { OriginAccess::new(HaloAccess::<_, 1, Around<1>, Right>::new(raw), [-1]) };
    /// // In the iteration with index 0, for the View [1, 4, 9] from the origin [-1]:
    /// assert_eq!((x.at(i, [-1]), x[i], x.at(i, [1])), (1, 4, 9));
    /// ```
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn at(&self, index: impl OriginWitness<'k, R>, offset: [isize; R]) -> T
    where
        T: Copy,
    {
        // SAFETY: by the contract of `new`, the launch covers the witnesses minus the origin, moved by any offset of the shape.
        self.access.at(unsafe { index.minus(self.origin) }, offset)
    }
}

macro_rules! by_witness {
    ($([$($shape:ident)?] $access:ident;)*) => {$(
        by_witness!([$($shape)?] $access, [] Idx<'k, R>);
        by_witness!([$($shape)?] $access, ['j,] NestedIdx<'k, 'j, R>);
        by_witness!([$($shape)?] $access, [] SignedIdx<'k, R>);
    )*};
    ([$($shape:ident)?] $access:ident, [$($life:tt)*] $witness:ty) => {
        impl<'k, $($life)* T, const R: usize, $($shape: HaloShape<R>,)? L: Layout> Index<$witness>
            for OriginAccess<$access<'k, T, R, $($shape,)? L>, R>
        {
            type Output = T;
            #[inline(always)]
            fn index(&self, index: $witness) -> &T {
                // SAFETY: by the contract of `new`, the launch covers the witnesses minus the origin.
                &self.access[unsafe { index.minus(self.origin) }]
            }
        }
    };
}
by_witness! {
    [] Ref;
    [] Mut;
    [W] HaloAccess;
}

macro_rules! mut_by_witness {
    ($([$($life:tt)*] $witness:ty;)*) => {$(
        impl<'k, $($life)* T, const R: usize, L: Layout> IndexMut<$witness> for OriginAccess<Mut<'k, T, R, L>, R> {
            #[inline(always)]
            fn index_mut(&mut self, index: $witness) -> &mut T {
                // SAFETY: by the contract of `new`, the launch covers the witnesses minus the origin; only this iteration has this one, and
                // no other minus the origin is the same.
                &mut self.access[unsafe { index.minus(self.origin) }]
            }
        }
    )*};
}
mut_by_witness! {
    [] Idx<'k, R>;
    ['j,] NestedIdx<'k, 'j, R>;
    [] SignedIdx<'k, R>;
}

impl<A: Reader<R>, I: CheckedIndex<R>, const R: usize> Index<I> for OriginAccess<A, R> {
    type Output = A::Element;
    #[inline(always)]
    #[track_caller]
    fn index(&self, index: I) -> &A::Element {
        let index = index.as_signed();
        let (raw, place) = (self.access.raw(), from_zero(index, self.origin));
        // Not by `get`: the compiler would test its pointer for null.
        if !raw.contains(place) {
            beyond(&self.access, index, self.origin);
        }
        // SAFETY: in bounds by the test, and nothing writes the element while the accessor is borrowed.
        unsafe { &*raw.at(place) }
    }
}

impl<T, I: CheckedIndex<R>, const R: usize, L: Layout> IndexMut<I> for OriginAccess<Slab<'_, T, R, L>, R> {
    #[inline(always)]
    #[track_caller]
    fn index_mut(&mut self, index: I) -> &mut T {
        let index = index.as_signed();
        let place = from_zero(index, self.origin);
        if !self.access.raw.contains(place) {
            beyond(&self.access, index, self.origin);
        }
        // SAFETY: in bounds by the test; nothing else uses the element while the slab is borrowed exclusively.
        unsafe { &mut *self.access.raw.at(place) }
    }
}
