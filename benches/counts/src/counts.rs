//! Counts of a launch, by the emulator's counters.

use std::sync::{Mutex, PoisonError};

use cuda_emu::{LaunchStatistics, Loaded};
use spelt::prelude::*;

use super::kernels::Setup;

/// Bytes of a sector, the least amount that memory fetches.
pub const SECTOR: u64 = 32;

/// The counts of one call of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Counts {
    /// Its name in tables.
    pub name: &'static str,
    /// Iterations.
    pub elements: usize,
    /// Bytes that it must read and write at least.
    pub bytes: usize,
    /// The counters, for an algorithm of several launches their sums.
    pub launch: LaunchStatistics,
}

/// `part / whole`, and 0 if `whole` is 0.
fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

impl Counts {
    /// Instructions of all threads for each element.
    #[must_use]
    pub fn instructions(&self) -> f64 {
        self.launch.instructions as f64 / self.elements as f64
    }

    /// Sectors that a request to read global memory touched.
    #[must_use]
    pub fn load_sectors(&self) -> f64 {
        ratio(self.launch.load_sectors, self.launch.load_requests)
    }

    /// Sectors that a request to write global memory touched.
    #[must_use]
    pub fn store_sectors(&self) -> f64 {
        ratio(self.launch.store_sectors, self.launch.store_requests)
    }

    /// The part of the sectors' bytes that was read, 1 where nothing was. Above 1 where threads read the same bytes.
    #[must_use]
    pub fn loads_used(&self) -> f64 {
        if self.launch.load_sectors == 0 {
            return 1.0;
        }
        ratio(self.launch.load_bytes, SECTOR * self.launch.load_sectors)
    }

    /// The part of the sectors' bytes that was written, 1 where nothing was.
    #[must_use]
    pub fn stores_used(&self) -> f64 {
        if self.launch.store_sectors == 0 {
            return 1.0;
        }
        ratio(self.launch.store_bytes, SECTOR * self.launch.store_sectors)
    }

    /// Bytes of all sectors touched, for each byte that must be read or written.
    #[must_use]
    pub fn traffic(&self) -> f64 {
        ratio(SECTOR * (self.launch.load_sectors + self.launch.store_sectors), self.bytes as u64)
    }

    /// Bank conflicts for each request to shared memory.
    #[must_use]
    pub fn conflicts(&self) -> f64 {
        ratio(self.launch.bank_conflicts, self.launch.shared_requests)
    }
}

/// The sum of the counters of two launches, with the first one's name and number.
fn added(a: LaunchStatistics, b: LaunchStatistics) -> LaunchStatistics {
    LaunchStatistics {
        instructions: a.instructions + b.instructions,
        group_instructions: a.group_instructions + b.group_instructions,
        load_bytes: a.load_bytes + b.load_bytes,
        load_requests: a.load_requests + b.load_requests,
        load_sectors: a.load_sectors + b.load_sectors,
        store_bytes: a.store_bytes + b.store_bytes,
        store_requests: a.store_requests + b.store_requests,
        store_sectors: a.store_sectors + b.store_sectors,
        shared_requests: a.shared_requests + b.shared_requests,
        shared_bytes: a.shared_bytes + b.shared_bytes,
        bank_conflicts: a.bank_conflicts + b.bank_conflicts,
        barriers: a.barriers + b.barriers,
        atomics: a.atomics + b.atomics,
        local_bytes: a.local_bytes + b.local_bytes,
        ..a
    }
}

/// Counts one call of a kernel over `n` elements. Its results are compared with the host's, bit for bit.
///
/// The second call is counted: the first may load code and make room. The emulator remembers 4096 launches.
///
/// # Errors
/// The failure as text.
pub fn count(
    emulator: &Loaded,
    space: &Cuda,
    on_device: Setup<Cuda>,
    on_host: Setup<Serial>,
    n: usize,
) -> Result<Counts, String> {
    /// Counting is switched, and launches are numbered, for the whole process: threads take turns.
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let fault = |error: spelt::Error| error.to_string();
    let launch =
        |back| emulator.launch(back).map_err(|code| format!("the emulator has no counts: error {code}"));
    let mut kernel = on_device(space, n).map_err(fault)?;
    kernel.launch().map_err(fault)?;
    let before = launch(0)?.number;
    emulator.count(true);
    kernel.launch().and_then(|()| space.fence()).map_err(fault)?;
    emulator.count(false);
    let launches = launch(0)?.number - before;
    if !(1..=4096).contains(&launches) {
        return Err(format!("{kernel:?}: {launches} launches, where 1 to 4096 can be counted"));
    }
    let mut sum = launch(launches as u32 - 1)?;
    for back in 0..launches as u32 - 1 {
        sum = added(sum, launch(back)?);
    }
    let host = Serial::new();
    let mut wanted = on_host(&host, n).map_err(fault)?;
    wanted.launch().and_then(|()| wanted.launch()).map_err(fault)?;
    if kernel.bits().map_err(fault)? != wanted.bits().map_err(fault)? {
        return Err(format!("{kernel:?}: the device's bits are not the host's"));
    }
    Ok(Counts { name: kernel.name, elements: kernel.elements, bytes: kernel.bytes, launch: sum })
}

/// The heading of a table of counts, in Markdown.
pub const HEADING: &str = "\
| kernel | n | instructions per element | load sectors per request | bytes used | store sectors per request | bytes used | \
sectors' bytes per byte needed | conflicts per shared request | barriers | local bytes |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|";

/// A row of that table.
#[must_use]
pub fn row(counts: &Counts) -> String {
    format!(
        "| {} | {} | {:.2} | {:.2} | {:.1} % | {:.2} | {:.1} % | {:.3} | {:.3} | {} | {} |",
        counts.name,
        counts.elements,
        counts.instructions(),
        counts.load_sectors(),
        100.0 * counts.loads_used(),
        counts.store_sectors(),
        100.0 * counts.stores_used(),
        counts.traffic(),
        counts.conflicts(),
        counts.launch.barriers,
        counts.launch.local_bytes,
    )
}
