//! The patterns on a device: kernels, and how they are launched.
//!
//! | file | concept |
//! |---|---|
//! | `for_each.rs` | `parallel_for` over ranges and boxes |
//! | `reduce.rs` | `parallel_reduce` over ranges and boxes |
//! | `scan.rs` | `parallel_scan` over ranges and boxes |
//! | `board.rs` | where the blocks of scans tell each other what they have |
//! | `league.rs`, `teams.rs`, `team_scan.rs` | how leagues are run; `parallel_for` and `parallel_reduce` over them; `parallel_scan` |
//! | `workspace.rs` | memory that the launches of a space use one after the other |

mod board;
mod for_each;
mod league;
mod reduce;
mod scan;
mod team_scan;
mod teams;
mod workspace;

pub(super) use board::Board;
pub(super) use for_each::{for_box, for_range};
pub(super) use reduce::{reduce_box, reduce_range};
pub(super) use scan::{scan_box, scan_range};
pub(super) use team_scan::scan_team;
pub(super) use teams::{for_team, reduce_team};
pub(super) use workspace::Workspace;

/// Refuses, when the program is compiled, what cannot be copied to a device as bytes.
macro_rules! assert_plain {
    ($type:ty, $what:literal) => {
        const {
            assert!(
                !core::mem::needs_drop::<$type>(),
                concat!(
                    $what,
                    " owns something (a Vec, a Box, ..), which a device has no use for: give it plain data alone"
                ),
            );
        }
    };
}
use assert_plain;
