//! The environment variables of the ranks.

use std::time::Duration;

use spelt_core::{Error, ErrorKind, Result};

use crate::wire::FIRST;

/// Whether MPI is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Switch {
    Off,
    On,
    /// Where a launcher started the process.
    Launched,
}

/// The value of `SPELT_MPI`.
pub(crate) fn switch() -> Result<Switch> {
    switch_of(std::env::var("SPELT_MPI").ok().as_deref())
}

fn switch_of(value: Option<&str>) -> Result<Switch> {
    match value.map(|value| value.trim().to_ascii_lowercase()).as_deref() {
        None | Some("") => Ok(Switch::Launched),
        Some("off") => Ok(Switch::Off),
        Some("on") => Ok(Switch::On),
        Some(other) => Err(wrong("SPELT_MPI", other, "choose on or off, or leave it unset")),
    }
}

/// The value of `SPELT_MPI_TIMEOUT`.
pub(crate) fn timeout() -> Result<Option<Duration>> {
    timeout_of(std::env::var("SPELT_MPI_TIMEOUT").ok().as_deref())
}

fn timeout_of(value: Option<&str>) -> Result<Option<Duration>> {
    let Some(text) = value.map(str::trim).filter(|text| !text.is_empty()) else { return Ok(None) };
    match seconds(text) {
        Some(duration) => Ok(Some(duration)),
        None => Err(wrong(
            "SPELT_MPI_TIMEOUT",
            text,
            "give a number of seconds above 0, or leave it unset for no limit",
        )),
    }
}

/// The time after which a wait is reported. Unit: seconds. Source: longer than the steps of most programs, shorter than a person's patience.
const REPORT: Duration = Duration::from_secs(20);

/// The value of `SPELT_MPI_REPORT`.
pub(crate) fn report() -> Result<Option<Duration>> {
    report_of(std::env::var("SPELT_MPI_REPORT").ok().as_deref())
}

fn report_of(value: Option<&str>) -> Result<Option<Duration>> {
    let Some(text) = value.map(str::trim).filter(|text| !text.is_empty()) else { return Ok(Some(REPORT)) };
    if text.eq_ignore_ascii_case("off") {
        return Ok(None);
    }
    match seconds(text) {
        Some(duration) => Ok(Some(duration)),
        None => Err(wrong(
            "SPELT_MPI_REPORT",
            text,
            "give a number of seconds above 0, or off, or leave it unset for 20 s",
        )),
    }
}

/// The value of `SPELT_MPI_DEVICE_MEMORY`: whether messages may take the memory of devices.
pub(crate) fn device_memory() -> Result<bool> {
    device_memory_of(std::env::var("SPELT_MPI_DEVICE_MEMORY").ok().as_deref())
}

fn device_memory_of(value: Option<&str>) -> Result<bool> {
    match value.map(|value| value.trim().to_ascii_lowercase()).as_deref() {
        None | Some("") => Ok(true),
        Some("off") => Ok(false),
        Some(other) => {
            Err(wrong("SPELT_MPI_DEVICE_MEMORY", other, "choose off, or leave it unset to ask the library"))
        }
    }
}

/// Bytes of the longest message: the counts of MPI's calls have 31 bits, and 1 GiB is far from their end.
const LONGEST: usize = 1 << 30;

/// The value of `SPELT_MPI_LONGEST_MESSAGE`, by which tests have short messages cut as others are at 1 GiB. It is the same on all ranks.
pub(crate) fn longest_message() -> Result<usize> {
    longest_of(std::env::var("SPELT_MPI_LONGEST_MESSAGE").ok().as_deref())
}

fn longest_of(value: Option<&str>) -> Result<usize> {
    let Some(text) = value.map(str::trim).filter(|text| !text.is_empty()) else { return Ok(LONGEST) };
    let bytes = text.parse().ok().filter(|bytes| (FIRST..=LONGEST).contains(bytes));
    bytes.ok_or_else(|| {
        let remedy = format!("give a number of bytes from {FIRST} to {LONGEST}, or leave it unset");
        wrong("SPELT_MPI_LONGEST_MESSAGE", text, &remedy)
    })
}

/// A number of seconds above 0.
fn seconds(text: &str) -> Option<Duration> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| *seconds > 0.0);
    seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
}

fn wrong(variable: &str, value: &str, remedy: &str) -> Error {
    Error::new(ErrorKind::Configuration, format!("{variable} is `{value}`: {remedy}"))
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, REPORT, Switch, device_memory_of, longest_of, report_of, switch_of, timeout_of};
    use std::time::Duration;

    #[test]
    fn the_switch() {
        assert_eq!(switch_of(None).expect("unset"), Switch::Launched);
        assert_eq!(switch_of(Some(" OFF ")).expect("a choice"), Switch::Off);
        assert_eq!(switch_of(Some("on")).expect("a choice"), Switch::On);
        let error = switch_of(Some("no")).expect_err("not a choice").to_string();
        assert_eq!(error, "SPELT_MPI is `no`: choose on or off, or leave it unset");
    }

    #[test]
    fn memory_of_devices() {
        assert!(device_memory_of(None).expect("unset"));
        assert!(!device_memory_of(Some("Off ")).expect("a choice"));
        // A library that does not say so would follow an address of a device.
        let error = device_memory_of(Some("on")).expect_err("not a choice").to_string();
        assert_eq!(
            error,
            "SPELT_MPI_DEVICE_MEMORY is `on`: choose off, or leave it unset to ask the library"
        );
    }

    #[test]
    fn seconds() {
        assert_eq!(timeout_of(None).expect("unset"), None);
        assert_eq!(timeout_of(Some(" 1.5 ")).expect("a number"), Some(Duration::from_millis(1500)));
        for wrong in ["0", "-1", "NaN", "inf", "1e300", "ten"] {
            let error = timeout_of(Some(wrong)).expect_err("no time").to_string();
            assert!(error.starts_with(&format!("SPELT_MPI_TIMEOUT is `{wrong}`: give")), "{error}");
        }
    }

    #[test]
    fn longest_messages() {
        assert_eq!(longest_of(None).expect("unset"), LONGEST);
        assert_eq!(longest_of(Some(" 4096 ")).expect("a number"), 4096);
        for wrong in ["4095", "-1", "1073741825", "1 GiB"] {
            let error = longest_of(Some(wrong)).expect_err("refused").to_string();
            assert!(error.starts_with(&format!("SPELT_MPI_LONGEST_MESSAGE is `{wrong}`: give")), "{error}");
        }
    }

    #[test]
    fn reports() {
        assert_eq!(report_of(None).expect("unset"), Some(REPORT));
        assert_eq!(report_of(Some("Off")).expect("a choice"), None);
        assert_eq!(report_of(Some("0.5")).expect("a number"), Some(Duration::from_millis(500)));
        let error = report_of(Some("-1")).expect_err("no time").to_string();
        assert!(error.starts_with("SPELT_MPI_REPORT is `-1`: give"), "{error}");
    }
}
