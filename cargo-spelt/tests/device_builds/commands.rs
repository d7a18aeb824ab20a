//! The commands that are not cargo's.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use crate::project::{Project, root};

#[test]
fn kernels_are_shown_by_label_symbol_and_place() {
    let project = Project::new();
    let arguments = "--release -p program --bin program";
    let table = project.spelt(&format!("ptx {arguments}")).succeeded().out;
    let row = |label: &str| {
        let cells = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        table
            .lines()
            .map(cells)
            .find(|cells| cells.get(1).is_some_and(|cell| cell == label))
            .expect("the label")
    };
    assert_eq!(row("own")[..3], ["program", "own", "program/src/main.rs:6"]);
    assert_eq!(row("collatz")[..3], ["program", "collatz", "middle/src/lib.rs:5"]);

    for filter in ["own", "main.rs:6", "7program"] {
        let shown = project.spelt(&format!("ptx {filter} {arguments}")).succeeded().out;
        assert!(
            shown.starts_with("// kernel `own`, program/src/main.rs:6, in program\n"),
            "{filter}: {shown}"
        );
        assert!(shown.contains(".visible .entry ") && shown.contains("st.global.b32"), "{filter}: {shown}");
    }
    let shown = project.spelt(&format!("ir collatz {arguments}")).succeeded().out;
    assert!(shown.contains("define ") && shown.contains("ptx_kernel void @"), "{shown}");
    assert_eq!(shown.matches("ptx_kernel").count(), 1, "{shown}");

    let refused = project.spelt(&format!("ptx absent {arguments}"));
    assert!(
        !refused.success && refused.err.contains("`absent` is not a part of a kernel's label"),
        "{}",
        refused.err
    );
    let refused = project.spelt("ptx -p plain");
    assert!(!refused.success && refused.err.contains("has no kernels"), "{}", refused.err);
}

#[test]
fn the_doctor_reports_everything() {
    let project = Project::new();
    let mut command = project.command("doctor");
    // Nothing on PATH but Rust, and an emulator that is not there.
    command.env("SPELT_EMULATOR", project.path("none")).env("SPELT_PTXAS", project.path("none"));
    command.env("SPELT_MPI_LIBRARY", "none.so");
    let report = project.run(command).succeeded().out;
    for part in [
        "driver ",
        "GPU",
        "linker     present, ",
        "libLLVM    present, ",
        "NVPTX      present",
        "emulator   unusable: ",
        "ptxas      unusable: ",
        "MPI        not found: none.so cannot be opened",
    ] {
        assert!(report.lines().any(|line| line.starts_with(part)), "{part}: {report}");
    }
}

#[test]
fn the_doctor_opens_what_it_calls_present() {
    let project = Project::new();
    project.spelt("--emulator run -p program").succeeded();
    let library = fs::read_dir(root().join("cache/emulator"))
        .expect("the cache")
        .map(|entry| entry.expect("an entry of the cache").path().join("libcuda.so.1"))
        .find(|path| path.is_file())
        .expect("an emulator in the cache");
    let whole = fs::read(library).expect("the emulator");
    let folder = project.path("emulator");
    fs::create_dir_all(&folder).expect("a folder of the project");
    let line_with = |bytes: &[u8]| {
        fs::write(folder.join("libcuda.so.1"), bytes).expect("a file of the project");
        let mut command = project.command("doctor");
        command.env("SPELT_EMULATOR", &folder);
        let report = project.run(command).succeeded().out;
        report.lines().find(|line| line.starts_with("emulator ")).expect("a line").to_owned()
    };
    assert!(line_with(&whole).contains("present: "));
    // A text, nothing, half of the library: opening that ends a process.
    for bytes in [&b"not a library"[..], b"", &whole[..whole.len() / 2]] {
        let line = line_with(bytes);
        assert!(line.contains("unusable: ") && line.contains("libcuda.so.1"), "{line}");
    }
}

#[test]
fn the_doctor_misses_the_linker() {
    let project = Project::new();
    let mut command = project.command("doctor");
    // Cargo's own variable for the linker of this host.
    let host = std::env::consts::ARCH.to_uppercase();
    command.env(format!("CARGO_TARGET_{host}_UNKNOWN_LINUX_GNU_LINKER"), project.path("no-linker"));
    let report = project.run(command);
    assert!(!report.success, "{}", report.out);
    let line = report.out.lines().find(|line| line.starts_with("linker ")).expect("a line");
    assert!(line.contains("unusable: ") && line.contains("no-linker"), "{line}");
}

#[test]
fn a_reader_that_goes_early_is_no_failure() {
    let project = Project::new();
    for line in ["doctor", "help", "--version"] {
        let mut command = project.command(line);
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("the command ends");
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn a_new_project_runs_outside_of_the_checkout() {
    let project = Project::new();
    let outside = tempfile::tempdir().expect("a temporary folder");
    let call = |line: &str, folder: &Path| {
        let mut command = project.command(line);
        // Not the variables that `cargo test` sets for its programs.
        command.current_dir(folder).env_remove("CARGO_PKG_NAME");
        project.run(command)
    };
    let made = call("new demo", outside.path()).succeeded();
    assert!(made.err.contains("cd demo && cargo spelt run"), "{}", made.err);
    let demo = outside.path().join("demo");
    assert_eq!(call("run --offline", &demo).succeeded().out, "the sum of y is 100000000\n");
    call("clippy --offline -- -D warnings", &demo).succeeded();

    let refused = call("new demo", outside.path());
    assert!(!refused.success && refused.err.contains("exists and is not empty"), "{}", refused.err);
    let refused = call("new fn", outside.path());
    assert!(!refused.success && refused.err.contains("a keyword of Rust"), "{}", refused.err);
    assert!(!outside.path().join("fn").exists());
}

#[test]
fn lints_and_documentation_are_cargos() {
    let project = Project::new();
    // One closure of the fixtures could be a path.
    let warned = project.spelt("clippy -p middle").succeeded();
    assert!(warned.err.contains("redundant closure"), "{}", warned.err);
    let refused = project.spelt("clippy -p middle -- -D warnings");
    assert!(!refused.success && refused.err.contains("error: redundant closure"), "{}", refused.err);
    project.spelt("doc --no-deps -p middle").succeeded();
    assert!(root().join("target/spelt/doc/middle/index.html").is_file());
}

#[test]
fn what_is_asked_wrongly_is_refused() {
    let project = Project::new();
    for (line, text) in [
        ("--arch build", "there is no architecture `build`"),
        ("--arch sm_35 build", "there is no architecture `sm_35`"),
        ("--ptx-version eight build", "`eight` is not a version of PTX"),
        ("fly", "has no command `fly`"),
        ("build --manifest-path absent/Cargo.toml", "absent/Cargo.toml"),
    ] {
        let refused = project.spelt(line);
        assert!(!refused.success && refused.err.contains(text), "{line}: {}", refused.err);
    }
    let mut command = project.command("--emulator run -p program");
    command.env("SPELT_EMULATOR", project.path("program"));
    let refused = project.run(command);
    assert!(!refused.success && refused.err.contains("contains no libcuda.so.1"), "{}", refused.err);
}
