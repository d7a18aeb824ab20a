//! One table of all programs.

use core::fmt::Write;

use spelt_harness::measure::{Figure, Row};
use spelt_harness::report::{duration, title};

use crate::Case;

/// Spelt's time over that of C++ or Kokkos beyond which it is behind.
const BOUND: f64 = 1.1;

/// The same for C++ with -ffast-math, which may change the order of sums.
const BOUND_OF_FAST: f64 = 1.3;

/// The bound of a contender of this name.
#[must_use]
pub fn bound(name: &str) -> f64 {
    if name == "C++ fast-math" { BOUND_OF_FAST } else { BOUND }
}

/// All rows of one number of threads as a Markdown table.
#[must_use]
pub fn table(results: &[(Case, Vec<Row>)], threads: usize) -> String {
    let plural = if threads == 1 { "thread, processor time" } else { "threads, elapsed time" };
    let mut text = format!(
        "| {threads} {plural} | Spelt | C++ | C++ with -ffast-math | Kokkos | Spelt in another form |\n|---|---:|---:|---:|---:|---:|\n"
    );
    for (case, rows) in results {
        for row in rows {
            let name = title(case, row);
            let Some(ours) = row.figures.first() else {
                let reasons: Vec<_> = row.skipped.iter().map(|(_, reason)| reason.as_str()).collect();
                let _ = writeln!(text, "| {name} | skipped: {} | | | | |", reasons.join("; "));
                continue;
            };
            let _ = write!(text, "| {name} | {} |", duration(ours.time.median));
            let named = |name: &str| row.figures.iter().find(|figure| figure.name == name).map(cell);
            for name in ["C++", "C++ fast-math", "Kokkos"] {
                let _ = write!(text, " {} |", named(name).unwrap_or_default());
            }
            let others = row.figures[1..].iter().filter(|figure| figure.name.starts_with("Spelt"));
            let others: Vec<_> = others
                .map(|figure| format!("{}: {}", &figure.name["Spelt ".len()..], cell(figure)))
                .collect();
            let _ = writeln!(text, " {} |", others.join("; "));
        }
    }
    text
}

/// The time of a contender, and Spelt's time over it with its quartiles.
fn cell(Figure { time, ratio, .. }: &Figure) -> String {
    format!("{}: **{:.2}** ({:.2} to {:.2})", duration(time.median), ratio.median, ratio.low, ratio.high)
}
