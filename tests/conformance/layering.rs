//! The crates of the workspace stand on one another in one direction.

use std::process::Command;

/// Each crate with those it may depend on.
const LAYERS: &[(&str, &[&str])] = &[
    ("spelt", &["spelt-core", "spelt-math", "spelt-derive", "spelt-algorithms"]),
    ("spelt-algorithms", &["spelt-core", "spelt-math"]),
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
    ("cargo-spelt", &["spelt-device-link"]),
    ("spelt-device-link", &[]),
    ("cuda-emu", &[]),
    ("spelt-policies", &[]),
    ("spelt-reducers", &[]),
    ("spelt-derive", &[]),
    ("spelt-math", &[]),
];

/// What cargo knows of the packages of this workspace.
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
    let mut seen = 0;
    for package in packages() {
        let name = package["name"].as_str().expect("a name");
        let Some((_, below)) = LAYERS.iter().find(|(layer, _)| *layer == name) else { continue };
        seen += 1;
        for dependency in package["dependencies"].as_array().expect("dependencies") {
            let on = dependency["name"].as_str().expect("a name");
            let for_tests = dependency["kind"].as_str() == Some("dev");
            let ours = on.starts_with("spelt");
            assert!(!ours || for_tests || below.contains(&on), "`{name}` must not depend on `{on}`");
        }
    }
    assert_eq!(seen, LAYERS.len(), "a crate is missing from the workspace, or from this list");
}
