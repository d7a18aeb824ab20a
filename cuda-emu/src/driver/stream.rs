//! Streams.

use super::api::{Handle, OK, h, out};
use super::error::{INVALID_HANDLE, NOT_READY};
use super::order::Target;
use super::queue::{enter, query, submit_call, synchronise};
use super::state::{Guard, State, Stream, ctx, current, lock, primary};
use super::work::{HostCall, Work};
use std::ffi::{c_int, c_uint, c_void};

fn create(mut g: Guard, flags: u32, priority: i32) -> Handle {
    let (id, device) = (g.id(), g.device);
    g.streams.insert(id, Stream { device, flags, priority });
    h(id)
}

/// A stream's last work that is not done.
fn last(g: &State, s: Handle) -> Result<Option<u64>, i32> {
    Ok(g.queue.last(g.stream(s)?))
}

api! {
    cuStreamCreate [] (s: *mut Handle, f: c_uint) { out(s, create(ctx()?, f, 0))?; OK }
    cuStreamCreateWithPriority [] (s: *mut Handle, f: c_uint, p: c_int) { out(s, create(ctx()?, f, p))?; OK }
    // Its work continues.
    cuStreamDestroy_v2 [cuStreamDestroy] (s: Handle) {
        let mut g = lock()?;
        let known = g.streams.remove(&(s as u64)).is_some();
        g.queue.forget(s as u64);
        if known { OK } else { INVALID_HANDLE }
    }
    cuStreamSynchronize [cuStreamSynchronize_ptsz] (s: Handle) {
        synchronise(|g| Ok(last(g, s)?.map(Target::Item)))?;
        OK
    }
    cuStreamQuery [cuStreamQuery_ptsz] (s: Handle) { if query(|g| last(g, s))? { OK } else { NOT_READY } }
    cuStreamWaitEvent [cuStreamWaitEvent_ptsz] (s: Handle, e: Handle, _f: c_uint) {
        let (mut g, stream) = enter(s)?;
        let record = g.events.get(&(e as u64)).ok_or(INVALID_HANDLE)?.record;
        g.submit(stream, record, Work::Wait)?;
        OK
    }
    cuStreamGetFlags [cuStreamGetFlags_ptsz] (s: Handle, f: *mut c_uint) {
        let g = ctx()?;
        g.stream(s)?;
        out(f, g.streams.get(&(s as u64)).map_or(0, |x| x.flags))?;
        OK
    }
    cuStreamGetPriority [cuStreamGetPriority_ptsz] (s: Handle, p: *mut c_int) {
        let g = ctx()?;
        g.stream(s)?;
        out(p, g.streams.get(&(s as u64)).map_or(0, |x| x.priority))?;
        OK
    }
    cuStreamGetId [cuStreamGetId_ptsz] (s: Handle, id: *mut u64) { out(id, s as u64)?; OK }
    cuStreamGetCtx [cuStreamGetCtx_ptsz] (s: Handle, c: *mut Handle) {
        let g = ctx()?;
        let device = g.device_of_stream(g.stream(s)?);
        let own = current().filter(|_| device == g.device);
        out(c, h(own.unwrap_or(primary(device))))?;
        OK
    }
    cuStreamGetDevice [] (s: Handle, d: *mut c_int) {
        let g = ctx()?;
        out(d, g.device_of_stream(g.stream(s)?) as c_int)?;
        OK
    }
    cuLaunchHostFunc [cuLaunchHostFunc_ptsz] (
        s: Handle, f: unsafe extern "C" fn(*mut c_void), data: *mut c_void,
    ) {
        let (g, stream) = enter(s)?;
        submit_call(g, stream, HostCall::Function(f, data));
        OK
    }
    cuStreamAddCallback [cuStreamAddCallback_ptsz] (
        s: Handle, f: unsafe extern "C" fn(Handle, c_int, *mut c_void), data: *mut c_void, _flags: c_uint,
    ) {
        let (g, stream) = enter(s)?;
        submit_call(g, stream, HostCall::Callback(s, f, data));
        OK
    }
    cuStreamAttachMemAsync [cuStreamAttachMemAsync_ptsz] (_s: Handle, _p: u64, _n: usize, _f: c_uint) { OK }
    cuStreamIsCapturing [cuStreamIsCapturing_ptsz] (_s: Handle, v: *mut c_int) { out(v, 0)?; OK }
    cuThreadExchangeStreamCaptureMode [] (_m: *mut c_int) { OK }
}
