//! The benchmark program: `cargo run --release -p spelt-benches -- --help`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use spelt_benches::cases::Variant;
use spelt_benches::options::Options;
use spelt_benches::plot::Lines;
use spelt_benches::{Case, Setup, all, compare, machine, measure, plot, report};
use spelt_harness::{progress, suite};

/// The line of a Markdown file below which the tables are.
const MARK: &str = "<!-- below: written by `cargo run --release -p spelt-benches -- --markdown FILE` -->";

/// Rounds of `--quick`.
const QUICK_ROUNDS: usize = 5;

/// The largest size of `--quick`. Unit: elements.
const QUICK_SIZE: usize = 1_000_000;

/// The smallest size of `--growth`. Unit: elements.
const GROWTH_FROM: usize = 100;

fn main() -> ExitCode {
    suite::exit_code(run(&Options::parse()))
}

/// Whether all is well: with `--compare`, whether no row is behind.
fn run(options: &Options) -> Result<bool, String> {
    let cases = suite::chosen(all(), &options.cases, "case")?;
    if options.list {
        suite::list(&cases);
        return Ok(true);
    }
    let root = options.kokkos.clone().or_else(|| std::env::var_os("Kokkos_ROOT").map(PathBuf::from));
    let setup = Setup::new(options.threads, root.as_deref())?;
    if options.check {
        check(&setup, &cases, options)?;
        return Ok(true);
    }
    if cfg!(debug_assertions) {
        eprintln!("warning: built without optimisation; use --release");
    }
    let plan: Vec<(Case, Vec<(Variant, usize)>)> =
        cases.into_iter().map(|case| (case, sizes(&case, options))).collect();
    let rounds = if options.quick { QUICK_ROUNDS } else { options.rounds as usize };
    let total: usize = plan.iter().map(|(_, races)| races.len() * rounds).sum();
    let bar = progress::bar(total);

    let heading = heading(&setup, rounds);
    let mut text = heading.clone();
    let mut results = Vec::new();
    println!("{text}");
    for (case, races) in plan {
        let mut rows = Vec::new();
        for (variant, size) in races {
            rows.push(suite::row(&setup, &case, &variant, size, rounds, options.alone, &bar)?);
        }
        text += &format!("\n{}", report::table(&case, &rows));
        results.push((case, rows));
    }
    bar.finish_and_clear();
    let after = format!("Load after: {}.\n", machine::load());
    println!("{after}");
    text += &format!("\n{after}");
    if let Some(file) = &options.markdown {
        let old = std::fs::read_to_string(file).unwrap_or_default();
        std::fs::write(file, report::below_mark(&old, MARK, &text))
            .map_err(|error| format!("{}: {error}", file.display()))?;
    }
    if let Some(file) = &options.plot {
        plot::write(file, heading.trim_end(), &results, Lines::Variants)?;
    }
    if let Some(file) = &options.growth {
        let caches = machine::caches();
        let growing = compare::growing(&results, &caches);
        if caches.is_empty() {
            eprintln!("warning: the sizes of the caches are unknown, so growth within a cache is not listed");
        } else {
            println!("the time per element grows within a cache in {} rows", growing.len());
        }
        growing.iter().for_each(|line| println!("{line}"));
        plot::write(file, heading.trim_end(), &results, Lines::Contenders)?;
    }
    if !options.compare {
        return Ok(true);
    }
    let behind = compare::behind(&results, compare::bound);
    print!("{}", compare::lines(&results, &behind));
    Ok(behind.is_empty())
}

/// The conditions of the figures.
fn heading(setup: &Setup, rounds: usize) -> String {
    let limit = setup.limit.as_ref().map_or("none".to_owned(), |limit| format!("{:?}", limit.level()));
    format!(
        "Taken on {} on {}, {}, {} threads; limit: {limit}; Kokkos: {}; {rounds} rounds; load before: {}.\n",
        machine::date(),
        machine::processor(),
        machine::cores(),
        setup.threads,
        if setup.kokkos.is_some() { "yes" } else { "no" },
        machine::load(),
    )
}

fn variants<'a>(case: &Case, options: &'a Options) -> impl Iterator<Item = Variant> + use<'a> {
    let wanted = |variant: &Variant| {
        options.variants.is_empty() || options.variants.iter().any(|name| name == variant.name)
    };
    case.variants.iter().copied().filter(wanted)
}

fn sizes(case: &Case, options: &Options) -> Vec<(Variant, usize)> {
    let all = variants(case, options).flat_map(|variant| {
        let sizes = if options.growth.is_some() {
            growth_sizes(variant.sizes)
        } else if options.sizes.is_empty() {
            variant.sizes.to_vec()
        } else {
            options.sizes.clone()
        };
        sizes.into_iter().map(move |size| (variant, size))
    });
    all.filter(|(variant, size)| !options.quick || *size * variant.width <= QUICK_SIZE).collect()
}

/// Powers of ten up to the largest of a variant's own sizes, rounded up.
fn growth_sizes(own: &[usize]) -> Vec<usize> {
    let largest = own.iter().copied().max().unwrap_or(0);
    let mut sizes = vec![GROWTH_FROM];
    while sizes[sizes.len() - 1] < largest {
        sizes.push(10 * sizes[sizes.len() - 1]);
    }
    sizes
}

fn check(setup: &Setup, cases: &[Case], options: &Options) -> Result<(), String> {
    for case in cases {
        for variant in variants(case, options) {
            for size in measure::check_sizes(&variant) {
                let title = format!("{} {} {size}", case.name, variant.name);
                let mut race = (variant.race)(setup, size).map_err(|error| format!("{title}: {error}"))?;
                measure::check(&mut *race).map_err(|error| format!("{title}: {error}"))?;
                println!("{title}: {}", race.names().join(", "));
            }
        }
    }
    Ok(())
}
