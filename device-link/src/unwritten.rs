//! Loads from Views that nothing writes while a kernel runs.
//!
//! An accessor that only reads passes its pointer through `__spelt_unwritten`, which becomes an intrinsic of LLVM that passes look
//! through. When they are done, loads through it are marked, and code generation makes them `ld.global.nc`. These the assembler moves in
//! front of the stores of earlier iterations, of which neither it nor LLVM knows that they go to other Views.

use crate::llvm::{Instruction, Module, Value};

/// The intrinsic in the body of `__spelt_unwritten`. Nothing else makes it: rustc does not.
const MARKER: &str = "llvm.strip.invariant.group.p0";

/// Marks all of these loads, and removes the intrinsic.
pub(crate) fn mark(module: &Module<'_>) {
    let Some(marker) = module.function(MARKER) else { return };
    for call in marker.users().into_iter().filter_map(Value::as_instruction) {
        let Some(pointer) = call.operands().next() else { continue };
        mark_loads(call);
        call.replace_uses(pointer);
        // SAFETY: its uses are replaced, and no other handle of it is left: the list of calls was taken before.
        unsafe { call.erase() };
    }
}

/// Marks the loads through this pointer, as far as it is known to be the only one that they may have.
fn mark_loads(pointer: Instruction<'_>) {
    for user in pointer.users().into_iter().filter_map(Value::as_instruction) {
        if user.is_element() {
            mark_loads(user);
        } else if user.is_plain_load() {
            // SAFETY: `RawView::unwritten`, the only caller of the intrinsic, has it in its contract.
            unsafe { user.make_invariant() };
        }
    }
}
