//! The scan of a whole launch, in one pass over memory, with the bits of the canonical order.
//!
//! Blocks take shares of the iterations by ticket, in index order, so that a block waits only for shares that other blocks have
//! already begun. For each share a block
//! 1. finds the total of each thread's run or row, or of each group of its threads, by calling the closure with
//!    `last == false`;
//! 2. finds the value before each of these, from the groups and shares before (see `groups.rs`);
//! 3. calls the closure again, with `last == true` and the value before.
//!
//! The data read in step 1 are still in a cache in step 3; so global memory sees each input once and each output once. The
//! tickets and the values that blocks publish for later ones are as in D. Merrill, M. Garland, "Single-pass Parallel Prefix Scan
//! with Decoupled Look-back", NVIDIA 2016. There a block publishes its total, and then the total of all blocks up to it, and the
//! grouping of totals depends on timing. Here a block publishes the value of one node of a fixed tree, as in P. Fenwick, "A new
//! data structure for cumulative frequency tables", 1994, with 32 branches in place of two: the bits do not depend on timing.
//!
//! In each step, neighbouring threads have neighbouring iterations.
//!
//! | file | concept |
//! |---|---|
//! | `shape.rs`, `tuning.rs` | the division of a scan, with the reasons |
//! | `start.rs` | the place of a launch in a scan: the whole of it, or a part with values before it |
//! | `area.rs` | the memory shared by the threads of a block |
//! | `transposed.rs` | steps 1 and 3 where joins are exact |
//! | `rows.rs` | the same where they are not, and the values of a tile fit in the block's area |
//! | `shuffled.rs` | the same where these values are larger |
//! | `groups.rs` | step 2: the groups of the share |
//! | `earlier.rs` | step 2: the values of shares before |
//! | `published.rs` | communication between blocks |

mod area;
mod earlier;
mod groups;
mod published;
mod rows;
mod shape;
mod shuffled;
mod start;
mod transposed;
mod tuning;

use core::sync::atomic::{AtomicU32, Ordering};

use spelt_reducers::Reducer;

use self::earlier::Board;
use self::shape::Share;
use self::tuning::Way;
use crate::failure::give_up;
use crate::index_space::IndexSpace;
use crate::intrinsics::{__spelt_barrier, __spelt_block, __spelt_grid_blocks, __spelt_thread};

pub use self::area::Area;
pub use self::published::words;
pub use self::shape::ScanShape;
pub use self::start::{Node, Start, Whole};

/// The memory that a scan works with.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// The next share: 0 at the start, and again at the end.
    pub tickets: *const AtomicU32,
    /// Room for [`words`] of 64 bits for each share. At the start, no upper half equals `tag`.
    pub published: *mut u64,
    /// The tag of the words that this launch publishes.
    pub tag: u32,
    /// Room for the area of each block, where that [is in global memory](Area::IS_GLOBAL).
    pub areas: *mut u8,
}

/// Scans `n` iterations; each thread of the launch calls it. `body(index, value, last)` is the closure. `finish` gets the total of these
/// iterations, in one thread; an identity if there is no iteration.
///
/// # Safety
/// The launch has [`ScanShape::THREADS`] threads a block, and the memory that [`Area`] and [`Work`] require, for its own use only;
/// shares and blocks together are fewer than 2^32. `indices` is made for [`ScanShape::STRIDE`]. The type of the values has no drop glue.
/// The value before the first iteration, if there is one, is not written meanwhile.
#[inline(always)]
pub unsafe fn scan<R, S>(
    reducer: &R,
    indices: &S,
    n: usize,
    work: &Work,
    start: &impl Start<R::Value>,
    body: &impl Fn(S::Index, &mut R::Value, bool),
    finish: impl Fn(R::Value),
) where
    R: Reducer,
    S: IndexSpace,
{
    let thread = __spelt_thread() as usize;
    if n == 0 {
        if thread == 0 && __spelt_block() == 0 {
            finish(reducer.init());
        }
        return;
    }
    let shares = ScanShape::<R>::shares(n) as u32;
    let board = Board { words: work.published, tag: work.tag };
    // SAFETY: the launch has the memory.
    let area = unsafe { Area::<R>::of_this_block(work.areas) };
    let mut least = 0;
    loop {
        if thread == 0 {
            // SAFETY: the launch has the tickets, which all blocks change atomically; the number was last read before
            // two barriers.
            unsafe { area.number().write(take(&*work.tickets, shares)) }
        }
        __spelt_barrier();
        // SAFETY: written before the barrier.
        let number = unsafe { area.number().read() };
        if number >= shares {
            return;
        }
        // If a trap ends one wave, it may be that of thread 0: its old ticket would be used forever.
        if number < least {
            give_up();
        }
        least = number + 1;
        let share = Share::new::<R>(number as usize, n, start.before().is_some());
        // SAFETY: the barriers separate the steps of a share, and one share from the next; whole blocks pass them. The type
        // of the values has no drop glue.
        unsafe {
            match const { ScanShape::<R>::WAY } {
                Way::Runs => transposed::totals(reducer, area, indices, share, thread, body),
                Way::Rows => rows::totals(reducer, area, indices, share, thread, body),
                Way::Shuffles => shuffled::totals(reducer, area, indices, share, thread, body),
            }
            __spelt_barrier();
            groups::join_groups(reducer, area, board, share, thread, start.before(), &finish);
            __spelt_barrier();
            if !start.gives_values() {
                continue;
            }
            match const { ScanShape::<R>::WAY } {
                Way::Runs => transposed::values(reducer, area, indices, share, thread, body),
                Way::Rows => rows::values(reducer, area, indices, share, thread, body),
                Way::Shuffles => shuffled::values(reducer, area, indices, share, thread, body),
            }
        }
    }
}

/// Takes a ticket. The last one resets the counter to 0 for the next launch.
#[inline(always)]
fn take(tickets: &AtomicU32, shares: u32) -> u32 {
    let number = tickets.fetch_add(1, Ordering::Relaxed);
    // Each block ends with a ticket that is not a share.
    if number == shares + __spelt_grid_blocks() - 1 {
        tickets.store(0, Ordering::Relaxed);
    }
    number
}
