//! The rate of the machine's memory, which no kernel of much data exceeds.
//!
//! | file | concept |
//! |---|---|
//! | `streams.rs` | the measurement |
//! | `cache.rs` | rates that were measured before |
//! | `last_cache.rs` | the size of the caches beside it |

mod cache;
mod last_cache;
mod streams;

use self::cache::{Cache, Key};
pub(super) use self::last_cache::last_cache;
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

/// The rates that tools compare with.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Rates {
    /// That of the program's threads.
    pub(super) peak: Option<Peak>,
    /// For forecasts: those of one thread, and of as many as there are processors.
    pub(super) one_and_all: Option<[Peak; 2]>,
    /// The size of the last caches of all processors, 0 where it is unknown. Unit: bytes.
    pub(super) cache_bytes: u64,
}

/// The rate of this machine: that of the environment, one that was measured before, or one that is measured now, in half a second.
///
/// It is measured again if the environment says `measure`; of two rates that the environment gives, it is the second. `None` if it says `off`, and in builds with debug assertions, whose loops are not those of the program.
///
/// # Errors
/// [`ErrorKind::Configuration`](crate::ErrorKind::Configuration) if `SPELT_TOOLS_PEAK` is neither one or two rates nor `measure` or `off`.
pub(super) fn of_machine() -> Result<Option<Peak>> {
    match variable::read(VARIABLE)? {
        Some(text) if text.eq_ignore_ascii_case("off") => Ok(None),
        Some(text) if text.eq_ignore_ascii_case("measure") => Ok(Some(measured(threads()))),
        Some(text) => Ok(Some(Peak { rate: rates(&text)?[1], threads: None })),
        None if cfg!(debug_assertions) => Ok(None),
        None => Ok(Some(of_threads(threads()))),
    }
}

/// The rates that a forecast for more threads needs: those of one thread, and of all that the machine has. `None` where
/// [`of_machine`] is, or the environment gives one alone.
pub(super) fn of_one_and_all() -> Option<[Peak; 2]> {
    let text = std::env::var(VARIABLE).unwrap_or_default();
    let is_measured = text.trim().eq_ignore_ascii_case("measure");
    if text.contains(',') {
        let [one, all] = rates(text.trim()).ok()?;
        let peak = |rate, threads| Peak { rate, threads: Some(threads) };
        return Some([peak(one, 1), peak(all, processors())]);
    }
    if cfg!(debug_assertions) || !(is_measured || text.trim().is_empty()) {
        return None;
    }
    Some([1, processors()].map(if is_measured { measured } else { of_threads }))
}

/// The rate that this number of threads reaches: one that was measured before, or one that is measured now.
fn of_threads(threads: usize) -> Peak {
    let known = Cache::of_user().and_then(|cache| cache.read(&Key::of_machine(threads)));
    known.map_or_else(|| measured(threads), |rate| Peak { rate, threads: Some(threads) })
}

/// The rate that is measured now, for this run and the next ones.
fn measured(threads: usize) -> Peak {
    let rate = streams::measure(threads);
    if let Some(cache) = Cache::of_user() {
        // Where it cannot be kept, the next run measures again.
        let _ = cache.write(&Key::of_machine(threads), rate);
    }
    Peak { rate, threads: Some(threads) }
}

/// The number of threads that programs have by default.
pub(super) fn threads() -> usize {
    let of_user = std::env::var("SPELT_NUM_THREADS").ok().and_then(|text| text.trim().parse().ok());
    of_user.filter(|&threads| threads > 0).unwrap_or_else(processors)
}

/// The number of processors that this program may use.
pub(super) fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, |threads| threads.get())
}

/// The rates of one thread and of all, or one for both, above zero.
fn rates(text: &str) -> Result<[f64; 2]> {
    let rate = |text: &str| text.trim().parse().ok().filter(|&rate: &f64| rate > 0.0 && rate.is_finite());
    let (one, all) = text.split_once(',').unwrap_or((text, text));
    match [one, all].map(rate) {
        [Some(one), Some(all)] => Ok([one, all]),
        _ => Err(variable::wrong(
            VARIABLE,
            text,
            "write the rate of the memory in GB/s, such as `40.5`, those of one thread and of all, such as `21,40.5`, `measure` or \
             `off`, or leave it unset",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::rates;

    #[test]
    fn rates_are_one_or_two() {
        assert_eq!(rates("40.5").expect("a rate"), [40.5, 40.5]);
        assert_eq!(rates("21, 40.5").expect("rates"), [21.0, 40.5]);
        for wrong in ["0", "-1", "NaN", "inf", "40 GB/s", "1,", ",1", "0,1", "1,2,3", "measure,1"] {
            let text = rates(wrong).expect_err("no rate").to_string();
            assert!(text.starts_with(&format!("SPELT_TOOLS_PEAK is `{wrong}`: write the rate")), "{text}");
        }
    }
}
