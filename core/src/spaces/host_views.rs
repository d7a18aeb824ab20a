//! Views of host memory, filled in parallel.

use spelt_access::{Element, Layout};
use spelt_policies::Schedule;

use crate::device::{for_kernels_alone, left_out};
use crate::host::{BREAK_EVEN, HostThreads, for_each_index};
use crate::names::Names;
use crate::view::{HostSpace, View, checked_count, filling};
use crate::{Result, environment};

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

/// Blocks of at least this size are touched by all threads. Unit: bytes. Source: as many `f64` as a loop has that is distributed at once.
const SHARED: usize = BREAK_EVEN * size_of::<f64>();

/// The smallest page size of any system. A page gets its memory when it is touched. Unit: bytes.
const PAGE: usize = 4096;

/// Parts for each thread, so that a late or slow thread costs at most a sixteenth.
const PARTS_PER_THREAD: usize = 16;

/// A View of zeros, which the threads of `space` write. They are the first to touch its pages, unless a block that was freed is used again.
pub(super) fn zeros<S: HostThreads, T: Element, const R: usize, L: Layout>(
    space: &S,
    label: String,
    extents: [usize; R],
) -> Result<View<T, R, HostSpace, L>> {
    environment::check()?;
    let bytes = checked_count::<T>(&label, &extents)? * size_of::<T>();
    // glibc's `calloc` takes 16 ns more than `malloc` where a process has several threads.
    // SAFETY: what is not zero yet is written below, before anything reads the View; plain data, which `Element` is, is valid with all
    // bytes zero.
    let mut view = unsafe { View::<T, R, HostSpace, L>::uninit(label, extents)? };
    let _fill = filling(&view.view(), true);
    let untouched = view.began_untouched();
    // SAFETY: the block of the View has `bytes` bytes, which are zero if it is untouched; nothing else refers to it yet.
    unsafe { clear(space, view.raw_mut().pointer().cast(), bytes, untouched) };
    Ok(view)
}

/// Makes all bytes of a block zero, which they are if it is untouched; all threads touch the pages of a large one. Compiled once for all Views.
///
/// # Safety
/// The block at `first` has `bytes` bytes and is not in use.
unsafe fn clear(space: &dyn HostThreads, first: *mut u8, bytes: usize, untouched: bool) {
    if bytes < SHARED {
        // SAFETY: the block has `bytes` bytes and is not in use, by this function's contract.
        unsafe { first.write_bytes(0, bytes) };
        return;
    }
    let block = Block(first);
    let len = bytes.div_ceil(space.threads() * PARTS_PER_THREAD).next_multiple_of(PAGE);
    space.run_units(bytes.div_ceil(len), Schedule::default(), &|number| {
        let (from, to) = (number * len, bytes.min((number + 1) * len));
        if !untouched {
            // SAFETY: the bytes lie in the block, which is not in use, and no other unit writes them.
            unsafe { block.at(from).write_bytes(0, to - from) };
        } else {
            for byte in (from..to).step_by(PAGE) {
                // SAFETY: the byte lies in the block, which is not in use, and no other unit writes it; it was zero before.
                unsafe { block.at(byte).write_volatile(0) };
            }
        }
    });
}

/// The first byte of a block that threads write.
struct Block(*mut u8);

// SAFETY: a shared reference only computes addresses.
unsafe impl Sync for Block {}

impl Block {
    /// The byte at this distance.
    ///
    /// # Safety
    /// It lies in the block.
    unsafe fn at(&self, distance: usize) -> *mut u8 {
        // SAFETY: the contract is the same.
        unsafe { self.0.add(distance) }
    }
}

/// A View with every element written by the threads of `space`.
pub(super) fn fill<T: Element, const R: usize, L: Layout>(
    space: &impl HostThreads,
    label: String,
    extents: [usize; R],
    f: impl Fn([usize; R]) -> T + Sync,
) -> Result<View<T, R, HostSpace, L>> {
    if const { R == 0 } {
        return View::from_fn_in(L::default(), label, extents, f);
    }
    environment::check()?;
    for_kernels_alone!(f(left_out()));
    // SAFETY: the loop below writes every element before the View is returned; where `f` panics, dropping the View frees the memory
    // unread.
    let mut view = unsafe { View::<T, R, HostSpace, L>::uninit(label, extents)? };
    let _fill = filling(&view.view(), true);
    let raw = view.raw_mut();
    // `move`, as a reference to `raw` would be followed again after each store.
    for_each_index(space, &Names::new(view.label(), &()), extents, raw.len(), &move |index| {
        // SAFETY: the index is in bounds, no other iteration has it, and nothing reads the View meanwhile.
        unsafe { raw.at(index).write(f(index)) }
    });
    Ok(view)
}
