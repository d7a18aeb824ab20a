//! The library of the tests, compiled where it is first needed, and programs that run with it. Tests of several crates include this file.

use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// A library with this name in its lines, under these conditions.
pub(crate) fn library(name: &str, conditions: &[&str]) -> String {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let number = NEXT.fetch_add(1, Relaxed);
    // Unit tests have no folder of their own.
    let folder = option_env!("CARGO_TARGET_TMPDIR").map_or_else(std::env::temp_dir, PathBuf::from);
    let process = std::process::id();
    let [source, file] =
        ["rs", "so"].map(|kind| folder.join(format!("kokkos-{process}-{name}-{number}.{kind}")));
    std::fs::write(&source, include_str!("library.rs")).expect("the source");
    let mut compiler = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    compiler.current_dir(env!("CARGO_MANIFEST_DIR")).env("LIBRARY", name);
    compiler.args(["--edition=2024", "--crate-name=library", "-Awarnings"]).arg(&source).arg("-o").arg(&file);
    for condition in conditions {
        compiler.args(["--cfg", condition]);
    }
    let output = compiler.output().expect("the compiler");
    std::fs::remove_file(&source).expect("the source");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    file.to_str().expect("text").to_owned()
}

/// This program, which runs the ignored test `child` alone, with these libraries.
pub(crate) fn program(child: &str, libraries: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command
        .args(["--exact", child, "--ignored", "--nocapture", "--test-threads=1"])
        .env("KOKKOS_TOOLS_LIBS", libraries);
    for other in ["SPELT_TOOLS", "KOKKOS_TOOLS_ARGS", "KOKKOS_PROFILE_LIBRARY"] {
        command.env_remove(other);
    }
    command
}

/// The lines of standard error that begin with one of the names.
pub(crate) fn lines(output: &Output, names: &[&str]) -> Vec<String> {
    let text = String::from_utf8_lossy(&output.stderr);
    let has_name = |line: &&str| names.iter().any(|name| line.starts_with(&format!("{name}: ")));
    text.lines().filter(has_name).map(str::to_owned).collect()
}

/// The calls of the library `tool`, in a program that ended well.
pub(crate) fn calls_of_tool(output: &Output) -> Vec<String> {
    assert!(output.status.success(), "{output:?}");
    lines(output, &["tool"]).iter().map(|line| line["tool: ".len()..].to_owned()).collect()
}
