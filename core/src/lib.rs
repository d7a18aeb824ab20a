//! Under construction.
mod error;
mod memory;
mod view;

pub use error::{Error, ErrorKind, Result};
pub use memory::{ALIGNMENT, HostAccessible, HostSpace, MemorySpace};
pub use spelt_derive::Element;
pub use spelt_kernels_gpu::{Element, RawView};
pub use spelt_policies::{Layout, Left, Right, Stride};
pub use view::subview;
pub use view::{
    Chunks, ChunksMut, CopyFrom, IndexedIter, IndexedIterMut, IntoIndex, Iter, IterMut, NpyElement, ReadView,
    View, ViewMut, ViewRef, WriteView, deep_copy, deep_copy_scalar,
};
