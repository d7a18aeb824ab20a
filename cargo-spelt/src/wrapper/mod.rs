//! The rustc wrapper, which cargo runs in place of rustc.
//!
//! | crate | action |
//! |---|---|
//! | a question (`-vV`, `--print`), a crate from standard input, a check without code | only rustc |
//! | build script, procedural macro | only rustc |
//! | library | a record of its dependencies; with bitcode in the rlib |
//! | library that may hold kernels | before that, its bitcode for devices |
//! | program, test, example, dynamic library | its bitcode for devices; the device link; PTX in its own object |
//!
//! | file | concept |
//! |---|---|
//! | `arguments.rs` | rustc's command line, in parts |
//! | `unit.rs` | the crate that a command line compiles |
//! | `host_options.rs` | the options of rustc's run for the host |
//! | `device_pass.rs` | rustc's second run, to bitcode |
//! | `record.rs` | a library's record of dependencies, beside its rlib |
//! | `link.rs` | from bitcode to an object that holds PTX, unless that is there |
//! | `link_process.rs` | the link itself, in a separate process |
//! | `check.rs` | a unit that is only checked, from rustc's metadata to the messages about its kernels |
//! | `linker.rs` | host and device at the same time |
//! | `diagnostics.rs` | messages in rustc's form |

mod arguments;
mod check;
mod device_pass;
mod diagnostics;
mod host_options;
mod link;
pub(crate) mod link_process;
pub(crate) mod linker;
mod record;
mod unit;

use std::ffi::{OsStr, OsString};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};
use twox_hash::XxHash3_128;

use crate::build::exit_code;
use crate::settings::{FINGERPRINT, Settings};
use arguments::Arguments;
use device_pass::DevicePass;
use link::Outcome;
use linker::HostRun;
use unit::Unit;

/// The compilers of one call.
#[derive(Debug)]
pub(crate) struct Compilers {
    /// The command for the host: the user's wrappers, then rustc.
    host: Vec<OsString>,
    /// rustc itself.
    rustc: OsString,
    /// Whether rustc accepts unstable options.
    unstable: bool,
}

impl Compilers {
    fn host(&self) -> Command {
        let mut command = Command::new(&self.host[0]);
        command.args(&self.host[1..]);
        if self.unstable {
            command.env("RUSTC_BOOTSTRAP", "1");
        }
        command
    }
}

/// Runs rustc for cargo, and the corresponding steps for devices.
pub(crate) fn run(settings: &Settings, arguments: Vec<OsString>) -> Result<ExitCode> {
    let (compilers, arguments) = split(settings, arguments)?;
    if arguments.first().is_some_and(|first| first == "-vV") {
        return version(&compilers);
    }
    let parsed = Arguments::parse(&arguments);
    let unit = parsed.as_ref().and_then(|parsed| Unit::of(parsed, settings.check));
    match (parsed, unit) {
        (Some(parsed), Some(unit)) => compile(settings, &compilers, parsed, &unit).or_else(|error| {
            diagnostics::emit(&[diagnostics::error(&format!("{error:#}"))], unit.wants_json);
            Ok(ExitCode::from(1))
        }),
        _ => pass_through(&compilers, &arguments),
    }
}

/// Cargo calls `WRAPPER [WORKSPACE_WRAPPER] RUSTC ARGUMENTS`.
fn split(settings: &Settings, mut arguments: Vec<OsString>) -> Result<(Compilers, Vec<OsString>)> {
    let workspace_wrapper = std::env::var_os("RUSTC_WORKSPACE_WRAPPER").filter(|wrapper| !wrapper.is_empty());
    let is_wrapped = workspace_wrapper.is_some_and(|wrapper| arguments.first() == Some(&wrapper));
    let programs = if is_wrapped { 2 } else { 1 };
    anyhow::ensure!(arguments.len() >= programs, "cargo called the rustc wrapper without rustc");
    let rest = arguments.split_off(programs);
    let rustc = arguments[programs - 1].clone();
    let host = settings.inner_wrapper.iter().map(OsString::from).chain(arguments).collect();
    Ok((Compilers { host, rustc, unstable: false }, rest))
}

/// The compiler's version, and ours: cargo names and compares its results by all of it, so results of plain builds, and those
/// of a cargo-spelt that made libraries in another way, are not taken for fresh.
fn version(compilers: &Compilers) -> Result<ExitCode> {
    let output = compilers.host().arg("-vV").output().context("cannot run rustc")?;
    std::io::stderr().write_all(&output.stderr)?;
    let mut out = std::io::stdout();
    out.write_all(&output.stdout)?;
    if output.status.success() {
        writeln!(out, "spelt: {} {}", env!("CARGO_PKG_VERSION"), fingerprint())?;
    }
    Ok(exit_code(output.status))
}

/// Tells this way of compiling libraries from any other: it is a hash of the source that decides it.
fn fingerprint() -> String {
    let mut hash = XxHash3_128::new();
    for source in [
        include_str!("mod.rs"),
        include_str!("arguments.rs"),
        include_str!("check.rs"),
        include_str!("unit.rs"),
        include_str!("host_options.rs"),
        include_str!("device_pass.rs"),
        include_str!("record.rs"),
    ] {
        hash.write(source.as_bytes());
    }
    format!("{:032x}", hash.finish_128())
}

/// Compiles a crate for devices, as far as they are concerned, and for the host.
fn compile(
    settings: &Settings,
    compilers: &Compilers,
    mut arguments: Arguments,
    unit: &Unit,
) -> Result<ExitCode> {
    let bitcode = if unit.is_library {
        record::bitcode_beside(&unit.rlib())
    } else {
        settings.slots.join(unit.program_name()).join("crate.bc")
    };
    if unit.is_library {
        record::write(unit)?;
        // Functions that kernels call are taken from rlibs: cargo leaves their bitcode out unless it needs it itself.
        arguments.remove_codegen(&["embed-bitcode"]);
        if unit.is_checked {
            check::add_code(&mut arguments);
        }
    }
    if !unit.may_hold_kernels() {
        // They may be left over from a time when the crate depended on Spelt.
        remove_if_there(&bitcode)?;
        if unit.is_library {
            remove_if_there(&record::device_metadata_beside(&unit.rlib()))?;
        }
        return pass_through(compilers, &arguments.to_words());
    }
    // Both runs must give the same names, but without a word their defaults differ: rustc's stable and unstable ones.
    if arguments.codegen("symbol-mangling-version").is_none() {
        arguments.push_codegen("symbol-mangling-version", "v0");
    }
    if unit.is_checked {
        return check::run(settings, compilers, arguments, unit, &bitcode);
    }
    if unit.is_linked {
        let folder = settings.slots.join(unit.program_name());
        std::fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let code = program(settings, compilers, arguments, unit, &folder, &bitcode)?;
        if let Some(dep_info) = &unit.dep_info {
            depend_on_settings(settings, dep_info)?;
        }
        return Ok(code);
    }
    let pass = DevicePass::run(compilers, &arguments, unit, &bitcode)?;
    host_options::add(&mut arguments);
    // Device passes of other crates take generic functions from this one's metadata, as the host's run leaves them there.
    let (name, value) = device_pass::NO_COPIES;
    arguments.push(name, value);
    let compilers =
        &Compilers { unstable: true, host: compilers.host.clone(), rustc: compilers.rustc.clone() };
    match pass {
        DevicePass::Done => pass_through(compilers, &arguments.to_words()),
        DevicePass::Failed(failure) => failure.after(run_host(compilers, &arguments.to_words())?),
    }
}

/// Compiles a linked crate for the device and, at the same time if possible, for the host.
fn program(
    settings: &Settings,
    compilers: &Compilers,
    mut arguments: Arguments,
    unit: &Unit,
    folder: &Path,
    bitcode: &Path,
) -> Result<ExitCode> {
    let of_device = arguments.clone();
    host_options::add(&mut arguments);
    let host = HostRun::start(compilers, &arguments, unit, folder)?;
    let outcome = DevicePass::run(compilers, &of_device, unit, bitcode).and_then(|pass| match pass {
        DevicePass::Done => link::object(settings, compilers, unit, record::closure(unit), bitcode),
        DevicePass::Failed(failure) => Ok(Outcome::NotCompiled(failure)),
    });
    match (outcome, host) {
        (Ok(Outcome::Object(object)), Some(host)) => host.finish(Some(&object)),
        (Ok(Outcome::NoKernels), Some(host)) => host.finish(None),
        (Ok(Outcome::NotCompiled(failure)), Some(host)) => failure.after(host.refuse()?),
        (Ok(Outcome::Refused), Some(host)) => host.refuse().map(|_| ExitCode::from(1)),
        (Err(error), Some(host)) => host.refuse().and(Err(error)),
        (Ok(Outcome::Object(object)), None) => {
            arguments.push_codegen("link-arg", &object.to_string_lossy());
            run_host(compilers, &arguments.to_words())
        }
        (Ok(Outcome::NoKernels), None) => run_host(compilers, &arguments.to_words()),
        (Ok(Outcome::NotCompiled(failure)), None) => {
            failure.after(run_host(compilers, &arguments.to_words())?)
        }
        (Ok(Outcome::Refused), None) => Ok(ExitCode::from(1)),
        (Err(error), None) => Err(error),
    }
}

/// Runs rustc for the host in place of this process, where nothing remains to be done after it.
fn pass_through<A: AsRef<OsStr>>(compilers: &Compilers, arguments: &[A]) -> Result<ExitCode> {
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        let error = compilers.host().args(arguments).exec();
        Err(error).with_context(|| format!("cannot run {}", compilers.host[0].to_string_lossy()))
    }
    #[cfg(not(unix))]
    run_host(compilers, arguments)
}

fn run_host<A: AsRef<OsStr>>(compilers: &Compilers, arguments: &[A]) -> Result<ExitCode> {
    let status = compilers.host().args(arguments).status();
    Ok(exit_code(status.with_context(|| format!("cannot run {}", compilers.host[0].to_string_lossy()))?))
}

/// Adds the settings to the list that cargo compares to decide whether the crate is fresh.
fn depend_on_settings(settings: &Settings, dep_info: &Path) -> Result<()> {
    // rustc writes none where it fails.
    let Ok(mut file) = OpenOptions::new().append(true).open(dep_info) else { return Ok(()) };
    writeln!(file, "\n# env-dep:{FINGERPRINT}={}", settings.fingerprint())
        .with_context(|| format!("cannot write {}", dep_info.display()))
}

fn remove_if_there(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", path.display()))
        }
        _ => Ok(()),
    }
}
