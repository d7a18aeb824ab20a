//! Queries about an address.

use super::api::{Handle, OK};
use super::error::{INVALID_VALUE, NOT_FOUND, NOT_SUPPORTED};
use super::state::{ctx, primary};
use crate::mem::Kind;
use std::ffi::{c_int, c_uint, c_void};

api! {
    cuMemGetAddressRange_v2 [cuMemGetAddressRange] (b: *mut u64, n: *mut usize, p: u64) {
        let g = ctx()?;
        let a = g.mem.known(p).ok_or(NOT_FOUND)?;
        if !b.is_null() { *b = a.base; }
        if !n.is_null() { *n = a.size as usize; }
        OK
    }
    cuMemPrefetchAsync [cuMemPrefetchAsync_ptsz] (_p: u64, _n: usize, _d: c_int, _s: Handle) { OK }
    cuMemPrefetchAsync_v2 [cuMemPrefetchAsync_v2_ptsz] (
        _p: u64, _n: usize, _loc: u64, _f: c_uint, _s: Handle,
    ) {
        OK
    }
    cuMemAdvise [] (_p: u64, _n: usize, _a: c_int, _d: c_int) { OK }
    cuMemAdvise_v2 [] (_p: u64, _n: usize, _a: c_int, _loc: u64) { OK }
    cuPointerGetAttribute [] (data: *mut c_void, a: c_int, p: u64) {
        let g = ctx()?;
        if data.is_null() { return Err(INVALID_VALUE); }
        let al = g.mem.known(p).ok_or(INVALID_VALUE)?;
        let host = matches!(al.kind, Kind::Host | Kind::Registered);
        match a {
            1 => *(data as *mut u64) = primary(al.device),
            2 => *(data as *mut u32) = if host { 1 } else { 2 },
            3 => *(data as *mut u64) = p,
            4 => {
                if !host && al.kind != Kind::Managed { return Err(INVALID_VALUE); }
                *(data as *mut u64) = p;
            }
            6 => *(data as *mut u32) = 1,
            7 => *(data as *mut u64) = al.id,
            8 => *(data as *mut u32) = (al.kind == Kind::Managed) as u32,
            9 => *(data as *mut i32) = al.device as i32,
            // Whether `cuIpcGetMemHandle` takes it: no memory of a pool.
            10 => *(data as *mut u32) = (al.kind == Kind::Device && !al.ordered) as u32,
            11 => *(data as *mut u64) = al.base,
            12 => *(data as *mut u64) = al.size,
            13 => *(data as *mut u32) = 1,
            _ => return Err(NOT_SUPPORTED),
        }
        OK
    }
    cuPointerGetAttributes [] (n: c_uint, at: *const c_int, data: *const *mut c_void, p: u64) {
        for i in 0..n as usize {
            if cuPointerGetAttribute(*data.add(i), *at.add(i), p) != OK {
                std::ptr::write_bytes(*data.add(i) as *mut u8, 0, 4);
            }
        }
        OK
    }
    cuPointerSetAttribute [] (_v: *const c_void, _a: c_int, _p: u64) { OK }
}
