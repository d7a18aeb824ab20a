//! Spelt's Views, execution spaces and patterns.
//!
//! Reading order: [`View`]s hold data; an [`ExecutionSpace`] makes policies; [`parallel_for`],
//! [`parallel_reduce`] and [`parallel_scan`] run a closure over a policy.
mod arena;
mod arguments;
mod error;
mod isa;
mod launch;
mod memory;
mod patterns;
mod primitive;
mod spaces;
mod team;
mod threads;
mod view;

pub use arguments::{
    Along, Atomic, Distinct, FlatArg, Halo, Lookup, Partial, PartialMut, Rows, RowsMut, Scatter,
};
pub use error::{Error, ErrorKind, Result};
pub use memory::{ALIGNMENT, HostAccessible, HostSpace, MemorySpace};
pub use patterns::{
    ForPolicy, MapReducePolicy, OnSpace, ReducePolicy, ScanPolicy, parallel_for, parallel_map_reduce,
    parallel_reduce, parallel_reduce_into, parallel_scan, parallel_scan_into,
};
#[cfg(feature = "rayon")]
pub use spaces::Rayon;
#[cfg(feature = "threads")]
pub use spaces::Threads;
pub use spaces::{ExecutionSpace, Reach, ReachedBy, Serial, SpaceChoice};
pub use spelt_derive::Element;
pub use spelt_kernels_gpu::{
    AlongAccess, AsIndex, AtomicAccess, AtomicInteger, AtomicNumber, DistinctAccess, Element, Flat,
    HaloAccess, KernelArg, KernelArgs, LookupAccess, Mut, PartialAccess, PartialMutAccess, RawView, Ref,
    RowsAccess, RowsMutAccess, ScatterAccess, Witness,
};
pub use spelt_policies::{
    AUTO, Dynamic, FlatIdx, Idx, IntoRange, Iterate, Layout, Left, MdRangePolicy, NestedIdx, RangePolicy,
    Right, Schedule, Static, Stride, TeamPolicy, TeamSize, canonical,
};
pub use spelt_reducers as reducers;
pub use team::{NestedPolicy, Team, Thread};
#[cfg(feature = "threads")]
pub use threads::{ThreadsArguments, ThreadsBuilder};
pub use view::subview;
pub use view::{
    Chunks, ChunksMut, CopyFrom, IndexedIter, IndexedIterMut, IntoIndex, Iter, IterMut, NpyElement, ReadView,
    View, ViewMut, ViewRef, WriteView, deep_copy, deep_copy_scalar,
};
