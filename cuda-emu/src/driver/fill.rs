//! Filling of memory with a value.

use super::api::{Handle, OK};
use super::error::INVALID_VALUE;
use super::order::Target;
use super::queue::{enter_own, synchronise};
use super::state::State;
use super::work::Work;
use crate::mem::Kind;

/// Rows of `count` values each, `pitch` bytes apart.
#[derive(Debug)]
pub(super) struct Fill {
    address: u64,
    pitch: u64,
    value: [u8; 4],
    size: usize,
    count: usize,
    rows: usize,
}

impl Fill {
    fn new<const N: usize>(address: u64, value: [u8; N], count: usize) -> Fill {
        let mut v = [0; 4];
        v[..N].copy_from_slice(&value);
        Fill { address, pitch: 0, value: v, size: N, count, rows: 1 }
    }

    fn with_rows(self, pitch: usize, rows: usize) -> Fill {
        Fill { pitch: pitch as u64, rows, ..self }
    }

    fn row_bytes(&self) -> u64 {
        (self.count as u64).saturating_mul(self.size as u64)
    }

    fn each(&self) -> impl Iterator<Item = u64> + use<> {
        let (address, pitch) = (self.address, self.pitch);
        (0..self.rows as u64).map(move |y| address.wrapping_add(y.wrapping_mul(pitch)))
    }
}

impl State {
    pub(super) fn fill(&mut self, f: &Fill) -> i32 {
        let n = f.row_bytes();
        if n == 0 {
            return OK;
        }
        for row in f.each() {
            if !row.is_multiple_of(f.size as u64) {
                return INVALID_VALUE;
            }
            if self.mem.find(row).is_some() && self.mem.find_here(row).is_none() {
                return self.bad_range(row, n);
            }
            match self.dev(row, n) {
                Ok(p) => {
                    for i in 0..f.count {
                        // SAFETY: the row has `count` times `size` bytes, and is not part of a slice.
                        unsafe { std::ptr::copy_nonoverlapping(f.value.as_ptr(), p.add(i * f.size), f.size) };
                    }
                    self.mem.mark_init(row, n);
                }
                Err(e) => return e,
            }
        }
        OK
    }
}

/// Fills in the order of a stream. Without a stream, the host also waits if the memory is its own.
fn start(f: Fill, s: Handle, blocking: bool) -> Result<i32, i32> {
    let (mut g, stream) = enter_own(s)?;
    let n = f.row_bytes();
    let mut wait = false;
    if g.queue.deferred() && n > 0 {
        for row in f.each() {
            if !row.is_multiple_of(f.size as u64) {
                return Err(INVALID_VALUE);
            }
            match g.mem.known(row) {
                Some(m) if n <= m.size - (row - m.base) && g.mem.is_of(row, g.device) => {
                    wait |= blocking && matches!(m.kind, Kind::Host | Kind::Registered | Kind::Managed);
                }
                _ => return Err(g.bad_range(row, n)),
            }
        }
    }
    let id = g.submit(stream, None, Work::Fill(f))?;
    if wait {
        drop(g);
        synchronise(|_| Ok(id.map(Target::Item)))?;
    }
    Ok(OK)
}

const NULL: Handle = std::ptr::null_mut();

api! {
    cuMemsetD8_v2 [cuMemsetD8_v2_ptds] (d: u64, v: u8, n: usize) {
        start(Fill::new(d, v.to_le_bytes(), n), NULL, true)?
    }
    cuMemsetD8Async [cuMemsetD8Async_ptsz] (d: u64, v: u8, n: usize, s: Handle) {
        start(Fill::new(d, v.to_le_bytes(), n), s, false)?
    }
    cuMemsetD2D8_v2 [cuMemsetD2D8_v2_ptds] (d: u64, pitch: usize, v: u8, w: usize, rows: usize) {
        start(Fill::new(d, v.to_le_bytes(), w).with_rows(pitch, rows), NULL, true)?
    }
    cuMemsetD2D8Async [cuMemsetD2D8Async_ptsz] (
        d: u64, pitch: usize, v: u8, w: usize, rows: usize, s: Handle,
    ) {
        start(Fill::new(d, v.to_le_bytes(), w).with_rows(pitch, rows), s, false)?
    }
    cuMemsetD16_v2 [cuMemsetD16_v2_ptds] (d: u64, v: u16, n: usize) {
        start(Fill::new(d, v.to_le_bytes(), n), NULL, true)?
    }
    cuMemsetD16Async [cuMemsetD16Async_ptsz] (d: u64, v: u16, n: usize, s: Handle) {
        start(Fill::new(d, v.to_le_bytes(), n), s, false)?
    }
    cuMemsetD2D16_v2 [cuMemsetD2D16_v2_ptds] (d: u64, pitch: usize, v: u16, w: usize, rows: usize) {
        start(Fill::new(d, v.to_le_bytes(), w).with_rows(pitch, rows), NULL, true)?
    }
    cuMemsetD2D16Async [cuMemsetD2D16Async_ptsz] (
        d: u64, pitch: usize, v: u16, w: usize, rows: usize, s: Handle,
    ) {
        start(Fill::new(d, v.to_le_bytes(), w).with_rows(pitch, rows), s, false)?
    }
    cuMemsetD32_v2 [cuMemsetD32_v2_ptds] (d: u64, v: u32, n: usize) {
        start(Fill::new(d, v.to_le_bytes(), n), NULL, true)?
    }
    cuMemsetD32Async [cuMemsetD32Async_ptsz] (d: u64, v: u32, n: usize, s: Handle) {
        start(Fill::new(d, v.to_le_bytes(), n), s, false)?
    }
    cuMemsetD2D32_v2 [cuMemsetD2D32_v2_ptds] (d: u64, pitch: usize, v: u32, w: usize, rows: usize) {
        start(Fill::new(d, v.to_le_bytes(), w).with_rows(pitch, rows), NULL, true)?
    }
    cuMemsetD2D32Async [cuMemsetD2D32Async_ptsz] (
        d: u64, pitch: usize, v: u32, w: usize, rows: usize, s: Handle,
    ) {
        start(Fill::new(d, v.to_le_bytes(), w).with_rows(pitch, rows), s, false)?
    }
}
