//! Sizes from the command line, and what happens where an option is wrong.

use crate::run::{Outcome, command, finish, run};

/// Runs a tutorial with one repetition and returns its line of sizes.
fn sizes(arguments: &str) -> String {
    let outcome = run("exercise_01", &format!("{arguments} -nrepeat 1 -space serial"));
    assert_eq!(outcome.status, Some(0), "{arguments}: {outcome:?}");
    let line = outcome.lines().into_iter().find(|line| line.contains("Total")).map(str::to_owned);
    line.expect("the sizes are printed")
}

#[test]
fn missing_sizes_follow_from_the_others() {
    // S alone: up to 1024 columns.
    assert_eq!(sizes("-S 4"), "  Total size S = 16 N = 1 M = 16");
    assert_eq!(sizes("-S 12"), "  Total size S = 4096 N = 4 M = 1024");
    assert_eq!(sizes("-S 6 -N 2"), "  Total size S = 64 N = 4 M = 16");
    assert_eq!(sizes("-S 6 -M 2"), "  Total size S = 64 N = 16 M = 4");
    assert_eq!(sizes("-N 2 -M 3"), "  Total size S = 32 N = 4 M = 8");
    // The long names, with one dash or two, and in one word.
    assert_eq!(sizes("-Rows 2 --Columns 3 -Size=5"), "  Total size S = 32 N = 4 M = 8");
}

fn refused(outcome: &Outcome, message: &str) {
    assert_eq!(outcome.status, Some(2), "{outcome:?}");
    assert_eq!(outcome.stderr, format!("error: {message}; -help lists the options\n"));
}

#[test]
fn wrong_options_end_with_status_2() {
    for (arguments, message) in [
        ("-frequency 3", "Unrecognized option: 'frequency'"),
        ("-N", "Argument to option 'N' missing"),
        ("-N 3 -N 3", "Option 'Rows' given more than once"),
        ("-N few", "-N few: invalid digit found in string"),
        ("-N 64", "-N 64: 2^64 is no size on this machine"),
        ("-N 40 -M 40", "N * M is no size on this machine"),
        ("-N 2 -M 2 -S 5", "N * M != S"),
        ("-N 2 -S 1", "N * M != S"),
        ("-nrepeat -1", "-nrepeat -1: invalid digit found in string"),
        ("7", "`7` is no option"),
        ("-space abacus", "-space abacus: `abacus` is no space: choose serial, threads, rayon or cuda"),
    ] {
        refused(&run("exercise_01", arguments), message);
    }
    refused(&run("exercise_04", "-N 1 -layout up"), "-layout up: choose left or right");
    refused(&run("scatter_view", "many"), "N many: invalid digit found in string");
    refused(&run("scatter_view", "1 2 3"), "`3` is no option");
    refused(&run("min_loc", "-N -3"), "-N -3: invalid digit found in string");
    refused(&run("advanced_reductions", "-N 3"), "Unrecognized option: 'N'");
}

#[test]
fn the_environment_names_the_space() {
    let outcome = finish(command("min_loc").env("SPELT_SPACE", "serial"));
    assert_eq!(outcome.status, Some(0), "{outcome:?}");
    refused(
        &finish(command("min_loc").env("SPELT_SPACE", "abacus")),
        "SPELT_SPACE: `abacus` is no space: choose serial, threads, rayon or cuda",
    );
    // The command line goes first.
    let outcome = finish(command("min_loc").args(["-space", "serial"]).env("SPELT_SPACE", "abacus"));
    assert_eq!(outcome.status, Some(0), "{outcome:?}");
}

#[test]
fn help_lists_the_options() {
    for help in ["-help", "--help", "-h"] {
        let outcome = run("team_vector_loop", help);
        assert_eq!((outcome.status, outcome.stderr.as_str()), (Some(0), ""));
        for option in ["-N, -Rows", "-M, -Columns", "-S, -Size", "-E, -Elements", "-nrepeat", "-space"] {
            assert!(outcome.stdout.contains(&format!(" {option} ")), "{option}: {}", outcome.stdout);
        }
    }
}
