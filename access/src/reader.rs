//! The accessors that read any index.

use crate::{AlongAccess, HaloAccess, Layout, LookupAccess, PartialAccess, RawView, Ref, Slab, SlabRef};

/// An accessor whose elements nothing else writes while it is borrowed. Sealed.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be indexed by numbers, and has no parts of any index",
    label = "index it by the witness",
    note = "a View that the kernel writes is indexed by the witness of the iteration only: another iteration may be writing any other \
            element"
)]
pub trait Reader<const R: usize>: sealed::Sealed {
    /// The type of its elements.
    type Element;
    /// Its layout.
    type Layout: Layout;
    /// Whether it is a part of a View, which messages say.
    const PART: bool;
    /// Its elements.
    fn raw(&self) -> &RawView<Self::Element, R, Self::Layout>;
    /// The address of the View.
    fn address(&self) -> usize;
}

macro_rules! readers {
    ($([$($generics:tt)*] $access:ty, $rank:tt, $part:literal, |$this:ident| $address:expr;)*) => {$(
        impl<T, L, $($generics)*> sealed::Sealed for $access {}
        impl<T, L: Layout, $($generics)*> Reader<$rank> for $access {
            type Element = T;
            type Layout = L;
            const PART: bool = $part;
            #[inline(always)]
            fn raw(&self) -> &RawView<T, $rank, L> {
                &self.raw
            }
            #[inline(always)]
            fn address(&self) -> usize {
                let $this = self;
                $address
            }
        }
    )*};
}
readers! {
    [const R: usize] Ref<'_, T, R, L>, R, false, |this| this.raw.pointer() as usize;
    [const R: usize, W] HaloAccess<'_, T, R, W, L>, R, false, |this| this.raw.pointer() as usize;
    [const R: usize] LookupAccess<'_, T, R, L>, R, false, |this| this.raw.pointer() as usize;
    [const R: usize] PartialAccess<'_, T, R, L>, R, false, |this| this.raw.pointer() as usize;
    [const D: usize] AlongAccess<'_, T, D, L>, 1, false, |this| this.raw.pointer() as usize;
    [const R: usize] Slab<'_, T, R, L>, R, true, |this| this.view;
}

impl<T, const R: usize, L> sealed::Sealed for SlabRef<'_, T, R, L> {}
impl<T, const R: usize, L: Layout> Reader<R> for SlabRef<'_, T, R, L> {
    type Element = T;
    type Layout = L;
    const PART: bool = true;
    #[inline(always)]
    fn raw(&self) -> &RawView<T, R, L> {
        (**self).raw()
    }
    #[inline(always)]
    fn address(&self) -> usize {
        (**self).address()
    }
}

mod sealed {
    pub trait Sealed {}
}
