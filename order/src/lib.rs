//! Spelt's canonical order: the single tree in which values join, on every space that runs the reduction or scan.
//!
//! | file | concept |
//! |---|---|
//! | `body.rs` | one iteration, in the form that loops over tiles call, and how a closure is inlined into each loop |
//! | `canonical.rs` | the order and its numbers: lanes, tiles, runs, rows |
//! | `cursor.rs` | places in an index space, and steps from one to the next |
//! | `tile.rs` | the reduction of one tile |
//! | `stopped_tile.rs` | tiles that stop before their end, and are finished by several threads |
//! | `lanes.rs` | the running values of a tile's lanes, laid out so that loops over them vectorise |
//! | `lanes/few.rs` | the last few iterations of a tile, whose lanes stay in scalars |
//! | `lanes/masked.rs` | loops over lanes in registers that leave out some of them under masks |
//! | `lanes/rows.rs` | all lanes of a line in registers, from its first row to its last iteration |
//! | `lines.rs` | the reduction of a tile on several lines, in registers |
//! | `short_tile.rs` | the reduction of a tile on one line, for short launches |
//! | `opaque.rs` | numbers of which the compiler knows nothing |
//! | `vector_loops.rs` | whether loops are written for the vectoriser |
//! | `blocks.rs` | rows of lanes that several short lines fill |
//! | `by_lanes.rs` | the reduction of one tile on a thread of a device, one lane after the other |
//! | `pending_nodes.rs` | the complete nodes of a growing tree of tiles, until their neighbours are complete |
//! | `row.rs` | the values of one row of a scan |
//! | `scan.rs` | the scan of one tile |
//! | `cut_scan.rs` | the scan of a piece of a tile, from the values of the tile before it |
//! | `search.rs` | extremes and their locations, the values first |
//! | `search_blocks.rs` | extremes and their locations in a longer row, one block of which is searched twice |
//! | `search_lines.rs` | extremes of a block of short lines |
//! | `search_row.rs` | extremes and their locations in one row, in one pass |
//!
//! In the reading order (examples, policies, reducers, order, access, views, dispatch, serial, threads, kernels-gpu, cuda) this
//! crate comes fourth.
//!
//! # Scope
//! The crate does not allocate or start threads: `spelt-core` distributes the tree over threads, and `spelt-kernels-gpu`
//! computes the same tree with the threads of a GPU.
#![no_std]
// See `if_vector_loops`.
#![cfg_attr(
    not(any(spelt_vector_loops, spelt_device_pass, test)),
    allow(
        dead_code,
        unused_imports,
        reason = "only loops that become vector code call some functions; `.ci/run clippy` looks at such a build too"
    )
)]

mod blocks;
#[doc(hidden)]
pub mod body;
#[doc(hidden)]
pub mod by_lanes;
pub mod canonical;
#[doc(hidden)]
pub mod cursor;
#[doc(hidden)]
pub mod cut_scan;
mod lanes;
mod lines;
mod opaque;
#[doc(hidden)]
pub mod pending_nodes;
mod row;
#[doc(hidden)]
pub mod scan;
#[doc(hidden)]
pub mod search;
mod search_blocks;
mod search_lines;
#[doc(hidden)]
pub mod search_row;
#[doc(hidden)]
pub mod short_tile;
#[doc(hidden)]
pub mod stopped_tile;
#[doc(hidden)]
pub mod sum_rows;
#[doc(hidden)]
pub mod tile;
mod vector_loops;
#[doc(hidden)]
pub mod whole_tiles;

#[doc(hidden)]
pub use vector_loops::VECTOR_LOOPS;
