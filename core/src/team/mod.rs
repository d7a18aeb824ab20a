//! Teams: the handle that the closure over a [`TeamPolicy`](spelt_policies::TeamPolicy) gets, and the loops nested in it.
//!
//! | file | concept |
//! |---|---|
//! | `member.rs` | [`Team`]: ranks and sizes, `single`, barrier, broadcast, contribute |
//! | `nested.rs` | nested `parallel_for`, `parallel_reduce`, `parallel_scan` over the nested ranges |
//! | `alone.rs` | these loops, run by one thread |
//! | `search.rs` | reductions whose locations are the indices, run by one thread |
//! | `ranges.rs` | the index that each nested range gives to the closure |
//! | `thread.rs` | [`Thread`]: a thread with vector lanes |
//! | `scratch.rs` | scratch memory |
//! | `scratch_view.rs` | [`ScratchView`]: scratch that the team writes |
//! | `scratch_loops.rs`, `scratch_columns.rs` | the loops that write it |
//! | `scratch_distinct.rs` | scratch that is written at any index, where the caller guarantees distinct ones |
//! | `unchecked.rs` | for this project's algorithms: scratch in shared memory, sums to which the lanes of a warp add in their order, and a barrier; a device does not compare the calls of the last two |
//! | `exchange.rs` | values that members of a gang lend one another |
//! | `mode.rs` | [`Mode`]: alone, in a gang of host threads, or on a device |
//! | `context.rs` | the data that a launch gives to all its teams, and the limits that it found |

mod alone;
mod context;
mod exchange;
mod member;
mod mode;
mod nested;
mod ranges;
mod scratch;
mod scratch_columns;
mod scratch_distinct;
mod scratch_loops;
mod scratch_view;
mod search;
mod thread;
mod unchecked;

pub(crate) use alone::{Lent, MAX_MOVED, Nested, reduce_here};
pub(crate) use context::{Context, Limits};
pub(crate) use exchange::Exchange;
pub use member::Team;
pub(crate) use mode::{Gang, Mode};
pub use ranges::NestedPolicy;
pub use scratch_columns::ScratchColumn;
pub use scratch_loops::{IntoBox, ScratchRest};
pub use scratch_view::ScratchView;
pub(crate) use search::search_here;
pub use thread::Thread;

pub(crate) use crate::threads::gang::Collective;

/// A meeting of the members of a team with several threads.
pub trait Meet {
    /// Waits for all members, which must make the same call.
    fn meet(&mut self, call: Collective);
}

impl Meet for crate::threads::gang::GangMember<'_> {
    fn meet(&mut self, call: Collective) {
        self.collective(call);
    }
}
