//! Misuses that must not compile, each with a twin that does.
//!
//! The compiler's messages are part of the interface, so they are compared, with the compiler that they were recorded
//! with; `TRYBUILD=overwrite` records them anew. Another compiler words them otherwise: with it only the twins are
//! built, and the misuses must fail, with whatever message.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The compiler whose messages are recorded.
const RECORDED_WITH: &str = "rustc 1.95.";

/// The misuses and the twins.
fn programs() -> (Vec<PathBuf>, Vec<PathBuf>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compile_fail");
    let files = std::fs::read_dir(folder).expect("the folder of this file");
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "rs") && !file.ends_with("main.rs"));
    files.sort();
    let (twins, misuses): (Vec<_>, Vec<_>) = files
        .into_iter()
        .partition(|file| file.file_stem().is_some_and(|name| name.to_string_lossy().ends_with("_twin")));
    (misuses, twins)
}

#[test]
fn every_misuse_has_a_twin() {
    let (misuses, twins) = programs();
    let twin = |file: &PathBuf| {
        let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
        file.with_file_name(format!("{name}_twin.rs"))
    };
    assert!(!misuses.is_empty());
    assert_eq!(misuses.iter().map(twin).collect::<Vec<_>>(), twins);
}

#[test]
fn misuses_do_not_compile_and_their_twins_do() {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("--version").output().expect("there is a compiler").stdout;
    let recorded = String::from_utf8_lossy(&version).starts_with(RECORDED_WITH);
    let (misuses, twins) = programs();
    let cases = trybuild::TestCases::new();
    twins.iter().for_each(|twin| cases.pass(twin));
    if recorded {
        misuses.iter().for_each(|misuse| cases.compile_fail(misuse));
        return;
    }
    drop(cases);
    // trybuild has no failure without a message: with another compiler, all of them are seen to fail when
    // each, in turn, is not a passing program.
    for misuse in misuses {
        let attempt = std::panic::catch_unwind(|| {
            let cases = trybuild::TestCases::new();
            cases.pass(&misuse);
        });
        assert!(attempt.is_err(), "{} compiles", misuse.display());
    }
}
