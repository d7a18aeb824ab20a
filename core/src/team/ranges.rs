//! The index that each nested range gives to the closure.
//!
//! | range | team of plain threads | team with vector lanes |
//! |---|---|---|
//! | `thread_range` | the pair (league, j) | a [`Thread`] |
//! | `team_vector_range` | the pair (league, j) | a [`FlatIdx`], for `.flat()` arguments |
//! | `thread_md_range` | (league, j, k, ..) | – |
//! | `vector_range` | `j`, again on each thread | – (nested in a [`Thread`]) |
//!
//! With vector lanes the types differ because the owners do: the thread of `j` writes the pair of a
//! `thread_range`, one lane that of a `team_vector_range`.

use core::cell::OnceCell;

use spelt_access::{FlatIdx, NestedIdx, OwnRows};
use spelt_order::cursor::{Boxed, Cursor, Line};
use spelt_policies::{Scalar, TeamVectorRange, ThreadMdRange, ThreadRange, Vector, VectorRange, checked_len};

use super::{Context, Thread};

/// A range that loops nested in a team of kind `K` run over.
#[diagnostic::on_unimplemented(
    message = "a team of this kind has no nested loop over `{Self}`",
    note = "with `.vector(n)`, nest a `vector_range` in the thread that the closure over a `thread_range` gets"
)]
pub trait NestedPolicy<K>: sealed::Sealed {
    /// The index that an iteration gets.
    type Index<'k, 'j>;
    /// The location of an iteration in a mapped reduction: the index as plain numbers.
    type Location;
    /// A place in it.
    #[doc(hidden)]
    type Place: Cursor;
    /// Whether each thread runs all of it, by itself.
    #[doc(hidden)]
    const EACH_THREAD: bool = false;
    /// Whether it is distributed over lanes rather than threads; the same if threads have no lanes.
    #[doc(hidden)]
    const FLAT: bool = false;
    /// The number of iterations.
    #[doc(hidden)]
    #[track_caller]
    fn count(&self) -> usize;
    /// Panics unless all arguments cover it. It is not empty.
    #[doc(hidden)]
    #[track_caller]
    fn check(&self, team: Shared<'_>);
    /// The place of an iteration.
    #[doc(hidden)]
    fn place(&self, offset: usize) -> Self::Place;
    /// The index of the iteration `distance` further along the line.
    ///
    /// # Safety
    /// The iteration is the only one of its kind in the launch with this index, or runs on its thread or behind a
    /// barrier; it is checked.
    #[doc(hidden)]
    unsafe fn index<'k, 'j>(team: Shared<'k>, place: Self::Place, distance: usize) -> Self::Index<'k, 'j>;
    /// The location of that iteration.
    #[doc(hidden)]
    fn location(team: Shared<'_>, place: Self::Place, distance: usize) -> Self::Location;
}

/// The league index and the data shared by the team.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Shared<'k> {
    pub(super) league_rank: usize,
    pub(super) context: &'k Context<'k>,
    /// The rows that the arguments cover in this team, if some have parts for each team.
    pub(super) own: &'k OnceCell<OwnRows>,
    /// The place of the loop's call in the program.
    #[cfg(feature = "cuda")]
    pub(super) site: &'static core::panic::Location<'static>,
    /// On a device, the lanes of this thread.
    #[cfg(feature = "cuda")]
    pub(super) lanes: Option<spelt_kernels_gpu::team::Lanes>,
}

impl core::fmt::Debug for Shared<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Shared").field("league_rank", &self.league_rank).finish_non_exhaustive()
    }
}

impl Shared<'_> {
    /// Panics unless all arguments cover the nested witnesses of the box `lower..upper`, which is not empty.
    #[inline(always)]
    #[track_caller]
    pub(super) fn check<const R: usize>(self, lower: [usize; R], upper: [usize; R]) {
        self.context.check_nested(lower, upper);
        if let Some(own) = self.own.get() {
            let (end, own) = (upper[1], own.rows(R));
            if end > own {
                self.context.beyond_part(self.league_rank, R, own, end);
            }
        }
    }
}

/// A range of pairs (league, `j`) whose index type is made by `new(league, j)`.
macro_rules! pairs {
    ($range:ty, $kind:ty, $flat:literal, $index:ty, |$team:ident, $j:ident| $make:expr) => {
        impl NestedPolicy<$kind> for $range {
            const FLAT: bool = $flat;
            type Index<'k, 'j> = $index;
            type Location = [usize; 2];
            type Place = Line;
            #[inline(always)]
            fn count(&self) -> usize {
                self.range().end - self.range().start
            }
            #[inline(always)]
            #[track_caller]
            fn check(&self, team: Shared<'_>) {
                let league = team.league_rank;
                team.check([league, self.range().start], [league + 1, self.range().end]);
            }
            #[inline(always)]
            fn place(&self, offset: usize) -> Line {
                Line { index: self.range().start + offset }
            }
            #[inline(always)]
            unsafe fn index<'k, 'j>($team: Shared<'k>, place: Line, distance: usize) -> Self::Index<'k, 'j> {
                let $j = place.index + distance;
                // SAFETY: `check` has compared the range with the indices that the launch covers; the iteration is the only one
                // with this index, or runs on its thread or behind a barrier, as `index` asks.
                unsafe { $make }
            }
            #[inline(always)]
            fn location(team: Shared<'_>, place: Line, distance: usize) -> [usize; 2] {
                [team.league_rank, place.index + distance]
            }
        }
    };
}
pairs!(ThreadRange, Scalar, false, NestedIdx<'k, 'j, 2>, |team, j| NestedIdx::new([team.league_rank, j]));
pairs!(TeamVectorRange, Scalar, true, NestedIdx<'k, 'j, 2>, |team, j| NestedIdx::new([team.league_rank, j]));
pairs!(TeamVectorRange, Vector, true, FlatIdx<'k, 'j>, |team, j| FlatIdx::new([team.league_rank, j]));
pairs!(ThreadRange, Vector, false, Thread<'k, 'j>, |team, j| Thread::new(team, j));

impl NestedPolicy<Scalar> for VectorRange {
    type Index<'k, 'j> = usize;
    type Location = usize;
    type Place = Line;
    const EACH_THREAD: bool = true;
    #[inline(always)]
    fn count(&self) -> usize {
        self.range().end - self.range().start
    }
    #[inline(always)]
    fn check(&self, _team: Shared<'_>) {}
    #[inline(always)]
    fn place(&self, offset: usize) -> Line {
        Line { index: self.range().start + offset }
    }
    #[inline(always)]
    unsafe fn index<'k, 'j>(_team: Shared<'k>, place: Line, distance: usize) -> Self::Index<'k, 'j> {
        place.index + distance
    }
    #[inline(always)]
    fn location(_team: Shared<'_>, place: Line, distance: usize) -> usize {
        place.index + distance
    }
}

macro_rules! boxes {
    ($($rank:literal $with_league:literal)*) => {$(
        impl NestedPolicy<Scalar> for ThreadMdRange<$rank> {
            type Index<'k, 'j> = NestedIdx<'k, 'j, $with_league>;
            type Location = [usize; $with_league];
            type Place = Boxed<$rank>;
            #[inline(always)]
            #[track_caller]
            fn count(&self) -> usize {
                let extents = self.ranges().map(|range| range.end - range.start);
                checked_len(&extents).unwrap_or_else(|| {
                    panic!("the thread_md_range {:?} has more iterations than a `usize` can count: split it", self.ranges())
                })
            }
            #[inline(always)]
            #[track_caller]
            fn check(&self, team: Shared<'_>) {
                let (mut lower, mut upper) = ([team.league_rank; $with_league], [team.league_rank + 1; $with_league]);
                for (dimension, range) in self.ranges().into_iter().enumerate() {
                    lower[dimension + 1] = range.start;
                    upper[dimension + 1] = range.end;
                }
                team.check(lower, upper);
            }
            #[inline(always)]
            fn place(&self, offset: usize) -> Boxed<$rank> {
                Boxed::new(self.ranges().map(|range| range.start), self.ranges().map(|range| range.end), offset)
            }
            #[inline(always)]
            unsafe fn index<'k, 'j>(
                team: Shared<'k>,
                place: Boxed<$rank>,
                distance: usize,
            ) -> NestedIdx<'k, 'j, $with_league> {
                // SAFETY: `check` has compared the range with the indices that the launch covers; the iteration is the only one
                // with this index, or runs on its thread or behind a barrier, as `index` asks.
                unsafe { NestedIdx::new(Self::location(team, place, distance)) }
            }
            #[inline(always)]
            fn location(team: Shared<'_>, place: Boxed<$rank>, distance: usize) -> [usize; $with_league] {
                let mut index = [team.league_rank; $with_league];
                index[1..].copy_from_slice(&place.index);
                index[$with_league - 1] += distance;
                index
            }
        }
    )*};
}
boxes!(2 3 3 4 4 5 5 6 6 7 7 8);

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::ThreadRange {}
    impl Sealed for super::VectorRange {}
    impl Sealed for super::TeamVectorRange {}
    impl<const N: usize> Sealed for super::ThreadMdRange<N> {}
}
