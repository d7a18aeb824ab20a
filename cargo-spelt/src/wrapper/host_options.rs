//! The options of rustc's run for the host, of a crate that may hold kernels.

use super::arguments::Arguments;

/// The `cfg` of the host's run where a device pass compiles the kernels: Spelt leaves their bodies out, since their symbols alone are
/// asked for. (A check of kernels has libraries from the host's run, with the bodies.)
const HOST_CFG: &str = "spelt_host_pass";

/// Adds what the host's run of a crate that may hold kernels has besides cargo's arguments.
///
/// Where nothing is optimised, LLVM's passes would only copy the bodies of `#[inline(always)]` into their callers, and Spelt's launches have many
/// layers of those: a fifth of the time of the run, while what runs on the host takes up to a third longer. Instrumentation is a pass too: such
/// runs keep all. Sanitizers are `-Z`, so any `-Z` counts; it is called before the wrapper adds one of its own.
pub(super) fn add(arguments: &mut Arguments) {
    arguments.push("--cfg", HOST_CFG);
    let is_optimised =
        arguments.has_word("-O") || arguments.codegen("opt-level").is_some_and(|level| level != "0");
    let is_instrumented = arguments.values("-Z").next().is_some()
        || ["instrument-coverage", "profile-generate"].iter().any(|name| arguments.has_codegen(name));
    if !is_optimised && !is_instrumented {
        arguments.push("-C", "no-prepopulate-passes");
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;

    /// The arguments that the host's run has besides those of this line.
    fn of_host(line: &str) -> String {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        let mut arguments = Arguments::parse(&words).unwrap();
        let before = arguments.to_words().len();
        add(&mut arguments);
        arguments.to_words().split_off(before).join(" ")
    }

    #[test]
    fn the_host_has_no_passes_where_nothing_is_optimised_or_instrumented() {
        for line in ["src/a.rs", "src/a.rs -C opt-level=0", "src/a.rs -C opt-level=3 -Copt-level=0"] {
            assert_eq!(of_host(line), "--cfg=spelt_host_pass -C no-prepopulate-passes", "{line}");
        }
        for option in [
            "-O",
            "-C opt-level=1",
            "-Copt_level=s",
            "-C instrument-coverage",
            "-C instrument_coverage=yes",
            "-C profile-generate=/tmp",
            "-Zsanitizer=address",
        ] {
            assert_eq!(of_host(&format!("src/a.rs {option}")), "--cfg=spelt_host_pass", "{option}");
        }
    }
}
