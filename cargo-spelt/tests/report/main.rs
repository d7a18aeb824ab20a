//! `cargo spelt report` as a command.

use std::path::Path;
use std::process::{Command, Output};

fn report(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-spelt"));
    command.args(["spelt", "report"]).args(arguments).current_dir(folder).output().expect("the command")
}

fn error(folder: &Path, content: &str) -> String {
    std::fs::write(folder.join("file"), content).expect("a file");
    let output = report(folder, &["file"]);
    assert!(!output.status.success(), "{content}");
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr).expect("text")
}

#[test]
fn a_summary_becomes_pictures() {
    let folder = tempfile::tempdir().expect("a folder");
    let summary = r#"{"run_ns":1000,"launches_ns":600,"peak_gb_per_s":null,"launches":[
        {"label":"assemble <matrix>","pattern":"for","space":"Threads","calls":1,"total_ns":600,"min_ns":600,"max_ns":600,
         "read_bytes":100,"written_bytes":200}],"copies":[],"regions":[]}"#;
    std::fs::write(folder.path().join("s.json"), summary).expect("a file");
    let output = report(folder.path(), &["s.json", "--peak", "2"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = String::from_utf8(output.stdout).expect("text");
    let files: Vec<_> = printed.lines().collect();
    assert_eq!(files, ["s-time.svg", "s-time.png", "s-rates.svg", "s-rates.png"]);
    let read = |name: &str| std::fs::read(folder.path().join(name)).expect("a picture");
    for name in files.iter().filter(|name| name.ends_with(".png")) {
        assert!(read(name).starts_with(b"\x89PNG\r\n\x1a\n"), "{name}");
    }
    let rates = String::from_utf8(read("s-rates.svg")).expect("text");
    assert!(rates.contains("assemble &lt;matrix&gt;"), "{rates}");
    assert!(rates.contains("0.50 GB/s, 25.0 %, 600 ns") && rates.contains("limit: 2.00 GB/s"), "{rates}");
    // Nothing else is left there.
    assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 5);
}

#[test]
fn ranks_are_compared() {
    let folder = tempfile::tempdir().expect("a folder");
    let rank = |number: u32, ns: u32| {
        let summary = format!(
            r#"{{"run_ns":1000,"launches_ns":600,"rank":{number},"launches":[{{"label":"a","pattern":"for","space":"Threads","calls":1,
                "total_ns":{ns},"read_bytes":0,"written_bytes":0}}]}}"#
        );
        std::fs::write(folder.path().join(format!("s.{number}.json")), summary).expect("a file");
    };
    rank(0, 300);
    rank(1, 500);
    let output = report(folder.path(), &["s.0.json", "s.1.json", "--output", "s"]);
    let wanted = "a (for, Threads)  1.25 of the mean: slowest 500 ns (s.1.json), mean 400 ns\ns-ranks.svg\ns-ranks.png\n";
    assert_eq!(String::from_utf8_lossy(&output.stdout), wanted);
    let svg = std::fs::read_to_string(folder.path().join("s-ranks.svg")).expect("a picture");
    assert!(svg.contains("1.25 of the mean, in s.1.json"), "{svg}");
    let twice = report(folder.path(), &["s.1.json", "s.1.json", "--output", "made/here/"]);
    let printed = String::from_utf8_lossy(&twice.stdout).into_owned();
    assert!(printed.ends_with("\nmade/here/s.1-runs.svg\nmade/here/s.1-runs.png\n"), "{printed}");
    std::fs::write(folder.path().join("trace"), "[]").expect("a file");
    let trace = report(folder.path(), &["s.0.json", "trace"]);
    let text = String::from_utf8_lossy(&trace.stderr);
    let limited = |files: &[&str]| report(folder.path(), &[files, &["--peak", "40"]].concat());
    for (files, kind) in [(&["s.0.json", "s.1.json"][..], "several files"), (&["trace"], "a trace")] {
        let output = limited(files);
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.status.success() && text.contains("leave it out for") && text.contains(kind),
            "{text}"
        );
    }
    assert!(
        text.starts_with(
            "error: trace: of several files, each must be the JSON of the summary of a rank or run"
        ),
        "{text}"
    );
}

#[test]
fn a_trace_becomes_a_picture_of_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let counter = |ts: u32, bytes: u32| {
        format!(
            r#"{{"name":"memory HostSpace","ph":"C","ts":{ts},"pid":0,"tid":0,"args":{{"bytes":{bytes}}}}}"#
        )
    };
    let trace = format!("[\n{},\n{}", counter(0, 1 << 20), counter(2000, 0));
    std::fs::write(folder.path().join("t.json"), trace).expect("a file");
    let output = report(folder.path(), &["t.json", "--output=picture"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "picture-memory.svg\npicture-memory.png\n");
    let svg = std::fs::read_to_string(folder.path().join("picture-memory.svg")).expect("a picture");
    assert!(svg.contains("HostSpace") && svg.contains("[MB]") && svg.contains("time [ms]"), "{svg}");
}

#[test]
fn files_that_are_none_say_what_is_expected() {
    let folder = tempfile::tempdir().expect("a folder");
    for (content, reason) in [
        ("", "it is no JSON"),
        ("{\"run_ns\":", "it is no JSON"),
        ("7", "it is neither an object nor an array"),
        ("{}", "there is no member `launches`"),
        ("[]", "it has no counters of memory"),
        ("[{}]", "event 0 has no phase `ph`"),
    ] {
        let text = error(folder.path(), content);
        let wanted = "error: file: expected the JSON of a summary (SPELT_TOOLS=summary:FILE.json) or a trace";
        assert!(text.starts_with(wanted) && text.contains(reason), "`{content}`: {text}");
    }
    let missing = report(folder.path(), &["nowhere.json"]);
    assert!(String::from_utf8_lossy(&missing.stderr).starts_with("error: cannot read nowhere.json: "));
    std::fs::write(folder.path().join("s.json"), r#"{"run_ns":1,"launches_ns":1,"launches":[]}"#)
        .expect("a file");
    let unwritable = report(folder.path(), &["s.json", "--output", "no/such/name"]);
    assert!(String::from_utf8_lossy(&unwritable.stderr).contains("there is no folder no/such: make it"));
    let no_folder = report(folder.path(), &["s.json", "--output", "s.json/"]);
    assert!(String::from_utf8_lossy(&no_folder.stderr).contains("cannot create the folder s.json/"));
}
