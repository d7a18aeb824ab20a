//! The outcome of each mutant, in a file that survives an interrupt.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::list::Mutant;
use crate::rewrite::Places;

/// The verdict of the tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// A test failed.
    Found,
    /// The tests did not end in time.
    Hung,
    /// The test program does not build.
    Refused,
    /// All tests passed.
    Survived,
    /// All tests passed, but none reached it.
    NotReached,
}

const NAMES: [(Outcome, &str); 5] = [
    (Outcome::Found, "found"),
    (Outcome::Hung, "hung"),
    (Outcome::Refused, "refused"),
    (Outcome::Survived, "survived"),
    (Outcome::NotReached, "not-reached"),
];

impl Outcome {
    pub(crate) fn name(self) -> &'static str {
        NAMES.iter().find(|(outcome, _)| *outcome == self).map_or("", |(_, name)| *name)
    }

    pub(crate) fn is_good(self) -> bool {
        matches!(self, Self::Found | Self::Hung | Self::Refused)
    }
}

/// The results so far, by name.
#[derive(Debug)]
pub(crate) struct Results {
    path: PathBuf,
    known: BTreeMap<String, (u32, Outcome)>,
}

impl Results {
    pub(crate) fn open(root: &Path) -> Self {
        let path = root.join("target/mutants/results.txt");
        let mut known = BTreeMap::new();
        for line in std::fs::read_to_string(&path).unwrap_or_default().lines() {
            let mut words = line.split_whitespace();
            let (Some(name), Some(version), Some(outcome)) = (words.next(), words.next(), words.next())
            else {
                continue;
            };
            let outcome = NAMES.iter().find(|(_, name)| *name == outcome).map(|(outcome, _)| *outcome);
            if let (Ok(version), Some(outcome)) = (version.parse(), outcome) {
                known.insert(name.to_owned(), (version, outcome));
            }
        }
        Self { path, known }
    }

    /// The result of the mutant as its list has it now.
    pub(crate) fn of(&self, mutant: &Mutant) -> Option<Outcome> {
        let (version, outcome) = self.known.get(&mutant.name)?;
        (*version == mutant.version()).then_some(*outcome)
    }

    pub(crate) fn note(&mut self, mutant: &Mutant, outcome: Outcome, detail: &str) -> Result<()> {
        let line = format!("{} {} {} {detail}\n", mutant.name, mutant.version(), outcome.name());
        OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.path)
            .and_then(|mut file| file.write_all(line.as_bytes()))
            .with_context(|| format!("cannot write {}", self.path.display()))?;
        self.known.insert(mutant.name.clone(), (mutant.version(), outcome));
        Ok(())
    }
}

/// Prints the table of docs/checks.md, and the mutants that no test notices.
pub(crate) fn report(root: &Path, mutants: &[Mutant]) -> Result<()> {
    let results = Results::open(root);
    let places = Places::find(root, mutants);
    // Mutants, found, change nothing, survived, not tried.
    let mut rows: BTreeMap<&str, [usize; 5]> = BTreeMap::new();
    let mut open = Vec::new();
    for mutant in mutants {
        let outcome = results.of(mutant);
        let column = match (outcome, &mutant.equivalent) {
            (_, Some(_)) => 2,
            _ if places.problems.contains_key(&mutant.name) => 4,
            (Some(outcome), None) if outcome.is_good() => 1,
            (Some(outcome), None) => {
                open.push(format!("{}: {}", mutant.name, outcome.name()));
                3
            }
            (None, None) => 4,
        };
        for row in [mutant.list(), "all"] {
            let row = rows.entry(row).or_default();
            row[0] += 1;
            row[column] += 1;
        }
    }
    let all = rows.remove("all").unwrap_or_default();
    println!("| list | mutants | found | change nothing | survived | not tried |\n|---|---|---|---|---|---|");
    for (list, row) in rows.into_iter().chain([("all", all)]) {
        println!("| {list} | {} |", row.map(|count| count.to_string()).join(" | "));
    }
    println!();
    for mutant in mutants {
        if let Some(reason) = &mutant.equivalent {
            println!("{} changes nothing: {reason}", mutant.name);
        }
    }
    for line in open {
        println!("{line}");
    }
    Ok(())
}
