//! A copy of the fixtures, and the subcommand in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A workspace with the fixtures' packages. There is one, with one target folder, which both stay from run to run.
pub(crate) struct Project {
    folder: PathBuf,
    /// Tests take turns: they change the project, and run the programs that were built last.
    _turn: MutexGuard<'static, ()>,
}

/// The output of a command.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) success: bool,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Output {
    /// The names of the project's crates for which cargo did not take the results that it had. The emulator and the
    /// crates of the registry that it needs, which the first program to need it builds, are not among them.
    pub(crate) fn compiled(&self) -> Vec<&str> {
        let folder = root().join("project");
        let in_project = |line: &&str| line.contains(&*folder.to_string_lossy());
        words_after(self.err.lines().filter(in_project), "Compiling ")
    }

    /// The names of the programs that were linked for the device.
    pub(crate) fn device_linked(&self) -> Vec<&str> {
        words_after(self.err.lines(), "Device-link ")
    }

    pub(crate) fn succeeded(self) -> Self {
        assert!(self.success, "{}\n{}", self.out, self.err);
        self
    }
}

fn words_after<'a>(lines: impl Iterator<Item = &'a str>, verb: &str) -> Vec<&'a str> {
    let lines = lines.filter_map(|line| line.trim_start().strip_prefix(verb));
    let mut words: Vec<&str> = lines.filter_map(|rest| rest.split(' ').next()).collect();
    words.sort_unstable();
    words
}

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

impl Project {
    /// The project as the fixtures are.
    pub(crate) fn new() -> Self {
        static TURN: Mutex<()> = Mutex::new(());
        // A test that failed leaves nothing that the copy does not set right.
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = root().join("project");
        let package = Path::new(env!("CARGO_MANIFEST_DIR"));
        let checkout = package.parent().expect("the package lies in the checkout");
        copy(&package.join("tests/fixtures"), &folder, checkout);
        // The versions that are here already.
        fs::copy(checkout.join("Cargo.lock"), folder.join("Cargo.lock")).expect("the lock file");
        Self { folder, _turn: turn }
    }

    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.folder.join(file)
    }

    /// The target folder of all commands.
    pub(crate) fn target(&self) -> PathBuf {
        root().join("target")
    }

    pub(crate) fn replace(&self, file: &str, from: &str, to: &str) {
        let path = self.path(file);
        let text = fs::read_to_string(&path).expect("a file of the project");
        assert!(text.contains(from), "{file} has no `{from}`:\n{text}");
        fs::write(&path, text.replace(from, to)).expect("a file of the project");
    }

    /// `cargo spelt` with these words, in the project.
    pub(crate) fn spelt(&self, line: &str) -> Output {
        self.run(self.command(line))
    }

    pub(crate) fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-spelt"));
        command.arg("spelt").args(line.split_whitespace());
        self.set_up(&mut command);
        command
    }

    /// Plain cargo with these words.
    pub(crate) fn cargo(&self, line: &str) -> Output {
        let mut command = Command::new(env!("CARGO"));
        command.args(line.split_whitespace());
        self.set_up(&mut command);
        self.run(command)
    }

    fn set_up(&self, command: &mut Command) {
        command.current_dir(&self.folder).env("CARGO_TARGET_DIR", root().join("target"));
        // The emulator stays from run to run, apart from the user's.
        command.env("SPELT_CACHE", root().join("cache")).env_remove("SPELT_EMULATOR");
        // Variables that the caller of the tests, or the user, may have set.
        for name in [
            "RUSTC_WRAPPER",
            "RUSTFLAGS",
            "SPELT_ARCH",
            "SPELT_PTX_VERSION",
            "SPELT_PTXAS",
            "CARGO_TERM_COLOR",
        ] {
            command.env_remove(name);
        }
    }

    pub(crate) fn run(&self, mut command: Command) -> Output {
        let output = command.output().expect("the command starts");
        Output {
            success: output.status.success(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// Copies files that differ; the others keep their modification times, which cargo compares.
fn copy(from: &Path, to: &Path, checkout: &Path) {
    fs::create_dir_all(to).expect("a folder of the project");
    for entry in fs::read_dir(from).expect("the fixtures") {
        let entry = entry.expect("an entry of the fixtures");
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy(&from, &to, checkout);
            continue;
        }
        let text = fs::read_to_string(&from).expect("a file of the fixtures");
        let text = text.replace("@CHECKOUT@", checkout.to_str().expect("a path in UTF-8"));
        if fs::read_to_string(&to).ok().as_ref() != Some(&text) {
            fs::write(&to, text).expect("a file of the project");
        }
    }
}
