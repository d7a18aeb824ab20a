//! Requirements of a registry and its readers on each package.

use std::path::Path;

use crate::layering::packages;

/// The features whose items documentation must show.
const FEATURES_OF_SPELT: &[&str] = &["cuda", "mpi", "ndarray", "num-complex", "half", "rand", "serde"];

#[test]
fn packages_can_be_published() {
    let mut published = 0;
    for package in packages() {
        let name = package["name"].as_str().expect("a name");
        // An empty list of registries is `publish = false`.
        if package["publish"].as_array().is_some_and(Vec::is_empty) {
            continue;
        }
        published += 1;
        let folder =
            Path::new(package["manifest_path"].as_str().expect("a path")).parent().expect("a folder");
        for file in ["README.md", "LICENSE-MIT", "LICENSE-APACHE"] {
            let text = std::fs::read_to_string(folder.join(file)).unwrap_or_default();
            assert!(!text.is_empty(), "`{name}` has no {file}");
        }
        for field in ["description", "license", "readme"] {
            assert!(package[field].is_string(), "the manifest of `{name}` has no {field}");
        }
        // Source: crates.io takes five of each at most.
        for field in ["keywords", "categories"] {
            let count = package[field].as_array().expect("a list").len();
            assert!((1..=5).contains(&count), "the manifest of `{name}` has {count} {field}");
        }
        for dependency in package["dependencies"].as_array().expect("dependencies") {
            let on = dependency["name"].as_str().expect("a name");
            // A dependency only of tests is left out of a package if it has a path and no version.
            let has_version =
                dependency["kind"].as_str() == Some("dev") || dependency["req"].as_str() != Some("*");
            assert!(has_version, "`{name}` depends on any version of `{on}`");
            assert!(
                on != "loom" || dependency["kind"].as_str() == Some("dev"),
                "loom enters users' lock files"
            );
        }
    }
    assert_eq!(published, 20);
}

#[test]
fn documentation_shows_what_features_bring() {
    for package in packages() {
        let name = package["name"].as_str().expect("a name");
        let has = |feature: &str| !package["features"][feature].is_null();
        let shown = package["metadata"]["docs"]["rs"]["features"].as_array().cloned().unwrap_or_default();
        for feature in FEATURES_OF_SPELT {
            let is_shown = shown.iter().any(|shown| shown == feature);
            let is_ours = name == "spelt"
                || name.starts_with("spelt-")
                    && !matches!(name, "spelt-benches" | "spelt-device-counts" | "spelt-programs");
            assert!(!is_ours || is_shown == has(feature), "docs.rs and the feature `{feature}` of `{name}`");
        }
    }
}
