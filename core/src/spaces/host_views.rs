//! Views of host memory, filled in parallel.

use spelt_kernels_gpu::Element;
use spelt_policies::{Layout, MdRangePolicy};

use super::ExecutionSpace;
use crate::Result;
use crate::memory::HostSpace;
use crate::patterns::parallel_for;
use crate::view::View;

/// The View constructors of a host space.
macro_rules! constructors {
    () => {
        fn zeros_in<T: spelt_kernels_gpu::Element, const R: usize, L: spelt_policies::Layout>(
            &self,
            _layout: L,
            label: impl Into<String>,
            extents: [usize; R],
        ) -> crate::Result<crate::view::View<T, R, HostSpace, L>> {
            // SAFETY: plain data, which `Element` is, is valid with all bytes zero.
            $crate::spaces::host_views::fill(self, label.into(), extents, |_| unsafe { core::mem::zeroed() })
        }

        fn shared_zeros<T: spelt_kernels_gpu::Element, const R: usize>(
            &self,
            label: impl Into<String>,
            extents: [usize; R],
        ) -> crate::Result<crate::view::View<T, R, HostSpace>> {
            self.zeros(label, extents)
        }

        fn view_from_fn_in<T: spelt_kernels_gpu::Element, const R: usize, L: spelt_policies::Layout>(
            &self,
            _layout: L,
            label: impl Into<String>,
            extents: [usize; R],
            f: impl Fn([usize; R]) -> T + Sync,
        ) -> crate::Result<crate::view::View<T, R, HostSpace, L>> {
            $crate::spaces::host_views::fill(self, label.into(), extents, f)
        }
    };
}
pub(super) use constructors;

/// A View with every element written by a kernel on `space`.
pub(super) fn fill<S: ExecutionSpace, T: Element, const R: usize, L: Layout>(
    space: &S,
    label: String,
    extents: [usize; R],
    f: impl Fn([usize; R]) -> T + Sync,
) -> Result<View<T, R, HostSpace, L>> {
    if R == 0 {
        return View::from_fn_in(L::default(), label, extents, f);
    }
    // SAFETY: the kernel writes every element before the View is returned; if it panics, the memory is freed unread.
    let mut view = unsafe { View::<T, R, HostSpace, L>::uninit(label, extents)? };
    let raw = view.raw_mut();
    let policy = MdRangePolicy::of_any_rank(space, extents.map(|extent| 0..extent));
    parallel_for(view.label(), policy, (), |i, ()| {
        // SAFETY: the witness is in bounds of the extents, and no other iteration has it.
        unsafe { raw.at(i.index()).write(f(i.index())) }
    })?;
    Ok(view)
}
