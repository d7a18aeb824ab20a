//! Records the facts of the build that `build_info` reports: the compiler, the target, the profile and the features.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let variable = |name: &str| env::var(name).unwrap_or_default();
    println!(
        "cargo::rustc-env=SPELT_BUILD_RUSTC={}",
        rustc_version().as_deref().unwrap_or("rustc of unknown version")
    );
    println!("cargo::rustc-env=SPELT_BUILD_TARGET={}", variable("TARGET"));
    // Cargo calls each profile of a user's own by the built-in one that it inherits from.
    println!("cargo::rustc-env=SPELT_BUILD_PROFILE={}", variable("PROFILE"));
    println!("cargo::rustc-env=SPELT_BUILD_OPT_LEVEL={}", variable("OPT_LEVEL"));
    println!("cargo::rustc-env=SPELT_BUILD_FEATURES={}", features().join(" "));
}

/// The compiler's version line, such as `rustc 1.95.0 (59807616e 2026-04-14)`.
fn rustc_version() -> Option<String> {
    let output = Command::new(env::var_os("RUSTC")?).arg("--version").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// The enabled features of this package, sorted, as its manifest spells them.
fn features() -> Vec<String> {
    let manifest_names = |name: String| name.to_ascii_lowercase().replace('_', "-");
    let mut names: Vec<_> = env::vars()
        .filter_map(|(name, _)| name.strip_prefix("CARGO_FEATURE_").map(str::to_owned))
        .map(manifest_names)
        .filter(|name| name != "default")
        .collect();
    names.sort();
    names
}
