//! `OfContributions`: the reducer of a mapped reduction, whose values no kernel assigns to.

use crate::Reducer;

/// The reducer, with [`Reducer::join_contributed`] for [`Reducer::join`].
#[derive(Clone, Copy, Debug)]
pub struct OfContributions<R>(pub R);

impl<R: Reducer> Reducer for OfContributions<R> {
    type Value = R::Value;
    type Output = R::Output;

    const COMMUTATIVE: bool = R::COMMUTATIVE;
    const EXACT: bool = R::EXACT;
    const REORDERABLE: bool = R::REORDERABLE;
    const LANE_BYTES: usize = R::LANE_BYTES;
    const HALF_WORDS: u32 = R::HALF_WORDS;
    const PACKED: bool = R::PACKED;
    const MOSTLY_KEEPS: bool = R::MOSTLY_KEEPS;

    #[inline(always)]
    fn init(&self) -> R::Value {
        self.0.init()
    }

    #[inline(always)]
    fn join(&self, into: &mut R::Value, from: &R::Value) {
        self.0.join_contributed(into, from);
    }

    #[inline(always)]
    fn finish(&self, value: R::Value) -> R::Output {
        self.0.finish(value)
    }
}
