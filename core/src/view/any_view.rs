//! Traits of all Views, for signatures.

use spelt_access::{Element, Layout, Right};

use super::memory_space::MemorySpace;
use super::{Offsets, SegmentShape, View, ViewMut, ViewRef};

/// Anything that can be read as a View: `View`, `ViewRef`, `ViewMut`, and [`Offsets`].
///
/// It is for signatures that accept all of them; their methods are inherent.
///
/// # Examples
/// ```
/// use spelt_core::{HostSpace, ReadView, Right, View};
/// fn sum(v: &impl ReadView<i32, 1, HostSpace, Right>) -> i32 {
///     v.read().iter().sum()
/// }
/// let mut v = View::from_vec("v", [3], vec![1, 2, 3])?;
/// assert_eq!((sum(&v), sum(&v.view())), (6, 6));
/// assert_eq!(sum(&v.view_mut()), 6);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[diagnostic::on_unimplemented(message = "`{Self}` is not a View that can be read")]
pub trait ReadView<T: Element, const R: usize, M: MemorySpace, L: Layout>: sealed::Sealed {
    /// A shared borrow of the whole View.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ReadView, View};
    /// let v = View::from_vec("v", [3], vec![1, 2, 3])?;
    /// assert_eq!(v.read().as_slice(), v.as_slice());
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    fn read(&self) -> ViewRef<'_, T, R, M, L>;

    /// The findings of the check of [`Offsets`]: algorithms then need none of their own.
    #[doc(hidden)]
    #[inline]
    fn segment_shape(&self) -> Option<SegmentShape> {
        None
    }
}

/// Anything that can be written as a View: `View`, `ViewMut`.
///
/// # Examples
/// ```
/// use spelt_core::{HostSpace, Right, View, WriteView};
/// fn reset(v: &mut impl WriteView<i32, 1, HostSpace, Right>) {
///     v.write().fill(0);
/// }
/// let mut v = View::from_vec("v", [3], vec![1, 2, 3])?;
/// reset(&mut v.subview_mut(1..));
/// assert_eq!(v.to_vec(), [1, 0, 0]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a View that can be written",
    note = "give `&mut` of a `View` or of a `ViewMut`, such as `view.subview_mut(..)`"
)]
pub trait WriteView<T: Element, const R: usize, M: MemorySpace, L: Layout>: ReadView<T, R, M, L> {
    /// An exclusive borrow of the whole View.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{View, WriteView};
    /// let mut v = View::from_vec("v", [2], vec![1, 2])?;
    /// v.write()[0] = 5;
    /// assert_eq!(v.to_vec(), [5, 2]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
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

impl<M: MemorySpace> sealed::Sealed for Offsets<M> {}
impl<M: MemorySpace> ReadView<usize, 1, M, Right> for Offsets<M> {
    fn read(&self) -> ViewRef<'_, usize, 1, M> {
        self.view()
    }
    #[inline]
    fn segment_shape(&self) -> Option<SegmentShape> {
        self.shape()
    }
}

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
