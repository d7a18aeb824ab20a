//! Runs kernels.
//!
//! Each thread has its own position and call stack. The threads of a warp that are at the same position in the same frame
//! are run together, one instruction for all of them; a warp chooses its running group again
//! whenever that group splits, meets others, waits or has used its slice of time. Blocks are resident together up to a limit and
//! take turns.
//!
//! `warp` has the loop over instructions and says which function runs each; those are in one file for each family.

/// Does something for each lane of a mask.
macro_rules! lanes {
    ($mask:expr, $l:ident, $b:block) => {{
        let mut m_ = $mask;
        while m_ != 0 {
            let $l = m_.trailing_zeros() as usize;
            m_ &= m_ - 1;
            $b
        }
    }};
}

mod account;
mod address;
mod arithmetic;
mod atomic;
mod barrier;
mod block;
mod branch;
mod builtin;
mod call;
mod collective;
mod launch;
mod lockstep;
mod machine;
mod mbarrier;
mod memory;
mod predicate;
mod printf;
mod report;
mod resolve;
mod running;
mod special;
mod warp;

pub use account::Stats;
pub(crate) use launch::{Launch, fits, launch};
pub(crate) use report::E_ILLEGAL_ADDRESS;
pub use report::Fault;

/// The bit of a lane in a mask.
#[inline(always)]
fn bit(l: usize) -> u32 {
    1 << l
}

/// The place of a thread in a block of these extents.
fn tid3(t: u32, b: [u32; 3]) -> [u32; 3] {
    [t % b[0], t / b[0] % b[1], t / (b[0] * b[1])]
}
