//! `view.partial()` and `view.partial_mut()` as arguments.

use spelt_access::{
    Covers, Description, Element, KernelArg, Layout, PartialAccess, PartialMutAccess, RawView, Right,
};

use super::view::describe;
use super::{on_all_views, on_writable_views};
use crate::view::{HostSpace, MemorySpace};
use crate::view::{View, ViewMut, ViewRef};

/// A View that may be smaller than the range; a kernel reads it at its index, with a bounds check.
///
/// `x.get(i)` is `None` if `i` is beyond the View's end. The kernel receives a [`PartialAccess`].
///
/// # Panics
/// `x[i]` panics if `i` is beyond the View's end; the message names View, extents and kernel.
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Serial, View, parallel_map_reduce, reducers::Sum};
/// let space = Serial::new();
/// let extra = View::from_vec("extra", [2], vec![10.0, 20.0])?;
/// let sum = parallel_map_reduce("sum", space.range(0..4), extra.partial(),
///     |i, extra| 1.0 + extra.get(i).unwrap_or(&0.0), Sum::<f64>::new())?;
/// assert_eq!(sum, 34.0);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use = "an adapter does nothing until a launch takes it"]
pub struct Partial<'v, T: Element, const R: usize, M: MemorySpace = HostSpace, L: Layout = Right> {
    pub(super) view: ViewRef<'v, T, R, M, L>,
}

/// A View that may be smaller than the range; a kernel writes it at its index, with a bounds check.
///
/// `y.get_mut(i)` is `None` if `i` is beyond the View's end. The kernel receives a [`PartialMutAccess`].
///
/// # Panics
/// `y[i]` panics if `i` is beyond the View's end; the message names View, extents and kernel.
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
/// let space = Serial::new();
/// let mut head = View::<usize, 1>::zeros("head", [2])?;
/// parallel_for("head", space.range(0..4), head.partial_mut(), |i, mut head| {
///     if let Some(element) = head.get_mut(i) {
///         *element = 10 * i.get();
///     }
/// })?;
/// assert_eq!(head.as_slice(), Some(&[0, 10][..]));
/// # Ok::<(), spelt_core::Error>(())
/// ```
///
/// Only the iteration's own element can be written:
/// ```compile_fail
/// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
/// let mut head = View::<usize, 1>::zeros("head", [2])?;
/// parallel_for("no", Serial::new().range(0..4), head.partial_mut(), |i, mut head| head[i + 1] = 1)?;
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "an adapter does nothing until a launch takes it"]
pub struct PartialMut<'v, T: Element, const R: usize, M: MemorySpace = HostSpace, L: Layout = Right> {
    pub(super) view: ViewMut<'v, T, R, M, L>,
}

macro_rules! partial {
    ($life:lifetime) => {
        /// An argument that reads this View, which may be smaller than the range; see [`Partial`].
        ///
        /// # Examples
        /// ```
        /// use spelt_core::{ExecutionSpace, Serial, View, parallel_map_reduce, reducers::Sum};
        /// let x = View::from_vec("x", [2], vec![3, 4])?;
        /// let space = Serial::new();
        /// let sum = parallel_map_reduce("sum", space.range(0..5), x.partial(), |i, x| *x.get(i).unwrap_or(&0), Sum::<i32>::new())?;
        /// assert_eq!(sum, 7);
        /// # Ok::<(), spelt_core::Error>(())
        /// ```
        #[inline]
        pub fn partial(&self) -> Partial<$life, T, R, M, L> {
            Partial { view: self.view() }
        }
    };
}
on_all_views!(partial, [const R: usize, L: Layout,] R L);

macro_rules! partial_mut {
    () => {
        /// An argument that writes this View, which may be smaller than the range; see [`PartialMut`].
        ///
        /// # Examples
        /// ```
        /// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
        /// let mut y = View::<usize, 1>::zeros("y", [2])?;
        /// parallel_for("fill", Serial::new().range(0..5), y.partial_mut(), |i, mut y| {
        ///     if let Some(element) = y.get_mut(i) {
        ///         *element = i.get();
        ///     }
        /// })?;
        /// assert_eq!(y.to_vec(), [0, 1]);
        /// # Ok::<(), spelt_core::Error>(())
        /// ```
        #[inline]
        pub fn partial_mut(&mut self) -> PartialMut<'_, T, R, M, L> {
            PartialMut { view: self.view_mut() }
        }
    };
}
on_writable_views!(partial_mut, [const R: usize, L: Layout,] R L, MemorySpace);

macro_rules! argument {
    ($adapter:ident, $access:ident, $raw:ident, $written:literal, $text:literal) => {
        // SAFETY: the accessor checks every index; the View is borrowed shared for `PartialAccess`, exclusively for
        // `PartialMutAccess`, and Views that can be written are injective.
        unsafe impl<T: Element, const R: usize, M: MemorySpace, L: Layout> KernelArg
            for $adapter<'_, T, R, M, L>
        {
            type Raw = RawView<T, R, L>;
            type Access<'k> = $access<'k, T, R, L>;
            type Held = ();
            type Memory = (M, ());
            #[inline(always)]
            fn describe<'a>(&'a self, visit: &mut impl FnMut(Description<'a>)) {
                let description = describe(self.view.view());
                visit(Description {
                    adapter: $text,
                    covers: Covers::Nothing,
                    written: $written,
                    writes: $written,
                    ..description
                });
            }
            #[inline(always)]
            unsafe fn lower(&mut self) -> (Self::Raw, ()) {
                (self.view.$raw(), ())
            }
            #[inline(always)]
            unsafe fn access<'k>(raw: &Self::Raw, _part: usize) -> Self::Access<'k> {
                // SAFETY: by the contract of `access`, the borrow lives.
                unsafe { $access::new(*raw) }
            }
        }
    };
}
argument!(Partial, PartialAccess, raw, false, ".partial()");
argument!(PartialMut, PartialMutAccess, raw_mut, true, ".partial_mut()");
