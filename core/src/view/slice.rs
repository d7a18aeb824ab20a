//! What a subview takes of one dimension.

use core::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

use super::subview::{AnyRank, Broken, Open, State};
use crate::{Error, ErrorKind};

/// Takes all of one dimension: Kokkos's `ALL`. The range `..` does the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct All;

/// A range with a step: see [`Steps::step`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stepped<S> {
    range: S,
    step: usize,
}

/// Ranges that can go in steps.
pub trait Steps: Slice + Sized {
    /// Every `step`-th index of the range, from its first on.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{View, subview::{All, Steps}};
    /// let v = View::from_fn("v", [7], |[i]| i)?;
    /// assert_eq!(v.subview((1..6).step(2)).to_vec(), [1, 3, 5]);
    /// assert_eq!(v.subview(All.step(3)).to_vec(), [0, 3, 6]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    fn step(self, step: usize) -> Stepped<Self> {
        Stepped { range: self, step }
    }
}

/// What a slice does to contiguity and to the rank.
pub trait Kind {
    /// The state of contiguity if only indices came before.
    type AfterFixed: State;
    /// The state of contiguity if one range came before.
    type AfterOpen: State;
    /// The rank of the subview, with this dimension.
    type Grown<N: AnyRank>: AnyRank;
}
/// One index: its dimension goes away.
#[derive(Debug)]
pub struct Index;
/// All of a dimension.
#[derive(Debug)]
pub struct Whole;
/// Neighbours.
#[derive(Debug)]
pub struct Run;
/// Indices with gaps.
#[derive(Debug)]
pub struct Gaps;

impl Kind for Index {
    type AfterFixed = super::subview::Fixed;
    type AfterOpen = Broken;
    type Grown<N: AnyRank> = N;
}
impl Kind for Whole {
    type AfterFixed = Open;
    type AfterOpen = Open;
    type Grown<N: AnyRank> = N::Next;
}
impl Kind for Run {
    type AfterFixed = Open;
    type AfterOpen = Broken;
    type Grown<N: AnyRank> = N::Next;
}
impl Kind for Gaps {
    type AfterFixed = Broken;
    type AfterOpen = Broken;
    type Grown<N: AnyRank> = N::Next;
}

/// What a subview takes of one dimension: a `usize`, a range of `usize`, [`All`], or a range with a
/// [step](Steps::step).
///
/// Sealed: that a subview lies within its View rests on the bounds that are tested here.
pub trait Slice: sealed::Sealed {
    /// What it does to contiguity and rank.
    type Kind: Kind;
    /// What is taken of a dimension of this extent.
    #[doc(hidden)]
    fn pick(self, extent: usize) -> Result<Picked, Misfit>;
}

/// The indices `start`, `start + step`, ..., `count` of them, all below the extent. Where there is none, `start` may
/// be the extent itself.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Picked {
    pub(super) start: usize,
    pub(super) count: usize,
    pub(super) step: usize,
    pub(super) keep: bool,
}

/// Why a slice takes nothing of a dimension.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum Misfit {
    /// An index that is not below the extent.
    Index(usize),
    /// A range that ends beyond the extent, or starts behind its end.
    Range(usize, usize),
    /// A range to the largest number, inclusive.
    Endless,
    /// A step of 0.
    NoStep,
}

impl Misfit {
    #[cold]
    pub(super) fn error(self, label: &str, dimension: usize, extent: usize) -> Error {
        let what = match self {
            Misfit::Index(index) => {
                format!("index {index} is out of the extent {extent}")
            }
            Misfit::Range(start, end) if start > end => {
                format!("the range {start}..{end} ends before it starts")
            }
            Misfit::Range(start, end) => format!("the range {start}..{end} is out of the extent {extent}"),
            Misfit::Endless => format!("the range ends at the largest number, beyond the extent {extent}"),
            Misfit::NoStep => "a step of 0 stays where it is".to_owned(),
        };
        Error::new(ErrorKind::Extents, format!("view `{label}`: subview in dimension {dimension}: {what}"))
    }
}

#[inline]
fn run(start: usize, end: usize, extent: usize) -> Result<Picked, Misfit> {
    if start <= end && end <= extent {
        Ok(Picked { start, count: end - start, step: 1, keep: true })
    } else {
        Err(Misfit::Range(start, end))
    }
}

impl Slice for usize {
    type Kind = Index;
    #[inline]
    fn pick(self, extent: usize) -> Result<Picked, Misfit> {
        if self < extent {
            Ok(Picked { start: self, count: 1, step: 1, keep: false })
        } else {
            Err(Misfit::Index(self))
        }
    }
}

macro_rules! ranges {
    ($($range:ty: $kind:ident, |$self:ident, $extent:ident| $pick:expr;)*) => {$(
        impl Slice for $range {
            type Kind = $kind;
            #[inline]
            fn pick($self, $extent: usize) -> Result<Picked, Misfit> {
                $pick
            }
        }
        impl Steps for $range {}
        impl sealed::Sealed for $range {}
    )*};
}
ranges! {
    All: Whole, |self, extent| run(0, extent, extent);
    RangeFull: Whole, |self, extent| run(0, extent, extent);
    Range<usize>: Run, |self, extent| run(self.start, self.end, extent);
    RangeFrom<usize>: Run, |self, extent| run(self.start, extent, extent);
    RangeTo<usize>: Run, |self, extent| run(0, self.end, extent);
    RangeInclusive<usize>: Run, |self, extent| {
        run(*self.start(), self.end().checked_add(1).ok_or(Misfit::Endless)?, extent)
    };
    RangeToInclusive<usize>: Run, |self, extent| run(0, self.end.checked_add(1).ok_or(Misfit::Endless)?, extent);
}

impl<S: Steps> Slice for Stepped<S> {
    type Kind = Gaps;
    #[inline]
    fn pick(self, extent: usize) -> Result<Picked, Misfit> {
        if self.step == 0 {
            return Err(Misfit::NoStep);
        }
        let all = self.range.pick(extent)?;
        Ok(Picked { count: all.count.div_ceil(self.step), step: self.step, ..all })
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for usize {}
    impl<S: super::Steps> Sealed for super::Stepped<S> {}
}
