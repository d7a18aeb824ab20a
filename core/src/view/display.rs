//! Views as text.

use core::fmt;

use spelt_kernels_gpu::Element;
use spelt_policies::Layout;

use super::{View, ViewMut, ViewRef};
use crate::memory::MemorySpace;

macro_rules! debug {
    ($($view:ident $(<$life:lifetime>)?),*) => {$(
        impl<$($life,)? T: Element, const R: usize, M: MemorySpace, L: Layout> fmt::Debug
            for $view<$($life,)? T, R, M, L>
        {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($view))
                    .field("label", &self.label())
                    .field("extents", &self.extents())
                    .finish_non_exhaustive()
            }
        }
    )*};
}
debug!(View, ViewRef<'a>, ViewMut<'a>);
