//! `SPELT_TUNE`, in child processes: each is this program, which runs the ignored test `child` alone.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use spelt_core::reducers::Sum;
use spelt_core::tools::{self, LaunchEvent, Tool};
use spelt_core::{Dynamic, ExecutionSpace, ThreadsBuilder, View, parallel_for, parallel_reduce};

const SIZE: usize = 30_000;
const EXTENTS: [usize; 2] = [150, 200];

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
    let bits = |hash: u64, bits: u64| (hash.rotate_left(7) ^ bits).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let x = x.iter().fold(0, |hash, x| bits(hash, x.to_bits()));
    let t = t.iter().fold(0, |hash, t| bits(hash, u64::from(t.to_bits())));
    println!("\nbits {x:x} {t:x} {:x}", sum.to_bits());
    println!("before the second row {}", before_box[[1, 0]]);
}

/// Prints the number of units of the last launch of each label.
struct Units;

impl Tool for Units {
    fn needs_shares(&self) -> bool {
        true
    }
    fn end_launch(&self, launch: &LaunchEvent<'_>, _: u64) {
        let units: u64 = launch.shares().iter().map(|share| share.units).sum();
        println!("units of `{}`: {units}", launch.label);
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
        .env_remove("SPELT_TOOLS")
        .env_remove("SPELT_TUNE");
    if let Some(file) = file {
        command.env("SPELT_TUNE", file);
    }
    let output = command.output().expect("the child");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

fn bits(output: &Output) -> String {
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

#[test]
fn the_bits_are_the_same_under_every_candidate() {
    let folder = Folder::new("bits");
    let expected = bits(&run(None, 1));
    let key = |pattern: &str, rank: usize, label: &str, setting: &str| {
        // 2^14 <= 30,000 < 2^15.
        format!("{pattern} rank={rank} space=Threads threads=3 size=14{setting} median_ns=1 label={label}\n")
    };
    let chunks = ["", " chunk=1", " chunk=64", " chunk=128", " chunk=2560", " chunk=10048", " chunk=1000000"];
    for schedule in ["", " schedule=static", " schedule=dynamic"] {
        let tiles = [" tile=1,1", " tile=8,64", " tile=64,64", " tile=32,256", " tile=1000,7"];
        for chunk in chunks.iter().chain(&tiles) {
            let is_tile = chunk.contains("tile");
            let setting = if is_tile { format!("{schedule}{chunk}") } else { format!("{chunk}{schedule}") };
            let lines: String = [
                key("for", 1, "for\\sa", &setting),
                key("for", 1, "given", &setting),
                key("for", 2, "box", &setting),
                key("reduce", 1, "sum", &setting),
            ]
            .concat();
            let file = folder.file();
            std::fs::write(&file, format!("# spelt tuning 1\n{lines}")).expect("written");
            let before = choices(&file);
            assert_eq!(bits(&run(Some(&file), 1)), expected, "{setting}");
            // A settled choice is not tried again.
            assert_eq!(choices(&file), before);
        }
    }
}

#[test]
fn a_choice_moves_iterations() {
    let folder = Folder::new("moves");
    let run = |setting: &str| {
        let key = "space=Threads threads=3 size=14";
        let end = "median_ns=1 label=";
        let lines = [
            format!("for rank=1 {key} {setting} {end}for\\sa\n"),
            format!("for rank=2 {key} {setting} {end}box\n"),
            format!("reduce rank=1 {key} {setting} {end}sum\n"),
        ];
        std::fs::write(folder.file(), format!("# spelt tuning 1\n{}", lines.concat())).expect("written");
        String::from_utf8_lossy(&run(Some(&folder.file()), 1).stdout).into_owned()
    };
    // A third of the iterations, in lines of a cache, is the most that a thread takes at a time; of a sum, 8 of 15 tiles.
    let whole = run("chunk=1000000");
    for line in ["units of `for a`: 3\n", "units of `box`: 3\n", "units of `sum`: 2\n"] {
        assert!(whole.contains(line), "{line} is not in {whole}");
    }
    assert!(whole.contains("before the second row 199\n"), "{whole}");
    // The first tile has columns 0 to 6 of all rows.
    let tiles = run("tile=1000,7");
    assert!(tiles.contains("before the second row 6\n"), "{tiles}");
}

#[test]
fn each_launch_with_an_open_setting_is_settled() {
    let folder = Folder::new("settled");
    let file = folder.file();
    // 14 candidates at most, three times each.
    let tuned = run(Some(&file), 45);
    assert_eq!(bits(&tuned), bits(&run(None, 45)));
    let mut settled: Vec<_> = choices(&file)
        .iter()
        .map(|line| {
            let word = |name: &str| {
                line.split(' ').find_map(|word| word.strip_prefix(name)).expect("a member").to_owned()
            };
            assert!(word("median_ns=").parse::<u64>().expect("a number") > 0);
            assert_eq!(
                (&word("space=")[..], &word("threads=")[..], &word("size=")[..]),
                ("Threads", "3", "14")
            );
            (line.split(' ').next().expect("a pattern").to_owned(), word("rank="), word("label="))
        })
        .collect();
    settled.sort();
    let expected = [("for", "1", "for\\sa"), ("for", "2", "box"), ("reduce", "1", "sum")];
    let mut expected = expected.map(|(a, b, c)| (a.to_owned(), b.to_owned(), c.to_owned())).to_vec();
    expected.sort();
    assert_eq!(settled, expected);
    // A second run keeps them.
    let before = std::fs::read(&file).expect("the file");
    assert_eq!(bits(&run(Some(&file), 45)), bits(&tuned));
    assert_eq!(std::fs::read(&file).expect("the file"), before);
    assert_eq!(std::fs::read_dir(&folder.0).expect("a folder").count(), 1);
}

#[test]
fn launches_that_were_too_few_are_named_at_the_end() {
    let folder = Folder::new("few");
    let errors = |runs| String::from_utf8_lossy(&run(Some(&folder.file()), runs).stderr).into_owned();
    // Four chunks of three threads, each with two schedules and three times; boxes also have two tiles.
    let wanted = "spelt: tuning: not settled: `box` ran 1 of 36 launches, `for a` ran 1 of 24 launches, `sum` ran 1 of 24 launches. ";
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
    let expected = bits(&run(None, 2));
    for text in ["", "no tuning\n", "# spelt tuning 1\nfor rank=1\n", "# spelt tuning 1\n\u{1f600}"] {
        std::fs::write(&file, text).expect("written");
        let output = run(Some(&file), 2);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(errors.matches("SPELT_TUNE: nothing is tuned").count(), 1, "{errors}");
        assert_eq!(bits(&output), expected);
        assert_eq!(std::fs::read_to_string(&file).expect("the file"), text);
    }
    // A folder that is not there.
    let output = run(Some(&folder.0.join("no/file")), 2);
    assert!(String::from_utf8_lossy(&output.stderr).contains("it cannot be written"));
    assert_eq!(bits(&output), expected);
}
