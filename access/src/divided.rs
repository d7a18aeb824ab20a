//! The arguments of a launch over many ranks that are divided among these.

use core::any::Any;

/// A View that is divided among ranks, as an argument of a launch over all of them: the View, and the kernel's access to it. The crate
/// that made them knows their types.
///
/// # Examples
/// ```
/// use spelt_access::KernelArgs;
/// KernelArgs::divided(&mut (2.5, [7, 8]), &mut |_| panic!("numbers are the same on all ranks"));
/// ```
#[allow(missing_debug_implementations, reason = "it is opaque")]
pub enum Divided<'a> {
    /// The kernel reads the elements of its own rank.
    Shared(&'a dyn Any, &'a dyn Any),
    /// The kernel writes them, or also reads those of other ranks, which the launch must fetch first.
    Exclusive(&'a mut dyn Any, &'a dyn Any),
}
