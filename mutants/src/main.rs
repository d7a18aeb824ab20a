//! Puts small mistakes into Spelt, one at a time, and says which of them no test notices. README.md has the words.

mod list;
mod programs;
mod results;
mod rewrite;
mod run;
mod tree;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, bail};

use list::Mutant;
use rewrite::Places;

const USAGE: &str = "\
usage: mutants check                      every mutant's text is in its file, once
       mutants run [--again] [WORD ..]    try the mutants whose names contain a WORD, all without one
       mutants report                     the results so far, as a table";

fn main() -> ExitCode {
    match command(&std::env::args().skip(1).collect::<Vec<_>>()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Whether all is well.
fn command(arguments: &[String]) -> Result<bool> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package lies in the workspace");
    let mutants = list::read(&root.join("mutants/lists"))?;
    let mut words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if words.is_empty() {
        bail!("{USAGE}");
    }
    match words.remove(0) {
        "check" if words.is_empty() => check(root, &mutants),
        "run" => {
            let again = words.first() == Some(&"--again");
            let words = &words[usize::from(again)..];
            if let Some(option) = words.iter().find(|word| word.starts_with('-')) {
                bail!("`{option}` is not an option\n{USAGE}");
            }
            run::run(root, &mutants, words, again)
        }
        "report" if words.is_empty() => {
            results::report(root, &mutants)?;
            Ok(true)
        }
        _ => bail!("{USAGE}"),
    }
}

/// Whether each mutant's text is in its file once, and its tests' programs are in the workspace.
fn check(root: &Path, mutants: &[Mutant]) -> Result<bool> {
    let places = Places::find(root, mutants);
    for (name, problem) in &places.problems {
        eprintln!("{name}: {problem}");
    }
    let targets = programs::targets(root)?;
    let mut missing = BTreeSet::new();
    for tests in mutants.iter().flat_map(|its| &its.tests) {
        let package = tests.package.iter().skip_while(|word| *word != "-p").nth(1).map_or("", String::as_str);
        for target in tests.target.iter().filter(|word| !word.starts_with("--")) {
            if !targets.contains(&(package.to_owned(), target.to_owned())) {
                missing.insert(format!("the tests `{target}` of `{package}` are gone"));
            }
        }
    }
    missing.iter().for_each(|line| eprintln!("{line}"));
    println!("{} mutants, {} of them no longer apply", mutants.len(), places.problems.len());
    Ok(places.problems.is_empty() && missing.is_empty())
}
