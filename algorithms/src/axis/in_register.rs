//! A running value that takes several contributions outside memory.

use core::mem::needs_drop;

/// The largest value that is kept in registers while rows are added to it. Unit: bytes. Source: more do not fit into registers.
const IN_REGISTER: usize = 64;

/// Lets `change` work on a copy of a value, and stores it once.
///
/// On the value itself, it would be stored after every row: the compiler does not know that the rows lie elsewhere.
#[inline(always)]
pub(super) fn in_register<V>(value: &mut V, change: impl FnOnce(&mut V)) {
    if const { needs_drop::<V>() || size_of::<V>() > IN_REGISTER } {
        return change(value);
    }
    // SAFETY: a value without drop glue: if `change` panics, the copy is forgotten and the value is as it was; otherwise the copy replaces
    // it, without being used again.
    unsafe {
        let mut copy = core::ptr::read(value);
        change(&mut copy);
        core::ptr::write(value, copy);
    }
}
