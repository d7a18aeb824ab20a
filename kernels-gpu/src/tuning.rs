//! The numbers of every launch, with their reasons; those of reductions, scans and teams are in their folders.

/// Threads of a block of `parallel_for`. Unit: threads. Source: estimated: eight such blocks fill a multiprocessor of 2048
/// threads, with up to 32 registers for each thread, and four with up to 64; fewer threads would cost more blocks, more
/// threads leave more of them idle at the end of a block.
pub const FOR_THREADS: u32 = 256;

/// Threads of a block along its fastest dimension, if a box has more than one. Unit: threads. Source: estimated: two
/// warps' worth of coalesced accesses; the four rows of the block then share the reads of a stencil in neighbouring rows: 1.5
/// rows are read for each written, not 3.
pub const FOR_ROW: u32 = 64;

/// The maximum number of threads of a block. Unit: threads. Source: the CUDA programming guide.
pub const MAX_THREADS: u32 = 1024;

/// The maximum number of blocks of a launch. Unit: blocks. Source: the CUDA programming guide.
pub const MAX_BLOCKS: u32 = i32::MAX as u32;
