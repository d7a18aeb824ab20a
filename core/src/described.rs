//! The arguments of a launch as messages and tools see them: an address and a function.

use core::marker::PhantomData;

use spelt_access::{Description, KernelArgs};

/// Calls a visitor with the description of each allocation that the arguments at an address point into.
type Visit = unsafe fn(*const (), &mut dyn FnMut(Description<'_>));

/// The arguments of a launch, without their type: each launch has one of its own, and code that describes arguments is compiled once.
#[derive(Clone, Copy)]
pub(crate) struct Described<'a> {
    args: *const (),
    visit: Visit,
    borrow: PhantomData<&'a ()>,
}

/// Visits the descriptions of the arguments: one function for each type of arguments, so that all others are not generic.
///
/// # Safety
/// `args` points to a live `A`.
unsafe fn visit_in<A: KernelArgs>(args: *const (), mut visit: &mut dyn FnMut(Description<'_>)) {
    // SAFETY: `args` points to a live `A`, as this function asks, and is only read.
    A::describe(unsafe { &*args.cast::<A>() }, &mut visit);
}

// SAFETY: `args` is only read, through `visit`, to format labels and extents, which are `Sync` data.
unsafe impl Sync for Described<'_> {}

impl<'a> Described<'a> {
    /// These arguments.
    #[inline(always)]
    pub(crate) fn new<A: KernelArgs>(args: &'a A) -> Self {
        Self { args: core::ptr::from_ref(args).cast(), visit: visit_in::<A>, borrow: PhantomData }
    }

    /// Calls `visit` with the description of each allocation that an argument points into.
    pub(crate) fn visit(&self, visit: &mut dyn FnMut(Description<'_>)) {
        // SAFETY: `args` and `visit` were made together, for one type, and the arguments are borrowed.
        unsafe { (self.visit)(self.args, visit) }
    }
}
