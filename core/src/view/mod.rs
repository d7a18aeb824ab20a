//! Views: arrays of rank 0 to 8 with a label, a layout and a memory space.
//!
//! | type | owns its memory | reads | writes |
//! |---|---|---|---|
//! | [`View`] | yes, exclusively | yes | through `&mut` |
//! | [`ViewRef`] | no: a subview, a slice, another library's array | yes | no |
//! | [`ViewMut`] | no, but borrows it exclusively | yes | yes |
//! | [`OffsetView`] | as the View that it contains, with indices from an origin | yes | through `&mut` |
//! | [`UninitView`] | yes | no | a launch fills it and returns the [`View`] |
//!
//! A View is not a shared handle as in Kokkos: like a `Vec` it is moved, borrowed, or copied on request. The borrow
//! checker therefore sees all reads and writes.

mod access;
mod any_view;
mod borrowed;
#[cfg(doctest)]
mod compile_fail;
mod components;
mod construct;
mod copy;
mod display;
mod equal;
mod from_slice;
mod gather;
mod index;
mod iter;
mod kernel_subview;
mod lines;
pub(crate) mod memory_space;
mod mismatch;
#[cfg(feature = "ndarray")]
mod ndarray;
mod npy;
mod offset_view;
mod offsets;
mod owned;
mod planes;
mod rank;
mod regroup;
mod resize;
#[cfg(feature = "serde")]
mod serde;
mod slice;
mod split;
mod split_axis;
pub(crate) mod staged;
pub mod subview;
mod uninit;
mod unmanaged;

pub use any_view::{ReadView, WriteView};
pub use borrowed::{ViewMut, ViewRef};
pub(crate) use construct::checked_count;
#[cfg(feature = "cuda")]
pub(crate) use copy::copy_raw;
pub use copy::{CopyFrom, deep_copy, deep_copy_scalar};
pub(crate) use copy::{
    Loop, begin_copy, check_extents, copy_all, copy_lines, copy_on_host, fill_lines, filling, merged,
};
pub(crate) use gather::gathered;
pub use index::HostIndex;
pub use iter::{IndexedIter, IndexedIterMut, Iter, IterMut};
pub(crate) use memory_space::CopyStream;
pub use memory_space::{HostAccessible, HostSpace, MemorySpace};
pub use npy::NpyElement;
pub use offset_view::{OffsetView, OffsetViewMut, OffsetViewRef};
pub use offsets::{Offsets, SegmentShape};
pub use owned::View;
pub use split::{Chunks, ChunksMut};
pub use uninit::UninitView;
#[cfg(feature = "cuda")]
pub(crate) use unmanaged::check_pointer;
