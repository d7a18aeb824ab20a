//! The operands of instructions, and the check that everything they name exists.
//!
//! The interpreter follows operands without a check. Its conditions are checked here, for each function when its module is
//! loaded: rows are inside the frame or among the constants, predicates inside the frame, targets inside the code, which
//! does not run past its end, and calls name functions that take as many rows as they are given.

use super::{BarKind, VoteKind};
use super::{CallSite, Code, Ins, NOPRED, NOREG, Op, P, PNEG, Program, R};
use crate::ptx::{PtxError, Ty, err};

/// Calls `f` with each row operand; the second argument is true for results.
pub(crate) fn rows(op: &mut Op, sites: &mut [CallSite], f: &mut impl FnMut(&mut R, bool)) {
    match op {
        Op::Alu { d, a, b, c, .. } => {
            f(a, false);
            f(b, false);
            f(c, false);
            f(d, true);
        }
        Op::Bfi { d, a, b, c, e, .. } => {
            f(a, false);
            f(b, false);
            f(c, false);
            f(e, false);
            f(d, true);
        }
        Op::Selp { d, a, b, .. } => {
            f(a, false);
            f(b, false);
            f(d, true);
        }
        Op::Setp { a, b, .. } => {
            f(a, false);
            f(b, false);
        }
        Op::Sreg { d, .. } | Op::Activemask { d } | Op::FnParamAddr { d, .. } => f(d, true),
        Op::Ld(m) => {
            f(&mut m.base, false);
            for k in 0..m.n as usize {
                f(&mut m.r[k], true);
            }
        }
        Op::St(m) => {
            f(&mut m.base, false);
            for k in 0..m.n as usize {
                f(&mut m.r[k], false);
            }
        }
        Op::CpAsync { dst, src, srcsize, .. } => {
            f(&mut dst.base, false);
            f(&mut src.base, false);
            f(srcsize, false);
        }
        Op::Atom(m) => {
            f(&mut m.base, false);
            f(&mut m.b, false);
            f(&mut m.c, false);
            f(&mut m.d, true);
        }
        Op::Brx { a, .. } | Op::IsSpace { a, .. } => f(a, false),
        Op::Call { site } => {
            let s = &mut sites[*site as usize];
            f(&mut s.reg, false);
            for a in &mut s.args {
                f(&mut a.0, false);
            }
            if s.builtin.is_some() {
                for r in &mut s.rets {
                    f(&mut r.1, true);
                }
            }
        }
        Op::CallRet { site } => {
            for r in &mut sites[*site as usize].rets {
                f(&mut r.1, true);
            }
        }
        Op::Bar { id, cnt, d, .. } => {
            f(id, false);
            f(cnt, false);
            f(d, true);
        }
        Op::Shfl { d, a, b, c, mask, .. } => {
            f(a, false);
            f(b, false);
            f(c, false);
            f(mask, false);
            f(d, true);
        }
        Op::Vote { d, mask, .. } | Op::Elect { d, mask, .. } => {
            f(mask, false);
            f(d, true);
        }
        Op::Match { d, a, mask, .. } | Op::Redux { d, a, mask, .. } => {
            f(a, false);
            f(mask, false);
            f(d, true);
        }
        Op::BarWarp { mask } => f(mask, false),
        Op::Cvta { d, a, .. } => {
            f(a, false);
            f(d, true);
        }
        Op::Mbar { d, base, a, .. } => {
            f(base, false);
            f(a, false);
            f(d, true);
        }
        Op::Pred { .. }
        | Op::Bra { .. }
        | Op::Ret
        | Op::Exit
        | Op::Trap
        | Op::Brkpt
        | Op::Fence
        | Op::Yield
        | Op::Nop => {}
    }
}

/// How an instruction uses a predicate.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// It reads it.
    Read,
    /// It writes it, or `NOPRED`.
    Write,
    /// The instruction has the operand, and ignores it.
    Ignore,
}

/// Calls `f` with the guard and each predicate operand.
pub(crate) fn predicates(i: &mut Ins, f: &mut impl FnMut(&mut P, Use)) {
    if i.guard != NOPRED {
        f(&mut i.guard, Use::Read);
    }
    match &mut i.op {
        Op::Selp { p, .. } => f(p, Use::Read),
        Op::Shfl { p, .. }
        | Op::Match { p, .. }
        | Op::Elect { p, .. }
        | Op::IsSpace { p, .. }
        | Op::Mbar { p, .. } => f(p, Use::Write),
        Op::Setp { p, q, c, comb, .. } => {
            f(p, Use::Write);
            f(q, Use::Write);
            f(c, if *comb == 0 { Use::Ignore } else { Use::Read });
        }
        Op::Pred { kind, d, a, b } => {
            f(a, Use::Read);
            f(b, if matches!(kind, 1..=3) { Use::Read } else { Use::Ignore });
            f(d, Use::Write);
        }
        Op::Bar { pd, p, .. } | Op::Vote { pd, p, .. } => {
            f(p, Use::Read);
            f(pd, Use::Write);
        }
        _ => {}
    }
}

/// Refuses a function whose instructions name something that its frame, its constants or its code do not have.
pub(crate) fn check(code: &mut Code) -> Result<(), PtxError> {
    let (frame, constants) = (code.rows as i64, code.consts.len() as i64);
    // A row has the words of 64 predicates.
    let words = 64 * code.rows;
    let outside = |line, what: &str| err(line, format!("{what} is not one of the function '{}'", code.name));
    let readable = |r: R| if r >= 0 { i64::from(r) < frame } else { i64::from(!r) < constants };
    let end = code.ins.len();
    if [code.lb_row, code.cc_row].iter().any(|r| *r < 0 || i64::from(*r) >= frame) || code.pred0 >= words {
        return outside(0, "a fixed row");
    }
    if !code.ins.last().is_some_and(|i| i.guard == NOPRED && leaves(&i.op)) {
        return outside(code.ins.last().map_or(0, |i| i.line), "what follows the last instruction");
    }
    for i in &mut code.ins {
        if let Op::Call { site } | Op::CallRet { site } = i.op
            && site as usize >= code.sites.len()
        {
            return outside(i.line, "a call");
        }
        let mut rows_inside = !lacks_a_row(&i.op, &code.sites);
        let may_lack =
            matches!(i.op, Op::CpAsync { .. } | Op::Call { .. } | Op::Vote { .. } | Op::Bar { .. });
        rows(&mut i.op, &mut code.sites, &mut |r, result| {
            rows_inside &= match *r {
                NOREG => may_lack,
                r => readable(r) && (r >= 0 || !result),
            };
        });
        if let Op::Atom(m) = &i.op
            && m.ty == Ty::B128
        {
            rows_inside &= [m.b, m.c, m.d].iter().all(|r| *r >= 0 && i64::from(*r) + 1 < frame);
        }
        if !rows_inside {
            return outside(i.line, "a register");
        }
        let mut predicates_inside = true;
        predicates(i, &mut |p, how| {
            predicates_inside &= match how {
                Use::Read => *p != NOPRED && *p & !PNEG < words,
                Use::Write => *p == NOPRED || *p < words,
                Use::Ignore => true,
            };
        });
        if !predicates_inside {
            return outside(i.line, "a predicate");
        }
        let targets_inside = match &i.op {
            Op::Bra { target } => (*target as usize) < end,
            Op::Brx { targets, .. } => targets.iter().all(|t| (*t as usize) < end),
            _ => true,
        };
        if !targets_inside {
            return outside(i.line, "a target");
        }
    }
    Ok(())
}

/// Refuses calls of anything but a function with a body, and of functions that have fewer rows than the call names.
pub(crate) fn check_calls(program: &Program) -> Result<(), PtxError> {
    for code in &program.funcs {
        for i in &code.ins {
            let Op::Call { site } = i.op else { continue };
            let s = &code.sites[site as usize];
            let Some(callee) = s.callee else { continue };
            let there = program.funcs.get(callee as usize).filter(|f| !f.entry && !f.ins.is_empty());
            if there.is_none_or(|f| s.rows > f.ret_rows + f.param_rows) {
                let name = program.funcs.get(callee as usize).map_or("?", |f| &f.name);
                return err(
                    i.line,
                    format!("'{name}' is called, and is not a function with a body that takes this"),
                );
            }
        }
    }
    Ok(())
}

/// Whether the next instruction is never reached from this one, if this one has no guard.
fn leaves(op: &Op) -> bool {
    matches!(op, Op::Bra { .. } | Op::Brx { .. } | Op::Ret | Op::Exit | Op::Trap)
}

/// Whether an instruction lacks a row that it uses. Some have `NOREG` in place of one that they do not use.
fn lacks_a_row(op: &Op, sites: &[CallSite]) -> bool {
    match op {
        Op::CpAsync { dst, src, .. } => dst.base == NOREG || src.base == NOREG,
        Op::Call { site } => {
            let s = &sites[*site as usize];
            let by_address = s.callee.is_none() && s.builtin.is_none();
            by_address && s.reg == NOREG || s.args.iter().any(|(r, _)| *r == NOREG)
        }
        Op::Vote { kind, d, mask, .. } => *mask == NOREG || *kind == VoteKind::Ballot && *d == NOREG,
        Op::Bar { kind, id, d, .. } => *id == NOREG || *kind == BarKind::Popc && *d == NOREG,
        _ => false,
    }
}
