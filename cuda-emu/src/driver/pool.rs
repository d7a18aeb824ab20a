//! Memory that is allocated and freed in the order of streams.
//!
//! In the deferred mode an allocation exists from the time the stream makes it until the stream frees it: other uses are errors, even
//! though the address is known.

use super::api::{Handle, OK, h, out};
use super::error::INVALID_VALUE;
use super::memory::allocate;
use super::queue::enter_own;
use super::state::{State, ctx, lock, ordinal};
use super::work::Work;
use crate::mem::Kind;
use std::ffi::{c_int, c_void};

/// The only pool of a device.
fn default(device: usize) -> u64 {
    0x2000 + 16 * device as u64
}

/// `CU_MEMPOOL_ATTR_RELEASE_THRESHOLD`: the first of the attributes that are numbers of 64 bits; those before are flags.
const RELEASE_THRESHOLD: c_int = 4;
/// `CU_MEMPOOL_ATTR_USED_MEM_HIGH`: the last one.
const LAST: c_int = 8;

fn check(g: &State, pool: Handle) -> Result<(), i32> {
    let known =
        (0..g.devices.len()).any(|d| default(d) == pool as u64) || g.pools.contains_key(&(pool as u64));
    if known { Ok(()) } else { Err(INVALID_VALUE) }
}

api! {
    cuDeviceGetDefaultMemPool [] (p: *mut Handle, d: c_int) {
        out(p, h(default(ordinal(&*lock()?, d)?)))?;
        OK
    }
    cuDeviceGetMemPool [] (p: *mut Handle, d: c_int) {
        out(p, h(default(ordinal(&*lock()?, d)?)))?;
        OK
    }
    cuDeviceSetMemPool [] (_d: c_int, _p: Handle) { OK }
    cuMemAllocAsync [cuMemAllocAsync_ptsz] (p: *mut u64, n: usize, s: Handle) {
        // The stream is looked up before anything is allocated.
        drop(enter_own(s)?);
        let (mut g, a) = allocate(n, Kind::Device)?;
        let stream = g.stream(s)?;
        g.mem.set_ordered(a);
        if g.queue.deferred() { g.mem.hide(a); }
        g.submit(stream, None, Work::Allocate(a))?;
        out(p, a)?;
        OK
    }
    cuMemAllocFromPoolAsync [cuMemAllocFromPoolAsync_ptsz] (p: *mut u64, n: usize, pool: Handle, s: Handle) {
        check(&*ctx()?, pool)?;
        cuMemAllocAsync(p, n, s)
    }
    cuMemFreeAsync [cuMemFreeAsync_ptsz] (p: u64, s: Handle) {
        let (mut g, stream) = enter_own(s)?;
        if p == 0 { return Ok(OK); }
        if g.mem.known(p).is_none_or(|a| a.base != p) { return Ok(g.release(p)); }
        g.submit(stream, None, Work::Free(p))?;
        OK
    }
    cuMemPoolCreate [] (p: *mut Handle, _props: *const c_void) {
        let mut g = ctx()?;
        let id = g.id();
        g.pools.insert(id, Default::default());
        out(p, h(id))?;
        OK
    }
    cuMemPoolDestroy [] (p: Handle) {
        if ctx()?.pools.remove(&(p as u64)).is_some() { OK } else { INVALID_VALUE }
    }
    cuMemPoolSetAttribute [] (p: Handle, a: c_int, v: *mut c_void) {
        let mut g = ctx()?;
        check(&g, p)?;
        if v.is_null() { return Err(INVALID_VALUE); }
        let v = match a {
            1..RELEASE_THRESHOLD => *(v as *const u32) as u64,
            RELEASE_THRESHOLD..=LAST => *(v as *const u64),
            _ => return Err(INVALID_VALUE),
        };
        g.pools.entry(p as u64).or_default().insert(a, v);
        OK
    }
    cuMemPoolGetAttribute [] (p: Handle, a: c_int, v: *mut c_void) {
        let g = ctx()?;
        check(&g, p)?;
        if v.is_null() { return Err(INVALID_VALUE); }
        let set = g.pools.get(&(p as u64)).and_then(|x| x.get(&a)).copied();
        match a {
            1..RELEASE_THRESHOLD => *(v as *mut u32) = set.unwrap_or(1) as u32,
            RELEASE_THRESHOLD => *(v as *mut u64) = set.unwrap_or(0),
            _ if a <= LAST => *(v as *mut u64) = g.mem.used(),
            _ => return Err(INVALID_VALUE),
        }
        OK
    }
    cuMemPoolTrimTo [] (p: Handle, _n: usize) { check(&*ctx()?, p)?; OK }
    cuMemPoolSetAccess [] (p: Handle, _m: *const c_void, _n: usize) { check(&*ctx()?, p)?; OK }
}
