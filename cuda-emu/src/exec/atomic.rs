//! Atomic operations.

use super::*;

impl Machine<'_> {
    /// # Safety
    /// `b` and `w` must be the running block and warp, and the rows those of its frame or constants.
    pub(super) unsafe fn atom(
        &mut self,
        m: &AtomOp,
        act: u32,
        b: *mut Block,
        w: *mut Warp,
        wi: usize,
        fr: *mut Row,
        base: *const Row,
        rb: *const Row,
        rc: *const Row,
        func: u32,
        pc: u32,
    ) -> Run<()> {
        // SAFETY: block, warp and rows are those of the running warp, as the caller says; `resolve` gave the lanes of `act` pointers to
        // the whole access.
        unsafe {
            let mut p = [std::ptr::null_mut::<u8>(); 32];
            let size = m.ty.size() as u64;
            self.resolve(m.space, size, act, b, w, base, m.off, func, pc, "atomic access", &mut p)?;
            if self.hooks {
                self.hook(
                    m.space,
                    size,
                    act,
                    b,
                    wi,
                    base,
                    m.off,
                    &p,
                    Access::Atomic,
                    m.flags,
                    None,
                    func,
                    pc,
                )?;
                self.stats.atomics += act.count_ones() as u64;
            }
            let d = fr.add(m.d as usize);
            let mut changed = false;
            if size == 16 {
                lanes!(act, l, {
                    let q = p[l] as *mut u64;
                    let (o0, o1) = (*q, *q.add(1));
                    let bv = ((*rb).0[l], (*rb.add(1)).0[l]);
                    if m.op == At::Exch {
                        (*q, *q.add(1)) = bv;
                        changed = true;
                    } else if bv == (o0, o1) {
                        let c = ((*rc).0[l], (*rc.add(1)).0[l]);
                        (*q, *q.add(1)) = c;
                        changed |= c != bv;
                    }
                    (*d).0[l] = o0;
                    (*d.add(1)).0[l] = o1;
                });
            } else {
                lanes!(act, l, {
                    let q = p[l];
                    let old = match size {
                        2 => *(q as *const u16) as u64,
                        4 => *(q as *const u32) as u64,
                        _ => (q as *const u64).read_unaligned(),
                    };
                    let new = atomic(m.op, m.ty, old, (*rb).0[l], (*rc).0[l]);
                    if new != old {
                        changed = true;
                        match size {
                            2 => *(q as *mut u16) = new as u16,
                            4 => *(q as *mut u32) = new as u32,
                            _ => (q as *mut u64).write_unaligned(new),
                        }
                    }
                    (*d).0[l] = old;
                });
            }
            if changed {
                self.progress += 1;
                (*w).spin = 0;
            } else {
                (*w).spin += 1;
            }
            Ok(())
        }
    }
}

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
