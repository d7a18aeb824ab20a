//! The parameters of a kernel's closure, on host and device: index witnesses, elements, layouts, accessors, arguments.
//!
//! | file | concept |
//! |---|---|
//! | `witness.rs`, `signed_idx.rs`, `indices.rs` | [`Idx`] and the like: the index of an iteration; the indices of accessors |
//! | `element.rs` | [`Element`]: plain data |
//! | `numbers.rs` | [`Number`]: the parts of elements, for tools |
//! | `layout.rs`, `raw_view.rs` | [`Layout`]: the offset of an element; [`RawView`]: pointer, extents and strides |
//! | `halo_shape.rs` | the offsets that a halo covers |
//! | `access.rs`, `halo.rs`, `lookup.rs`, .. | the accessors, one per file: a kernel's side of an argument |
//! | `origin/` | the accessors of Views whose indices begin at an origin |
//! | `rows.rs`, `parts.rs`, `nested_parts.rs`, `other_parts.rs` | accessors of rows, blocks and segments, with `division.rs`, the indices of each part, and `slab.rs`, the part |
//! | `subviews.rs` | slabs of the accessors that read any index |
//! | `atomic/` | atomic access to elements |
//! | `argument.rs`, `arguments.rs` | [`KernelArg`], [`KernelArgs`]: the types of arguments, with the launch's questions about them |
//! | `description.rs`, `memories.rs` | [`Description`]: an argument as launches see it; [`Memories`]: the memory spaces of arguments |
//! | `divided.rs` | Views that are divided among ranks, as launches over all of them see them |
//! | `exclusive.rs` | Views that a kernel writes, behind pointers of their own |
//! | `failure.rs` | the single cold function of failing accesses |
//! | `device.rs` | whether this is device code, and the place in the warp: with the feature `cuda` |
//!
//! In the reading order (examples, policies, reducers, order, access, views, dispatch, serial, threads, kernels-gpu, cuda) this
//! crate comes fifth. Programs use it through the facade.
//!
//! # Scope
//! The crate owns no memory, starts no threads and launches nothing; `spelt-core` does.
#![no_std]

mod access;
mod accessor;
mod along;
mod argument;
mod arguments;
mod atomic;
mod box_ref;
mod contribution;
mod description;
#[cfg(feature = "cuda")]
#[doc(hidden)]
pub mod device;
mod distinct;
mod divided;
mod division;
mod element;
mod exclusive;
#[doc(hidden)]
pub mod failure;
mod flat;
mod halo;
mod halo_shape;
mod indices;
mod layout;
mod line;
mod lookup;
mod memories;
mod nested_parts;
mod numbers;
mod origin;
mod other_parts;
mod own_rows;
mod partial;
mod parts;
mod printer;
mod raw_view;
mod reader;
mod rows;
mod scatter;
mod signed_idx;
mod slab;
mod subviews;
mod witness;

pub use access::{Mut, Ref};
pub use along::AlongAccess;
#[doc(hidden)]
pub use argument::inlined;
pub use argument::{KernelArg, Scalar};
pub use arguments::KernelArgs;
pub use atomic::{AtomicAccess, AtomicInteger, AtomicNumber};
#[doc(hidden)]
pub use box_ref::BoxRef;
#[doc(hidden)]
pub use contribution::{Contribution, Contributions};
pub use description::{Covers, Description, MAX_RANK, Shortage};
pub use distinct::DistinctAccess;
#[doc(hidden)]
pub use divided::Divided;
pub use division::{Division, RawBlocks, RawSegments};
#[doc(hidden)]
pub use element::ByValue;
pub use element::Element;
#[doc(hidden)]
pub use exclusive::on_span;
pub use flat::Flat;
pub use halo::HaloAccess;
pub use halo_shape::{Around, Between, HaloShape};
pub use indices::{AsIndex, CheckedIndex, Witness};
pub use layout::{Layout, Left, Right, Stride};
pub use line::LineRef;
pub use lookup::LookupAccess;
pub use memories::Memories;
pub use nested_parts::{NestedPartsAccess, NestedPartsMutAccess, RawNestedParts};
pub use numbers::Number;
#[doc(hidden)]
pub use numbers::{Elements, Field, OtherField};
pub use origin::{AtZero, Origin, OriginAccess, OriginWitness, from_zero};
pub use other_parts::{OtherPartsAccess, RawOtherParts};
pub use own_rows::OwnRows;
pub use partial::{PartialAccess, PartialMutAccess};
pub use parts::{
    BlocksAccess, BlocksMutAccess, PartsAccess, PartsMutAccess, SegmentsAccess, SegmentsMutAccess,
};
#[doc(hidden)]
pub use printer::Line;
pub use printer::PrinterAccess;
pub use raw_view::RawView;
#[doc(hidden)]
pub use reader::Reader;
pub use rows::{RowsAccess, RowsMutAccess};
#[doc(hidden)]
pub use scatter::ScatterVisitor;
pub use scatter::{RawScatter, ScatterAccess};
pub use signed_idx::SignedIdx;
pub use slab::{Slab, SlabRef};
pub use witness::{FlatIdx, Idx, NestedIdx};
