//! `cargo spelt inlined`: the launches on hosts whose closure stayed a function of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fmt::Write;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail};
use spelt_disassembly::{Call, Place, Program, calls, is_of_user};

use crate::build::{exit_code, without_target_folder};
use crate::inspect::programs;
use crate::output;
use crate::workspace::{Workspace, cargo, values};

/// A closure with more code than this was too long for the compiler. Unit: bytes. Source: LLVM inlines the only use of a function up to
/// a cost of 15,000, some 3,000 operations; 4,000 operations on `f64` are 16,058 bytes.
const LONG: u64 = 8 << 10;

/// Builds the programs that `arguments` select, without a device, and lists the closures in them that are called.
pub(crate) fn run(arguments: &[OsString]) -> Result<ExitCode> {
    // Separate from other builds, so that neither invalidates the other.
    let target = Workspace::of(arguments)?.target_folder(arguments)?.join("inlined");
    let mut build = Command::new(cargo());
    build.arg("build").arg("--target-dir").arg(target);
    let profile = profile(arguments);
    if profile.is_none() {
        build.arg("--release");
    }
    let profile = variable_name(profile.as_deref().unwrap_or("release"));
    // Nothing here changes the code. `limited` is the least that has the full names of inlined functions.
    for (setting, value) in [("DEBUG", "limited"), ("STRIP", "none"), ("SPLIT_DEBUGINFO", "off")] {
        build.env(format!("CARGO_PROFILE_{profile}_{setting}"), value);
    }
    build.args(without_target_folder(arguments));
    build.args(["--message-format", "json-render-diagnostics"]).stderr(Stdio::inherit());
    let output = build.output().context("cannot run cargo")?;
    if !output.status.success() {
        return Ok(exit_code(output.status));
    }
    let programs = programs(&output.stdout);
    if programs.is_empty() {
        bail!("this build has no programs: name one, such as `--example NAME` or `--bin NAME`");
    }
    let folder = std::env::current_dir().unwrap_or_default();
    let mut all_inlined = true;
    for path in &programs {
        let program = Program::read(path)
            .map_err(anyhow::Error::msg)
            .with_context(|| format!("cannot find the closures in {}", path.display()))?;
        let remaining = remaining(&calls(&program));
        all_inlined &= remaining.is_empty();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        output::print(&text(&name, &remaining, &folder))?;
    }
    Ok(if all_inlined { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The profile that cargo's arguments name, if they do; `--release` is one.
fn profile(arguments: &[OsString]) -> Option<String> {
    let own = arguments.iter().take_while(|argument| *argument != "--");
    let is_release = own.into_iter().any(|argument| argument == "--release" || argument == "-r");
    let named = values(arguments, &["--profile"]).into_iter().next_back();
    named.or_else(|| is_release.then(|| "release".to_owned()))
}

/// A profile's name in the variables that cargo reads.
fn variable_name(profile: &str) -> String {
    match profile {
        // Cargo has them by other names.
        "bench" => "RELEASE".to_owned(),
        "test" => "DEV".to_owned(),
        other => other.to_uppercase().replace('-', "_"),
    }
}

/// A closure that is called.
#[derive(Debug, PartialEq, Eq)]
struct Remaining {
    name: String,
    place: Option<Place>,
    /// The number of bytes of its code.
    len: u64,
    calls: usize,
    /// The functions with the loops that call it.
    callers: BTreeSet<String>,
}

/// The closures of these calls, by place.
fn remaining(calls: &[Call<'_>]) -> Vec<Remaining> {
    let mut closures: BTreeMap<(Option<&Place>, u64), Remaining> = BTreeMap::new();
    for call in calls {
        let closure =
            closures.entry((call.place.as_ref(), call.closure.start)).or_insert_with(|| Remaining {
                name: call.name.clone(),
                place: call.place.clone(),
                len: call.closure.len,
                calls: 0,
                callers: BTreeSet::new(),
            });
        closure.calls += 1;
        let caller = &call.caller.name;
        closure.callers.insert(caller.strip_prefix("spelt_core::isa::").unwrap_or(caller).to_owned());
    }
    closures.into_values().collect()
}

fn text(program: &str, remaining: &[Remaining], folder: &Path) -> String {
    if remaining.is_empty() {
        return format!("{program}: the closures of all launches are inlined\n");
    }
    let mut text =
        format!("{program}: closures of launches that are called, not inlined: {}\n", remaining.len());
    for Remaining { name, place, len, calls, callers } in remaining {
        let place = place.as_ref().map_or_else(
            || "unknown place".to_owned(),
            |Place { file, line }| {
                let file = Path::new(file).strip_prefix(folder).unwrap_or(Path::new(file));
                format!("{}:{line}", file.display())
            },
        );
        let callers: Vec<&str> = callers.iter().map(String::as_str).collect();
        let _ = writeln!(text, "  {place}: `{name}`, {len} bytes, {calls} calls in {}", callers.join(", "));
        let advice = if !is_of_user(name) {
            "It is a part of Spelt: please report it."
        } else if *len > LONG {
            "It is longer than the compiler inlines (some 3,000 operations): divide the launch, or move code that seldom runs into an \
             `#[inline(never)]` function that the closure calls."
        } else {
            "It is short enough to be inlined if the launch is its only use: remove `#[inline(never)]` or `#[cold]`, and give \
             each launch a closure of its own."
        };
        let _ = writeln!(text, "    {advice}");
    }
    text + "A closure that is called handles one element at a time, for the lowest level of the instruction set.\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn profiles_are_named_in_every_way_that_cargo_knows() {
        for (line, name) in [
            ("-p x", None),
            ("--release", Some("release")),
            ("-p x -r", Some("release")),
            ("--profile=fast-one", Some("fast-one")),
            ("-- --release", None),
        ] {
            assert_eq!(profile(&words(line)).as_deref(), name, "{line}");
        }
        assert_eq!(variable_name("fast-one"), "FAST_ONE");
        assert_eq!(variable_name("bench"), "RELEASE");
    }

    #[test]
    fn a_list_has_places_and_advice() {
        let closure = |len| Remaining {
            name: "main::{closure}".into(),
            place: Some(Place { file: "/home/user/src/main.rs".into(), line: 7 }),
            len,
            calls: 3,
            callers: BTreeSet::from(["avx512".to_owned(), "baseline".to_owned()]),
        };
        let long = text("program", &[closure(20_000)], Path::new("/home/user"));
        assert!(
            long.contains("src/main.rs:7: `main::{closure}`, 20000 bytes, 3 calls in avx512, baseline"),
            "{long}"
        );
        assert!(long.contains("divide the launch"), "{long}");
        assert!(text("program", &[closure(100)], Path::new("/")).contains("remove `#[inline(never)]`"));
        let own = Remaining { name: "spelt_algorithms::sort::{closure}".into(), ..closure(100) };
        assert!(text("program", &[own], Path::new("/")).contains("a part of Spelt"));
    }
}
