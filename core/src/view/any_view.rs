//! What `View`, `ViewRef` and `ViewMut` have in common, as traits for signatures.

use spelt_kernels_gpu::Element;
use spelt_policies::Layout;

use super::{View, ViewMut, ViewRef};
use crate::memory::MemorySpace;

/// Anything that can be read as a View: `View`, `ViewRef`, `ViewMut`.
///
/// It is for signatures that take all three; the methods of Views are their own.
#[diagnostic::on_unimplemented(message = "`{Self}` is no View that can be read")]
pub trait ReadView<T: Element, const R: usize, M: MemorySpace, L: Layout>: sealed::Sealed {
    /// A shared borrow of all of it.
    fn read(&self) -> ViewRef<'_, T, R, M, L>;
}

/// Anything that can be written as a View: `View`, `ViewMut`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no View that can be written",
    note = "give `&mut` of a `View` or of a `ViewMut`, such as `view.subview_mut(..)`"
)]
pub trait WriteView<T: Element, const R: usize, M: MemorySpace, L: Layout>: ReadView<T, R, M, L> {
    /// An exclusive borrow of all of it.
    fn write(&mut self) -> ViewMut<'_, T, R, M, L>;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! readable {
    ($($view:ident [$($param:tt)*];)*) => {$(
        impl<$($param)* T: Element, const R: usize, M: MemorySpace, L: Layout> sealed::Sealed
            for $view<$($param)* T, R, M, L> {}
        impl<$($param)* T: Element, const R: usize, M: MemorySpace, L: Layout> ReadView<T, R, M, L>
            for $view<$($param)* T, R, M, L>
        {
            fn read(&self) -> ViewRef<'_, T, R, M, L> {
                self.view()
            }
        }
    )*};
}
readable! { View []; ViewRef ['a,]; ViewMut ['a,]; }

macro_rules! writable {
    ($($view:ident [$($param:tt)*];)*) => {$(
        impl<$($param)* T: Element, const R: usize, M: MemorySpace, L: Layout> WriteView<T, R, M, L>
            for $view<$($param)* T, R, M, L>
        {
            fn write(&mut self) -> ViewMut<'_, T, R, M, L> {
                self.view_mut()
            }
        }
    )*};
}
writable! { View []; ViewMut ['a,]; }
