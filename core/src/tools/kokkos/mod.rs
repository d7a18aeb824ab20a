//! `KOKKOS_TOOLS_LIBS`: the tools of Kokkos, unmodified.
//!
//! | file | concept |
//! |---|---|
//! | `interface.rs` | the types and functions of Kokkos's interface |
//! | `library.rs` | a tool's library: how it is opened, and told of the begin and the end of the program |
//! | `turns.rs` | its events in an order that it can follow |
//! | `identity.rs` | the numbers and names of spaces and memories |
//! | `arguments.rs` | `KOKKOS_TOOLS_ARGS` |
//! | `forward.rs` | Spelt's events as calls of the library |
//! | `choice.rs` | the list of libraries |
//!
//! # Invariants
//! - A library is never closed.
//! - One thread at a time calls a library, and the begins and ends that it gets are nested, on any number of threads.
//! - Nothing is called after `kokkosp_finalize_library`.
//! - The lock of a library is taken last: its thread holds none of Spelt's and makes no events, so it is never taken twice. Under it the
//!   library runs, which may call one function of Spelt, the wait for devices. A library that waits in a call for another thread's launch
//!   waits for ever: the interface has one caller at a time.

mod arguments;
mod choice;
mod forward;
mod identity;
mod interface;
mod library;
#[cfg(all(test, target_os = "linux", not(spelt_loom)))]
mod tests;
mod turns;

pub(super) use choice::load;
