//! What runs inside a Spelt kernel on every side: accessors, argument traits, the tile loop.
#![no_std]

mod access;
mod accessor;
mod along;
mod argument;
mod atomic;
mod distinct;
mod element;
#[doc(hidden)]
pub mod failure;
mod flat;
mod halo;
mod indices;
mod lanes;
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
pub use argument::{Covers, Description, KernelArg, KernelArgs, MAX_RANK};
pub use atomic::{AtomicAccess, AtomicInteger, AtomicNumber};
pub use distinct::DistinctAccess;
pub use element::Element;
pub use flat::Flat;
pub use halo::HaloAccess;
pub use indices::{AsIndex, Witness};
pub use lookup::LookupAccess;
pub use partial::{PartialAccess, PartialMutAccess};
pub use raw_view::RawView;
pub use rows::{RowsAccess, RowsMutAccess};
pub use scatter::{RawScatter, ScatterAccess};
