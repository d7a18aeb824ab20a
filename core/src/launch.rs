//! A launch: the checks before the first iteration, and the names for messages while it runs.

use core::cell::Cell;
use core::fmt;
use std::sync::Once;

use spelt_access::{Covers, Description, KernelArgs, Shortage, failure};

use crate::threads::kernel_scope::KernelScope;
use crate::{Error, ErrorKind, Result, isa};

/// Checks that every argument covers the witnesses of the box `lower..upper`, and that the instruction set is known.
#[inline(always)]
pub(crate) fn check_covered<A: KernelArgs>(
    label: &str,
    args: &A,
    lower: &[usize],
    upper: &[usize],
) -> Result<()> {
    isa::check()?;
    let mut covered = true;
    let mut empty = false;
    for dimension in 0..lower.len() {
        empty |= lower[dimension] >= upper[dimension];
    }
    args.describe(&mut |argument| covered &= argument.covers_box(lower, upper));
    if covered || empty { Ok(()) } else { Err(not_covered(label, args, lower, upper)) }
}

#[cold]
#[inline(never)]
fn not_covered<A: KernelArgs>(label: &str, args: &A, lower: &[usize], upper: &[usize]) -> Error {
    Error::new(ErrorKind::Extents, first_uncovered(args, lower, upper)).in_kernel(label)
}

/// Gets the memory that the arguments need.
#[inline(always)]
pub(crate) fn prepare<A: KernelArgs>(label: &str, args: &mut A) -> Result<()> {
    match args.prepare() {
        Ok(()) => Ok(()),
        Err(shortage) => Err(short_of_memory(label, args, shortage)),
    }
}

#[cold]
#[inline(never)]
fn short_of_memory<A: KernelArgs>(label: &str, args: &A, shortage: Shortage) -> Error {
    let mut message = String::new();
    args.describe(&mut |argument| {
        if message.is_empty() && argument.address == shortage.address && !argument.adapter.is_empty() {
            message = format!(
                "view `{}`{}: no memory for its replicas, which take {} bytes: ask for fewer blocks, or for `.atomic()`",
                argument.label, argument.adapter, shortage.bytes
            );
        }
    });
    Error::new(ErrorKind::OutOfMemory, message).in_kernel(label)
}

/// What is wrong with the first argument that does not cover the box.
fn first_uncovered<A: KernelArgs>(args: &A, lower: &[usize], upper: &[usize]) -> String {
    let mut message = String::new();
    args.describe(&mut |argument| {
        if message.is_empty() && !argument.covers_box(lower, upper) {
            message = uncovered_message(&argument, lower, upper);
        }
    });
    message
}

/// # Safety
/// `args` points to a live `A`.
unsafe fn uncovered_in<A: KernelArgs>(args: *const (), lower: &[usize], upper: &[usize]) -> String {
    // SAFETY: the caller's promise.
    first_uncovered(unsafe { &*args.cast::<A>() }, lower, upper)
}

/// Says that `argument` does not cover the box, and what to do.
fn uncovered_message(argument: &Description<'_>, lower: &[usize], upper: &[usize]) -> String {
    let ranges: Vec<_> = lower.iter().zip(upper).map(|(lower, upper)| *lower..*upper).collect();
    let extents = &argument.extents[..argument.rank];
    let (label, adapter) = (argument.label, argument.adapter);
    match argument.covers {
        Covers::Along(dimension) => format!(
            "view `{label}`{adapter} with extents {extents:?} does not cover dimension {dimension} of the indices \
             {ranges:?}: enlarge the View or shrink the range"
        ),
        _ if adapter.is_empty() => format!(
            "view `{label}` with extents {extents:?} does not cover the indices {ranges:?}: enlarge the View, shrink \
             the range, or pass it with `.partial()` or `.lookup()`"
        ),
        _ => format!(
            "view `{label}`{adapter} with extents {extents:?} does not cover the indices {ranges:?}: it covers from \
             {:?} to {:?}",
            &argument.lower[..lower.len()],
            &argument.upper[..lower.len()]
        ),
    }
}

/// What a running launch can say about itself: made once per launch, on the caller's stack.
pub(crate) struct Names<'a> {
    label: &'a str,
    args: *const (),
    describe: unsafe fn(*const (), usize, &mut fmt::Formatter<'_>) -> fmt::Result,
    uncovered: unsafe fn(*const (), &[usize], &[usize]) -> String,
}

// SAFETY: `args` is only read, through `describe`, to format labels and extents, which are `Sync` data; the launch
// outlives every thread that runs it.
unsafe impl Sync for Names<'_> {}

thread_local! {
    /// The innermost launch that this thread runs, or null.
    static CURRENT: Cell<*const Names<'static>> = const { Cell::new(core::ptr::null()) };
}

impl<'a> Names<'a> {
    /// The names of the launch `label` of `args`.
    #[inline(always)]
    pub(crate) fn new<A: KernelArgs>(label: &'a str, args: &A) -> Self {
        static DESCRIBER: Once = Once::new();
        if !DESCRIBER.is_completed() {
            DESCRIBER.call_once(|| failure::set_describer(describe_current));
        }
        Self {
            label,
            args: core::ptr::from_ref(args).cast(),
            describe: describe_in::<A>,
            uncovered: uncovered_in::<A>,
        }
    }

    /// The kernel's label.
    pub(crate) fn label(&self) -> &str {
        self.label
    }

    /// Says which argument does not cover the box.
    pub(crate) fn uncovered(&self, lower: &[usize], upper: &[usize]) -> String {
        // SAFETY: `args` and `uncovered` were made together, for one type.
        unsafe { (self.uncovered)(self.args, lower, upper) }
    }

    /// Makes it this thread's running launch, until the guard goes.
    #[inline(always)]
    pub(crate) fn enter(&self) -> Running {
        let outer = CURRENT.replace(core::ptr::from_ref(self).cast());
        Running { outer, _scope: KernelScope::enter() }
    }
}

/// This thread runs a launch; dropping it returns to the one around it.
pub(crate) struct Running {
    outer: *const Names<'static>,
    /// A launch in this one runs on its caller, whatever its space.
    _scope: KernelScope,
}

impl Drop for Running {
    #[inline(always)]
    fn drop(&mut self) {
        CURRENT.set(self.outer);
    }
}

/// Names the View whose first element is at `address`, with its extents and the running kernel.
fn describe_current(address: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let current = CURRENT.get();
    if current.is_null() {
        return f.write_str("a View");
    }
    // SAFETY: `enter` set it to a launch that lives until its guard goes, on this thread, and the guard restores
    // the outer one.
    let names = unsafe { &*current };
    // SAFETY: `args` and `describe` were made together, for one type.
    unsafe { (names.describe)(names.args, address, f)? };
    write!(f, " in kernel `{}`", names.label)
}

/// # Safety
/// `args` points to a live `A`.
unsafe fn describe_in<A: KernelArgs>(
    args: *const (),
    address: usize,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    // SAFETY: the caller's promise.
    let args = unsafe { &*args.cast::<A>() };
    let mut found = None;
    args.describe(&mut |argument| {
        if argument.address == address && argument.rank > 0 && found.is_none() {
            found = Some(argument);
        }
    });
    match found {
        Some(argument) => {
            let (label, adapter) = (argument.label, argument.adapter);
            write!(f, "view `{label}`{adapter} with extents {:?}", &argument.extents[..argument.rank])
        }
        None => f.write_str("a View"),
    }
}
