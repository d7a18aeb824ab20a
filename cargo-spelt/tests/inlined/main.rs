//! `cargo spelt inlined` on a program of which two launches have closures that are too long to be inlined.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The lines of the fixture with this text, from 1.
fn lines_with(text: &str) -> Vec<usize> {
    let program = include_str!("fixture/src/main.rs").lines().enumerate();
    program.filter(|(_, line)| line.contains(text)).map(|(at, _)| at + 1).collect()
}

/// A copy of the fixture, which stays from run to run.
fn project() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("inlined");
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let checkout = package.parent().expect("the package lies in the checkout");
    fs::create_dir_all(folder.join("src")).expect("a folder");
    let manifest = include_str!("fixture/Cargo.toml.in");
    let manifest = manifest.replace("@CHECKOUT@", checkout.to_str().expect("a path in UTF-8"));
    fs::write(folder.join("Cargo.toml"), manifest).expect("the manifest");
    fs::copy(checkout.join("Cargo.lock"), folder.join("Cargo.lock")).expect("the lock file");
    fs::write(folder.join("src/main.rs"), include_str!("fixture/src/main.rs")).expect("the program");
    folder
}

#[test]
fn closures_that_are_called_are_listed_and_no_others() {
    let folder = project();
    let output = Command::new(env!("CARGO_BIN_EXE_cargo-spelt"))
        .args(["spelt", "inlined"])
        .current_dir(&folder)
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .env_remove("RUSTFLAGS")
        .output()
        .expect("the command starts");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(1), "{out}{err}");
    assert!(out.contains("launches: closures of launches that are called, not inlined: 2"), "{out}{err}");
    let places = out.lines().filter_map(|line| {
        let (place, _) = line.trim().split_once(": `launches::main::")?;
        place.strip_prefix("src/main.rs:")?.parse::<usize>().ok()
    });
    let places: Vec<usize> = places.collect();
    // The mark is on the closure's first line, and its first code is at most one line away.
    let expected = lines_with("// This closure is called.");
    assert_eq!(places.len(), expected.len(), "{out}");
    assert!(expected.iter().zip(&places).all(|(line, place)| line.abs_diff(*place) <= 1), "{out}");
    assert_eq!(out.matches("in avx2, avx512, baseline").count(), 2, "{out}");
    assert!(out.contains("divide the launch"), "{out}");
}
