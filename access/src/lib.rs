//! What a kernel's closure is given, on every side: index witnesses, elements, layouts, accessors, arguments.
//!
//! | file | concept |
//! |---|---|
//! | `witness.rs`, `indices.rs` | [`Idx`] and its kin: the index of an iteration; what may index an accessor |
//! | `element.rs` | [`Element`]: plain data |
//! | `layout.rs`, `raw_view.rs` | [`Layout`]: where an element lies; [`RawView`]: pointer, extents and strides |
//! | `access.rs`, `halo.rs`, `lookup.rs`, .. | the accessors, one a file: what a kernel gets for an argument |
//! | `atomic/` | atomic access to elements |
//! | `argument.rs` | [`KernelArg`], [`KernelArgs`]: what a kernel may take, and what the launch asks about it |
//! | `failure.rs` | the one cold function of failing accesses |
//! | `device.rs` | whether this is device code, and where in a warp: with the feature `cuda` |
//!
//! In the reading order (examples, policies, reducers, order, access, views, dispatch, serial, threads, kernels-gpu, cuda) this
//! crate comes fifth. Programs use it through the facade.
//!
//! # What this crate does not do
//! It owns no memory, starts no thread and launches nothing: `spelt-core` does.
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
mod layout;
mod line;
mod lookup;
mod partial;
mod raw_view;
mod rows;
mod scatter;
mod witness;

pub use access::{Mut, Ref};
pub use along::AlongAccess;
pub use argument::{Covers, Description, KernelArg, KernelArgs, MAX_RANK, Shortage};
pub use atomic::{AtomicAccess, AtomicInteger, AtomicNumber};
pub use distinct::DistinctAccess;
pub use element::Element;
pub use flat::Flat;
pub use halo::HaloAccess;
pub use indices::{AsIndex, Witness};
pub use layout::{Layout, Left, Right, Stride};
pub use line::LineRef;
pub use lookup::LookupAccess;
pub use partial::{PartialAccess, PartialMutAccess};
pub use raw_view::RawView;
pub use rows::{RowsAccess, RowsMutAccess};
pub use scatter::{RawScatter, ScatterAccess};
pub use witness::{FlatIdx, Idx, NestedIdx};
