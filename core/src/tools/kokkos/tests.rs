//! The fences that a library needs, before its events and by its own call.

use super::library::{Library, Symbols};
use crate::tools::{fence_devices_by, region};
use crate::{ExecutionSpace, Serial, parallel_for};

#[path = "../../../tests/tools/kokkos/compiled.rs"]
mod compiled;

use self::compiled::library;

/// The program, whose devices are a line of text.
#[test]
#[ignore = "the child of the other tests"]
fn child() {
    fence_devices_by(|| eprintln!("tool: FENCE"));
    let space = Serial::new();
    let _region = region("outer");
    parallel_for("k", space.range(0..1), (), |_, ()| {}).expect("no Views");
    space.fence().expect("nothing is pending");
}

/// The lines of the library in the child.
fn told(library: &str) -> Vec<String> {
    let output = compiled::program("tools::kokkos::tests::child", library).output().expect("the child");
    std::fs::remove_file(library).expect("the library");
    compiled::calls_of_tool(&output)
}

#[test]
fn devices_are_fenced_before_kernels_and_regions() {
    let wanted = [
        "FENCE",
        "push outer",
        "FENCE",
        "for k on 0.0.1: 0",
        "FENCE",
        "end for 0",
        "fence Spelt::fence on 0.0.1: 1",
        "end fence 1",
        "FENCE",
        "pop",
        "finalize",
    ];
    // The first fence is the library's own call.
    let told = told(&library("tool", &[]));
    assert_eq!(told[2..4], ["interface 1 true", "FENCE"]);
    assert_eq!(told[5..], wanted);
}

#[test]
fn a_library_that_needs_no_fences_gets_none() {
    let told = told(&library("tool", &["unfenced"]));
    let fences = told.iter().filter(|line| *line == "FENCE").count();
    assert_eq!((fences, told[3].as_str()), (1, "FENCE"), "its own call alone: {told:?}");
}

#[test]
fn functions_that_a_library_lacks_are_not_fenced() {
    assert_eq!(told(&library("tool", &["regions"])), ["FENCE", "push outer", "FENCE", "pop"]);
}

#[test]
fn a_file_that_is_no_library_says_why() {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let reason = Library::open(manifest.as_ref(), Symbols::Own).err().expect("no library");
    assert!(reason.starts_with(manifest) && reason.contains("invalid ELF header"), "{reason}");
}
