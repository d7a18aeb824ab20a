//! Statistics of launches: functions that this library adds to those of the driver.
//!
//! A test finds them by name in the library that it has loaded: `loaded.rs` does.

use super::api::OK;
use super::error::{INVALID_VALUE, NOT_FOUND, NOT_READY};
use super::order::Target;
use super::queue::{Queue, drain};
use super::state::lock;
use crate::config::Report;
use crate::exec::Stats;
use std::collections::VecDeque;
use std::ffi::{c_int, c_uint};
use std::thread::ThreadId;

/// The version of [`LaunchStatistics`]: fields are only added, at the end.
pub const STATISTICS_VERSION: u32 = 1;

/// Launches that are remembered.
const REMEMBERED: usize = 4096;

/// Statistics of one launch, as [`Loaded::launch`](crate::Loaded::launch) returns them.
///
/// A group is the threads of a warp that ran an instruction together. A request is one such instruction.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchStatistics {
    /// [`STATISTICS_VERSION`] of the library that filled it in.
    pub version: u32,
    /// Bytes of the name.
    pub name_length: u32,
    /// The first bytes of the kernel's name, then zeros.
    pub name: [u8; 256],
    /// Number of the launch, from 1, counting those of all threads.
    pub number: u64,
    /// Instructions, counted for each thread.
    pub instructions: u64,
    /// Instructions, counted for each group.
    pub group_instructions: u64,
    /// Bytes that threads read from global memory.
    pub load_bytes: u64,
    /// Requests to read global memory.
    pub load_requests: u64,
    /// Sectors of 32 bytes that these requests touched.
    pub load_sectors: u64,
    /// Bytes that threads wrote to global memory, atomics included.
    pub store_bytes: u64,
    /// Requests to write global memory, atomics included.
    pub store_requests: u64,
    /// Sectors of 32 bytes that these requests touched.
    pub store_sectors: u64,
    /// Requests to read or write shared memory.
    pub shared_requests: u64,
    /// Bytes that threads read from or wrote to shared memory.
    pub shared_bytes: u64,
    /// Passes over the banks of shared memory beyond the first of each request.
    pub bank_conflicts: u64,
    /// Arrivals of groups at barriers of their block.
    pub barriers: u64,
    /// Atomic operations, counted for each thread.
    pub atomics: u64,
    /// Bytes that threads read from or wrote to local memory.
    pub local_bytes: u64,
}

impl Default for LaunchStatistics {
    /// Zeros: of no launch.
    fn default() -> LaunchStatistics {
        LaunchStatistics { version: 0, ..LaunchStatistics::new(0, "", &Stats::default()) }
    }
}

impl LaunchStatistics {
    fn new(number: u64, name: &str, s: &Stats) -> LaunchStatistics {
        let mut text = [0; 256];
        let n = name.len().min(text.len());
        text[..n].copy_from_slice(&name.as_bytes()[..n]);
        LaunchStatistics {
            version: STATISTICS_VERSION,
            name_length: name.len() as u32,
            name: text,
            number,
            instructions: s.instructions,
            group_instructions: s.warp_instructions,
            load_bytes: s.load_bytes,
            load_requests: s.load_requests,
            load_sectors: s.load_sectors,
            store_bytes: s.store_bytes,
            store_requests: s.store_requests,
            store_sectors: s.store_sectors,
            shared_requests: s.shared_requests,
            shared_bytes: s.shared_bytes,
            bank_conflicts: s.bank_conflicts,
            barriers: s.barriers,
            atomics: s.atomics,
            local_bytes: s.local_bytes,
        }
    }

    /// The name of the kernel, cut to the space for it.
    pub fn kernel(&self) -> String {
        String::from_utf8_lossy(&self.name[..(self.name_length as usize).min(self.name.len())]).into_owned()
    }
}

#[derive(Debug)]
struct Record {
    number: u64,
    thread: ThreadId,
    name: String,
    /// `None` while it waits.
    result: Option<Result<Stats, i32>>,
}

/// The last launches.
#[derive(Debug, Default)]
pub(super) struct History {
    records: VecDeque<Record>,
    begun: u64,
}

impl History {
    /// A launch by this thread; gives its number.
    pub(super) fn begin(&mut self, name: &str) -> u64 {
        if self.records.len() == REMEMBERED {
            self.records.pop_front();
        }
        self.begun += 1;
        let thread = std::thread::current().id();
        self.records.push_back(Record { number: self.begun, thread, name: name.into(), result: None });
        self.begun
    }

    pub(super) fn ended(&mut self, number: u64, result: Result<Stats, i32>) {
        if let Some(r) = self.records.iter_mut().rev().find(|r| r.number == number) {
            r.result = Some(result);
        }
    }

    fn of_this_thread(&self, back: usize) -> Result<LaunchStatistics, i32> {
        let me = std::thread::current().id();
        let r = self.records.iter().rev().filter(|r| r.thread == me).nth(back).ok_or(NOT_FOUND)?;
        match &r.result {
            None => Err(NOT_READY),
            Some(Err(code)) => Err(*code),
            Some(Ok(s)) => Ok(LaunchStatistics::new(r.number, &r.name, s)),
        }
    }
}

/// A launch's line on stderr.
pub(super) fn print(how: Report, name: &str, g: [u32; 3], b: [u32; 3], s: &Stats) {
    match how {
        Report::None => {}
        Report::Line => print_line(name, g, b, s),
        Report::Json => print_json(name, g, b, s),
    }
}

fn print_json(name: &str, g: [u32; 3], b: [u32; 3], s: &Stats) {
    eprintln!(
        "{{\"kernel\":\"{name}\",\"grid\":{g:?},\"block\":{b:?},\"instructions\":{},\"group_instructions\":{},\
         \"load_bytes\":{},\"load_requests\":{},\"load_sectors\":{},\"store_bytes\":{},\"store_requests\":{},\
         \"store_sectors\":{},\"shared_requests\":{},\"shared_bytes\":{},\"bank_conflicts\":{},\"barriers\":{},\
         \"atomics\":{},\"local_bytes\":{}}}",
        s.instructions,
        s.warp_instructions,
        s.load_bytes,
        s.load_requests,
        s.load_sectors,
        s.store_bytes,
        s.store_requests,
        s.store_sectors,
        s.shared_requests,
        s.shared_bytes,
        s.bank_conflicts,
        s.barriers,
        s.atomics,
        s.local_bytes
    );
}

fn print_line(name: &str, g: [u32; 3], b: [u32; 3], s: &Stats) {
    let pct = |bytes: u64, sectors: u64| {
        if sectors == 0 { 100.0 } else { 100.0 * bytes as f64 / (32.0 * sectors as f64) }
    };
    eprintln!(
        "cuda-emu: {name} <<<({},{},{}), ({},{},{})>>> instructions {} (warp {}, {:.1} threads each), \
         loads {} B in {} requests, {} sectors ({:.0}%), stores {} B in {} requests, {} sectors ({:.0}%), \
         shared {} B in {} requests, {} bank conflicts, local {} B, atomics {}, barriers {}, {:.3} s, {:.1} M/s",
        g[0],
        g[1],
        g[2],
        b[0],
        b[1],
        b[2],
        s.instructions,
        s.warp_instructions,
        s.instructions as f64 / s.warp_instructions.max(1) as f64,
        s.load_bytes,
        s.load_requests,
        s.load_sectors,
        pct(s.load_bytes, s.load_sectors),
        s.store_bytes,
        s.store_requests,
        s.store_sectors,
        pct(s.store_bytes, s.store_sectors),
        s.shared_bytes,
        s.shared_requests,
        s.bank_conflicts,
        s.local_bytes,
        s.atomics,
        s.barriers,
        s.seconds,
        s.instructions as f64 / s.seconds.max(1e-9) / 1e6
    );
}

api! {
    // Returns statistics of one of this thread's launches: the last one, or that `back` launches before it. At most `size` bytes of a
    // `LaunchStatistics` are written. CUDA_ERROR_NOT_FOUND if there is none, CUDA_ERROR_NOT_READY if it has not run, the
    // error if it failed. What concerns memory is counted from `cuEmuCount(1)` on, or with `CUDA_EMU_STATS`.
    cuEmuLaunchStatistics [] (stats: *mut LaunchStatistics, size: usize, back: c_uint) {
        if stats.is_null() {
            return Err(INVALID_VALUE);
        }
        let s = lock()?.history.of_this_thread(back as usize)?;
        let n = size.min(std::mem::size_of::<LaunchStatistics>());
        std::ptr::copy_nonoverlapping(&s as *const LaunchStatistics as *const u8, stats as *mut u8, n);
        OK
    }
    // Starts or stops counting the memory traffic of launches, which takes time.
    cuEmuCount [] (on: c_int) {
        lock()?.cfg.stats = on != 0;
        OK
    }
    // Begins the deferred mode with a seed, or ends it. Waiting work is run first.
    cuEmuDefer [] (on: c_int, seed: u64) {
        let mut g = drain(Target::All)?;
        // Another thread has queued work meanwhile.
        if g.queue.pending(Target::All) { return Err(NOT_READY); }
        g.cfg.defer = (on != 0).then_some(seed);
        g.queue = Queue::new(g.cfg.defer);
        OK
    }
}
