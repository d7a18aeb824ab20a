//! Variables that outlive a kernel: a device has constants only.
//!
//! Device code has its own object for each static, so a kernel never sees what the host writes there, nor the host
//! what a kernel wrote. Immutable statics are the same everywhere; all others are refused, except for a list of Spelt's own.

use crate::llvm::{Global, Linkage, Module};
use crate::symbol;

/// Statics that may be another object on a device.
const SECOND_OBJECTS: [&str; 4] = [
    // Locks for elements that are changed atomically. Code that changes a View's elements has borrowed the View for a launch, so
    // while a lock is held, all that wait for it are threads of that launch, on one device. Between launches no lock is held.
    "spelt_access::atomic::locks::TABLE",
    // The place of the record of a failure, in intrinsics.ll: written by the host when the module is loaded.
    "spelt_failure",
    // Shared memory, in intrinsics.ll, which the host does not have.
    "spelt_shared",
    "spelt_launch",
];

/// Whether a device may have a separate object in place of `global`.
pub(crate) fn may_be_another(global: Global<'_>) -> bool {
    global.is_constant_memory() || SECOND_OBJECTS.contains(&symbol::path(global.name()).as_str())
}

/// Keeps the optimiser away from mutable statics: it drops a variable that kernels only write, and takes for constant one that
/// they only read, before it could be refused.
pub(crate) fn keep(module: &Module<'_>) {
    set_linkage(module, Linkage::External);
}

/// Undoes [`keep`], when no kernel refers to any of them.
pub(crate) fn release(module: &Module<'_>) {
    set_linkage(module, Linkage::Internal);
}

fn set_linkage(module: &Module<'_>, linkage: Linkage) {
    for global in module.globals() {
        if !global.is_declaration() && !global.is_thread_local() && !may_be_another(global) {
            global.set_linkage(linkage);
        }
    }
}
