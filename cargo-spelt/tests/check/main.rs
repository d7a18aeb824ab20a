//! `cargo spelt check` on programs that launch on hosts only.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

struct Output {
    success: bool,
    text: String,
}

/// `cargo spelt check` with these words, in `folder`.
fn check(folder: &Path, words: &[&str]) -> Output {
    let output = Command::new(env!("CARGO_BIN_EXE_cargo-spelt"))
        .args(["spelt", "check", "--color", "never"])
        .args(words)
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .env_remove("RUSTFLAGS")
        .env_remove("SPELT_ARCH")
        .output()
        .expect("the command starts");
    Output { success: output.status.success(), text: String::from_utf8_lossy(&output.stderr).into_owned() }
}

/// A copy of the fixture, which stays from run to run. Tests take turns: they change it.
fn project() -> (PathBuf, MutexGuard<'static, ()>) {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("check");
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let checkout = package.parent().expect("the package lies in the checkout");
    fs::create_dir_all(folder.join("src/bin")).expect("a folder");
    let manifest = include_str!("fixture/Cargo.toml.in");
    let manifest = manifest.replace("@CHECKOUT@", checkout.to_str().expect("a path in UTF-8"));
    fs::write(folder.join("Cargo.toml"), manifest).expect("the manifest");
    fs::copy(checkout.join("Cargo.lock"), folder.join("Cargo.lock")).expect("the lock file");
    fs::write(folder.join("src/lib.rs"), LIBRARY).expect("the library");
    fs::write(folder.join("src/bin/wrong.rs"), WRONG).expect("a program");
    fs::write(folder.join("src/bin/right.rs"), include_str!("fixture/src/bin/right.rs")).expect("a program");
    (folder, turn)
}

const LIBRARY: &str = include_str!("fixture/src/lib.rs");
const WRONG: &str = include_str!("fixture/src/bin/wrong.rs");

/// The line of `text` that ends in this comment, as a message names it.
fn place(file: &str, text: &str, comment: &str) -> String {
    let at = text.lines().position(|line| line.ends_with(&format!("// {comment}"))).expect(comment);
    format!("  --> {file}:{}", at + 1)
}

/// The lines of the message with this text, up to the next.
fn message<'a>(text: &'a str, first: &str) -> &'a str {
    let start = text.find(first).unwrap_or_else(|| panic!("no `{first}` in\n{text}"));
    text[start..].split("\n\n").next().unwrap_or_default()
}

#[test]
fn all_problems_of_a_program_for_hosts_are_told_and_its_twin_has_none() {
    let (folder, _turn) = project();
    let wrong = check(&folder, &["--bin", "wrong"]);
    assert!(!wrong.success, "{}", wrong.text);
    for (text, comment) in [
        ("kernel `forgotten` captures `scale` by reference: write `move", "references"),
        ("kernel `forgotten` captures `shift` by reference: write `move", "references"),
        ("kernel `table` captures `table`, which holds a pointer", "vector"),
        ("kernel `counter` captures `counter`, which holds a cell or an atomic", "cell"),
        ("kernel `room` allocates memory", "allocation"),
        ("kernel `printed` does input or output", "output"),
        ("kernel `static` uses the static `wrong::CALLS`", "static"),
        ("kernel `local` uses the thread-local `wrong::LAST`", "thread-local"),
        ("kernel `deep` is recursive: `wrong::depth`", "recursion"),
    ] {
        let message = message(&wrong.text, text);
        assert!(message.contains(&place("src/bin/wrong.rs", WRONG, comment)), "{comment}: {message}");
    }
    let reference = message(&wrong.text, "captures `scale`");
    assert!(reference.contains("a device cannot read") && reference.contains("slower"), "{reference}");
    // Once each, though one launch is on two spaces.
    assert!(wrong.text.contains("Device-check wrong (8 kernels"), "{}", wrong.text);
    assert_eq!(wrong.text.matches("error: kernel `").count(), 8, "{}", wrong.text);
    assert_eq!(wrong.text.matches("warning: kernel `").count(), 1, "{}", wrong.text);

    // The library is right, and so are its kernels in this program.
    let right = check(&folder, &["--bin", "right"]);
    assert!(right.success && !right.text.contains("kernel `"), "{}", right.text);
    assert!(right.text.contains("Device-check right (8 kernels"), "{}", right.text);
    assert!(!folder.join("target/spelt/check/debug/right").exists(), "nothing is linked");
    assert!(!folder.join("target/spelt/kernels").exists(), "there is no PTX");
}

#[test]
fn a_library_answers_for_its_own_kernels() {
    let (folder, _turn) = project();
    let wrong = LIBRARY.replace("move |i, (by, mut y)| y[i] *= by", "|i, (_, mut y)| y[i] *= factor");
    assert_ne!(wrong, LIBRARY);
    fs::write(folder.join("src/lib.rs"), &wrong).expect("the library");
    let refused = check(&folder, &["--lib"]);
    assert!(!refused.success, "{}", refused.text);
    let message = message(&refused.text, "kernel `scale` captures `factor` by reference");
    assert!(message.contains(&place("src/lib.rs", &wrong, "launch")), "{message}");
    fs::write(folder.join("src/lib.rs"), LIBRARY).expect("the library");
    let right = check(&folder, &["--lib"]);
    assert!(right.success && right.text.contains("Device-check hosted (1 kernel,"), "{}", right.text);
}

const SCRATCH: &str = "\
use spelt_core::{AUTO, ExecutionSpace, Serial, parallel_for};

fn main() -> spelt_core::Result<()> {
    parallel_for(\"work\", Serial::new().team(4, AUTO).scratch(128, 0), (), move |team, ()| {
        team.with_scratch_mut([4], |_| 0, |_, mut s| {
            s[3] = 1; // line
        });
    })
}
";

#[test]
fn scratch_that_an_index_writes_is_an_error_with_the_line_of_the_program() {
    let (folder, _turn) = project();
    fs::write(folder.join("src/bin/scratch.rs"), SCRATCH).expect("a program");
    let wrong = check(&folder, &["--bin", "scratch"]);
    assert!(!wrong.success, "{}", wrong.text);
    let first = message(&wrong.text, "error[E0080]");
    assert!(
        first.contains("an index does not write scratch") && first.contains("use the loop `s.write(team,"),
        "{first}"
    );
    let from = message(&wrong.text, "note: the above error was encountered while instantiating");
    assert!(from.contains(place("src/bin/scratch.rs", SCRATCH, "line").trim()), "{from}");
    let right = SCRATCH.replace("|_, mut s|", "|team, mut s|");
    let right = right.replace("s[3] = 1", "s.write(team, 3..4, |_, s, _| *s = 1)");
    fs::write(folder.join("src/bin/scratch.rs"), right).expect("a program");
    let right = check(&folder, &["--bin", "scratch"]);
    fs::remove_file(folder.join("src/bin/scratch.rs")).expect("it is there");
    assert!(right.success, "{}", right.text);
}
