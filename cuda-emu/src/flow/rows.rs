//! Registers that are never live at the same time share rows.

use super::is_end;
use crate::ir::operands::{predicates, rows};
use crate::ir::{CallSite, Ins, NOPRED, NOREG, Op, R};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Lets registers that are never live at the same time share rows, so that the frame stays small. Returns the number of rows.
pub(crate) fn compact_rows(ins: &mut [Ins], sites: &mut [CallSite], is_reg: &[bool]) -> u32 {
    let blocks = Blocks::of(ins);
    let spans = Spans::of(ins, sites, is_reg, &blocks);
    let (map, rows) = spans.share_rows(is_reg);
    rename(ins, sites, &map);
    rows
}

/// Basic blocks in their final order.
struct Blocks {
    /// Where each begins, and the end of the code.
    start: Vec<usize>,
    successors: Vec<Vec<usize>>,
}

impl Blocks {
    fn of(ins: &[Ins]) -> Blocks {
        let n = ins.len();
        let mut lead = vec![false; n + 1];
        lead[0] = true;
        for (i, x) in ins.iter().enumerate() {
            match &x.op {
                Op::Bra { target } => {
                    lead[*target as usize] = true;
                    lead[i + 1] = true;
                }
                Op::Brx { targets, .. } => {
                    targets.iter().for_each(|t| lead[*t as usize] = true);
                    lead[i + 1] = true;
                }
                Op::Ret | Op::Exit | Op::Trap => lead[i + 1] = true,
                _ => {}
            }
        }
        let mut start: Vec<usize> = (0..n).filter(|i| lead[*i]).collect();
        let count = start.len();
        start.push(n);
        let mut of = vec![count; n + 1];
        for b in 0..count {
            of[start[b]..start[b + 1]].fill(b);
        }
        let successors = (0..count)
            .map(|b| {
                let last = &ins[start[b + 1] - 1];
                let mut s: Vec<usize> = match &last.op {
                    Op::Bra { target } => vec![of[*target as usize]],
                    Op::Brx { targets, .. } => targets.iter().map(|t| of[*t as usize]).collect(),
                    _ => vec![],
                };
                if (!is_end(&last.op) || last.guard != NOPRED) && b + 1 < count {
                    s.push(b + 1);
                }
                s
            })
            .collect();
        Blocks { start, successors }
    }

    fn count(&self) -> usize {
        self.successors.len()
    }
}

/// Whether an operand is a register that may share its row.
fn may_share(r: R, is_reg: &[bool]) -> bool {
    r >= 0 && r != NOREG && is_reg[r as usize]
}

/// For each register, the first and the last instruction at which it is live; none where the first is `u32::MAX`.
struct Spans {
    first: Vec<u32>,
    last: Vec<u32>,
}

impl Spans {
    fn of(ins: &mut [Ins], sites: &mut [CallSite], is_reg: &[bool], blocks: &Blocks) -> Spans {
        let mut spans = Spans { first: vec![u32::MAX; is_reg.len()], last: vec![0; is_reg.len()] };
        let (live_in, live_out) = liveness(ins, sites, is_reg, blocks);
        let words = is_reg.len().div_ceil(64);
        for b in 0..blocks.count() {
            let (start, end) = (blocks.start[b], blocks.start[b + 1]);
            for w in 0..words {
                for (set, p) in [(live_in[b * words + w], start), (live_out[b * words + w], end - 1)] {
                    let mut m = set;
                    while m != 0 {
                        spans.touch(w * 64 + m.trailing_zeros() as usize, p);
                        m &= m - 1;
                    }
                }
            }
            for (p, i) in ins.iter_mut().enumerate().take(end).skip(start) {
                rows(&mut i.op, sites, &mut |r, _| {
                    if may_share(*r, is_reg) {
                        spans.touch(*r as usize, p);
                    }
                });
            }
        }
        spans
    }

    fn touch(&mut self, r: usize, p: usize) {
        self.first[r] = self.first[r].min(p as u32);
        self.last[r] = self.last[r].max(p as u32);
    }

    /// The row of each register, and the number of rows: fixed ones first, in their order, then the registers by where
    /// they begin to be live.
    fn share_rows(&self, is_reg: &[bool]) -> (Vec<R>, u32) {
        let mut map = vec![-1; is_reg.len()];
        let mut next: R = 0;
        for (r, row) in map.iter_mut().enumerate() {
            if !is_reg[r] {
                *row = next;
                next += 1;
            }
        }
        let mut by: Vec<usize> =
            (0..is_reg.len()).filter(|r| is_reg[*r] && self.first[*r] != u32::MAX).collect();
        by.sort_by_key(|r| (self.first[*r], *r));
        let mut active: BinaryHeap<Reverse<(u32, R)>> = BinaryHeap::new();
        let mut free: Vec<R> = Vec::new();
        for r in by {
            while let Some(Reverse((last, row))) = active.peek().copied() {
                if last >= self.first[r] {
                    break;
                }
                active.pop();
                free.push(row);
            }
            let row = free.pop().unwrap_or_else(|| {
                next += 1;
                next - 1
            });
            map[r] = row;
            active.push(Reverse((self.last[r], row)));
        }
        (map, next as u32)
    }
}

/// The registers that are live where each block begins and where it ends, as sets of bits, one after the other.
fn liveness(
    ins: &mut [Ins],
    sites: &mut [CallSite],
    is_reg: &[bool],
    blocks: &Blocks,
) -> (Vec<u64>, Vec<u64>) {
    let words = is_reg.len().div_ceil(64);
    let mut read_first = vec![0u64; blocks.count() * words];
    let mut written = vec![0u64; blocks.count() * words];
    for b in 0..blocks.count() {
        for x in &mut ins[blocks.start[b]..blocks.start[b + 1]] {
            let guarded = x.guard != NOPRED;
            rows(&mut x.op, sites, &mut |r, def| {
                if !may_share(*r, is_reg) {
                    return;
                }
                let (w, m) = (b * words + *r as usize / 64, 1u64 << (*r as usize % 64));
                if def && !guarded {
                    written[w] |= m;
                } else if written[w] & m == 0 {
                    read_first[w] |= m;
                }
            });
        }
    }
    let mut live_in = read_first.clone();
    let mut live_out = vec![0u64; blocks.count() * words];
    let mut changed = true;
    while changed {
        changed = false;
        for b in (0..blocks.count()).rev() {
            for w in 0..words {
                let k = b * words + w;
                live_out[k] = blocks.successors[b].iter().fold(0, |live, s| live | live_in[s * words + w]);
                let live = read_first[k] | (live_out[k] & !written[k]);
                changed |= live != live_in[k];
                live_in[k] = live;
            }
        }
    }
    (live_in, live_out)
}

/// Gives operands the rows of `map`.
fn rename(ins: &mut [Ins], sites: &mut [CallSite], map: &[R]) {
    let mut done_call = vec![false; sites.len()];
    let mut done_ret = vec![false; sites.len()];
    for x in ins.iter_mut() {
        // The operands of a call are in its site: renamed once.
        match &x.op {
            Op::Call { site } if std::mem::replace(&mut done_call[*site as usize], true) => continue,
            Op::CallRet { site } if std::mem::replace(&mut done_ret[*site as usize], true) => continue,
            _ => {}
        }
        rows(&mut x.op, sites, &mut |r, _| {
            if *r >= 0 && *r != NOREG {
                *r = map[*r as usize];
            }
        });
        if let Op::FnParamAddr { row, .. } = &mut x.op {
            *row = map[*row as usize];
        }
    }
}

/// Moves predicate operands behind the rows of the frame.
pub(crate) fn shift_preds(ins: &mut [Ins], by: u32) {
    for x in ins {
        predicates(x, &mut |p, _| {
            if *p != NOPRED {
                *p += by;
            }
        });
    }
}
