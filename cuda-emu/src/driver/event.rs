//! Events.

use super::api::{Handle, OK, h, out};
use super::error::{INVALID_HANDLE, NOT_READY};
use super::order::Target;
use super::queue::{enter, query, synchronise};
use super::state::{Event, State, ctx, lock};
use super::work::Work;
use std::ffi::c_uint;

/// `CU_EVENT_DISABLE_TIMING`.
const NO_TIME: u32 = 2;

/// The work that will reach an event, while that waits.
fn record(g: &State, e: Handle) -> Result<Option<u64>, i32> {
    Ok(g.events.get(&(e as u64)).ok_or(INVALID_HANDLE)?.record)
}

api! {
    cuEventCreate [] (e: *mut Handle, f: c_uint) {
        let mut g = ctx()?;
        let (id, device) = (g.id(), g.device);
        g.events.insert(id, Event { device, flags: f, time: None, record: None });
        out(e, h(id))?;
        OK
    }
    cuEventDestroy_v2 [cuEventDestroy] (e: Handle) {
        if lock()?.events.remove(&(e as u64)).is_some() { OK } else { INVALID_HANDLE }
    }
    cuEventRecord [cuEventRecord_ptsz] (e: Handle, s: Handle) {
        let (mut g, stream) = enter(s)?;
        let device = g.events.get(&(e as u64)).ok_or(INVALID_HANDLE)?.device;
        if device != g.device_of_stream(stream) { return Err(INVALID_HANDLE); }
        let id = g.submit(stream, None, Work::Record(e as u64))?;
        if let Some(e) = g.events.get_mut(&(e as u64)) {
            e.record = id;
        }
        OK
    }
    cuEventRecordWithFlags [cuEventRecordWithFlags_ptsz] (e: Handle, s: Handle, _f: c_uint) { cuEventRecord(e, s) }
    cuEventQuery [] (e: Handle) { if query(|g| record(g, e))? { OK } else { NOT_READY } }
    cuEventSynchronize [] (e: Handle) {
        synchronise(|g| Ok(record(g, e)?.map(Target::Item)))?;
        OK
    }
    cuEventElapsedTime [cuEventElapsedTime_v2] (ms: *mut f32, a: Handle, b: Handle) {
        let g = ctx()?;
        let time = |e: Handle| {
            let e = g.events.get(&(e as u64)).filter(|e| e.flags & NO_TIME == 0).ok_or(INVALID_HANDLE)?;
            if e.record.is_some() { Err(NOT_READY) } else { e.time.ok_or(INVALID_HANDLE) }
        };
        let (a, b) = (time(a)?, time(b)?);
        let d = if b >= a { (b - a).as_secs_f64() } else { -(a - b).as_secs_f64() };
        out(ms, (d * 1e3) as f32)?;
        OK
    }
    cuProfilerStart [] () { OK }
    cuProfilerStop [] () { OK }
}
