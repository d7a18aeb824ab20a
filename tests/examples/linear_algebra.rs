//! Kokkos's exercises of linear algebra: each program prints the same on every space and number of threads, and its parts compute what
//! sequential loops compute.

use crate::run::{Outcome, command, finish, spaces};

/// Runs an example on each space, with several numbers of threads. All must succeed and print the same, but for lines about times. Returns
/// the lines of the first run.
fn same_everywhere(example: &str, arguments: &str) -> Vec<String> {
    let run = |space: &str, threads: &str| -> Outcome {
        let mut command = command(example);
        command.args(arguments.split_whitespace()).args(["-space", space]).env("SPELT_NUM_THREADS", threads);
        let outcome = finish(&mut command);
        let what = format!("{example} {arguments} on {space}, {threads} threads: {outcome:?}");
        assert_eq!((outcome.status, outcome.stderr.as_str()), (Some(0), ""), "{what}");
        outcome
    };
    let untimed = |outcome: &Outcome| -> Vec<String> {
        outcome
            .stdout
            .lines()
            .filter(|line| !line.to_lowercase().contains("time"))
            .map(str::to_owned)
            .collect()
    };
    let first = run("serial", "1");
    for space in spaces() {
        for threads in if space == "threads" { ["1", "2", "3", "7"].as_slice() } else { &["2"] } {
            let found = untimed(&run(space, threads));
            assert_eq!(found, untimed(&first), "{example} {arguments} on {space}, {threads} threads");
        }
    }
    first.stdout.lines().map(str::to_owned).collect()
}

/// The number between two parts of a line.
fn number(line: &str, begin: &str, end: &str) -> f64 {
    let found = line.split_once(begin).and_then(|(_, rest)| rest.split_once(end)).map(|(number, _)| number);
    let found = found.unwrap_or_else(|| panic!("`{line}` has no `{begin}..{end}`"));
    found.parse().unwrap_or_else(|_| panic!("`{found}` in `{line}` is not a number"))
}

#[test]
fn team_gemm() {
    // The program compares each element with a loop on the host.
    let lines = same_everywhere("team_gemm", "-A.m 7 -A.n 5 -B.m 5 -B.n 9 -alpha 0.5 -beta -1.5");
    let shapes = "    Results: ( C:128x7x9, A:128x7x5, B:128x5x9, beta:-1.500000, alpha:0.500000 ), time( ";
    assert!(number(&lines[0], shapes, " s )") >= 0.0);
    assert!(number(&format!("{}\n", lines[1]), "    Sum of C: ", "\n").is_finite());
    // Without the product, C is twice what it was; without elements, it is nothing.
    same_everywhere("team_gemm", "-A.n 0 -B.m 0");
    let empty = same_everywhere("team_gemm", "-A.m 0");
    assert!(empty[1] == "    Sum of C: 0" || empty[1] == "    Sum of C: -0", "{empty:?}");
}

#[test]
fn block_jacobi() {
    let lines = same_everywhere("block_jacobi", "-N 50 -B 5");
    assert_eq!(lines[0], " :::: Testing (N = 50, Blk = 5, TeamSize = 0 (0 is AUTO))");
    for (task, lines) in [1, 2].into_iter().zip(lines[1..].chunks(2)) {
        let residual = number(&format!("{}\n", lines[1]), &format!("task {task}: residual = "), "\n");
        assert!(residual > 0.0 && residual < 1e-11, "{residual}");
    }
    // Each task alone, and teams of one thread, have the same residual as both.
    for (arguments, task) in [("-N 50 -Task 1", 1), ("-N 50 -Task 2 -TeamSize 1", 2)] {
        assert_eq!(same_everywhere("block_jacobi", arguments)[2], lines[2 * task], "{arguments}");
    }
    for arguments in ["-N 0", "-B 0 -N 3", "-B 1 -N 3", "-B 12 -N 3"] {
        same_everywhere("block_jacobi", arguments);
    }
}
