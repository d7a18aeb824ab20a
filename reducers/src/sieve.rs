//! `Sieve`: how a reducer that drops most contributions tells them before it joins them.

use crate::Reducer;

/// Tells whether a running value would keep a contribution, for a reducer that keeps only some.
///
/// The values of a reducer that has a sieve may join in any order and grouping: their bits do not depend on it.
pub trait Sieve<R: Reducer> {
    /// The part of a contribution that decides.
    type Key: Copy;

    /// The rest of it.
    type Tag: Copy;

    /// The one contribution to a value that began as an identity; if there was none, one that changes no value.
    ///
    /// `None` if there were several.
    fn only(value: &R::Value) -> Option<(Self::Key, Self::Tag)>;

    /// Whether a value may keep a contribution: `false` if it would stay the same.
    ///
    /// It is called for many contributions and one value, in a loop that should become vector code.
    fn may_keep(value: &R::Value, key: Self::Key) -> bool;

    /// Contributes to a value.
    fn contribute(value: &mut R::Value, key: Self::Key, tag: Self::Tag);
}

/// Works with the sieve of a reducer, whose type only [`Reducer::by_sieve`] knows.
pub trait SieveVisitor<R: Reducer> {
    /// The result of `visit`.
    type Output;

    /// Does the work.
    fn visit<S: Sieve<R>>(self) -> Self::Output;
}
