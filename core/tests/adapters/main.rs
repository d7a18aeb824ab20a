//! The argument adapters, on every host space, against naive oracles.

mod atomics;
mod distinct;
mod errors;
mod parts;
mod reading;
mod scatter;
mod shares;
mod short_of_memory;
mod slabs;
mod small;

use spelt_core::{AnyHost, Rayon, Serial, Threads};

/// Runs `check` on each space: one thread, 1, 2, 3 and 8 threads, and the rayon pool.
macro_rules! on_all_spaces {
    ($check:ident) => {
        crate::spaces().iter().for_each(|space| $check(space));
    };
}
use on_all_spaces;

/// All spaces, of one type, so that each kernel is compiled once.
fn spaces() -> Vec<AnyHost> {
    let pools = [1, 2, 3, 8].map(threads);
    [serial()].into_iter().chain(pools).chain([Rayon::new().into()]).collect()
}

fn serial() -> AnyHost {
    Serial::new().into()
}

fn threads(threads: usize) -> AnyHost {
    Threads::builder().num_threads(threads).build().expect("threads can be had").into()
}

/// The message of the panic that `f` ends in.
fn panic_text(f: impl FnOnce()) -> String {
    let payload = std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).expect_err("it panics");
    match payload.downcast_ref::<String>() {
        Some(text) => text.clone(),
        None => payload.downcast_ref::<&str>().map_or_else(String::new, |text| (*text).to_owned()),
    }
}
