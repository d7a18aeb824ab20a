//! The names of a running launch, for messages: its label and its arguments.

use core::fmt;
use std::sync::Once;

use spelt_access::{Description, KernelArgs, failure};

use crate::covered::{Bounds, uncovered};
use crate::described::Described;
use crate::launch_state::LaunchState;
use crate::threads::kernel_scope::RUNNING;
use crate::tools::{Arguments, Bytes};

/// A launch's description of itself: made once per launch, on the caller's stack.
pub(crate) struct Names<'a> {
    label: &'a str,
    args: Described<'a>,
}

/// Done when accesses that fail are described by [`describe_current`].
static DESCRIBER: Once = Once::new();

/// Not generic, as `call_once` is compiled for each closure.
#[cold]
#[inline(never)]
pub(crate) fn set_describer() {
    DESCRIBER.call_once(|| failure::set_describer(describe_current));
    LaunchState::add(LaunchState::DESCRIBED);
}

impl<'a> Names<'a> {
    /// The names of the launch `label` of `args`.
    #[inline(always)]
    pub(crate) fn new<A: KernelArgs>(label: &'a str, args: &'a A) -> Self {
        if !LaunchState::now().has(LaunchState::DESCRIBED) {
            set_describer();
        }
        Self::of_launch(label, args)
    }

    /// [`new`](Self::new) where failing accesses are described already, or those that fail are in another launch.
    #[inline(always)]
    pub(crate) fn of_launch<A: KernelArgs>(label: &'a str, args: &'a A) -> Self {
        Self { label, args: Described::new(args) }
    }

    /// The kernel's label.
    pub(crate) fn label(&self) -> &str {
        self.label
    }

    /// The message that names the argument that does not cover the box.
    pub(crate) fn uncovered(&self, lower: &[usize], upper: &[usize]) -> String {
        uncovered(self.args, lower, upper)
    }

    /// Calls `visit` with the description of each allocation that an argument points into.
    pub(crate) fn visit(&self, visit: &mut dyn FnMut(Description<'_>)) {
        self.args.visit(visit);
    }

    /// Adds the size of each allocation that an argument points into.
    pub(crate) fn add_to(&self, bytes: &mut Bytes) {
        self.args.add_to(bytes);
    }

    /// Makes it this thread's running launch, until the guard is dropped.
    #[inline(always)]
    pub(crate) fn enter(&self) -> Running {
        Running { outer: RUNNING.replace(core::ptr::from_ref(self).cast()) }
    }
}

// SAFETY: the descriptions are those of the launch's arguments, which it owns: see `visit`.
unsafe impl Arguments for Names<'_> {
    fn visit(&self, visit: &mut dyn FnMut(Description<'_>)) {
        Names::visit(self, visit);
    }
}

/// This thread runs a launch; dropping it returns to the one around it. A launch nested in this one runs on its caller, on any space.
pub(crate) struct Running {
    /// Also what makes it stay on its thread.
    outer: *const (),
}

impl Drop for Running {
    #[inline(always)]
    fn drop(&mut self) {
        // Not `LocalKey::set`: it makes a function that LLVM inlines only into programs with few launches.
        RUNNING.with(|running| running.set(self.outer));
    }
}

/// Names the View whose first element is at `address`, with its extents and the running kernel.
fn describe_current(address: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let current = RUNNING.get().cast::<Names<'static>>();
    if current.is_null() {
        return f.write_str("a View");
    }
    // SAFETY: `enter` set it to a launch that lives until its guard is dropped, on this thread, and the guard restores
    // the outer one.
    let names = unsafe { &*current };
    let mut found = None;
    names.visit(&mut |argument| {
        if argument.address == address && argument.rank > 0 && found.is_none() {
            let Description { label, adapter, part, .. } = argument;
            found = Some(write!(f, "{part}view `{label}`{adapter} with {}", Bounds::of(&argument)));
        }
    });
    found.unwrap_or_else(|| f.write_str("a View"))?;
    write!(f, " in kernel `{}`", names.label)
}
