//! Atomic operations.

use super::machine::Machine;
use super::report::Run;
use super::resolve::{NOWHERE, Request};
use super::running::Running;
use crate::check::Access;
use crate::ir::{At, AtomOp, FK, FX_BF16, FX_X2};
use crate::num;
use crate::ptx::Ty;

impl Machine<'_> {
    /// `atom` and `red`.
    ///
    /// # Safety
    /// The instruction must be one of the running function, whose registers have not moved.
    pub(super) unsafe fn atomic(&mut self, at: &mut Running, m: &AtomOp, act: u32) -> Run<()> {
        let mut p = NOWHERE;
        let size = m.ty.size() as u64;
        let mut changed = false;
        // SAFETY: the operands belong to the running function, so they are rows of its frame or its constants, and two rows
        // each where the type is wide. `resolve` gave the lanes of `act` pointers to the whole access, which nothing moves
        // before it is made; values are read and written unaligned.
        unsafe {
            let base = at.source(m.base);
            let request =
                Request { space: m.space, size, base, off: m.off, flags: m.flags, what: "atomic access" };
            self.resolve(at, act, &request, &mut p)?;
            if self.hooks {
                self.hook(at, act, &request, &p, Access::Atomic, None)?;
                self.stats.atomics += act.count_ones() as u64;
            }
            let (d, b, c) = (at.result(m.d), at.source(m.b), at.source(m.c));
            if size == 16 {
                lanes!(act, l, {
                    let q = p[l] as *mut u64;
                    let (o0, o1) = (q.read_unaligned(), q.add(1).read_unaligned());
                    let bv = ((*b).0[l], (*b.add(1)).0[l]);
                    if m.op == At::Exch {
                        q.write_unaligned(bv.0);
                        q.add(1).write_unaligned(bv.1);
                        changed = true;
                    } else if bv == (o0, o1) {
                        let cv = ((*c).0[l], (*c.add(1)).0[l]);
                        q.write_unaligned(cv.0);
                        q.add(1).write_unaligned(cv.1);
                        changed |= cv != bv;
                    }
                    (*d).0[l] = o0;
                    (*d.add(1)).0[l] = o1;
                });
            } else {
                lanes!(act, l, {
                    let q = p[l];
                    let old = match size {
                        2 => (q as *const u16).read_unaligned() as u64,
                        4 => (q as *const u32).read_unaligned() as u64,
                        _ => (q as *const u64).read_unaligned(),
                    };
                    let new = atomic(m.op, m.ty, old, (*b).0[l], (*c).0[l]);
                    if new != old {
                        changed = true;
                        match size {
                            2 => (q as *mut u16).write_unaligned(new as u16),
                            4 => (q as *mut u32).write_unaligned(new as u32),
                            _ => (q as *mut u64).write_unaligned(new),
                        }
                    }
                    (*d).0[l] = old;
                });
            }
        }
        if changed {
            self.progress += 1;
            at.warp().spin = 0;
        } else {
            at.warp().spin += 1;
        }
        Ok(())
    }
}

/// The value that an operation leaves in memory.
fn atomic(op: At, ty: Ty, old: u64, b: u64, c: u64) -> u64 {
    let (w, m) = match ty.size() {
        2 => (16, 0xffff),
        4 => (32, 0xffff_ffff),
        _ => (64, u64::MAX),
    };
    let sx = |v: u64| ((v << (64 - w)) as i64) >> (64 - w);
    let half = |k: FK| {
        let mut x = k as u32;
        if matches!(ty, Ty::BF16 | Ty::BF16x2) {
            x |= FX_BF16;
        }
        if matches!(ty, Ty::F16x2 | Ty::BF16x2) {
            x |= FX_X2;
        }
        num::op_half(x, old, b, 0)
    };
    let v = match op {
        At::Add => match ty {
            Ty::F32 => num::op32(FK::Add as u32, old as u32, b as u32, 0) as u64,
            Ty::F64 => (f64::from_bits(old) + f64::from_bits(b)).to_bits(),
            Ty::F16 | Ty::BF16 | Ty::F16x2 | Ty::BF16x2 => half(FK::Add),
            _ => old.wrapping_add(b),
        },
        At::Sub => old.wrapping_sub(b),
        At::And => old & b,
        At::Or => old | b,
        At::Xor => old ^ b,
        At::Exch => b,
        At::Cas => {
            if old & m == b & m {
                c
            } else {
                old
            }
        }
        At::Min if ty.float() => half(FK::Min),
        At::Max if ty.float() => half(FK::Max),
        At::Min if ty.signed() => sx(old).min(sx(b)) as u64,
        At::Max if ty.signed() => sx(old).max(sx(b)) as u64,
        At::Min => (old & m).min(b & m),
        At::Max => (old & m).max(b & m),
        At::Inc => {
            if old as u32 >= b as u32 {
                0
            } else {
                old + 1
            }
        }
        At::Dec => {
            if old as u32 == 0 || old as u32 > b as u32 {
                b
            } else {
                old - 1
            }
        }
    };
    v & m
}
