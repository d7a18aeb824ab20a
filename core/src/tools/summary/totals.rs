//! The numbers of a summary, added up as events come.

use std::collections::HashMap;

use crate::tools::{CopyEvent, LaunchEvent, Pattern};

/// Calls that took this long. Unit: ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Times {
    pub(super) calls: u64,
    pub(super) total_ns: u64,
    pub(super) min_ns: u64,
    pub(super) max_ns: u64,
}

impl Times {
    fn add(&mut self, elapsed_ns: u64) {
        self.min_ns = if self.calls == 0 { elapsed_ns } else { self.min_ns.min(elapsed_ns) };
        self.max_ns = self.max_ns.max(elapsed_ns);
        self.calls += 1;
        self.total_ns = self.total_ns.saturating_add(elapsed_ns);
    }
}

/// The launches of one label, pattern and space.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Launches {
    pub(super) times: Times,
    pub(super) read_bytes: u64,
    pub(super) written_bytes: u64,
}

/// The copies between two memory spaces.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Copies {
    pub(super) times: Times,
    pub(super) bytes: u64,
}

/// A region below another.
#[derive(Clone, Debug)]
pub(super) struct RegionNode {
    pub(super) name: String,
    pub(super) parent: Option<usize>,
    pub(super) times: Times,
}

#[derive(Debug, Default)]
pub(super) struct Totals {
    /// By label: the patterns and spaces of its launches.
    pub(super) launches: HashMap<String, Vec<(Pattern, &'static str, Launches)>>,
    pub(super) copies: HashMap<(&'static str, &'static str), Copies>,
    /// Parents come before their children.
    pub(super) regions: Vec<RegionNode>,
    /// The time of launches that are not inside others. Unit: ns.
    pub(super) launches_ns: u64,
}

impl Totals {
    pub(super) fn add_launch(&mut self, launch: &LaunchEvent<'_>, elapsed_ns: u64, is_outermost: bool) {
        // No memory is allocated for a label that is known.
        if !self.launches.contains_key(launch.label) {
            self.launches.insert(launch.label.to_owned(), Vec::new());
        }
        let rows = self.launches.get_mut(launch.label).expect("it has just been inserted");
        let place = rows.iter().position(|row| (row.0, row.1) == (launch.pattern, launch.space));
        let place = place.unwrap_or_else(|| {
            rows.push((launch.pattern, launch.space, Launches::default()));
            rows.len() - 1
        });
        let row = &mut rows[place].2;
        row.times.add(elapsed_ns);
        row.read_bytes = row.read_bytes.saturating_add(launch.read_bytes);
        row.written_bytes = row.written_bytes.saturating_add(launch.written_bytes);
        if is_outermost {
            self.launches_ns = self.launches_ns.saturating_add(elapsed_ns);
        }
    }

    pub(super) fn add_copy(&mut self, copy: &CopyEvent<'_>, elapsed_ns: u64) {
        let row = self.copies.entry((copy.from_memory, copy.to_memory)).or_default();
        row.times.add(elapsed_ns);
        row.bytes = row.bytes.saturating_add(copy.bytes);
    }

    /// The region of this name below `parent`.
    pub(super) fn region(&mut self, parent: Option<usize>, name: &str) -> usize {
        let is_it = |region: &RegionNode| region.parent == parent && region.name == name;
        self.regions.iter().position(is_it).unwrap_or_else(|| {
            self.regions.push(RegionNode { name: name.to_owned(), parent, times: Times::default() });
            self.regions.len() - 1
        })
    }

    pub(super) fn add_region(&mut self, region: usize, elapsed_ns: u64) {
        self.regions[region].times.add(elapsed_ns);
    }
}
