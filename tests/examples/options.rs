//! Sizes from the command line, and errors of wrong options.

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
        ("-N few", "-N `few`: invalid digit found in string"),
        ("-N 64", "-N `64`: 2^64 is too large for this machine"),
        ("-N 40 -M 40", "N * M is too large for this machine"),
        ("-N 2 -M 2 -S 5", "N * M != S"),
        ("-N 2 -S 1", "N * M != S"),
        ("-nrepeat -1", "-nrepeat `-1`: invalid digit found in string"),
        ("7", "`7` is not an option"),
        ("-space abacus", "-space `abacus`: `abacus` is not a space: choose serial, threads, rayon or cuda"),
    ] {
        refused(&run("exercise_01", arguments), message);
    }
    refused(&run("exercise_04", "-N 1 -layout up"), "-layout `up`: choose left or right");
    refused(&run("scatter_view", "many"), "N `many`: invalid digit found in string");
    refused(&run("scatter_view", "1 2 3"), "`3` is not an option");
    refused(&run("min_loc", "-N -3"), "-N `-3`: invalid digit found in string");
    refused(&run("advanced_reductions", "-N 3"), "Unrecognized option: 'N'");
}

#[test]
fn the_environment_names_the_space() {
    let outcome = finish(command("min_loc").env("SPELT_SPACE", "serial"));
    assert_eq!(outcome.status, Some(0), "{outcome:?}");
    refused(
        &finish(command("min_loc").env("SPELT_SPACE", "abacus")),
        "SPELT_SPACE is `abacus`: choose serial, threads, rayon, cuda or cuda:1, or leave it unset",
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

/// A reader that goes away, as in `| head -1`, ends a program without a word.
#[cfg(unix)]
#[test]
fn pipes_may_be_closed() {
    let mut examples = vec![
        ("exercise_01", "-S 10 -space serial"),
        ("parallel_scan", "-space serial"),
        ("min_reduce", "-help"),
    ];
    if cfg!(all(feature = "threads", feature = "rayon")) {
        examples.push(("temperatures", "--space serial"));
    }
    for (example, arguments) in examples {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let outcome = finish(command(example).args(arguments.split_whitespace()).stdout(writer));
        assert_eq!((outcome.status, outcome.stderr.as_str()), (Some(0), ""), "{example}");
    }
}

/// Sizes that are too large for the machine are errors, not aborts.
#[test]
fn sizes_beyond_memory_are_errors() {
    // The first array of each is larger than the addresses of a process: Linux may be set to promise what it does not have, and ends the
    // program that uses it.
    let examples = ["exercise_01", "exercise_02", "exercise_03", "exercise_04", "subview"];
    let cases =
        examples.into_iter().flat_map(|example| ["-S 57", "-N 50 -M 3"].map(|sizes| (example, sizes)));
    for (example, arguments) in cases {
        let outcome = run(example, &format!("{arguments} -nrepeat 1 -space serial"));
        assert_eq!(outcome.status, Some(1), "{example} {arguments}: {outcome:?}");
        assert!(outcome.stderr.starts_with("error: ") && outcome.stderr.contains("memory"), "{outcome:?}");
    }
    for (example, arguments) in [
        ("team_policy", "-E 30 -N 20"),
        ("team_vector_loop", "-E 63 -N 1 -M 1"),
        ("scatter_view", "4000000000 4000000000"),
        ("scatter_view", "3 18446744073709551615"),
        ("unordered_map", "3 18446744073709551615"),
        ("unordered_map", "3 1000000000000000000"),
        ("subviews", "18446744073709551615"),
        ("subviews", "1000000"),
        ("dualview", "18446744073709551615"),
        ("dualview", "1000000000000000000"),
    ] {
        let outcome = run(example, &format!("{arguments} -space serial"));
        assert!(matches!(outcome.status, Some(1 | 2)), "{example} {arguments}: {outcome:?}");
        assert!(outcome.stderr.starts_with("error: "), "{outcome:?}");
    }
}

/// A full disk is an error, for the output and for pictures; the old pictures stay.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
    let outcome = finish(command("exercise_01").args(["-S", "10", "-space", "serial"]).stdout(full()));
    assert_eq!(outcome.status, Some(1));
    assert!(outcome.stderr.starts_with("error: standard output: No space left"), "{outcome:?}");
    if cfg!(not(all(feature = "threads", feature = "rayon"))) {
        return;
    }
    let outcome = finish(command("temperatures").args(["--space", "serial"]).stdout(full()));
    assert_eq!(outcome.status, Some(2));
    assert!(outcome.stderr.starts_with("temperatures: No space left"), "{outcome:?}");

    let folder = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("full-disk");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    let old = folder.join("temperatures.png");
    std::fs::write(&old, "the older picture").expect("a file");
    let program = command("temperatures").get_program().to_owned();
    // No file may have more than some 4 KiB, which the picture has; the shell leaves the signal of that aside, so that writing fails.
    let mut limited = std::process::Command::new("sh");
    limited.args(["-c", "trap '' XFSZ; ulimit -f 8; exec \"$0\" --space serial --out \"$1\""]);
    let outcome = finish(limited.arg(program).arg(&folder));
    assert_eq!(outcome.status, Some(2), "{outcome:?}");
    assert!(outcome.stderr.contains("temperatures.png: "), "{outcome:?}");
    let files: Vec<_> =
        std::fs::read_dir(&folder).expect("the folder").map(|file| file.expect("a file").path()).collect();
    assert_eq!(files, std::slice::from_ref(&old));
    assert_eq!(std::fs::read(old).expect("the file"), b"the older picture");
}
