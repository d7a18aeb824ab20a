//! The part of a reduction or scan that one rank makes, where cuts may divide tiles.

use core::ops::Range;

use spelt_core::reducers::Reducer;
use spelt_core::{Error, ErrorKind, Part, Portable, Result, ScanPart};

use crate::ongoing::Ongoing;

/// A part that ranks make of their iterations, send and merge.
pub(crate) trait Share<R>: Sized {
    /// The length of a tile: at its borders a part begins.
    const TILE: usize;
    fn starting_at(n: usize, begin: usize, reducer: R) -> Result<Self>;
    fn range(&self) -> Range<usize>;
    fn take_carry(&mut self) -> Self;
    fn merge(&mut self, right: Self) -> Result<()>;
    fn to_bytes(&self) -> Vec<u8>;
    fn from_bytes(bytes: &[u8], reducer: R) -> Result<Self>;
}

macro_rules! shares {
    ($($part:ident)*) => {$(
        impl<R: Reducer + Clone> Share<R> for $part<R>
        where
            R::Value: Portable,
        {
            const TILE: usize = Self::TILE;
            fn starting_at(n: usize, begin: usize, reducer: R) -> Result<Self> {
                Self::starting_at(n, begin, reducer)
            }
            fn range(&self) -> Range<usize> {
                self.range()
            }
            fn take_carry(&mut self) -> Self {
                self.take_carry()
            }
            fn merge(&mut self, right: Self) -> Result<()> {
                self.merge(right)
            }
            fn to_bytes(&self) -> Vec<u8> {
                self.to_bytes()
            }
            fn from_bytes(bytes: &[u8], reducer: R) -> Result<Self> {
                Self::from_bytes(bytes, reducer)
            }
        }
    )*};
}
shares! { Part ScanPart }

/// The part of a rank, from the border of a tile to another.
pub(crate) struct OwnPart<P> {
    pub(crate) whole: P,
    /// The tile that the rank on the left has begun, as it came.
    pub(crate) head: Option<Vec<u8>>,
}

/// Makes the part of this rank: the rank on the right continues a tile that a cut divides. `begun` has some of its iterations, from the border
/// of a tile on.
pub(crate) fn own_part<R: Clone, P: Share<R>>(
    ongoing: &mut Ongoing<'_>,
    rank: usize,
    n: usize,
    own: Range<usize>,
    reducer: &R,
    begun: Option<P>,
    mut extend: impl FnMut(&mut P, Range<usize>) -> Result<()>,
) -> Result<OwnPart<P>> {
    let is_border = |iteration: usize| iteration == n || iteration.is_multiple_of(P::TILE);
    let mut extend = |part: &mut P, iterations: Range<usize>| {
        let end = iterations.end;
        if !iterations.is_empty() {
            extend(part, iterations)?;
        }
        if part.range().end == end { Ok(()) } else { Err(other_iterations(rank, part.range().end, end)) }
    };
    let Range { start, end } = own;
    // The first iteration of a whole tile. Those tiles need nothing from the left: they come first.
    let whole = border_from::<R, P>(start, n);
    let mut part = match begun {
        Some(begun) => begun,
        None => P::starting_at(n, whole, reducer.clone())?,
    };
    let mut head = None;
    let Range { start: first, end: next } = part.range();
    if next < end {
        extend(&mut part, next..end)?;
    }
    // The tile that ends there does not wait for the one at the start: otherwise all ranks would wait for one another.
    if whole < end && !is_border(end) {
        ongoing.send(rank + 1, part.take_carry().to_bytes())?;
    }
    if whole < first {
        let mut before = P::starting_at(n, whole, reducer.clone())?;
        extend(&mut before, whole..first)?;
        before.merge(part)?;
        part = before;
    }
    if !is_border(start) {
        let bytes = ongoing.receive(rank - 1)?;
        let mut begun = P::from_bytes(&bytes, reducer.clone())?;
        if begun.range().end != start {
            return Err(other_iterations(rank - 1, begun.range().end, start));
        }
        extend(&mut begun, start..whole.min(end))?;
        if whole <= end {
            begun.merge(part)?;
        }
        part = begun;
        head = Some(bytes);
    }
    // A share inside one tile passes it on.
    if whole >= end && !is_border(end) {
        ongoing.send(rank + 1, part.take_carry().to_bytes())?;
    }
    Ok(OwnPart { whole: part, head })
}

/// The first border of a tile from iteration `start` of `n` on.
pub(crate) fn border_from<R, P: Share<R>>(start: usize, n: usize) -> usize {
    start.checked_next_multiple_of(P::TILE).map_or(n, |border| border.min(n))
}

fn other_iterations(rank: usize, found: usize, expected: usize) -> Error {
    let message =
        format!("the part of rank {rank} ends with iteration {found}, where {expected} was expected");
    Error::new(ErrorKind::Extents, message)
}
