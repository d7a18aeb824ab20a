//! Host and device at the same time: rustc compiles a program for the host while its device code is made, and its linker
//! waits for the object.
//!
//! The linker that rustc calls is this executable. It waits for the gate, a file that the wrapper holds locked while the
//! device code is being made, and then becomes the real linker, with one object more. Where the linker is not the usual one
//! of this system, the wrapper does one after the other instead.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use anyhow::{Context, Result};

use super::Compilers;
use super::arguments::Arguments;
use super::unit::Unit;
use crate::build::exit_code;

/// Names the gate. The variable also tells the executable that it is the linker.
const GATE: &str = "__SPELT_GATE";

/// The default linker of rustc. Source: rustc's targets `*-linux-gnu`.
const LINKER: &str = "cc";

/// The content of the gate if the program has no kernels: no path is so short.
const NOTHING: &str = "-";

/// A run of rustc for the host whose linker waits.
pub(super) struct HostRun {
    rustc: Child,
    gate: Gate,
    /// Passes on rustc's messages.
    relay: Option<JoinHandle<()>>,
    /// Whether the linker fails because there is no device code, which is already reported.
    is_refused: Arc<AtomicBool>,
}

/// A locked file; empty until the device code is there.
struct Gate {
    path: PathBuf,
    file: File,
}

impl Drop for Gate {
    fn drop(&mut self) {
        // The linker has it open already, or does not come any more.
        drop(std::fs::remove_file(&self.path));
    }
}

/// Whether a linker can wait for this program.
fn can_wait(compilers: &Compilers, arguments: &Arguments, unit: &Unit) -> bool {
    let is_usual = cfg!(all(target_os = "linux", target_env = "gnu")) && unit.target.is_none();
    let is_named = ["linker", "linker-flavor"].iter().any(|name| arguments.codegen(name).is_some());
    is_usual && !is_named && compilers.host.len() == 1
}

impl HostRun {
    /// Starts rustc. `None` where its linker cannot wait.
    pub(super) fn start(
        compilers: &Compilers,
        arguments: &Arguments,
        unit: &Unit,
        folder: &Path,
    ) -> Result<Option<Self>> {
        if !can_wait(compilers, arguments, unit) {
            return Ok(None);
        }
        let path = folder.join(format!("gate-{}", std::process::id()));
        let file = File::create(&path).with_context(|| format!("cannot create {}", path.display()))?;
        let gate = Gate { path, file };
        // Some file systems know no locks.
        if gate.file.try_lock().is_err() {
            return Ok(None);
        }
        let this = std::env::current_exe().context("the path of this executable is unknown")?;
        let mut arguments = arguments.clone();
        arguments.push_codegen("linker", &this.to_string_lossy());
        let mut command = compilers.host();
        command.args(arguments.to_words()).env(GATE, &gate.path);
        if unit.wants_json {
            command.stderr(Stdio::piped());
        }
        let mut rustc =
            command.spawn().with_context(|| format!("cannot run {}", compilers.host[0].to_string_lossy()))?;
        let is_refused = Arc::new(AtomicBool::new(false));
        let relay = rustc.stderr.take().map(|messages| {
            let is_refused = Arc::clone(&is_refused);
            std::thread::spawn(move || relay(BufReader::new(messages), &is_refused))
        });
        Ok(Some(Self { rustc, gate, relay, is_refused }))
    }

    /// Lets the linker continue, with the object if the program has kernels, and waits for rustc.
    pub(super) fn finish(mut self, object: Option<&Path>) -> Result<ExitCode> {
        let text = object.map_or(OsStr::new(NOTHING), Path::as_os_str);
        self.gate
            .file
            .write_all(text.as_encoded_bytes())
            .with_context(|| format!("cannot write {}", self.gate.path.display()))?;
        self.wait()
    }

    /// Makes the linker fail and waits for rustc. Success if rustc got as far as the linker.
    pub(super) fn refuse(mut self) -> Result<ExitCode> {
        self.is_refused.store(true, Ordering::Relaxed);
        let code = self.wait()?;
        let has_linked = !self.gate.path.exists();
        Ok(if has_linked { ExitCode::SUCCESS } else { code })
    }

    fn wait(&mut self) -> Result<ExitCode> {
        self.gate.file.unlock().context("cannot unlock a file of the target folder")?;
        let status = self.rustc.wait().context("cannot wait for rustc")?;
        if let Some(relay) = self.relay.take() {
            drop(relay.join());
        }
        Ok(exit_code(status))
    }
}

/// Passes rustc's messages on, except the one about the failed linker.
fn relay(messages: impl BufRead, is_refused: &AtomicBool) {
    for line in messages.split(b'\n').map_while(Result::ok) {
        let is_news = !is_refused.load(Ordering::Relaxed)
            || memchr::memmem::find(&line, b"\"message\":\"linking with `").is_none();
        if is_news {
            let mut line = line;
            line.push(b'\n');
            // Without standard error, errors cannot be reported.
            drop(std::io::stderr().write_all(&line));
        }
    }
}

/// The linker that rustc calls: waits for the device code, then links. `None` if this executable was not called so.
pub(crate) fn run(arguments: &[OsString]) -> Option<Result<ExitCode>> {
    let gate = std::env::var_os(GATE)?;
    Some(link(Path::new(&gate), arguments))
}

fn link(gate: &Path, arguments: &[OsString]) -> Result<ExitCode> {
    let file = File::open(gate).with_context(|| format!("cannot open {}", gate.display()))?;
    file.lock_shared().with_context(|| format!("cannot lock {}", gate.display()))?;
    let object = std::io::read_to_string(file).with_context(|| format!("cannot read {}", gate.display()))?;
    if object.is_empty() {
        // The sign for the wrapper that rustc has found nothing wrong.
        drop(std::fs::remove_file(gate));
        return Ok(ExitCode::FAILURE);
    }
    let mut command = Command::new(LINKER);
    command.args(arguments).env_remove(GATE);
    if object != NOTHING {
        command.arg(object);
    }
    let status = command.status().with_context(|| format!("cannot run the linker `{LINKER}`"))?;
    Ok(exit_code(status))
}
