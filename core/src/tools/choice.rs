//! `SPELT_TOOLS`: tools without a line of code.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use super::check::Check;
use super::installed::{are_listening, install};
use super::log::Log;
use super::summary::Summary;
use super::tune::Tune;
use crate::{Error, Result, variable};

/// The environment's list of tools.
const VARIABLE: &str = "SPELT_TOOLS";

/// The environment's rate of the machine's memory, for the summary. Unit: GB/s.
const PEAK: &str = "SPELT_TOOLS_PEAK";

/// The environment's file of tuned settings.
const TUNE: &str = "SPELT_TUNE";

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
    read_tools()?;
    // After the others, so that its times are those of the launches alone.
    if let Some(file) = variable::read(TUNE)? {
        match Tune::new(Path::new(&file)) {
            Ok(tune) => install("tune", tune),
            // Settings change no result, so the program goes on, and the file is left as it is.
            Err(reason) => eprintln!(
                "SPELT_TUNE: nothing is tuned, since {file} cannot be used: {reason}. Correct or remove the file, or unset the variable"
            ),
        }
    }
    Ok(())
}

fn read_tools() -> Result<()> {
    let Some(text) = variable::read(VARIABLE)? else { return Ok(()) };
    // All are known before one is installed.
    let tools: Vec<Choice> =
        text.split(',').map(|choice| parse(choice.trim(), &text)).collect::<Result<_>>()?;
    let peak = variable::read(PEAK)?.map(|text| rate(&text)).transpose()?;
    let mut checks = Vec::new();
    for tool in &tools {
        if let Choice::Check(file, in_full) = tool {
            let check = Check::new(file.clone(), *in_full);
            checks.push(check.map_err(|error| not_created(&text, file.as_deref(), &error))?);
        }
    }
    let mut checks = checks.into_iter();
    for tool in tools {
        match tool {
            Choice::Check(..) => checks.by_ref().take(1).for_each(|check| install("check", check)),
            Choice::Log => install("log", Log::default()),
            Choice::Summary(file) => install("summary", Summary::new(file, peak)),
        }
    }
    Ok(())
}

enum Choice {
    /// The file, and the launch whose Views are written in full.
    Check(Option<PathBuf>, Option<u64>),
    Log,
    Summary(Option<PathBuf>),
}

fn parse(choice: &str, text: &str) -> Result<Choice> {
    let (name, file) = match choice.split_once(':') {
        Some((name, file)) => (name.trim(), Some(file.trim())),
        None => (choice, None),
    };
    match (name.to_ascii_lowercase().as_str(), file) {
        ("check", None) => Ok(Choice::Check(None, None)),
        ("check", Some(file)) if !file.is_empty() => Ok(check_of(file)),
        ("log", None) => Ok(Choice::Log),
        ("summary", None) => Ok(Choice::Summary(None)),
        ("summary", Some(file)) if !file.is_empty() => Ok(Choice::Summary(Some(file.into()))),
        _ => Err(unknown(text)),
    }
}

/// The choice of `check:FILE` or `check:FILE:LAUNCH`.
fn check_of(text: &str) -> Choice {
    if let Some((file, number)) = text.rsplit_once(':')
        && let (false, Ok(number)) = (file.is_empty(), number.parse())
    {
        return Choice::Check(Some(file.into()), Some(number));
    }
    Choice::Check(Some(text.into()), None)
}

fn not_created(text: &str, file: Option<&Path>, error: &std::io::Error) -> Error {
    let file = file.unwrap_or(Path::new("")).display();
    variable::wrong(VARIABLE, text, &format!("{file} cannot be created: {error}"))
}

/// A rate above zero.
fn rate(text: &str) -> Result<f64> {
    match text.parse() {
        Ok(rate) if rate > 0.0 && f64::is_finite(rate) => Ok(rate),
        _ => Err(variable::wrong(
            PEAK,
            text,
            "write the rate of the memory in GB/s, such as `40.5`, or leave it unset",
        )),
    }
}

fn unknown(text: &str) -> Error {
    variable::wrong(
        VARIABLE,
        text,
        "write a list of `log`, `summary`, `summary:FILE` (text, or by its name `.json` or `.csv`), `check`, `check:FILE` and \
         `check:FILE:LAUNCH`, with commas between them, or leave it unset",
    )
}

#[cfg(test)]
mod tests {
    use super::{Choice, parse, rate};

    #[test]
    fn choices() {
        assert!(matches!(parse("Log", ""), Ok(Choice::Log)));
        assert!(matches!(parse("summary", ""), Ok(Choice::Summary(None))));
        let Ok(Choice::Summary(Some(file))) = parse("summary: a:b.json", "") else { panic!("a file") };
        assert_eq!(file.to_str(), Some("a:b.json"));
        let check = |text| match parse(text, "") {
            Ok(Choice::Check(file, in_full)) => (file.map(|file| file.display().to_string()), in_full),
            _ => panic!("{text} is a check"),
        };
        assert_eq!(check("check"), (None, None));
        assert_eq!(check("check:a"), (Some("a".to_owned()), None));
        assert_eq!(check("Check: a:b"), (Some("a:b".to_owned()), None));
        assert_eq!(check("check:a:17"), (Some("a".to_owned()), Some(17)));
        for wrong in ["check:", "", "log:x", "summary:", "trace", "sum mary"] {
            let text = parse(wrong, "the list").err().expect("an error").to_string();
            assert!(text.starts_with("SPELT_TOOLS is `the list`: write a list of"), "{text}");
        }
    }

    #[test]
    fn rates() {
        assert_eq!(rate("40.5").expect("a rate"), 40.5);
        for wrong in ["0", "-1", "NaN", "inf", "40 GB/s"] {
            let text = rate(wrong).expect_err("no rate").to_string();
            assert!(text.starts_with(&format!("SPELT_TOOLS_PEAK is `{wrong}`: write the rate")), "{text}");
        }
    }
}
