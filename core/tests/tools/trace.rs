//! `SPELT_TOOLS=trace:FILE`, in child processes: each is this program, which runs the ignored test `child` alone.

use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::Barrier;

use spelt_core::tools::{begin_exchange, mark, metadata, region};
use spelt_core::{ExecutionSpace, Serial, Threads, View, deep_copy, parallel_for};

use crate::schema::Trace;

/// How the child ends.
const END: &str = "SPELT_TEST_END";

/// The program that is traced.
#[test]
#[ignore = "the child of the other tests"]
fn child() {
    let end = std::env::var(END).unwrap_or_default();
    let space = Threads::builder().num_threads(3).build().expect("threads");
    let mut x = View::<f64, 1>::zeros("x", [1 << 16]).expect("memory");
    let _region = region("all \"phases\"");
    for _ in 0..3 {
        let filled =
            parallel_for("fill", space.range(0..1 << 16), &mut x, |i, mut x| x[i] = (i.get() as f64).sqrt());
        if let Err(error) = filled {
            println!("error: {error}");
            return;
        }
    }
    mark("filled");
    metadata("mesh", "a \"coarse\" one");
    {
        let mut y = space.zeros::<f64, 1>("y", [1 << 16]).expect("memory");
        deep_copy(&mut y, &x).expect("equal extents");
    }
    parallel_for("outer", space.range(0..1), (), |_, ()| {
        parallel_for("inner", Serial::new().range(0..1), (), |_, ()| {}).expect("no Views");
    })
    .expect("no Views");
    let mut elsewhere = View::<f64, 1>::zeros("elsewhere", [1 << 12]).expect("memory");
    for _ in 0..2 {
        std::thread::scope(|scope| {
            let launch = || {
                parallel_for("elsewhere", space.range(0..1 << 12), &mut elsewhere, |i, mut x| x[i] = 1.0)
                    .expect("covered");
            };
            scope.spawn(launch).join().expect("no panic");
        });
    }
    let barrier = Barrier::new(2);
    let (left, right) = elsewhere.view_mut().split_outer_at(1);
    std::thread::scope(|scope| {
        for mut part in [left, right] {
            let barrier = &barrier;
            scope.spawn(move || {
                parallel_for("together", Serial::new().range(0..1), &mut part, |i, mut x| {
                    barrier.wait();
                    x[i] = 2.0;
                })
                .expect("covered");
            });
        }
    });
    drop(elsewhere);
    {
        let _exchange = begin_exchange("halo", "rows", 1, 3);
        parallel_for("within", Serial::new().range(0..1), (), |_, ()| {}).expect("no Views");
    }
    space.fence().expect("nothing pending");
    match end.as_str() {
        "exit" => std::process::exit(3),
        "panic" => {
            let panics = |i: usize| assert_ne!(i, 40_000, "as asked");
            parallel_for("panics", space.range(0..1 << 16), (), |i, ()| panics(i.get())).expect("no Views");
        }
        "abort" => {
            for _ in 0..1000 {
                parallel_for("many", Serial::new().range(0..1), (), |_, ()| {}).expect("no Views");
            }
            parallel_for("aborts", Serial::new().range(0..1), (), |_, ()| std::process::abort())
                .expect("never");
        }
        _ => {}
    }
}

/// A file that is removed at the end.
struct File(PathBuf);

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn file(name: &str) -> File {
    File(std::env::temp_dir().join(format!("spelt-trace-{name}-{}.json", std::process::id())))
}

fn command(tools: &str, end: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command
        .args(["--exact", "trace::child", "--ignored", "--nocapture", "--test-threads=1"])
        .env("SPELT_TOOLS", tools)
        .env("SPELT_OPENING", "at-once")
        .env(END, end);
    for rank in ["OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID", "PALS_RANKID", "PMIX_RANK"] {
        command.env_remove(rank);
    }
    command
}

fn traced(file: &File, end: &str) -> (Output, Trace) {
    let output = command(&format!("trace:{}", file.0.display()), end).output().expect("the child");
    let content = std::fs::read_to_string(&file.0).expect("a file");
    (output, Trace::read(&content))
}

#[test]
fn a_trace_has_everything_on_its_rows() {
    let file = file("rows");
    let (output, trace) = traced(&file, "");
    assert!(output.status.success() && trace.is_closed);
    assert_eq!(trace.unfinished, 0);
    let launches = |name: &str| {
        let slices = trace.named(name).into_iter().filter(|slice| slice.category == "for");
        slices.cloned().collect::<Vec<_>>()
    };
    assert_eq!([launches("fill").len(), launches("outer").len(), launches("inner").len()], [3, 1, 1]);
    let region = &trace.named("all \"phases\"")[0];
    assert!(launches("fill").iter().all(|launch| region.begin <= launch.begin && launch.end <= region.end));
    assert_eq!(trace.named("x to y")[0].category, "copy");
    assert_eq!(trace.named("fence")[0].category, "fence");
    let exchange = trace.named("rows")[0];
    let within = &launches("within")[0];
    assert_eq!(exchange.category, "exchange");
    assert!(exchange.begin <= within.begin && within.end <= exchange.end, "{exchange:?} {within:?}");
    let fills = trace.named("y").into_iter().filter(|slice| slice.category == "fill").count();
    assert_eq!(fills, 1, "the initialisation of `y`");
    // Each launch that is distributed is on the rows of the threads that came, within its time.
    let shares: Vec<_> = trace.named("fill").into_iter().filter(|slice| slice.category == "units").collect();
    assert!((3..=9).contains(&shares.len()), "{shares:?}");
    for share in &shares {
        let inside = |launch: &&crate::schema::Slice| launch.begin <= share.begin && share.end <= launch.end;
        assert!(launches("fill").iter().find(inside).is_some(), "{share:?} is in no launch");
    }
    let rows_of = |name: &str| {
        let rows = trace.rows.iter().filter(|(_, slices)| slices.iter().any(|slice| slice.name == name));
        rows.map(|(row, _)| *row).collect::<Vec<_>>()
    };
    assert_ne!(rows_of("elsewhere"), rows_of("outer"));
    assert!(trace.names.values().all(|name| !name.is_empty()));
    // Memory rises by each View and falls where one is dropped; the tests' own process has these two.
    let kilobytes: Vec<_> =
        trace.counter("memory HostSpace", "bytes").iter().map(|bytes| bytes / 1024.0).collect();
    assert_eq!(kilobytes, [512.0, 1024.0, 512.0, 544.0, 512.0, 0.0]);
    let rates = trace.counter("GB/s Threads", "GB/s");
    assert_eq!(rates.len(), 10, "a begin and an end for each launch with Views, whichever thread made it");
    assert!(rates.chunks(2).all(|pair| pair[0] > 0.0 && pair[1] == 0.0), "{rates:?}");
    assert!(trace.counter("GB/s Threads (2)", "GB/s").is_empty());
    // Two threads that launch at the same time have a counter each.
    for counter in ["GB/s Serial", "GB/s Serial (2)"] {
        let rates = trace.counter(counter, "GB/s");
        assert!(rates.len() == 2 && rates[1] == 0.0, "{rates:?}");
    }
    let value =
        |name: &str| trace.events.iter().find(|event| event["name"] == name).expect("an event").clone();
    let args = &value("rows")["args"];
    assert_eq!((&args["kind"], &args["rank"], &args["ranks"]), (&"halo".into(), &1.into(), &3.into()));
    assert_eq!(value("filled")["ph"], "i");
    assert_eq!(value("mesh")["args"]["value"], "a \"coarse\" one");
    let launch =
        trace.events.iter().find(|event| event["name"] == "fill" && event["ph"] == "B").expect("one");
    let args = &launch["args"];
    assert_eq!(
        (&args["space"], &args["iterations"], &args["written_bytes"]),
        (&"Threads".into(), &65_536.into(), &524_288.into())
    );
}

#[test]
fn a_trace_is_complete_however_the_program_ends() {
    for (end, status) in [("exit", 3), ("panic", 101)] {
        let file = file(end);
        let (output, trace) = traced(&file, end);
        assert_eq!(output.status.code(), Some(status));
        assert_eq!(trace.named("x to y").len(), 1);
        assert!(trace.is_closed);
        // `exit` does not end the region.
        assert_eq!(trace.unfinished, usize::from(end == "exit"));
        if end == "panic" {
            assert!(trace.named("panics").iter().any(|slice| slice.category == "for"));
            assert!(trace.named("panics").iter().any(|slice| slice.category == "units"));
        }
    }
}

#[test]
fn a_trace_of_a_program_that_aborts_can_be_read() {
    let file = file("abort");
    let (output, trace) = traced(&file, "abort");
    assert!(!output.status.success());
    // At least the full buffers.
    assert!(trace.named("many").len() > 100);
    assert!(trace.unfinished >= 1 && !trace.is_closed, "the region");
}

#[test]
fn each_rank_writes_a_trace_of_its_own() {
    let file = file("rank");
    let tools = format!("trace:{}", file.0.display());
    let output = command(&tools, "")
        .envs([("OMPI_COMM_WORLD_RANK", "3"), ("OMPI_COMM_WORLD_SIZE", "4")])
        .output()
        .expect("the child");
    assert!(output.status.success());
    let of_rank = File(file.0.with_extension("3.json"));
    let trace = Trace::read(&std::fs::read_to_string(&of_rank.0).expect("the rank's file"));
    assert!(trace.rows.keys().all(|(pid, _)| *pid == 3));
    let process = trace.events.iter().find(|event| event["name"] == "process_name").expect("a name");
    assert!(process["args"]["name"].as_str().expect("text").ends_with(", rank 3 of 4"), "{process}");
    // Since midnight.
    let day_ns = 24 * 60 * 60 * 1_000_000_000;
    assert!(trace.rows.values().flatten().all(|slice| (1..2 * day_ns).contains(&slice.begin)));
    assert!(!file.0.exists());
}

#[test]
fn a_file_that_cannot_be_created_is_the_error_of_the_first_launch() {
    let output = command("trace:/no/such/folder/trace.json", "").output().expect("the child");
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    let wanted =
        "SPELT_TOOLS is `trace:/no/such/folder/trace.json`: /no/such/folder/trace.json cannot be created: ";
    assert!(text.contains(wanted), "{text}");
}
