//! `&View` and `&mut View` (and the borrowed kinds) as arguments.

use core::any::Any;

use spelt_access::{Covers, Description, Element, KernelArg, Layout, MAX_RANK, Mut, RawView, Ref};

use super::elements::elements;
use crate::view::MemorySpace;
use crate::view::{View, ViewMut, ViewRef};

/// The description of a View that a kernel reads and that covers the witnesses of its rank within its extents.
#[doc(hidden)]
#[inline(always)]
pub fn describe<'a, T: Element, const R: usize, M: MemorySpace, L: Layout>(
    view: ViewRef<'a, T, R, M, L>,
) -> Description<'a> {
    let raw = view.raw();
    let (mut extents, mut strides) = ([0; MAX_RANK], [0; MAX_RANK]);
    let mut dimension = 0;
    while dimension < R {
        let mut step = [0; R];
        step[dimension] = 1;
        extents[dimension] = raw.extents()[dimension];
        strides[dimension] = L::offset(step, &raw.strides());
        dimension += 1;
    }
    Description {
        label: view.label(),
        adapter: "",
        part: "",
        address: raw.pointer() as usize,
        rank: R,
        extents,
        covers: Covers::Rank(R),
        lower: [0; MAX_RANK],
        upper: extents,
        written: false,
        writes: false,
        divided: false,
        origin: None,
        strides,
        element_bytes: size_of::<T>(),
        allocation: view.owner().map(|owner| owner as &dyn Any),
        elements: Some(elements::<T, R, M>()),
    }
}

macro_rules! view_arguments {
    ($access:ident, $raw:ident, $written:literal, [$($generics:tt)*] $type:ty) => {
        // SAFETY: the accessor is built for the View that the argument borrows, shared for `Ref`, exclusively for
        // `Mut`; Views that can be written are injective.
        unsafe impl<$($generics)* T: Element, const R: usize, M: MemorySpace, L: Layout> KernelArg for $type {
            type Raw = RawView<T, R, L>;
            type Access<'k> = $access<'k, T, R, L>;
            type Held = ();
            type Memory = (M, ());
            #[inline(always)]
            fn describe<'a>(&'a self, visit: &mut impl FnMut(Description<'a>)) {
                visit(Description { written: $written, writes: $written, ..describe(self.view()) });
            }
            #[inline(always)]
            unsafe fn lower(&mut self) -> (Self::Raw, ()) {
                // A copy of arrays would be read back by wider loads than its stores were, before these have reached the cache.
                (self.$raw().by_numbers(), ())
            }
            #[inline(always)]
            unsafe fn access<'k>(raw: &Self::Raw, _part: usize) -> Self::Access<'k> {
                // SAFETY: by the contract of `access`, the launch covers the witnesses of `'k`, and the borrow lives.
                unsafe { $access::new(*raw) }
            }
        }
    };
}

view_arguments!(Ref, raw, false, ['v,] &'v View<T, R, M, L>);
view_arguments!(Ref, raw, false, ['v, 'b,] &'v ViewRef<'b, T, R, M, L>);
view_arguments!(Ref, raw, false, ['b,] ViewRef<'b, T, R, M, L>);
view_arguments!(Ref, raw, false, ['v, 'b,] &'v ViewMut<'b, T, R, M, L>);
view_arguments!(Mut, raw_mut, true, ['v,] &'v mut View<T, R, M, L>);
view_arguments!(Mut, raw_mut, true, ['v, 'b,] &'v mut ViewMut<'b, T, R, M, L>);
view_arguments!(Mut, raw_mut, true, ['b,] ViewMut<'b, T, R, M, L>);
