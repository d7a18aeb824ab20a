//! Whether the arguments of a launch cover its indices, and the message if they do not.

use core::fmt;
use core::ops::Range;

use spelt_access::{Covers, Description, KernelArgs, MAX_RANK};

use crate::described::Described;
use crate::{Error, ErrorKind, Result};

#[cfg(test)]
thread_local! {
    /// The number of launches of this thread whose arguments have been checked.
    pub(crate) static CHECKS: core::cell::Cell<usize> = const { core::cell::Cell::new(0) };
}

/// Checks that every argument covers the witnesses of the box `lower..upper`.
#[inline(always)]
pub(crate) fn check<A: KernelArgs, const N: usize>(
    label: &str,
    args: &A,
    lower: &[usize; N],
    upper: &[usize; N],
) -> Result<()> {
    #[cfg(test)]
    CHECKS.set(CHECKS.get() + 1);
    let mut empty = false;
    for dimension in 0..lower.len() {
        empty |= lower[dimension] >= upper[dimension];
    }
    if A::covers_box(args, lower, upper) || empty {
        Ok(())
    } else {
        // Copies, so that the corners of a launch that is covered stay in registers.
        Err(not_covered(label, Described::new(args), &{ *lower }, &{ *upper }))
    }
}

// The errors are made by functions that are not generic: each launch has arguments of its own type.

#[cold]
#[inline(never)]
fn not_covered(label: &str, args: Described<'_>, lower: &[usize], upper: &[usize]) -> Error {
    Error::new(ErrorKind::Extents, uncovered(args, lower, upper)).in_kernel(label)
}

/// Checks that every argument with an origin covers the signed witnesses of the box `lower..upper`; no other argument takes them.
pub(crate) fn check_signed<A: KernelArgs>(
    label: &str,
    args: &A,
    lower: &[isize],
    upper: &[isize],
) -> Result<()> {
    #[cfg(test)]
    CHECKS.set(CHECKS.get() + 1);
    if lower.iter().zip(upper).any(|(lower, upper)| lower >= upper) {
        return Ok(());
    }
    let mut covered = true;
    A::describe(args, &mut |argument| covered &= argument.covers_signed_box(lower, upper));
    if covered { Ok(()) } else { Err(not_covered_signed(label, Described::new(args), lower, upper)) }
}

#[cold]
#[inline(never)]
fn not_covered_signed(label: &str, args: Described<'_>, lower: &[isize], upper: &[isize]) -> Error {
    let mut message = String::new();
    args.visit(&mut |argument| {
        if message.is_empty() && !argument.covers_signed_box(lower, upper) {
            let ranges: Vec<_> = lower.iter().zip(upper).map(|(lower, upper)| *lower..*upper).collect();
            let covered = (0..lower.len()).map(|dimension| argument.covered_signed(dimension));
            let covered: Vec<_> = covered.map(|(first, end)| first..end).collect();
            message = format!(
                "view `{}`{} with {} does not cover the indices {ranges:?}: it covers {covered:?}",
                argument.label,
                argument.adapter,
                Bounds::of(&argument)
            );
        }
    });
    Error::new(ErrorKind::Extents, message).in_kernel(label)
}

/// Checks that every argument that a witness indexes covers the league, in its first dimension.
pub(crate) fn check_league<A: KernelArgs>(label: &str, args: &A, ranks: Range<usize>) -> Result<()> {
    #[cfg(test)]
    CHECKS.set(CHECKS.get() + 1);
    if ranks.is_empty() {
        return Ok(());
    }
    let mut covered = true;
    A::describe(args, &mut |argument| covered &= covers_league(&argument, &ranks));
    if covered { Ok(()) } else { Err(league_not_covered(label, Described::new(args), &ranks)) }
}

/// Whether the argument covers these ranks, if a witness of them indexes it.
#[inline]
fn covers_league(argument: &Description<'_>, ranks: &Range<usize>) -> bool {
    match argument.covers {
        Covers::Nothing | Covers::Rank(0) => true,
        Covers::Rank(_) | Covers::Along(0) => {
            let (first, end) = argument.covered(0);
            first <= ranks.start && ranks.end <= end
        }
        Covers::Along(_) => true,
    }
}

#[cold]
#[inline(never)]
fn league_not_covered(label: &str, args: Described<'_>, ranks: &Range<usize>) -> Error {
    let mut message = String::new();
    args.visit(&mut |argument| {
        if message.is_empty() && !covers_league(&argument, ranks) {
            let (view, adapter) = (argument.label, argument.adapter);
            message = format!(
                "view `{view}`{adapter} with {} does not cover the league {ranks:?} in its first \
                 dimension: pass it with `.lookup()`, or `.along::<1>()` if the nested index runs over it",
                Bounds::of(&argument)
            );
        }
    });
    Error::new(ErrorKind::Extents, message).in_kernel(label)
}

/// The message for the first argument that does not cover the box.
pub(crate) fn uncovered(args: Described<'_>, lower: &[usize], upper: &[usize]) -> String {
    let mut message = String::new();
    args.visit(&mut |argument| {
        if message.is_empty() && !argument.covers_box(lower, upper) {
            message = uncovered_message(&argument, lower, upper);
        }
    });
    message
}

/// The message that `argument` does not cover the box, with advice.
fn uncovered_message(argument: &Description<'_>, lower: &[usize], upper: &[usize]) -> String {
    let ranges: Vec<_> = lower.iter().zip(upper).map(|(lower, upper)| *lower..*upper).collect();
    let bounds = Bounds::of(argument);
    let (label, adapter) = (argument.label, argument.adapter);
    let (from, to): (Vec<_>, Vec<_>) = (0..lower.len()).map(|dimension| argument.covered(dimension)).unzip();
    match argument.covers {
        Covers::Along(dimension) => format!(
            "view `{label}`{adapter} with {bounds} does not cover dimension {dimension} of the indices \
             {ranges:?}: enlarge the View or shrink the range"
        ),
        _ if adapter.is_empty() => format!(
            "view `{label}` with {bounds} does not cover the indices {ranges:?}: enlarge the View, shrink \
             the range, or pass it with `.partial()` or `.lookup()`"
        ),
        _ => format!(
            "view `{label}`{adapter} with {bounds} does not cover the indices {ranges:?}: it covers from \
             {:?} to {:?}",
            from, to
        ),
    }
}

/// Extents, with the origin if there is one, as messages name them.
pub(crate) struct Bounds<'a> {
    extents: &'a [usize],
    origin: Option<&'a [isize]>,
}

impl<'a> Bounds<'a> {
    /// The bounds of an argument.
    pub(crate) fn of(argument: &'a Description<'_>) -> Self {
        Self::new(argument.rank, &argument.extents, argument.origin.as_ref())
    }

    /// The bounds of a View of rank `rank`.
    pub(crate) fn new(
        rank: usize,
        extents: &'a [usize; MAX_RANK],
        origin: Option<&'a [isize; MAX_RANK]>,
    ) -> Self {
        Self { extents: &extents[..rank], origin: origin.map(|origin| &origin[..rank]) }
    }
}

impl fmt::Display for Bounds<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "extents {:?}", self.extents)?;
        match self.origin {
            None => Ok(()),
            Some(origin) => write!(f, " and origin {origin:?}"),
        }
    }
}
