//! The accessor of a View with an origin: another accessor, with indices that begin elsewhere than at zero.

use core::fmt;
use core::ops::{Index, IndexMut, Range};

use crate::{HaloAccess, HaloShape, Idx, Layout, NestedIdx, SignedIdx, Witness, failure};

/// The accessor `A` of a View whose indices begin at an origin: `x[i]` is the element at `i` minus the origin.
///
/// It is indexed by the witnesses of `A`, and also by a [`SignedIdx`], without a check, because the launch has compared the policy with the
/// View's indices. If nothing writes the View, `x[-2]` (rank 1), `x[[-2, 0]]` and `x.get([-2])` read any index, checked.
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

/// `index` minus `origin`. An index below the origin becomes a number above every extent.
#[inline(always)]
fn from_zero<const R: usize>(index: [isize; R], origin: [isize; R]) -> [usize; R] {
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

/// A witness that accessors with an origin accept: [`Idx`], [`NestedIdx`] and [`SignedIdx`].
///
/// # Safety
/// Sealed: accessors do not check the bounds of a witness.
///
/// # Examples
/// ```
/// # use spelt_access::{Around, HaloAccess, OriginAccess, OriginWitness, RawView, Right, SignedIdx};
/// fn slope<'k>(
///     x: OriginAccess<HaloAccess<'k, f64, 1, Around<1>>, 1>,
///     i: impl OriginWitness<'k, 1>,
/// ) -> f64 {
///     (x.at(i, [1]) - x.at(i, [-1])) / 2.0
/// }
/// # let mut numbers = [1.0, 4.0, 9.0];
/// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
/// # // SAFETY: there is one iteration, whose index is in bounds, and nothing else uses the numbers.
/// # let (i, x) = unsafe { (SignedIdx::<1>::new([0]), OriginAccess::new(HaloAccess::new(raw), [-1])) };
/// // In the iteration with index 0, for the View [1, 4, 9] from the origin [-1]:
/// assert_eq!(slope(x, i), 4.0);
/// ```
pub unsafe trait OriginWitness<'k, const R: usize>: Copy + sealed::Sealed {
    /// The witness of the same iteration, counted from zero.
    #[doc(hidden)]
    type FromZero: Witness<'k, R>;

    /// The witness minus `origin`.
    ///
    /// # Safety
    /// The result is used for accessors that cover it, which take no other witness than those minus `origin`.
    #[doc(hidden)]
    unsafe fn minus(self, origin: [isize; R]) -> Self::FromZero;
}

// SAFETY: a witness; different ones minus the same origin stay different.
unsafe impl<'k, const R: usize> OriginWitness<'k, R> for Idx<'k, R> {
    type FromZero = Idx<'k, R>;
    #[inline(always)]
    unsafe fn minus(self, origin: [isize; R]) -> Idx<'k, R> {
        // SAFETY: subtracting one origin maps distinct indices to distinct ones, and the caller's accessors cover them.
        unsafe { Idx::new(from_zero(signed(self.index()), origin)) }
    }
}
// SAFETY: a witness; different ones minus the same origin stay different.
unsafe impl<'k, 'j, const R: usize> OriginWitness<'k, R> for NestedIdx<'k, 'j, R> {
    type FromZero = NestedIdx<'k, 'j, R>;
    #[inline(always)]
    unsafe fn minus(self, origin: [isize; R]) -> NestedIdx<'k, 'j, R> {
        // SAFETY: subtracting one origin maps distinct indices to distinct ones, and the caller's accessors cover them.
        unsafe { NestedIdx::new(from_zero(signed(self.index()), origin)) }
    }
}
// SAFETY: a witness; different ones minus the same origin stay different. A launch has either these or `Idx`, never both.
unsafe impl<'k, const R: usize> OriginWitness<'k, R> for SignedIdx<'k, R> {
    type FromZero = Idx<'k, R>;
    #[inline(always)]
    unsafe fn minus(self, origin: [isize; R]) -> Idx<'k, R> {
        // SAFETY: subtracting one origin maps distinct indices to distinct ones, and the caller's accessors cover them.
        unsafe { Idx::new(from_zero(self.index(), origin)) }
    }
}

mod sealed {
    use crate::{HaloAccess, Idx, Layout, LookupAccess, NestedIdx, RawView, Ref, SignedIdx};

    pub trait Sealed {}
    impl<const R: usize> Sealed for Idx<'_, R> {}
    impl<const R: usize> Sealed for NestedIdx<'_, '_, R> {}
    impl<const R: usize> Sealed for SignedIdx<'_, R> {}

    /// An accessor of a View that nothing writes while the launch runs.
    #[diagnostic::on_unimplemented(
        message = "`{Self}` with an origin cannot be indexed by numbers",
        label = "index it by the witness",
        note = "a View that the kernel writes is indexed by the witness of the iteration only: another iteration may be writing any other \
                element"
    )]
    pub trait Reader<const R: usize> {
        type Element;
        type Layout: Layout;
        fn raw(&self) -> &RawView<Self::Element, R, Self::Layout>;
    }

    macro_rules! readers {
        ($([$($generics:tt)*] $access:ty;)*) => {$(
            impl<T, const R: usize, L: Layout, $($generics)*> Reader<R> for $access {
                type Element = T;
                type Layout = L;
                #[inline(always)]
                fn raw(&self) -> &RawView<T, R, L> {
                    &self.raw
                }
            }
        )*};
    }
    readers! {
        [] Ref<'_, T, R, L>;
        [W] HaloAccess<'_, T, R, W, L>;
        [] LookupAccess<'_, T, R, L>;
    }
}

impl<A: sealed::Reader<R>, const R: usize> OriginAccess<A, R> {
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
    /// assert_eq!((x.get([-1]), x.get([2])), (Some(&1), None));
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn get(&self, index: [isize; R]) -> Option<&A::Element> {
        let (raw, place) = (self.access.raw(), from_zero(index, self.origin));
        // SAFETY: in bounds by the test, and nothing writes the View while the launch runs.
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
    ($([$($life:lifetime)?] $witness:ty, $inner:ty;)*) => {$(
        impl<'k, $($life,)? A: Index<$inner>, const R: usize> Index<$witness> for OriginAccess<A, R> {
            type Output = A::Output;
            #[inline(always)]
            fn index(&self, index: $witness) -> &A::Output {
                // SAFETY: by the contract of `new`, the launch covers the witnesses minus the origin.
                &self.access[unsafe { index.minus(self.origin) }]
            }
        }

        impl<'k, $($life,)? A: IndexMut<$inner>, const R: usize> IndexMut<$witness> for OriginAccess<A, R> {
            #[inline(always)]
            fn index_mut(&mut self, index: $witness) -> &mut A::Output {
                // SAFETY: by the contract of `new`, the launch covers the witnesses minus the origin; only this iteration has this one, and
                // no other minus the origin is the same.
                &mut self.access[unsafe { index.minus(self.origin) }]
            }
        }
    )*};
}
by_witness! {
    [] Idx<'k, R>, Idx<'k, R>;
    ['j] NestedIdx<'k, 'j, R>, NestedIdx<'k, 'j, R>;
    [] SignedIdx<'k, R>, Idx<'k, R>;
}

impl<A: sealed::Reader<R>, const R: usize> Index<[isize; R]> for OriginAccess<A, R> {
    type Output = A::Element;
    #[inline(always)]
    #[track_caller]
    fn index(&self, index: [isize; R]) -> &A::Element {
        let (raw, place) = (self.access.raw(), from_zero(index, self.origin));
        // Not by `get`: the compiler would test its pointer for null.
        if !raw.contains(place) {
            failure::beyond(raw.pointer() as usize, from_zero(index, [0; R]));
        }
        // SAFETY: in bounds by the test, and nothing writes the View while the launch runs.
        unsafe { &*raw.at(place) }
    }
}

impl<A: sealed::Reader<1>> Index<isize> for OriginAccess<A, 1> {
    type Output = A::Element;
    #[inline(always)]
    #[track_caller]
    fn index(&self, index: isize) -> &A::Element {
        &self[[index]]
    }
}
