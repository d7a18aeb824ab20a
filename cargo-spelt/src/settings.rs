//! Settings that the subcommand passes to the rustc wrapper through the environment.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use spelt_device_link::Arch;
use twox_hash::XxHash3_128;

use crate::command_line::{self, Own};
use crate::emulator::DRIVER;
use crate::{driver, variable};

/// The settings, as JSON. The variable also tells the executable that it is the wrapper.
const SETTINGS: &str = "__SPELT_SETTINGS";

/// The settings on which a linked program depends besides its crates. Cargo compares them with those that the wrapper wrote
/// into the program's list of dependencies, so a change only links the program again.
pub(crate) const FINGERPRINT: &str = "__SPELT_FINGERPRINT";

/// An architecture that runs on all GPUs of recent generations, so that programs built without options do too.
const DEFAULT_ARCH: &str = "sm_80";

/// The name for the architecture of this machine's GPU.
const NATIVE: &str = "native";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    /// The GPU to compile for, such as `sm_80`.
    pub(crate) arch: String,
    /// The version of the PTX times ten.
    pub(crate) ptx_version: Option<u32>,
    /// The folder of the [`Slot`](crate::slot::Slot)s.
    pub(crate) slots: PathBuf,
    /// The socket that takes [progress](crate::progress).
    pub(crate) progress: Option<PathBuf>,
    /// A rustc wrapper that the user has, such as sccache.
    pub(crate) inner_wrapper: Option<String>,
    /// Whether kernels are only checked.
    pub(crate) check: bool,
    /// A hash of this executable.
    pub(crate) tool: String,
}

impl Settings {
    /// The settings, if cargo called this executable as rustc wrapper.
    pub(crate) fn of_wrapper(arguments: &[OsString]) -> Option<Result<Self>> {
        let text = std::env::var_os(SETTINGS)?;
        // A program under `cargo spelt test` inherits the variable and may call `cargo spelt` itself.
        let first = arguments.first()?;
        if command_line::is_command(first) {
            return None;
        }
        Some(
            text.to_str()
                .and_then(Self::from_json)
                .context("the settings of cargo-spelt's wrapper are damaged"),
        )
    }

    pub(crate) fn variables(&self) -> [(&'static str, String); 2] {
        [(SETTINGS, self.to_json().to_string()), (FINGERPRINT, self.fingerprint())]
    }

    pub(crate) fn fingerprint(&self) -> String {
        let version = self.ptx_version.map_or_else(|| "-".to_owned(), |version| version.to_string());
        format!("{} {} {version}", self.tool, self.arch)
    }

    fn to_json(&self) -> Value {
        json!({
            "arch": self.arch,
            "ptx_version": self.ptx_version,
            "slots": self.slots,
            "progress": self.progress,
            "inner_wrapper": self.inner_wrapper,
            "check": self.check,
            "tool": self.tool,
        })
    }

    fn from_json(text: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(text).ok()?;
        let text = |name: &str| value[name].as_str().map(str::to_owned);
        Some(Self {
            arch: text("arch")?,
            ptx_version: value["ptx_version"].as_u64().and_then(|version| u32::try_from(version).ok()),
            slots: text("slots")?.into(),
            progress: text("progress").map(PathBuf::from),
            inner_wrapper: text("inner_wrapper"),
            check: value["check"].as_bool()?,
            tool: text("tool")?,
        })
    }
}

/// The GPU to compile for: by option, by environment, or the default.
///
/// # Errors
/// If device-link does not know the architecture, and for `native` if there is no GPU.
pub(crate) fn arch(own: &Own) -> Result<String> {
    let arch = match &own.arch {
        Some(arch) => arch.clone(),
        None => match variable::text("SPELT_ARCH")? {
            Some(arch) => {
                let arch = arch.to_ascii_lowercase();
                check_arch(&arch).with_context(|| format!("SPELT_ARCH is `{arch}`"))?;
                arch
            }
            None => DEFAULT_ARCH.to_owned(),
        },
    };
    if arch == NATIVE {
        let device = driver::query(OsStr::new(DRIVER))
            .and_then(|driver| driver.devices.into_iter().next().context("the driver finds no GPU"))
            .context(
                "`--arch native` requires a GPU: name an architecture instead, such as `--arch sm_80`",
            )?;
        return Ok(format!("sm_{}{}", device.capability.0, device.capability.1));
    }
    check_arch(&arch)?;
    Ok(arch)
}

/// Whether this names an architecture, or `native`.
///
/// # Errors
/// If not, with the choices.
pub(crate) fn check_arch(name: &str) -> Result<()> {
    if name != NATIVE {
        name.parse::<Arch>().map_err(|error| anyhow::anyhow!("{error}, or `{NATIVE}`"))?;
    }
    Ok(())
}

/// The version of the PTX times ten: by option, by environment, or left to the device link.
pub(crate) fn ptx_version(own: &Own) -> Result<Option<u32>> {
    if let Some(text) = &own.ptx_version {
        return parse_ptx_version(text).map(Some);
    }
    let Some(text) = variable::text("SPELT_PTX_VERSION")? else { return Ok(None) };
    parse_ptx_version(&text).with_context(|| format!("SPELT_PTX_VERSION is `{text}`")).map(Some)
}

/// The version times ten.
pub(crate) fn parse_ptx_version(text: &str) -> Result<u32> {
    let digits = text.replacen('.', "", 1);
    match digits.parse() {
        Ok(version) if digits.len() == 2 => Ok(version),
        _ => bail!("`{text}` is not a version of PTX: write it as 80 or 8.0"),
    }
}

/// A hash of this executable: a changed executable may produce different results.
pub(crate) fn tool() -> Result<String> {
    let path = std::env::current_exe().context("the path of this executable is unknown")?;
    let bytes = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut hash = XxHash3_128::new();
    hash.write(&bytes);
    Ok(format!("{:032x}", hash.finish_128()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_survive_the_environment() {
        let settings = Settings {
            arch: "sm_90".into(),
            ptx_version: Some(80),
            slots: "/a \"b\"/c".into(),
            progress: None,
            inner_wrapper: Some("sccache".into()),
            check: true,
            tool: "0123".into(),
        };
        assert_eq!(Settings::from_json(&settings.to_json().to_string()), Some(settings.clone()));
        assert_ne!(settings.fingerprint(), Settings { arch: "sm_80".into(), ..settings }.fingerprint());
    }

    #[test]
    fn architectures_are_checked() {
        let of = |name: &str| arch(&Own { arch: Some(name.into()), ..Own::default() });
        assert_eq!(of("sm_90").unwrap(), "sm_90");
        assert_eq!(of("sm_90a").unwrap(), "sm_90a");
        for wrong in ["sm_60", "90", "sm_", "compute_80"] {
            assert!(of(wrong).unwrap_err().to_string().contains("sm_70, sm_72"), "{wrong}");
        }
        let version = |text: &str| ptx_version(&Own { ptx_version: Some(text.into()), ..Own::default() });
        assert_eq!(version("8.0").unwrap(), Some(80));
        assert_eq!(version("78").unwrap(), Some(78));
        assert!(version("8").is_err());
    }
}
