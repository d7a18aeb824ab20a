//! The order of basic blocks.
//!
//! Lanes of a warp that took different paths are run from the lowest position
//! up, so that they meet again as soon as they can. That needs an order in which
//! a block comes after all blocks that lead to it, but for the back edges of
//! loops, and in which a loop is in one piece.

use super::is_end;
use crate::ir::{Ins, NOPRED, Op};
use std::collections::HashMap;

/// Reorders the instructions and resolves labels to positions.
pub(crate) fn arrange(ins: Vec<Ins>, labels: &[u32]) -> Vec<Ins> {
    let n = ins.len();
    let mut lead = vec![false; n + 1];
    lead[0] = true;
    for l in labels {
        if (*l as usize) < n {
            lead[*l as usize] = true;
        }
    }
    for (i, x) in ins.iter().enumerate() {
        if is_end(&x.op) {
            lead[i + 1] = true;
        }
    }
    let mut start: Vec<usize> = (0..n).filter(|i| lead[*i]).collect();
    let nb = start.len();
    start.push(n);
    let mut of = vec![0usize; n + 1];
    for b in 0..nb {
        of[start[b]..start[b + 1]].fill(b);
    }
    let target = |l: u32| of[(labels[l as usize] as usize).min(n - 1)];
    let mut succ: Vec<Vec<usize>> = Vec::with_capacity(nb);
    for b in 0..nb {
        let last = &ins[start[b + 1] - 1];
        let mut s = Vec::new();
        let fall = match &last.op {
            Op::Bra { target: t } => {
                s.push(target(*t));
                last.guard != NOPRED
            }
            Op::Brx { targets, .. } => {
                s.extend(targets.iter().map(|t| target(*t)));
                last.guard != NOPRED
            }
            Op::Ret | Op::Exit | Op::Trap => last.guard != NOPRED,
            _ => true,
        };
        if fall && b + 1 < nb {
            s.insert(0, b + 1);
        }
        succ.push(s);
    }
    let mut order = Vec::with_capacity(nb);
    let mut set = vec![0u32; nb];
    let mut ids = 0;
    visit(0, &succ, &mut set, 0, None, &mut ids, &mut order);
    let mut pos = vec![u32::MAX; nb];
    let mut out: Vec<Ins> = Vec::with_capacity(n + nb / 4);
    let mut src: Vec<Option<Ins>> = ins.into_iter().map(Some).collect();
    for (k, b) in order.iter().enumerate() {
        pos[*b] = out.len() as u32;
        let next = order.get(k + 1).copied();
        for x in &mut src[start[*b]..start[*b + 1]] {
            let Some(mut x) = x.take() else { continue };
            match &mut x.op {
                Op::Bra { target: t } => *t = target(*t) as u32,
                Op::Brx { targets, .. } => targets.iter_mut().for_each(|t| *t = target(*t) as u32),
                _ => {}
            }
            // An unconditional jump to the next instruction is not needed.
            if let Op::Bra { target: t } = x.op
                && x.guard == NOPRED
                && Some(t as usize) == next
            {
                continue;
            }
            out.push(x);
        }
        let fall = b + 1 < nb && succ[*b].first() == Some(&(b + 1)) && {
            match out.last() {
                Some(l) if (out.len() as u32) > pos[*b] => !is_end(&l.op) || l.guard != NOPRED,
                _ => true,
            }
        };
        if fall && next != Some(b + 1) {
            let line = out.last().map_or(0, |l| l.line);
            out.push(Ins { op: Op::Bra { target: (b + 1) as u32 }, guard: NOPRED, line });
        }
    }
    for x in &mut out {
        match &mut x.op {
            Op::Bra { target: t } => *t = pos[*t as usize],
            Op::Brx { targets, .. } => targets.iter_mut().for_each(|t| *t = pos[*t as usize]),
            _ => {}
        }
    }
    out
}

/// Puts the blocks with mark `id` that are reached from `entry` in order. Edges
/// to `head` (the head of the loop being ordered) do not count.
fn visit(
    entry: usize,
    succ: &[Vec<usize>],
    set: &mut [u32],
    id: u32,
    head: Option<usize>,
    ids: &mut u32,
    out: &mut Vec<usize>,
) {
    // Strongly connected components (Tarjan), without recursion.
    let mut index: HashMap<usize, (u32, u32, bool)> = HashMap::new(); // index, low, on stack
    let mut stack = Vec::new();
    let mut work: Vec<(usize, usize)> = vec![(entry, 0)];
    let mut comps: Vec<Vec<usize>> = Vec::new();
    let mut count = 0;
    index.insert(entry, (count, count, true));
    stack.push(entry);
    while let Some((v, i)) = work.pop() {
        if i < succ[v].len() {
            work.push((v, i + 1));
            let w = succ[v][i];
            if set[w] != id || Some(w) == head {
                continue;
            }
            match index.get(&w) {
                None => {
                    count += 1;
                    index.insert(w, (count, count, true));
                    stack.push(w);
                    work.push((w, 0));
                }
                Some((wi, _, true)) => {
                    let wi = *wi;
                    let e = index.get_mut(&v).unwrap();
                    e.1 = e.1.min(wi);
                }
                _ => {}
            }
        } else {
            let (vi, vl, _) = index[&v];
            if vi == vl {
                let mut c = Vec::new();
                loop {
                    let w = stack.pop().unwrap();
                    index.get_mut(&w).unwrap().2 = false;
                    c.push(w);
                    if w == v {
                        break;
                    }
                }
                c.reverse(); // the head is first
                comps.push(c);
            }
            if let Some((p, _)) = work.last() {
                let e = index.get_mut(p).unwrap();
                e.1 = e.1.min(vl);
            }
        }
    }
    for c in comps.into_iter().rev() {
        if c.len() == 1 {
            out.push(c[0]);
        } else {
            *ids += 1;
            let sub = *ids;
            for b in &c {
                set[*b] = sub;
            }
            visit(c[0], succ, set, sub, Some(c[0]), ids, out);
        }
    }
}
