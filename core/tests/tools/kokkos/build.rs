//! The libraries of the tests, compiled where they are first needed.

use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// A library with this name in its lines, under these conditions.
pub(super) fn library(name: &str, conditions: &[&str]) -> String {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let number = NEXT.fetch_add(1, Relaxed);
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("kokkos-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join(format!("{name}-{number}.so"));
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tools/kokkos/library.rs");
    let mut compiler = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    compiler.current_dir(env!("CARGO_MANIFEST_DIR")).env("LIBRARY", name);
    compiler.args(["--edition=2024", "--crate-name=library", "-Awarnings", source, "-o"]).arg(&file);
    for condition in conditions {
        compiler.args(["--cfg", condition]);
    }
    let output = compiler.output().expect("the compiler");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    file.to_str().expect("text").to_owned()
}

/// The program of the tests, with these libraries.
pub(super) fn child(part: &str, libraries: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command
        .args(["--exact", "kokkos::program::child", "--ignored", "--nocapture", "--test-threads=1"])
        .env("KOKKOS_TOOLS_LIBS", libraries)
        .env(super::program::PART, part);
    for other in ["SPELT_TOOLS", "KOKKOS_TOOLS_ARGS", "KOKKOS_PROFILE_LIBRARY"] {
        command.env_remove(other);
    }
    command
}

/// The lines of standard error that begin with one of the names.
pub(super) fn lines(output: &Output, names: &[&str]) -> Vec<String> {
    let text = String::from_utf8_lossy(&output.stderr);
    let has_name = |line: &&str| names.iter().any(|name| line.starts_with(&format!("{name}: ")));
    text.lines().filter(has_name).map(str::to_owned).collect()
}

/// The lines of the library `tool` when the program runs with it, which ends well.
pub(super) fn calls(part: &str, library: &str) -> Vec<String> {
    let output = child(part, library).output().expect("the child");
    assert!(output.status.success(), "{output:?}");
    lines(&output, &["tool"]).iter().map(|line| line["tool: ".len()..].to_owned()).collect()
}
