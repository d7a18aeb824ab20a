//! Functions of modules: attributes and occupancy.

use super::api::{Handle, OK, h, out};
use super::error::{INVALID_HANDLE, INVALID_VALUE, UNKNOWN};
use super::launch::SMS;
use super::state::{Func, State, ctx};
use crate::ir::{Code, LOCAL_BASE};
use std::ffi::{c_char, c_int, c_uint};

pub(super) const SHARED_PER_BLOCK: u32 = 48 << 10;
pub(super) const SHARED_OPTIN: u32 = 227 << 10;
pub(super) const SHARED_PER_SM: u32 = 228 << 10;

/// The registers of a multiprocessor, and the most of a block. Unit: registers.
const REGISTERS: u32 = 65_536;

impl State {
    /// The most threads of a block: as its code says, and as the registers allow.
    pub(super) fn max_threads(&self, f: Handle) -> Result<u32, i32> {
        let (function, code) = self.code(f)?;
        let declared = if code.max_threads > 0 { code.max_threads.min(1024) } else { 1024 };
        let limit = self.modules.get(&function.module).map_or(0, |module| module.max_registers);
        // A limit makes no kernel take more.
        let registers = if limit > 0 { self.cfg.registers.min(limit) } else { self.cfg.registers };
        Ok(match registers.next_multiple_of(8) {
            0 => declared,
            each => declared.min(REGISTERS / each / 32 * 32),
        })
    }

    /// Blocks that a multiprocessor holds at once.
    pub(super) fn occupancy(&self, f: Handle, threads: u32, dynamic: u32) -> Result<u32, i32> {
        let (_, c) = self.code(f)?;
        if threads == 0 || threads > 1024 {
            return Ok(0);
        }
        let warps = threads.div_ceil(32);
        let regs = regs(c).next_multiple_of(8) * 32 * warps;
        let shared = (c.static_shared + dynamic + 1024).next_multiple_of(128);
        if shared > SHARED_PER_SM {
            return Ok(0);
        }
        Ok((64 / warps).min(32).min(65536 / regs.max(1)).min(SHARED_PER_SM / shared))
    }
}

fn regs(c: &crate::ir::Code) -> u32 {
    (c.rows).clamp(16, 128)
}

fn fattr(f: &Func, c: &Code, a: c_int, max_threads: u32) -> Result<c_int, i32> {
    Ok(match a {
        0 => max_threads as i32,
        1 => c.static_shared as i32,
        2 => 0,
        3 => (c.local_size - LOCAL_BASE) as i32,
        4 => regs(c) as i32,
        5 | 6 => 90,
        7 => 0,
        8 => f.max_dynamic.max(SHARED_PER_BLOCK.saturating_sub(c.static_shared)) as i32,
        9 => f.carveout,
        10..=15 => 0,
        _ => return Err(INVALID_VALUE),
    })
}

fn set_fattr(g: &mut State, f: Handle, a: c_int, v: c_int) -> Result<i32, i32> {
    let st = {
        let (_, c) = g.code(f)?;
        c.static_shared
    };
    let f = g.funcs.get_mut(&(f as u64)).ok_or(INVALID_HANDLE)?;
    match a {
        8 => {
            if v < 0 || v as u32 + st > SHARED_OPTIN {
                return Err(INVALID_VALUE);
            }
            f.max_dynamic = v as u32;
        }
        9 => f.carveout = v,
        10..=15 => {}
        _ => return Err(INVALID_VALUE),
    }
    Ok(OK)
}

type B2D = Option<unsafe extern "C" fn(c_int) -> usize>;

api! {
    cuKernelGetFunction [] (f: *mut Handle, k: Handle) {
        let g = ctx()?;
        g.code(k)?;
        out(f, k)?;
        OK
    }
    cuKernelGetAttribute [] (v: *mut c_int, a: c_int, k: Handle, _d: c_int) { cuFuncGetAttribute(v, a, k) }
    cuKernelSetAttribute [] (a: c_int, v: c_int, k: Handle, _d: c_int) { cuFuncSetAttribute(k, a, v) }
    cuKernelGetName [] (n: *mut *const c_char, k: Handle) { cuFuncGetName(n, k) }
    cuKernelSetCacheConfig [] (_k: Handle, _c: c_int, _d: c_int) { OK }
    cuFuncGetAttribute [] (v: *mut c_int, a: c_int, f: Handle) {
        let g = ctx()?;
        let threads = g.max_threads(f)?;
        let (f, c) = g.code(f)?;
        out(v, fattr(f, c, a, threads)?)?; OK
    }
    cuFuncSetAttribute [] (f: Handle, a: c_int, v: c_int) {
        let mut g = ctx()?;
        set_fattr(&mut g, f, a, v)?
    }
    cuFuncSetCacheConfig [] (_f: Handle, _c: c_int) { OK }
    cuFuncSetSharedMemConfig [] (_f: Handle, _c: c_int) { OK }
    cuFuncGetModule [] (m: *mut Handle, f: Handle) {
        let g = ctx()?;
        let (f, _) = g.code(f)?;
        out(m, h(f.module))?;
        OK
    }
    cuFuncGetName [] (n: *mut *const c_char, f: Handle) {
        let g = ctx()?;
        let (_, c) = g.code(f)?;
        let s = std::ffi::CString::new(c.name.as_str()).map_err(|_| UNKNOWN)?;
        out(n, s.into_raw() as *const c_char)?; OK
    }
    cuFuncGetParamInfo [] (f: Handle, i: usize, off: *mut usize, size: *mut usize) {
        let g = ctx()?;
        let (_, c) = g.code(f)?;
        let (o, s) = c.params.get(i).ok_or(INVALID_VALUE)?;
        if !off.is_null() { *off = *o as usize; }
        if !size.is_null() { *size = *s as usize; }
        OK
    }
    cuFuncIsLoaded [] (v: *mut c_int, _f: Handle) {
        out(v, 1)?;
        OK
    }
    cuFuncLoad [] (_f: Handle) { OK }
    cuOccupancyMaxActiveBlocksPerMultiprocessor [] (
        n: *mut c_int, f: Handle, threads: c_int, dynamic: usize,
    ) {
        let g = ctx()?;
        out(n, g.occupancy(f, threads.max(0) as u32, dynamic as u32)? as c_int)?; OK
    }
    cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags [] (
        n: *mut c_int, f: Handle, threads: c_int, dynamic: usize, _flags: c_uint,
    ) {
        cuOccupancyMaxActiveBlocksPerMultiprocessor(n, f, threads, dynamic)
    }
    cuOccupancyMaxPotentialBlockSize [] (
        grid: *mut c_int, block: *mut c_int, f: Handle, b2d: B2D, dynamic: usize, limit: c_int,
    ) {
        let mut best = (0u32, 0u32, 0u32);
        let mut t = if limit > 0 { (limit as u32).min(1024) } else { 1024 };
        t = t.min(ctx()?.max_threads(f)?);
        while t > 0 {
            let d = match b2d { Some(k) => k(t as c_int), None => dynamic };
            let n = { let g = ctx()?; g.occupancy(f, t, d as u32)? };
            if n * t > best.0 { best = (n * t, t, n); }
            t = (t - 1) / 32 * 32;
        }
        out(grid, (best.2 * SMS) as c_int)?;
        out(block, best.1 as c_int)?;
        OK
    }
    cuOccupancyMaxPotentialBlockSizeWithFlags [] (
        grid: *mut c_int, block: *mut c_int, f: Handle, b2d: B2D, dynamic: usize, limit: c_int,
        _flags: c_uint,
    ) {
        cuOccupancyMaxPotentialBlockSize(grid, block, f, b2d, dynamic, limit)
    }
    cuOccupancyAvailableDynamicSMemPerBlock [] (n: *mut usize, f: Handle, blocks: c_int, _threads: c_int) {
        let g = ctx()?;
        let (_, c) = g.code(f)?;
        let per = SHARED_PER_SM / (blocks.max(1) as u32);
        out(n, per.saturating_sub(1024 + c.static_shared).min(SHARED_OPTIN - c.static_shared) as usize)?; OK
    }
}
