//! The example of the README: its output, and pictures that are the same on every space.

use std::fs;
use std::path::{Path, PathBuf};

use crate::run::{command, finish, run, spaces};

/// Where a run on this space puts its pictures.
fn folder(space: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("elevation-{space}"))
}

#[test]
fn elevation() {
    let mut pictures = Vec::new();
    for space in spaces() {
        let out = folder(space);
        let outcome = finish(command("elevation").args(["--space", space, "--out"]).arg(&out));
        assert_eq!(outcome.status, Some(0), "{space}: {outcome:?}");
        for text in ["min 236 m at [288, 347]", "max 1076 m at [297, 219]", "sum 73617913"] {
            assert!(outcome.stdout.contains(text), "{space}: {text}: {}", outcome.stdout);
        }
        pictures
            .push(["relief.png", "heights.png"].map(|name| fs::read(out.join(name)).expect("it is drawn")));
    }
    assert!(pictures.iter().flatten().all(|picture| picture.starts_with(b"\x89PNG")));
    assert!(pictures.windows(2).all(|pair| pair[0] == pair[1]), "pictures differ between spaces");
}

#[test]
fn elevation_refuses_unknown_options() {
    for arguments in ["--altitude 3", "--space abacus", "--threads 0"] {
        let outcome = run("elevation", arguments);
        assert_eq!(outcome.status, Some(2), "{arguments}: {outcome:?}");
        assert_eq!(outcome.stdout, "");
        assert_ne!(outcome.stderr, "");
    }
}
