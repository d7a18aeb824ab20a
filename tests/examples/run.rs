//! Runs an example.

use std::env;
use std::path::PathBuf;
use std::process::Command;

/// The spaces of this build, by the names that the option `-space` takes; a device where `cargo spelt` has built it.
pub(crate) fn spaces() -> Vec<&'static str> {
    let mut spaces = vec!["serial"];
    if cfg!(feature = "threads") {
        spaces.push("threads");
    }
    if cfg!(feature = "rayon") {
        spaces.push("rayon");
    }
    #[cfg(feature = "cuda")]
    if spelt::Cuda::has_device_code() {
        spaces.push("cuda");
    }
    spaces
}

/// The number of devices of an example: those of this machine, or as many as the emulator is told to have.
#[cfg(feature = "cuda")]
pub(crate) fn devices(emulated: usize) -> usize {
    use spelt::ExecutionSpace;

    let first = spelt::Cuda::new(0).expect("a program with device code is tested where there is a device");
    let on_emulator = first.configuration().contains("which is the emulator");
    if on_emulator { emulated } else { spelt::Cuda::count().expect("a number of devices") }
}

/// The output of an example, and its exit status.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Outcome {
    /// The printed lines.
    pub(crate) fn lines(&self) -> Vec<&str> {
        self.stdout.lines().collect()
    }
}

/// The example as a command, without arguments.
pub(crate) fn command(example: &str) -> Command {
    let test = env::current_exe().expect("a test knows its own path");
    let deps = test.parent().expect("a test lies in a folder");
    let folder: PathBuf = deps.parent().expect("that folder lies in another").join("examples");
    let program = folder.join(format!("{example}{}", env::consts::EXE_SUFFIX));
    assert!(program.exists(), "{} is not built: run `cargo build --examples`", program.display());
    let mut command = Command::new(program);
    command.env_remove("SPELT_SPACE");
    command
}

/// Runs the command to its end.
pub(crate) fn finish(command: &mut Command) -> Outcome {
    let output = command.output().expect("the example runs");
    let text = |bytes| String::from_utf8(bytes).expect("examples print UTF-8");
    Outcome { status: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// Runs the example with these arguments, separated by blanks.
pub(crate) fn run(example: &str, arguments: &str) -> Outcome {
    finish(command(example).args(arguments.split_whitespace()))
}

/// Runs the example with these arguments on each space, where it must succeed, and passes its output to `check`.
pub(crate) fn on_each_space(example: &str, arguments: &str, check: impl Fn(&Outcome)) {
    for space in spaces() {
        let outcome = run(example, &format!("{arguments} --space {space}"));
        assert_eq!(outcome.status, Some(0), "{example} {arguments} on {space}: {outcome:?}");
        assert_eq!(outcome.stderr, "", "{example} {arguments} on {space}");
        check(&outcome);
    }
}

/// Runs an example with pictures on each space: it must print the same on all, up to the line that names the space, and draw the
/// same picture. Returns the printed lines up to that one.
#[cfg(all(feature = "threads", feature = "rayon"))]
pub(crate) fn same_everywhere(example: &str, arguments: &str, picture: &str) -> Vec<String> {
    let mut runs: Vec<(&str, Vec<String>, Vec<u8>)> = Vec::new();
    for space in spaces() {
        let out = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{example}-{space}"));
        let mut command = command(example);
        command.args(arguments.split_whitespace()).args(["--space", space, "--out"]).arg(&out);
        let outcome = finish(&mut command);
        assert_eq!(outcome.status, Some(0), "{example} {arguments} on {space}: {outcome:?}");
        assert_eq!(outcome.stderr, "", "{example} {arguments} on {space}");
        let found = outcome.lines().into_iter().take_while(|line| !line.starts_with("space "));
        let drawn = std::fs::read(out.join(picture)).expect("it is drawn");
        assert!(drawn.starts_with(b"\x89PNG"), "{space}");
        runs.push((space, found.map(str::to_owned).collect(), drawn));
    }
    for (space, found, drawn) in &runs {
        assert_eq!(found, &runs[0].1, "{example} on {space}");
        assert!(drawn == &runs[0].2, "{example}: the picture on {space} is another");
    }
    runs.swap_remove(0).1
}
