//! The least time that a GPU can take for counted work, from its published rates.
//!
//! The greatest of five times, each as if nothing else took any: bytes that must be moved over the rate of memory, bytes
//! of all sectors touched over that of the first-level caches, instructions of warps over the rate of issue, shared memory's bytes
//! and conflicts over that of its banks, and waits at barriers with all warps resident. No kernel is faster than this, so
//! it says which goals are out of reach without another algorithm, and which of the five stands in the way. A kernel far
//! above it waits: for memory with too few loads under way, for other blocks, or for the host.

use cuda_emu::LaunchStatistics;

use super::counts::{Counts, SECTOR};

/// Rates of a device.
#[derive(Clone, Copy, Debug)]
pub struct Rates {
    /// Its name.
    pub name: &'static str,
    /// Bytes a second of its memory.
    pub memory: f64,
    /// Bytes a clock of a multiprocessor's first-level cache.
    pub cache: f64,
    /// Clocks a second.
    pub clock: f64,
    /// Multiprocessors.
    pub multiprocessors: f64,
    /// Instructions of warps that a multiprocessor issues in a clock.
    pub issued: f64,
    /// Bytes a clock of a multiprocessor's shared memory.
    pub shared: f64,
    /// Warps that a multiprocessor holds.
    pub warps: f64,
    /// Clocks that a warp waits at a barrier at least.
    pub barrier: f64,
}

/// The H200 by NVIDIA's data sheet and tuning guide of Hopper: 4.8 TB/s, 132 multiprocessors of four schedulers and 64 warps,
/// 32 banks of 4 bytes, a line of 128 bytes a clock from the first-level cache, at most 1.98 GHz. The 20 clocks of a barrier are an
/// assumption.
pub const H200: Rates = Rates {
    name: "H200",
    memory: 4.8e12,
    cache: 128.0,
    clock: 1.98e9,
    multiprocessors: 132.0,
    issued: 4.0,
    shared: 128.0,
    warps: 64.0,
    barrier: 20.0,
};

/// The parts of the work, each with the least seconds that it takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Floor {
    /// Bytes that must be read and written.
    pub memory: f64,
    /// Sectors of global memory.
    pub cache: f64,
    /// Instructions.
    pub issue: f64,
    /// Shared memory.
    pub shared: f64,
    /// Barriers.
    pub barriers: f64,
}

impl Floor {
    /// That of a launch, or of several one after the other, which move at least `bytes`.
    #[must_use]
    pub fn new(rates: &Rates, bytes: usize, counts: &LaunchStatistics) -> Floor {
        let everywhere = rates.multiprocessors * rates.clock;
        Floor {
            memory: bytes as f64 / rates.memory,
            cache: (SECTOR * (counts.load_sectors + counts.store_sectors)) as f64
                / (rates.cache * everywhere),
            issue: counts.group_instructions as f64 / (rates.issued * everywhere),
            shared: (counts.shared_bytes as f64 / rates.shared + counts.bank_conflicts as f64) / everywhere,
            barriers: counts.barriers as f64 * rates.barrier / (rates.warps * everywhere),
        }
    }

    /// The floor of `times` as much work.
    #[must_use]
    pub fn scaled(self, times: f64) -> Floor {
        Floor {
            memory: self.memory * times,
            cache: self.cache * times,
            issue: self.issue * times,
            shared: self.shared * times,
            barriers: self.barriers * times,
        }
    }

    /// The greatest part and its name.
    #[must_use]
    pub fn greatest(&self) -> (&'static str, f64) {
        let parts = [
            ("memory", self.memory),
            ("cache", self.cache),
            ("instructions", self.issue),
            ("shared memory", self.shared),
            ("barriers", self.barriers),
        ];
        parts.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).expect("there are five parts")
    }
}

/// Times of 10^8 elements measured on the H200 (`docs/h200.md`): kernel, and microseconds of Spelt and of CUB. Of rows, those with a given size of
/// teams: which one `AUTO` takes depends on their number.
const MEASURED: [(&str, f64, Option<f64>); 22] = [
    ("copy f64", 421.0, Some(379.0)),
    ("sum f64", 189.0, Some(180.0)),
    ("sum f32", 106.0, Some(93.2)),
    ("dot f64", 363.0, Some(352.0)),
    ("min f64", 190.0, Some(180.0)),
    ("minmaxloc f64", 256.0, None),
    ("scan i64", 880.0, Some(481.0)),
    ("scan f64", 914.0, Some(503.0)),
    ("axpy f64", 565.0, None),
    ("triad f64", 557.0, None),
    ("stencil f64", 486.0, None),
    ("rows of 64 by teams of 8", 363.0, None),
    ("rows of 64 by teams of 32", 750.0, None),
    ("rows of 1000 by teams of 8", 499.0, None),
    ("rows of 1000 by teams of 32", 400.0, None),
    ("transposing copy f64", 437.0, None),
    ("sums along an axis of 1000", 299.0, None),
    ("sort u32", 9_835.0, Some(2_117.0)),
    ("sort i64", 42_284.0, Some(6_254.0)),
    ("sort by key u32", 29_601.0, Some(3_239.0)),
    ("histogram of 256", 478.0, Some(224.0)),
    ("segments of 100 f64", 2_484.0, Some(1_328.0)),
];

/// Elements of the measured times.
const ELEMENTS: f64 = 1e8;

/// The part of a peer's speed that is the goal.
const GOAL: f64 = 0.95;

/// The heading of a table of floors, in Markdown.
pub const HEADING: &str = "\
| kernel | memory | cache | instructions | shared memory | barriers | greatest | measured | explained | CUB | 95 % of CUB |
|---|---:|---:|---:|---:|---:|---|---:|---:|---:|---|";

/// A row of that table, for 10^8 elements by the counts of fewer: microseconds.
#[must_use]
pub fn row(counts: &Counts) -> String {
    let floor = Floor::new(&H200, counts.bytes, &counts.launch).scaled(ELEMENTS / counts.elements as f64);
    let (part, least) = floor.greatest();
    let cell = |seconds: f64| format!("{:.0}", 1e6 * seconds);
    let measured = MEASURED.iter().find(|measured| measured.0 == counts.name);
    let (spelt, explained, cub, reach) = match measured {
        None => Default::default(),
        Some(&(_, spelt, cub)) => (
            format!("{spelt}"),
            format!("{:.0} %", 100.0 * 1e6 * least / spelt),
            cub.map_or_else(String::new, |cub| format!("{cub}")),
            cub.map_or("", |cub| if 1e6 * least <= cub / GOAL { "in reach" } else { "not in reach" }),
        ),
    };
    format!(
        "| {} | {} | {} | {} | {} | {} | {part} | {spelt} | {explained} | {cub} | {reach} |",
        counts.name,
        cell(floor.memory),
        cell(floor.cache),
        cell(floor.issue),
        cell(floor.shared),
        cell(floor.barriers),
    )
}
