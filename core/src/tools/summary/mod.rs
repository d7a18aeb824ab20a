//! `SPELT_TOOLS=summary`: a table of launches, copies and regions at the end of the program.
//!
//! | file | concept |
//! |---|---|
//! | `totals.rs` | the numbers, added up as events come |
//! | `report.rs` | the rows of all forms, sorted |
//! | `text.rs`, `json.rs`, `csv.rs` | the forms |

mod csv;
mod json;
mod report;
mod text;
mod totals;

use std::cell::{Cell, RefCell};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use self::report::Report;
use self::totals::Totals;
use super::{CopyEvent, LaunchEvent, Tool};

thread_local! {
    /// The number of launches that this thread is inside.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    /// The regions that this thread is inside, as places in the tree.
    static REGIONS: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// Adds up what it is told, and writes it when the program ends: to standard error, or to a file.
///
/// Memory: a row for each label, pattern and space, and a node for each region, however long the program runs.
#[derive(Debug)]
pub(super) struct Summary {
    file: Option<PathBuf>,
    /// The rate of the machine's memory, if the user has given it. Unit: GB/s.
    peak: Option<f64>,
    start: Instant,
    totals: Mutex<Totals>,
}

impl Summary {
    pub(super) fn new(file: Option<PathBuf>, peak: Option<f64>) -> Self {
        Self { file, peak, start: Instant::now(), totals: Mutex::default() }
    }

    fn totals(&self) -> MutexGuard<'_, Totals> {
        self.totals.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The time since the start. Unit: ns.
    fn now_ns(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    fn elapsed_ns(&self, begin_ns: u64) -> u64 {
        self.now_ns().saturating_sub(begin_ns)
    }
}

impl Tool for Summary {
    fn begin_launch(&self, _launch: &LaunchEvent<'_>) -> u64 {
        DEPTH.set(DEPTH.get() + 1);
        self.now_ns()
    }

    fn end_launch(&self, launch: &LaunchEvent<'_>, begin_ns: u64) {
        let elapsed_ns = self.elapsed_ns(begin_ns);
        let depth = DEPTH.get().saturating_sub(1);
        DEPTH.set(depth);
        self.totals().add_launch(launch, elapsed_ns, depth == 0);
    }

    fn begin_copy(&self, _copy: &CopyEvent<'_>) -> u64 {
        self.now_ns()
    }

    fn end_copy(&self, copy: &CopyEvent<'_>, begin_ns: u64) {
        let elapsed_ns = self.elapsed_ns(begin_ns);
        self.totals().add_copy(copy, elapsed_ns);
    }

    fn enter_region(&self, name: &str) -> u64 {
        REGIONS.with_borrow_mut(|regions| {
            let region = self.totals().region(regions.last().copied(), name);
            regions.push(region);
        });
        self.now_ns()
    }

    fn leave_region(&self, _name: &str, begin_ns: u64) {
        let elapsed_ns = self.elapsed_ns(begin_ns);
        if let Some(region) = REGIONS.with_borrow_mut(Vec::pop) {
            self.totals().add_region(region, elapsed_ns);
        }
    }

    fn needs_fences(&self) -> bool {
        true
    }

    fn finish(&self) {
        let report = Report::new(&self.totals(), self.now_ns(), self.peak);
        let Some(file) = &self.file else {
            eprint!("{}", text::table(&report));
            return;
        };
        if let Err(error) = write(file, &report) {
            eprintln!("SPELT_TOOLS: the summary cannot be written to {}: {error}", file.display());
            eprint!("{}", text::table(&report));
        }
    }
}

/// Writes the report in the form that the file's name asks for.
fn write(file: &Path, report: &Report) -> std::io::Result<()> {
    let content = match file.extension().and_then(|extension| extension.to_str()) {
        Some("json") => json::document(report),
        Some("csv") => csv::rows(report),
        _ => text::table(report),
    };
    OpenOptions::new().write(true).create(true).truncate(true).open(file)?.write_all(content.as_bytes())
}
