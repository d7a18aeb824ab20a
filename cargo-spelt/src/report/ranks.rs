//! The summaries of several ranks or runs, compared label by label.

use std::collections::{BTreeMap, BTreeSet};

use super::bars::{Bars, Row};
use super::summary::Summary;
use super::units::{TIME, with_unit};

/// The processes that summaries are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Those of one program on several ranks.
    Ranks,
    /// Programs that ran on their own.
    Runs,
}

impl Kind {
    /// Summaries are of ranks if each names another one.
    pub(super) fn of(summaries: &[(String, Summary)]) -> Self {
        let ranks: Option<BTreeSet<u64>> = summaries.iter().map(|(_, summary)| summary.rank).collect();
        let are_ranks = ranks.is_some_and(|ranks| ranks.len() == summaries.len());
        if are_ranks { Self::Ranks } else { Self::Runs }
    }

    /// The end of the picture's name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Ranks => "ranks",
            Self::Runs => "runs",
        }
    }
}

/// The launches of one label, pattern and space on all ranks.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Balance {
    pub(super) name: String,
    pub(super) slowest: String,
    pub(super) slowest_ns: u64,
    /// The mean of all ranks; one that has no such launch took no time. Unit: ns.
    pub(super) mean_ns: f64,
}

impl Balance {
    /// The time of the slowest rank over the mean: 1 is perfect.
    pub(super) fn imbalance(&self) -> f64 {
        if self.mean_ns > 0.0 { self.slowest_ns as f64 / self.mean_ns } else { 1.0 }
    }

    fn note(&self) -> String {
        let [slowest, mean] = [self.slowest_ns as f64, self.mean_ns].map(|ns| with_unit(ns, TIME));
        format!("{:.2} of the mean: slowest {slowest} ({}), mean {mean}", self.imbalance(), self.slowest)
    }
}

/// The balance of each label, the longest first. Ranks are named by their files.
pub(super) fn balances(ranks: &[(String, Summary)]) -> Vec<Balance> {
    let mut rows: BTreeMap<(&str, &str, &str), (u64, &str, u64)> = BTreeMap::new();
    for (file, summary) in ranks {
        for row in &summary.launches {
            let all = rows.entry((&row.label, &row.pattern, &row.space)).or_insert((0, file, 0));
            all.0 = all.0.saturating_add(row.total_ns);
            if row.total_ns > all.2 {
                (all.1, all.2) = (file, row.total_ns);
            }
        }
    }
    let balance =
        |((label, pattern, space), (sum_ns, slowest, slowest_ns)): ((&str, &str, &str), _)| Balance {
            name: format!("{label} ({pattern}, {space})"),
            slowest: String::from(slowest),
            slowest_ns,
            mean_ns: sum_ns as f64 / ranks.len().max(1) as f64,
        };
    let mut balances: Vec<_> = rows.into_iter().map(balance).collect();
    balances.sort_by_key(|balance| core::cmp::Reverse(balance.slowest_ns));
    balances
}

/// The balances as lines.
pub(super) fn table(balances: &[Balance]) -> String {
    let width = balances.iter().map(|balance| balance.name.chars().count()).max().unwrap_or(0);
    balances.iter().map(|balance| format!("{:width$}  {}\n", balance.name, balance.note())).collect()
}

/// The balances as a picture: the time of the slowest of so many ranks or runs.
pub(super) fn bars(balances: &[Balance], kind: Kind, count: usize) -> Bars {
    let all = kind.name();
    let one = all.trim_end_matches('s');
    let row = |balance: &Balance| Row {
        name: balance.name.clone(),
        value: balance.slowest_ns as f64,
        note: format!("{:.2} of the mean, in {}", balance.imbalance(), balance.slowest),
    };
    Bars {
        title: format!("Time of the slowest {one} by label"),
        subtitle: format!("{count} {all}: the slowest {one}'s time over the mean of all"),
        rows: balances.iter().map(row).collect(),
        units: TIME,
        axis: "total time",
        limit: None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Balance, Kind, balances, bars, table};
    use crate::report::summary::{Launches, Summary};

    fn rank(file: &str, times: &[(&str, u64)]) -> (String, Summary) {
        let launches = times.iter().map(|&(label, total_ns)| Launches {
            label: label.to_owned(),
            pattern: "for".to_owned(),
            space: "Serial".to_owned(),
            calls: 1,
            total_ns,
            bytes: 0,
            is_compared: true,
        });
        let (launches, memory) = (launches.collect(), Vec::new());
        (file.to_owned(), Summary { run_ns: 0, launches_ns: 0, rank: None, peak: None, launches, memory })
    }

    #[test]
    fn summaries_that_name_no_rank_or_the_same_are_of_runs() {
        let kind = |ranks: &[Option<u64>]| {
            let of = |rank: &Option<u64>| (String::new(), Summary { rank: *rank, ..self::rank("", &[]).1 });
            Kind::of(&ranks.iter().map(of).collect::<Vec<_>>())
        };
        assert_eq!(kind(&[Some(0), Some(3)]), Kind::Ranks);
        for runs in [[None, None], [Some(0), None], [Some(1), Some(1)]] {
            assert_eq!(kind(&runs), Kind::Runs);
        }
        assert_eq!(bars(&[], Kind::Runs, 2).title, "Time of the slowest run by label");
        assert_eq!(
            bars(&[], Kind::Ranks, 2).subtitle,
            "2 ranks: the slowest rank's time over the mean of all"
        );
    }

    #[test]
    fn the_slowest_rank_is_named() {
        let ranks =
            [rank("s.0", &[("a", 10), ("b", 4)]), rank("s.1", &[("a", 30)]), rank("s.2", &[("a", 20)])];
        let found = balances(&ranks);
        let balance = |name: &str, slowest: &str, slowest_ns, mean_ns| Balance {
            name: format!("{name} (for, Serial)"),
            slowest: slowest.to_owned(),
            slowest_ns,
            mean_ns,
        };
        assert_eq!(found, [balance("a", "s.1", 30, 20.0), balance("b", "s.0", 4, 4.0 / 3.0)]);
        let wanted = "a (for, Serial)  1.50 of the mean: slowest 30.0 ns (s.1), mean 20.0 ns\n\
                      b (for, Serial)  3.00 of the mean: slowest 4.00 ns (s.0), mean 1.33 ns\n";
        assert_eq!(table(&found), wanted);
        assert_eq!(balances(&[rank("s.0", &[("a", 0)])])[0].imbalance(), 1.0);
    }
}
