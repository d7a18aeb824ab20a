//! Parts of the accessors that read any index: slabs of one rank less.

use crate::{AsIndex, HaloAccess, HaloShape, Layout, LookupAccess, RawView, Ref, SlabRef, Stride, failure};

/// The elements of `raw` whose index in dimension `axis` is `index`: valid memory if there is such an index.
#[inline(always)]
pub(crate) fn at<T, const R: usize, const N: usize, L: Layout>(
    raw: &RawView<T, R, L>,
    axis: usize,
    index: usize,
) -> RawView<T, N, Stride> {
    let offset = |dimension: usize, index: usize| {
        let mut step = [0; R];
        step[dimension] = index;
        L::offset(step, &raw.strides())
    };
    let kept = |dimension: usize| if dimension < axis { dimension } else { dimension + 1 };
    // Wrapping, because an empty part may lie outside the allocation.
    let first = raw.pointer().wrapping_add(offset(axis, index));
    RawView::new(
        first,
        core::array::from_fn(|dimension| raw.extents()[kept(dimension)]),
        core::array::from_fn(|dimension| offset(kept(dimension), 1)),
    )
}

/// Panics if there is no `index` in dimension `axis`.
#[inline(always)]
#[track_caller]
fn check<T, const R: usize, L: Layout>(raw: &RawView<T, R, L>, axis: usize, index: usize) {
    if index >= raw.extents()[axis] {
        let mut place = [0; R];
        place[axis] = index;
        failure::beyond(raw.pointer() as usize, place);
    }
}

macro_rules! slabs {
    ($([$($shape:ident)?] $access:ident<$rank:literal> $less:literal;)*) => {$(
        impl<T, $($shape: HaloShape<$rank>,)? L: Layout> $access<'_, T, $rank, $($shape,)? L> {
            /// The elements with this first index: a slab of one rank less.
            ///
            /// It is checked once that there is such an index; [`iter`](crate::Slab::iter) over a slab of rank 1 checks nothing more.
            ///
            /// # Panics
            /// If there is no such index.
            ///
            /// # Complexity
            /// O(1); nothing is copied.
            ///
            /// # Examples
            /// ```
            /// # use spelt_access::{LookupAccess, RawView, Right};
            /// # let mut numbers = [1, 2, 3, 4, 5, 6];
            /// # let raw = RawView::<_, 2, Right>::new(numbers.as_mut_ptr(), [2, 3], [3, 1]);
            /// # // SAFETY: nothing else uses the numbers.
            /// # let x = unsafe { LookupAccess::new(raw) };
            /// // For the View [[1, 2, 3], [4, 5, 6]]:
            /// assert_eq!(x.slab(1).iter().sum::<i32>(), 15);
            /// ```
            #[inline(always)]
            #[track_caller]
            #[must_use]
            pub fn slab(&self, index: impl AsIndex<1>) -> SlabRef<'_, T, $less, L::Rest> {
                let [index] = index.as_index();
                check(&self.raw, 0, index);
                // SAFETY: there is such an index, and nothing writes the View while the launch runs.
                unsafe { SlabRef::new(self.raw.at_first(index), self.raw.pointer() as usize) }
            }

            /// The elements whose index in dimension `AXIS` is `index`: a slab of one rank less.
            ///
            /// It is checked once that there is such an index; [`iter`](crate::Slab::iter) over a slab of rank 1 checks nothing more. For
            /// dimension 0, [`slab`](Self::slab) knows more of the layout. A dimension that the View does not have is a compile error.
            ///
            /// # Panics
            /// If there is no such index.
            ///
            /// # Complexity
            /// O(1); nothing is copied.
            ///
            /// # Examples
            /// ```
            /// # use spelt_access::{LookupAccess, RawView, Right};
            /// # let mut numbers = [1, 2, 3, 4, 5, 6];
            /// # let raw = RawView::<_, 2, Right>::new(numbers.as_mut_ptr(), [2, 3], [3, 1]);
            /// # // SAFETY: nothing else uses the numbers.
            /// # let x = unsafe { LookupAccess::new(raw) };
            /// // For the View [[1, 2, 3], [4, 5, 6]], a column:
            /// assert!(x.slab_at::<1>(2).iter().eq(&[3, 6]));
            /// ```
            #[inline(always)]
            #[track_caller]
            #[must_use]
            pub fn slab_at<const AXIS: usize>(&self, index: impl AsIndex<1>) -> SlabRef<'_, T, $less, Stride> {
                const { assert!(AXIS < $rank, "`slab_at::<AXIS>` takes a dimension of the View: one below its rank") };
                let [index] = index.as_index();
                check(&self.raw, AXIS, index);
                // SAFETY: there is such an index, and nothing writes the View while the launch runs.
                unsafe { SlabRef::new(at(&self.raw, AXIS, index), self.raw.pointer() as usize) }
            }
        }
    )*};
}
slabs! {
    [] Ref<2> 1; [] Ref<3> 2; [] Ref<4> 3; [] Ref<5> 4; [] Ref<6> 5; [] Ref<7> 6; [] Ref<8> 7;
    [] LookupAccess<2> 1; [] LookupAccess<3> 2; [] LookupAccess<4> 3; [] LookupAccess<5> 4; [] LookupAccess<6> 5;
    [] LookupAccess<7> 6; [] LookupAccess<8> 7;
    [W] HaloAccess<2> 1; [W] HaloAccess<3> 2; [W] HaloAccess<4> 3; [W] HaloAccess<5> 4; [W] HaloAccess<6> 5;
    [W] HaloAccess<7> 6; [W] HaloAccess<8> 7;
}
