//! The driver API: C functions with the names and types of `cuda.h`.
//!
//! | file | content |
//! |---|---|
//! | `api.rs` | how a function of the API is written |
//! | `error.rs` | error codes and their names |
//! | `state.rs` | the library's whole state, behind one lock |
//! | `queue.rs`, `order.rs` | the deferred mode: work that waits in streams, and which of it runs next |
//! | `work.rs` | the kinds of work that a stream can be given, and running them |
//! | `device.rs`, `context.rs`, `module.rs`, `function.rs`, `launch.rs`, `memory.rs`, `pointer.rs`, `pool.rs`, `copy.rs`, `fill.rs`, `stream.rs`, `event.rs` | the functions of the API |
//! | `statistics.rs` | counters of launches; functions of this library's own |
//! | `unsupported.rs` | functions that exist but cannot be used |

#[macro_use]
mod api;
mod context;
mod copy;
mod device;
mod error;
mod event;
mod fill;
mod function;
mod launch;
mod memory;
mod module;
mod order;
mod pointer;
mod pool;
mod queue;
mod state;
mod statistics;
mod stream;
mod unsupported;
mod work;

pub use statistics::{LaunchStatistics, STATISTICS_VERSION};
