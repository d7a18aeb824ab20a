//! The results that each tutorial prints.

use spelt::random::Random;

use crate::run::{Outcome, command, finish, on_each_space, run, spaces};

/// Checks a line that begins and ends like this, around a number.
fn timed(line: &str, begin: &str, end: &str) {
    let number = line.strip_prefix(begin).and_then(|rest| rest.strip_suffix(end));
    let number = number.unwrap_or_else(|| panic!("`{line}` is not `{begin}..{end}`"));
    assert!(number.parse::<f64>().is_ok_and(|number| number >= 0.0), "{line}");
}

/// Checks the output of y^T * A * x for 16 rows, 8 columns and 3 repetitions.
fn y_a_x(outcome: &Outcome) {
    let lines = outcome.lines();
    assert_eq!(
        lines[..4],
        [
            "  User N is 16",
            "  User M is 8",
            "  Total size S = 128 N = 16 M = 8",
            "  Computed result for 16 x 8 is 128.000000"
        ]
    );
    let last = lines[4].rsplit_once(" bandwidth( ").expect("the last line has a bandwidth");
    timed(last.0, "  N( 16 ) M( 8 ) nrepeat ( 3 ) problem( 0.001216 MB ) time( ", " s )");
    timed(last.1, "", " GB/s )");
    assert_eq!(lines.len(), 5);
}

macro_rules! y_a_x_tests {
    ($($example:ident)*) => {$(
        #[test]
        fn $example() {
            on_each_space(stringify!($example), "-N 4 -M 3 -nrepeat 3", y_a_x);
        }
    )*};
}
y_a_x_tests! { exercise_01 exercise_02 exercise_03 exercise_04 subview mdrange team_policy }

#[test]
fn inner_product() {
    on_each_space("inner_product", "-N 4 -M 3 -nrepeat 3", |outcome| {
        let lines = outcome.lines();
        let sizes = ["  User N is 16", "  User M is 8", "  Total size S = 128 N = 16 M = 8"];
        assert_eq!(lines[..3], sizes);
        // The same twice.
        for (title, part) in ["  Using BLAS functions: gemv, dot", "  Using team-based dot"]
            .into_iter()
            .zip(lines[3..].chunks(3))
        {
            assert_eq!(part[..2], [title, "    Computed result for 16 x 8 is 128.000000"]);
            let last = part[2].rsplit_once(" bandwidth( ").expect("the last line has a bandwidth");
            timed(last.0, "    N( 16 ) M( 8 ) nrepeat ( 3 ) problem( 0.001216 MB ) time( ", " s )");
            timed(last.1, "", " GB/s )");
        }
        assert_eq!(lines.len(), 9);
    });
}

#[test]
fn exercise_04_with_each_layout() {
    for layout in ["left", "Right"] {
        on_each_space("exercise_04", &format!("-N 4 -M 3 -nrepeat 3 -layout {layout}"), y_a_x);
    }
}

/// Checks the output of the tutorials with elements for 4 elements of 16 rows and 8 columns.
fn elements(outcome: &Outcome) {
    let lines = outcome.lines();
    assert_eq!(
        lines[..5],
        [
            "  User N is 16",
            "  User M is 8",
            "  User E is 4",
            "  Total size S = 128 N = 16 M = 8 E = 4",
            "  Computed result for 16 x 8 x 4 is 512.000000"
        ]
    );
    let last = lines[5].rsplit_once(" bandwidth( ").expect("the last line has a bandwidth");
    timed(last.0, "  N( 16 ) M( 8 ) E( 4 ) nrepeat ( 2 ) problem( 0.004864 MB ) time( ", " s )");
    timed(last.1, "", " GB/s )");
    assert_eq!(lines.len(), 6);
}

#[test]
fn team_vector_loop() {
    on_each_space("team_vector_loop", "-N 4 -M 3 -E 2 -nrepeat 2", elements);
}

#[test]
fn team_scratch_memory() {
    on_each_space("team_scratch_memory", "-N 4 -M 3 -E 2 -nrepeat 2", elements);
}

#[test]
fn scatter_view() {
    on_each_space("scatter_view", "100 20", |outcome| {
        let lines = outcome.lines();
        assert_eq!(lines.len(), 3);
        timed(lines[0], "Time Atomic: 100 20 ", "");
        timed(lines[1], "Time Duplicated: 100 20 ", "");
        timed(lines[2], "Time ScatterView: 100 20 ", "");
    });
}

#[test]
fn unordered_map() {
    for (sizes, lines) in [
        ("1000 1000", ""),
        ("1000 999", "Exceeded UnorderedMap capacity\n"),
        ("0 0", ""),
        ("1 0", "Exceeded UnorderedMap capacity\n"),
    ] {
        on_each_space("unordered_map", sizes, |outcome| assert_eq!(outcome.stdout, lines, "{sizes}"));
    }
}

#[test]
fn subviews() {
    // The program compares its result itself. Each point of the smallest mesh has a face on both sides.
    for size in ["0", "1", "2", "20"] {
        on_each_space("subviews", size, |outcome| assert_eq!(outcome.stdout, "Done\n", "{size}"));
    }
}

#[cfg(feature = "threads")]
#[test]
fn overlapping_deep_copy() {
    // The program compares all elements itself. Without copies the share of the host, 1.3513, is missing.
    for (arguments, result) in
        [("1 1", "27.4154"), ("1 1000", "27.4154"), ("2 1000", "27.4154"), ("0 1000", "26.0641")]
    {
        on_each_space("overlapping_deep_copy", arguments, |outcome| {
            let lines = outcome.lines();
            timed(lines[0], "Time ", "");
            assert_eq!(lines[1..], [format!("h_a(0): {result} ( Correct: 27.4154 )")], "{arguments}");
        });
    }
}

#[test]
fn dualview() {
    for size in ["0", "1", "1000"] {
        on_each_space("dualview", size, |outcome| {
            let wanted = "initializing spelt.....\n......done.\npressure error = 0\nenergy error = 0\nenthalpy error = 0\n";
            assert_eq!(outcome.stdout, wanted, "{size}");
        });
    }
}

#[test]
fn unique_token() {
    // The program compares its results itself. In the second run there are more copies than rows.
    for copies in [3, 7] {
        on_each_space("unique_token", &format!("100 20 {copies}"), |outcome| {
            let lines = outcome.lines();
            assert_eq!(lines.len(), 1);
            timed(lines[0], "Time Duplicated: 100 20 ", "");
        });
    }
}

#[test]
fn random_number() {
    for (exponent, group) in [(12, 1), (12, 8), (3, 8), (0, 1)] {
        let (darts, random) = (1_u64 << exponent, Random::new(5_374_857));
        let hits: usize = (0..darts / group)
            .map(|i| {
                let mut draws = random.at(i);
                (0..group).filter(|_| draws.f64().powi(2) + draws.f64().powi(2) <= 1.0).count()
            })
            .sum();
        on_each_space("random_number", &format!("{exponent} {group}"), |outcome| {
            let estimate = 4.0 * hits as f64 / darts as f64;
            let expected = [
                "Reference Value for pi:  3.141593".to_owned(),
                format!("darts = {darts}  hits = {hits}  pi est = {estimate:.6}"),
            ];
            assert_eq!(outcome.lines(), expected);
        });
    }
}

#[test]
fn virtualfunction() {
    on_each_space("virtualfunction", "", |outcome| assert_eq!(outcome.stdout, "Values: 1 2\n"));
}

#[test]
fn team_scan() {
    let (chunks, size) = (7, 100);
    let mut random = fastrand::Rng::with_seed(1_231_093);
    let data: Vec<usize> = (0..=chunks * size).map(|_| random.u32(0..16) as usize).collect();
    let mut counts = [[0; 16]; 16];
    for pair in data.windows(2) {
        counts[pair[0]][pair[1]] += 1;
    }
    on_each_space("team_scan", &format!("{chunks} {size}"), |outcome| {
        let lines = outcome.lines();
        timed(lines[0], "Time: ", " ");
        assert_eq!((lines[1], lines.len()), ("", 19));
        for (line, row) in lines[2..18].iter().zip(&counts) {
            assert!(line.split_whitespace().eq(row.iter().map(i32::to_string)), "{line}, {row:?}");
        }
        assert_eq!(lines[18], "Result: 700 700");
    });
}

/// Checks that a program prints the total of these sums in both forms.
fn combinations(example: &str, first: &str, [n, m, r]: [usize; 3], a: f64) {
    let weights = (0..m).scan(a, |b, j| {
        let weight = *b;
        *b += a + (j + 1) as f64;
        Some(weight)
    });
    // Multiples of a small power of two: every order of additions has the same bits.
    let weights: f64 = weights.sum();
    let total: f64 = (0..n).map(|i| (i % 8) as f64 * weights).sum();
    on_each_space(example, &format!("{n} {m} {r} {a}"), |outcome| {
        let lines = outcome.lines();
        assert_eq!(lines.len(), 2, "{outcome:?}");
        for (line, form) in lines.into_iter().zip([first, "SIMD"]) {
            let (time, found) = line.split_once(" ms ( ").expect("a time and a total");
            timed(time, &format!("{form} Time: "), "");
            let found = found.strip_suffix(" )").expect("a bracket");
            assert_eq!(found.parse::<f64>(), Ok(format!("{total:.6e}").parse().unwrap()), "{line}");
            assert!(found.contains("e+"), "as C prints it: {line}");
        }
    });
}

#[test]
fn simd() {
    combinations("simd", "Scalar", [640, 3, 2], 1.5);
    combinations("simd", "Scalar", [32, 5, 1], 0.5);
}

#[test]
fn simd_warp() {
    combinations("simd_warp", "ThreadVector", [640, 3, 2], 1.5);
    combinations("simd_warp", "ThreadVector", [32, 5, 4], 2.25);
}

#[test]
fn advanced_reductions() {
    on_each_space("advanced_reductions", "", |outcome| {
        assert_eq!(outcome.stdout, "geometric mean: 1.4208 reference: 1.4208\n");
    });
}

#[test]
fn parallel_scan() {
    on_each_space("parallel_scan", "", |outcome| {
        let lines = outcome.lines();
        assert_eq!(lines[0], "Factorial: ");
        assert_eq!(lines.len(), 11);
        let mut factorial = 1;
        for i in 0..10 {
            assert_eq!(lines[i + 1], format!("{i}: {factorial} should be {factorial}"));
            factorial *= i + 1;
        }
    });
}

#[test]
fn min_reduce() {
    on_each_space("min_reduce", "-N 5000", |outcome| {
        assert_eq!(outcome.stdout, "Min: 3.540000\nMin: 3.540000\n");
    });
    // The lowest point lies beyond the end.
    on_each_space("min_reduce", "-N 7", |outcome| {
        assert_eq!(outcome.stdout, "Min: 4.940000\nMin: 4.940000\n");
    });
}

#[test]
fn min_loc() {
    on_each_space("min_loc", "-N 5000", |outcome| assert_eq!(outcome.stdout, "Min: 3.540000 at 7\n"));
    on_each_space("min_loc", "-N 7", |outcome| assert_eq!(outcome.stdout, "Min: 4.940000 at 6\n"));
}

#[test]
fn nested_min_max_loc() {
    on_each_space("nested_min_max_loc", "-N 300 -M 200", |outcome| {
        // 3.5, and 199^2 + 149^2 + 3.5.
        let expected = "Min 3.500000 at (100, 50)\nMax 61805.500000 at (299, 199)\n";
        assert_eq!(outcome.stdout, expected);
    });
}

#[test]
fn median_finding() {
    let check = |outcome: &Outcome, exponent: usize, cut: &str| {
        let lines = outcome.lines();
        assert_eq!(lines.len(), exponent + 1);
        for (power, line) in lines.into_iter().enumerate() {
            let teams = 1 << power;
            timed(line, &format!("teams: {teams:8}   cut: {cut}    time: "), " ms");
        }
    };
    for (exponent, cut) in [(1, "0.50"), (2, "0.33"), (5, "0.26")] {
        on_each_space("median_finding", &format!("-P {exponent}"), |outcome| check(outcome, exponent, cut));
    }
    // More teams take the emulator long.
    check(&run("median_finding", "-P 12 -space serial"), 12, "0.25");
}

#[test]
fn instances() {
    for space in spaces() {
        let mut command = command("instances");
        // Also on a machine with one core.
        command.args(["-N", "16", "-nrepeat", "2", "-space", space]).env("SPELT_NUM_THREADS", "3");
        let outcome = finish(&mut command);
        assert_eq!((outcome.status, outcome.stderr.as_str()), (Some(0), ""), "{space}: {outcome:?}");
        let lines = outcome.lines();
        // x is 3 - 2 * 2.5 and 3.5 - 2 * 2.5, y is 16 * 4 * x and 16 * 4.5 * x.
        let results = "  Computed results for 16 and 2 are 2.621440e+05 and 1.866240e+05";
        assert_eq!(lines[..2], ["  User N is 16", results], "{space}");
        let last = lines[2].rsplit_once(" bandwidth( ").expect("the last line has a bandwidth");
        timed(last.0, "  N( 16 ) nrepeat ( 2 ) problem( 0.002304 MB ) time( ", " s )");
        timed(last.1, "", " GB/s )");
        assert_eq!(lines.len(), 3);
    }
}

#[test]
fn graph() {
    on_each_space("graph", "-N 100 -neighs 3 -nsend 20 -nrepeat 2", |outcome| {
        let lines = outcome.lines();
        assert_eq!(lines[..2], ["  User N is 100", "Execute with 100 3 20 2"]);
        let transfers = [0, 1, 2].map(|number| format!("HostTransfer RecvBuf {number} SendBuf {number}"));
        assert_eq!((lines[2], lines.len()), ("Graph Create Done", 10), "{outcome:?}");
        assert!(lines[3..6] == transfers && lines[6..9] == transfers, "{outcome:?}");
        let (begin, create) = lines[9].rsplit_once(' ').expect("two times");
        timed(begin, "Graph Runtime: ", "");
        timed(create, "", "");
    });
}

#[test]
fn multi_gpu() {
    for space in spaces() {
        let mut command = command("multi_gpu");
        command.args(["-N", "40", "-nrepeat", "2", "-space", space]);
        // Also on a machine with one core, and on the emulator.
        command.env("SPELT_NUM_THREADS", "3").env("SPELT_EMULATOR_DEVICES", "3");
        let outcome = finish(&mut command);
        assert_eq!((outcome.status, outcome.stderr.as_str()), (Some(0), ""), "{space}: {outcome:?}");
        let lines = outcome.lines();
        let results =
            lines[0].strip_prefix("  Computed results for N=40 and nrepeat=2 are ").expect("results");
        let devices = results.split(" and ").inspect(|result| assert_eq!(*result, "1.600000e+03")).count();
        // Two halves of the threads of a host, or all devices.
        #[cfg(feature = "cuda")]
        let expected = if space == "cuda" { crate::run::devices(3) } else { 2 };
        #[cfg(not(feature = "cuda"))]
        let expected = 2;
        assert_eq!(devices, expected, "{space}");
        let (line, bandwidth) = lines[1].rsplit_once(" bandwidth( ").expect("the last line has a bandwidth");
        timed(bandwidth, "", " GB/s )");
        let (sizes, time) = line.rsplit_once(" time( ").expect("the last line has a time");
        timed(time, "", " s )");
        let megabytes = sizes
            .strip_prefix("  N( 40 ) nrepeat ( 2 ) problem( ")
            .and_then(|rest| rest.strip_suffix(" MB )"));
        let megabytes =
            megabytes.and_then(|number| number.parse::<f64>().ok()).expect("a number of megabytes");
        assert!((megabytes - devices as f64 * 0.01344).abs() < 1e-6, "{megabytes}");
        assert_eq!(lines.len(), 2);
    }
}

#[cfg(all(target_os = "linux", feature = "threads"))]
#[test]
fn hpcbind() {
    let lines = |arguments: &str| {
        let outcome = run("hpcbind", arguments);
        assert_eq!((outcome.status, outcome.stderr.as_str()), (Some(0), ""), "{outcome:?}");
        outcome.lines().into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    // The cores that each thread is bound to.
    let bound = |lines: &[String], threads: usize| {
        assert_eq!(lines.len(), 2 * threads + 1);
        let list = |rank: usize| {
            let places =
                lines[rank].strip_prefix(&format!("{rank:3} of {threads:3} : core: ")).expect("a core");
            let (core, unit) = places.split_once(" pu: ").expect("a processing unit");
            let [core, unit] = [core, unit].map(|number| number.trim().parse::<i64>().expect("a number"));
            assert_eq!(lines[rank], format!("{rank:3} of {threads:3} : core: {core:3} pu: {unit:3}"));
            assert!(core >= -1 && unit >= 0, "{places}");
            let list = lines[threads + rank].strip_prefix(&format!("{rank:3} bound to: "));
            list.expect("a list of processing units").to_owned()
        };
        (0..threads).map(list).collect::<Vec<_>>()
    };
    let free = lines("-threads 3 -unpinned");
    let all = bound(&free, 3);
    assert!(all.iter().all(|list| *list == all[0]) && free[6] == "pinning: off", "{free:?}");
    let pinned = lines("-threads 2");
    let lists = bound(&pinned, 2);
    assert_eq!(lists[0], all[0], "the thread that launches is free");
    if std::thread::available_parallelism().expect("a number of cores").get() > 1 {
        assert_eq!(pinned[4], format!("pinning: launching thread free, worker 1 on core {}", lists[1]));
        assert!(lists[1].parse::<usize>().is_ok(), "one core: {pinned:?}");
    }
}
