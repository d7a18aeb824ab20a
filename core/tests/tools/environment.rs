//! `SPELT_TOOLS`, in child processes: each is this program, which runs the ignored test `child` alone.

use std::process::{Command, Output};

use spelt_core::reducers::Sum;
use spelt_core::tools::{mark, region};
use spelt_core::{ExecutionSpace, Serial, Threads, View, deep_copy, parallel_for, parallel_map_reduce};

/// How the child ends.
const END: &str = "SPELT_TEST_END";

/// The program that is profiled.
#[test]
#[ignore = "the child of the other tests"]
fn child() {
    let space = Serial::new();
    let mut x = View::<f64, 1>::zeros("x", [1000]).expect("memory");
    {
        let _region = region("fill");
        for _ in 0..3 {
            let filled =
                parallel_for("fill \"x\"", space.range(0..1000), &mut x, |i, mut x| x[i] = i.get() as f64);
            if let Err(error) = filled {
                println!("error: {error}");
                return;
            }
        }
        let _inner = region("sum");
        // A region that another has the name of, and a launch inside another.
        let _of_the_same_name = region("fill");
        parallel_for("outer", space.range(0..1), (), |_, ()| {
            parallel_for("inner", Serial::new().range(0..1000), (), |i, ()| {
                std::hint::black_box(i.get());
            })
            .expect("no Views");
        })
        .expect("no Views");
        // Another pattern under a label.
        parallel_map_reduce("outer", space.range(0..3), (), |_, ()| 1, Sum::<u32>::new()).expect("no Views");
        parallel_map_reduce("sum", space.range(0..1000), &x, |i, x| x[i], Sum::<f64>::new())
            .expect("covered");
    }
    let threads = Threads::builder().num_threads(2).build().expect("threads");
    parallel_for("shared", threads.range(0..1000).chunk(1), (), |i, ()| {
        std::hint::black_box(i.get());
    })
    .expect("no Views");
    space.fence().expect("nothing is pending");
    mark("copied next");
    let mut y = View::<f64, 1>::from_fn("y", [1000], |_| 1.0).expect("memory");
    deep_copy(&mut y, &x).expect("equal extents");
    match std::env::var(END).as_deref() {
        Ok("exit") => std::process::exit(3),
        Ok("abort") => std::process::abort(),
        Ok("panic") => panic!("as asked"),
        Ok("panic in a kernel") => {
            let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                parallel_for("panics", threads.range(0..1000), &mut x, |i, mut x| {
                    x[i] = 1.0;
                    assert_ne!(i.get(), 500, "as asked");
                })
            }));
            assert!(caught.is_err());
            parallel_for("panics", space.range(0..1), (), |_, ()| panic!("as asked")).expect("no Views");
        }
        Ok("failure") => {
            parallel_for("fails", space.range(0..2000), &mut x, |i, mut x| x[i] = 1.0)
                .expect_err("too short");
            std::process::exit(4);
        }
        Ok("exit in a kernel") => {
            parallel_for("exits", threads.range(0..2).chunk(1), (), |_, ()| std::process::exit(5))
                .expect("never");
        }
        _ => {}
    }
}

fn run(tools: &str, end: &str) -> Output {
    command(tools, end).output().expect("the child")
}

fn command(tools: &str, end: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command
        .args(["--exact", "environment::child", "--ignored", "--nocapture", "--test-threads=1"])
        .env("SPELT_TOOLS", tools)
        .env(END, end)
        .envs([("SPELT_TOOLS_PEAK", "off")])
        .env_remove("COLUMNS");
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_summary_is_complete_however_the_program_ends() {
    for (end, status) in [
        ("", 0),
        ("exit", 3),
        ("panic", 101),
        ("panic in a kernel", 101),
        ("failure", 4),
        ("exit in a kernel", 5),
    ] {
        let output = run("summary", end);
        assert_eq!(output.status.code(), Some(status));
        let table = text(&output.stderr);
        let row = |name: &str| {
            let row = table.lines().find(|line| line.trim_start().starts_with(name));
            row.unwrap_or_else(|| panic!("no row `{name}` in\n{table}"))
                .split_whitespace()
                .collect::<Vec<_>>()
        };
        assert!(row("fill \"x\"").ends_with(&["for", "Serial"]), "{table}");
        assert_eq!(row("fill \"x\"")[2], "3");
        assert!(row("sum ").ends_with(&["reduce", "Serial"]), "{table}");
        assert_eq!(row("HostSpace to HostSpace")[3], "1");
        if end == "panic in a kernel" {
            let mut spaces: Vec<_> = table.lines().filter(|line| line.starts_with("panics ")).collect();
            spaces.sort_by_key(|line| line.ends_with("Threads"));
            assert!(
                matches!(spaces[..], [serial, threads] if serial.ends_with("Serial") && threads.ends_with("Threads")),
                "{table}"
            );
        }
        // The region of that name, below the launch.
        assert!(table.contains("\n  sum "), "{table}");
        assert!(table.contains("\n    fill "), "{table}");
    }
}

#[test]
fn a_check_has_each_launch_however_the_program_ends() {
    let file = std::env::temp_dir().join(format!("spelt-check-ends-{}", std::process::id()));
    for end in ["", "exit", "panic", "abort", "exit in a kernel", "panic in a kernel"] {
        let output = run(&format!("check:{}", file.display()), end);
        assert_eq!(output.status.success(), end.is_empty());
        let lines = std::fs::read_to_string(&file).expect("a file");
        std::fs::remove_file(&file).expect("the file");
        assert!(lines.ends_with('\n'), "{lines}");
        let json = |line| serde_json::from_str::<serde_json::Value>(line).expect("JSON");
        // The first line is the head of the file.
        let launches: Vec<_> = lines.lines().skip(1).map(json).collect();
        let labels: Vec<_> = launches.iter().map(|line| line["label"].as_str().expect("a label")).collect();
        let wanted = ["fill \"x\"", "fill \"x\"", "fill \"x\"", "inner", "outer", "outer", "sum", "shared"];
        assert_eq!(labels[..wanted.len()], wanted, "{end}");
        // A panic ends its launch; a launch that ends the program has no end itself.
        let later: &[&str] = if end == "panic in a kernel" { &["panics", "panics"] } else { &[] };
        assert_eq!(&labels[wanted.len()..], later, "{end}");
        assert!(launches[wanted.len()..].iter().all(|line| line["failed"] == true), "{launches:?}");
        assert!(launches[..wanted.len()].iter().all(|line| line["failed"].is_null()), "{launches:?}");
    }
}

#[test]
fn a_summary_compares_with_the_rate_of_the_memory() {
    let child = |peak: &str| {
        let output = command("summary", "").env("SPELT_TOOLS_PEAK", peak).output().expect("the child");
        (text(&output.stdout), text(&output.stderr))
    };
    let (_, table) = child("0.001");
    let row: Vec<_> =
        table.lines().find(|line| line.starts_with("sum ")).expect("a row").split_whitespace().collect();
    let [rate, share] =
        [row[row.len() - 5], row[row.len() - 4]].map(|number| number.parse::<f64>().expect("a number"));
    assert_eq!(row[row.len() - 7..row.len() - 5], ["8.00", "kB"], "{table}");
    // A rate of 0.001 GB/s is reached a thousand times; the table has one digit.
    assert!((share / 100.0 * 0.001 - rate).abs() <= 0.051, "{table}");
    assert!(child("fast").0.contains("SPELT_TOOLS_PEAK is `fast`: write the rate"));
}

#[test]
fn a_summary_can_be_json_or_csv() {
    let folder = std::env::temp_dir().join(format!("spelt-tools-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("summary.json");
    // The end comes while both Views live.
    let mut child = command(&format!("summary:{}", file.display()), "exit");
    assert_eq!(child.env("SPELT_TOOLS_PEAK", "40.5").status().expect("the child").code(), Some(3));
    let json: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(&file).expect("a file")).expect("JSON");
    let launches = json["launches"].as_array().expect("an array");
    let fill = launches.iter().find(|row| row["label"] == "fill \"x\"").expect("a row");
    assert_eq!((&fill["pattern"], &fill["space"]), (&"for".into(), &"Serial".into()));
    let number = |row: &serde_json::Value, name: &str| row[name].as_u64().expect("a number");
    assert_eq!(
        [number(fill, "calls"), number(fill, "read_bytes"), number(fill, "written_bytes")],
        [3, 0, 24_000]
    );
    let percent = 100.0 * 24_000.0 / number(fill, "total_ns") as f64 / 40.5;
    assert!((fill["percent_of_peak"].as_f64().expect("a share") / percent - 1.0).abs() < 1e-9, "{fill}");
    assert!(number(fill, "min_ns") <= number(fill, "max_ns"));
    assert!(
        number(fill, "max_ns") <= number(fill, "total_ns")
            && number(fill, "total_ns") <= number(&json, "run_ns")
    );
    let mut patterns: Vec<_> = launches
        .iter()
        .filter(|row| row["label"] == "outer")
        .map(|row| (row["pattern"].as_str(), number(row, "calls")))
        .collect();
    patterns.sort_unstable();
    assert_eq!(patterns, [(Some("for"), 1), (Some("reduce"), 1)]);
    let members = "calls imbalance is_device label max_ns min_ns pattern percent_of_peak read_bytes space total_ns written_bytes";
    for row in launches {
        // `docs/tools.md` has them all.
        let mut names: Vec<_> = row.as_object().expect("an object").keys().map(String::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, members.split(' ').collect::<Vec<_>>());
        assert_eq!(row["is_device"], false);
        let [calls, total, min, max] =
            ["calls", "total_ns", "min_ns", "max_ns"].map(|name| number(row, name));
        assert!(calls * min <= total && total <= calls * max && (calls > 1 || min == total), "{row}");
    }
    let all: u64 =
        launches.iter().filter(|row| row["label"] != "inner").map(|row| number(row, "total_ns")).sum();
    assert_eq!(number(&json, "launches_ns"), all);
    let moves = |kind: &str| {
        let rows = json[kind].as_array().expect("an array");
        let row = |row: &serde_json::Value| {
            (row["name"].as_str().expect("a name").to_owned(), number(row, "calls"), number(row, "bytes"))
        };
        rows.iter().map(row).collect::<Vec<_>>()
    };
    assert_eq!(moves("copies"), [("HostSpace to HostSpace".to_owned(), 1, 8000)]);
    assert_eq!(moves("fills"), [("initialise HostSpace".to_owned(), 1, 8000)]);
    assert_eq!(moves("waits"), [("fence Serial".to_owned(), 1, 0)]);
    let kinds = ["launches_ns", "copies_ns", "fills_ns", "waits_ns", "outside_ns"];
    let parts: u64 = kinds.iter().map(|kind| number(&json, kind)).sum();
    assert_eq!(number(&json, "run_ns"), parts, "one thread has made all events");
    let imbalance = |label: &str| {
        let row = launches.iter().find(|row| row["label"] == label).expect("a row");
        row["imbalance"].as_f64()
    };
    // A thread works at least as long as the mean of two, and at most as long as both.
    assert!(imbalance("shared").is_some_and(|imbalance| (1.0..=2.1).contains(&imbalance)), "{launches:?}");
    assert_eq!(imbalance("sum"), None);
    let view = |label: &str| serde_json::json!({"label": label, "memory": "HostSpace", "allocations": 1, "in_use_bytes": 8000, "high_water_bytes": 8000});
    assert_eq!(json["memory"], serde_json::json!([view("x"), view("y")]));
    let all = serde_json::json!([{"memory": "HostSpace", "allocations": 2, "high_water_bytes": 16_000}]);
    assert_eq!(json["memory_spaces"], all);
    assert_eq!((&json["rank"], &json["peak_gb_per_s"]), (&serde_json::Value::Null, &40.5.into()));
    let regions = json["regions"].as_array().expect("an array");
    let names: Vec<_> = regions.iter().map(|region| (&region["name"], number(region, "depth"))).collect();
    assert_eq!(names, [(&"fill".into(), 0), (&"sum".into(), 1), (&"fill".into(), 2)]);
    assert!(regions.windows(2).all(|pair| number(&pair[1], "total_ns") <= number(&pair[0], "total_ns")));
    assert!(regions.iter().all(|region| number(region, "calls") == 1));

    let file = folder.join("summary.csv");
    assert!(run(&format!("summary:{}", file.display()), "exit").status.code() == Some(3));
    let csv = std::fs::read_to_string(&file).expect("a file");
    assert!(csv.starts_with("label,pattern,space,calls,"), "{csv}");
    let row = csv.lines().find_map(|line| line.strip_prefix("\"fill \"\"x\"\"\",")).expect("a row");
    let columns: Vec<_> =
        csv.lines().next().expect("the names").split(',').skip(1).zip(row.split(',')).collect();
    let column = |name: &str| columns.iter().find(|column| column.0 == name).expect("a column").1;
    assert_eq!(columns.len(), row.split(',').count(), "{csv}");
    assert_eq!(["pattern", "space", "calls"].map(column), ["for", "Serial", "3"]);
    assert_eq!(["read_bytes", "written_bytes"].map(column), ["0", "24000"]);
    let [total, min, max] =
        ["total_ns", "min_ns", "max_ns"].map(|name| column(name).parse::<u64>().expect("a number"));
    assert!(0 < min && min <= max && 3 * min <= total && total <= 3 * max, "{csv}");
    assert_eq!(["percent_of_peak", "imbalance"].map(column), ["", ""]);
    std::fs::remove_dir_all(&folder).expect("the folder");
}

#[test]
fn work_and_span_are_those_of_the_iterations() {
    let file = std::env::temp_dir().join(format!("spelt-cost-{}.json", std::process::id()));
    let output = run(&format!("cost,cost:{}", file.display()), "exit");
    let table = text(&output.stderr);
    let row = table.lines().find(|line| line.starts_with("sum ")).expect("a row").split_whitespace();
    // The mean time has a unit of its own.
    let cells: Vec<_> = row.collect();
    assert_eq!(cells[1..7], ["1", "1000", "37", "27.0", "8.00", "kB"], "{table}");
    assert_eq!(cells[9..], ["-", "reduce", "Serial"], "no forecast where the memory was not measured");
    let json: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(&file).expect("a file")).expect("JSON");
    std::fs::remove_file(&file).expect("the file");
    let launches = json["launches"].as_array().expect("an array");
    let row = launches.iter().find(|row| row["label"] == "fill \"x\"").expect("a row");
    let number = |name: &str| row[name].as_u64().expect("a number");
    assert_eq!(["calls", "work", "span", "bytes"].map(number), [3, 3000, 3, 24_000]);
    assert!(row["forecast_ns"].is_null());
}

#[test]
fn each_rank_has_its_file_and_the_first_prints() {
    let folder = std::env::temp_dir().join(format!("spelt-ranks-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let list = format!("summary,summary:{}/times.json", folder.display());
    for rank in ["0", "3"] {
        let mut child = command(&list, "");
        let output = child.env("PMI_RANK", rank).env("PMI_SIZE", "4").output().expect("the child");
        let table = text(&output.stderr);
        assert_eq!(table.contains("spelt, rank 0 of 4: "), rank == "0", "{table}");
        let times = folder.join("times");
        let compare = format!("`cargo spelt report {0}.*.json --output {0}`.", times.display());
        assert_eq!(table.contains(&compare), rank == "0", "{table}");
        let json = std::fs::read_to_string(folder.join(format!("times.{rank}.json"))).expect("a file");
        let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(json["rank"].to_string(), rank);
    }
    let table = |ranks: &str| {
        let output = command("summary", "").env("PMI_RANK", "0").env("PMI_SIZE", ranks).output();
        text(&output.expect("the child").stderr)
    };
    assert!(
        table("2").contains("\nranks: SPELT_TOOLS=summary:times.json writes a file for each rank; `cargo")
    );
    assert!(!table("1").contains("ranks: "), "one rank is all of them");
    std::fs::remove_dir_all(&folder).expect("the folder");
}

#[test]
fn a_table_is_as_wide_as_the_terminal() {
    let output = command("summary", "").env("COLUMNS", "60").output().expect("the child");
    let table = text(&output.stderr);
    let (first, rest) = table.split_once('\n').expect("lines");
    assert!(first.starts_with("spelt: "), "{table}");
    let rows = rest.split("\nbytes: ").next().expect("a table");
    assert!(rows.lines().all(|line| line.chars().count() <= 60 && !line.contains(" min ")), "{table}");
}

#[test]
fn a_file_that_cannot_be_written_loses_nothing() {
    let output = run("summary:/no/such/folder/summary.json", "");
    assert!(output.status.success());
    let text = text(&output.stderr);
    assert!(
        text.contains("SPELT_TOOLS: the summary cannot be written to /no/such/folder/summary.json"),
        "{text}"
    );
    assert!(text.contains("fill \"x\""), "{text}");
}

#[test]
fn a_log_names_each_launch_before_it_runs() {
    let output = run("log", "panic");
    let text = text(&output.stderr);
    let lines: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("spelt: ")).collect();
    let wanted = [
        "`x` takes 8000 bytes of HostSpace",
        "region `fill` begins",
        "launch 1: for `fill \"x\"` on Serial, 1000 iterations, reads 0 bytes, writes 8000 bytes",
        "launch 1: `fill \"x\"` has ended",
    ];
    assert_eq!(lines[..4], wanted);
    assert!(lines.contains(&"mark `copied next`"));
    assert!(lines.contains(&"copy `x` (HostSpace) to `y` (HostSpace), 8000 bytes"));
}

#[test]
fn the_last_line_of_a_log_is_the_launch_that_does_not_end() {
    let output = run("log", "exit in a kernel");
    assert_eq!(output.status.code(), Some(5));
    let text = text(&output.stderr);
    assert_eq!(
        text.lines().last(),
        Some("spelt: launch 9: for `exits` on Threads, 2 iterations, reads 0 bytes, writes 0 bytes"),
        "{text}"
    );
}

#[test]
fn a_rate_that_is_kept_stays_if_it_is_higher() {
    let folder = std::env::temp_dir().join(format!("spelt-kept-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("spelt")).expect("a folder");
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let processor = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let processor = processor.map_or(std::env::consts::ARCH, |(_, name)| name.trim());
    let line = format!("1000000.000\t1\t{}\t{processor}\n", env!("CARGO_PKG_VERSION"));
    let kept = folder.join("spelt/peak.tsv");
    std::fs::write(&kept, &line).expect("a file");
    let file = folder.join("times.json");
    let mut child = command(&format!("summary:{}", file.display()), "");
    child.env("SPELT_TOOLS_PEAK", "measure").env("XDG_CACHE_HOME", &folder).env("SPELT_NUM_THREADS", "1");
    assert!(child.status().expect("the child").success());
    let json = std::fs::read_to_string(&file).expect("a file");
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((json["peak_gb_per_s"].as_f64(), json["peak_threads"].as_u64()), (Some(1e6), Some(1)));
    assert_eq!(std::fs::read_to_string(&kept).expect("a file"), line);
    std::fs::remove_dir_all(&folder).expect("the folder");
}

#[test]
fn an_unknown_tool_is_the_error_of_the_first_launch() {
    let output = run("summary,trace", "");
    let text = text(&output.stdout);
    assert!(text.contains("SPELT_TOOLS is `summary,trace`: write a list of `log`, `summary`"), "{text}");
    assert!(!self::text(&output.stderr).contains("% run"), "no tool is installed");
}
