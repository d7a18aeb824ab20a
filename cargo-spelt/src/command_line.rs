//! The command line: our own options and commands. Cargo's arguments are passed on unchanged.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::settings;

/// The text of `cargo spelt help`.
pub(crate) const HELP: &str = "\
Builds and runs Rust programs with Spelt kernels for a GPU.

Usage: cargo spelt [OPTIONS] COMMAND [CARGO'S ARGUMENTS] [-- ARGUMENTS OF THE PROGRAM]

Commands that take cargo's own arguments:
  run, build, test, bench, clippy, doc
  check              also checks that a device could run each kernel, launches on hosts included; makes no PTX

Commands that print compiled kernels:
  ptx [FILTER] [ARGUMENTS OF CARGO BUILD]   as PTX
  ir [FILTER] [ARGUMENTS OF CARGO BUILD]    as LLVM IR
    FILTER is a part of a label or symbol, or FILE:LINE. Without it: a table of all kernels.

Commands that examine the program on hosts:
  inlined [ARGUMENTS OF CARGO BUILD]   lists the launches whose closure the compiler did not inline; fails if there are any
    Without `--profile`, it builds for release. For x86-64 Linux.

Commands that compare two runs:
  diff A B           names the first difference between two files of `SPELT_TOOLS=check:FILE`: launch, View and element
    The exit status is 0 without a difference, 1 with one, and 2 if a file cannot be read.

Commands that show what a program's tools wrote:
  report FILE.. [--output NAME] [--peak GB/S]   draws a summary (SPELT_TOOLS=summary:FILE.json) or the memory of a trace
    (SPELT_TOOLS=trace:FILE) as NAME-time, NAME-rates and NAME-memory, each .png and .svg; NAME may be a folder, which
    is made if it ends with a slash [default: FILE without its extension]; of several files, the summaries of ranks or of runs, NAME-ranks
    or NAME-runs. The peak is the rate of the machine's memory [default: that of the summary].

Commands that examine the machine:
  doctor             checks driver, GPU, linker, LLVM, ptxas and emulator, and explains how to install the missing ones

Commands that begin a project:
  new PATH [--name NAME]   creates a project with a working kernel

Options (before or after the command):
  --arch sm_XX       the GPU to compile for, at least sm_70, or `native` [default: $SPELT_ARCH, or sm_80]
  --ptx-version NN   the version of the PTX, such as 80 for 8.0 [default: $SPELT_PTX_VERSION, or the version that the GPU needs]
  --emulator         run on the emulator even if there is a driver
  --checks WHICH     the emulator's checks: `memory`, or `all`, which adds races and uninitialised memory (ten times slower)
                     [default: all for test, memory for run and bench]

Environment: SPELT_EMULATOR (a folder with the emulator's libcuda.so.1), SPELT_PTXAS (the path of ptxas), SPELT_CACHE (a folder
for the emulator, which is built once for all projects) [default: ~/.cache/spelt].
Build results are in the folder `spelt` of cargo's target folder.
";

/// The emulator's checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Checks {
    Memory,
    All,
}

/// Our own options.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Own {
    pub(crate) arch: Option<String>,
    pub(crate) ptx_version: Option<String>,
    pub(crate) emulator: bool,
    pub(crate) checks: Option<Checks>,
}

/// The form in which kernels are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Ptx,
    Ir,
}

/// The action that a command line asks for.
#[derive(Debug, PartialEq)]
pub(crate) enum Action {
    Cargo {
        command: String,
        arguments: Vec<OsString>,
    },
    Inspect {
        form: Form,
        filter: Option<String>,
        arguments: Vec<OsString>,
    },
    Inlined {
        arguments: Vec<OsString>,
    },
    Diff {
        a: PathBuf,
        b: PathBuf,
    },
    Report {
        files: Vec<PathBuf>,
        output: Option<PathBuf>,
        peak: Option<f64>,
    },
    Doctor,
    New {
        path: PathBuf,
        name: Option<String>,
    },
    /// Prints this part of [`HELP`].
    Help(&'static str),
    Version,
}

#[derive(Debug, PartialEq)]
pub(crate) struct CommandLine {
    pub(crate) own: Own,
    pub(crate) action: Action,
}

/// Whether a first argument is one of ours: cargo calls a rustc wrapper with the path of rustc there.
pub(crate) fn is_command(first: &OsStr) -> bool {
    const COMMANDS: &[&str] = &[
        "spelt", "run", "r", "build", "b", "test", "t", "bench", "check", "c", "clippy", "doc", "d", "ptx",
        "ir", "inlined", "diff", "report", "doctor", "new", "help",
    ];
    first.to_str().is_some_and(|first| first.starts_with('-') || COMMANDS.contains(&first))
}

impl CommandLine {
    /// `arguments` without the program's name.
    pub(crate) fn parse(mut arguments: Vec<OsString>) -> Result<Self> {
        if arguments.first().is_some_and(|first| first == "spelt") {
            arguments.remove(0);
        }
        let mut own = Own::default();
        let rest = own.take(arguments)?;
        let mut rest = rest.into_iter();
        let Some(command) = rest.next() else { return Ok(Self { own, action: Action::Help(HELP) }) };
        let command = command.into_string().unwrap_or_else(|word| word.to_string_lossy().into_owned());
        let rest: Vec<OsString> = rest.collect();
        let asks_for_help =
            rest.iter().take_while(|word| *word != "--").any(|word| word == "--help" || word == "-h");
        if let (true, Some(text)) = (asks_for_help, help_of(&command)) {
            return Ok(Self { own, action: Action::Help(text) });
        }
        let action = match command.as_str() {
            "-h" | "--help" | "help" => {
                let of = rest.first().and_then(|command| command.to_str());
                Action::Help(of.and_then(help_of).unwrap_or(HELP))
            }
            "-V" | "--version" => Action::Version,
            "ptx" => inspect(Form::Ptx, rest),
            "ir" => inspect(Form::Ir, rest),
            "inlined" => Action::Inlined { arguments: rest },
            "diff" => diff(rest)?,
            "report" => report(rest)?,
            "doctor" => no_arguments(&command, &rest, Action::Doctor)?,
            "new" => new(rest)?,
            "run" | "r" | "build" | "b" | "test" | "t" | "bench" | "check" | "c" | "clippy" | "doc" | "d" => {
                Action::Cargo { command: in_full(&command).to_owned(), arguments: rest }
            }
            _ => bail!(
                "`cargo spelt` has no command `{command}`: choose from run, build, test, bench, check, clippy, doc, ptx, \
                 ir, inlined, diff, report, doctor, new; `cargo spelt help` describes them"
            ),
        };
        Ok(Self { own, action })
    }
}

impl Own {
    /// Removes our options from `arguments`, up to `--`; the rest belongs to the program.
    fn take(&mut self, arguments: Vec<OsString>) -> Result<Vec<OsString>> {
        let mut rest = Vec::with_capacity(arguments.len());
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            if argument == "--" {
                rest.push(argument);
                break;
            }
            let text = argument.to_str().unwrap_or_default();
            let (name, value) = match text.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (text, None),
            };
            if name == "--emulator" && value.is_none() {
                self.emulator = true;
                continue;
            }
            if !matches!(name, "--arch" | "--ptx-version" | "--checks") {
                rest.push(argument);
                continue;
            }
            let value = match value {
                Some(value) => value,
                None => arguments
                    .next()
                    .and_then(|value| value.into_string().ok())
                    .with_context(|| format!("`{name}` requires a value: see `cargo spelt help`"))?,
            };
            // A word that is not a value may be the command after an option without its value.
            match name {
                "--arch" => {
                    settings::check_arch(&value).with_context(|| format!("`--arch {value}`"))?;
                    self.arch = Some(value);
                }
                "--ptx-version" => {
                    settings::parse_ptx_version(&value)
                        .with_context(|| format!("`--ptx-version {value}`"))?;
                    self.ptx_version = Some(value);
                }
                _ => {
                    self.checks = Some(match value.as_str() {
                        "memory" => Checks::Memory,
                        "all" => Checks::All,
                        _ => bail!("`--checks {value}`: choose from `memory` and `all`"),
                    });
                }
            }
        }
        rest.extend(arguments);
        Ok(rest)
    }
}

/// The part of [`HELP`] about a command that does not take cargo's own arguments alone; cargo describes the others.
fn help_of(command: &str) -> Option<&'static str> {
    if !["ptx", "ir", "inlined", "diff", "report", "doctor", "new"].contains(&command) {
        return None;
    }
    let is_of = |line: &str| line.starts_with("  ") && line.split_whitespace().next() == Some(command);
    HELP.split("\n\n").find(|part| part.lines().any(is_of))
}

/// The name of a command that cargo also knows by a letter.
fn in_full(command: &str) -> &str {
    match command {
        "r" => "run",
        "b" => "build",
        "t" => "test",
        "c" => "check",
        "d" => "doc",
        _ => command,
    }
}

/// The two files of `diff`.
fn diff(arguments: Vec<OsString>) -> Result<Action> {
    match <[OsString; 2]>::try_from(arguments) {
        Ok([a, b]) => Ok(Action::Diff { a: a.into(), b: b.into() }),
        Err(arguments) => bail!(
            "`cargo spelt diff` takes two files of `SPELT_TOOLS=check:FILE`, and got {} arguments",
            arguments.len()
        ),
    }
}

fn inspect(form: Form, mut arguments: Vec<OsString>) -> Action {
    let has_filter =
        arguments.first().and_then(|first| first.to_str()).is_some_and(|first| !first.starts_with('-'));
    let filter = has_filter.then(|| arguments.remove(0).to_string_lossy().into_owned());
    Action::Inspect { form, filter, arguments }
}

fn no_arguments(command: &str, rest: &[OsString], action: Action) -> Result<Action> {
    match rest.first() {
        None => Ok(action),
        Some(first) => {
            bail!("`cargo spelt {command}` takes no arguments, but got `{}`", first.to_string_lossy())
        }
    }
}

fn report(arguments: Vec<OsString>) -> Result<Action> {
    let (mut files, mut output, mut peak) = (Vec::new(), None, None);
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let text = argument.to_string_lossy().into_owned();
        let (name, value) = match text.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(OsString::from(value))),
            _ => (text.as_str(), None),
        };
        let mut value = |wanted: &str| {
            value.clone().or_else(|| arguments.next()).with_context(|| format!("`{name}` requires {wanted}"))
        };
        match name {
            "--output" => output = Some(PathBuf::from(value("the name of the pictures, or a folder")?)),
            "--peak" => {
                let rate = value("the rate of the memory in GB/s")?.to_string_lossy().into_owned();
                let is_rate = |rate: &f64| *rate > 0.0 && rate.is_finite();
                let parsed = rate.parse().ok().filter(is_rate);
                peak = Some(parsed.with_context(|| {
                    format!("`--peak {rate}`: write the rate of the memory in GB/s, such as 40.5")
                })?);
            }
            _ if !name.starts_with('-') => files.push(PathBuf::from(argument)),
            _ => bail!("`cargo spelt report FILE.. [--output NAME] [--peak GB/S]` does not take `{text}`"),
        }
    }
    if files.is_empty() {
        bail!("`cargo spelt report` requires the file of a summary (SPELT_TOOLS=summary:FILE.json) or trace");
    }
    Ok(Action::Report { files, output, peak })
}

fn new(arguments: Vec<OsString>) -> Result<Action> {
    let (mut path, mut name) = (None, None);
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        if argument == "--name" {
            let value = arguments.next().context("`--name` requires the name of the package")?;
            name = Some(value.to_string_lossy().into_owned());
        } else if path.is_none() && !argument.to_string_lossy().starts_with('-') {
            path = Some(PathBuf::from(argument));
        } else {
            bail!("`cargo spelt new PATH [--name NAME]` does not take `{}`", argument.to_string_lossy());
        }
    }
    Ok(Action::New { path: path.context("`cargo spelt new` requires the path of the new project")?, name })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<CommandLine> {
        CommandLine::parse(line.split_whitespace().map(OsString::from).collect())
    }

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn own_options_are_taken_from_both_sides_of_the_command() {
        let line =
            parse("spelt --arch sm_90 run --release --emulator -p x --checks=all -- --arch mine").unwrap();
        assert_eq!(
            line.own,
            Own { arch: Some("sm_90".into()), ptx_version: None, emulator: true, checks: Some(Checks::All) }
        );
        let arguments = words("--release -p x -- --arch mine");
        assert_eq!(line.action, Action::Cargo { command: "run".into(), arguments });
        let line = parse("run --emulator=yes").unwrap();
        assert!(!line.own.emulator, "cargo refuses it");
        assert_eq!(line.action, Action::Cargo { command: "run".into(), arguments: words("--emulator=yes") });
    }

    #[test]
    fn commands_of_cargo_are_known_by_all_of_their_names() {
        for (name, command) in
            [("r", "run"), ("b", "build"), ("t", "test"), ("c", "check"), ("d", "doc"), ("clippy", "clippy")]
        {
            let arguments = words("-p x -- -D warnings");
            let action = Action::Cargo { command: command.into(), arguments };
            assert_eq!(parse(&format!("{name} -p x -- -D warnings")).unwrap().action, action);
            assert!(is_command(OsStr::new(name)) && is_command(OsStr::new(command)));
        }
    }

    #[test]
    fn the_filter_is_the_first_word() {
        let line = parse("ptx axpy --example e").unwrap();
        let arguments = words("--example e");
        assert_eq!(line.action, Action::Inspect { form: Form::Ptx, filter: Some("axpy".into()), arguments });
        let line = parse("ir --example e").unwrap();
        let arguments = words("--example e");
        assert_eq!(line.action, Action::Inspect { form: Form::Ir, filter: None, arguments });
    }

    #[test]
    fn reports_take_options_in_both_forms() {
        let report = |file: &str, output: Option<&str>, peak| Action::Report {
            files: file.split(' ').map(PathBuf::from).collect(),
            output: output.map(PathBuf::from),
            peak,
        };
        assert_eq!(parse("report a.json").unwrap().action, report("a.json", None, None));
        assert_eq!(parse("report a b").unwrap().action, report("a b", None, None));
        let wanted = report("a.json", Some("b"), Some(40.5));
        assert_eq!(parse("report --output b a.json --peak=40.5").unwrap().action, wanted);
    }

    #[test]
    fn help_is_that_of_the_command() {
        let help = |line: &str| match parse(line).unwrap().action {
            Action::Help(text) => text,
            other => panic!("{line}: {other:?}"),
        };
        for line in ["report --help", "report a.json -h", "--arch sm_80 report --help", "help report"] {
            let text = help(line);
            assert!(text.contains("--peak") && !text.contains("doctor"), "{line}: {text}");
        }
        for command in ["ptx", "ir", "inlined", "diff", "doctor", "new"] {
            let text = help(&format!("{command} --help"));
            assert!(text.contains(&format!("  {command} ")) && text.lines().count() < 5, "{text}");
        }
        for line in ["", "help", "--help", "help run", "-h"] {
            assert_eq!(help(line), HELP, "{line}");
        }
        let arguments = words("--help");
        assert_eq!(parse("run --help").unwrap().action, Action::Cargo { command: "run".into(), arguments });
        let arguments = words("-- --help");
        assert_eq!(parse("inlined -- --help").unwrap().action, Action::Inlined { arguments });
    }

    #[test]
    fn mistakes_say_what_to_do() {
        let message = |line| parse(line).unwrap_err().to_string();
        assert!(message("fly").contains("choose from run, build"));
        assert!(message("run --checks some").contains("choose from `memory` and `all`"));
        assert!(message("run --arch").contains("requires a value"));
        let whole = |line| format!("{:#}", parse(line).unwrap_err());
        for line in ["--arch build", "--arch=build --release", "build --arch --release"] {
            let message = whole(line);
            assert!(message.contains("sm_70, sm_72") && message.contains("or `native`"), "{line}: {message}");
        }
        assert!(whole("--ptx-version build").contains("write it as 80 or 8.0"));
        assert!(message("new").contains("requires the path"));
        assert!(message("new a b").contains("does not take `b`"));
        assert!(message("new --lib a").contains("does not take `--lib`"));
        assert!(message("report").contains("requires the file of a summary"));
        assert!(message("report a -b").contains("does not take `-b`"));
        assert!(message("report a --output").contains("requires the name of the pictures"));
        assert!(message("report a --peak fast").contains("`--peak fast`: write the rate"));
        assert!(message("doctor now").contains("takes no arguments"));
    }
}
