//! The arguments of a launch as messages and tools see them: an address and a function.

use core::fmt;
use core::marker::PhantomData;

use spelt_access::{Description, Element, KernelArgs, Layout};
use spelt_order::if_vector_loops;

use crate::arguments::describe;
use crate::tools::{Arguments, Bytes};
use crate::view::{MemorySpace, View};

/// Who looks at the allocations that arguments point into: at their descriptions, or only at their sizes, for which no description is made.
enum Visitor<'v> {
    Descriptions(&'v mut dyn FnMut(Description<'_>)),
    Sizes(&'v mut Bytes),
}

/// Shows a visitor each allocation that the arguments at an address point into.
type Visit = unsafe fn(*const (), Visitor<'_>);

/// The arguments of a launch, without their type: each launch has one of its own, and code that describes arguments is compiled once.
#[derive(Clone, Copy)]
pub struct Described<'a> {
    args: *const (),
    visit: Visit,
    borrow: PhantomData<&'a ()>,
}

/// Visits the descriptions of the arguments: one function for each type of arguments, so that all others are not generic.
///
/// # Safety
/// `args` points to a live `A`.
unsafe fn visit_in<A: KernelArgs>(args: *const (), mut visitor: Visitor<'_>) {
    // SAFETY: `args` points to a live `A`, as this function asks, and is only read.
    let args = unsafe { &*args.cast::<A>() };
    // Where nothing is optimised, a second copy of the descriptions would save no instruction.
    if_vector_loops! {{
        if let Visitor::Sizes(bytes) = visitor {
            A::describe(args, &mut |argument| add(bytes, &argument));
            return;
        }
    }}
    A::describe(args, &mut |argument| visitor.take(argument));
}

impl Visitor<'_> {
    #[inline(always)]
    fn take(&mut self, argument: Description<'_>) {
        match self {
            Self::Descriptions(visit) => visit(argument),
            Self::Sizes(bytes) => add(bytes, &argument),
        }
    }
}

#[inline(always)]
fn add(bytes: &mut Bytes, argument: &Description<'_>) {
    bytes.add(argument.address, argument.size_bytes(), argument.writes);
}

/// Visits the description of a View that a launch writes.
///
/// # Safety
/// `view` points to a live View that nothing borrows exclusively meanwhile.
unsafe fn visit_written<T: Element, M: MemorySpace, L: Layout>(view: *const (), mut visitor: Visitor<'_>) {
    // SAFETY: it points to such a View, as this function asks.
    let view = unsafe { &*view.cast::<View<T, 0, M, L>>() };
    visitor.take(Description { writes: true, ..describe(view.view()) });
}

// SAFETY: `args` is only read, through `visit`, to format labels and extents, which are `Sync` data.
unsafe impl Sync for Described<'_> {}

// SAFETY: the descriptions are those of arguments that are borrowed for `'a`, or of a View that the launch has alone for `'a`.
unsafe impl Arguments for Described<'_> {
    fn visit(&self, visit: &mut dyn FnMut(Description<'_>)) {
        Described::visit(self, visit);
    }
}

impl fmt::Debug for Described<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Described").finish_non_exhaustive()
    }
}

impl<'a> Described<'a> {
    /// These arguments.
    #[inline(always)]
    pub(crate) fn new<A: KernelArgs>(args: &'a A) -> Self {
        Self { args: core::ptr::from_ref(args).cast(), visit: visit_in::<A>, borrow: PhantomData }
    }

    /// The View that a launch writes its result to.
    ///
    /// # Safety
    /// The View lives for `'a`. When it is [visited](Self::visit), nothing else uses it.
    #[inline(always)]
    pub(crate) unsafe fn written<T: Element, M: MemorySpace, L: Layout>(
        view: *const View<T, 0, M, L>,
    ) -> Self {
        Self { args: view.cast(), visit: visit_written::<T, M, L>, borrow: PhantomData }
    }

    /// Calls `visit` with the description of each allocation that an argument points into.
    pub(crate) fn visit(&self, visit: &mut dyn FnMut(Description<'_>)) {
        // SAFETY: `args` and `visit` were made together, for one type. Arguments are borrowed; a View that is written is used by nothing
        // else now, by the contract of `written`.
        unsafe { (self.visit)(self.args, Visitor::Descriptions(visit)) }
    }

    /// The description of each allocation that an argument points into.
    #[cfg(feature = "cuda")]
    pub(crate) fn descriptions(&self) -> Vec<Description<'a>> {
        let mut all = Vec::new();
        self.visit(&mut |argument| {
            // SAFETY: it is the description of an argument that is borrowed for `'a`, or of a View that lives as long, by the contract of
            // `written`.
            all.push(unsafe { core::mem::transmute::<Description<'_>, Description<'a>>(argument) });
        });
        all
    }

    /// Adds the size of each allocation that an argument points into.
    pub(crate) fn add_to(&self, bytes: &mut Bytes) {
        // SAFETY: `args` and `visit` were made together, for one type. Arguments are borrowed; a View that is written is used by nothing
        // else now, by the contract of `written`.
        unsafe { (self.visit)(self.args, Visitor::Sizes(bytes)) }
    }
}
