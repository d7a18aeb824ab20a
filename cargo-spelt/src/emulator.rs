//! The emulator: a library in place of the CUDA driver, for machines that have none.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use cargo_metadata::Message;

use crate::progress::Style;
use crate::workspace::{EMULATOR, Workspace, cargo};

/// The name under which programs open the driver.
pub(crate) const DRIVER: &str = "libcuda.so.1";

/// The name that some programs try before it: an installed driver's must not win.
const LINK_NAME: &str = "libcuda.so";

/// Names a folder that holds the emulator.
pub(crate) const VARIABLE: &str = "SPELT_EMULATOR";

/// Where the emulator comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A folder with the library.
    Folder(PathBuf),
    /// The manifest of a package that builds it.
    Package(PathBuf),
}

/// Where the emulator would come from, if from anywhere.
///
/// # Errors
/// If the environment names a folder that does not hold it.
pub(crate) fn source(workspace: Option<&Workspace>) -> Result<Option<Source>> {
    if let Some(folder) = std::env::var_os(VARIABLE).filter(|folder| !folder.is_empty()) {
        let folder =
            std::path::absolute(folder).with_context(|| format!("the path in {VARIABLE} is unusable"))?;
        if !folder.join(DRIVER).is_file() {
            bail!(
                "{VARIABLE} is {}, which holds no {DRIVER}: name a folder that does, or unset it",
                folder.display()
            );
        }
        return Ok(Some(Source::Folder(folder)));
    }
    Ok(workspace.and_then(Workspace::emulator_manifest).map(Source::Package))
}

impl Source {
    /// The folder that holds the library, built now if it must be. It is built optimised: an emulator is slow enough.
    pub(crate) fn folder(&self, style: Style) -> Result<PathBuf> {
        match self {
            Self::Folder(folder) => Ok(folder.clone()),
            Self::Package(manifest) => {
                // Of its own workspace: all projects that use the checkout share it.
                let workspace = Workspace::of(&["--manifest-path".into(), manifest.into()])?;
                build(manifest, &workspace.target_folder(&[])?.join("emulator"), style)
            }
        }
    }
}

fn build(manifest: &Path, target: &Path, style: Style) -> Result<PathBuf> {
    let folder = target.join("library");
    if !folder.join(DRIVER).exists() {
        style.show("Building", "the emulator");
    }
    let mut command = Command::new(cargo());
    // What a plain build would do, whatever the user's wrapper or flags are for the program.
    command.args(["build", "--quiet", "--release", "--lib", "--package", EMULATOR]);
    command.args(["--message-format", "json-render-diagnostics"]);
    command.arg("--manifest-path").arg(manifest).arg("--target-dir").arg(target);
    let output =
        command.stderr(Stdio::inherit()).output().context("cannot run cargo to build the emulator")?;
    if !output.status.success() {
        bail!(
            "the emulator does not build; {VARIABLE} can name a folder with a {DRIVER} that is built already"
        );
    }
    let messages = Message::parse_stream(output.stdout.as_slice()).filter_map(Result::ok);
    let artifacts = messages.filter_map(|message| match message {
        Message::CompilerArtifact(artifact) => Some(artifact),
        _ => None,
    });
    let library = artifacts
        .filter(|artifact| artifact.target.name == "cuda_emu")
        .flat_map(|artifact| artifact.filenames)
        .find(|path| path.extension() == Some("so"))
        .with_context(|| {
            format!("the package {EMULATOR} built no shared library: it must be a cdylib on Linux")
        })?;
    for name in [DRIVER, LINK_NAME] {
        place(library.as_std_path(), &folder, name)?;
    }
    Ok(folder)
}

/// Puts the library into the folder under this name of the driver. Programs that run keep the old file.
fn place(library: &Path, folder: &Path, name: &str) -> Result<()> {
    let driver = folder.join(name);
    let age = |path: &Path| path.metadata().and_then(|metadata| metadata.modified()).ok();
    if age(&driver).is_some_and(|placed| age(library).is_some_and(|built| built <= placed)) {
        return Ok(());
    }
    let new = folder.join(format!("{name}.{}", std::process::id()));
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::copy(library, &new))
        .and_then(|_| std::fs::rename(&new, &driver))
        .with_context(|| format!("cannot place the emulator in {}", folder.display()))
}

/// The value of `LD_LIBRARY_PATH` with the folder first.
pub(crate) fn library_path(folder: &Path) -> Result<OsString> {
    let old = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let old = std::env::split_paths(&old).filter(|path| !path.as_os_str().is_empty());
    std::env::join_paths(std::iter::once(folder.to_owned()).chain(old))
        .with_context(|| format!("{} cannot stand in LD_LIBRARY_PATH", folder.display()))
}
