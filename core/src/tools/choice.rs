//! `SPELT_TOOLS`: tools without a line of code.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use super::installed::{are_listening, install, silently};
use super::kokkos;
use super::log::Log;
use super::peak;
use super::summary::Summary;
use super::trace::Trace;
use crate::{Error, ErrorKind, Result, variable};

/// The environment's list of tools.
const VARIABLE: &str = "SPELT_TOOLS";

/// Installs the tools that the environment names, if that has not been done.
///
/// # Errors
/// [`ErrorKind::Configuration`](crate::ErrorKind::Configuration) if it names one that does not exist, each time.
pub(crate) fn check() -> Result<()> {
    /// Whether they are installed: by one thread.
    static INSTALLED: Mutex<bool> = Mutex::new(false);
    let mut installed = INSTALLED.lock().unwrap_or_else(PoisonError::into_inner);
    if !*installed {
        read()?;
        // A library that is being opened makes no events, and if it ends the program, no tool waits for this lock.
        silently(kokkos::load);
        *installed = true;
    }
    Ok(())
}

/// Whether a tool is installed, by the environment too, which an event before the first launch reads.
#[inline(always)]
pub(crate) fn is_heard() -> bool {
    static CHECKED: AtomicBool = AtomicBool::new(false);
    /// A wrong value is the error of the next launch.
    #[cold]
    #[inline(never)]
    fn is_checked() {
        if check().is_ok() {
            CHECKED.store(true, Ordering::Relaxed);
        }
    }
    if !CHECKED.load(Ordering::Relaxed) {
        is_checked();
    }
    are_listening()
}

fn read() -> Result<()> {
    let Some(text) = variable::read(VARIABLE)? else { return Ok(()) };
    // All are known before one is installed.
    let tools: Vec<Choice> =
        text.split(',').map(|choice| parse(choice.trim(), &text)).collect::<Result<_>>()?;
    let needs_peak = tools.iter().any(|tool| matches!(tool, Choice::Summary(_)));
    let peak = if needs_peak { peak::of_machine()? } else { None };
    // A file that cannot be created is known before a tool is installed too.
    let mut traces = Vec::new();
    for tool in &tools {
        if let Choice::Trace(file) = tool {
            traces.push(trace(file)?);
        }
    }
    for trace in traces {
        install("trace", trace);
    }
    // One summary for all of its forms: a thread's state is that of one.
    let mut forms = Vec::new();
    for tool in tools {
        match tool {
            Choice::Trace(_) => {}
            Choice::Log => install("log", Log::default()),
            Choice::Summary(file) => forms.push(file),
        }
    }
    if !forms.is_empty() {
        install("summary", Summary::new(forms, peak));
    }
    Ok(())
}

enum Choice {
    Log,
    Trace(PathBuf),
    Summary(Option<PathBuf>),
}

fn parse(choice: &str, text: &str) -> Result<Choice> {
    let (name, file) = match choice.split_once(':') {
        Some((name, file)) => (name.trim(), Some(file.trim())),
        None => (choice, None),
    };
    match (name.to_ascii_lowercase().as_str(), file) {
        ("log", None) => Ok(Choice::Log),
        ("trace", Some(file)) if !file.is_empty() => Ok(Choice::Trace(file.into())),
        ("summary", None) => Ok(Choice::Summary(None)),
        ("summary", Some(file)) if !file.is_empty() => Ok(Choice::Summary(Some(file.into()))),
        _ => Err(unknown(text)),
    }
}

/// The trace in that file.
fn trace(file: &Path) -> Result<Trace> {
    Trace::create(file).map_err(|reason| {
        let message = format!("{VARIABLE}: the trace cannot be written to {reason}: choose another file");
        Error::new(ErrorKind::Configuration, message)
    })
}

fn unknown(text: &str) -> Error {
    variable::wrong(
        VARIABLE,
        text,
        "write a list of `log`, `summary`, `summary:FILE` (text, or by its name `.json` or `.csv`) and `trace:FILE`, with commas \
         between them, or leave it unset",
    )
}

#[cfg(test)]
mod tests {
    use super::{Choice, parse};

    #[test]
    fn choices() {
        assert!(matches!(parse("Log", ""), Ok(Choice::Log)));
        assert!(matches!(parse("summary", ""), Ok(Choice::Summary(None))));
        let Ok(Choice::Summary(Some(file))) = parse("summary: a:b.json", "") else { panic!("a file") };
        assert_eq!(file.to_str(), Some("a:b.json"));
        for wrong in ["", "log:x", "summary:", "trace", "trace: ", "sum mary"] {
            let text = parse(wrong, "the list").err().expect("an error").to_string();
            assert!(text.starts_with("SPELT_TOOLS is `the list`: write a list of"), "{text}");
        }
    }
}
