//! The word that a kernel reads and writes at once.

/// A unit of memory that is copied without a look at it: elements may have padding, so kernels wrap it in `MaybeUninit`.
///
/// They are scalars, up to the sixteen bytes that a thread can move at once: arrays of structs would stay in local memory.
pub trait Word: Copy {}

impl Word for u8 {}
impl Word for u16 {}
impl Word for u32 {}
impl Word for u64 {}
impl Word for u128 {}
