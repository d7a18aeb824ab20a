//! Safe programs that attack the promises, and must panic, get an error, or do no harm.
//!
//! Those that the compiler refuses are in `tests/compile_fail` of the workspace, whose README has the table of all attacks.
#![forbid(unsafe_code)]

mod accessors;
mod large_values;
mod numbers;
mod origins;
mod parts;
mod scratch;
mod teams;
mod trusted;

use spelt_core::Threads;

/// The message `f` panics with; empty if it does not.
fn panic_text(f: impl FnOnce()) -> String {
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)) {
        Ok(()) => String::new(),
        Err(payload) => payload.downcast_ref().cloned().unwrap_or_else(|| "not a text".to_owned()),
    }
}

fn two_threads() -> Threads {
    Threads::builder().num_threads(2).build().expect("two threads")
}
