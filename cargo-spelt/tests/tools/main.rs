//! `cargo spelt diff` and `cargo spelt report` on files that a program has just written: this one, which runs the ignored test `child`
//! alone in a separate process.

use std::path::Path;
use std::process::{Command, Output};

use spelt_core::{AnyHost, ExecutionSpace, Serial, Threads, View, parallel_for};

/// The space of the child, and whether it changes one element.
const SPACE: &str = "SPELT_TEST_SPACE";
const CHANGE: &str = "SPELT_TEST_CHANGE";

/// The program: its second launch leaves another number at \[777\] if it is asked to.
#[test]
#[ignore = "the child of the other tests"]
fn child() {
    let space: AnyHost = match std::env::var(SPACE).as_deref() {
        Ok("threads") => Threads::builder().num_threads(2).build().expect("threads").into(),
        _ => Serial::new().into(),
    };
    let change = std::env::var(CHANGE).map_or(0.0, |_| 0.5);
    let mut x = View::<f64, 1>::zeros("x", [1000]).expect("memory");
    parallel_for("number", space.range(0..1000), &mut x, |i, mut x| x[i] = i.get() as f64).expect("covered");
    parallel_for("square", space.range(0..1000), &mut x, |i, mut x| {
        x[i] *= x[i];
        x[i] += if i.get() == 777 { change } else { 0.0 };
    })
    .expect("covered");
}

/// The program, with these tools, in a folder.
fn program(folder: &Path, tools: &str, settings: &[(&str, &str)]) {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", "child", "--ignored", "--test-threads=1"]).current_dir(folder);
    command.env("SPELT_TOOLS", tools).env("SPELT_TOOLS_PEAK", "40.5").env_remove("KOKKOS_TOOLS_LIBS");
    for rank in ["OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID", "PALS_RANKID", "PMIX_RANK"] {
        command.env_remove(rank);
    }
    let output = command.envs(settings.iter().copied()).output().expect("the child");
    assert!(output.status.success(), "{}", text(&output));
}

/// `cargo spelt` with these arguments, in a folder.
fn spelt(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-spelt"));
    command.arg("spelt").args(arguments).current_dir(folder).output().expect("the command starts")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned()
}

#[test]
fn equal_runs_do_not_differ() {
    let folder = tempfile::tempdir().expect("a folder");
    program(folder.path(), "check:a", &[(SPACE, "serial")]);
    program(folder.path(), "check:b", &[(SPACE, "threads")]);
    let output = spelt(folder.path(), &["diff", "a", "b"]);
    assert_eq!((output.status.code(), text(&output)), (Some(0), "no difference in 2 launches\n".to_owned()));
}

/// Does what the command says, until it names the element.
#[test]
fn the_advice_of_diff_leads_to_the_element() {
    let ranks = [("PMI_RANK", "3"), ("PMI_SIZE", "4")];
    for (names, files, settings) in [
        (["a", "b"], ["a", "b"], &[][..]),
        (["a.json", "b.json"], ["a.3.json", "b.3.json"], &ranks),
        (["a", "b"], ["a.3", "b.3"], &ranks),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let changed = [&[(CHANGE, "1")], settings].concat();
        program(folder.path(), &format!("check:{}", names[0]), settings);
        program(folder.path(), &format!("check:{}", names[1]), &changed);
        let output = spelt(folder.path(), &["diff", files[0], files[1]]);
        let first = text(&output);
        assert!(output.status.code() == Some(1) && first.contains("launch 2, for `square`"), "{first}");
        let advised: Vec<_> =
            first.split_whitespace().filter_map(|word| word.strip_prefix("SPELT_TOOLS=")).collect();
        let [a, b] = advised[..] else { panic!("no advice in {first}") };
        program(folder.path(), a, settings);
        program(folder.path(), b.trim_end_matches(','), &changed);
        let output = spelt(folder.path(), &["diff", files[0], files[1]]);
        let wanted = format!(
            "`x` differs first at [777]\n  {}: 603729.0 (bits 0x41226ca200000000)\n  {}: 603729.5 (bits 0x41226ca300000000)\n",
            files[0], files[1]
        );
        let second = text(&output);
        assert!(output.status.code() == Some(1) && second.ends_with(&wanted), "{second}");
    }
}

#[test]
fn reports_draw_what_tools_write() {
    let folder = tempfile::tempdir().expect("a folder");
    program(folder.path(), "summary:times.json,trace:trace.json", &[]);
    let output = spelt(folder.path(), &["report", "times.json"]);
    let wanted = "times-time.svg\ntimes-time.png\ntimes-rates.svg\ntimes-rates.png\ntimes-memory.svg\ntimes-memory.png\n";
    assert_eq!((output.status.code(), text(&output).as_str()), (Some(0), wanted));
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("a picture");
    let rates = read("times-rates.svg");
    assert!(["number", "square", "limit: 40.5 GB/s"].iter().all(|text| rates.contains(text)), "{rates}");
    assert!(read("times-memory.svg").contains("8.00 kB, HostSpace"));
    let output = spelt(folder.path(), &["report", "trace.json"]);
    assert_eq!(
        (output.status.code(), text(&output).as_str()),
        (Some(0), "trace-memory.svg\ntrace-memory.png\n")
    );
}

#[test]
fn reports_compare_the_ranks_that_tools_write() {
    let folder = tempfile::tempdir().expect("a folder");
    for rank in ["0", "1"] {
        program(folder.path(), "summary:times.json", &[("PMI_RANK", rank), ("PMI_SIZE", "2")]);
    }
    let output = spelt(folder.path(), &["report", "times.0.json", "times.1.json", "--output", "times"]);
    let printed = text(&output);
    assert!(output.status.success() && printed.ends_with("times-ranks.svg\ntimes-ranks.png\n"), "{printed}");
    for label in ["number", "square"] {
        assert!(
            printed.lines().any(|line| line.starts_with(label) && line.contains("of the mean")),
            "{printed}"
        );
    }
}
