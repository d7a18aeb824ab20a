//! `view.atomic()` as an argument.

use spelt_access::{
    AtZero, AtomicAccess, Covers, Description, Element, KernelArg, Layout, Origin, RawView, Right,
};

use super::on_writable_views;
use super::view::describe;
use crate::view::{HostSpace, MemorySpace};
use crate::view::{View, ViewMut};

/// A View in which every iteration can change any element, atomically and by value.
///
/// The kernel receives an [`AtomicAccess`], which takes any index and checks it. For integers the result of additions,
/// extrema and bit operations is the same in every run; **sums and products of floats depend on the order of the
/// iterations, so their bits are not reproducible**; with [`scatter`](View::scatter) they are. Operations are relaxed:
/// those on one element have a single order, those on different elements are not ordered.
///
/// Integers, `f32` and `f64` have arithmetic; any other element can be loaded, stored, exchanged and
/// [updated](AtomicAccess::update).
///
/// # Panics
/// Every operation panics if the index is out of bounds; the message names View, extents and kernel.
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
/// let space = Serial::new();
/// let mut counts = View::<u32, 1>::zeros("counts", [3])?;
/// parallel_for("histogram", space.range(0..10), counts.atomic(), |i, counts| counts.inc(i.get() % 3))?;
/// assert_eq!(counts.as_slice(), Some(&[4, 3, 3][..]));
/// # Ok::<(), spelt_core::Error>(())
/// ```
///
/// Nothing else reads the View in that launch:
/// ```compile_fail
/// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
/// let mut counts = View::<u32, 1>::zeros("counts", [3])?;
/// parallel_for("no", Serial::new().range(0..3), (&counts, counts.atomic()), |i, (c, counts)| counts.add(i, c[i]))?;
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "an adapter does nothing until a launch takes it"]
pub struct Atomic<'v, T: Element, const R: usize, M: MemorySpace = HostSpace, L: Layout = Right, O = AtZero> {
    pub(super) view: ViewMut<'v, T, R, M, L>,
    pub(super) origin: O,
}

macro_rules! atomic {
    () => {
        /// An argument that changes this View atomically, at any index; see [`Atomic`].
        ///
        /// # Examples
        /// ```
        /// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
        /// let mut most = View::<usize, 1>::zeros("most", [2])?;
        /// parallel_for("most", Serial::new().range(0..9), most.atomic(), |i, most| most.max(i.get() % 2, i.get()))?;
        /// assert_eq!(most.to_vec(), [8, 7]);
        /// # Ok::<(), spelt_core::Error>(())
        /// ```
        #[inline]
        pub fn atomic(&mut self) -> Atomic<'_, T, R, M, L> {
            Atomic { view: self.view_mut(), origin: AtZero }
        }
    };
}
on_writable_views!(atomic, [const R: usize, L: Layout,] R L, MemorySpace);

// SAFETY: the accessor checks every index and accesses the View, which is borrowed exclusively, only atomically.
unsafe impl<T: Element, const R: usize, M: MemorySpace, L: Layout, O: Origin<R>> KernelArg
    for Atomic<'_, T, R, M, L, O>
{
    type Raw = (RawView<T, R, L>, O);
    type Access<'k> = AtomicAccess<'k, T, R, L, O>;
    type Held = ();
    type Memory = (M, ());
    #[inline(always)]
    fn describe<'a>(&'a self, visit: &mut impl FnMut(Description<'a>)) {
        let description = describe(self.view.view());
        let origin = self.origin.described();
        visit(Description {
            adapter: ".atomic()",
            covers: Covers::Nothing,
            writes: true,
            origin,
            ..description
        });
    }
    #[inline(always)]
    unsafe fn lower(&mut self) -> (Self::Raw, ()) {
        ((self.view.raw_mut(), self.origin), ())
    }
    #[inline(always)]
    unsafe fn access<'k>(raw: &Self::Raw, _part: usize) -> Self::Access<'k> {
        // SAFETY: by the contract of `access`, the borrow lives.
        unsafe { AtomicAccess::from_origin(raw.0, raw.1) }
    }
}
