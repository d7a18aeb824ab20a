//! Contexts.

use super::api::{Handle, OK, h, out};
use super::error::{INVALID_CONTEXT, INVALID_DEVICE, NOT_SUPPORTED};
use super::queue::synchronise_all;
use super::state::{CURRENT, PRIMARY, ctx, current, lock};
use std::ffi::{c_int, c_uint, c_void};

api! {
    cuDevicePrimaryCtxRetain [] (c: *mut Handle, d: c_int) {
        let mut g = lock()?;
        if d != 0 { return Err(INVALID_DEVICE); }
        g.primary += 1;
        out(c, h(PRIMARY))?; OK
    }
    cuDevicePrimaryCtxRelease_v2 [cuDevicePrimaryCtxRelease] (d: c_int) {
        if d != 0 { return Err(INVALID_DEVICE); }
        // Waiting work runs before the context is destroyed; its errors can no longer be reported.
        if lock()?.primary == 1 { let _ = synchronise_all(); }
        let mut g = lock()?;
        if g.primary == 0 { return Err(INVALID_CONTEXT); }
        g.primary -= 1;
        if g.primary == 0 && g.contexts.is_empty() {
            if g.cfg.leakcheck { g.report_leaks(); }
            g.reset();
        }
        OK
    }
    cuDevicePrimaryCtxReset_v2 [cuDevicePrimaryCtxReset] (_d: c_int) {
        lock()?.reset();
        OK
    }
    cuDevicePrimaryCtxSetFlags_v2 [cuDevicePrimaryCtxSetFlags] (_d: c_int, _f: c_uint) { OK }
    cuDevicePrimaryCtxGetState [] (_d: c_int, flags: *mut c_uint, active: *mut c_int) {
        let g = lock()?;
        out(flags, 0)?;
        out(active, (g.primary > 0) as c_int)?; OK
    }
    cuCtxCreate_v2 [cuCtxCreate] (c: *mut Handle, flags: c_uint, d: c_int) {
        let mut g = lock()?;
        if d != 0 { return Err(INVALID_DEVICE); }
        let id = g.id();
        g.contexts.insert(id, flags);
        CURRENT.with(|s| s.borrow_mut().push(id));
        out(c, h(id))?; OK
    }
    cuCtxCreate_v3 [] (c: *mut Handle, _p: *mut c_void, _n: c_int, flags: c_uint, d: c_int) {
        cuCtxCreate_v2(c, flags, d)
    }
    cuCtxCreate_v4 [] (c: *mut Handle, _p: *mut c_void, flags: c_uint, d: c_int) {
        cuCtxCreate_v2(c, flags, d)
    }
    cuCtxDestroy_v2 [cuCtxDestroy] (c: Handle) {
        let mut g = lock()?;
        if g.contexts.remove(&(c as u64)).is_none() { return Err(INVALID_CONTEXT); }
        CURRENT.with(|s| {
            let mut s = s.borrow_mut();
            if s.last() == Some(&(c as u64)) { s.pop(); }
        });
        if g.contexts.is_empty() && g.primary == 0 { g.sticky = 0; }
        OK
    }
    cuCtxSetCurrent [] (c: Handle) {
        let _g = lock()?;
        CURRENT.with(|s| { let mut s = s.borrow_mut(); s.pop(); if !c.is_null() { s.push(c as u64); } });
        OK
    }
    cuCtxGetCurrent [] (c: *mut Handle) {
        let _g = lock()?;
        out(c, h(current().unwrap_or(0)))?; OK
    }
    cuCtxPushCurrent_v2 [cuCtxPushCurrent] (c: Handle) {
        let _g = lock()?;
        CURRENT.with(|s| s.borrow_mut().push(c as u64));
        OK
    }
    cuCtxPopCurrent_v2 [cuCtxPopCurrent] (c: *mut Handle) {
        let _g = lock()?;
        match CURRENT.with(|s| s.borrow_mut().pop()) {
            Some(v) => { if !c.is_null() { *c = h(v); } OK }
            None => INVALID_CONTEXT,
        }
    }
    cuCtxGetDevice [] (d: *mut c_int) {
        drop(lock()?);
        if CURRENT.with(|s| s.borrow().is_empty()) { return Err(INVALID_CONTEXT); } out(d, 0)?;
        OK
    }
    cuCtxGetDevice_v2 [] (d: *mut c_int, _c: Handle) {
        out(d, 0)?;
        OK
    }
    cuCtxGetFlags [] (f: *mut c_uint) {
        let _g = ctx()?;
        out(f, 0)?;
        OK
    }
    cuCtxSetFlags [] (_f: c_uint) {
        let _g = ctx()?;
        OK
    }
    cuCtxGetId [] (_c: Handle, id: *mut u64) {
        out(id, 1)?;
        OK
    }
    cuCtxSynchronize [] () {
        synchronise_all()?;
        OK
    }
    cuCtxSynchronize_v2 [] (_c: Handle) {
        synchronise_all()?;
        OK
    }
    cuCtxSetLimit [] (k: c_uint, v: usize) {
        let mut g = ctx()?;
        g.limits.insert(k, v as u64);
        if k == 0 { g.cfg.stack = g.cfg.stack.max(v as u32); } OK
    }
    cuCtxGetLimit [] (v: *mut usize, k: c_uint) {
        let g = ctx()?;
        let d = match k { 0 => 1024, 1 => 1 << 20, 2 => 8 << 20, _ => 0 };
        out(v, g.limits.get(&k).copied().unwrap_or(d) as usize)?; OK
    }
    cuCtxGetCacheConfig [] (v: *mut c_int) {
        out(v, 0)?;
        OK
    }
    cuCtxSetCacheConfig [] (_v: c_int) { OK }
    cuCtxGetSharedMemConfig [] (v: *mut c_int) {
        out(v, 1)?;
        OK
    }
    cuCtxSetSharedMemConfig [] (_v: c_int) { OK }
    cuCtxGetApiVersion [] (_c: Handle, v: *mut c_uint) {
        out(v, 3020)?;
        OK
    }
    cuCtxGetStreamPriorityRange [] (lo: *mut c_int, hi: *mut c_int) {
        if !lo.is_null() { *lo = 0; }
        if !hi.is_null() { *hi = -5; } OK }
    cuCtxResetPersistingL2Cache [] () { OK }
    cuCtxEnablePeerAccess [] (_c: Handle, _f: c_uint) { NOT_SUPPORTED }
    cuCtxDisablePeerAccess [] (_c: Handle) { NOT_SUPPORTED }
}
