//! The second suite: `cargo run --release -p spelt-programs -- --help`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use spelt_harness::measure::{self, Row};
use spelt_harness::{compare, machine, progress, report, suite};
use spelt_programs::options::Options;
use spelt_programs::{Case, Setup, all, table};

/// The line of a Markdown file below which the table is.
const MARK: &str = "<!-- below: written by `cargo run --release -p spelt-programs -- --markdown FILE` -->";

fn main() -> ExitCode {
    // OpenMP's threads spin for 0.3 ms after their work, as in the first suite, not for longer than the pause between turns.
    // SAFETY: no other thread has been started, so none reads the environment.
    unsafe { std::env::set_var("GOMP_SPINCOUNT", "30000") };
    suite::exit_code(run(&Options::parse()))
}

/// Whether all is well: with `--compare`, whether no row is behind.
fn run(options: &Options) -> Result<bool, String> {
    let cases = suite::chosen(all(), &options.programs, "program")?;
    if options.list {
        suite::list(&cases);
        return Ok(true);
    }
    if cfg!(debug_assertions) && !options.check {
        eprintln!("warning: built without optimisation; use --release");
    }
    let heading = format!(
        "Taken on {} on {}, {}; {} rounds; load before: {}.\n",
        machine::date(),
        machine::processor(),
        machine::cores(),
        options.rounds,
        machine::load()
    );
    println!("{heading}");
    let (mut text, mut well) = (heading, true);
    let kokkos = options.kokkos.clone().or_else(|| std::env::var_os("Kokkos_ROOT").map(PathBuf::from));
    for &threads in &options.threads {
        let setup = Setup::new(threads, kokkos.clone())?;
        if options.check {
            check(&setup, &cases)?;
            continue;
        }
        let results = measure(&setup, &cases, options)?;
        let table = table::table(&results, threads);
        println!("\n{table}");
        text += &format!("\n{table}");
        if options.compare {
            let behind = compare::behind(&results, table::bound);
            print!("{}", compare::lines(&results, &behind));
            well &= behind.is_empty();
        }
    }
    if let Some(file) = options.markdown.as_ref().filter(|_| !options.check) {
        let old = std::fs::read_to_string(file).unwrap_or_default();
        std::fs::write(file, report::below_mark(&old, MARK, &text))
            .map_err(|error| format!("{}: {error}", file.display()))?;
    }
    Ok(well)
}

/// Runs all rows of these programs.
fn measure(setup: &Setup, cases: &[Case], options: &Options) -> Result<Vec<(Case, Vec<Row>)>, String> {
    let sizes = |own: &'static [usize]| if options.sizes.is_empty() { own } else { &options.sizes };
    let rounds = options.rounds as usize;
    let races: usize =
        cases.iter().flat_map(|case| case.variants).map(|variant| sizes(variant.sizes).len()).sum();
    let bar = progress::bar(races * rounds);
    let mut results = Vec::new();
    for case in cases {
        let mut rows = Vec::new();
        for variant in case.variants {
            for &size in sizes(variant.sizes) {
                rows.push(suite::row(setup, case, variant, size, rounds, false, &bar)?);
            }
        }
        results.push((*case, rows));
    }
    bar.finish_and_clear();
    Ok(results)
}

/// Has every contender run once.
fn check(setup: &Setup, cases: &[Case]) -> Result<(), String> {
    for case in cases {
        for variant in case.variants {
            let title = format!("{} {} on {} threads", case.name, variant.name, setup.threads);
            let size = variant.sizes[0];
            let mut race = (variant.race)(setup, size).map_err(|error| format!("{title}: {error}"))?;
            measure::check(&mut *race).map_err(|error| format!("{title}: {error}"))?;
            println!("{title}: {}", race.names().join(", "));
        }
    }
    Ok(())
}
