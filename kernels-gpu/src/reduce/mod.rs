//! The reduction of a launch, in the canonical order.
//!
//! | file | concept |
//! |---|---|
//! | `warp.rs` | the threads of a warp join their values |
//! | `block.rs` | the warps of a block join theirs |
//! | `grid.rs` | the tiles of a launch, and the last block, which joins the values of the blocks |
//! | `columns.rs` | values that consist of columns, in device memory |
//! | `cut_tile.rs` | a piece of one tile, whose lanes continue from their values |
//! | `tuning.rs` | how a reduction is cut for a device |

pub mod block;
pub mod columns;
pub mod cut_tile;
pub mod grid;
pub mod tuning;
pub mod warp;
