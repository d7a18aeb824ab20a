//! Views of host memory, filled in parallel.

use core::ops::Range;

use spelt_access::{Element, Layout, RawView, Right};
use spelt_policies::MdRangePolicy;

use crate::Result;
use crate::launch::ExecutionSpace;
use crate::patterns::{parallel_fill, parallel_for};
use crate::reach::Reach;
use crate::view::HostSpace;
use crate::view::{UninitView, View, checked_count, filling};

/// The View constructors of a host space, and its copies and fills.
macro_rules! constructors {
    () => {
        fn zeros_in<T: spelt_access::Element, const R: usize, L: spelt_access::Layout>(
            &self,
            _layout: L,
            label: impl Into<String>,
            extents: [usize; R],
        ) -> crate::Result<crate::view::View<T, R, HostSpace, L>> {
            $crate::spaces::host_views::zeros(self, label.into(), extents)
        }

        fn shared_zeros<T: spelt_access::Element, const R: usize>(
            &self,
            label: impl Into<String>,
            extents: [usize; R],
        ) -> crate::Result<crate::view::View<T, R, HostSpace>> {
            self.zeros(label, extents)
        }

        fn pinned_zeros<T: spelt_access::Element, const R: usize>(
            &self,
            label: impl Into<String>,
            extents: [usize; R],
        ) -> crate::Result<crate::view::View<T, R, HostSpace>> {
            self.zeros(label, extents)
        }

        fn view_from_fn_in<T: spelt_access::Element, const R: usize, L: spelt_access::Layout>(
            &self,
            _layout: L,
            label: impl Into<String>,
            extents: [usize; R],
            f: impl Fn([usize; R]) -> T + Sync,
        ) -> crate::Result<crate::view::View<T, R, HostSpace, L>> {
            $crate::spaces::host_views::fill(self, label.into(), extents, f)
        }

        fn uninit_in<T: spelt_access::Element, const R: usize, L: spelt_access::Layout>(
            &self,
            _layout: L,
            label: impl Into<String>,
            extents: [usize; R],
        ) -> crate::Result<crate::view::UninitView<T, R, HostSpace, L>> {
            crate::view::UninitView::allocate(label, extents)
        }

        unsafe fn unmanaged_in<T: spelt_access::Element, const R: usize, L: spelt_access::Layout>(
            &self,
            _layout: L,
            label: impl Into<String>,
            extents: [usize; R],
            pointer: *mut T,
        ) -> crate::Result<crate::view::View<T, R, HostSpace, L>> {
            // SAFETY: the memory is the host's, and the contract of `unmanaged_in` is that of `View::unmanaged`.
            unsafe { crate::view::View::unmanaged(label.into(), extents, pointer) }
        }

        fn deep_copy<T, const R: usize, M1, M2, L1, L2>(
            &self,
            to: &mut impl $crate::view::WriteView<T, R, M1, L1>,
            from: &impl $crate::view::ReadView<T, R, M2, L2>,
        ) -> crate::Result<()>
        where
            T: spelt_access::Element,
            M1: $crate::view::MemorySpace + $crate::view::CopyFrom<M2>,
            M2: $crate::view::MemorySpace,
            L1: spelt_access::Layout,
            L2: spelt_access::Layout,
        {
            let (to, from) = (to.write(), from.read());
            if const { M1::HOST_ACCESSIBLE && M2::HOST_ACCESSIBLE }
                && !$crate::spaces::deep_copy::is_short::<T>(self, &to.extents())
            {
                let _begun = $crate::view::begin_copy(&to, &from);
                return $crate::spaces::deep_copy::copy(self, to, from);
            }
            $crate::view::copy_all(to, from, None)
        }

        fn fill<T, const R: usize, M, L>(
            &self,
            view: &mut impl $crate::view::WriteView<T, R, M, L>,
            value: T,
        ) -> crate::Result<()>
        where
            T: spelt_access::Element,
            M: $crate::view::MemorySpace,
            L: spelt_access::Layout,
        {
            let view = view.write();
            let _fill = $crate::view::filling(&view.view(), false);
            if const { M::HOST_ACCESSIBLE }
                && !$crate::spaces::deep_copy::is_short::<T>(self, &view.extents())
            {
                return $crate::spaces::deep_copy::fill(self, view, value);
            }
            M::fill_elements(view, value, None)
        }
    };
}
pub(super) use constructors;

/// Blocks of at least this size are zero without being written: they come from the system in fresh pages. Unit: bytes.
#[cfg(all(target_os = "linux", not(miri)))]
const FRESH: usize = crate::pages::LARGE;
#[cfg(not(all(target_os = "linux", not(miri))))]
const FRESH: usize = usize::MAX;

/// The smallest page size of any system. A page gets its memory when it is touched. Unit: bytes.
const PAGE: usize = 4096;

/// A View of zeros, whose pages the threads of `space` have touched.
pub(super) fn zeros<S: ExecutionSpace + Reach<HostSpace>, T: Element, const R: usize, L: Layout>(
    space: &S,
    label: String,
    extents: [usize; R],
) -> Result<View<T, R, HostSpace, L>> {
    let bytes = checked_count::<T>(&label, &extents)? * size_of::<T>();
    if bytes < FRESH {
        // SAFETY: plain data, which `Element` is, is valid with all bytes zero.
        return fill(space, label, extents, |_| unsafe { core::mem::zeroed() });
    }
    let mut view = View::<T, R, HostSpace, L>::zeros_in(L::default(), label, extents)?;
    let raw = RawView::<u8, 1, Right>::new(view.raw_mut().pointer().cast(), [bytes], [1]);
    let fill = filling(&view.view(), true);
    parallel_for(view.label(), space.range(0..bytes.div_ceil(PAGE)), (), |page, ()| {
        // SAFETY: the byte lies in the view's block, which nothing else refers to yet, and no other iteration writes it; it was
        // zero before.
        unsafe { raw.at([page.get() * PAGE]).write_volatile(0) };
    })?;
    drop(fill);
    Ok(view)
}

/// A View with every element written by a kernel on `space`.
pub(super) fn fill<S: ExecutionSpace + Reach<HostSpace>, T: Element, const R: usize, L: Layout>(
    space: &S,
    label: String,
    extents: [usize; R],
    f: impl Fn([usize; R]) -> T + Sync,
) -> Result<View<T, R, HostSpace, L>> {
    if R == 0 {
        return View::from_fn_in(L::default(), label, extents, f);
    }
    let view = UninitView::<T, R, HostSpace, L>::allocate(label.as_str(), extents)?;
    let policy = MdRangePolicy::of_any_rank(space, all(extents));
    let _fill = filling(&view.inner().view(), true);
    parallel_fill(&label, policy, view, (), |i, ()| f(i.index()))
}

/// All indices of these extents. A separate function, which is compiled once for each rank: a closure in [`fill`] is compiled again for each use of
/// that.
fn all<const R: usize>(extents: [usize; R]) -> [Range<usize>; R] {
    extents.map(|extent| 0..extent)
}
