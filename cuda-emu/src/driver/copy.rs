//! Copies.
//!
//! In the deferred mode pinned and managed memory is read and written when the copy runs. A copy from ordinary memory of the
//! host reads it when it is requested; a copy to ordinary memory is waited for. CUDA documents this for
//! asynchronous copies, and for the others after a synchronisation of the default stream.

use super::api::{Handle, OK};
use super::error::{INVALID_CONTEXT, INVALID_VALUE, NOT_SUPPORTED};
use super::order::Target;
use super::queue::{enter, legacy, synchronise};
use super::state::{State, ctx};
use super::work::Work;
use crate::mem::Kind;
use std::ffi::c_void;

/// One side of a copy: rows that are `pitch` bytes apart, in planes that are `plane` bytes apart.
#[derive(Clone, Copy, Debug)]
struct Side {
    address: u64,
    pitch: u64,
    plane: u64,
    /// Whether it must be memory allocated by this library: on the device, or pinned.
    ours: bool,
}

impl Side {
    fn line(address: u64, ours: bool) -> Side {
        Side { address, pitch: 0, plane: 0, ours }
    }

    fn row(&self, y: u64, z: u64) -> u64 {
        self.address.wrapping_add(y.wrapping_mul(self.pitch)).wrapping_add(z.wrapping_mul(self.plane))
    }
}

/// A copy of `rows` rows in each of `planes` planes.
#[derive(Debug)]
pub(super) struct Copy {
    to: Side,
    from: Side,
    /// The contents of host memory at `from` when the copy was requested.
    staged: Option<Vec<u8>>,
    width: u64,
    rows: u64,
    planes: u64,
}

impl Copy {
    fn line(to: (u64, bool), from: (u64, bool), n: usize) -> Copy {
        let (to, from) = (Side::line(to.0, to.1), Side::line(from.0, from.1));
        Copy { to, from, staged: None, width: n as u64, rows: 1, planes: 1 }
    }

    fn is_empty(&self) -> bool {
        self.width == 0 || self.rows == 0 || self.planes == 0
    }

    /// Addresses of the rows to write and to read.
    fn each(&self) -> impl Iterator<Item = (u64, u64)> + use<> {
        let (to, from, rows, planes) = (self.to, self.from, self.rows, self.planes);
        (0..planes).flat_map(move |z| (0..rows).map(move |y| (to.row(y, z), from.row(y, z))))
    }

    /// Copies the source now if it is in ordinary memory of the host.
    ///
    /// # Safety
    /// The rows to read must be memory of the program.
    unsafe fn stage(&mut self) {
        let mut bytes = Vec::with_capacity((self.width * self.rows * self.planes) as usize);
        for (_, from) in self.each() {
            // SAFETY: by the contract, the row is memory of the program, which it passed to be read.
            bytes.extend_from_slice(unsafe {
                std::slice::from_raw_parts(from as *const u8, self.width as usize)
            });
        }
        self.staged = Some(bytes);
    }
}

impl State {
    /// Host pointer for an address of either side.
    fn host(&self, a: u64, n: u64, ours: bool) -> Result<*mut u8, i32> {
        if ours || self.mem.find(a).is_some() {
            return self.dev(a, n);
        }
        if a == 0 { Err(INVALID_VALUE) } else { Ok(a as *mut u8) }
    }

    /// Does a copy, row by row.
    pub(super) fn copy(&mut self, c: &Copy) -> i32 {
        let mut staged = c.staged.as_deref();
        for (to, from) in c.each() {
            let n = c.width;
            if n == 0 {
                return OK;
            }
            let d = match self.host(to, n, c.to.ours) {
                Ok(d) => d,
                Err(e) => return e,
            };
            if let Some(bytes) = staged {
                let (row, rest) = bytes.split_at(n as usize);
                staged = Some(rest);
                // SAFETY: the row to write was looked up, or is the program's; the bytes are this copy's own.
                unsafe { std::ptr::copy_nonoverlapping(row.as_ptr(), d, n as usize) };
                self.mem.mark_init(to, n);
                continue;
            }
            match self.host(from, n, c.from.ours) {
                // SAFETY: each side was looked up, or is memory that the program gave for this.
                Ok(s) => unsafe { std::ptr::copy(s, d, n as usize) },
                Err(e) => return e,
            }
            self.mem.copy_init(to, from, n);
        }
        OK
    }

    /// Whether the program's own memory is at an address: ordinary, or pinned.
    fn at_host(&self, a: u64) -> bool {
        self.mem.known(a).is_none_or(|m| matches!(m.kind, Kind::Host | Kind::Registered))
    }
}

/// Copies in the order of a stream; `blocking` for the functions without a stream.
///
/// # Safety
/// Rows that are not memory of this library's must be the program's to read or write.
unsafe fn start(mut c: Copy, s: Handle, blocking: bool) -> Result<i32, i32> {
    let (mut g, stream) = enter(s)?;
    if c.is_empty() {
        return Ok(OK);
    }
    if !g.queue.deferred() {
        g.submit(stream, None, Work::Copy(Box::new(c)))?;
        return Ok(OK);
    }
    // Wrong requests are refused now, not when the copy runs.
    for side in [&mut c.to, &mut c.from] {
        side.ours |= g.mem.known(side.address).is_some();
        if side.address == 0 {
            return Err(INVALID_VALUE);
        }
    }
    for (to, from) in c.each() {
        for (a, ours) in [(to, c.to.ours), (from, c.from.ours)] {
            if ours && g.mem.known(a).is_none_or(|m| c.width > m.size - (a - m.base)) {
                return Err(g.bad_range(a, c.width));
            }
        }
    }
    let to_host = g.at_host(c.to.address);
    let from_host = g.at_host(c.from.address);
    if !c.from.ours {
        if blocking {
            drop(g);
            g = synchronise(|g| Ok(g.queue.last(legacy(g.device)).map(Target::Item)))?;
        }
        // SAFETY: the source is not memory of this library's, so by the contract it is the program's.
        unsafe { c.stage() };
    }
    let wait = !c.to.ours || blocking && (to_host || from_host && c.from.ours);
    let id = g.submit(stream, None, Work::Copy(Box::new(c)))?;
    if wait {
        drop(g);
        synchronise(|_| Ok(id.map(Target::Item)))?;
    }
    Ok(OK)
}

/// `CUDA_MEMCPY2D`.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Copy2D {
    src_x: usize,
    src_y: usize,
    src_type: u32,
    src_host: u64,
    src_dev: u64,
    src_array: u64,
    src_pitch: usize,
    dst_x: usize,
    dst_y: usize,
    dst_type: u32,
    dst_host: u64,
    dst_dev: u64,
    dst_array: u64,
    dst_pitch: usize,
    width: usize,
    height: usize,
}

/// `CUDA_MEMCPY3D`.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Copy3D {
    src: Side3D,
    dst: Side3D,
    width: usize,
    height: usize,
    depth: usize,
}

#[repr(C)]
#[derive(Debug)]
struct Side3D {
    x: usize,
    y: usize,
    z: usize,
    level: usize,
    memory: u32,
    host: u64,
    dev: u64,
    array: u64,
    reserved: u64,
    pitch: usize,
    height: usize,
}

const _: () = {
    assert!(std::mem::size_of::<Copy2D>() == 128);
    assert!(std::mem::size_of::<Copy3D>() == 200);
};

/// The address of a side, and whether it must be on the device.
fn address(memory: u32, host: u64, dev: u64) -> Result<(u64, bool), i32> {
    match memory {
        1 => Ok((host, false)),
        2 => Ok((dev, true)),
        4 => Ok((dev, false)),
        _ => Err(NOT_SUPPORTED),
    }
}

/// Bytes between rows: at least the width of a row if there are several rows.
fn pitch(given: usize, width: usize, rows: usize) -> Result<u64, i32> {
    if rows > 1 && given < width { Err(INVALID_VALUE) } else { Ok(given as u64) }
}

/// # Safety
/// `c` must be null or a description of memory as [`start`] asks for.
unsafe fn start_2d(c: *const Copy2D, s: Handle, blocking: bool) -> Result<i32, i32> {
    // SAFETY: by the contract, a non-null pointer points to a description.
    let c = unsafe { c.as_ref() }.ok_or(INVALID_VALUE)?;
    let side = |(base, ours), given: usize, x: usize, y: usize| -> Result<Side, i32> {
        let pitch = pitch(given, x.saturating_add(c.width), c.height)?;
        Ok(Side { address: base + y as u64 * pitch + x as u64, pitch, plane: 0, ours })
    };
    let from = side(address(c.src_type, c.src_host, c.src_dev)?, c.src_pitch, c.src_x, c.src_y)?;
    let to = side(address(c.dst_type, c.dst_host, c.dst_dev)?, c.dst_pitch, c.dst_x, c.dst_y)?;
    let copy = Copy { to, from, staged: None, width: c.width as u64, rows: c.height as u64, planes: 1 };
    // SAFETY: by the contract, the rows meet the conditions of `start`.
    unsafe { start(copy, s, blocking) }
}

/// # Safety
/// `c` must be null or a description of memory as [`start`] asks for.
unsafe fn start_3d(c: *const Copy3D, s: Handle, blocking: bool) -> Result<i32, i32> {
    // SAFETY: by the contract, a non-null pointer points to a description.
    let c = unsafe { c.as_ref() }.ok_or(INVALID_VALUE)?;
    let side = |a: &Side3D| -> Result<Side, i32> {
        let (base, ours) = address(a.memory, a.host, a.dev)?;
        let pitch = pitch(a.pitch, a.x.saturating_add(c.width), c.height.max(c.depth))?;
        if c.depth > 1 && a.height < a.y.saturating_add(c.height) {
            return Err(INVALID_VALUE);
        }
        let plane = pitch * a.height as u64;
        let address = base + a.z as u64 * plane + a.y as u64 * pitch + a.x as u64;
        Ok(Side { address, pitch, plane, ours })
    };
    let (to, from) = (side(&c.dst)?, side(&c.src)?);
    let (rows, planes) = (c.height as u64, c.depth as u64);
    let copy = Copy { to, from, staged: None, width: c.width as u64, rows, planes };
    // SAFETY: by the contract, the rows meet the conditions of `start`.
    unsafe { start(copy, s, blocking) }
}

/// Checks that each address is in memory of the context named for it.
fn are_in(sides: &[(u64, Handle)], n: usize) -> Result<(), i32> {
    let g = ctx()?;
    for (address, context) in sides {
        let device = g.device_of(*context as u64).ok_or(INVALID_CONTEXT)?;
        if n != 0 && !g.mem.is_of(*address, device) {
            eprintln!("cuda-emu: a copy between contexts: 0x{address:x} is no memory of device {device}");
            return Err(INVALID_VALUE);
        }
    }
    Ok(())
}

const NULL: Handle = std::ptr::null_mut();

api! {
    cuMemcpyHtoD_v2 [cuMemcpyHtoD_v2_ptds] (d: u64, s: *const c_void, n: usize) {
        start(Copy::line((d, true), (s as u64, false), n), NULL, true)?
    }
    cuMemcpyHtoDAsync_v2 [cuMemcpyHtoDAsync_v2_ptsz] (d: u64, s: *const c_void, n: usize, st: Handle) {
        start(Copy::line((d, true), (s as u64, false), n), st, false)?
    }
    cuMemcpyDtoH_v2 [cuMemcpyDtoH_v2_ptds] (d: *mut c_void, s: u64, n: usize) {
        start(Copy::line((d as u64, false), (s, true), n), NULL, true)?
    }
    cuMemcpyDtoHAsync_v2 [cuMemcpyDtoHAsync_v2_ptsz] (d: *mut c_void, s: u64, n: usize, st: Handle) {
        start(Copy::line((d as u64, false), (s, true), n), st, false)?
    }
    cuMemcpyDtoD_v2 [cuMemcpyDtoD_v2_ptds] (d: u64, s: u64, n: usize) {
        start(Copy::line((d, true), (s, true), n), NULL, true)?
    }
    cuMemcpyDtoDAsync_v2 [cuMemcpyDtoDAsync_v2_ptsz] (d: u64, s: u64, n: usize, st: Handle) {
        start(Copy::line((d, true), (s, true), n), st, false)?
    }
    cuMemcpy [cuMemcpy_ptds] (d: u64, s: u64, n: usize) {
        start(Copy::line((d, false), (s, false), n), NULL, true)?
    }
    cuMemcpyAsync [cuMemcpyAsync_ptsz] (d: u64, s: u64, n: usize, st: Handle) {
        start(Copy::line((d, false), (s, false), n), st, false)?
    }
    cuMemcpyPeer [cuMemcpyPeer_ptds] (d: u64, dc: Handle, s: u64, sc: Handle, n: usize) {
        are_in(&[(d, dc), (s, sc)], n)?;
        start(Copy::line((d, true), (s, true), n), NULL, true)?
    }
    cuMemcpyPeerAsync [cuMemcpyPeerAsync_ptsz] (d: u64, dc: Handle, s: u64, sc: Handle, n: usize, st: Handle) {
        are_in(&[(d, dc), (s, sc)], n)?;
        start(Copy::line((d, true), (s, true), n), st, false)?
    }
    cuMemcpy2D_v2 [cuMemcpy2D_v2_ptds cuMemcpy2DUnaligned_v2 cuMemcpy2DUnaligned_v2_ptds] (c: *const Copy2D) {
        start_2d(c, NULL, true)?
    }
    cuMemcpy2DAsync_v2 [cuMemcpy2DAsync_v2_ptsz] (c: *const Copy2D, s: Handle) { start_2d(c, s, false)? }
    cuMemcpy3D_v2 [cuMemcpy3D_v2_ptds] (c: *const Copy3D) { start_3d(c, NULL, true)? }
    cuMemcpy3DAsync_v2 [cuMemcpy3DAsync_v2_ptsz] (c: *const Copy3D, s: Handle) { start_3d(c, s, false)? }
}
