//! `SPELT_TOOLS=trace:FILE`: the Trace Event Format, for Perfetto and chrome://tracing.
//!
//! | file | concept |
//! |---|---|
//! | `file.rs` | the file, to which whole events are appended |
//! | `line.rs` | an event of the format |
//! | `rows.rs` | the rows of a trace: threads and streams |
//! | `rates.rs` | the counters of rates |
//!
//! Launches, copies, fills, fences, exchanges and regions are pairs of events on the row of the thread that makes them, so that one without
//! an end is seen too. Shares of threads and work of streams are single events with a duration, written when they are known. Times
//! are microseconds since the trace was opened; those of ranks, since midnight (UTC), so that their traces can be shown together.

mod file;
mod line;
mod rates;
mod rows;

use std::cell::Cell;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use self::file::TraceFile;
use self::line::{Args, Line, Phase};
use self::rates::Rates;
use self::rows::Rows;
use super::event::{
    AllocationEvent, CopyEvent, DeviceWorkEvent, ExchangeEvent, FenceEvent, FillEvent, LaunchEvent,
};
use super::rank::Rank;
use super::share::Share;
use super::tool::Tool;

thread_local! {
    /// The number of launches that this thread is inside.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Waits shorter than this are not drawn. Unit: ns.
const SHORT_WAIT_NS: u64 = 1000;

/// Writes each event to a file as it comes.
///
/// Memory: a buffer, and the numbers of threads, streams and memory spaces.
#[derive(Debug)]
pub(super) struct Trace {
    start: Instant,
    /// The time at `start`. Unit: ns.
    start_ns: u64,
    /// The process in the trace: the rank, or 0.
    pid: u32,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    file: TraceFile,
    rows: Rows,
    /// The bytes in use, by memory space.
    memory: Vec<(&'static str, u64)>,
    rates: Rates,
    pid: u32,
}

impl Trace {
    /// Begins a trace in `file`; that of a rank has the rank's number before the extension.
    ///
    /// # Errors
    /// If the file cannot be created: its path, and the reason.
    pub(super) fn create(file: &Path) -> Result<Self, String> {
        let rank = Rank::of_process();
        let path = Rank::file_of_process(file);
        let file = TraceFile::create(path.clone())
            .map_err(|error| format!("{} cannot be created: {error}", path.display()))?;
        let pid = rank.map_or(0, |rank| rank.rank);
        let mut state =
            State { file, rows: Rows::default(), memory: Vec::new(), rates: Rates::default(), pid };
        let program = std::env::args_os().next().unwrap_or_default();
        let program = Path::new(&program).file_name().unwrap_or_default().to_string_lossy().into_owned();
        let name = match rank {
            None => program,
            Some(Rank { rank, ranks: None }) => format!("{program}, rank {rank}"),
            Some(Rank { rank, ranks: Some(ranks) }) => format!("{program}, rank {rank} of {ranks}"),
        };
        state.fact("process_name", 0, &Args::default().text("name", &name));
        state.fact("process_sort_index", 0, &Args::default().number("sort_index", pid.into()));
        // Something to open, however early the program is killed.
        state.file.write();
        let start_ns = rank.map_or(0, |_| since_midnight_ns());
        Ok(Self { start: Instant::now(), start_ns, pid, state: Mutex::new(state) })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The time of an instant. Unit: ns.
    fn ns(&self, instant: Instant) -> u64 {
        self.start_ns.saturating_add(nanoseconds(instant.saturating_duration_since(self.start)))
    }

    fn now_ns(&self) -> u64 {
        self.ns(Instant::now())
    }

    /// Adds an event of now to the row of this thread. Returns its time.
    fn add_now(&self, phase: Phase, category: &'static str, name: &str, args: &Args) -> u64 {
        let ns = self.now_ns();
        let mut state = self.state();
        let row = state.row_of(&thread::current());
        state.add(Line { name, category, phase, ns, pid: self.pid, row, args });
        ns
    }

    fn begin(&self, category: &'static str, name: &str, args: &Args) -> u64 {
        self.add_now(Phase::Begin, category, name, args)
    }

    fn end(&self, category: &'static str, name: &str, args: &Args) -> u64 {
        self.add_now(Phase::End, category, name, args)
    }

    /// The work of a thread in a launch, and its waits before and after.
    fn add_share(&self, state: &mut State, label: &str, share: &Share) {
        let row = state.row_of(&share.thread);
        let [opened, begin, end, closed] =
            [share.opened, share.begin, share.end, share.closed].map(|instant| self.ns(instant));
        let mut part = |name: &str, category, from: u64, to: u64, args: &Args| {
            let phase = part_of_row(from, to);
            state.add(Line { name, category, phase, ns: from, pid: self.pid, row, args });
        };
        if begin.saturating_sub(opened) >= SHORT_WAIT_NS {
            part("waiting", "wait", opened, begin, &Args::default());
        }
        part(
            label,
            "units",
            begin,
            end,
            &Args::default().number("units", share.units).number("member", share.member as u64),
        );
        if closed.saturating_sub(end) >= SHORT_WAIT_NS {
            part("waiting", "wait", end, closed, &Args::default());
        }
    }

    fn allocated(&self, memory: &'static str, change: impl FnOnce(u64) -> u64) {
        let ns = self.now_ns();
        let mut state = self.state();
        let place = state.memory.iter().position(|(name, _)| *name == memory).unwrap_or_else(|| {
            state.memory.push((memory, 0));
            state.memory.len() - 1
        });
        let bytes = change(state.memory[place].1);
        state.memory[place].1 = bytes;
        state.count(&format!("memory {memory}"), ns, &Args::default().number("bytes", bytes));
    }
}

impl State {
    fn add(&mut self, line: Line<'_>) {
        self.file.add(|text| line.append(text));
    }

    /// A fact about the process, or about a row.
    fn fact(&mut self, name: &str, row: u32, args: &Args) {
        let pid = self.pid;
        self.add(Line { name, category: "__metadata", phase: Phase::Metadata, ns: 0, pid, row, args });
    }

    /// The value of a counter from `ns` on.
    fn count(&mut self, name: &str, ns: u64, args: &Args) {
        self.add(Line { name, category: "counter", phase: Phase::Counter, ns, pid: self.pid, row: 0, args });
    }

    /// The rate of something from `begin_ns` to `end_ns`, in which this many bytes moved.
    fn count_rate(&mut self, place: &str, bytes: u64, begin_ns: u64, end_ns: u64) {
        if bytes > 0 && end_ns > begin_ns {
            let number = self.rates.counter(place, begin_ns, end_ns);
            let name =
                if number == 0 { format!("GB/s {place}") } else { format!("GB/s {place} ({})", number + 1) };
            let rate = megabytes_per_second(bytes, begin_ns, end_ns);
            self.count(&name, begin_ns, &Args::default().thousandths("GB/s", rate));
            self.count(&name, end_ns, &Args::default().number("GB/s", 0));
        }
    }

    fn row_of(&mut self, thread: &Thread) -> u32 {
        let row = self.rows.of_thread(thread);
        self.named(row)
    }

    /// Names the row if it is new.
    fn named(&mut self, (row, name): (u32, Option<String>)) -> u32 {
        if let Some(name) = name {
            self.fact("thread_name", row, &Args::default().text("name", &name));
            self.fact("thread_sort_index", row, &Args::default().number("sort_index", row.into()));
        }
        row
    }
}

/// The part of a row from one time to another. Unit: ns.
///
/// It ends a nanosecond early: some viewers take a begin at its very end for a part of it.
fn part_of_row(begin: u64, end: u64) -> Phase {
    Phase::Complete { duration_ns: end.saturating_sub(begin + 1) }
}

/// The rate. Unit: MB/s.
fn megabytes_per_second(bytes: u64, begin_ns: u64, end_ns: u64) -> u64 {
    let rate = u128::from(bytes) * 1000 / u128::from(end_ns - begin_ns);
    u64::try_from(rate).unwrap_or(u64::MAX)
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

fn since_midnight_ns() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    nanoseconds(Duration::new(now.as_secs() % (24 * 60 * 60), now.subsec_nanos()))
}

impl Tool for Trace {
    fn begin_launch(&self, launch: &LaunchEvent<'_>) -> u64 {
        DEPTH.set(DEPTH.get() + 1);
        self.begin(launch.pattern.name(), launch.label, &of_launch(launch))
    }

    fn end_launch(&self, launch: &LaunchEvent<'_>, begin_ns: u64) {
        let depth = DEPTH.get().saturating_sub(1);
        DEPTH.set(depth);
        if !launch.shares().is_empty() {
            let mut state = self.state();
            for share in launch.shares() {
                self.add_share(&mut state, launch.label, share);
            }
        }
        let end_ns = self.end(launch.pattern.name(), launch.label, &of_launch(launch));
        // The rate of a device is that of its own events.
        if depth == 0 && !launch.is_device {
            let bytes = launch.read_bytes.saturating_add(launch.written_bytes);
            self.state().count_rate(launch.space, bytes, begin_ns, end_ns);
        }
    }

    fn device_work(&self, work: &DeviceWorkEvent<'_>) {
        let [begin, end] = [work.begin, work.end].map(|instant| self.ns(instant));
        let mut state = self.state();
        let row = state.rows.of_stream(work.device, work.stream);
        let row = state.named(row);
        let phase = part_of_row(begin, end);
        let args = &Args::default().number("bytes", work.bytes);
        state.add(Line { name: work.label, category: "device", phase, ns: begin, pid: self.pid, row, args });
        state.count_rate(&format!("device {}", work.device), work.bytes, begin, end);
    }

    fn begin_copy(&self, copy: &CopyEvent<'_>) -> u64 {
        let (name, args) = of_copy(copy);
        self.begin("copy", &name, &args)
    }

    fn end_copy(&self, copy: &CopyEvent<'_>, begin_ns: u64) {
        let (name, args) = of_copy(copy);
        let end_ns = self.end("copy", &name, &args);
        self.state().count_rate("copies", copy.bytes, begin_ns, end_ns);
    }

    fn allocate(&self, allocation: &AllocationEvent<'_>) {
        self.allocated(allocation.memory, |bytes| bytes.saturating_add(allocation.bytes));
    }

    fn release(&self, allocation: &AllocationEvent<'_>) {
        self.allocated(allocation.memory, |bytes| bytes.saturating_sub(allocation.bytes));
    }

    fn begin_fill(&self, fill: &FillEvent<'_>) -> u64 {
        self.begin("fill", fill.label, &of_fill(fill))
    }

    fn end_fill(&self, fill: &FillEvent<'_>, _begin_ns: u64) {
        self.end("fill", fill.label, &of_fill(fill));
    }

    fn begin_fence(&self, fence: &FenceEvent<'_>) -> u64 {
        self.begin("fence", fence.label, &of_fence(fence))
    }

    fn end_fence(&self, fence: &FenceEvent<'_>, _begin_ns: u64) {
        self.end("fence", fence.label, &of_fence(fence));
    }

    fn begin_exchange(&self, exchange: &ExchangeEvent<'_>) -> u64 {
        self.begin("exchange", exchange.label, &of_exchange(exchange))
    }

    fn end_exchange(&self, exchange: &ExchangeEvent<'_>, _begin_ns: u64) {
        self.end("exchange", exchange.label, &of_exchange(exchange));
    }

    fn enter_region(&self, name: &str) -> u64 {
        self.begin("region", name, &Args::default())
    }

    fn leave_region(&self, name: &str, _begin_ns: u64) {
        self.end("region", name, &Args::default());
    }

    fn mark(&self, name: &str) {
        self.add_now(Phase::Instant, "mark", name, &Args::default());
    }

    fn metadata(&self, key: &str, value: &str) {
        self.add_now(Phase::Instant, "metadata", key, &Args::default().text("value", value));
    }

    fn needs_shares(&self) -> bool {
        true
    }

    fn needs_device_times(&self) -> bool {
        true
    }

    fn finish(&self) {
        self.state().file.finish();
    }
}

// The members of an event's own object: the same at begin and end, because some viewers find the begin by them.

fn of_launch(launch: &LaunchEvent<'_>) -> Args {
    Args::default()
        .text("space", launch.space)
        .number("iterations", launch.iterations as u64)
        .number("read_bytes", launch.read_bytes)
        .number("written_bytes", launch.written_bytes)
}

/// The name of a copy, and its members.
fn of_copy(copy: &CopyEvent<'_>) -> (String, Args) {
    let args = Args::default().text("from", copy.from_memory).text("to", copy.to_memory);
    (format!("{} to {}", copy.from_label, copy.to_label), args.number("bytes", copy.bytes))
}

fn of_fill(fill: &FillEvent<'_>) -> Args {
    Args::default().text("memory", fill.memory).number("bytes", fill.bytes).flag("is_new", fill.is_new)
}

fn of_fence(fence: &FenceEvent<'_>) -> Args {
    Args::default().text("space", fence.space)
}

fn of_exchange(exchange: &ExchangeEvent<'_>) -> Args {
    let args = Args::default().text("kind", exchange.kind);
    args.number("rank", exchange.rank as u64).number("ranks", exchange.ranks as u64)
}
