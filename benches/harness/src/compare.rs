//! The rows in which a peer is ahead of Spelt, and those whose time per element grows inside a cache.

use core::fmt::Write;

use crate::case::Case;
use crate::measure::{Figure, Row};
use crate::report;
use crate::statistics::Spread;

/// Spelt's time over a peer's beyond which the peer is ahead.
const BOUND: f64 = 1.05;

/// The bound of a contender of this name: Spelt's time over its time beyond which it is ahead.
pub type Bound = fn(&str) -> f64;

/// The bounds of peers and limits.
#[must_use]
pub fn bound(name: &str) -> f64 {
    if is_limit(name) { BOUND_OF_LIMITS } else { BOUND }
}

/// Spelt's time over that of the hand-written limit, or of the kernel that only reads, beyond which Spelt is not at the limit.
const BOUND_OF_LIMITS: f64 = 1.15;

/// The growth of the time per element that counts, within one level of the caches.
const GROWTH: f64 = 1.15;

/// The smallest size at which growth counts: below it, the launch itself is a part of the time. Unit: elements.
const GROWTH_FROM: usize = 100_000;

/// A row in which another contender is ahead.
#[derive(Clone, Debug, PartialEq)]
pub struct Behind {
    /// Case, variant and size.
    pub title: String,
    /// The contender that is ahead.
    pub contender: &'static str,
    /// Spelt's time over the contender's.
    pub ratio: Spread,
    /// The bound that the whole interval lies above.
    pub bound: f64,
}

/// Whether this contender shows how fast the machine is, rather than being a peer.
fn is_limit(name: &str) -> bool {
    matches!(name, "limit" | "read")
}

/// Whether this contender is another form of Spelt.
fn is_spelt(name: &str) -> bool {
    name.starts_with("Spelt")
}

/// Whether a limit was disturbed: Spelt cannot be faster than the limit, so the limit's threads shared a core.
#[must_use]
pub fn is_disturbed(figure: &Figure) -> bool {
    figure.name == "limit" && figure.ratio.high < 1.0 / BOUND_OF_LIMITS
}

/// The contenders that Spelt is compared with.
fn compared(row: &Row) -> impl Iterator<Item = &Figure> {
    row.figures.iter().skip(1).filter(|figure| !is_spelt(figure.name))
}

/// The contenders whose interval of ratios lies above the bound, worst first.
#[must_use]
pub fn behind<S>(results: &[(Case<S>, Vec<Row>)], bound: Bound) -> Vec<Behind> {
    let mut found = Vec::new();
    for (case, rows) in results {
        for row in rows {
            for figure in compared(row) {
                let bound = bound(figure.name);
                if figure.ratio.low > bound {
                    let title = report::title(case, row);
                    found.push(Behind { title, contender: figure.name, ratio: figure.ratio, bound });
                }
            }
        }
    }
    found.sort_by(|a, b| (b.ratio.median / b.bound).total_cmp(&(a.ratio.median / a.bound)));
    found
}

/// The level of the caches that a working set lies in: 0 for the first.
fn cache_level(caches: &[usize], bytes: usize) -> usize {
    caches.iter().take_while(|size| **size < bytes).count()
}

/// The sizes whose time per element is above that of a smaller size in the same level of the caches, as lines of text; none if the
/// caches are unknown.
#[must_use]
pub fn growing<S>(results: &[(Case<S>, Vec<Row>)], caches: &[usize]) -> Vec<String> {
    let mut found = Vec::new();
    if caches.is_empty() {
        return found;
    }
    for (case, rows) in results {
        for (at, row) in rows.iter().enumerate() {
            let level = |row: &Row| cache_level(caches, row.work.bytes);
            let smaller = rows[..at].iter().filter(|other| {
                other.variant == row.variant
                    && other.work.elements >= GROWTH_FROM
                    && other.work.bytes > 0
                    && level(other) == level(row)
            });
            let Some(least) = smaller.filter_map(per_element).min_by(f64::total_cmp) else { continue };
            let Some(now) = per_element(row).filter(|now| *now > GROWTH * least) else { continue };
            found.push(format!(
                "{}: {now:.3} ns an element, {least:.3} at a smaller size",
                report::title(case, row)
            ));
        }
    }
    found
}

/// Spelt's nanoseconds per element.
fn per_element(row: &Row) -> Option<f64> {
    Some(row.figures.first()?.time.median / row.work.elements.max(1) as f64)
}

/// The list for people: a line for each row, and the rows that were left out.
#[must_use]
pub fn lines<S>(results: &[(Case<S>, Vec<Row>)], behind: &[Behind]) -> String {
    let compared = results.iter().flat_map(|(_, rows)| rows).flat_map(compared).count();
    let mut text = format!("{} of {compared} comparisons are behind\n", behind.len());
    for Behind { title, contender, ratio, bound } in behind {
        let Spread { low, median, high } = ratio;
        let _ =
            writeln!(text, "{title:<36} {contender:<14} {median:>6.2} [{low:.2} {high:.2}]  bound {bound}");
    }
    for (case, rows) in results {
        for row in rows {
            let title = report::title(case, row);
            for (name, reason) in &row.skipped {
                let _ = writeln!(text, "{title:<36} {name:<14} skipped: {reason}");
            }
            if row.figures.iter().any(is_disturbed) {
                let _ =
                    writeln!(text, "{title:<36} limit          slower than Spelt: its threads shared a core");
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lineup::Work;

    const CASE: Case<()> = Case { name: "sum", hypothesis: "", size: "n", variants: &[] };

    fn spread(median: f64) -> Spread {
        Spread { low: median - 0.01, median, high: median + 0.01 }
    }

    fn row(elements: usize, time: f64, ratios: &[(&'static str, f64)]) -> Row {
        let figure = |&(name, ratio): &(&'static str, f64)| Figure {
            name,
            time: spread(time / ratio),
            ratio: spread(ratio),
        };
        let figures = core::iter::once(&("Spelt", 1.0)).chain(ratios).map(figure).collect();
        let work = Work { bytes: 8 * elements, elements };
        Row { variant: "f64", size: elements, work, figures, skipped: vec![("Kokkos", "died".into())] }
    }

    #[test]
    fn peers_and_limits_have_bounds_of_their_own_and_the_worst_comes_first() {
        let ratios = [
            ("rayon", 1.055),
            ("plain", 1.07),
            ("limit", 1.155),
            ("read", 1.4),
            ("Spelt Serial", 3.0),
            ("Kokkos", 0.2),
        ];
        let results = [(CASE, vec![row(1000, 500.0, &ratios)])];
        let found = behind(&results, bound);
        let names: Vec<_> = found.iter().map(|behind| behind.contender).collect();
        // The lower end of the interval decides: 1.045 and 1.145 are not behind.
        assert_eq!(names, ["read", "plain"]);
        let text = lines(&results, &found);
        assert!(text.starts_with("2 of 5 comparisons are behind"), "{text}");
        assert!(text.contains("sum f64 1e3") && text.contains("skipped: died"), "{text}");
    }

    #[test]
    fn a_row_without_a_race_is_listed_as_skipped() {
        let skipped = Row::without_race("f64", 10_000_000, "no memory".into());
        let results = [(CASE, vec![row(1_000_000, 1e6, &[("rayon", 2.0)]), skipped])];
        let found = behind(&results, bound);
        let text = lines(&results, &found);
        assert!(text.starts_with("1 of 1 comparisons are behind"), "{text}");
        assert!(text.contains("sum f64 1e7") && text.contains("skipped: no memory"), "{text}");
        assert_eq!(growing(&results, &[1 << 30]), Vec::<String>::new());
    }

    #[test]
    fn a_limit_behind_spelt_is_not_a_limit() {
        let figure = |ratio| row(1000, 500.0, &[("limit", ratio)]).figures[1].clone();
        assert!(is_disturbed(&figure(0.5)));
        assert!(!is_disturbed(&figure(0.95)) && !is_disturbed(&figure(1.3)));
        assert!(lines(&[(CASE, vec![row(1000, 1.0, &[("limit", 0.5)])])], &[]).contains("shared a core"));
    }

    #[test]
    fn time_may_grow_where_data_leaves_a_cache() {
        let caches = [32 << 10, 1 << 20, 32 << 20];
        let rows = |last| {
            vec![
                row(1000, 1e3, &[]),
                row(200_000, 2e5, &[]),
                row(1_000_000, last, &[]),
                row(10_000_000, 4e7, &[]),
            ]
        };
        assert_eq!(growing(&[(CASE, rows(1.1e6))], &caches), Vec::<String>::new());
        assert_eq!(growing(&[(CASE, rows(1.3e6))], &[]), Vec::<String>::new());
        let found = growing(&[(CASE, rows(1.3e6))], &caches);
        assert_eq!(found, ["sum f64 1e6: 1.300 ns an element, 1.000 at a smaller size"]);
    }
}
