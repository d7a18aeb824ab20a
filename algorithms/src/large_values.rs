//! Values too large for arrays on the stack.

/// Arrays of values up to this size are kept on the stack. Unit: bytes. Source: 64 levels of a tree take 32 KiB of the 2 MiB that a thread
/// has by default.
const MAX_IN_FRAMES: usize = 512;

/// Whether arrays of these values are kept elsewhere.
pub(crate) const fn is_large<V>() -> bool {
    size_of::<V>() > MAX_IN_FRAMES
}
