//! `SPELT_TUNE`, in child processes: each is this program, which runs the ignored test `child` alone.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use spelt_core::reducers::Sum;
use spelt_core::tools::{self, LaunchEvent, Tool};
use spelt_core::{
    AUTO, Dynamic, ExecutionSpace, HostSpace, Rayon, Reach, ThreadsBuilder, View, parallel_for,
    parallel_reduce, parallel_scan,
};

const SIZE: usize = 30_000;
const EXTENTS: [usize; 2] = [150, 200];
/// Of leagues of many teams, of few, which are distributed one by one, and of one that is scanned.
const TEAMS: usize = 600;
const FEW_TEAMS: usize = 12;
const SCANNED_TEAMS: usize = 8192;

/// How often the child runs its launches.
const RUNS: &str = "SPELT_TEST_RUNS";

thread_local! {
    /// The iteration that this thread ran last.
    static BEFORE: Cell<usize> = const { Cell::new(usize::MAX) };
}

/// The program that is tuned. It prints the bits of its results.
#[test]
#[ignore = "the child of the other tests"]
fn child() {
    let space = ThreadsBuilder::new().num_threads(3).build().expect("threads");
    let runs = std::env::var(RUNS).map_or(1, |runs| runs.parse().expect("a number"));
    tools::install("units", Units);
    let mut x = View::<f64, 1>::zeros("x", [SIZE]).expect("memory");
    let mut t = View::<f32, 2>::zeros("t", EXTENTS).expect("memory");
    let mut sum = 0.0;
    let mut before_box = View::<usize, 2>::zeros("before", EXTENTS).expect("memory");
    for _ in 0..runs {
        parallel_for("for a", space.range(0..SIZE), &mut x, |i, mut x| x[i] += 0.1 * i.get() as f64)
            .expect("covered");
        parallel_for("given", space.range(0..SIZE).chunk(100).schedule(Dynamic), &mut x, |i, mut x| {
            x[i] += 0.1
        })
        .expect("covered");
        parallel_for(
            "box",
            space.md_range([0..EXTENTS[0], 0..EXTENTS[1]]),
            (&mut t, &mut before_box),
            |i, (mut t, mut before)| {
                let [row, column] = i.index();
                before[i] = BEFORE.replace(EXTENTS[1] * row + column);
                t[i] += 0.3 * row as f32 + 0.7 / (1 + column) as f32;
            },
        )
        .expect("covered");
        sum = parallel_reduce("sum", space.range(0..SIZE), &x, |i, sum, x| *sum += x[i], Sum::<f64>::new())
            .expect("covered");
    }
    // Three candidates three times each; more launches say nothing new.
    let of_scans = runs.min(9);
    let scans = scans(&space, of_scans, &x);
    // A pool that may run one unit inside another has two rounds of launches for a scan.
    assert_eq!(self::scans(&Rayon::new(), of_scans, &x), scans);
    let leagues = leagues(&space, runs.min(24), &x);
    let x = x.iter().fold(0, |hash, x| bits(hash, x.to_bits()));
    let t = t.iter().fold(0, |hash, t| bits(hash, u64::from(t.to_bits())));
    println!("\nbits {x:x} {t:x} {:x} {scans:x} {leagues:x}", sum.to_bits());
    println!("before the second row {}", before_box[[1, 0]]);
}

/// A hash with one more number.
fn bits(hash: u64, bits: u64) -> u64 {
    (hash.rotate_left(7) ^ bits).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Scans, in rows and, since the joins of whole numbers are exact, in order. Returns a hash of the results.
fn scans(space: &(impl ExecutionSpace + Reach<HostSpace>), runs: usize, x: &View<f64, 1>) -> u64 {
    let mut sums = View::<f64, 1>::zeros("sums", [SIZE]).expect("memory");
    let mut counts = View::<i64, 1>::zeros("counts", [SIZE]).expect("memory");
    let mut totals = (0.0, 0);
    for _ in 0..runs {
        let of_floats = parallel_scan(
            "scan",
            space.range(0..SIZE),
            (x, &mut sums),
            |i, sum, is_last, (x, mut sums)| {
                *sum += x[i];
                if is_last {
                    sums[i] = *sum;
                }
            },
            Sum::<f64>::new(),
        );
        let of_integers = parallel_scan(
            "exact",
            space.range(0..SIZE),
            &mut counts,
            |i, sum, is_last, mut counts| {
                *sum += 3 * i.get() as i64 - 7;
                if is_last {
                    counts[i] = *sum;
                }
            },
            Sum::<i64>::new(),
        );
        totals = (of_floats.expect("covered"), of_integers.expect("covered"));
    }
    let hash = sums.iter().fold(totals.0.to_bits(), |hash, sum| bits(hash, sum.to_bits()));
    counts.iter().fold(bits(hash, totals.1 as u64), |hash, count| bits(hash, *count as u64))
}

/// Leagues. Returns a hash of the results.
fn leagues(space: &(impl ExecutionSpace + Reach<HostSpace>), runs: usize, x: &View<f64, 1>) -> u64 {
    let mut sums = View::<f64, 1>::zeros("sums of teams", [SCANNED_TEAMS]).expect("memory");
    let mut rows = View::<f64, 1>::zeros("rows", [TEAMS]).expect("memory");
    let mut results = Vec::new();
    for _ in 0..runs {
        results.clear();
        // Teams of the size that the space chooses are tuned, teams of two threads are not.
        for (label, teams, size) in [("teams", TEAMS, 1), ("few teams", FEW_TEAMS, 1), ("gangs", TEAMS, 2)] {
            let policy = if size == 1 { space.team(teams, AUTO) } else { space.team(teams, size) };
            parallel_for(label, policy, (x, rows.atomic()), |team, (x, rows)| {
                let row = team.league_rank();
                let columns = team.team_vector_range(0..40);
                let sum =
                    team.parallel_reduce(columns, |j, sum| *sum += x[row + j.index()[1]], &Sum::<f64>::new());
                if team.team_rank() == 0 {
                    rows.add(row, sum);
                }
            })
            .expect("covered");
        }
        for (label, teams) in [("teams", TEAMS), ("few teams", FEW_TEAMS)] {
            let sum = parallel_reduce(
                label,
                space.team(teams, 1),
                x,
                |team, x| {
                    let row = team.league_rank();
                    let range = team.team_vector_range(0..40);
                    let sum = team.parallel_reduce(
                        range,
                        |j, sum| *sum += x[row + j.index()[1]],
                        &Sum::<f64>::new(),
                    );
                    team.contribute(sum);
                },
                Sum::<f64>::new(),
            );
            results.push(sum.expect("covered"));
        }
        let total = parallel_scan(
            "teams",
            space.team(SCANNED_TEAMS, AUTO),
            (x, sums.atomic()),
            |team, sum, is_last, (x, sums)| {
                let row = team.league_rank();
                let range = team.team_vector_range(0..3);
                *sum +=
                    team.parallel_reduce(range, |j, sum| *sum += x[row + j.index()[1]], &Sum::<f64>::new());
                if is_last {
                    sums.store(row, *sum);
                }
            },
            Sum::<f64>::new(),
        );
        results.push(total.expect("covered"));
    }
    let all = results.iter().chain(sums.iter()).chain(rows.iter());
    all.fold(0, |hash, number| bits(hash, number.to_bits()))
}

/// Prints the number of units of the last launch of each label.
struct Units;

impl Tool for Units {
    fn needs_shares(&self) -> bool {
        true
    }
    fn end_launch(&self, launch: &LaunchEvent<'_>, _: u64) {
        let units: u64 = launch.shares().iter().map(|share| share.units).sum();
        println!("units of {} `{}` on {}: {units}", launch.pattern.name(), launch.label, launch.space);
    }
}

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("spelt-tune-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        Self(folder)
    }

    fn file(&self) -> PathBuf {
        self.0.join("tuning")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn run(file: Option<&Path>, runs: usize) -> Output {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command
        .args(["--exact", "tune::child", "--ignored", "--nocapture", "--test-threads=1"])
        .env(RUNS, runs.to_string())
        .env("RAYON_NUM_THREADS", "3")
        // So that no levels are tried, of which builds have different numbers.
        .env("SPELT_ISA", "baseline")
        .env_remove("SPELT_TOOLS")
        .env_remove("SPELT_TUNE");
    if let Some(file) = file {
        command.env("SPELT_TUNE", file);
    }
    let output = command.output().expect("the child");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

fn results(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().find(|line| line.starts_with("bits ")).expect("the results").to_owned()
}

/// The lines of the file that are choices, sorted.
fn choices(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).expect("the file");
    let mut lines: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect();
    lines.sort();
    lines
}

/// The pattern, rank, size, label and space of the child's launches that can be tuned, as the file has them: 2^14 <= 30,000 < 2^15.
const TUNED: [(&str, &str, usize, &str, &str); 12] = [
    ("for", "1", 14, "for\\sa", "Threads"),
    ("for", "2", 14, "box", "Threads"),
    ("for", "teams", 3, "few\\steams", "Threads"),
    ("for", "teams", 9, "teams", "Threads"),
    ("reduce", "1", 14, "sum", "Threads"),
    ("reduce", "teams", 3, "few\\steams", "Threads"),
    ("reduce", "teams", 9, "teams", "Threads"),
    ("scan", "1", 14, "exact", "Rayon"),
    ("scan", "1", 14, "exact", "Threads"),
    ("scan", "1", 14, "scan", "Rayon"),
    ("scan", "1", 14, "scan", "Threads"),
    ("scan", "teams", 13, "teams", "Threads"),
];

/// A file with this choice for all launches, also for those that cannot be tuned.
fn file_with(setting: &str) -> String {
    let not_tuned = [("for", "1", 14, "given", "Threads"), ("for", "teams", 9, "gangs", "Threads")];
    let line = |(pattern, rank, size, label, space): (&str, &str, usize, &str, &str)| {
        format!(
            "{pattern} rank={rank} space={space} threads=3 size={size}{setting} median_ns=1 label={label}\n"
        )
    };
    let lines: String = TUNED.into_iter().chain(not_tuned).map(line).collect();
    format!("# spelt tuning 1\n{lines}")
}

#[test]
fn the_bits_are_the_same_under_every_candidate() {
    let folder = Folder::new("bits");
    let expected = results(&run(None, 1));
    let chunks = ["", " chunk=1", " chunk=64", " chunk=128", " chunk=2560", " chunk=10048", " chunk=1000000"];
    for schedule in ["", " schedule=static", " schedule=dynamic"] {
        let tiles = [" tile=1,1", " tile=8,64", " tile=64,64", " tile=32,256", " tile=1000,7"];
        for chunk in chunks.iter().chain(&tiles) {
            let is_tile = chunk.contains("tile");
            let setting = if is_tile { format!("{schedule}{chunk}") } else { format!("{chunk}{schedule}") };
            let file = folder.file();
            std::fs::write(&file, file_with(&setting)).expect("written");
            let before = choices(&file);
            assert_eq!(results(&run(Some(&file), 1)), expected, "{setting}");
            // A settled choice is not tried again.
            assert_eq!(choices(&file), before);
        }
    }
}

#[test]
fn a_choice_moves_iterations() {
    let folder = Folder::new("moves");
    let run = |setting: &str| {
        std::fs::write(folder.file(), file_with(setting)).expect("written");
        String::from_utf8_lossy(&run(Some(&folder.file()), 1).stdout).into_owned()
    };
    let has = |text: &str, lines: &[&str]| {
        for line in lines {
            assert!(text.contains(&format!("units of {line}\n")), "{line} is not in {text}");
        }
    };
    // A third of the iterations, in lines of a cache, is the most that a thread takes at a time; of a sum, 8 of 15 tiles; of a scan, 4 of
    // 15; of leagues, a third of the teams, and 8 of 32 lanes with 19 teams each, or 4 of 12 with one.
    let whole = run(" chunk=1000000");
    has(
        &whole,
        &[
            "for `for a` on Threads: 3",
            "for `box` on Threads: 3",
            "reduce `sum` on Threads: 2",
            "scan `scan` on Threads: 4",
            "scan `exact` on Threads: 4",
            "for `teams` on Threads: 3",
            "for `few teams` on Threads: 3",
            "reduce `teams` on Threads: 4",
            "reduce `few teams` on Threads: 3",
        ],
    );
    assert!(whole.contains("before the second row 199\n"), "{whole}");
    let small = run(" chunk=1");
    has(
        &small,
        &[
            "for `teams` on Threads: 600",
            "reduce `teams` on Threads: 32",
            "reduce `few teams` on Threads: 12",
            "scan `scan` on Threads: 15",
            "scan `exact` on Threads: 15",
            "scan `teams` on Threads: 4",
        ],
    );
    // The program's own chunk and teams of several threads stay: 300 chunks, and 600 teams on one group of two threads.
    has(&small, &["for `given` on Threads: 300"]);
    let default = run("");
    let of_gangs =
        |text: &str| text.lines().find(|line| line.contains("for `gangs`")).expect("the launch").to_owned();
    assert_eq!(of_gangs(&small), of_gangs(&default));
    // The first tile has columns 0 to 6 of all rows.
    let tiles = run(" tile=1000,7");
    assert!(tiles.contains("before the second row 6\n"), "{tiles}");
}

#[test]
fn each_launch_with_an_open_setting_is_settled() {
    let folder = Folder::new("settled");
    let file = folder.file();
    // 14 candidates at most, three times each.
    let tuned = run(Some(&file), 45);
    assert_eq!(results(&tuned), results(&run(None, 45)));
    let mut settled: Vec<_> = choices(&file)
        .iter()
        .map(|line| {
            let word = |name: &str| {
                line.split(' ').find_map(|word| word.strip_prefix(name)).expect("a member").to_owned()
            };
            assert!(word("median_ns=").parse::<u64>().expect("a number") > 0);
            assert_eq!(word("threads="), "3");
            let size = word("size=").parse().expect("a number");
            (
                line.split(' ').next().expect("a pattern").to_owned(),
                word("rank="),
                size,
                word("label="),
                word("space="),
            )
        })
        .collect();
    settled.sort();
    let expected = TUNED.map(|(pattern, rank, size, label, space)| {
        (pattern.to_owned(), rank.to_owned(), size, label.to_owned(), space.to_owned())
    });
    assert_eq!(settled, expected);
    // A second run keeps them.
    let before = std::fs::read(&file).expect("the file");
    assert_eq!(results(&run(Some(&file), 45)), results(&tuned));
    assert_eq!(std::fs::read(&file).expect("the file"), before);
    assert_eq!(std::fs::read_dir(&folder.0).expect("a folder").count(), 1);
}

#[test]
fn launches_that_were_too_few_are_named_at_the_end() {
    let folder = Folder::new("few");
    let errors = |runs| String::from_utf8_lossy(&run(Some(&folder.file()), runs).stderr).into_owned();
    // Four chunks of three threads, each with two schedules and three times; boxes also have two tiles, and scans three chunks alone.
    let wanted = "spelt: tuning: not settled: `box` ran 1 of 36 launches, `exact` ran 1 of 9 launches, `exact` ran 1 of 9 launches, and 9 more. ";
    let text = errors(1);
    assert_eq!(text.lines().filter(|line| line.starts_with(wanted)).count(), 1, "{text}");
    assert!(choices(&folder.file()).is_empty());
    let text = errors(24);
    assert!(text.contains("not settled: `box` ran 24 of 36 launches. "), "{text}");
    assert!(!errors(36).contains("spelt: tuning"), "all are settled");
}

#[test]
fn a_damaged_file_is_named_once_and_left_alone() {
    let folder = Folder::new("damaged");
    let file = folder.file();
    let expected = results(&run(None, 2));
    for text in ["", "no tuning\n", "# spelt tuning 1\nfor rank=1\n", "# spelt tuning 1\n\u{1f600}"] {
        std::fs::write(&file, text).expect("written");
        let output = run(Some(&file), 2);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(errors.matches("SPELT_TUNE: nothing is tuned").count(), 1, "{errors}");
        assert_eq!(results(&output), expected);
        assert_eq!(std::fs::read_to_string(&file).expect("the file"), text);
    }
    // A folder that is not there.
    let output = run(Some(&folder.0.join("no/file")), 2);
    assert!(String::from_utf8_lossy(&output.stderr).contains("it cannot be written"));
    assert_eq!(results(&output), expected);
}
