//! Spelt's canonical order: the one tree in which values join, whatever runs the reduction or scan.
//!
//! | file | concept |
//! |---|---|
//! | `canonical.rs` | the order and its numbers: lanes, tiles, runs |
//! | `cursor.rs` | places in an index space, and steps from one to the next |
//! | `tile.rs` | the reduction of one tile |
//! | `lanes.rs` | the running values of a tile's lanes, laid out so that loops over them become vector code |
//! | `pairwise.rs` | the tree of tiles, joined as they come |
//! | `scan.rs` | the scan of one tile |
//!
//! In the reading order (examples, policies, reducers, order, access, views, dispatch, serial, threads, kernels-gpu, cuda) this
//! crate comes fourth.
//!
//! # What this crate does not do
//! It allocates nothing and starts no thread: `spelt-core` decides which thread computes which part of the tree, and
//! `spelt-kernels-gpu` computes the same tree with the threads of a GPU.
#![no_std]

pub mod canonical;
#[doc(hidden)]
pub mod cursor;
mod lanes;
#[doc(hidden)]
pub mod pairwise;
#[doc(hidden)]
pub mod scan;
#[doc(hidden)]
pub mod tile;
