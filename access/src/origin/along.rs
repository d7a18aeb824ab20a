//! `along::<D>()` of a View with an origin: read by one component of a witness, which counts from the origin.

use core::ops::Index;

use super::OriginAccess;
use crate::{AlongAccess, Idx, Layout, NestedIdx, SignedIdx};

macro_rules! by_witness {
    ($([$($life:tt)*] $witness:ty, |$index:ident| $component:expr;)*) => {$(
        impl<'k, $($life)* T, const R: usize, const D: usize, L: Layout> Index<$witness>
            for OriginAccess<AlongAccess<'k, T, D, L>, 1>
        {
            type Output = T;
            #[inline(always)]
            fn index(&self, $index: $witness) -> &T {
                const { assert!(D < R, "`.along::<D>()` takes witnesses of a rank above D") };
                let place = $component.wrapping_sub(self.origin[0]).cast_unsigned();
                // SAFETY: by the contract of `OriginAccess::new`, the launch covers this component of every witness minus the origin, and
                // nothing writes the View.
                unsafe { &*self.access.raw.at([place]) }
            }
        }
    )*};
}
by_witness! {
    [] Idx<'k, R>, |index| index.index()[D].cast_signed();
    ['j,] NestedIdx<'k, 'j, R>, |index| index.index()[D].cast_signed();
    [] SignedIdx<'k, R>, |index| index.index()[D];
}
