//! Spelt's Views, execution spaces and patterns.
//!
//! Reading order: [`View`]s hold data; an [`ExecutionSpace`] makes policies; [`parallel_for`],
//! [`parallel_reduce`] and [`parallel_scan`] run a closure over a policy.
//!
//! | module | concept |
//! |---|---|
//! | `view` | [`View`], [`ViewRef`], [`ViewMut`]: arrays, subviews, copies |
//! | `arguments` | what a kernel may take: [`Halo`], [`Lookup`] and their kin |
//! | `spaces` | [`Serial`], `Threads`, `Rayon` |
//! | `cuda` | `Cuda`, with its memory spaces, behind the feature of its name |
//! | `patterns` | the three patterns over all policies |
//! | `team` | [`Team`]: what a closure over a league gets |
//! | `threads` | the pool of `Threads`; its README has the protocol and the proof |
//! | `launch`, `isa`, `arena`, `on_heap` | the checks before a kernel, the instruction set, memory that launches use again, and large values |
//! | `variable` | environment variables, all by one rule |
//!
//! In the reading order (examples, policies, reducers, views, dispatch, serial, threads, what kernels share with a device)
//! this crate comes fourth to seventh.
//!
//! # What this crate does not do
//! It says neither what is iterated (`spelt-policies`), nor how values join (`spelt-reducers`), nor how an element is
//! reached inside a kernel or a tile is reduced (`spelt-kernels-gpu`). Algorithms built from
//! the patterns, such as sorting, are not here.
mod arena;
mod arguments;
#[cfg(feature = "cuda")]
mod cuda;
mod error;
pub mod isa;
mod launch;
mod memory;
mod on_heap;
#[cfg(all(target_os = "linux", not(miri)))]
mod pages;
mod patterns;
mod primitive;
mod spaces;
mod team;
mod threads;
mod variable;
mod view;

pub use arena::with_scratch;
pub use arguments::{
    Along, Atomic, Distinct, FlatArg, Halo, Lookup, Partial, PartialMut, Rows, RowsMut, Scatter,
};
#[cfg(feature = "cuda")]
pub use cuda::{Cuda, CudaHostPinnedSpace, CudaManagedSpace, CudaSpace};
pub use error::{Error, ErrorKind, Result};
pub use memory::{ALIGNMENT, HostAccessible, HostSpace, MemorySpace};
pub use patterns::{
    ForPolicy, MapReducePolicy, OnSpace, ReducePolicy, ScanPolicy, parallel_for, parallel_map_reduce,
    parallel_reduce, parallel_reduce_into, parallel_scan, parallel_scan_into, serial_reduce,
};
#[cfg(feature = "rayon")]
pub use spaces::Rayon;
#[cfg(feature = "threads")]
pub use spaces::Threads;
pub use spaces::{AnyHost, ExecutionSpace, Reach, ReachedBy, Serial, SpaceChoice};
pub use spelt_derive::Element;
pub use spelt_kernels_gpu::{
    AlongAccess, AsIndex, AtomicAccess, AtomicInteger, AtomicNumber, DistinctAccess, Element, Flat,
    HaloAccess, KernelArg, KernelArgs, LineRef, LookupAccess, Mut, PartialAccess, PartialMutAccess, RawView,
    Ref, RowsAccess, RowsMutAccess, ScatterAccess, Witness,
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
