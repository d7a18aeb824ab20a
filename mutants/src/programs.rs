//! The test programs: built once, from the copy.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::list::Tests;

/// A program, and the folder of its package, in which cargo would start it.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    pub(crate) package: PathBuf,
}

/// Cargo could not build tests, and has printed the reason.
#[derive(Debug)]
pub(crate) struct NotBuilt(String);

impl NotBuilt {
    pub(crate) fn of(group: &Group) -> Self {
        Self(group.1.join(" "))
    }
}

impl std::fmt::Display for NotBuilt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the tests of {} do not build", self.0)
    }
}

impl std::error::Error for NotBuilt {}

/// The programs that one call of cargo makes: by `cargo gpu` or not, and of which package.
pub(crate) type Group = (bool, Vec<String>);

pub(crate) fn group(tests: &Tests) -> Group {
    (tests.gpu, tests.package.clone())
}

/// The programs of a group that `all` requires, by [`key_of`], built now if necessary.
///
/// # Errors
/// If one does not build.
pub(crate) fn build<'t>(
    tree: &Path,
    of: &Group,
    all: impl Iterator<Item = &'t Tests>,
) -> Result<BTreeMap<String, Program>> {
    let (gpu, package) = of;
    let targets: BTreeSet<&[String]> =
        all.filter(|tests| group(tests) == *of).map(|tests| &*tests.target).collect();
    let mut command = cargo(tree);
    command.args(if *gpu { &["gpu", "test"][..] } else { &["test"] });
    command.args(["--no-run", "--message-format", "json-render-diagnostics"]);
    command.args(package).args(targets.iter().copied().flatten());
    let output = command.stderr(Stdio::inherit()).output().context("cannot run cargo")?;
    if !output.status.success() {
        return Err(NotBuilt::of(of).into());
    }
    let mut programs = BTreeMap::new();
    for line in output.stdout.split(|byte| *byte == b'\n') {
        let Ok(message) = serde_json::from_slice::<Value>(line) else { continue };
        if let Some((target, program)) = program(&message)
            && let Some(of) = targets.iter().find(|its| its.last() == Some(&target))
        {
            programs.insert(key(*gpu, package, of), program);
        }
    }
    Ok(programs)
}

/// The key of the program of `tests`.
pub(crate) fn key_of(tests: &Tests) -> String {
    key(tests.gpu, &tests.package, &tests.target)
}

fn key(gpu: bool, package: &[String], target: &[String]) -> String {
    format!("{}{} {}", if gpu { "gpu " } else { "" }, package.join(" "), target.join(" "))
}

/// The last word of the option that names the target, and its program.
fn program(message: &Value) -> Option<(String, Program)> {
    let path = PathBuf::from(message["executable"].as_str()?);
    if message["profile"]["test"].as_bool() != Some(true) {
        return None;
    }
    let kind = message["target"]["kind"][0].as_str()?;
    let name = if matches!(kind, "test" | "bin") { message["target"]["name"].as_str()? } else { "--lib" };
    let package = Path::new(message["manifest_path"].as_str()?).parent()?.to_owned();
    Some((name.to_owned(), Program { path, package }))
}

/// The folder of the libraries of the compiler that builds the copy.
pub(crate) fn compiler_libraries(tree: &Path) -> Result<PathBuf> {
    let output = Command::new("rustc")
        .args(["--print", "target-libdir"])
        .current_dir(tree)
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run rustc")?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().into())
}

/// The packages of the workspace with the names of their programs and tests.
pub(crate) fn targets(root: &Path) -> Result<BTreeSet<(String, String)>> {
    let output = cargo(root)
        .args(["metadata", "--format-version=1", "--no-deps", "--offline"])
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo")?;
    let metadata: Value =
        serde_json::from_slice(&output.stdout).context("cargo did not describe the workspace")?;
    let mut targets = BTreeSet::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        for target in package["targets"].as_array().into_iter().flatten() {
            if let (Some(package), Some(target)) = (package["name"].as_str(), target["name"].as_str()) {
                targets.insert((package.to_owned(), target.to_owned()));
            }
        }
    }
    Ok(targets)
}

/// The folder of the emulator of the copy, built now if necessary.
pub(crate) fn emulator(tree: &Path) -> Result<PathBuf> {
    eprintln!("building the emulator");
    let status = cargo(tree)
        .args(["build", "--quiet", "--release", "-p", "cuda-emu", "--lib"])
        .status()
        .context("cannot run cargo")?;
    if !status.success() {
        bail!("the emulator does not build");
    }
    let built = target(tree).join("release/libcuda_emu.so");
    let folder = target(tree).join("emulator-of-mutants");
    std::fs::create_dir_all(&folder)
        .and_then(|()| {
            ["libcuda.so", "libcuda.so.1"].iter().try_for_each(|name| {
                let place = folder.join(name);
                if std::fs::exists(&place)? {
                    std::fs::remove_file(&place)?;
                }
                std::fs::copy(&built, place).map(|_| ())
            })
        })
        .with_context(|| format!("cannot copy {} to {}", built.display(), folder.display()))?;
    Ok(folder)
}

fn target(tree: &Path) -> PathBuf {
    tree.with_file_name("build")
}

/// Cargo in the copy, without the environment of the cargo that started this program.
fn cargo(tree: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    for (name, _) in std::env::vars_os() {
        if name
            .to_str()
            .is_some_and(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_"))
        {
            command.env_remove(name);
        }
    }
    command.current_dir(tree).env("CARGO_TARGET_DIR", target(tree));
    command
}
