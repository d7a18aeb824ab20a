//! Predicates: the comparisons that make them, their combination, and selection by them.

use super::machine::Machine;
use super::running::Running;
use crate::alu::ZERO_ROW;
use crate::ir::{CT, Op, P, R};

impl Machine<'_> {
    /// `setp`, `testp`: `op` is an `Op::Setp`.
    ///
    /// # Safety
    /// The instruction must be one of the running function, whose registers have not moved.
    #[inline(always)]
    pub(super) unsafe fn compare(&self, at: &mut Running, op: &Op, act: u32) {
        let Op::Setp { ct, cmp, ftz, comb, a, b, p, q, c } = op else { return };
        // SAFETY: the operands belong to the running function, so they are rows and predicates of its frame, or its
        // constants. `alu::select` has checked that this processor has the features of its version of the comparisons.
        unsafe {
            let (a, b) = (&*at.source(*a), &*at.source(*b));
            let v = (self.cmp)(*ct, *cmp, *ftz, a, b);
            if matches!(ct, CT::F16x2 | CT::BF16x2) {
                // one result for each half
                let (mut ah, mut bh) = (ZERO_ROW, ZERO_ROW);
                for l in 0..32 {
                    ah.0[l] = a.0[l] >> 16;
                    bh.0[l] = b.0[l] >> 16;
                }
                let h = (self.cmp)(*ct, *cmp, *ftz, &ah, &bh);
                at.set_predicate(*p, v, act);
                at.set_predicate(*q, h, act);
            } else if *comb == 0 {
                at.set_predicate(*p, v, act);
                at.set_predicate(*q, !v, act);
            } else {
                let c = at.predicate(*c);
                let f = |v: u32| match comb {
                    1 => v & c,
                    2 => v | c,
                    _ => v ^ c,
                };
                at.set_predicate(*p, f(v), act);
                at.set_predicate(*q, f(!v), act);
            }
        }
    }
}

impl Running<'_, '_> {
    /// `selp`.
    ///
    /// # Safety
    /// The operands must be those of an instruction of the running function, whose registers have not moved.
    #[inline(always)]
    pub(super) unsafe fn select(&mut self, d: R, a: R, b: R, p: P, act: u32) {
        // SAFETY: the operands belong to the running function, so they are rows and predicates of its frame, or its
        // constants.
        unsafe {
            let p = self.predicate(p);
            let (a, b, d) = ((*self.source(a)).0, (*self.source(b)).0, self.result(d));
            if act == u32::MAX {
                let mut r = [0u64; 32];
                for l in 0..32 {
                    r[l] = if p >> l & 1 == 1 { a[l] } else { b[l] };
                }
                (*d).0 = r;
            } else {
                lanes!(act, l, { (*d).0[l] = if p >> l & 1 == 1 { a[l] } else { b[l] } });
            }
        }
    }

    /// `mov`, `and`, `or`, `xor`, `not` of predicates.
    ///
    /// # Safety
    /// The operands must be those of an instruction of the running function, whose registers have not moved.
    #[inline(always)]
    pub(super) unsafe fn combine(&mut self, kind: u8, d: P, a: P, b: P, act: u32) {
        // SAFETY: the operands belong to the running function, so they are predicates of its frame.
        unsafe {
            let a = self.predicate(a);
            let v = match kind {
                0 => a,
                1 => a & self.predicate(b),
                2 => a | self.predicate(b),
                3 => a ^ self.predicate(b),
                _ => !a,
            };
            self.set_predicate(d, v, act);
        }
    }
}
