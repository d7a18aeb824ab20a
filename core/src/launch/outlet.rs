//! The destination of the result of a reduction or scan: the caller, or a View.

use core::marker::PhantomData;

#[cfg(feature = "cuda")]
use spelt_access::{Description, KernelArg};
use spelt_access::{Element, Layout, RawView};
use spelt_reducers::Reducer;

use crate::Result;
#[cfg(feature = "cuda")]
use crate::arguments::describe;
use crate::described::Described;
use crate::view::MemorySpace;
use crate::view::View;

/// The destination of a launch's result, as tools see it.
pub trait Destination {
    /// The View that gets the result, if one does.
    ///
    /// # Safety
    /// It is not visited while a method of [`Outlet`] runs.
    unsafe fn written<'a>(&self) -> Option<Described<'a>>
    where
        Self: 'a;
}

/// The destination of a launch's result.
pub trait Outlet<R: Reducer>: Destination {
    /// The value that the launch returns to its caller.
    type Returned;

    /// Takes a result that is on the host.
    ///
    /// # Safety
    /// If a View receives the result, the host reaches its memory.
    unsafe fn take(self, output: R::Output) -> Self::Returned;

    /// Takes a result that is on the host, for memory of any kind.
    ///
    /// # Errors
    /// Those of the copy to a device.
    fn put(self, output: R::Output) -> Result<Self::Returned>;

    /// Runs a reduction on a device as this outlet requires.
    #[cfg(feature = "cuda")]
    fn on_device(self, reduction: impl Reduction<R>) -> Result<Self::Returned>;
}

/// A reduction that a device can run.
#[cfg(feature = "cuda")]
pub trait Reduction<R: Reducer> {
    /// Waits for the result.
    fn fetch(self) -> Result<R::Output>;

    /// Makes the device write the result to `place`, the element of the rank-0 View that `result` describes; does not wait.
    fn store(self, place: *mut R::Output, result: Description<'_>) -> Result<()>
    where
        R::Output: Element;
}

/// The caller gets the result.
#[derive(Debug)]
pub(crate) struct Returning;

impl Destination for Returning {
    #[inline(always)]
    unsafe fn written<'a>(&self) -> Option<Described<'a>>
    where
        Self: 'a,
    {
        None
    }
}

impl<R: Reducer> Outlet<R> for Returning {
    type Returned = R::Output;
    #[inline(always)]
    unsafe fn take(self, output: R::Output) -> R::Output {
        output
    }
    fn put(self, output: R::Output) -> Result<R::Output> {
        Ok(output)
    }
    #[cfg(feature = "cuda")]
    fn on_device(self, reduction: impl Reduction<R>) -> Result<R::Output> {
        reduction.fetch()
    }
}

/// A View gets the result.
#[derive(Debug)]
pub(crate) struct Storing<'v, T: Element, M: MemorySpace, L: Layout> {
    /// A pointer, since tools describe the View after the result has been taken.
    view: *mut View<T, 0, M, L>,
    borrow: PhantomData<&'v mut View<T, 0, M, L>>,
}

impl<'v, T: Element, M: MemorySpace, L: Layout> Storing<'v, T, M, L> {
    /// The outlet into `view`.
    #[inline(always)]
    pub(crate) fn new(view: &'v mut View<T, 0, M, L>) -> Self {
        Self { view, borrow: PhantomData }
    }

    /// The View.
    #[inline(always)]
    fn into_view(self) -> &'v mut View<T, 0, M, L> {
        // SAFETY: it was made of an exclusive borrow for `'v`, and by the contract of `written` nothing looks at the View meanwhile.
        unsafe { &mut *self.view }
    }
}

impl<T: Element, M: MemorySpace, L: Layout> Destination for Storing<'_, T, M, L> {
    #[inline(always)]
    unsafe fn written<'a>(&self) -> Option<Described<'a>>
    where
        Self: 'a,
    {
        // SAFETY: the View is borrowed exclusively for longer than `'a`, and by the contract used by nothing else when it is visited.
        Some(unsafe { Described::written(self.view) })
    }
}

impl<T, R, M, L> Outlet<R> for Storing<'_, T, M, L>
where
    T: Element,
    R: Reducer<Output = T>,
    M: MemorySpace,
    L: Layout,
{
    type Returned = ();
    #[inline(always)]
    unsafe fn take(self, output: T) {
        let raw: RawView<T, 0, L> = self.into_view().raw_mut();
        // SAFETY: a rank-0 View has one element, the borrow is exclusive, and by the contract the host reaches it.
        unsafe { raw.pointer().write(output) }
    }
    fn put(self, output: T) -> Result<()> {
        M::fill_elements(self.into_view().view_mut(), output, None)
    }
    #[cfg(feature = "cuda")]
    fn on_device(self, reduction: impl Reduction<R>) -> Result<()> {
        let mut argument = self.into_view();
        // SAFETY: the View is only described until the reduction is launched, and freed after the reduction.
        let (raw, ()) = unsafe { KernelArg::lower_on_device(&mut argument) };
        reduction.store(raw.pointer(), Description { writes: true, ..describe(argument.view()) })
    }
}
