//! The patterns on a device: kernels and their launches.
//!
//! | file | concept |
//! |---|---|
//! | `parallel_for.rs` | `parallel_for` over ranges and boxes |
//! | `parallel_reduce.rs` | `parallel_reduce` over ranges and boxes |
//! | `columns.rs` | the same for values that consist of columns |
//! | `contributions.rs` | contributions to scattered Views, joined in the order of a host |
//! | `reduce_part.rs` | the next iterations of a part of a reduction |
//! | `parallel_scan.rs` | `parallel_scan` over ranges and boxes |
//! | `scan_part.rs` | the next iterations of a part of a scan |
//! | `board.rs` | the memory in which the blocks of scans publish values for each other |
//! | `league.rs`, `teams.rs`, `team_scan.rs` | execution of leagues; `parallel_for` and `parallel_reduce` over them; `parallel_scan` |
//! | `workspace.rs` | memory that the launches of a space use in turn |

mod board;
mod columns;
mod contributions;
pub(super) mod league;
pub(super) mod parallel_for;
pub(super) mod parallel_reduce;
pub(super) mod parallel_scan;
pub(super) mod reduce_part;
pub(super) mod scan_part;
pub(super) mod team_scan;
pub(super) mod teams;
mod workspace;

pub(super) use board::Board;
pub(super) use workspace::Workspace;

/// Refuses, at compile time, types that cannot be copied to a device as bytes.
macro_rules! assert_plain {
    ($type:ty, $what:literal $(, unless $other:expr)?) => {
        const {
            assert!(
                !core::mem::needs_drop::<$type>() $(|| $other)?,
                concat!(
                    $what,
                    " owns something (a Vec, a Box, ..), which a device has no use for: give it plain data alone"
                ),
            );
        }
    };
}
use assert_plain;
