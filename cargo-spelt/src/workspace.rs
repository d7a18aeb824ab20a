//! Cargo's knowledge of the packages of a command.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};
use cargo_metadata::{Metadata, MetadataCommand, Package};

/// The feature of Spelt, and of packages that pass it on, that device code needs.
const FEATURE: &str = "cuda";

/// The packages of Spelt that have the feature and that programs depend on.
const WITH_FEATURE: [&str; 2] = ["spelt", "spelt-core"];

/// Cargo: the one that called this program, or the one on PATH.
pub(crate) fn cargo() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

pub(crate) struct Workspace {
    metadata: Metadata,
}

impl Workspace {
    /// The workspace that cargo would take with these arguments.
    pub(crate) fn of(arguments: &[OsString]) -> Result<Self> {
        let mut command = MetadataCommand::new();
        command.cargo_path(cargo()).no_deps();
        if let Some(path) = values(arguments, &["--manifest-path"]).into_iter().next() {
            command.manifest_path(path);
        }
        let config = values(arguments, &["--config"]).into_iter();
        command.other_options(config.flat_map(|value| ["--config".to_owned(), value]).collect::<Vec<_>>());
        match command.exec() {
            Ok(metadata) => Ok(Self { metadata }),
            Err(cargo_metadata::Error::CargoMetadata { stderr }) => {
                Err(anyhow::Error::msg(stderr.trim().trim_start_matches("error: ").to_owned()))
            }
            Err(error) => Err(error).context("cannot ask cargo for the packages of this workspace"),
        }
    }

    /// The folder of device builds, separate from that of plain builds so that neither invalidates the other.
    pub(crate) fn target_folder(&self, arguments: &[OsString]) -> Result<PathBuf> {
        match values(arguments, &["--target-dir"]).into_iter().next() {
            Some(folder) => std::path::absolute(folder).context("the path of `--target-dir` is unusable"),
            None => Ok(self.metadata.target_directory.join("spelt").into()),
        }
    }

    /// The feature `cuda` of all selected packages that depend on Spelt and have the feature, as an argument of cargo.
    /// With `always`, the feature of the dependency on Spelt for packages that do not have it themselves.
    pub(crate) fn device_features(&self, arguments: &[OsString], always: bool) -> Vec<String> {
        let selected = self.selected(arguments);
        let is_alone = selected.len() == 1;
        let (with_feature, without): (Vec<&Package>, Vec<&Package>) = selected
            .into_iter()
            .filter(|package| {
                is_spelt(&package.name)
                    || package.dependencies.iter().any(|dependency| is_spelt(&dependency.name))
            })
            .partition(|package| package.features.contains_key(FEATURE));
        // Cargo's old resolver, of packages before the edition 2021, takes no name before the feature.
        let name = |package: &Package| {
            if is_alone { FEATURE.to_owned() } else { format!("{}/{FEATURE}", package.name) }
        };
        let mut features: Vec<String> = with_feature.into_iter().map(name).collect();
        if always {
            let dependencies = without.into_iter().flat_map(|package| &package.dependencies);
            let known = dependencies.filter(|dependency| WITH_FEATURE.contains(&dependency.name.as_str()));
            features.extend(known.map(|dependency| {
                format!("{}/{FEATURE}", dependency.rename.as_ref().unwrap_or(&dependency.name))
            }));
            features.sort();
            features.dedup();
        }
        features
    }

    fn selected(&self, arguments: &[OsString]) -> Vec<&Package> {
        let has = |names: &[&str]| {
            let own = arguments.iter().take_while(|argument| *argument != "--");
            own.filter_map(|argument| argument.to_str()).any(|argument| names.contains(&argument))
        };
        let asked = values(arguments, &["--package", "-p"]);
        if has(&["--workspace", "--all"]) {
            let excluded = values(arguments, &["--exclude"]);
            let mut packages = self.metadata.workspace_packages();
            packages.retain(|package| !excluded.iter().any(|specification| names(specification, package)));
            packages
        } else if asked.is_empty() {
            self.metadata.workspace_default_packages()
        } else {
            let mut packages = self.metadata.workspace_packages();
            packages.retain(|package| asked.iter().any(|specification| names(specification, package)));
            packages
        }
    }

    /// The manifest of the emulator, if that is a package of this workspace.
    pub(crate) fn emulator_manifest(&self) -> Option<PathBuf> {
        let packages = self.metadata.workspace_packages();
        let package = packages.iter().find(|package| *package.name == EMULATOR)?;
        Some(package.manifest_path.clone().into())
    }
}

/// The package of the emulator.
pub(crate) const EMULATOR: &str = "cuda-emu";

fn is_spelt(name: &str) -> bool {
    name == "spelt" || name.starts_with("spelt-")
}

/// Whether a specification of cargo's `--package` (a name, a pattern, `name@version` or a URL) names the package.
fn names(specification: &str, package: &Package) -> bool {
    let name = match specification.rsplit_once('#') {
        // The fragment of a URL is `name@version`, `name`, or only a version, if the path ends in the name.
        Some((url, fragment)) if fragment.starts_with(|first: char| first.is_ascii_digit()) => {
            url.rsplit('/').next().unwrap_or(url)
        }
        Some((_, fragment)) => fragment,
        None => specification,
    };
    let name = name.split_once('@').map_or(name, |(name, _)| name);
    glob::Pattern::new(name).is_ok_and(|pattern| pattern.matches(&package.name))
}

/// A string in cargo's configuration, as cargo reads it here.
pub(crate) fn configured(key: &str) -> Option<String> {
    // The command is unstable, but the only one that reads cargo's configuration as cargo does.
    let mut command = Command::new(cargo());
    command.args(["-Zunstable-options", "config", "get", "--format", "json-value", key]);
    let output =
        command.env("RUSTC_BOOTSTRAP", "1").output().ok().filter(|output| output.status.success())?;
    serde_json::from_slice::<String>(&output.stdout).ok().filter(|value| !value.is_empty())
}

/// The values of an option of cargo, in each way that it can be written.
pub(crate) fn values(arguments: &[OsString], names: &[&str]) -> Vec<String> {
    let mut values = Vec::new();
    let mut arguments = arguments.iter().map(OsString::as_os_str).map(OsStr::to_string_lossy);
    while let Some(argument) = arguments.next() {
        if argument == "--" {
            break;
        }
        for name in names {
            if argument == *name {
                values.extend(arguments.next().map(std::borrow::Cow::into_owned));
                break;
            }
            let Some(rest) = argument.strip_prefix(name) else { continue };
            let is_long = name.starts_with("--");
            match rest.strip_prefix('=') {
                Some(value) => values.push(value.to_owned()),
                None if !is_long => values.push(rest.to_owned()),
                None => {}
            }
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_however_they_are_written() {
        let arguments: Vec<OsString> =
            ["-p", "a", "-pb", "--package=c", "--package", "d", "--packages", "--", "-p", "e"]
                .map(OsString::from)
                .to_vec();
        assert_eq!(values(&arguments, &["--package", "-p"]), ["a", "b", "c", "d"]);
    }
}
