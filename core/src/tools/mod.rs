//! Tools: what a program's launches, memory, copies and regions tell those who profile it.
//!
//! | file | concept |
//! |---|---|
//! | `tool.rs` | [`Tool`]: the trait of all tools |
//! | `event.rs` | the events that they get |
//! | `bytes.rs` | the size of a launch's Views |
//! | `contents.rs` | the contents of a launch's Views: [`Contents`] |
//! | `share.rs` | [`Share`]: the parts of host threads in a launch |
//! | `begun.rs` | events that have begun: how the rest of Spelt tells them |
//! | `installed.rs` | [`install`]; the tools that listen, and how they are called |
//! | `region.rs` | [`region`], [`mark`], [`metadata`]: a program's own phases and facts |
//! | `mirror.rs` | [`MirrorEvent`]: the sides of mirrored Views |
//! | `section.rs` | [`section`]: intervals that are started and stopped |
//! | `choice.rs` | `SPELT_TOOLS`: tools without a line of code |
//! | `kokkos/` | `KOKKOS_TOOLS_LIBS`: Kokkos's tools |
//! | `devices.rs` | the wait for all devices |
//! | `summary/` | the table of launches and regions at the end of the program |
//! | `trace/` | the Trace Event Format, for Perfetto |
//! | `peak/` | the rate of the machine's memory |
//! | `replace.rs` | files that are replaced as a whole |
//! | `rank.rs` | the rank of this process |
//! | `quoted.rs` | strings of JSON |
//! | `log.rs` | a line for each event, before it happens |
//! | `check/` | NaN and infinity in written Views, and hashes of them |
//! | `tune/` | `SPELT_TUNE`: the fastest settings of launches |
//! | `at_exit.rs` | the end of the program |
//!
//! # Invariants
//! - Where nothing listens, an event costs one relaxed load and a branch: also one before the first launch, once the environment is read.
//! - A tool is called with none of Spelt's locks, turns or arenas held, and what it does itself (launches too) makes no events. So a tool may
//!   have a lock of its own around its work, as the summary, the trace and each library of Kokkos's tools (`kokkos/turns.rs`) have: the
//!   thread that holds it comes back to no tool, and a thread that waits for it holds nothing that the tool's work needs.
//! - One call is an exception: `kokkosp_init_library` runs while `choice.rs` holds the lock under which tools are installed, so that no launch
//!   of another thread is left out. That thread is silent, and others wait for the library's `init`, which must not wait for them.
//! - A tool is never removed from memory: one that panics is named, and not called any more.
//! - Each begin has its end, also where a kernel panics or a launch fails.

mod at_exit;
mod begun;
mod bytes;
mod check;
mod choice;
mod contents;
mod devices;
mod event;
mod installed;
mod kokkos;
mod log;
mod mirror;
mod peak;
mod quoted;
mod rank;
mod region;
mod replace;
mod section;
mod share;
mod summary;
mod tool;
mod trace;
mod tune;

#[doc(hidden)]
pub use begun::{Algorithm, BegunExchange, algorithm, begin_exchange};
pub(crate) use begun::{
    Allocated, BegunCopy, BegunFill, BegunLaunch, allocate, begin_copy, begin_fence, begin_fill, begin_launch,
};
pub(crate) use bytes::Bytes;
pub(crate) use choice::{check, is_heard};
pub use contents::{Contents, Unreadable};
#[cfg(any(feature = "cuda", all(test, target_os = "linux", not(spelt_loom))))]
pub(crate) use devices::fence_devices_by;
pub(crate) use event::Arguments;
pub use event::{
    AllocationEvent, CopyEvent, DeviceWorkEvent, ExchangeEvent, FenceEvent, FillEvent, LaunchEvent,
    LaunchView, Pattern,
};
pub(crate) use installed::are_listening;
pub use installed::install;
#[cfg(feature = "cuda")]
pub(crate) use installed::{are_device_times_wanted, is_silent, later, tell_of_device_work};
pub use mirror::MirrorEvent;
#[doc(hidden)]
pub use mirror::{Mirroring, tell_of_mirror};
pub use region::{Region, mark, metadata, region};
pub use section::{Section, section};
pub use share::Share;
#[cfg_attr(not(any(feature = "threads", feature = "rayon")), allow(unused_imports))]
pub(crate) use share::{are_shares_wanted, with_shares};
pub use spelt_access::Number;
pub use tool::Tool;
#[doc(hidden)]
pub use tune::Unset;
pub(crate) use tune::{Shape, is_tuning, tuned};
