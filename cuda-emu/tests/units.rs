//! The unit tests of files that use nothing else of the emulator, compiled without it.
#![allow(dead_code, unreachable_pub, reason = "parts of a library without the rest")]

#[path = "../src/config.rs"]
mod config;
#[path = "../src/dominators.rs"]
mod dominators;
#[path = "../src/check/history.rs"]
mod history;
