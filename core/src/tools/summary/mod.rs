//! `SPELT_TOOLS=summary`: a table of the times and the memory of a program, at its end.
//!
//! | file | concept |
//! |---|---|
//! | `clock.rs` | the time of an event |
//! | `times.rs`, `memory.rs` | the numbers of calls, and of Views |
//! | `totals.rs` | all of them, added up as events come |
//! | `report.rs` | the rows of all forms, sorted |
//! | `text.rs`, `json.rs`, `csv.rs` | the forms |
//! | `cost.rs` | `SPELT_TOOLS=cost`: work, span, and the times of more threads that follow |
//! | `table.rs`, `style.rs` | columns that fit the terminal, and their colours |

mod clock;
mod cost;
mod csv;
mod json;
mod memory;
mod report;
mod style;
mod table;
mod text;
mod times;
mod totals;

use std::cell::{Cell, RefCell};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use self::clock::Clock;
use self::report::Report;
use self::style::Style;
use self::totals::{Outermost, Totals, add};
use super::devices::fence_devices_of;
use super::event::{AllocationEvent, CopyEvent, ExchangeEvent, FenceEvent, FillEvent, LaunchEvent};
use super::peak::Rates;
use super::rank::Rank;
use super::tool::Tool;

thread_local! {
    /// The number of launches, copies, fills and waits that this thread is inside.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    /// Whether this thread is the first, once it is known.
    static IS_FIRST: Cell<Option<bool>> = const { Cell::new(None) };
    /// The regions that this thread is inside, as places in the tree.
    static REGIONS: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// A form of the summary, and the file to which it is written, or standard error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Form {
    pub(super) is_cost: bool,
    pub(super) file: Option<PathBuf>,
}

/// Adds up the events that come, and writes them when the program ends: to standard error, or to a file.
///
/// Memory: a row for each label, pattern and space, and a node for each region, of which there are at most
/// [`MAX_ROWS`](totals::MAX_ROWS), however long the program runs.
#[derive(Debug)]
pub(super) struct Summary {
    forms: Vec<Form>,
    rates: Rates,
    clock: Clock,
    /// Whether a thread's launch, copy, fill or wait has ended. That thread is the first: the program's own in most programs.
    has_first: AtomicBool,
    totals: Mutex<Totals>,
}

impl Summary {
    /// There is at most one in a program.
    pub(super) fn new(forms: Vec<Form>, rates: Rates) -> Self {
        let (clock, has_first, totals) = (Clock::new(), AtomicBool::new(false), Mutex::default());
        Self { forms, rates, clock, has_first, totals }
    }

    fn totals(&self) -> MutexGuard<'_, Totals> {
        self.totals.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether this thread is the first. No thread is asked who it is more than once.
    fn is_of_first_thread(&self) -> bool {
        IS_FIRST.get().unwrap_or_else(|| {
            let is_first = !self.has_first.swap(true, Ordering::Relaxed);
            IS_FIRST.set(Some(is_first));
            is_first
        })
    }

    /// Something that takes time begins. Returns the tick.
    fn begin(&self) -> u64 {
        DEPTH.set(DEPTH.get() + 1);
        self.clock.now()
    }

    /// It has ended: `add` counts it, and `kind` is its part of the run if it was not inside another.
    fn end(
        &self,
        begin: u64,
        kind: impl FnOnce(&mut Outermost) -> &mut u64,
        add: impl FnOnce(&mut Totals, u64),
    ) {
        let elapsed_ns = self.clock.between_ns(begin, self.clock.now());
        let depth = DEPTH.get().saturating_sub(1);
        DEPTH.set(depth);
        let mut totals = self.totals();
        add(&mut totals, elapsed_ns);
        if depth == 0 {
            let part = kind(&mut totals.outermost);
            *part = part.saturating_add(elapsed_ns);
            if self.is_of_first_thread() {
                let part = &mut totals.outermost.of_first_thread_ns;
                *part = part.saturating_add(elapsed_ns);
            }
        }
    }
}

impl Tool for Summary {
    fn begin_launch(&self, _launch: &LaunchEvent<'_>) -> u64 {
        self.begin()
    }

    fn end_launch(&self, launch: &LaunchEvent<'_>, begin: u64) {
        let add = |totals: &mut Totals, elapsed_ns| totals.add_launch(launch, elapsed_ns);
        self.end(begin, |outermost| &mut outermost.launches_ns, add);
    }

    fn begin_copy(&self, _copy: &CopyEvent<'_>) -> u64 {
        self.begin()
    }

    fn end_copy(&self, copy: &CopyEvent<'_>, begin: u64) {
        let CopyEvent { from_memory, to_memory, bytes, .. } = *copy;
        self.end(
            begin,
            |outermost| &mut outermost.copies_ns,
            |totals, elapsed_ns| {
                add(&mut totals.copies, &[from_memory, " to ", to_memory], elapsed_ns, bytes);
            },
        );
    }

    /// A device only gets a fill: the time is that of the work.
    fn begin_fill(&self, fill: &FillEvent<'_>) -> u64 {
        fence_devices_of(fill.memory);
        self.begin()
    }

    fn end_fill(&self, fill: &FillEvent<'_>, begin: u64) {
        fence_devices_of(fill.memory);
        let FillEvent { memory, bytes, is_new, .. } = *fill;
        let purpose = if is_new { "initialise " } else { "fill " };
        self.end(
            begin,
            |outermost| &mut outermost.fills_ns,
            |totals, elapsed_ns| add(&mut totals.fills, &[purpose, memory], elapsed_ns, bytes),
        );
    }

    fn begin_fence(&self, _fence: &FenceEvent<'_>) -> u64 {
        self.begin()
    }

    fn end_fence(&self, fence: &FenceEvent<'_>, begin: u64) {
        let FenceEvent { label, space, .. } = *fence;
        self.end(
            begin,
            |outermost| &mut outermost.waits_ns,
            |totals, elapsed_ns| add(&mut totals.waits, &[label, " ", space], elapsed_ns, 0),
        );
    }

    fn begin_exchange(&self, _exchange: &ExchangeEvent<'_>) -> u64 {
        self.begin()
    }

    fn end_exchange(&self, exchange: &ExchangeEvent<'_>, begin: u64) {
        let ExchangeEvent { kind, label, .. } = *exchange;
        self.end(
            begin,
            |outermost| &mut outermost.waits_ns,
            |totals, elapsed_ns| add(&mut totals.waits, &[kind, " ", label], elapsed_ns, 0),
        );
    }

    fn allocate(&self, allocation: &AllocationEvent<'_>) {
        self.totals().memory.allocate(allocation);
    }

    fn release(&self, allocation: &AllocationEvent<'_>) {
        self.totals().memory.release(allocation);
    }

    fn enter_region(&self, name: &str) -> u64 {
        REGIONS.with_borrow_mut(|regions| {
            let region = self.totals().region(regions.last().copied(), name);
            regions.push(region);
        });
        self.clock.now()
    }

    fn leave_region(&self, name: &str, begin: u64) {
        let elapsed_ns = self.clock.between_ns(begin, self.clock.now());
        let mut totals = self.totals();
        // A guard may be dropped before one inside it. A name beyond the limit is in the row of others.
        let ended = REGIONS.with_borrow_mut(|regions| {
            let named = regions.iter().rposition(|&place| totals.regions[place].name == name);
            Some(regions.remove(named.or(regions.len().checked_sub(1))?))
        });
        if let Some(region) = ended {
            totals.add_region(region, elapsed_ns);
        }
    }

    fn needs_fences(&self) -> bool {
        true
    }

    fn needs_shares(&self) -> bool {
        true
    }

    fn needs_all_shares(&self) -> bool {
        false
    }

    fn finish(&self) {
        let rank = Rank::of_process();
        let report = Report::new(&self.totals(), self.clock.run_ns(), self.rates);
        for form in &self.forms {
            let Some(file) = &form.file else {
                self.print(form, &report, rank);
                continue;
            };
            let file = Rank::file_of_process(file);
            if let Err(error) = write(form, &file, &report, rank) {
                eprintln!("SPELT_TOOLS: the summary cannot be written to {}: {error}", file.display());
                // On each rank, so that nothing is lost.
                let text = form.text(&report, rank, Style::of_standard_error());
                let _ = std::io::stderr().write_all(text.as_bytes());
            }
        }
    }
}

impl Summary {
    /// Prints the report to standard error; of several ranks, the first prints it.
    fn print(&self, form: &Form, report: &Report, rank: Option<Rank>) {
        if rank.is_none_or(|rank| rank.rank == 0) {
            let mut text = form.text(report, rank, Style::of_standard_error());
            if !form.is_cost && rank.and_then(|rank| rank.ranks).is_some_and(|ranks| ranks > 1) {
                text.push_str(&self.comparison());
            }
            // Nothing can be reported where standard error is closed.
            let _ = std::io::stderr().write_all(text.as_bytes());
        }
    }

    /// The command that compares the ranks. No rank knows the times of the others.
    fn comparison(&self) -> String {
        let is_json = |file: &&PathBuf| file.extension().is_some_and(|extension| extension == "json");
        let files = self.forms.iter().filter(|form| !form.is_cost).filter_map(|form| form.file.as_ref());
        match files.clone().find(is_json) {
            Some(file) => {
                let (files, name) = (file.with_extension("*.json"), file.with_extension(""));
                format!(
                    "ranks: the imbalance over all ranks is that of `cargo spelt report {} --output {}`.\n",
                    files.display(),
                    name.display()
                )
            }
            None => "ranks: SPELT_TOOLS=summary:times.json writes a file for each rank; `cargo spelt report times.*.json --output \
                     times` then has the imbalance over all ranks.\n"
                .to_owned(),
        }
    }
}

/// Writes the report in the form that the file's name asks for.
fn write(form: &Form, file: &Path, report: &Report, rank: Option<Rank>) -> std::io::Result<()> {
    let content = match file.extension().and_then(|extension| extension.to_str()) {
        Some("json") if form.is_cost => cost::document(report),
        Some("json") => json::document(report, rank),
        Some("csv") if !form.is_cost => csv::rows(report),
        _ => form.text(report, rank, Style::FILE),
    };
    OpenOptions::new().write(true).create(true).truncate(true).open(file)?.write_all(content.as_bytes())
}

impl Form {
    fn text(&self, report: &Report, rank: Option<Rank>, style: Style) -> String {
        if self.is_cost { cost::table(report, style) } else { text::table(report, rank, style) }
    }
}

#[cfg(test)]
mod tests {
    use super::Summary;
    use crate::tools::peak::Rates;
    use crate::tools::{FillEvent, Tool};

    /// The program, whose devices are a line of text.
    #[test]
    #[cfg(all(target_os = "linux", not(spelt_loom)))]
    #[ignore = "the child of the other test"]
    fn child() {
        crate::tools::fence_devices_by(|| println!("FENCE"));
        let summary = Summary::new(Vec::new(), Rates::default());
        for memory in ["HostSpace", "CudaSpace"] {
            println!("begins in {memory}");
            let fill = FillEvent { label: "x", memory, address: 64, bytes: 8, is_new: false };
            let begin = summary.begin_fill(&fill);
            println!("runs");
            summary.end_fill(&fill, begin);
        }
        println!("end");
    }

    #[test]
    #[cfg(all(target_os = "linux", not(spelt_loom)))]
    fn fills_of_a_device_are_waited_for() {
        let mut child = std::process::Command::new(std::env::current_exe().expect("this program"));
        child.args(["--exact", "tools::summary::tests::child", "--ignored", "--nocapture"]);
        let output = child.output().expect("the child");
        let text = String::from_utf8_lossy(&output.stdout);
        let wanted = "begins in HostSpace\nruns\nbegins in CudaSpace\nFENCE\nruns\nFENCE\nend\n";
        assert!(text.contains(wanted), "{text}");
    }

    #[test]
    fn regions_may_end_in_another_order() {
        let summary = Summary::new(Vec::new(), Rates::default());
        let [outer, inner] = ["outer", "inner"].map(|name| (name, summary.enter_region(name)));
        summary.leave_region(outer.0, outer.1);
        let next = summary.enter_region("next");
        summary.leave_region("next", next);
        summary.leave_region(inner.0, inner.1);
        let totals = summary.totals();
        let rows: Vec<_> = totals
            .regions
            .iter()
            .map(|region| (region.name.as_str(), region.parent, region.times.calls))
            .collect();
        assert_eq!(rows, [("outer", None, 1), ("inner", Some(0), 1), ("next", Some(1), 1)]);
    }
}
