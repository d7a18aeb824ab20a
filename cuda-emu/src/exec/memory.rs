//! Loads, stores and asynchronous copies.

use super::machine::Machine;
use super::report::Run;
use super::resolve::{NOWHERE, Request};
use super::running::Running;
use crate::alu::Row;
use crate::check::Access;
use crate::ir::{MF_STRONG, MemOp, NOREG, R};
use crate::ptx::Space;

impl Machine<'_> {
    /// `ld`.
    ///
    /// # Safety
    /// The instruction must be one of the running function, whose registers have not moved.
    pub(super) unsafe fn load(&mut self, at: &mut Running, m: &MemOp, act: u32) -> Run<()> {
        let mut p = NOWHERE;
        let size = (m.n as u64) << m.lg;
        if m.flags & MF_STRONG != 0 {
            at.warp().spin += 1;
        }
        // SAFETY: the operands belong to the running function, so they are rows of its frame or its constants. `resolve` gave
        // the lanes of `act` pointers to the whole access, which nothing moves before it is made; values are read unaligned,
        // and only by pointers, because a lane may read the contents of a row.
        unsafe {
            let request = Request {
                space: m.space,
                size,
                base: at.source(m.base),
                off: m.off,
                flags: m.flags,
                what: "read",
            };
            self.resolve(at, act, &request, &mut p)?;
            if self.hooks {
                self.hook(at, act, &request, &p, Access::Read, None)?;
            }
            for k in 0..m.n as usize {
                let d = at.result(m.r[k]);
                if act == u32::MAX && m.lg >= 2 {
                    if m.lg == 2 {
                        for (l, p) in p.iter().enumerate() {
                            (*d).0[l] = (*p as *const u32).add(k).read_unaligned() as u64;
                        }
                    } else {
                        for (l, p) in p.iter().enumerate() {
                            (*d).0[l] = (*p as *const u64).add(k).read_unaligned();
                        }
                    }
                    if m.sext == 0 || m.sext >= m.dbits {
                        continue;
                    }
                }
                match m.lg {
                    0 => lanes!(act, l, { (*d).0[l] = *p[l].add(k) as u64 }),
                    1 => lanes!(act, l, { (*d).0[l] = (p[l] as *const u16).add(k).read_unaligned() as u64 }),
                    2 => lanes!(act, l, { (*d).0[l] = (p[l] as *const u32).add(k).read_unaligned() as u64 }),
                    _ => lanes!(act, l, { (*d).0[l] = (p[l] as *const u64).add(k).read_unaligned() }),
                }
                if m.sext != 0 && m.sext < m.dbits {
                    let s = 64 - m.sext as u32;
                    let mk = if m.dbits >= 64 { u64::MAX } else { (1u64 << m.dbits) - 1 };
                    lanes!(act, l, { (*d).0[l] = (((*d).0[l] << s) as i64 >> s) as u64 & mk });
                }
            }
        }
        Ok(())
    }

    /// `st`.
    ///
    /// # Safety
    /// The instruction must be one of the running function, whose registers have not moved.
    pub(super) unsafe fn store(&mut self, at: &mut Running, m: &MemOp, act: u32) -> Run<()> {
        let mut p = NOWHERE;
        let size = (m.n as u64) << m.lg;
        // SAFETY: the operands belong to the running function, so they are rows of its frame or its constants. `resolve` gave
        // the lanes of `act` pointers to the whole access, which nothing moves before it is made; values are written
        // unaligned, and only by pointers, because a lane may write to the contents of a row.
        unsafe {
            let request = Request {
                space: m.space,
                size,
                base: at.source(m.base),
                off: m.off,
                flags: m.flags,
                what: "write",
            };
            self.resolve(at, act, &request, &mut p)?;
            if self.hooks {
                let value = (m.n == 1).then(|| (&*at.source(m.r[0]), m.lg));
                self.hook(at, act, &request, &p, Access::Write, value)?;
            }
            if m.space != Space::Local {
                self.progress += 1;
                at.warp().spin = 0;
            }
            for (k, r) in m.r.iter().enumerate().take(m.n as usize) {
                let s = at.source(*r);
                match m.lg {
                    0 => lanes!(act, l, { *p[l].add(k) = (*s).0[l] as u8 }),
                    1 => lanes!(act, l, { (p[l] as *mut u16).add(k).write_unaligned((*s).0[l] as u16) }),
                    2 => lanes!(act, l, { (p[l] as *mut u32).add(k).write_unaligned((*s).0[l] as u32) }),
                    _ => lanes!(act, l, { (p[l] as *mut u64).add(k).write_unaligned((*s).0[l]) }),
                }
            }
        }
        Ok(())
    }

    /// `cp.async`: `size` bytes, zeros after the size of the source.
    ///
    /// # Safety
    /// The instruction must be one of the running function, whose registers have not moved.
    pub(super) unsafe fn copy(
        &mut self,
        at: &mut Running,
        dst: &MemOp,
        src: &MemOp,
        size: u32,
        srcsize: R,
        act: u32,
    ) -> Run<()> {
        let (mut p, mut q) = (NOWHERE, NOWHERE);
        // SAFETY: the operands belong to the running function, so they are rows of its frame or its constants. `resolve` gave
        // the lanes of `act` pointers to `size` bytes of shared memory, and those that copy something pointers to as many of
        // global memory, which is elsewhere. Nothing moves them before the copy.
        unsafe {
            let n: Option<&Row> = (srcsize != NOREG).then(|| &*at.source(srcsize));
            let bytes = |l: usize| n.map_or(size, |n| (n.0[l] as u32).min(size));
            let to = Request {
                space: Space::Shared,
                size: size as u64,
                base: at.source(dst.base),
                off: dst.off,
                flags: 0,
                what: "write",
            };
            let from =
                Request { space: Space::Global, base: at.source(src.base), off: src.off, what: "read", ..to };
            self.resolve(at, act, &to, &mut p)?;
            // Lanes that copy nothing do not touch the source.
            let mut some = act;
            lanes!(act, l, {
                if bytes(l) == 0 {
                    some &= !(1 << l);
                }
            });
            self.resolve(at, some, &from, &mut q)?;
            if self.hooks {
                self.hook(at, some, &from, &q, Access::Read, None)?;
                self.hook(at, act, &to, &p, Access::Write, None)?;
            }
            lanes!(act, l, {
                let k = bytes(l);
                if k > 0 {
                    std::ptr::copy_nonoverlapping(q[l], p[l], k as usize);
                }
                std::ptr::write_bytes(p[l].add(k as usize), 0, (size - k) as usize);
            });
        }
        self.progress += 1;
        Ok(())
    }
}
