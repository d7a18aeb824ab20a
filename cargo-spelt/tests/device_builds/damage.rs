//! Bitcode that a crash, a full disk or a bad cable has damaged.

use std::fs;
use std::path::{Path, PathBuf};

use crate::project::Project;

#[test]
fn damaged_bitcode_is_an_error_that_names_the_file() {
    let project = Project::new();
    let build = "build -p program --bin program";
    project.spelt(build).succeeded();
    let file = bitcode_of_the_library(&project);
    let whole = fs::read(&file).expect("bitcode");
    let main = project.path("program/src/main.rs");
    // Other damage makes LLVM behave differently, or crash, from version to version: `wrapper/link_process.rs` tests how the death of
    // a link is reported.
    for (case, bytes) in [("cut", &whole[..whole.len() / 2]), ("empty", &[]), ("foreign", b"no bitcode")] {
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
