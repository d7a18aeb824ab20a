//! Which of two values an extremum keeps: the one place that knows about NaN and ties.
//!
//! All of it is comparisons and bit operations, without branches, so that the lanes of a tile vectorise. NaN stands for
//! any value that is unequal to itself.

use crate::{Location, MinMaxElement};

/// Whether `new` replaces `kept` as the minimum: it is lower, or `kept` is NaN and `new` is not.
#[expect(clippy::eq_op, clippy::neg_cmp_op_on_partial_ord, reason = "both decide what happens to NaN")]
#[inline(always)]
pub(crate) fn lower<T: MinMaxElement>(new: T, kept: T) -> bool {
    !(kept <= new) & (new == new)
}

/// Whether `new` replaces `kept` as the maximum: it is higher, or `kept` is NaN and `new` is not.
#[expect(clippy::eq_op, clippy::neg_cmp_op_on_partial_ord, reason = "both decide what happens to NaN")]
#[inline(always)]
pub(crate) fn higher<T: MinMaxElement>(new: T, kept: T) -> bool {
    !(kept >= new) & (new == new)
}

/// Whether neither value is better: they are equal, or both are NaN.
#[expect(clippy::eq_op, reason = "finds NaN")]
#[inline(always)]
pub(crate) fn tie<T: MinMaxElement>(new: T, kept: T) -> bool {
    (new == kept) | ((new != new) & (kept != kept))
}

/// Which of two locations a tie goes to.
#[inline(always)]
pub(crate) fn earlier<L: Location>(new: L, kept: L) -> bool {
    new.precedes(kept)
}

/// The opposite of [`earlier`].
#[inline(always)]
pub(crate) fn later<L: Location>(new: L, kept: L) -> bool {
    kept.precedes(new)
}

/// One or the other; compiles to a select.
#[inline(always)]
pub(crate) fn select<T: Copy>(take_new: bool, new: T, kept: T) -> T {
    if take_new { new } else { kept }
}
