//! Spelt's Views, execution spaces and patterns.
//!
//! Reading order: [`View`]s hold data; an [`ExecutionSpace`] makes policies; [`parallel_for`],
//! [`parallel_reduce`] and [`parallel_scan`] run a closure over a policy.
//!
//! | module | concept |
//! |---|---|
//! | `view` | [`View`], [`ViewRef`], [`ViewMut`]: arrays, subviews, copies |
//! | `arguments` | the arguments of kernels: [`Halo`], [`Lookup`] and others |
//! | `spaces` | [`Serial`], `Threads`, `Rayon` |
//! | `cuda` | `Cuda` and its memory spaces, behind the feature `cuda` |
//! | `patterns` | the three patterns over all policies, and `parallel_fill` |
//! | `parts` | [`Part`], [`ScanPart`]: pieces of a reduction or scan, merged with the bits of one launch |
//! | `graph` | [`Graph`]: launches that are recorded once and replayed with other arguments |
//! | `team` | [`Team`]: the handle that a closure over a league gets |
//! | `unrolled` | [`unrolled`]: a loop of constant length in a kernel, written out |
//! | `printer`, `timer` | [`Printer`]: lines from kernels; [`Timer`]: the time that the work of a space takes |
//! | `threads` | the pool of `Threads`; its README has the protocol and the proof |
//! | [`tools`] | what launches, copies and regions tell those who profile a program |
//! | `launch` | the one place where a launch is prepared and finished; [`ExecutionSpace`] |
//! | `host` | launches on threads of the host |
//! | `described`, `covered`, `names`, `isa`, `arena`, `on_heap` | the arguments without their type, coverage of the indices, names for messages, the instruction set, memory that launches reuse, and large values |
//! | `reach`, `device` | the memory that the kernels of a space reach; whether this is device code |
//! | `environment`, `variable` | the settings that hold for all launches; environment variables, all read in the same way |
//!
//! In the reading order (examples, policies, reducers, order, access, views, dispatch, serial, threads, kernels-gpu, cuda) this
//! crate comes sixth to ninth, and last.
//!
//! # Scope
//! Other crates hold the index spaces (`spelt-policies`), the reducers (`spelt-reducers`), the canonical order (`spelt-order`),
//! access to elements inside a kernel (`spelt-access`) and the code that runs on a GPU (`spelt-kernels-gpu`). Algorithms built
//! from the patterns, such as sorting, are not here either.
// See `spelt_order::if_vector_loops`.
#![cfg_attr(
    not(spelt_vector_loops),
    allow(
        dead_code,
        unused_imports,
        reason = "only loops that become vector code call some functions; `.ci/run clippy` looks at such a build too"
    )
)]
mod arena;
mod arguments;
mod covered;
#[cfg(feature = "cuda")]
mod cuda;
mod described;
mod device;
#[doc(hidden)]
pub mod environment;
mod error;
mod graph;
mod host;
pub mod isa;
mod launch;
mod launch_state;
mod memory;
mod moment;
mod names;
mod on_heap;
#[cfg(all(target_os = "linux", not(miri)))]
mod pages;
mod parts;
mod patterns;
mod primitive;
mod printer;
mod reach;
mod spaces;
mod team;
mod threads;
mod timer;
pub mod tools;
mod unrolled;
mod variable;
mod view;

pub use arena::with_scratch;
#[doc(hidden)]
pub use arguments::describe;
pub use arguments::{
    Along, Atomic, Distinct, FlatArg, FromOrigin, Halo, Lookup, Partial, PartialMut, Rows, RowsMut, Scatter,
};
pub use arguments::{
    Blocks, BlocksMut, NestedOnlyPartsMut, NestedParts, NestedPartsMut, OnlyPartsMut, Parts, PartsMut,
    Segments, SegmentsMut,
};
#[cfg(feature = "cuda")]
pub use cuda::{Cuda, CudaHostPinnedSpace, CudaManagedSpace, CudaSpace};
pub use error::{Error, ErrorKind, Result};
pub use graph::{Graph, Node, OnInstance, when_all};
pub use launch::{ExecutionSpace, OnSpace, TeamSizes};
#[doc(hidden)]
pub use launch::{Outlet, Site};
pub use memory::ALIGNMENT;
#[doc(hidden)]
pub use parts::PortableForm;
pub use parts::{MapPartPolicy, Part, PartPolicy, Portable, ScanPart, ScanPartPolicy, reduce_shares};
pub use patterns::{
    FillPolicy, ForPolicy, MapReducePolicy, ReducePolicy, ScanPolicy, parallel_fill, parallel_for,
    parallel_map_reduce, parallel_reduce, parallel_reduce_into, parallel_scan, parallel_scan_into,
    serial_map_reduce, serial_reduce,
};
#[doc(hidden)]
pub use patterns::{look_up, serial_reduce_box};
pub use printer::Printer;
pub use reach::{Reach, ReachedBy};
#[cfg(feature = "rayon")]
pub use spaces::Rayon;
#[cfg(feature = "threads")]
pub use spaces::Threads;
pub use spaces::{AnyHost, Serial, SpaceChoice};
pub use spelt_access::{
    AlongAccess, Around, AsIndex, AtZero, AtomicAccess, AtomicInteger, AtomicNumber, Between, CheckedIndex,
    Covers, Description, DistinctAccess, Element, Flat, FlatIdx, HaloAccess, HaloShape, Idx, KernelArg,
    KernelArgs, Layout, Left, LineRef, LookupAccess, MAX_RANK, Memories, Mut, NestedIdx, Origin,
    OriginAccess, OriginWitness, OwnRows, PartialAccess, PartialMutAccess, PrinterAccess, RawView, Ref,
    Right, RowsAccess, RowsMutAccess, Scalar, ScatterAccess, Shortage, SignedIdx, Stride, Witness,
};
pub use spelt_access::{
    BlocksAccess, BlocksMutAccess, Division, NestedPartsAccess, NestedPartsMutAccess, OtherPartsAccess,
    PartsAccess, PartsMutAccess, RawBlocks, RawSegments, SegmentsAccess, SegmentsMutAccess, Slab, SlabRef,
};
#[doc(hidden)]
pub use spelt_access::{BoxRef, Divided, Field, Number, OtherField, ScatterVisitor, failure};
pub use spelt_derive::{Element, KernelArgs, Portable};
pub use spelt_order::canonical;
pub use spelt_policies::{
    AUTO, Dynamic, IntoRange, Iterate, MdRangePolicy, RangePolicy, Schedule, SignedPolicy, Static,
    TeamPolicy, TeamSize,
};
pub use spelt_reducers as reducers;
pub use team::{IntoBox, NestedPolicy, ScratchColumn, ScratchRest, ScratchView, Team, Thread};
#[cfg(feature = "threads")]
pub use threads::{ThreadsArguments, ThreadsBuilder};
pub use timer::Timer;
pub use unrolled::unrolled;
#[doc(hidden)]
pub use view::SegmentShape;
pub use view::subview;
pub use view::{
    Chunks, ChunksMut, CopyFrom, HostAccessible, HostIndex, HostSpace, IndexedIter, IndexedIterMut, Iter,
    IterMut, MemorySpace, NpyElement, ReadView, UninitView, View, ViewMut, ViewRef, WriteView, deep_copy,
    deep_copy_scalar,
};
pub use view::{OffsetView, OffsetViewMut, OffsetViewRef, Offsets};
