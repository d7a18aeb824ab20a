//! The patterns on a device: kernels, and how they are launched.
//!
//! | file | concept |
//! |---|---|
//! | `for_each.rs` | `parallel_for` over ranges and boxes |
//! | `reduce.rs` | `parallel_reduce` over ranges and boxes |
//! | `workspace.rs` | memory that the launches of a space use one after the other |

mod for_each;
mod reduce;
mod workspace;

pub(super) use for_each::{for_box, for_range};
pub(super) use reduce::{reduce_box, reduce_range};
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
