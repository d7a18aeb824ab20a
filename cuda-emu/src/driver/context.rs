//! Contexts.

use super::api::{Handle, OK, h, out};
use super::error::{INVALID_CONTEXT, NOT_SUPPORTED};
use super::order::Target;
use super::queue::{drain, synchronise_all};
use super::state::{CURRENT, ctx, current, lock, ordinal, primary};
use std::ffi::{c_int, c_uint, c_void};

api! {
    cuDevicePrimaryCtxRetain [] (c: *mut Handle, d: c_int) {
        let mut g = lock()?;
        let d = ordinal(&g, d)?;
        g.devices[d].primary += 1;
        out(c, h(primary(d)))?; OK
    }
    cuDevicePrimaryCtxRelease_v2 [cuDevicePrimaryCtxRelease] (d: c_int) {
        let mut g = lock()?;
        let d = ordinal(&g, d)?;
        // Waiting work runs before the context is destroyed; its errors can no longer be reported.
        if g.devices[d].primary == 1 {
            drop(g);
            g = drain(Target::Device(d))?;
        }
        if g.devices[d].primary == 0 { return Err(INVALID_CONTEXT); }
        g.devices[d].primary -= 1;
        if g.is_unused(d) {
            if g.cfg.leakcheck { g.report_leaks(|device| device == d); }
            g.reset(d);
        }
        OK
    }
    cuDevicePrimaryCtxReset_v2 [cuDevicePrimaryCtxReset] (d: c_int) {
        let mut g = lock()?;
        let d = ordinal(&g, d)?;
        g.reset(d);
        OK
    }
    cuDevicePrimaryCtxSetFlags_v2 [cuDevicePrimaryCtxSetFlags] (_d: c_int, _f: c_uint) { OK }
    cuDevicePrimaryCtxGetState [] (d: c_int, flags: *mut c_uint, active: *mut c_int) {
        let g = lock()?;
        out(flags, 0)?;
        out(active, (g.devices[ordinal(&g, d)?].primary > 0) as c_int)?; OK
    }
    cuCtxCreate_v2 [cuCtxCreate] (c: *mut Handle, _flags: c_uint, d: c_int) {
        let mut g = lock()?;
        let device = ordinal(&g, d)?;
        let id = g.id();
        g.contexts.insert(id, device);
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
        let device = g.contexts.remove(&(c as u64)).ok_or(INVALID_CONTEXT)?;
        CURRENT.with(|s| {
            let mut s = s.borrow_mut();
            if s.last() == Some(&(c as u64)) { s.pop(); }
        });
        if g.is_unused(device) { g.devices[device].sticky = 0; }
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
        let g = lock()?;
        let c = current().ok_or(INVALID_CONTEXT)?;
        out(d, g.device_of(c).ok_or(INVALID_CONTEXT)? as c_int)?;
        OK
    }
    cuCtxGetDevice_v2 [] (d: *mut c_int, c: Handle) {
        let g = lock()?;
        let c = if c.is_null() { current().ok_or(INVALID_CONTEXT)? } else { c as u64 };
        out(d, g.device_of(c).ok_or(INVALID_CONTEXT)? as c_int)?;
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
