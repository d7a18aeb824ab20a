//! What runs inside a Spelt kernel on every side: accessors, argument traits, the tile loop.
#![no_std]

mod access;
mod argument;
mod element;
#[doc(hidden)]
pub mod failure;
mod flat;
mod lanes;
#[doc(hidden)]
pub mod pairwise;
mod raw_view;
#[doc(hidden)]
pub mod scan;
#[doc(hidden)]
pub mod tile;

pub use access::{Mut, Ref};
pub use argument::{Covers, Description, KernelArg, KernelArgs, MAX_RANK};
pub use element::Element;
pub use flat::Flat;
pub use raw_view::RawView;
