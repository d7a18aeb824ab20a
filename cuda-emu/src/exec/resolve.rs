//! From the addresses of lanes to memory of the host.

use super::machine::Machine;
use super::report::{E_ILLEGAL_ADDRESS, E_MISALIGNED, Run};
use super::running::Running;
use crate::alu::Row;
use crate::ir::{KPARAM_WIN, LOCAL_WIN, SHARED_BASE, SHARED_WIN, WIN_SHIFT};
use crate::mem::Kind;
use crate::ptx::Space;

/// The allocation that an instruction accessed last: its addresses, and the offset from them to the host's.
#[derive(Clone, Copy, Default)]
pub(super) struct Cache {
    lo: u64,
    end: u64,
    delta: u64,
}

/// One access by the lanes of a group.
pub(super) struct Request {
    pub(super) space: Space,
    /// Bytes, a power of two.
    pub(super) size: u64,
    /// The row of the addresses.
    pub(super) base: *const Row,
    pub(super) off: i64,
    /// Those of the instruction: `MF_STRONG` and the like.
    pub(super) flags: u8,
    /// For reports.
    pub(super) what: &'static str,
}

/// Where the host has the memory that each lane accesses.
pub(super) type Pointers = [*mut u8; 32];

/// No memory, for lanes that access none.
pub(super) const NOWHERE: Pointers = [std::ptr::null_mut(); 32];

impl Machine<'_> {
    /// Gives the lanes of `act` pointers to all bytes of their access, which stay valid until memory is allocated or freed,
    /// or registers or local memory move.
    ///
    /// # Safety
    /// `base` of the request must point to a row.
    #[inline(always)]
    pub(super) unsafe fn resolve(
        &mut self,
        at: &mut Running,
        act: u32,
        request: &Request,
        out: &mut Pointers,
    ) -> Run<()> {
        let (size, off) = (request.size, request.off);
        // SAFETY: `base` points to a row, which nothing writes before this returns.
        let base = unsafe { &(*request.base).0 };
        match request.space {
            Space::Global | Space::Const | Space::Generic => {
                let mut c = self.caches[at.func as usize][at.pc as usize];
                let am = size - 1;
                if act == u32::MAX && all_in(base, off, c.lo, c.end.wrapping_sub(size), am, c.delta, out) {
                    return Ok(());
                }
                lanes!(act, l, {
                    let a = base[l].wrapping_add(off as u64);
                    let windows = request.space == Space::Generic && (8..0x10).contains(&(a >> WIN_SHIFT));
                    if a >= c.lo && a.wrapping_add(size) <= c.end && a & am == 0 {
                        out[l] = a.wrapping_add(c.delta) as *mut u8;
                    } else if windows {
                        out[l] = self.window(at, l, a, size, request.what)?;
                    } else {
                        out[l] = self.allocation(at, l, a, size, request.what)?;
                        c = self.caches[at.func as usize][at.pc as usize];
                    }
                });
            }
            Space::Shared => {
                let p = at.block.shared.as_mut_ptr();
                let (lo, end) = (SHARED_BASE as u64, self.shared_end as u64);
                let last = end.wrapping_sub(size);
                if act == u32::MAX && all_in(base, off, lo, last, size - 1, p as u64, out) {
                    return Ok(());
                }
                lanes!(act, l, {
                    let a = base[l].wrapping_add(off as u64);
                    if a >= SHARED_BASE as u64 && a.wrapping_add(size) <= end && a & (size - 1) == 0 {
                        out[l] = p.wrapping_add(a as usize);
                    } else {
                        out[l] = self.window(at, l, SHARED_WIN.wrapping_add(a), size, request.what)?;
                    }
                });
            }
            Space::Local => {
                let w = at.warp();
                let (p, per) = (w.local.as_mut_ptr(), w.local_per as u64);
                lanes!(act, l, {
                    let a = base[l].wrapping_add(off as u64);
                    if a.wrapping_add(size) <= per && a <= per && a & (size - 1) == 0 {
                        out[l] = p.wrapping_add(l * per as usize + a as usize);
                    } else {
                        out[l] = self.window(at, l, LOCAL_WIN.wrapping_add(a), size, request.what)?;
                    }
                });
            }
            Space::Param => {
                let (p, len) = (self.params.as_mut_ptr(), self.params.len() as u64);
                lanes!(act, l, {
                    let a = base[l].wrapping_add(off as u64);
                    let o = a.wrapping_sub(KPARAM_WIN);
                    if o < len && o + size <= len && a & (size - 1) == 0 {
                        out[l] = p.wrapping_add(o as usize);
                    } else {
                        out[l] = self.window(at, l, a, size, request.what)?;
                    }
                });
            }
        }
        Ok(())
    }

    /// A global address: the allocation that it is in is remembered for the instruction.
    #[cold]
    fn allocation(&mut self, at: &Running, lane: usize, a: u64, size: u64, what: &str) -> Run<*mut u8> {
        if a & (size - 1) != 0 && self.cfg.aligncheck {
            let what = format!("misaligned {what} of {size} bytes at address 0x{a:x}");
            return Err(self.fault_at(at, lane, E_MISALIGNED, &what));
        }
        if let Some(al) = self.mem.find_here(a)
            && a - al.base + size <= al.size
        {
            if what != "read" && matches!(al.kind, Kind::Const(_)) && self.cfg.memcheck {
                let what = format!("{what} of {size} bytes of constant memory at address 0x{a:x}");
                return Err(self.fault_at(at, lane, E_ILLEGAL_ADDRESS, &what));
            }
            let c =
                Cache { lo: al.base, end: al.base + al.size, delta: (al.host as u64).wrapping_sub(al.base) };
            self.caches[at.func as usize][at.pc as usize] = c;
            return Ok(a.wrapping_add(c.delta) as *mut u8);
        }
        if !self.cfg.memcheck {
            return Ok(self.nothing());
        }
        let what =
            format!("invalid {what} of {size} bytes at address 0x{a:x}: {}", self.mem.describe(a, size));
        Err(self.fault_at(at, lane, E_ILLEGAL_ADDRESS, &what))
    }

    /// A generic address: of shared, local or parameter memory, or global.
    pub(super) fn window(
        &mut self,
        at: &mut Running,
        lane: usize,
        a: u64,
        size: u64,
        what: &str,
    ) -> Run<*mut u8> {
        let o = a & ((1 << WIN_SHIFT) - 1);
        let mis = a & (size - 1) != 0 && self.cfg.aligncheck;
        let (name, len) = match a >> WIN_SHIFT {
            0x8 => {
                if !mis && o >= SHARED_BASE as u64 && o + size <= self.shared_end as u64 {
                    return Ok(at.block.shared.as_mut_ptr().wrapping_add(o as usize));
                }
                ("shared", self.shared_end as u64 - SHARED_BASE as u64)
            }
            0x9 => {
                let w = at.warp();
                let per = w.local_per as u64;
                if !mis && o + size <= per {
                    return Ok(w.local.as_mut_ptr().wrapping_add(lane * per as usize + o as usize));
                }
                ("local", per)
            }
            0xa => {
                if !mis && o + size <= self.params.len() as u64 {
                    return Ok(self.params.as_mut_ptr().wrapping_add(o as usize));
                }
                ("parameter", self.params.len() as u64)
            }
            0xb => {
                let (row, byte) = (o >> 3, o & 7);
                let regs = &mut at.warp().regs;
                if !mis && byte + size <= 8 && (row as usize) < regs.len() {
                    let slots = regs.as_mut_ptr().wrapping_add(row as usize).cast::<u64>();
                    return Ok(slots.wrapping_add(lane).cast::<u8>().wrapping_add(byte as usize));
                }
                ("function parameter", 0)
            }
            _ => return self.allocation(at, lane, a, size, what),
        };
        if mis {
            let what = format!("misaligned {what} of {size} bytes at {name} address 0x{o:x}");
            return Err(self.fault_at(at, lane, E_MISALIGNED, &what));
        }
        if !self.cfg.memcheck {
            return Ok(self.nothing());
        }
        let offset = if name == "shared" { o as i64 - SHARED_BASE as i64 } else { o as i64 };
        let what = format!(
            "invalid {what} of {size} bytes in {name} memory at offset {offset}: there are {len} bytes"
        );
        Err(self.fault_at(at, lane, E_ILLEGAL_ADDRESS, &what))
    }

    /// Memory that replaces the target of an unchecked invalid access: it reads zeros.
    fn nothing(&mut self) -> *mut u8 {
        self.sink = [0; 8];
        self.sink.as_mut_ptr().cast()
    }
}

/// Whether all addresses are from `lo` to `hi` and aligned; fills in the pointers.
/// Written without branches, so that the compiler can use vector instructions.
#[inline(always)]
fn all_in(base: &[u64; 32], off: i64, lo: u64, hi: u64, am: u64, delta: u64, out: &mut Pointers) -> bool {
    let (mut range, mut low) = (0u64, 0u64);
    for l in 0..32 {
        let a = base[l].wrapping_add(off as u64);
        range |= a.wrapping_sub(lo) | hi.wrapping_sub(a);
        low |= a;
        out[l] = a.wrapping_add(delta) as *mut u8;
    }
    range >> 63 == 0 && low & am == 0 && hi >> 63 == 0
}
