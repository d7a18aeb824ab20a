//! Copies of Views in the memory of a space.

use spelt_access::{Element, Layout};

use crate::Result;
use crate::launch::ExecutionSpace;
use crate::view::{CopyFrom, MemorySpace, View, ViewMut, ViewRef, copy_all};

macro_rules! copies {
    ($($view:ident [$($lifetime:tt)*];)*) => {$(
        impl<T: Element, const R: usize, M: MemorySpace, L: Layout> $view<$($lifetime)* T, R, M, L> {
            /// A copy that owns its memory in the memory space of `space`, in the same layout and under the same label.
            ///
            /// # Errors
            /// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory) if there is not enough memory; any error reported by a
            /// device.
            ///
            /// # Complexity
            /// O(len); `size_bytes` bytes are read, and the same number written.
            ///
            /// # Examples
            /// ```
            /// use spelt_core::{Serial, View};
            /// let a = View::from_fn("a", [4], |[i]| i)?;
            /// let b = a.subview(1..3).to_space(&Serial::new())?;
            /// assert_eq!(b.to_host()?.as_slice(), Some(&[1, 2][..]));
            /// # Ok::<(), spelt_core::Error>(())
            /// ```
            pub fn to_space<S: ExecutionSpace>(&self, space: &S) -> Result<View<T, R, S::Memory, L>>
            where
                S::Memory: CopyFrom<M>,
            {
                // SAFETY: every element is copied before the View is returned; on an error it is dropped unread.
                let mut copy = unsafe { space.uninit_in(L::default(), self.label(), self.extents())?.assume_init() };
                copy_all(copy.view_mut(), self.view(), None)?;
                Ok(copy)
            }
        }
    )*};
}

copies! {
    View [];
    ViewRef ['_,];
    ViewMut ['_,];
}
