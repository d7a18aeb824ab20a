//! `SPELT_TOOLS=cost`: work, span and bytes of launches, and the time on more threads that follows.
//!
//! The model is Brent's (1974), in the language of Futhark's documentation, with the memory as a second limit:
//! - **Work** is the number of iterations; of a team policy, of teams.
//! - **Span** is the longest chain of iterations and joins of which each needs the one before: 1 for `for`; for `reduce`, at most 64
//!   iterations of a lane of the canonical order, and a join for each level of its tree; for `scan`, twice that.
//! - **Parallelism** is work over span: more threads than that gain nothing.
//! - On `p` threads, with `q = min(p, parallelism)`, a launch that took `T` on one thread takes `max(T / q, B / r(p))`, where `B` are
//!   the bytes of its Views and `r(p)` is the measured rate of the memory. Launches faster than `B / r(1)` work in caches: of them
//!   only `T / q` counts. A launch of less than [`STAYS_NS`] stays on its caller.

use core::fmt::Write;

use spelt_order::canonical::{MAX_LANES, ROWS};

use super::json::{array, shown};
use super::report::Report;
use super::style::{Colour, Style};
use super::table::{self, Row, Section, numbers, words};
use super::text::{self, size, time};
use super::totals::Launches;
use crate::tools::Pattern;
use crate::tools::peak::Peak;
use crate::tools::quoted::quoted;

/// A launch opens to other threads when it has lasted this long. Unit: ns.
const STAYS_NS: f64 = 20_000.0;

/// The longest chain of a launch: iterations and joins that follow one another.
pub(super) fn span(pattern: Pattern, iterations: u64) -> u64 {
    if iterations == 0 {
        return 0;
    }
    let lane = iterations.div_ceil(MAX_LANES as u64).min(ROWS as u64);
    let lanes = iterations.div_ceil(lane);
    let chain = lane + u64::from(lanes.next_power_of_two().ilog2());
    match pattern {
        Pattern::For => 1,
        Pattern::Reduce => chain.min(iterations),
        Pattern::Scan => (2 * chain).min(iterations),
    }
}

impl Launches {
    fn parallelism(&self) -> f64 {
        self.iterations as f64 / self.chains.max(1) as f64
    }

    /// The mean time on as many threads as `all` was measured with, if this was the time on one. Unit: ns.
    fn forecast_ns(&self, [one, all]: [Peak; 2]) -> f64 {
        let calls = self.times.calls.max(1) as f64;
        let (mean_ns, bytes) = (self.times.mean_ns(), self.bytes() as f64 / calls);
        if mean_ns < STAYS_NS {
            return mean_ns;
        }
        let threads = all.threads.unwrap_or(1) as f64;
        let shared_ns = mean_ns / threads.min(self.parallelism()).max(1.0);
        // GB/s are bytes in a nanosecond.
        let is_in_caches = mean_ns < bytes / one.rate;
        if is_in_caches { shared_ns } else { shared_ns.max(bytes / all.rate) }
    }
}

/// The rates for a forecast of a row, if its time is that of one thread.
fn rates(row: &Launches, rates: Option<[Peak; 2]>) -> Option<[Peak; 2]> {
    rates.filter(|_| row.threads == 1)
}

/// The table: a line for each label, pattern and space.
pub(super) fn table(report: &Report, style: Style) -> String {
    let measured = report.rates.one_and_all;
    let mut columns = vec![numbers("calls", 9), numbers("work", 13), numbers("span", 6)];
    columns.extend([numbers("work/span", 11), numbers("bytes", 10), numbers("mean", 9)]);
    columns.extend([numbers("forecast", 9), words("pattern", 7), words("space", 7)]);
    let row = |row: &Launches| {
        let calls = row.times.calls.max(1) as f64;
        let forecast = rates(row, measured).map(|rates| row.forecast_ns(rates));
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
    text.push_str("\nwork, span: iterations of a launch, and the longest chain of them; bytes: the size of its Views.\n");
    _ = match measured {
        Some([one, all]) if all.threads != one.threads => writeln!(
            text,
            "forecast: the mean on {} threads, of launches that ran on one, with {} and {} GB/s of memory.",
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
    let measured = report.rates.one_and_all;
    let mut text = String::from("{\"threads\":");
    text.push_str(&shown(measured.and_then(|[_, all]| all.threads)));
    text.push_str(",\"launches\":");
    array(&mut text, &report.launches, |text, row| {
        let (label, pattern, space) = (quoted(&row.label), row.pattern.name(), quoted(row.space));
        let (calls, work, span) = (row.times.calls, row.iterations, row.chains);
        let forecast = rates(row, measured).map(|rates| row.forecast_ns(rates));
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
    use super::span;
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

    #[test]
    fn forecasts_keep_to_both_limits() {
        let peak = |rate, threads| Peak { rate, threads: Some(threads) };
        let rates = [peak(10.0, 1), peak(15.0, 4)];
        let forecast = |mean_ns: u64, bytes: u64, iterations: u64| {
            let times = Times { calls: 2, total_ns: 2 * mean_ns, min_ns: 0, max_ns: 0 };
            let row = Launches {
                label: String::new(),
                pattern: Pattern::For,
                space: "Serial",
                is_device: false,
                threads: 1,
                times,
                iterations: 2 * iterations,
                chains: 2,
                read_bytes: 2 * bytes,
                written_bytes: 0,
                busiest_ns: 0,
                mean_busy_ns: 0,
            };
            assert_eq!(super::rates(&row, Some(rates)), Some(rates));
            assert_eq!(super::rates(&Launches { threads: 2, ..row.clone() }, Some(rates)), None);
            row.forecast_ns(rates)
        };
        assert_eq!(forecast(400_000, 0, 1000), 100_000.0);
        assert_eq!(forecast(400_000, 0, 2), 200_000.0);
        assert_eq!(forecast(19_999, 0, 1000), 19_999.0);
        // 3 MB take 300 us at the rate of one thread, and 200 us at that of all.
        assert_eq!(forecast(310_000, 3_000_000, 1000), 200_000.0);
        assert_eq!(forecast(290_000, 3_000_000, 1000), 72_500.0, "in caches");
    }
}
