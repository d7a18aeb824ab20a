//! Projects built and run by the real subcommand, on the emulator.
//!
//! Linux only: elsewhere there is no emulator.
#![cfg(target_os = "linux")]

mod caching;
mod commands;
mod damage;
mod messages;
mod project;
mod running;
