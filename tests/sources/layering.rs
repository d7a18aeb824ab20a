//! The crates of the workspace depend on one another in one direction only.

use std::process::Command;

/// Each crate of the workspace with those it may depend on. What only its tests use is not counted.
const LAYERS: &[(&str, &[&str])] = &[
    ("spelt-benches", &["spelt", "spelt-harness"]),
    ("spelt-device-counts", &["spelt", "cuda-emu", "spelt-harness"]),
    ("spelt-programs", &["spelt", "spelt-harness"]),
    ("spelt-harness", &[]),
    ("spelt-fuzz", &["spelt", "cuda-emu"]),
    ("spelt-compile-fail", &["spelt"]),
    ("spelt-instructions", &["spelt"]),
    ("spelt-test-attributes", &[]),
    ("mutants", &[]),
    (
        "spelt",
        &[
            "spelt-core",
            "spelt-math",
            "spelt-derive",
            "spelt-algorithms",
            "spelt-random",
            "spelt-simd",
            "spelt-containers",
            "spelt-mpi",
        ],
    ),
    ("spelt-random", &["spelt-core", "spelt-math", "spelt-algorithms"]),
    ("spelt-simd", &["spelt-core"]),
    ("spelt-containers", &["spelt-core", "spelt-algorithms"]),
    ("spelt-algorithms", &["spelt-core", "spelt-math"]),
    ("spelt-mpi", &["spelt-core", "spelt-mpi-library"]),
    ("spelt-mpi-library", &[]),
    (
        "spelt-core",
        &[
            "spelt-kernels-gpu",
            "spelt-access",
            "spelt-order",
            "spelt-policies",
            "spelt-reducers",
            "spelt-derive",
            "spelt-stock",
        ],
    ),
    ("spelt-kernels-gpu", &["spelt-access", "spelt-order", "spelt-reducers"]),
    ("spelt-access", &["spelt-policies", "spelt-reducers"]),
    ("spelt-order", &["spelt-reducers"]),
    ("spelt-stock", &["spelt-device-link"]),
    ("cargo-spelt", &["spelt-device-link", "spelt-disassembly", "spelt-mpi-library"]),
    ("spelt-device-link", &[]),
    ("spelt-disassembly", &[]),
    ("cuda-emu", &[]),
    ("spelt-policies", &[]),
    ("spelt-reducers", &[]),
    ("spelt-derive", &[]),
    ("spelt-math", &[]),
];

/// Cargo's metadata for the packages of this workspace.
pub(crate) fn packages() -> Vec<serde_json::Value> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--no-deps", "--offline", "--manifest-path"])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
        .output()
        .expect("cargo can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("cargo writes JSON");
    metadata["packages"].as_array().expect("packages").clone()
}

#[test]
fn no_crate_depends_on_one_above_it() {
    let packages = packages();
    let names: Vec<&str> = packages.iter().map(|package| package["name"].as_str().expect("a name")).collect();
    for (layer, below) in LAYERS {
        for listed in std::iter::once(layer).chain(*below) {
            assert!(names.contains(listed), "`{listed}` is listed here, but not in the workspace");
        }
    }
    for package in &packages {
        let name = package["name"].as_str().expect("a name");
        let (_, below) = LAYERS
            .iter()
            .find(|(layer, _)| *layer == name)
            .unwrap_or_else(|| panic!("list `{name}` here, with the crates that it may depend on"));
        for dependency in package["dependencies"].as_array().expect("dependencies") {
            let on = dependency["name"].as_str().expect("a name");
            let for_tests = dependency["kind"].as_str() == Some("dev");
            assert!(
                !names.contains(&on) || for_tests || below.contains(&on),
                "`{name}` must not depend on `{on}`"
            );
        }
    }
}

#[test]
fn the_layers_have_no_circle() {
    // Takes away the crates that depend on none of the others until none is left.
    let mut left: Vec<_> = LAYERS.to_vec();
    while !left.is_empty() {
        let names: Vec<&str> = left.iter().map(|(name, _)| *name).collect();
        left.retain(|(_, below)| below.iter().any(|on| names.contains(on)));
        assert!(left.len() < names.len(), "these depend on one another in a circle: {names:?}");
    }
}
