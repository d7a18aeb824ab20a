//! The parts of a suite's program that all suites share: the choice of cases, a row, the exit status.

use std::process::ExitCode;

use indicatif::ProgressBar;

use crate::case::{Case, Variant};
use crate::measure::{self, Row};
use crate::report;

/// Success if all is well; prints an error.
#[must_use]
pub fn exit_code(outcome: Result<bool, String>) -> ExitCode {
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The cases with these names, in the order of `known`, or all if there are no names. `noun` is the word for a case.
///
/// # Errors
/// If there is no case of a name.
pub fn chosen<S>(known: Vec<Case<S>>, names: &[String], noun: &str) -> Result<Vec<Case<S>>, String> {
    if let Some(name) = names.iter().find(|name| !known.iter().any(|case| case.name == **name)) {
        return Err(format!("there is no {noun} `{name}`; `--list` names them"));
    }
    let wanted = |case: &Case<S>| names.is_empty() || names.iter().any(|name| name == case.name);
    Ok(known.into_iter().filter(wanted).collect())
}

/// Prints the cases with their hypotheses.
pub fn list<S>(cases: &[Case<S>]) {
    cases.iter().for_each(|case| println!("{}\n    {}", case.name, case.hypothesis));
}

/// Times the contenders of one race and prints its lines, or the reason why there is none. With `alone`, Spelt only.
///
/// # Errors
/// If a result is wrong, or Spelt cannot run.
pub fn row<S>(
    setup: &S,
    case: &Case<S>,
    variant: &Variant<S>,
    size: usize,
    rounds: usize,
    alone: bool,
    bar: &ProgressBar,
) -> Result<Row, String> {
    let title = format!("{} {} {size}", case.name, variant.name);
    bar.set_message(title.clone());
    let row = match (variant.race)(setup, size) {
        Ok(mut race) => {
            if alone {
                race.leave_peers_out();
            }
            let (figures, skipped) = measure::run(&mut *race, rounds, || bar.inc(1))
                .map_err(|error| format!("{title}: {error}"))?;
            Row { variant: variant.name, size, work: race.work(), figures, skipped }
        }
        Err(reason) => {
            bar.inc(rounds as u64);
            Row::without_race(variant.name, size, reason)
        }
    };
    bar.suspend(|| print!("{}", report::lines(case, &row)));
    Ok(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cases() -> Vec<Case<()>> {
        ["sum", "scan", "sort"].map(|name| Case { name, hypothesis: "", size: "n", variants: &[] }).into()
    }

    #[test]
    fn cases_are_chosen_by_name_and_stay_in_order() {
        let names = |chosen: &[&str]| -> Result<Vec<&str>, String> {
            let chosen: Vec<String> = chosen.iter().map(|name| (*name).to_owned()).collect();
            Ok(chosen_names(super::chosen(cases(), &chosen, "case")?))
        };
        fn chosen_names(cases: Vec<Case<()>>) -> Vec<&'static str> {
            cases.iter().map(|case| case.name).collect()
        }
        assert_eq!(names(&[]), Ok(vec!["sum", "scan", "sort"]));
        assert_eq!(names(&["sort", "sum"]), Ok(vec!["sum", "sort"]));
        assert_eq!(names(&["sum", "sums"]), Err("there is no case `sums`; `--list` names them".into()));
    }

    #[test]
    fn a_size_that_a_case_cannot_have_is_a_row_with_the_reason() {
        let variant =
            Variant::new("f64", &[], |(), size| Err(format!("the size is {size}: choose 3 or more")));
        let bar = ProgressBar::hidden();
        let row = row(&(), &cases()[0], &variant, 1, 5, false, &bar).unwrap();
        assert_eq!(row.skipped, [("Spelt", "the size is 1: choose 3 or more".to_owned())]);
        assert_eq!(bar.position(), 5);
    }
}
