//! Tools: what a program's launches, copies and regions tell those who profile it.
//!
//! | file | concept |
//! |---|---|
//! | `tool.rs` | [`Tool`]: the trait of all tools, and the events that they get |
//! | `installed.rs` | [`install`]; the tools that listen, and how they are called |
//! | `region.rs` | [`region`], [`mark`]: a program's own phases |
//! | `choice.rs` | `SPELT_TOOLS`: tools without a line of code |
//! | `summary/` | the table of launches and regions at the end of the program |
//! | `log.rs` | a line for each event, before it happens |
//! | `at_exit.rs` | the end of the program |
//!
//! # Invariants
//! - Where nothing listens, an event costs one relaxed load and a branch.
//! - A tool is called with no lock held, and what it does itself (launches too) makes no events.
//! - A tool is never removed from memory: one that panics is named, and not called any more.
//! - Each begin has its end, also where a kernel panics or a launch fails.

mod at_exit;
mod choice;
mod installed;
mod log;
mod region;
mod summary;
mod tool;

pub(crate) use choice::check;
pub use installed::install;
pub(crate) use installed::{Begun, BegunCopy, are_listening, begin_copy, begin_launch};
pub use region::{Region, mark, region};
pub use tool::{CopyEvent, LaunchEvent, Pattern, Tool};
