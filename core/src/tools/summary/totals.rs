//! The numbers of a summary, added up as events come.

use std::collections::HashMap;

use super::cost;
use super::memory::Memory;
use super::times::Times;
use crate::tools::{LaunchEvent, Pattern, Share};

/// The rows of a kind; later names are added up in one row, so that memory is bounded.
pub(super) const MAX_ROWS: usize = 10_000;

/// The name of the row of all later names.
pub(super) const OTHERS: &str = "(others)";

/// The launches of one label, pattern and space.
#[derive(Clone, Debug)]
pub(super) struct Launches {
    pub(super) label: String,
    pub(super) pattern: Pattern,
    pub(super) space: &'static str,
    pub(super) is_device: bool,
    /// The most threads that a launch could have had.
    pub(super) threads: usize,
    pub(super) times: Times,
    /// The iterations of all launches.
    pub(super) iterations: u64,
    /// The longest chains of all launches: see [`cost`](super::cost).
    pub(super) chains: u64,
    /// Whether there is a scan among them that [takes its iterations twice](super::cost) on several threads.
    pub(super) is_scanned_twice: bool,
    pub(super) read_bytes: u64,
    pub(super) written_bytes: u64,
    /// The time that the busiest thread of each launch worked, of those that were distributed. Unit: ns.
    pub(super) busiest_ns: u64,
    /// The mean time of all threads. Unit: ns.
    pub(super) mean_busy_ns: u64,
}

impl Launches {
    fn is_of(&self, launch: &LaunchEvent<'_>) -> bool {
        // Names of spaces are few, so that most are the same bytes.
        let is_space = core::ptr::eq(self.space, launch.space) || self.space == launch.space;
        self.pattern == launch.pattern && is_space && self.label == launch.label
    }
}

/// Copies between two memory spaces, fills of one, or waits.
#[derive(Clone, Debug)]
pub(super) struct Moves {
    pub(super) name: String,
    pub(super) times: Times,
    pub(super) bytes: u64,
}

/// A region below another.
#[derive(Clone, Debug)]
pub(super) struct RegionNode {
    pub(super) name: String,
    pub(super) parent: Option<usize>,
    pub(super) times: Times,
    inner: HashMap<String, usize>,
}

impl RegionNode {
    fn new(parent: Option<usize>, name: &str) -> Self {
        Self { name: name.to_owned(), parent, times: Times::default(), inner: HashMap::new() }
    }
}

/// The time of events of one kind that are not inside others, of all threads together. Unit: ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Outermost {
    pub(super) launches_ns: u64,
    pub(super) copies_ns: u64,
    pub(super) fills_ns: u64,
    pub(super) waits_ns: u64,
    /// The part of the first thread, of all kinds.
    pub(super) of_first_thread_ns: u64,
}

#[derive(Debug, Default)]
pub(super) struct Totals {
    pub(super) launches: Vec<Launches>,
    /// The rows of each label.
    by_label: HashMap<String, Vec<usize>>,
    recent: Recent,
    pub(super) copies: Vec<Moves>,
    pub(super) fills: Vec<Moves>,
    /// Fences, exchanges and collectives.
    pub(super) waits: Vec<Moves>,
    pub(super) memory: Memory,
    /// Parents come before their children.
    pub(super) regions: Vec<RegionNode>,
    top_regions: HashMap<String, usize>,
    pub(super) outermost: Outermost,
}

/// Rows by the address of their label, so that most launches need no hash of it. The row's own label decides.
#[derive(Debug)]
struct Recent([usize; 256]);

impl Default for Recent {
    fn default() -> Self {
        Self([usize::MAX; 256])
    }
}

impl Recent {
    fn slot(&mut self, launch: &LaunchEvent<'_>) -> &mut usize {
        let address = launch.label.as_ptr().addr();
        &mut self.0[(address ^ address >> 8 ^ launch.label.len() << 3 ^ launch.pattern as usize) % 256]
    }
}

impl Totals {
    pub(super) fn add_launch(&mut self, launch: &LaunchEvent<'_>, elapsed_ns: u64) {
        let recent = *self.recent.slot(launch);
        let row = if self.launches.get(recent).is_some_and(|row| row.is_of(launch)) {
            recent
        } else {
            let row = self.row_of(launch);
            *self.recent.slot(launch) = row;
            row
        };
        let row = &mut self.launches[row];
        row.times.add(elapsed_ns);
        row.threads = row.threads.max(launch.threads);
        row.iterations = row.iterations.saturating_add(launch.iterations as u64);
        row.chains = row.chains.saturating_add(cost::span(launch.pattern, launch.iterations as u64));
        row.is_scanned_twice |= cost::is_scanned_twice(launch);
        row.read_bytes = row.read_bytes.saturating_add(launch.read_bytes);
        row.written_bytes = row.written_bytes.saturating_add(launch.written_bytes);
        if launch.shares().is_empty() {
            return;
        }
        let [busiest, mean] = busy_ns(launch.shares());
        row.busiest_ns = row.busiest_ns.saturating_add(busiest);
        row.mean_busy_ns = row.mean_busy_ns.saturating_add(mean);
    }

    #[cold]
    fn row_of(&mut self, launch: &LaunchEvent<'_>) -> usize {
        let label = if self.launches.len() < MAX_ROWS || self.by_label.contains_key(launch.label) {
            launch.label
        } else {
            OTHERS
        };
        // No memory is allocated for a label that is known.
        if !self.by_label.contains_key(label) {
            self.by_label.insert(label.to_owned(), Vec::new());
        }
        let rows = self.by_label.get_mut(label).expect("it has just been inserted");
        let is_it = |row: &Launches| row.pattern == launch.pattern && row.space == launch.space;
        if let Some(&row) = rows.iter().find(|&&row| is_it(&self.launches[row])) {
            return row;
        }
        rows.push(self.launches.len());
        self.launches.push(Launches {
            label: label.to_owned(),
            pattern: launch.pattern,
            space: launch.space,
            is_device: launch.is_device,
            threads: 0,
            times: Times::default(),
            iterations: 0,
            chains: 0,
            is_scanned_twice: false,
            read_bytes: 0,
            written_bytes: 0,
            busiest_ns: 0,
            mean_busy_ns: 0,
        });
        self.launches.len() - 1
    }

    /// The region of this name below `parent`.
    pub(super) fn region(&mut self, parent: Option<usize>, name: &str) -> usize {
        let is_full = self.regions.len() >= MAX_ROWS;
        let place = self.regions.len();
        let siblings = match parent {
            Some(parent) => &mut self.regions[parent].inner,
            None => &mut self.top_regions,
        };
        if let Some(&known) = siblings.get(name) {
            return known;
        }
        if is_full {
            // All later regions, wherever they are.
            let others = *self.top_regions.entry(OTHERS.to_owned()).or_insert(place);
            if others == place {
                self.regions.push(RegionNode::new(None, OTHERS));
            }
            return others;
        }
        siblings.insert(name.to_owned(), place);
        self.regions.push(RegionNode::new(parent, name));
        place
    }

    pub(super) fn add_region(&mut self, region: usize, elapsed_ns: u64) {
        self.regions[region].times.add(elapsed_ns);
    }
}

/// Adds a call to the row whose name has these parts.
pub(super) fn add(rows: &mut Vec<Moves>, name: &[&str], elapsed_ns: u64, bytes: u64) {
    let place = |rows: &[Moves], name: &[&str]| {
        rows.iter().position(|row| {
            let rest = name.iter().try_fold(row.name.as_str(), |rest, part| rest.strip_prefix(part));
            rest == Some("")
        })
    };
    let name = if rows.len() < MAX_ROWS || place(rows, name).is_some() { name } else { &[OTHERS] };
    let place = place(rows, name).unwrap_or_else(|| {
        rows.push(Moves { name: name.concat(), times: Times::default(), bytes: 0 });
        rows.len() - 1
    });
    let row = &mut rows[place];
    row.times.add(elapsed_ns);
    row.bytes = row.bytes.saturating_add(bytes);
}

/// The time that the busiest thread worked, and the mean of all that could have worked. Unit: ns.
fn busy_ns(shares: &[Share]) -> [u64; 2] {
    let nanoseconds = |share: &Share| u64::try_from(share.busy().as_nanos()).unwrap_or(u64::MAX);
    let (busiest, sum) = shares
        .iter()
        .map(nanoseconds)
        .fold((0, 0_u64), |(busiest, sum), ns| (ns.max(busiest), sum.saturating_add(ns)));
    // Each time that the launch was distributed counts with all of its threads.
    let threads: usize = shares.chunk_by(|a, b| a.opened == b.opened).map(|shares| shares[0].members).sum();
    [busiest, sum / threads.max(1) as u64]
}

#[cfg(test)]
pub(super) mod tests {
    use std::thread;
    use std::time::{Duration, Instant};

    use spelt_access::Description;

    use super::{MAX_ROWS, OTHERS, Totals, add, busy_ns};
    use crate::tools::event::{Arguments, LaunchEvent};
    use crate::tools::{Pattern, Share};

    /// No arguments.
    struct Nothing;

    // SAFETY: there is no View.
    unsafe impl Arguments for Nothing {
        fn visit(&self, _visit: &mut dyn FnMut(Description<'_>)) {}
    }

    /// A launch of ten iterations with eight bytes.
    pub(in crate::tools::summary) fn launch(label: &str, pattern: Pattern) -> LaunchEvent<'_> {
        LaunchEvent {
            pattern,
            label,
            space: "Serial",
            device: 0,
            stream: 0,
            is_device: false,
            threads: 1,
            iterations: 10,
            read_bytes: 8,
            written_bytes: 0,
            arguments: &Nothing,
            result: None,
            is_exact: false,
            outcome: Some(true),
            shape: None,
            shares: &[],
        }
    }

    #[test]
    fn names_without_number_have_one_row_of_each_kind() {
        const MORE: usize = 10;
        let names: Vec<_> = (0..MAX_ROWS + MORE).map(|number| format!("step {number}")).collect();
        let mut totals = Totals::default();
        for _ in 0..2 {
            names.iter().for_each(|name| totals.add_launch(&launch(name, Pattern::For), 3));
        }
        // A known label has a row of each of its patterns.
        totals.add_launch(&launch(&names[0], Pattern::Scan), 3);
        let others = totals.launches.iter().find(|row| row.label == OTHERS).expect("a row");
        assert_eq!((totals.launches.len(), others.times.calls), (MAX_ROWS + 2, 2 * MORE as u64));
        let calls: u64 = totals.launches.iter().map(|row| row.times.calls).sum();
        assert_eq!(calls, 2 * names.len() as u64 + 1, "each launch counts");

        // Of waits and regions few are enough: each is sought among all.
        let mut waits = Vec::new();
        let row =
            |number: usize| super::Moves { name: number.to_string(), times: Default::default(), bytes: 0 };
        waits.extend((0..MAX_ROWS).map(row));
        for name in &names[..MORE] {
            add(&mut waits, &["fence ", name], 3, 1);
        }
        add(&mut waits, &["7"], 3, 1);
        assert_eq!((waits.len(), waits[MAX_ROWS].name.as_str()), (MAX_ROWS + 1, OTHERS));
        assert_eq!([waits[MAX_ROWS].times.calls, waits[7].times.calls], [MORE as u64, 1]);

        let mut place = None;
        for name in &names {
            place = Some(totals.region(place, name));
        }
        assert_eq!(totals.regions.len(), MAX_ROWS + 1);
        assert_eq!(totals.regions[place.expect("a region")].name, OTHERS);
    }

    #[test]
    fn threads_without_a_unit_count_as_idle() {
        let opened = Instant::now();
        let share = |opened: Instant, members, busy_ns| {
            let (thread, begin, end) = (thread::current(), opened, opened + Duration::from_nanos(busy_ns));
            Share { thread, members, member: 0, units: 1, opened, begin, end, closed: end }
        };
        assert_eq!(busy_ns(&[]), [0, 0]);
        assert_eq!(busy_ns(&[share(opened, 2, 100)]), [100, 50]);
        assert_eq!(busy_ns(&[share(opened, 2, 100), share(opened, 2, 60)]), [100, 80]);
        // Distributed twice, as a scan is.
        let later = opened + Duration::from_secs(1);
        assert_eq!(busy_ns(&[share(opened, 2, 100), share(later, 2, 60)]), [100, 40]);
    }
}
