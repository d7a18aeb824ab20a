//! The flow of control and values: the order of basic blocks, loads that only copy, and the registers that share rows.

mod copies;
mod order;
mod rows;

pub(crate) use copies::mark_copies;
pub(crate) use order::arrange;
pub(crate) use rows::{compact_rows, shift_preds};

use crate::ir::Op;

/// Whether an instruction ends a basic block.
fn is_end(op: &Op) -> bool {
    matches!(op, Op::Bra { .. } | Op::Brx { .. } | Op::Ret | Op::Exit | Op::Trap)
}
