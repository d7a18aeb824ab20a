//! Loads that copy: their values only go back to memory.
//!
//! A copy of a structure reads the padding between its fields too, which nothing writes. So the check for reads of unwritten
//! memory must tell a copy, which is harmless, from a computation.

use crate::ir::operands::rows;
use crate::ir::{A, CallSite, Ins, MF_COPIES, NOREG, Op, R};

/// Marks each load whose values are only stored, or packed into wider words that are only stored.
pub(crate) fn mark_copies(ins: &mut [Ins], sites: &mut [CallSite], is_reg: &[bool]) {
    let mut computes: Vec<bool> = is_reg.iter().map(|reg| !reg).collect();
    let mut moves: Vec<(R, R)> = Vec::new();
    for i in ins.iter_mut() {
        match &mut i.op {
            Op::St(m) => {
                mark(&mut computes, m.base);
            }
            Op::Alu { f: A::Mov | A::Pack | A::Or, d, a, b, c, .. } => {
                moves.extend([*a, *b, *c].map(|from| (from, *d)));
            }
            Op::Selp { d, a, b, .. } => moves.extend([(*a, *d), (*b, *d)]),
            op => rows(op, sites, &mut |r, result| {
                if !result {
                    mark(&mut computes, *r);
                }
            }),
        }
    }
    let mut changed = true;
    while changed {
        changed = false;
        for (from, to) in &moves {
            if is_row(*to) && computes[*to as usize] {
                changed |= mark(&mut computes, *from);
            }
        }
    }
    for i in ins {
        if let Op::Ld(m) = &mut i.op
            && m.r[..m.n as usize].iter().all(|r| is_row(*r) && !computes[*r as usize])
        {
            m.flags |= MF_COPIES;
        }
    }
}

/// Whether the operand is a row of the frame.
fn is_row(r: R) -> bool {
    r >= 0 && r != NOREG
}

/// Marks a row, and returns whether it was not marked before.
fn mark(computes: &mut [bool], r: R) -> bool {
    is_row(r) && !std::mem::replace(&mut computes[r as usize], true)
}
