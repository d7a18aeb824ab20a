//! The rows of a summary, sorted.

use super::totals::{Copies, Launches, Times, Totals};
use crate::tools::Pattern;

pub(super) struct LaunchRow {
    pub(super) label: String,
    pub(super) pattern: Pattern,
    pub(super) space: &'static str,
    pub(super) launches: Launches,
}

pub(super) struct CopyRow {
    pub(super) from: &'static str,
    pub(super) to: &'static str,
    pub(super) copies: Copies,
}

pub(super) struct RegionRow {
    pub(super) name: String,
    /// The number of regions around it.
    pub(super) depth: usize,
    pub(super) times: Times,
}

pub(super) struct Report {
    /// The time from the first event to the end of the program. Unit: ns.
    pub(super) run_ns: u64,
    /// The time of launches that are not inside others, of all threads together. Unit: ns.
    pub(super) launches_ns: u64,
    /// The rate of the machine's memory, if it is known. Unit: GB/s.
    pub(super) peak: Option<f64>,
    /// By time, the longest first.
    pub(super) launches: Vec<LaunchRow>,
    /// By time, the longest first.
    pub(super) copies: Vec<CopyRow>,
    /// Each region before those inside it, in the order of their first begin.
    pub(super) regions: Vec<RegionRow>,
}

impl Report {
    pub(super) fn new(totals: &Totals, run_ns: u64, peak: Option<f64>) -> Self {
        let mut launches: Vec<_> = totals
            .launches
            .iter()
            .flat_map(|(label, rows)| rows.iter().map(move |row| (label, row)))
            .map(|(label, &(pattern, space, launches))| LaunchRow {
                label: label.clone(),
                pattern,
                space,
                launches,
            })
            .collect();
        // Equal times in a fixed order, so that two summaries can be compared.
        launches.sort_by(|a, b| {
            let by_time = b.launches.times.total_ns.cmp(&a.launches.times.total_ns);
            by_time.then_with(|| (&a.label, a.pattern, a.space).cmp(&(&b.label, b.pattern, b.space)))
        });
        let mut copies: Vec<_> =
            totals.copies.iter().map(|(&(from, to), copies)| CopyRow { from, to, copies: *copies }).collect();
        copies.sort_by(|a, b| {
            b.copies.times.total_ns.cmp(&a.copies.times.total_ns).then((a.from, a.to).cmp(&(b.from, b.to)))
        });
        let mut regions = Vec::new();
        push_regions(totals, None, 0, &mut regions);
        Self { run_ns, launches_ns: totals.launches_ns, peak, launches, copies, regions }
    }
}

fn push_regions(totals: &Totals, parent: Option<usize>, depth: usize, rows: &mut Vec<RegionRow>) {
    for (place, region) in totals.regions.iter().enumerate().filter(|(_, region)| region.parent == parent) {
        rows.push(RegionRow { name: region.name.clone(), depth, times: region.times });
        push_regions(totals, Some(place), depth + 1, rows);
    }
}

impl LaunchRow {
    /// The rate if each View of the launches moves once. Unit: GB/s. `None` if they have no Views, or took no time.
    pub(super) fn gigabytes_per_second(&self) -> Option<f64> {
        let bytes = self.launches.read_bytes.saturating_add(self.launches.written_bytes);
        let total_ns = self.launches.times.total_ns;
        (bytes > 0 && total_ns > 0).then(|| bytes as f64 / total_ns as f64)
    }
}

/// The mean time of a call. Unit: ns.
pub(super) fn mean_ns(times: &Times) -> f64 {
    if times.calls == 0 { 0.0 } else { times.total_ns as f64 / times.calls as f64 }
}
