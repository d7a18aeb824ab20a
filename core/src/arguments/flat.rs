//! `.flat()`: a View for loops over all lanes of a team.

use spelt_access::{Description, Element, Flat, KernelArg, Layout, RawView};

use super::view::describe;
use crate::view::MemorySpace;
use crate::view::{View, ViewMut};

/// A rank-2 View that `team_vector_range` loops of teams with vector lanes write; made by `.flat()`.
///
/// # Examples
/// ```
/// use spelt_core::{AUTO, ExecutionSpace, Serial, View, parallel_for};
/// let mut a = View::<usize, 2>::zeros("a", [2, 3])?;
/// parallel_for("fill", Serial::new().team(2, AUTO).vector(4), a.flat(), |team, mut a| {
///     team.parallel_for(team.team_vector_range(3), |w| a[w] = w.inner());
/// })?;
/// assert_eq!(a.to_vec(), [0, 1, 2, 0, 1, 2]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Debug)]
#[must_use]
pub struct FlatArg<'a, T: Element, M: MemorySpace, L: Layout> {
    view: ViewMut<'a, T, 2, M, L>,
}

macro_rules! flat {
    ([$($life:lifetime)?] $view:ty) => {
        impl<$($life,)? T: Element, M: MemorySpace, L: Layout> $view {
            /// An argument that `team_vector_range` loops of teams with vector lanes write by [`FlatIdx`](crate::FlatIdx).
            ///
            /// # Examples
            /// ```
            /// use spelt_core::{AUTO, ExecutionSpace, Serial, View, parallel_for};
            /// let space = Serial::new();
            /// let mut a = View::<f64, 2>::zeros("a", [2, 8])?;
            /// parallel_for("fill", space.team(2, AUTO).vector(4), (a.flat(),), |team, (mut a,)| {
            ///     team.parallel_for(team.team_vector_range(8), |w| a[w] = w.inner() as f64);
            /// })?;
            /// assert_eq!(a[[1, 7]], 7.0);
            /// # Ok::<(), spelt_core::Error>(())
            /// ```
            pub fn flat(&mut self) -> FlatArg<'_, T, M, L> {
                FlatArg { view: self.view_mut() }
            }
        }
    };
}
flat!([] View<T, 2, M, L>);
flat!(['b] ViewMut<'b, T, 2, M, L>);

// SAFETY: the argument borrows its View exclusively, and one lane has each flat witness.
unsafe impl<T: Element, M: MemorySpace, L: Layout> KernelArg for FlatArg<'_, T, M, L> {
    type Raw = RawView<T, 2, L>;
    type Access<'k> = Flat<'k, T, L>;
    type Held = ();
    type Memory = (M, ());
    const MAY_FAIL: bool = true;
    #[inline(always)]
    fn describe<'a>(&'a self, visit: &mut impl FnMut(Description<'a>)) {
        visit(Description { adapter: ".flat()", written: true, writes: true, ..describe(self.view.view()) });
    }
    #[inline(always)]
    unsafe fn lower(&mut self) -> (Self::Raw, ()) {
        (self.view.raw_mut(), ())
    }
    #[inline(always)]
    unsafe fn access<'k>(raw: &Self::Raw, _part: usize) -> Self::Access<'k> {
        // SAFETY: by the contract of `access`, the launch covers the witnesses of `'k`, and the borrow lives.
        unsafe { Flat::new(*raw) }
    }
}
