//! Bitcode that a crash, a full disk or a bad cable has damaged.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::project::Project;

/// How many kinds of damage are tried. About one in ten makes LLVM 22 crash.
const SEEDS: u64 = 60;

#[test]
fn damaged_bitcode_is_an_error_that_names_the_file() {
    let project = Project::new();
    let build = "build -p program --bin program";
    project.spelt(build).succeeded();
    let file = bitcode_of_the_library(&project);
    let whole = fs::read(&file).expect("bitcode");
    let toolchain = spelt_device_link::Toolchain::of("rustc").expect("the toolchain");
    let llvm = toolchain.open_llvm().expect("libLLVM").path().to_owned();

    let copy = file.with_extension("damaged");
    let (mut refused, mut crashed) = (None, None);
    for seed in 0..SEEDS {
        let bytes = damaged(&whole, seed);
        fs::write(&copy, &bytes).expect("a copy");
        let status = Command::new(env!("CARGO_BIN_EXE_cargo-spelt"))
            .args([&llvm, &copy])
            .env("__SPELT_LINK_TASK", "check")
            .output()
            .expect("the process starts")
            .status;
        match status.code() {
            Some(0) => {}
            Some(101) => refused = Some(bytes),
            _ => crashed = Some(bytes),
        }
    }
    fs::remove_file(&copy).expect("the copy");
    assert!(refused.is_some(), "LLVM reads whatever it is given");
    assert!(crashed.is_some() || toolchain.llvm_major() != 22, "other damage makes this LLVM crash");
    let main = project.path("program/src/main.rs");
    let cases = [("refused", refused), ("crashed", crashed), ("empty", Some(vec![]))];
    for (case, bytes) in cases {
        let Some(bytes) = bytes else { continue };
        fs::write(&file, bytes).expect("the library's bitcode");
        fs::write(&main, fs::read(&main).expect("the program")).expect("the program");
        let output = project.spelt(build);
        assert!(!output.success, "{case}: {}", output.err);
        let file = file.to_str().expect("a path in UTF-8");
        for text in ["error: the device link failed", file, "`cargo clean`", "could not compile `program`"] {
            assert!(output.err.contains(text), "{case}: no {text} in {}", output.err);
        }
    }
    fs::write(&file, whole).expect("the library's bitcode");
    fs::write(&main, fs::read(&main).expect("the program")).expect("the program");
    project.spelt(build).succeeded();
}

/// The youngest bitcode of the package `middle`.
fn bitcode_of_the_library(project: &Project) -> PathBuf {
    let folder = project.target().join("spelt/debug/deps");
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let is_it = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("libmiddle-") && name.ends_with(".bc")
    };
    let age = |path: &PathBuf| Path::new(path).metadata().and_then(|data| data.modified()).ok();
    entries.flatten().map(|entry| entry.path()).filter(is_it).max_by_key(age).expect("bitcode of `middle`")
}

/// One kind of damage for each seed: flipped bits, zeros, a cut.
fn damaged(whole: &[u8], seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(1);
    let mut below = |limit: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % limit.max(1)
    };
    let mut bytes = whole.to_vec();
    match seed % 4 {
        0 => bytes.truncate(below(whole.len())),
        1 => {
            let start = below(whole.len());
            let end = whole.len().min(start + 1 + below(64));
            bytes[start..end].fill(0);
        }
        flips => {
            for _ in 0..flips * flips - 3 {
                bytes[below(whole.len())] ^= 1 << below(8);
            }
        }
    }
    bytes
}
