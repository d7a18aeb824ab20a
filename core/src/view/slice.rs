//! Slices: the part of one dimension that a subview takes.

use core::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

use super::subview::{AnyRank, Broken, Open, State};
use crate::{Error, ErrorKind};

/// Takes all of one dimension: Kokkos's `ALL`. The range `..` does the same.
///
/// # Examples
/// ```
/// use spelt_core::{View, subview::All};
/// let v = View::from_fn("v", [2, 3], |[i, j]| 10 * i + j)?;
/// assert_eq!(v.subview((All, 1)).to_vec(), v.subview((.., 1)).to_vec());
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct All;

/// A range with a step: see [`Steps::step`].
///
/// # Examples
/// ```
/// use spelt_core::{View, subview::Steps};
/// let v = View::from_fn("v", [10], |[i]| i)?;
/// let every_third = (1..8).step(3);
/// assert_eq!(v.subview(every_third).to_vec(), [1, 4, 7]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stepped<S> {
    range: S,
    step: usize,
}

/// Ranges that accept a step.
///
/// # Examples
/// ```
/// use spelt_core::{View, subview::{All, Steps}};
/// fn every_second<S: Steps>(range: S) -> spelt_core::subview::Stepped<S> {
///     range.step(2)
/// }
/// let v = View::from_fn("v", [5], |[i]| i)?;
/// assert_eq!(v.subview(every_second(All)).to_vec(), [0, 2, 4]);
/// assert_eq!(v.subview(every_second(1..)).to_vec(), [1, 3]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub trait Steps: Slice + Sized {
    /// Every `step`-th index of the range, beginning with its first.
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

/// The effect of a slice on contiguity and on the rank.
pub trait Kind {
    /// The state of contiguity after indices only.
    type AfterFixed: State;
    /// The state of contiguity after one range.
    type AfterOpen: State;
    /// The rank of the subview, with this dimension.
    type Grown<N: AnyRank>: AnyRank;
}
/// One index, which removes its dimension.
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

/// The part of one dimension that a subview takes: a `usize`, a range of `usize`, [`All`], or a range with a
/// [step](Steps::step).
///
/// The trait is sealed, because its bounds checks keep a subview within its View.
///
/// # Examples
/// ```
/// use spelt_core::{View, subview::{All, Slice}};
/// fn has<S: Slice>(v: &View<usize, 1>, slice: S) -> bool {
///     v.try_subview((slice,)).is_ok()
/// }
/// let v = View::zeros("v", [3])?;
/// assert!(has(&v, 2) && has(&v, 1..=2) && has(&v, All));
/// assert!(!has(&v, 3) && !has(&v, 2..4));
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub trait Slice: sealed::Sealed {
    /// Its effect on contiguity and rank.
    type Kind: Kind;
    /// The indices taken of a dimension of this extent.
    #[doc(hidden)]
    fn pick(self, extent: usize) -> Result<Picked, Misfit>;
}

/// The `count` indices `start`, `start + step`, ..., all below the extent. If there are none, `start` may equal the
/// extent.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Picked {
    pub(super) start: usize,
    pub(super) count: usize,
    pub(super) step: usize,
    pub(super) keep: bool,
}

/// The reason why a slice does not fit a dimension.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum Misfit {
    /// An index that is not below the extent.
    Index(usize),
    /// A range that ends beyond the extent, or before its start.
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
            Misfit::NoStep => "the step is 0".to_owned(),
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
