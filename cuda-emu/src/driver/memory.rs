//! Memory that lives until it is freed.

use super::api::{Handle, OK, h, out};
use super::device::TOTAL_MEM;
use super::error::{ALREADY_REGISTERED, INVALID_VALUE, NOT_REGISTERED, OUT_OF_MEMORY};
use super::queue::synchronise_all;
use super::state::{Guard, ctx};
use crate::mem::Kind;
use std::ffi::{c_uint, c_void};
/// Allocates; if too little is left, waiting work is run first, as it may free some.
pub(super) fn allocate(n: usize, kind: Kind) -> Result<(Guard, u64), i32> {
    let mut g = ctx()?;
    let mut r = g.new_mem(n, kind.clone());
    if r == Err(OUT_OF_MEMORY) {
        drop(g);
        g = synchronise_all()?;
        r = g.new_mem(n, kind);
        if r.is_err() {
            g.report_no_memory(n);
        }
    }
    Ok((g, r?))
}

/// Frees memory. If it was not allocated in the order of a stream, this waits for all work that could use it, as drivers do.
/// For memory allocated in the order of a stream, and for pinned memory, the program has to wait.
fn free(p: u64) -> Result<i32, i32> {
    let g = ctx()?;
    let wait = g.mem.known(p).is_some_and(|a| !a.ordered && !matches!(a.kind, Kind::Host));
    drop(g);
    let mut g = if wait { synchronise_all()? } else { ctx()? };
    g.host_flags.remove(&p);
    Ok(g.release(p))
}

fn pinned(n: usize, flags: c_uint) -> Result<Handle, i32> {
    let (mut g, a) = allocate(n, Kind::Host)?;
    g.host_flags.insert(a, flags);
    Ok(h(a))
}

api! {
    cuMemAlloc_v2 [cuMemAlloc] (p: *mut u64, n: usize) {
        out(p, allocate(n, Kind::Device)?.1)?;
        OK
    }
    cuMemAllocPitch_v2 [] (p: *mut u64, pitch: *mut usize, w: usize, rows: usize, _e: c_uint) {
        let k = w.checked_next_multiple_of(512).ok_or(INVALID_VALUE)?;
        let n = k.checked_mul(rows).ok_or(INVALID_VALUE)?;
        out(pitch, k)?;
        out(p, allocate(n, Kind::Device)?.1)?;
        OK
    }
    cuMemFree_v2 [cuMemFree] (p: u64) {
        free(p)?
    }
    cuMemAllocHost_v2 [cuMemAllocHost] (p: *mut *mut c_void, n: usize) {
        out(p, pinned(n, 0)?)?;
        OK
    }
    cuMemHostAlloc [] (p: *mut *mut c_void, n: usize, f: c_uint) {
        out(p, pinned(n, f)?)?;
        OK
    }
    cuMemFreeHost [] (p: *mut c_void) {
        free(p as u64)?
    }
    cuMemHostGetDevicePointer_v2 [cuMemHostGetDevicePointer] (d: *mut u64, p: *mut c_void, _f: c_uint) {
        let g = ctx()?;
        if g.mem.find(p as u64).is_none() { return Err(INVALID_VALUE); }
        out(d, p as u64)?; OK
    }
    cuMemHostGetFlags [] (f: *mut c_uint, p: *mut c_void) {
        let g = ctx()?;
        let a = g.mem.find(p as u64).filter(|a| a.kind == Kind::Host || a.kind == Kind::Registered);
        out(f, g.host_flags.get(&a.ok_or(INVALID_VALUE)?.base).copied().unwrap_or(0))?;
        OK
    }
    cuMemHostRegister_v2 [cuMemHostRegister] (p: *mut c_void, n: usize, _f: c_uint) {
        let mut g = ctx()?;
        if g.mem.register(p as *mut u8, n as u64) { OK } else { ALREADY_REGISTERED }
    }
    cuMemHostUnregister [] (p: *mut c_void) {
        let mut g = synchronise_all()?;
        if g.mem.find(p as u64).is_some_and(|a| a.kind == Kind::Registered) && g.mem.free(p as u64) { OK } else { NOT_REGISTERED }
    }
    cuMemAllocManaged [] (p: *mut u64, n: usize, _f: c_uint) {
        out(p, allocate(n, Kind::Managed)?.1)?;
        OK
    }
    cuMemGetInfo_v2 [cuMemGetInfo] (free: *mut usize, total: *mut usize) {
        let g = ctx()?;
        out(free, g.mem.limit.min(TOTAL_MEM).saturating_sub(g.mem.used()) as usize)?;
        out(total, TOTAL_MEM as usize)?; OK
    }
}
