//! Where lanes that part meet again in lock-step: at the immediate post-dominator of their branch.

use crate::dominators::post_dominators;
use crate::ir::{Builtin, Code, Ins, NOPRED, Op};

/// No position of the function: lanes meet when they have left it.
pub(crate) const END: u32 = u32::MAX;

/// Whether an instruction may leave lanes at different positions, or makes them wait.
fn parts(op: &Op) -> bool {
    matches!(
        op,
        Op::Bra { .. }
            | Op::Brx { .. }
            | Op::Call { .. }
            | Op::Ret
            | Op::Exit
            | Op::Trap
            | Op::Bar { .. }
            | Op::Yield
    )
}

/// For each position, the number of instructions from there on up to the first one at which lanes may part.
pub(crate) fn stretches(ins: &[Ins]) -> Vec<u32> {
    let mut v = vec![1; ins.len()];
    for at in (0..ins.len().saturating_sub(1)).rev() {
        if !parts(&ins[at].op) {
            v[at] = v[at + 1] + 1;
        }
    }
    v
}

/// Whether a function never returns to its caller: it ends in a trap, or in the code that compilers put in unreachable places.
pub(crate) fn never_returns(f: &Code) -> bool {
    !f.entry && !f.ins.is_empty() && !f.ins.iter().any(|x| matches!(x.op, Op::Ret))
}

/// For each position, where lanes that part there meet again.
///
/// Paths that end in a trap lead nowhere, and so do all ends of a kernel except the last: lanes that take them are gone, and
/// the others do not wait. On such a path itself, lanes meet on the way to its end.
pub(crate) fn joins(f: &Code, lost: &dyn Fn(u32) -> bool) -> Vec<u32> {
    let ins = &f.ins;
    let n = ins.len();
    if n == 0 {
        return vec![];
    }
    // A call that does not return.
    let dead = |x: &Ins| match &x.op {
        Op::Trap => true,
        Op::Call { site } => {
            let site = &f.sites[*site as usize];
            match (site.builtin, site.callee) {
                (Some(builtin), _) => matches!(builtin, Builtin::AssertFail),
                (_, callee) => callee.is_some_and(lost),
            }
        }
        Op::Exit => !f.entry,
        _ => false,
    };
    let ends = |x: &Ins| dead(x) || matches!(x.op, Op::Bra { .. } | Op::Brx { .. } | Op::Ret | Op::Exit);
    let mut lead = vec![false; n + 1];
    lead[0] = true;
    for (at, x) in ins.iter().enumerate() {
        match &x.op {
            Op::Bra { target } => lead[*target as usize] = true,
            Op::Brx { targets, .. } => targets.iter().for_each(|t| lead[*t as usize] = true),
            _ => {}
        }
        lead[at + 1] |= ends(x);
    }
    let start: Vec<usize> = (0..n).filter(|at| lead[*at]).collect();
    let mut of = vec![0; n];
    for (block, first) in start.iter().enumerate() {
        of[*first..].fill(block);
    }
    let exit = start.len();
    let over = |at: usize| matches!(ins[at].op, Op::Exit) && ins[at].guard == NOPRED;
    // The last instruction of a block, and where it leads.
    let last = |block: usize| start.get(block + 1).copied().unwrap_or(n) - 1;
    let succ: Vec<Vec<usize>> = (0..exit)
        .map(|block| {
            let at = last(block);
            let mut to = Vec::new();
            match &ins[at].op {
                Op::Bra { target } => to.push(of[*target as usize]),
                Op::Brx { targets, .. } => to.extend(targets.iter().map(|t| of[*t as usize])),
                Op::Ret => to.push(exit),
                _ => {}
            }
            if (ins[at].guard != NOPRED || !ends(&ins[at])) && block + 1 < exit {
                to.push(block + 1);
            }
            to
        })
        .collect();
    // Code after a call that does not return exists for the assembler only.
    let mut reached = vec![false; exit + 1];
    let mut work = vec![0];
    while let Some(block) = work.pop() {
        if !std::mem::replace(&mut reached[block], true) && block != exit {
            work.extend(&succ[block]);
        }
    }
    let last_end = (0..exit).rev().find(|block| f.entry && reached[*block] && over(last(*block)));
    let graph = |traps: bool| {
        let mut succ = succ.clone();
        for (block, to) in succ.iter_mut().enumerate() {
            if last_end == Some(block) || traps && (dead(&ins[last(block)]) || over(last(block))) {
                to.push(exit);
            }
        }
        succ
    };
    let mut dominator = post_dominators(&graph(false), exit);
    if dominator.contains(&None) {
        let lost = post_dominators(&graph(true), exit);
        dominator.iter_mut().zip(lost).for_each(|(d, lost)| *d = d.or(lost));
    }
    (0..n)
        .map(|at| match &ins[at].op {
            Op::Bra { .. } | Op::Brx { .. } => match dominator[of[at]] {
                // Lanes that only have to end need not join again.
                Some(block) if block != exit && !over(start[block]) => start[block] as u32,
                _ => END,
            },
            Op::Ret | Op::Exit => END,
            _ => at as u32 + 1,
        })
        .collect()
}
