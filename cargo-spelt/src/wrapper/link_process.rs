//! The link itself, in a separate process: damaged bitcode can make LLVM crash or exit.
//!
//! The process is this executable. It gets the input as arguments and prints its reply as JSON. If it dies instead, each
//! file is checked in another process, so that the error names the file.

use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Output, Stdio};

use anyhow::{Context, Result, anyhow, bail, ensure};
use serde_json::{Value, json};
use spelt_device_link::{Error, Input, Llvm, Options};

use super::diagnostics;
use crate::settings::Settings;
use crate::slot::{Kernel, Linked};

/// The task of the process. The variable also tells the executable that it is that process.
const TASK: &str = "__SPELT_LINK_TASK";
const LINK: &str = "link";
const EXAMINE: &str = "examine";
const CHECK: &str = "check";

/// The outcome of a link.
#[derive(Debug)]
pub(super) enum Reply {
    Linked {
        linked: Linked,
        ptx: String,
        ir: String,
    },
    /// Kernels that cannot run on a device: the messages in rustc's form.
    Refused(Vec<Value>),
}

/// Links `input` with the libLLVM at `llvm`.
pub(super) fn link(llvm: &Path, settings: &Settings, input: &Input) -> Result<Reply> {
    let this = std::env::current_exe().context("the path of this executable is unknown")?;
    link_by(&this, llvm, settings, input)
}

/// The reply to [`EXAMINE`].
#[derive(Debug)]
pub(super) struct Examined {
    pub(super) kernels: u64,
    /// The messages in rustc's form.
    pub(super) found: Vec<Value>,
}

/// Checks the first crate of `input` with the libLLVM at `llvm`.
pub(super) fn examine(llvm: &Path, settings: &Settings, input: &Input) -> Result<Examined> {
    let this = std::env::current_exe().context("the path of this executable is unknown")?;
    let mut reply = ask(&this, EXAMINE, llvm, settings, input)?;
    match (reply["kernels"].as_u64(), reply["found"].take()) {
        (Some(kernels), Value::Array(found)) => Ok(Examined { kernels, found }),
        _ => Err(anyhow!("the link's process gave no list of messages")),
    }
}

/// [`link`] by this program, which gets its task by [`TASK`].
fn link_by(program: &Path, llvm: &Path, settings: &Settings, input: &Input) -> Result<Reply> {
    let mut reply = ask(program, LINK, llvm, settings, input)?;
    if let Value::Array(messages) = reply["refused"].take() {
        return Ok(Reply::Refused(messages));
    }
    let linked = Linked::from_json(&reply).context("the link's process gave no list of kernels")?;
    let mut text = |name: &str| match reply[name].take() {
        Value::String(text) => Ok(text),
        _ => Err(anyhow!("the link's process gave no `{name}`")),
    };
    Ok(Reply::Linked { linked, ptx: text("ptx")?, ir: text("ir")? })
}

/// The answer of `program` to a task about `input`.
fn ask(program: &Path, task: &str, llvm: &Path, settings: &Settings, input: &Input) -> Result<Value> {
    let version = settings.ptx_version.map_or(String::new(), |version| version.to_string());
    let mut arguments: Vec<&OsStr> = vec![llvm.as_os_str(), settings.arch.as_ref(), version.as_ref()];
    let count = input.crates.len().to_string();
    arguments.push(count.as_ref());
    arguments.extend(input.crates.iter().chain(&input.archives).map(|path| path.as_os_str()));
    let output = run(program, task, &arguments)?;
    if !output.status.success() {
        let all: Vec<&PathBuf> = input.crates.iter().chain(&input.archives).collect();
        bail!("{}{}", death(output.status, &output.stderr), blame(program, llvm, &all));
    }
    let reply: Value = serde_json::from_slice(&output.stdout).context("the link's process gave no JSON")?;
    if let Some(error) = reply["error"].as_str() {
        // Archives are not the cause: LLVM has verified the parts that it read with the rest.
        let crates: Vec<&PathBuf> = input.crates.iter().collect();
        bail!(
            "{error}{}",
            if reply["by_llvm"] == true { blame(program, llvm, &crates) } else { String::new() }
        );
    }
    Ok(reply)
}

/// The settings of glibc's allocator.
const TUNABLES: &str = "GLIBC_TUNABLES";

/// The settings, for LLVM's hundreds of megabytes of small objects: huge pages where the system gives them on request, since a sixth of a
/// link's time was the processor's search for small pages; and freed objects are kept for the next of their size, since a tenth was
/// their joining and splitting. Other C libraries ignore them.
fn for_llvm(others: Option<OsString>) -> OsString {
    let mut settings = others.filter(|others| !others.is_empty()).map_or_else(OsString::new, |mut others| {
        others.push(":");
        others
    });
    settings.push("glibc.malloc.hugetlb=1:glibc.malloc.tcache_count=65535");
    settings
}

fn run(program: &Path, task: &str, arguments: &[&OsStr]) -> Result<Output> {
    Command::new(program)
        .args(arguments)
        .env(TASK, task)
        .env(TUNABLES, for_llvm(std::env::var_os(TUNABLES)))
        .stdin(Stdio::null())
        .output()
        .context("cannot start a process for the link")
}

/// The process's exit status, with its last message.
fn death(status: ExitStatus, words: &[u8]) -> String {
    let mut text = format!("LLVM ended the link's process ({status})");
    // LLVM prints the error first, and then the place in its own code.
    if let Some(line) = String::from_utf8_lossy(words).lines().find(|line| !line.trim().is_empty()) {
        _ = write!(text, ": {line}");
    }
    text
}

/// The damaged files among these, with advice.
fn blame(program: &Path, llvm: &Path, files: &[&PathBuf]) -> String {
    let is_damaged = |file: &&&PathBuf| {
        let output = run(program, CHECK, &[llvm.as_os_str(), file.as_os_str()]);
        output.is_ok_and(|output| !output.status.success())
    };
    let damaged: Vec<_> = files.iter().filter(is_damaged).collect();
    let mut text = String::new();
    for file in &damaged {
        _ = write!(text, "\n{} is damaged", file.display());
    }
    text + match damaged.len() {
        0 => {
            "\nLLVM can read each of the files alone. `cargo clean` and a new build show whether one was damaged"
        }
        1 => ": `cargo clean` removes it, and the next build makes it again",
        _ => "\n`cargo clean` removes them, and the next build makes them again",
    }
}

/// Performs the task of [`run`]. `None` if this executable was not called for it.
pub(crate) fn serve(arguments: &[OsString]) -> Option<Result<ExitCode>> {
    let task = std::env::var_os(TASK)?;
    Some(match task.to_str() {
        Some(LINK) => reply(arguments, |input, options| json_of(spelt_device_link::link(input, options))),
        Some(EXAMINE) => {
            reply(arguments, |input, options| of_examined(spelt_device_link::examine(input, options)))
        }
        Some(CHECK) => check(arguments),
        _ => Err(anyhow!("{TASK} is for cargo-spelt's own use")),
    })
}

fn reply(arguments: &[OsString], perform: impl FnOnce(&Input, &Options) -> Value) -> Result<ExitCode> {
    let [llvm, arch, version, crates, files @ ..] = arguments else { bail!("too few arguments") };
    let word = |word: &OsString| word.clone().into_string().map_err(|word| anyhow!("{word:?} is not UTF-8"));
    let mut options = Options::new(Llvm::open(Path::new(llvm))?);
    options.arch = word(arch)?.parse()?;
    options.ir = true;
    options.until_exit = true;
    options.ptx_version = match word(version)?.as_str() {
        "" => None,
        number => Some(number.parse()?),
    };
    let crates: usize = word(crates)?.parse()?;
    ensure!(crates <= files.len(), "too few files");
    let (crates, archives) = files.split_at(crates);
    let paths = |files: &[OsString]| files.iter().map(PathBuf::from).collect();
    let input = Input { crates: paths(crates), archives: paths(archives) };
    println!("{}", perform(&input, &options));
    Ok(ExitCode::SUCCESS)
}

fn json_of(result: Result<spelt_device_link::Output, Error>) -> Value {
    let output = match result {
        Ok(output) => output,
        Err(Error::Diagnostics(found)) => {
            return json!({ "refused": found.iter().map(diagnostics::of_kernel).collect::<Vec<_>>() });
        }
        Err(error) => return of_error(&error),
    };
    let kernels = output.kernels.into_iter().map(|kernel| {
        let file = kernel.file.unwrap_or_else(|| "?".to_owned());
        Kernel { symbol: kernel.symbol, label: kernel.label, file, line: kernel.line }
    });
    let warnings = output.warnings.iter().map(diagnostics::of_kernel).collect();
    let mut reply = Linked { kernels: kernels.collect(), warnings }.to_json();
    reply["ptx"] = output.ptx.into();
    reply["ir"] = output.ir.into();
    reply
}

fn of_examined(result: Result<spelt_device_link::Examined, Error>) -> Value {
    match result {
        Ok(examined) => {
            let found: Vec<_> = examined.found.iter().map(diagnostics::of_kernel).collect();
            json!({ "kernels": examined.kernels, "found": found })
        }
        Err(error) => of_error(&error),
    }
}

fn of_error(error: &Error) -> Value {
    json!({ "error": error.to_string(), "by_llvm": matches!(error, Error::Llvm(_)) })
}

fn check(arguments: &[OsString]) -> Result<ExitCode> {
    let [llvm, file] = arguments else { bail!("requires libLLVM and a file") };
    spelt_device_link::check(&Llvm::open(Path::new(llvm))?, Path::new(file))?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// A link that dies by a signal.
    const DEATH: &str =
        "echo >&2; echo 'LLVM ERROR: nothing works' >&2; echo 'stack dump' >&2; kill -SEGV $$";

    /// The error of a link by the shell instead of this executable, with a script in the place of libLLVM: `task` is the link. A check
    /// of a file whose name contains `bad` dies.
    fn error_of(task: &str, files: &[&str]) -> String {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("script");
        let check = "case \"$1\" in *bad*) kill -ABRT $$ ;; esac";
        let text = format!("case \"${TASK}\" in\n{LINK}) {task} ;;\n{CHECK}) {check} ;;\nesac\n");
        std::fs::write(&script, text).unwrap();
        let settings = Settings {
            arch: "sm_80".into(),
            ptx_version: None,
            slots: PathBuf::new(),
            progress: None,
            inner_wrapper: None,
            check: false,
            tool: String::new(),
        };
        let (crates, archives) = files.split_at(1);
        let paths = |files: &[&str]| files.iter().map(PathBuf::from).collect();
        let input = Input { crates: paths(crates), archives: paths(archives) };
        link_by(Path::new("/bin/sh"), &script, &settings, &input).unwrap_err().to_string()
    }

    #[test]
    fn the_callers_settings_of_the_allocator_stay() {
        let ours = "glibc.malloc.hugetlb=1:glibc.malloc.tcache_count=65535";
        assert_eq!(for_llvm(None), ours);
        assert_eq!(for_llvm(Some("".into())), ours);
        assert_eq!(
            for_llvm(Some("glibc.malloc.perturb=1".into())),
            format!("glibc.malloc.perturb=1:{ours}").as_str()
        );
    }

    #[test]
    fn a_link_that_dies_names_the_damaged_file() {
        let error = error_of(DEATH, &["good.bc", "bad.rlib"]);
        assert!(error.starts_with("LLVM ended the link's process (signal: 11 (SIGSEGV)"), "{error}");
        assert!(
            error.contains("): LLVM ERROR: nothing works\nbad.rlib is damaged: `cargo clean`"),
            "{error}"
        );
        assert!(!error.contains("good.bc") && !error.contains("stack dump"), "{error}");
        let error = error_of(DEATH, &["bad.bc", "good.bc", "bad.rlib"]);
        assert!(error.contains("\nbad.bc is damaged\nbad.rlib is damaged\n`cargo clean`"), "{error}");
    }

    #[test]
    fn a_link_that_dies_by_none_of_the_files_says_so() {
        let error = error_of(DEATH, &["good.bc", "good.rlib"]);
        assert!(error.contains("LLVM can read each of the files alone"), "{error}");
        assert!(!error.contains("is damaged"), "{error}");
    }

    #[test]
    fn a_refusal_blames_crates_and_only_where_llvm_refuses() {
        for (by_llvm, end) in [("true", "\nbad.bc is damaged: `cargo clean` removes it"), ("false", "")] {
            let task = format!(r#"echo '{{"error": "unreadable", "by_llvm": {by_llvm}}}'"#);
            let error = error_of(&task, &["bad.bc", "bad.rlib"]);
            assert!(error.starts_with(&format!("unreadable{end}")), "{error}");
            assert_eq!(error.contains("is damaged"), by_llvm == "true", "{error}");
            assert!(!error.contains("bad.rlib"), "{error}");
        }
    }
}
