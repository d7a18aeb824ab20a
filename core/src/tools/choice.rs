//! `SPELT_TOOLS`: tools without a line of code.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::check::Check;
use super::installed::{are_listening, install, is_nothing_to_do, is_read, set_read, silently};
use super::kokkos;
use super::log::Log;
use super::peak::{self, Caches, Rates};
use super::rank::Rank;
use super::summary::{Form, Summary};
use super::trace::Trace;
use super::tune::Tune;
use crate::{Error, Result, variable};

/// The environment's list of tools.
const VARIABLE: &str = "SPELT_TOOLS";

/// The environment's file of tuned settings.
const TUNE: &str = "SPELT_TUNE";

/// Installs the tools that the environment names, if that has not been done.
///
/// # Errors
/// [`ErrorKind::Configuration`](crate::ErrorKind::Configuration) if it names one that does not exist, each time.
pub(crate) fn check() -> Result<()> {
    /// Held by the thread that installs them.
    static INSTALLING: Mutex<()> = Mutex::new(());
    let _installing = INSTALLING.lock().unwrap_or_else(PoisonError::into_inner);
    if !is_read() {
        read()?;
        // A library that is being opened makes no events, and if it ends the program, no tool waits for this lock.
        silently(kokkos::load);
        set_read();
    }
    Ok(())
}

/// Whether a tool is installed, by the environment too, which an event before the first launch reads.
///
/// Where nothing listens, it is one relaxed load and a branch.
#[inline(always)]
pub(crate) fn is_heard() -> bool {
    #[cold]
    #[inline(never)]
    fn is_heard_or_unread() -> bool {
        if !is_read() {
            // A wrong value is the error of the next launch.
            let _ = check();
        }
        are_listening()
    }
    !is_nothing_to_do() && is_heard_or_unread()
}

fn read() -> Result<()> {
    let tuning = variable::read(TUNE)?;
    read_tools()?;
    // After the others, so that its times are those of the launches alone.
    if let Some(file) = tuning {
        match Tune::new(&Rank::file_of_process(Path::new(&file))) {
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
    let forms: Vec<Form> = tools.iter().filter_map(Choice::form).cloned().collect();
    let peak = if forms.is_empty() { None } else { peak::of_machine()? };
    let is_any_cost = forms.iter().any(|form| form.is_cost);
    let one_and_all = if is_any_cost { peak::of_one_and_all() } else { None };
    // A file that cannot be created is known before a tool is installed too.
    let (mut traces, mut checks) = (Vec::new(), Vec::new());
    for tool in &tools {
        match tool {
            Choice::Trace(file) => traces.push(trace(file, &text)?),
            Choice::Check(file, in_full) => checks.push(new_check(file.as_deref(), *in_full, &text)?),
            Choice::Log | Choice::Summary(_) => {}
        }
    }
    for trace in traces {
        install("trace", trace);
    }
    for check in checks {
        install("check", check);
    }
    if tools.iter().any(|tool| matches!(tool, Choice::Log)) {
        install("log", Log::default());
    }
    // One summary for all of its forms: a thread's state is that of one.
    if !forms.is_empty() {
        let is_disturbed = peak.is_none() && peak::is_measured();
        let caches = Caches::of_machine(peak.and_then(|peak| peak.threads));
        install("summary", Summary::new(forms, Rates { peak, one_and_all, is_disturbed, caches }));
    }
    Ok(())
}

enum Choice {
    /// The file, and the launch whose Views are written in full.
    Check(Option<PathBuf>, Option<u64>),
    Log,
    Trace(PathBuf),
    Summary(Form),
}

impl Choice {
    fn form(&self) -> Option<&Form> {
        match self {
            Self::Summary(form) => Some(form),
            _ => None,
        }
    }
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
        ("trace", Some(file)) if !file.is_empty() => Ok(Choice::Trace(file.into())),
        ("summary" | "cost", None | Some("")) if file.is_some() => Err(unknown(text)),
        (name @ ("summary" | "cost"), file) => {
            Ok(Choice::Summary(Form { is_cost: name == "cost", file: file.map(PathBuf::from) }))
        }
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

/// The check that writes to that file.
fn new_check(file: Option<&Path>, in_full: Option<u64>, text: &str) -> Result<Check> {
    let file = file.map(Rank::file_of_process);
    Check::new(file.clone(), in_full).map_err(|error| {
        let file = file.unwrap_or_default();
        variable::wrong(VARIABLE, text, &format!("{} cannot be created: {error}", file.display()))
    })
}

/// The trace in that file.
fn trace(file: &Path, text: &str) -> Result<Trace> {
    Trace::create(file).map_err(|reason| variable::wrong(VARIABLE, text, &reason))
}

fn unknown(text: &str) -> Error {
    variable::wrong(
        VARIABLE,
        text,
        "write a list of `log`, `summary`, `cost`, `trace:FILE`, `check`, with commas between them, or leave it unset; `summary:FILE` and \
         `cost:FILE` write files (text, or by its name `.json` or `.csv`), as do `check:FILE` and `check:FILE:LAUNCH`",
    )
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::{Choice, Form, parse};

    #[test]
    fn choices() {
        assert!(matches!(parse("Log", ""), Ok(Choice::Log)));
        let form = |is_cost, file: Option<&str>| Form { is_cost, file: file.map(PathBuf::from) };
        for (text, wanted) in [
            ("summary", form(false, None)),
            ("summary: a:b.json", form(false, Some("a:b.json"))),
            ("COST", form(true, None)),
            ("cost:c", form(true, Some("c"))),
        ] {
            let Ok(Choice::Summary(form)) = parse(text, "") else { panic!("a summary") };
            assert_eq!(form, wanted);
        }
        let check = |text| match parse(text, "") {
            Ok(Choice::Check(file, in_full)) => (file.map(|file| file.display().to_string()), in_full),
            _ => panic!("{text} is a check"),
        };
        assert_eq!(check("check"), (None, None));
        assert_eq!(check("check:a"), (Some("a".to_owned()), None));
        assert_eq!(check("Check: a:b"), (Some("a:b".to_owned()), None));
        assert_eq!(check("check:a:17"), (Some("a".to_owned()), Some(17)));
        for wrong in ["", "log:x", "summary:", "cost: ", "trace", "trace: ", "check:", "sum mary"] {
            let text = parse(wrong, "the list").err().expect("an error").to_string();
            assert!(text.starts_with("SPELT_TOOLS is `the list`: write a list of"), "{text}");
        }
    }
}
