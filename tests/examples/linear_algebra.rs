//! Kokkos's exercises of linear algebra: each program prints the same on every space and number of threads, and its parts compute what
//! sequential loops compute.

use crate::run::{Outcome, command, finish, run, spaces};

/// Runs an example on each space, with several numbers of threads. All must succeed and print the same, but for lines about times and
/// that with the space. Returns the lines of the first run.
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
            .filter(|line| !line.to_lowercase().contains("time") && !line.contains("execution_space"))
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

/// The last line of an example with teams of three threads, on each space that has such teams.
fn of_large_teams(example: &str, arguments: &str) -> Vec<String> {
    let spaces = spaces().into_iter().filter(|space| ["threads", "cuda"].contains(space));
    let last = spaces.map(|space| {
        let mut command = command(example);
        command.args(arguments.split_whitespace()).args(["-space", space]).env("SPELT_NUM_THREADS", "3");
        let outcome = finish(&mut command);
        assert_eq!(
            (outcome.status, outcome.stderr.as_str()),
            (Some(0), ""),
            "{example} {arguments}: {outcome:?}"
        );
        outcome.lines().last().expect("a line").to_string()
    });
    last.collect()
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
    let (user, lines) = lines.split_at(6);
    let options = "  User A.m is 7\n  User A.n is 5\n  User B.m is 5\n  User B.n is 9\n  User alpha 0.500000\n  User beta -1.500000";
    assert_eq!(user.join("\n"), options);
    let shapes = "    Results: ( C:128x7x9, A:128x7x5, B:128x5x9, beta:-1.500000, alpha:0.500000 ), time( ";
    assert!(number(&lines[0], shapes, " s )") >= 0.0);
    assert!(number(&format!("{}\n", lines[1]), "    Sum of C: ", "\n").is_finite());
    // Without the product, C is twice what it was; without elements, it is nothing.
    same_everywhere("team_gemm", "-A.n 0 -B.m 0");
    let empty = same_everywhere("team_gemm", "-A.m 0");
    assert!(empty[2] == "    Sum of C: 0" || empty[2] == "    Sum of C: -0", "{empty:?}");
}

#[test]
fn block_jacobi() {
    let lines = same_everywhere("block_jacobi", "-N 50 -B 5");
    assert_eq!(lines[0], " :::: Testing (N = 50, Blk = 5, TeamSize = 0 (0 is AUTO))");
    for (task, lines) in [1, 2].into_iter().zip(lines[1..].chunks(3)) {
        assert_eq!(lines[1], format!("task {task}: residual = 0.000000"));
        let residual = number(&format!("{}\n", lines[2]), &format!("task {task}: with all digits = "), "\n");
        assert!(residual > 0.0 && residual < 1e-11, "{residual}");
    }
    // Each task alone, and teams of one thread, have the same residual as both.
    for (arguments, task) in [("-N 50 -Task 1", 1), ("-N 50 -Task 2 -TeamSize 1", 2)] {
        assert_eq!(same_everywhere("block_jacobi", arguments)[3], lines[3 * task], "{arguments}");
    }
    // So have larger teams, where the space has them.
    for space in spaces().into_iter().filter(|space| ["threads", "cuda"].contains(space)) {
        let mut large = command("block_jacobi");
        large.args(["-N", "50", "-TeamSize", "3", "-space", space]).env("SPELT_NUM_THREADS", "3");
        let found = finish(&mut large);
        let found: Vec<&str> = found.lines().into_iter().filter(|line| line.contains("digits")).collect();
        assert_eq!(found, [lines[3].as_str(), &lines[6]], "teams of 3 threads on {space}");
    }
    for arguments in ["-N 0", "-B 0 -N 3", "-B 1 -N 3", "-B 12 -N 3"] {
        same_everywhere("block_jacobi", arguments);
    }
}

#[test]
fn spgemm() {
    // The program compares C x with A (A x), exactly.
    for (n, of_a, of_c) in [(1, 1, 1), (2, 4, 4), (3, 7, 9), (1024, 3070, 5114)] {
        let lines = same_everywhere("spgemm", &format!("-N {n}"));
        assert_eq!(lines[0], format!("  User N is {n}"));
        let lines = &lines[1..];
        assert_eq!(lines[0], format!("  Number of Rows N = {n}, Number of Cols N = {n}, Total nnz = {of_a}"));
        assert!(number(&lines[1], &format!("    Results: N( {n} ), overall spgemm time( "), " s )") >= 0.0);
        assert_eq!(lines[2], format!("    nnz of C: {of_c}"));
    }
}

/// The colours that the program prints for each distance, and their number.
fn colors(lines: &[String], height: usize) -> Vec<(usize, Vec<Vec<usize>>)> {
    let grids = lines.chunks(height + 2).enumerate().map(|(distance, lines)| {
        let title = format!("9-pt stencil: Distance-{} Colors (used ", distance + 1);
        assert_eq!(lines[height + 1], "");
        let color = |word: &str| word.parse().expect("a colour");
        let rows = lines[1..=height].iter().map(|row| row.split_whitespace().map(color).collect());
        (number(&lines[0], &title, "):") as usize, rows.collect())
    });
    grids.collect()
}

#[test]
fn graph_coloring() {
    for (width, height) in [(15_usize, 25_usize), (1, 1), (1, 6), (7, 2)] {
        let lines = same_everywhere("graph_coloring", &format!("-X {width} -Y {height}"));
        let grids = colors(&lines, height);
        assert_eq!(grids.len(), 2);
        for (distance, (used, grid)) in (1..).zip(grids) {
            assert!(grid.iter().all(|row| row.len() == width));
            let mut occur = grid.concat();
            occur.sort_unstable();
            occur.dedup();
            assert_eq!(occur, (1..=used).collect::<Vec<_>>(), "{width} x {height}");
            for (a, b) in (0..width * height).flat_map(|b| (0..b).map(move |a| (a, b))) {
                let [[x, y], [u, v]] = [a, b].map(|vertex| [vertex % width, vertex / width]);
                let near = x.abs_diff(u).max(y.abs_diff(v)) <= distance;
                assert!(!near || grid[y][x] != grid[v][u], "vertices {a} and {b} of {width} x {height}");
            }
        }
    }
}

#[test]
fn gauss_seidel() {
    // Of a sequential program in C++ with the library's generator, `rand` and first colours by rows.
    let wanted = "Generated a matrix with 10000 rows/cols, and 200000 entries.
Iteration 1 scaled residual norm: 0.189066
Iteration 2 scaled residual norm: 0.0281261
Iteration 3 scaled residual norm: 0.00357989
Iteration 4 scaled residual norm: 0.000413397
Iteration 5 scaled residual norm: 4.85827e-05
Iteration 6 scaled residual norm: 5.44329e-06
Iteration 7 scaled residual norm: 6.31168e-07
SUCCESS: converged in 7 iterations.
Rows have 16 colors.";
    assert_eq!(same_everywhere("gauss_seidel", "").join("\n"), wanted);
    // With other colours the first line is the same, and the residuals nearly so.
    let residual = |line: &&str| line.rsplit_once(' ').expect("a number").1.parse::<f64>().expect("a number");
    let residuals = |lines: &[&str]| lines[1..lines.len() - 2].iter().map(residual).collect::<Vec<f64>>();
    let wanted: Vec<&str> = wanted.lines().collect();
    let outcome = run("gauss_seidel", "-coloring random -space serial");
    assert_eq!((outcome.status, outcome.stderr.as_str()), (Some(0), ""), "{outcome:?}");
    let random = outcome.lines();
    assert_eq!((random[0], random.len()), (wanted[0], wanted.len()));
    let pairs = residuals(&random).into_iter().zip(residuals(&wanted));
    pairs.for_each(|(found, wanted)| assert!((found / wanted - 1.0).abs() < 0.05, "{found}, not {wanted}"));
    assert_ne!(residuals(&random), residuals(&wanted));
    // Random numbers are the same everywhere.
    same_everywhere("gauss_seidel", "-N 2000 -coloring random");
    // Of the same program.
    let lines = same_everywhere("gauss_seidel", "-N 400 -tolerance 1e-9 -coloring rows");
    assert_eq!(lines[0], "Generated a matrix with 400 rows/cols, and 8000 entries.");
    assert_eq!(lines[11], "Iteration 11 scaled residual norm: 1.20755e-10");
    assert_eq!(lines[12..], ["SUCCESS: converged in 11 iterations.", "Rows have 17 colors."]);
    // A row alone is solved at once. The others have fewer columns than elements, or as many.
    let lines = same_everywhere("gauss_seidel", "-N 1");
    assert_eq!(lines[2..], ["SUCCESS: converged in 1 iterations.", "Rows have 1 colors."]);
    for (n, entries) in [(2, 4), (19, 361), (20, 400), (21, 420)] {
        let lines = same_everywhere("gauss_seidel", &format!("-N {n}"));
        assert_eq!(lines[0], format!("Generated a matrix with {n} rows/cols, and {entries} entries."));
    }
}

/// A line with `_` in place of its time.
fn masked(line: &str) -> String {
    match line.split_once("Time: ").and_then(|(title, rest)| Some((title, rest.split_once(' ')?))) {
        Some((title, (time, rest))) => {
            assert!(time.parse::<f64>().is_ok_and(|time| time >= 0.0), "{line}");
            format!("{title}Time: _ {rest}")
        }
        None => line.to_owned(),
    }
}

#[test]
fn spiluk() {
    let mut lines = same_everywhere("spiluk", "");
    // Half of the elements beside the diagonal, and that. A point waits for those to the left of it and below: diagonals of the grid.
    let wanted = "ILU(k) execution_space: Serial, memory_space: HostSpace
Matrix size: 100 x 100, nnz = 460
Create handle ...
Kernel implementation type: SEQLVLSCHD_RP
Expected L_row_map size = 101
Expected L_entries size = 2760
Expected L_values size  = 2760
Expected U_row_map size = 101
Expected U_entries size = 2760
Expected U_values size  = 2760

Run symbolic phase ...
ILU(0) Symbolic Time: _ seconds
Actual L_row_map size = 101
Actual L_entries size = 280
Actual L_values size  = 280
Actual U_row_map size = 101
Actual U_entries size = 280
Actual U_values size  = 280
ILU(k) fill_level: 0
ILU(k) fill-factor: 1
num levels: 19
max num rows levels: 10

Run numeric phase ...
ILU(0) Numeric Time: _ seconds";
    // Of a sequential program.
    let row_sum = number(&format!("{}\n", lines.pop().unwrap()), "nrm2(A*e-L*U*e) = ", "\n");
    assert!((row_sum - 5.334_997_157_680_55).abs() < 1e-13, "{row_sum}");
    assert_eq!(lines.iter().map(|line| masked(line)).collect::<Vec<_>>().join("\n"), wanted);
    let row_sums = |arguments: &str| {
        let lines = same_everywhere("spiluk", arguments);
        number(&format!("{}\n", lines[lines.len() - 1]), "nrm2(A*e-L*U*e) = ", "\n")
    };
    // More fill is closer to the matrix, and enough of it has all of its elements.
    let sums = [0, 1, 3, 100].map(|k| row_sums(&format!("-nx 5 -ny 7 -k {k}")));
    assert!(sums.windows(2).all(|pair| pair[1] < 0.8 * pair[0]), "{sums:?}");
    assert!(sums[3] < 1e-13, "{sums:?}");
    // A team for each row computes the same, to the last digit.
    let teams = "-nx 5 -ny 7 -k 1 -algo lvltp1";
    for (arguments, size) in [("", "-1"), (" -ts 1", "1")] {
        let lines = same_everywhere("spiluk", &format!("{teams}{arguments}"));
        let at =
            lines.iter().position(|line| line == &format!("TP1 set team_size = {size}")).expect("a line");
        assert_eq!(lines[at + 1], "Kernel implementation type: SEQLVLSCHD_TP1");
        assert_eq!(row_sums(&format!("{teams}{arguments}")), sums[1]);
    }
    for last in of_large_teams("spiluk", &format!("{teams} -ts 3")) {
        assert_eq!(number(&format!("{last}\n"), "= ", "\n"), sums[1], "{last}");
    }
}

#[test]
fn cgsolve() {
    // The program compares the solution. Without roundings there are as many iterations as rows.
    for (n, nonzeros) in [(1, 1), (2, 4), (3, 7), (1024, 3070)] {
        let lines = same_everywhere("cgsolve", &format!("-N {n}"));
        assert_eq!(lines[0], format!("  User N is {n}"));
        assert_eq!(
            lines[1],
            format!("  Number of Rows N = {n}, Number of Cols N = {n}, Total nnz = {nonzeros}")
        );
        assert!(number(&lines[2], "tolerance(0.0001), norm_res(", &format!("), k(0), N({n})")) > 1e-4);
        let iterations = number(&lines[3], " s ), iterations( ", " ), final norm_res(");
        assert!(iterations >= 1.0 && iterations <= f64::from(n), "{lines:?}");
        for part in 1..=4 {
            assert!(number(&lines[3], &format!(", time part{part}( "), " s )") >= 0.0);
        }
        if n < 4 {
            assert!(number(&lines[3], "), norm_res(", ")") < 1e-4, "{lines:?}");
        }
    }
}

#[test]
fn cgsolve_spiluk() {
    let iterations = |arguments: &str| {
        let lines = same_everywhere("cgsolve_spiluk", arguments);
        let last = &lines[lines.len() - 1];
        assert!(number(last, "norm_res(", ")") <= 1e-10, "{last}");
        number(last, "iterations (", ")")
    };
    let lines = same_everywhere("cgsolve_spiluk", "-k 1 -ts 1 -algosptrsv lvltp1");
    let begin = "  User's fill level is 1
  User's team_size is 1
CGSolve execution_space: Serial, memory_space: HostSpace
Matrix size: 100 x 100, nnz = 460
Create SPILUK handle ...
Kernel implementation type: SEQLVLSCHD_RP
Create SPTRSV handle for L ...
TP1 set team_size = 1
SEQLVLSCHD_TP1
Create SPTRSV handle for U ...
TP1 set team_size = 1
SEQLVLSCHD_TP1
Run ILU(k) symbolic phase ...
ILU(1) Symbolic Time: _ seconds
L_row_map size = 101";
    assert_eq!(lines[..15].iter().map(|line| masked(line)).collect::<Vec<_>>().join("\n"), begin);
    // As many as a sequential program, with the random numbers of the C library; roundings may cost one.
    for (arguments, wanted) in
        [("", 43.0), (" -prec 1", 20.0), (" -nx 12 -ny 17", 86.0), (" -nx 12 -ny 17 -prec 1", 28.0)]
    {
        let found = iterations(arguments);
        assert!((found - wanted).abs() <= 1.0, "{arguments}: {found}");
    }
    let plain = iterations("-nx 12 -ny 17");
    let preconditioned = [0, 1, 3].map(|k| iterations(&format!("-nx 12 -ny 17 -prec 1 -k {k}")));
    assert!(preconditioned[0] < 0.6 * plain, "{preconditioned:?}, {plain}");
    assert!(preconditioned.windows(2).all(|pair| pair[1] < pair[0]), "{preconditioned:?}");
    // Teams: other roundings in the solutions, and as many iterations, but for one.
    let teams = "-nx 12 -ny 17 -prec 1 -k 1 -algospiluk lvltp1 -algosptrsv";
    assert_eq!(iterations(&format!("{teams} lvlrp")), preconditioned[1]);
    let by_teams = format!("{teams} lvltp1");
    assert!((iterations(&by_teams) - preconditioned[1]).abs() <= 1.0);
    let of_one = same_everywhere("cgsolve_spiluk", &by_teams);
    for last in of_large_teams("cgsolve_spiluk", &format!("{by_teams} -ts 3")) {
        let residuals = [&last, &of_one[of_one.len() - 1]].map(|line| number(line, "norm_res(", ")"));
        assert_eq!(residuals[0], residuals[1], "the size of teams changes no bit");
    }
    // With all of the fill the factors are those of the matrix, up to roundings.
    assert!(iterations("-nx 6 -ny 6 -prec 1 -k 100") <= 2.0);
}
