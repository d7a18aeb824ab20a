//! What runs inside a Spelt kernel on every side: accessors, argument traits, the tile loop.
//!
//! | file | concept |
//! |---|---|
//! | `argument.rs` | [`KernelArg`], [`KernelArgs`]: what a kernel may take, and what the launch asks about it |
//! | `access.rs`, `halo.rs`, `lookup.rs`, .. | the accessors: what a kernel gets for an argument |
//! | `indices.rs`, `raw_view.rs` | what may index an accessor; pointer, extents and strides |
//! | `element.rs` | [`Element`]: plain data |
//! | `tile.rs`, `lanes.rs`, `pairwise.rs`, `scan.rs` | the canonical order at work: a tile, its lanes, the tree of tiles |
//! | `failure.rs` | the one cold function of failing accesses |
//! | `device/` | what only a device runs: with the feature `cuda` |
//!
//! In the reading order (examples, policies, reducers, views, dispatch, serial, threads, what kernels share with a device)
//! this crate comes last. Programs use it through the facade.
//!
//! # What this crate does not do
//! It owns no memory, starts no thread and launches nothing: `spelt-core` does. It is `no_std` so that a device can run
//! it.
#![no_std]

mod access;
mod accessor;
mod along;
mod argument;
mod atomic;
#[cfg(feature = "cuda")]
#[doc(hidden)]
pub mod device;
mod distinct;
mod element;
#[doc(hidden)]
pub mod failure;
mod flat;
mod halo;
mod indices;
mod lanes;
mod line;
mod lookup;
#[doc(hidden)]
pub mod pairwise;
mod partial;
mod raw_view;
mod rows;
#[doc(hidden)]
pub mod scan;
mod scatter;
#[doc(hidden)]
pub mod tile;

pub use access::{Mut, Ref};
pub use along::AlongAccess;
pub use argument::{Covers, Description, KernelArg, KernelArgs, MAX_RANK, Shortage};
pub use atomic::{AtomicAccess, AtomicInteger, AtomicNumber};
pub use distinct::DistinctAccess;
pub use element::Element;
pub use flat::Flat;
pub use halo::HaloAccess;
pub use indices::{AsIndex, Witness};
pub use line::LineRef;
pub use lookup::LookupAccess;
pub use partial::{PartialAccess, PartialMutAccess};
pub use raw_view::RawView;
pub use rows::{RowsAccess, RowsMutAccess};
pub use scatter::{RawScatter, ScatterAccess};
