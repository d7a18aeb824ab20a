//! Launches on threads of the host.
//!
//! | file | concept |
//! |---|---|
//! | `host_threads.rs` | [`HostThreads`]: units, gangs and order of host threads, and [`Launches`](crate::launch::Launches) for all that implement it |
//! | `kernel.rs` | the user's closure with its lowered arguments, as loops call it |
//! | `parallel_for.rs` | all iterations, in chunks or tiles |
//! | `distribution.rs` | the beginning of a launch, and its chunks on threads |
//! | `parallel_reduce.rs` | all tiles, joined in the canonical order |
//! | `short_reduce.rs` | the only tile of a reduction of few iterations, on the caller |
//! | `reduce_part.rs` | the next iterations of a part of a reduction |
//! | `parallel_scan.rs`, `scan_chunks.rs` | the order in which chunks of tiles are scanned; one chunk |
//! | `few_scan.rs` | scans of few long iterations: contributions and values on all threads |
//! | `coming_lines.rs` | the memory that a long scan is about to use, fetched beforehand |
//! | `scan_part.rs` | the next iterations of a part of a scan |
//! | `search.rs` | extremes at the indices: the values first, then their locations |
//! | `short_search.rs` | such a search of one line, on the caller |
//! | `teams.rs`, `gangs.rs` | leagues: teams of one thread; teams of several, each a gang |
//! | `shared_tiles.rs` | reductions of few long iterations: the lanes of a tile on several threads |
//! | `step.rs` | bodies behind pointers: loops that are compiled once for all closures |
//! | `slots.rs`, `unit_values.rs` | places for partial results, with marks and without |
//! | `room.rs` | their memory |
//! | `chunks.rs` | the number of units of a launch |
//! | `opening.rs` | launches of few iterations, which begin on the caller |
//! | `history.rs` | the closures whose launches were short: the next ones run on the caller |
//! | `succession.rs` | launches that follow one another closely: they wake the other threads for the next ones |
//! | `contest.rs` | launches of medium length: on the caller or on all threads, whichever is faster |

#[cfg(test)]
mod canonical_tests;
mod chunks;
mod coming_lines;
mod contest;
mod distribution;
mod few_scan;
mod gangs;
mod history;
mod host_threads;
mod kernel;
mod opening;
mod parallel_for;
mod parallel_reduce;
#[cfg(test)]
mod parallel_reduce_tests;
mod parallel_scan;
mod reduce_part;
mod room;
mod scan_chunks;
mod scan_part;
mod search;
mod shared_tiles;
mod short_reduce;
mod short_search;
mod slots;
mod step;
mod succession;
mod teams;
mod unit_values;

pub(crate) use chunks::BREAK_EVEN;
#[cfg(feature = "cuda")]
pub(crate) use chunks::tiles_per_part;
pub(crate) use host_threads::{HostThreads, Readiness};
pub(crate) use parallel_for::for_each_index;
