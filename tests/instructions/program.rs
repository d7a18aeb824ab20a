//! The programs of this package, for its tests.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A program of this package, built in release mode beside the other builds, regardless of the mode of the tests.
pub(crate) fn program(name: &str) -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    // Only this package has debug information, so other builds share its dependencies; the code is the same.
    let status = Command::new(env!("CARGO"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        // Incremental builds inline less, so their counts are others.
        .env("CARGO_INCREMENTAL", "0")
        .args(["build", "--release", "--quiet", "--bin", name])
        .args(["--config", "profile.release.package.spelt-instructions.debug=\"limited\""])
        .arg("--target-dir")
        .arg(target)
        .status()
        .expect("cargo runs: it runs this test");
    assert!(status.success(), "the program does not build");
    target.join("release").join(name)
}
