//! An adapter that is added by the recipe in CONTRIBUTING.md: a View read from its end.

use core::marker::PhantomData;
use core::ops::Index;

use spelt_access::{Covers, Description, Element, Idx, KernelArg, Layout, RawView};

use super::on_all_views;
use super::view::describe;
use crate::view::{MemorySpace, View, ViewMut, ViewRef};

/// The accessor: witness `i` reads the element that `i` elements follow.
struct MirroredAccess<'k, T, L> {
    raw: RawView<T, 1, L>,
    /// Invariant in `'k`, so that it takes witnesses of its own launch only.
    brand: PhantomData<fn(&'k ()) -> &'k ()>,
}

impl<T, L: Layout> MirroredAccess<'_, T, L> {
    /// # Safety
    /// Every witness branded `'k` of rank 1 is in bounds, and nothing writes the View while the launch runs.
    unsafe fn new(raw: RawView<T, 1, L>) -> Self {
        Self { raw, brand: PhantomData }
    }
}

impl<'k, T, L: Layout> Index<Idx<'k, 1>> for MirroredAccess<'k, T, L> {
    type Output = T;
    fn index(&self, index: Idx<'k, 1>) -> &T {
        // SAFETY: the launch covers the witness, so it is below the extent, as is its mirror image; nothing writes the View.
        unsafe { &*self.raw.at([self.raw.extents()[0] - 1 - index.get()]) }
    }
}

/// The argument.
struct Mirrored<'v, T: Element, M: MemorySpace, L: Layout> {
    view: ViewRef<'v, T, 1, M, L>,
}

macro_rules! mirrored {
    ($life:lifetime) => {
        fn mirrored(&self) -> Mirrored<$life, T, M, L> {
            Mirrored { view: self.view() }
        }
    };
}
on_all_views!(mirrored, [L: Layout,] 1 L);

// SAFETY: the description covers the witnesses of rank 1 below the extent; the View is borrowed shared.
unsafe impl<T: Element, M: MemorySpace, L: Layout> KernelArg for Mirrored<'_, T, M, L> {
    type Raw = RawView<T, 1, L>;
    type Access<'k> = MirroredAccess<'k, T, L>;
    type Held = ();
    type Memory = (M, ());
    fn describe<'a>(&'a self, visit: &mut impl FnMut(Description<'a>)) {
        visit(Description { adapter: ".mirrored()", covers: Covers::Rank(1), ..describe(self.view.view()) });
    }
    unsafe fn lower(&mut self) -> (Self::Raw, ()) {
        (self.view.raw(), ())
    }
    unsafe fn access<'k>(raw: &Self::Raw, _part: usize) -> Self::Access<'k> {
        // SAFETY: `access` is called for a covered brand while the borrow lives, and a shared borrow keeps writers away.
        unsafe { MirroredAccess::new(*raw) }
    }
}

mod tests {
    use super::*;
    use crate::subview::Steps;
    use crate::{ErrorKind, ExecutionSpace, Serial, parallel_for};

    #[test]
    fn a_new_adapter_reads_from_the_end() {
        for n in [1, 2, 9, 10_000] {
            let mut x = View::from_fn("x", [2 * n], |[i]| i).unwrap();
            let mut y = View::<[usize; 3], 1>::zeros("y", [n]).unwrap();
            let (all, every_second) =
                (View::from_fn("all", [n], |[i]| i).unwrap(), x.subview((0..2 * n).step(2)));
            let args = (all.mirrored(), every_second.mirrored(), &mut y);
            parallel_for("mirror", Serial::new().range(0..n), args, |i, (all, second, mut y)| {
                y[i] = [i.get(), all[i], second[i]];
            })
            .unwrap();
            assert!(y.iter().copied().eq((0..n).map(|i| [i, n - 1 - i, 2 * (n - 1 - i)])));
            x.view_mut().mirrored();
        }
    }

    #[test]
    fn a_view_that_is_too_short_for_a_new_adapter_is_refused() {
        let x = View::from_fn("x", [4], |[i]| i).unwrap();
        let launch = |n| parallel_for("k", Serial::new().range(0..n), x.mirrored(), |i, x| _ = x[i]);
        launch(4).unwrap();
        let error = launch(5).unwrap_err();
        assert_eq!((error.kind(), error.kernel()), (ErrorKind::Extents, Some("k")));
        assert!(error.to_string().contains("view `x`.mirrored() with extents [4]"), "{error}");
    }
}
