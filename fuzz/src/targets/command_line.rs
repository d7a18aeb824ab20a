//! Command lines of `cargo spelt` and of programs: an error, never a panic.

use std::path::PathBuf;
use std::process::Command;

use fastrand::Rng;
use spelt::ThreadsArguments;

use super::Outcome;
use crate::mutate::NUMBERS;

const WORDS: &[&str] = &[
    "spelt",
    "run",
    "build",
    "test",
    "check",
    "ptx",
    "ir",
    "doctor",
    "new",
    "help",
    "--help",
    "-V",
    "--version",
    "--arch",
    "--arch=sm_90",
    "sm_80",
    "native",
    "--ptx-version",
    "--emulator",
    "--checks",
    "--checks=all",
    "memory",
    "--",
    "--name",
    "--name=x",
    "x",
    "fn",
    "--release",
    "-p",
    "--spelt-num-threads",
    "--spelt-num-threads=",
    "-",
    "",
    "=",
    "--=",
    "\u{1F600}",
];

/// The folder of this build, `target/debug` or `target/release`.
fn programs() -> PathBuf {
    let program = std::env::current_exe().expect("the path of this program");
    program.parent().expect("a file has a folder").to_owned()
}

/// Builds `cargo-spelt`.
pub(crate) fn prepare() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["build", "--quiet", "--package", "cargo-spelt", "--manifest-path"]);
    command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml"));
    command.arg("--target-dir").arg(programs().parent().expect("target"));
    assert!(command.status().expect("cargo can be started").success());
}

pub(crate) fn case(rng: &mut Rng) -> Outcome {
    let line: Vec<&str> = (0..rng.usize(..6))
        .map(|_| {
            if rng.u8(..5) == 0 {
                *rng.choice(NUMBERS).expect("not empty")
            } else {
                *rng.choice(WORDS).expect("not empty")
            }
        })
        .collect();
    let of_program = ThreadsArguments::parse(&line);
    // Most lines are tried only on the parser of programs: `cargo spelt` starts cargo, which is slow.
    if rng.u8(..32) == 0 { cargo_spelt(&line) } else { Outcome::of(&of_program) }
}

/// In an empty folder, where no command finds anything to build.
fn cargo_spelt(line: &[&str]) -> Outcome {
    let folder = std::env::temp_dir().join(format!("spelt-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let output = Command::new(programs().join("../debug/cargo-spelt"))
        .current_dir(&folder)
        .args(line)
        .output()
        .expect("it can be started");
    std::fs::remove_dir_all(&folder).expect("its own folder");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!said.contains("panicked at"), "{line:?}: {said}");
    match output.status.code() {
        Some(0) => Outcome::Accepted,
        Some(_) => {
            assert!(!said.trim().is_empty(), "{line:?} failed without a word");
            Outcome::Refused
        }
        None => panic!("{line:?} ended with {}: {said}", output.status),
    }
}
