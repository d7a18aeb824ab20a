//! The commands that are not cargo's.

use std::process::Command;

use crate::project::Project;

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
        !refused.success && refused.err.contains("`absent` is no part of a kernel's label"),
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
    let report = project.run(command).succeeded().out;
    for part in [
        "driver ",
        "GPU",
        "libLLVM    present, ",
        "NVPTX      present",
        "emulator   unusable: ",
        "ptxas      unusable: ",
    ] {
        assert!(report.lines().any(|line| line.starts_with(part)), "{part}: {report}");
    }
}

#[test]
fn a_new_project_runs() {
    let project = Project::new();
    let folder = project.path("new-kernels");
    drop(std::fs::remove_dir_all(&folder));
    // In the checkout, so that the project uses its crates.
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-spelt"));
    command.arg("new").arg(&folder).current_dir(env!("CARGO_MANIFEST_DIR"));
    project.run(command).succeeded();
    let run = format!("run --manifest-path {}", folder.join("Cargo.toml").display());
    assert_eq!(project.spelt(&run).succeeded().out, "the sum of y is 100000000\n");

    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-spelt"));
    command.arg("new").arg(&folder);
    let refused = project.run(command);
    assert!(!refused.success && refused.err.contains("exists and is not empty"), "{}", refused.err);
}

#[test]
fn what_is_asked_wrongly_is_refused() {
    let project = Project::new();
    for (line, text) in [
        ("--arch sm_35 build", "there is no architecture `sm_35`"),
        ("--ptx-version eight build", "`eight` is no version of PTX"),
        ("fly", "has no command `fly`"),
        ("build --manifest-path absent/Cargo.toml", "absent/Cargo.toml"),
    ] {
        let refused = project.spelt(line);
        assert!(!refused.success && refused.err.contains(text), "{line}: {}", refused.err);
    }
    let mut command = project.command("--emulator run -p program");
    command.env("SPELT_EMULATOR", project.path("program"));
    let refused = project.run(command);
    assert!(!refused.success && refused.err.contains("holds no libcuda.so.1"), "{}", refused.err);
}
