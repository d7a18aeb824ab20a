//! The rows of a summary, sorted.

use super::memory::Level;
use super::times::Times;
use super::totals::{Launches, Moves, Outermost, Totals};
use crate::tools::peak::Rates;

pub(super) struct RegionRow {
    pub(super) name: String,
    /// The number of regions around it.
    pub(super) depth: usize,
    pub(super) times: Times,
}

/// The Views of one label in one memory space.
pub(super) struct MemoryRow {
    pub(super) label: String,
    pub(super) memory: &'static str,
    pub(super) level: Level,
}

pub(super) struct Report {
    /// The time from the first event to the end of the program. Unit: ns.
    pub(super) run_ns: u64,
    pub(super) outermost: Outermost,
    pub(super) rates: Rates,
    /// By time, the longest first.
    pub(super) launches: Vec<Launches>,
    /// By time, the longest first.
    pub(super) copies: Vec<Moves>,
    pub(super) fills: Vec<Moves>,
    pub(super) waits: Vec<Moves>,
    /// Each region before those inside it, in the order of their first begin.
    pub(super) regions: Vec<RegionRow>,
    /// By name.
    pub(super) memory_spaces: Vec<(&'static str, Level)>,
    /// By their high water, the most first.
    pub(super) memory: Vec<MemoryRow>,
}

impl Report {
    pub(super) fn new(totals: &Totals, run_ns: u64, rates: Rates) -> Self {
        let mut launches = totals.launches.clone();
        // Equal times in a fixed order, so that two summaries can be compared.
        launches.sort_by(|a, b| {
            let by_time = b.times.total_ns.cmp(&a.times.total_ns);
            by_time.then_with(|| (&a.label, a.pattern, a.space).cmp(&(&b.label, b.pattern, b.space)))
        });
        let [copies, fills, waits] = [&totals.copies, &totals.fills, &totals.waits].map(|rows| sorted(rows));
        let mut regions = Vec::new();
        push_regions(totals, None, 0, &mut regions);
        let mut memory_spaces = totals.memory.spaces.clone();
        memory_spaces.sort_by_key(|(memory, _)| *memory);
        let labels = totals.memory.labels.iter();
        let rows = labels.flat_map(|(label, levels)| levels.iter().map(move |level| (label, level)));
        let mut memory: Vec<_> =
            rows.map(|(label, &(memory, level))| MemoryRow { label: label.clone(), memory, level }).collect();
        memory.sort_by(|a, b| {
            let by_level = b.level.high_water_bytes.cmp(&a.level.high_water_bytes);
            by_level.then_with(|| (&a.label, a.memory).cmp(&(&b.label, b.memory)))
        });
        let outermost = totals.outermost;
        Self { run_ns, outermost, rates, launches, copies, fills, waits, regions, memory_spaces, memory }
    }

    /// The time that the program's first thread spent elsewhere than in launches, copies, fills and waits. Unit: ns.
    pub(super) fn outside_ns(&self) -> u64 {
        self.run_ns.saturating_sub(self.outermost.of_first_thread_ns)
    }

    /// The part of the machine's rate that these launches reached, where they [compare](crate::tools::peak::Rates::percent). Unit: percent.
    pub(super) fn percent_of_peak(&self, launches: &Launches) -> Option<f64> {
        let bytes = launches.bytes() as f64 / launches.times.calls.max(1) as f64;
        self.rates.percent(launches.gigabytes_per_second()?, bytes, launches.is_device)
    }
}

fn sorted(rows: &[Moves]) -> Vec<Moves> {
    let mut rows = rows.to_vec();
    rows.sort_by(|a, b| b.times.total_ns.cmp(&a.times.total_ns).then_with(|| a.name.cmp(&b.name)));
    rows
}

fn push_regions(totals: &Totals, parent: Option<usize>, depth: usize, rows: &mut Vec<RegionRow>) {
    for (place, region) in totals.regions.iter().enumerate().filter(|(_, region)| region.parent == parent) {
        rows.push(RegionRow { name: region.name.clone(), depth, times: region.times });
        push_regions(totals, Some(place), depth + 1, rows);
    }
}

impl Launches {
    /// The size of the Views of all launches. Unit: bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.read_bytes.saturating_add(self.written_bytes)
    }

    /// The rate if each View of the launches moves once. Unit: GB/s.
    pub(super) fn gigabytes_per_second(&self) -> Option<f64> {
        self.times.gigabytes_per_second(self.bytes())
    }

    /// The time of the busiest thread over the mean, of launches that were distributed over threads.
    pub(super) fn imbalance(&self) -> Option<f64> {
        (self.mean_busy_ns > 0).then(|| self.busiest_ns as f64 / self.mean_busy_ns as f64)
    }
}
