//! Counting and checking of memory accesses.

use super::machine::Machine;
use super::report::Run;
use super::resolve::{Pointers, Request};
use super::running::Running;
use crate::alu::Row;
use crate::check::{Access, Event, Part};
use crate::ir::{MF_CONSTANT, MF_COPIES, MF_STRONG, SHARED_WIN, WIN_SHIFT};
use crate::ptx::Space;
use arrayvec::ArrayVec;
use std::fmt::Write as _;

/// Counters of a launch. Those of memory need [`Config::stats`](crate::Config::stats) or a check that looks at accesses.
#[derive(Debug, Clone, Default)]
pub struct Stats {
    /// Instructions, counted for each thread.
    pub instructions: u64,
    /// Instructions, counted once for each group that ran them together.
    pub warp_instructions: u64,
    /// Bytes that threads read from global memory.
    pub load_bytes: u64,
    /// Reads of global memory, counted once for each group.
    pub load_requests: u64,
    /// Sectors of 32 bytes that these reads touched.
    pub load_sectors: u64,
    /// Bytes that threads wrote to global memory, atomics included.
    pub store_bytes: u64,
    /// Writes of global memory, counted once for each group.
    pub store_requests: u64,
    /// Sectors of 32 bytes that these writes touched.
    pub store_sectors: u64,
    /// Accesses of shared memory, counted once for each group.
    pub shared_requests: u64,
    /// Bytes that threads read from and wrote to shared memory.
    pub shared_bytes: u64,
    /// Passes over shared memory beyond the first of each request.
    pub bank_conflicts: u64,
    /// Atomic operations, counted for each thread.
    pub atomics: u64,
    /// Arrivals of groups at barriers of the block.
    pub barriers: u64,
    /// Bytes read from and written to local memory.
    pub local_bytes: u64,
    /// Time on the host.
    pub seconds: f64,
}

/// Lanes, each with the address that it accesses.
type Addresses = ArrayVec<(usize, u64), 32>;

/// A value that is written, and the logarithm of its size: enough to see that nothing changes.
pub(super) type Written<'r> = Option<(&'r Row, u8)>;

impl Machine<'_> {
    /// Counts and checks one access.
    ///
    /// # Safety
    /// `base` of the request must point to a row, and `ptrs` be those that `resolve` gave for the lanes of `act`.
    #[inline(never)]
    pub(super) unsafe fn hook(
        &mut self,
        at: &Running,
        act: u32,
        request: &Request,
        ptrs: &Pointers,
        kind: Access,
        value: Written,
    ) -> Run<()> {
        let size = request.size;
        let (mut global, mut shared) = (Addresses::new(), Addresses::new());
        lanes!(act, l, {
            // SAFETY: `base` points to a row, and `l` is below 32, its slots.
            let a = unsafe { (*request.base).0[l] }.wrapping_add(request.off as u64);
            match request.space {
                Space::Global => global.push((l, a)),
                Space::Shared => shared.push((l, a)),
                Space::Generic => match a >> WIN_SHIFT {
                    0x8 => shared.push((l, a - SHARED_WIN)),
                    0x9..0x10 => self.stats.local_bytes += size,
                    _ => global.push((l, a)),
                },
                Space::Local => self.stats.local_bytes += size,
                _ => {}
            }
        });
        self.stats.count_global(&global, size, kind);
        self.stats.count_shared(&shared, size);
        if self.checks.is_none() {
            return Ok(());
        }
        for (is_shared, list) in [(false, &global), (true, &shared)] {
            if list.is_empty() {
                continue;
            }
            let event = Event {
                shared: is_shared,
                size,
                kind,
                strong: request.flags & MF_STRONG != 0,
                copies: request.flags & MF_COPIES != 0,
                constant: request.flags & MF_CONSTANT != 0,
                block: at.block.id,
                warp: at.wi,
                line: at.code.ins[at.pc as usize].line,
            };
            let tid0 = at.block.warps[at.wi].tid0;
            let parts = list.iter().map(|(l, a)| {
                // Writing the same value again is harmless.
                // SAFETY: `resolve` gave this lane a pointer to the whole access, `1 << lg` bytes where one value is written.
                let same = value.is_some_and(|(v, lg)| unsafe { holds(ptrs[*l], lg, v.0[*l]) });
                Part { lane: *l, addr: *a, tid: tid0 + *l as u32, same }
            });
            let Some(c) = &mut self.checks else { return Ok(()) };
            let Some((lane, report)) = c.accesses(self.mem, &event, parts) else { continue };
            let place = self.place(at.block, &at.block.warps[at.wi], lane, at.func, at.pc);
            let first = format!("{}\n  {place}", self.with_lines(&report));
            if let Some(c) = &mut self.checks {
                c.first = Some(first);
            }
        }
        Ok(())
    }

    /// A report, with the source text of the lines that it names by `@line`.
    fn with_lines(&self, report: &str) -> String {
        let mut parts = report.split("@line");
        let mut text = parts.next().unwrap_or("").to_string();
        for part in parts {
            let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
            let n: u32 = part[..part.len() - rest.len()].parse().unwrap_or(0);
            let _ = write!(text, "ptx line {n}: {}{rest}", self.prog.line_text(n));
        }
        text
    }
}

/// Whether the `1 << lg` bytes at `p` are the lowest of `value`.
///
/// # Safety
/// They may be read.
#[inline(always)]
unsafe fn holds(p: *const u8, lg: u8, value: u64) -> bool {
    // SAFETY: by the contract, and unaligned.
    unsafe {
        match lg {
            0 => *p == value as u8,
            1 => p.cast::<u16>().read_unaligned() == value as u16,
            2 => p.cast::<u32>().read_unaligned() == value as u32,
            _ => p.cast::<u64>().read_unaligned() == value,
        }
    }
}

impl Stats {
    /// Counts an access of global memory by a group.
    fn count_global(&mut self, lanes: &Addresses, size: u64, kind: Access) {
        if lanes.is_empty() {
            return;
        }
        let sectors = distinct(lanes.iter().flat_map(|(_, a)| a / 32..=(a + size - 1) / 32));
        let bytes = size * lanes.len() as u64;
        if kind == Access::Read {
            self.load_bytes += bytes;
            self.load_requests += 1;
            self.load_sectors += sectors.len() as u64;
        } else {
            self.store_bytes += bytes;
            self.store_requests += 1;
            self.store_sectors += sectors.len() as u64;
        }
    }

    /// Counts an access of shared memory by a group.
    fn count_shared(&mut self, lanes: &Addresses, size: u64) {
        if lanes.is_empty() {
            return;
        }
        self.shared_requests += 1;
        self.shared_bytes += size * lanes.len() as u64;
        // Wide accesses are done for a part of the warp at a time.
        let part = match size {
            16 => 8,
            8 => 16,
            _ => 32,
        };
        for c in lanes.chunks(part) {
            let mut bank = [0u64; 32];
            for w in distinct(c.iter().flat_map(|(_, a)| a / 4..=(a + size - 1) / 4)) {
                bank[(w % 32) as usize] += 1;
            }
            self.bank_conflicts += bank.into_iter().max().unwrap_or(0).saturating_sub(1);
        }
    }
}

/// Numbers without those that occur again, in ascending order; at most two for each lane.
fn distinct(numbers: impl Iterator<Item = u64>) -> ArrayVec<u64, 64> {
    let mut all = ArrayVec::<u64, 64>::new();
    for number in numbers {
        // Lanes mostly access ascending addresses.
        match all.last() {
            Some(last) if *last == number => {}
            Some(last) if *last > number => {
                if let Err(place) = all.binary_search(&number) {
                    all.insert(place, number);
                }
            }
            _ => all.push(number),
        }
    }
    all
}
