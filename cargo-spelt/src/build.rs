//! Cargo's commands: cargo runs with this executable as rustc wrapper.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode, ExitStatus};

use anyhow::{Context, Result};

use crate::command_line::{Checks, Own};
use crate::progress::{Listener, Style};
use crate::settings::{self, Settings};
use crate::workspace::{Workspace, cargo, configured};
use crate::{driver, emulator, variable};

/// Runs `cargo COMMAND ARGUMENTS` as a device build.
pub(crate) fn run(own: &Own, command: &str, arguments: &[OsString]) -> Result<ExitCode> {
    let mut build = Build::prepare(own, command, arguments)?;
    if matches!(command, "run" | "test" | "bench") {
        let checks = own.checks.unwrap_or(if command == "test" { Checks::All } else { Checks::Memory });
        build.run_on_emulator_if_needed(own, checks, arguments)?;
    }
    let status = build.status()?;
    Ok(exit_code(status))
}

/// A call of cargo that makes device code.
pub(crate) struct Build {
    /// The call, for its user to complete.
    pub(crate) command: Command,
    /// The folder of the linked device code.
    pub(crate) slots: PathBuf,
    workspace: Workspace,
    style: Style,
    /// Ends with the build.
    _listener: Option<Listener>,
}

impl Build {
    pub(crate) fn prepare(own: &Own, command: &str, arguments: &[OsString]) -> Result<Self> {
        let workspace = Workspace::of(arguments)?;
        let check = command == "check";
        let mut target = workspace.target_folder(arguments)?;
        if check {
            // A separate folder, because `clippy` and `doc` leave metadata without rlibs in that of the other commands.
            target.push("check");
        }
        let slots = target.join("kernels");
        let style = Style::of(arguments);
        let listener = Listener::start(style);
        let settings = Settings {
            arch: settings::arch(own)?,
            ptx_version: settings::ptx_version(own)?,
            slots: slots.clone(),
            progress: listener.as_ref().map(|listener| listener.path().to_owned()),
            inner_wrapper: inner_wrapper(),
            check,
            tool: settings::tool()?,
        };
        let mut call = Command::new(cargo());
        call.arg(command).arg("--target-dir").arg(&target);
        // By an option and not by the environment, so that a program under test that calls cargo does not get the wrapper.
        call.arg("--config").arg(wrapper_option()?).env_remove("RUSTC_WRAPPER");
        for feature in workspace.device_features(arguments, check) {
            call.arg("--features").arg(feature);
        }
        call.args(without_target_folder(arguments));
        call.envs(settings.variables());
        // `cargo run`, which the alias goes through, describes this package to it; the program is another.
        for (name, _) in std::env::vars_os() {
            let of_package =
                |name: &str| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
            if name.to_str().is_some_and(of_package) {
                call.env_remove(name);
            }
        }
        Ok(Self { command: call, slots, workspace, style, _listener: listener })
    }

    /// Makes programs find the emulator if there is no driver.
    fn run_on_emulator_if_needed(&mut self, own: &Own, checks: Checks, arguments: &[OsString]) -> Result<()> {
        if !own.emulator && (driver::is_present() || !cfg!(target_os = "linux")) {
            // Without a driver or an emulator, the program's space `Cuda` reports the missing driver.
            return Ok(());
        }
        let folder = emulator::source(Some(&self.workspace))?.folder(self.style, arguments)?;
        self.command.env("LD_LIBRARY_PATH", emulator::library_path(&folder)?);
        if checks == Checks::All {
            // 2: races in global memory too.
            for (name, value) in [("CUDA_EMU_INITCHECK", "1"), ("CUDA_EMU_RACECHECK", "2")] {
                if variable::text(name)?.is_none() {
                    self.command.env(name, value);
                }
            }
        }
        Ok(())
    }

    fn status(&mut self) -> Result<ExitStatus> {
        ignore_interrupts();
        self.command.status().context("cannot run cargo")
    }
}

/// Ignores interrupts from the keyboard: cargo and the program get them too and may continue.
pub(crate) fn ignore_interrupts() {
    #[cfg(unix)]
    {
        let flag = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        // Without it an interrupt ends this process before cargo, which only affects the shell's prompt.
        drop(signal_hook::flag::register(signal_hook::consts::SIGINT, flag));
    }
}

/// The exit status that a shell would report.
pub(crate) fn exit_code(status: ExitStatus) -> ExitCode {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return ExitCode::from(u8::try_from(128 + signal).unwrap_or(crate::FAILURE));
    }
    ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(crate::FAILURE))
}

fn wrapper_option() -> Result<String> {
    let path = std::env::current_exe().context("the path of this executable is unknown")?;
    let path = path.to_str().with_context(|| format!("the path {} is not UTF-8", path.display()))?;
    Ok(format!("build.rustc-wrapper={}", toml_string(path)))
}

/// A string of TOML: its escapes include those of JSON.
fn toml_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The rustc wrapper that plain cargo would use here.
fn inner_wrapper() -> Option<String> {
    if let Ok(wrapper) = std::env::var("RUSTC_WRAPPER") {
        return Some(wrapper).filter(|wrapper| !wrapper.is_empty());
    }
    configured("build.rustc-wrapper")
}

/// The arguments except `--target-dir`, which is already passed on.
pub(crate) fn without_target_folder(arguments: &[OsString]) -> Vec<&OsString> {
    let mut rest = Vec::with_capacity(arguments.len());
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        if argument == "--" {
            rest.push(argument);
            rest.extend(arguments);
            break;
        }
        let text = argument.to_string_lossy();
        if text == "--target-dir" {
            arguments.next();
        } else if !text.starts_with("--target-dir=") {
            rest.push(argument);
        }
    }
    rest
}
