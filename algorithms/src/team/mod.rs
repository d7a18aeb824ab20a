//! Algorithms of one team, within a kernel.
//!
//! All threads of the team call them together, and get the same result; no result depends on the size of the team. They take indices, not
//! Views: closures read what they need by the witness or by number, and store by a witness. So they work for rows, blocks and segments
//! alike.
//!
//! | function | scratch per team |
//! |---|---|
//! | [`find_if`], [`any_of`], [`all_of`], [`count_if`] | none |
//! | [`copy_if`] | [`copy_if_scratch`] |
//! | [`sort`], [`sort_by`] | the elements |
//!
//! Reductions, scans and loops are [methods of the team](spelt_core::Team); with `MinLoc::at_index()` a reduction returns a position.

mod copy_if;
mod find_if;
mod sort;

pub use copy_if::{copy_if, copy_if_scratch};
pub use find_if::{all_of, any_of, count_if, find_if};
pub use sort::{sort, sort_by};
