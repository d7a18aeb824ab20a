//! The memory spaces that arguments point into, as a list of types.

/// A list of memory spaces: `()` is empty, and `(M, Rest)` has `M` before those of `Rest`.
///
/// A space accepts arguments only if it reaches every memory space in their list.
///
/// # Examples
/// ```
/// use spelt_access::{KernelArgs, Memories};
/// fn is_empty<A: KernelArgs<Memory = ()>>(_: &A) {}
/// is_empty(&(2.5, [7, 8]));
/// ```
pub trait Memories {
    /// The list of these and then of `More`.
    type And<More: Memories>: Memories;
}

impl Memories for () {
    type And<More: Memories> = More;
}

impl<M, Rest: Memories> Memories for (M, Rest) {
    type And<More: Memories> = (M, Rest::And<More>);
}
