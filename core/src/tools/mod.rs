//! Tools: what a program's launches, memory, copies and regions tell those who profile it.
//!
//! | file | concept |
//! |---|---|
//! | `tool.rs` | [`Tool`]: the trait of all tools |
//! | `event.rs` | the events that they get |
//! | `contents.rs` | the contents of a launch's Views: [`Contents`] |
//! | `begun.rs` | events that have begun: how the rest of Spelt tells them |
//! | `installed.rs` | [`install`]; the tools that listen, and how they are called |
//! | `region.rs` | [`region`], [`mark`], [`metadata`]: a program's own phases and facts |
//! | `choice.rs` | `SPELT_TOOLS`: tools without a line of code |
//! | `summary/` | the table of launches and regions at the end of the program |
//! | `log.rs` | a line for each event, before it happens |
//! | `check/` | NaN and infinity in written Views, and hashes of them |
//! | `tune/` | `SPELT_TUNE`: the fastest settings of launches |
//! | `json.rs` | strings of JSON |
//! | `at_exit.rs` | the end of the program |
//!
//! # Invariants
//! - Where nothing listens, an event costs one relaxed load and a branch.
//! - A tool is called with no lock held, and what it does itself (launches too) makes no events.
//! - A tool is never removed from memory: one that panics is named, and not called any more.
//! - Each begin has its end, also where a kernel panics or a launch fails.

mod at_exit;
mod begun;
mod check;
mod choice;
mod contents;
mod event;
mod installed;
mod json;
mod log;
mod region;
mod summary;
mod tool;
mod tune;

#[doc(hidden)]
pub use begun::{Algorithm, BegunExchange, algorithm, begin_exchange};
pub(crate) use begun::{
    Allocated, BegunCopy, BegunFill, BegunLaunch, allocate, begin_copy, begin_fence, begin_fill, begin_launch,
};
pub(crate) use choice::{check, is_heard};
pub use contents::{Contents, Unreadable};
pub(crate) use event::Arguments;
pub use event::{
    AllocationEvent, CopyEvent, ExchangeEvent, FenceEvent, FillEvent, LaunchEvent, LaunchView, Pattern,
};
pub(crate) use installed::are_listening;
pub use installed::install;
pub use region::{Region, mark, metadata, region};
pub use spelt_access::Number;
pub use tool::Tool;
#[doc(hidden)]
pub use tune::Unset;
pub(crate) use tune::{Shape, tuned};
