//! The rate of the machine's memory, which no kernel of much data exceeds.
//!
//! | file | concept |
//! |---|---|
//! | `streams.rs` | the measurement |
//! | `cache.rs` | rates that were measured before |

mod cache;
mod streams;

use std::fs::read_to_string;

use self::cache::{Cache, Key};
use crate::{Result, variable};

/// The environment's rate of the machine's memory. Unit: GB/s.
const VARIABLE: &str = "SPELT_TOOLS_PEAK";

/// The rate of the memory, and where it comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Peak {
    /// Unit: GB/s.
    pub(super) rate: f64,
    /// The number of threads that it was measured with; `None` if the user has given it.
    pub(super) threads: Option<usize>,
}

/// The rate of this machine: that of the environment, one that was measured before, or one that is measured now, in half a second.
///
/// `None` if the environment says `off`, and in builds with debug assertions, whose loops are not those of the program.
///
/// # Errors
/// [`ErrorKind::Configuration`](crate::ErrorKind::Configuration) if `SPELT_TOOLS_PEAK` is neither a rate nor `off`.
pub(super) fn of_machine() -> Result<Option<Peak>> {
    match variable::read(VARIABLE)? {
        Some(text) if text.eq_ignore_ascii_case("off") => Ok(None),
        Some(text) => Ok(Some(Peak { rate: rate(&text)?, threads: None })),
        None if cfg!(debug_assertions) => Ok(None),
        None => Ok(Some(of_threads(threads()))),
    }
}

/// The rate that this number of threads reaches: one that was measured before, or one that is measured now.
pub(super) fn of_threads(threads: usize) -> Peak {
    let key = Key { processor: processor(), threads };
    let cache = Cache::of_user();
    let known = cache.as_ref().and_then(|cache| cache.read(&key));
    let rate = known.unwrap_or_else(|| {
        let rate = streams::measure(threads);
        // Without a cache the next run measures again.
        if let Some(cache) = &cache {
            let _ = cache.write(&key, rate);
        }
        rate
    });
    Peak { rate, threads: Some(threads) }
}

/// The number of threads that programs have by default.
pub(super) fn threads() -> usize {
    let of_user = std::env::var("SPELT_NUM_THREADS").ok().and_then(|text| text.trim().parse().ok());
    let of_machine = || std::thread::available_parallelism().map_or(1, |threads| threads.get());
    of_user.filter(|&threads| threads > 0).unwrap_or_else(of_machine)
}

/// The processor's name, or its architecture.
fn processor() -> String {
    let named = read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    });
    named.unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

/// A rate above zero.
fn rate(text: &str) -> Result<f64> {
    match text.parse() {
        Ok(rate) if rate > 0.0 && f64::is_finite(rate) => Ok(rate),
        _ => Err(variable::wrong(
            VARIABLE,
            text,
            "write the rate of the memory in GB/s, such as `40.5`, or `off`, or leave it unset",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::rate;

    #[test]
    fn rates() {
        assert_eq!(rate("40.5").expect("a rate"), 40.5);
        for wrong in ["0", "-1", "NaN", "inf", "40 GB/s"] {
            let text = rate(wrong).expect_err("no rate").to_string();
            assert!(text.starts_with(&format!("SPELT_TOOLS_PEAK is `{wrong}`: write the rate")), "{text}");
        }
    }
}
