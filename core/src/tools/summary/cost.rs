//! `SPELT_TOOLS=cost`: work, span and bytes of launches, and the time on more threads that follows.
//!
//! The model is Brent's (1974), in the language of Futhark's documentation, with the memory as a second limit:
//! - **Work** is the number of iterations; of a team policy, of teams.
//! - **Span** is the longest chain of iterations and joins of which each needs the one before: 1 for `for`; for `reduce`, at most 64
//!   iterations of a lane of the canonical order, and a join for each level of its tree; for `scan`, twice that.
//! - **Parallelism** is work over span: more threads than that gain nothing.
//! - On `p` threads, a launch that took `T` on one takes `S + (T - S) s`. For the time `S` ([`ALONE_NS`]) the caller is alone: a shorter
//!   launch stays there. `s` is the share of the busiest thread: of `n` iterations, which are not divided, `ceil(n / p) / n`, and not below
//!   one over the parallelism.
//! - A **scan** on several threads takes each iteration twice. The first time, which writes nothing, counts for half if an iteration takes up
//!   to 2 ns ([`SHORT_NS`]), as those of sums do, whose first time is vector code; a longer one counts in full. It is hidden where whole
//!   numbers are read from one View and written to another: the memory is what they wait for. A launch does not say which View it scans,
//!   so a scan in place that also reads another View is taken for one of these.
//! - The **memory** is a limit where the program's Views do not fit in the last caches: a launch takes at least `B / r(p)`, where `B` are
//!   the bytes of its Views and `r(p)` is the measured rate of the memory. One that is faster than `B / r(1)` works in caches all the same.

use core::fmt::Write;

use spelt_order::canonical::{MAX_LANES, ROWS};

use super::json::{array, shown};
use super::report::Report;
use super::style::{Colour, Style};
use super::table::{self, Row, Section, numbers, words};
use super::text::{self, size, time};
use super::totals::Launches;
use crate::tools::peak::Peak;
use crate::tools::quoted::quoted;
use crate::tools::{LaunchEvent, Pattern};

/// The time for which the caller of a launch is alone, unless the other threads are awake. Unit: ns. Source: `OPENS_AFTER` of `host/opening.rs`; a thread that sleeps
/// takes 30 us to begin, and one that is awake 1 us (docs/benchmarks.md).
const ALONE_NS: f64 = 20_000.0;

/// The time of a scan that takes its short iterations twice, over that of one that takes them once; of one with longer ones.
const TWICE: [f64; 2] = [1.5, 2.0];

/// The longest time of short iterations of a scan. Unit: ns. Source: docs/benchmarks.md: scans of sums take 0.4 to 1.9 ns, of flagged sums
/// 3.3 ns.
const SHORT_NS: f64 = 2.0;

/// The longest chain of a launch: iterations and joins that follow one another.
pub(super) fn span(pattern: Pattern, iterations: u64) -> u64 {
    if iterations == 0 {
        return 0;
    }
    if pattern == Pattern::For {
        return 1;
    }
    let lane = iterations.div_ceil(MAX_LANES as u64).min(ROWS as u64);
    let lanes = iterations.div_ceil(lane);
    let chain = lane + u64::from(lanes.next_power_of_two().ilog2());
    let passes = if pattern == Pattern::Scan { 2 } else { 1 };
    (passes * chain).min(iterations)
}

/// Whether a scan takes its iterations twice on several threads, and waits for that. An approximation: a View that is only read need not be
/// the one that is scanned.
pub(super) fn is_scanned_twice(launch: &LaunchEvent<'_>) -> bool {
    launch.pattern == Pattern::Scan && !(launch.is_exact && launch.read_bytes > 0)
}

/// The machine that a forecast is for.
#[derive(Clone, Copy)]
struct Machine {
    /// The rates of the memory, of one thread and of all.
    rates: [Peak; 2],
    /// Whether the program's Views fit in the last caches.
    is_in_caches: bool,
}

impl Machine {
    /// That of the report, if it was measured.
    fn of(report: &Report) -> Option<Self> {
        let rates = report.rates.one_and_all?;
        let views: u64 = report.memory_spaces.iter().map(|(_, level)| level.high_water_bytes).sum();
        Some(Self { rates, is_in_caches: views <= report.rates.caches.last as u64 })
    }
}

impl Launches {
    fn parallelism(&self) -> f64 {
        self.iterations as f64 / self.chains.max(1) as f64
    }

    /// The part of the work that the busiest of `threads` threads has.
    fn share(&self, threads: f64) -> f64 {
        let iterations = (self.iterations as f64 / self.times.calls.max(1) as f64).max(1.0);
        let undivided = (iterations / threads).ceil() / iterations;
        let share = undivided.max(1.0 / self.parallelism().max(1.0)).min(1.0);
        if !self.is_scanned_twice {
            return share;
        }
        let is_long = self.times.mean_ns() > SHORT_NS * iterations;
        (share * TWICE[usize::from(is_long)]).min(1.0)
    }

    /// The mean time on as many threads as the machine has, if this was the time on one. Unit: ns.
    fn forecast_ns(&self, machine: Machine) -> f64 {
        let [one, all] = machine.rates;
        let calls = self.times.calls.max(1) as f64;
        let (mean_ns, bytes) = (self.times.mean_ns(), self.bytes() as f64 / calls);
        if mean_ns < ALONE_NS {
            return mean_ns;
        }
        let share = self.share(all.threads.unwrap_or(1) as f64);
        let shared_ns = ALONE_NS + (mean_ns - ALONE_NS) * share;
        // GB/s are bytes in a nanosecond.
        let is_in_caches = machine.is_in_caches || mean_ns < bytes / one.rate;
        if is_in_caches { shared_ns } else { shared_ns.max(bytes / all.rate) }
    }
}

/// The forecast of a row, if the machine was measured and the time is that of one thread. Unit: ns.
fn forecast_ns(row: &Launches, machine: Option<Machine>) -> Option<f64> {
    machine.filter(|_| row.threads == 1).map(|machine| row.forecast_ns(machine))
}

/// The table: a line for each label, pattern and space.
pub(super) fn table(report: &Report, style: Style) -> String {
    let (measured, machine) = (report.rates.one_and_all, Machine::of(report));
    let mut columns = vec![numbers("calls", 9), numbers("work", 13), numbers("span", 6)];
    columns.extend([numbers("work/span", 11), numbers("bytes", 10), numbers("mean", 9)]);
    columns.extend([numbers("forecast", 9), words("pattern", 7), words("space", 7)]);
    let row = |row: &Launches| {
        let calls = row.times.calls.max(1) as f64;
        let forecast = forecast_ns(row, machine);
        let cells = vec![
            row.times.calls.to_string(),
            format!("{:.0}", row.iterations as f64 / calls),
            format!("{:.0}", row.chains as f64 / calls),
            format!("{:.1}", row.parallelism()),
            size(row.bytes() as f64 / calls),
            time(row.times.mean_ns()),
            forecast.map_or_else(|| "-".to_owned(), time),
            row.pattern.name().to_owned(),
            row.space.to_owned(),
        ];
        Row { name: row.label.clone(), cells, colour: Colour::Plain }
    };
    let rows = report.launches.iter().map(row).collect();
    let mut text = table::text(&[Section { head: "launch", columns, rows }], style);
    text.push_str("\nwork, span: iterations of a launch, and the longest chain of them; bytes: the size of its Views; all are means of a call.\n");
    _ = match measured {
        Some([one, all]) if all.threads != one.threads => writeln!(
            text,
            "forecast: the mean on {} threads, of launches that ran on one (SPELT_NUM_THREADS=1), with {} and {} GB/s of memory.",
            all.threads.unwrap_or(1),
            text::shown(Some(one.rate), 1),
            text::shown(Some(all.rate), 1)
        ),
        _ => {
            writeln!(
                text,
                "forecast: none: it needs an optimised build, several processors, an idle machine, and SPELT_TOOLS_PEAK unset or with two rates."
            )
        }
    };
    text
}

/// The document of JSON: an array of objects.
pub(super) fn document(report: &Report) -> String {
    let (measured, machine) = (report.rates.one_and_all, Machine::of(report));
    let mut text = String::from("{\"threads\":");
    text.push_str(&shown(measured.and_then(|[_, all]| all.threads)));
    text.push_str(",\"launches\":");
    array(&mut text, &report.launches, |text, row| {
        let (label, pattern, space) = (quoted(&row.label), row.pattern.name(), quoted(row.space));
        let (calls, work, span) = (row.times.calls, row.iterations, row.chains);
        let forecast = forecast_ns(row, machine);
        _ = write!(text, "\"label\":{label},\"pattern\":\"{pattern}\",\"space\":{space},");
        _ = write!(text, "\"calls\":{calls},\"work\":{work},\"span\":{span},");
        _ = write!(text, "\"bytes\":{},\"mean_ns\":{},", row.bytes(), row.times.mean_ns());
        _ = write!(text, "\"forecast_ns\":{}", shown(forecast));
    });
    text.push_str("}\n");
    text
}

#[cfg(test)]
mod tests {
    use super::{Machine, forecast_ns, span};
    use crate::tools::Pattern;
    use crate::tools::peak::Peak;
    use crate::tools::summary::times::Times;
    use crate::tools::summary::totals::Launches;

    #[test]
    fn spans_grow_with_the_tree() {
        let of = |n| [Pattern::For, Pattern::Reduce, Pattern::Scan].map(|pattern| span(pattern, n));
        assert_eq!(of(0), [0, 0, 0]);
        assert_eq!(of(1), [1, 1, 1]);
        assert_eq!(of(2), [1, 2, 2]);
        assert_eq!(of(1024), [1, 32 + 5, 74]);
        assert_eq!(of(1 << 20), [1, 64 + 14, 156]);
        assert_eq!(of((1 << 20) + 1), [1, 64 + 15, 158]);
    }

    const CALLS: u64 = 2;

    /// A row of launches of the pattern on one thread that took so long, for so many iterations.
    fn row(pattern: Pattern, mean_ns: u64, iterations: u64) -> Launches {
        Launches {
            label: String::new(),
            pattern,
            space: "Serial",
            is_device: false,
            threads: 1,
            times: Times { calls: CALLS, total_ns: CALLS * mean_ns, min_ns: 0, max_ns: 0 },
            iterations: CALLS * iterations,
            chains: CALLS * span(pattern, iterations),
            is_scanned_twice: false,
            read_bytes: 0,
            written_bytes: 0,
            busiest_ns: 0,
            mean_busy_ns: 0,
        }
    }

    /// Four threads, whose memory gives 10 GB/s to one of them, and 15 GB/s to all.
    fn machine(is_in_caches: bool) -> Machine {
        let peak = |rate, threads| Peak { rate, threads: Some(threads) };
        Machine { rates: [peak(10.0, 1), peak(15.0, 4)], is_in_caches }
    }

    #[test]
    fn forecasts_are_of_one_thread_on_a_machine_that_was_measured() {
        let row = row(Pattern::For, 19_999, 1000);
        assert_eq!(forecast_ns(&row, Some(machine(true))), Some(19_999.0), "it stays on its caller");
        assert_eq!(forecast_ns(&row, None), None);
        assert_eq!(forecast_ns(&Launches { threads: 2, ..row }, Some(machine(true))), None);
    }

    #[test]
    fn threads_share_all_but_the_time_of_the_caller_alone() {
        let forecast = |pattern, iterations| row(pattern, 420_000, iterations).forecast_ns(machine(true));
        assert_eq!(forecast(Pattern::For, 1000), 120_000.0);
        // Of five iterations on four threads, one thread has two, as of six to eight; of fewer than four, each has one.
        assert_eq!(
            [1, 2, 3, 5, 8].map(|n| forecast(Pattern::For, n)),
            [420_000.0, 220_000.0, 20_000.0 + 400_000.0 * (1.0 / 3.0), 180_000.0, 120_000.0]
        );
        // Two iterations and their join: nothing is gained.
        assert_eq!(forecast(Pattern::Reduce, 2), 420_000.0);
        assert_eq!(forecast(Pattern::Reduce, 1 << 20), 120_000.0);
    }

    #[test]
    fn scans_that_take_iterations_twice_take_half_as_long_again() {
        let once = row(Pattern::Scan, 420_000, 1 << 20);
        assert_eq!(once.forecast_ns(machine(true)), 120_000.0);
        let twice = Launches { is_scanned_twice: true, ..once };
        assert_eq!(twice.forecast_ns(machine(true)), 170_000.0);
        // Iterations of 2 ns are short, longer ones count twice.
        let of = |iterations| Launches { is_scanned_twice: true, ..row(Pattern::Scan, 420_000, iterations) };
        assert_eq!([210_000, 200_000].map(|n| of(n).forecast_ns(machine(true))), [170_000.0, 220_000.0]);
        // On one thread they take them once.
        let [one, all] = machine(true).rates;
        let alone = Machine { rates: [one, Peak { threads: Some(1), ..all }], is_in_caches: true };
        assert_eq!(twice.forecast_ns(alone), 420_000.0);
    }

    #[test]
    fn the_memory_is_a_limit_of_launches_that_are_not_in_caches() {
        // 3 MB take 300 us at the rate of one thread, and 200 us at that of all.
        let row = |mean_ns| Launches { read_bytes: CALLS * 3_000_000, ..row(Pattern::For, mean_ns, 1000) };
        assert_eq!(row(340_000).forecast_ns(machine(false)), 200_000.0);
        assert_eq!(row(340_000).forecast_ns(machine(true)), 100_000.0);
        assert_eq!(row(260_000).forecast_ns(machine(false)), 80_000.0, "too fast for the memory");
        assert_eq!(row(1_620_000).forecast_ns(machine(false)), 420_000.0, "too slow for it");
    }
}
