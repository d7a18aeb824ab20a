//! Whether the arguments of a launch cover its indices, and the message if they do not.

use spelt_access::{Covers, Description, KernelArgs};

use crate::{Error, ErrorKind, Result};

/// Checks that every argument covers the witnesses of the box `lower..upper`.
#[inline(always)]
pub(crate) fn check<A: KernelArgs>(label: &str, args: &A, lower: &[usize], upper: &[usize]) -> Result<()> {
    let mut empty = false;
    for dimension in 0..lower.len() {
        empty |= lower[dimension] >= upper[dimension];
    }
    if A::covers_box(args, lower, upper) || empty {
        Ok(())
    } else {
        Err(not_covered(label, args, lower, upper))
    }
}

#[cold]
#[inline(never)]
fn not_covered<A: KernelArgs>(label: &str, args: &A, lower: &[usize], upper: &[usize]) -> Error {
    Error::new(ErrorKind::Extents, first_uncovered(args, lower, upper)).in_kernel(label)
}

/// Checks that every argument that a witness indexes covers the league, in its first dimension.
pub(crate) fn check_league<A: KernelArgs>(label: &str, args: &A, league: usize) -> Result<()> {
    let mut message = None;
    A::describe(args, &mut |argument| {
        let covered = match argument.covers {
            Covers::Nothing | Covers::Rank(0) => true,
            Covers::Rank(_) | Covers::Along(0) => argument.lower[0] == 0 && league <= argument.upper[0],
            Covers::Along(_) => true,
        };
        if !covered && league > 0 && message.is_none() {
            let (label, adapter) = (argument.label, argument.adapter);
            message = Some(format!(
                "view `{label}`{adapter} with extents {:?} does not cover the league 0..{league} in its first \
                 dimension: pass it with `.lookup()`, or `.along::<1>()` if the nested index runs over it",
                &argument.extents[..argument.rank]
            ));
        }
    });
    match message {
        None => Ok(()),
        Some(message) => Err(Error::new(ErrorKind::Extents, message).in_kernel(label)),
    }
}

/// The message for the first argument that does not cover the box.
pub(crate) fn first_uncovered<A: KernelArgs>(args: &A, lower: &[usize], upper: &[usize]) -> String {
    let mut message = String::new();
    A::describe(args, &mut |argument| {
        if message.is_empty() && !argument.covers_box(lower, upper) {
            message = uncovered_message(&argument, lower, upper);
        }
    });
    message
}

/// The message that `argument` does not cover the box, with advice.
fn uncovered_message(argument: &Description<'_>, lower: &[usize], upper: &[usize]) -> String {
    let ranges: Vec<_> = lower.iter().zip(upper).map(|(lower, upper)| *lower..*upper).collect();
    let extents = &argument.extents[..argument.rank];
    let (label, adapter) = (argument.label, argument.adapter);
    match argument.covers {
        Covers::Along(dimension) => format!(
            "view `{label}`{adapter} with extents {extents:?} does not cover dimension {dimension} of the indices \
             {ranges:?}: enlarge the View or shrink the range"
        ),
        _ if adapter.is_empty() => format!(
            "view `{label}` with extents {extents:?} does not cover the indices {ranges:?}: enlarge the View, shrink \
             the range, or pass it with `.partial()` or `.lookup()`"
        ),
        _ => format!(
            "view `{label}`{adapter} with extents {extents:?} does not cover the indices {ranges:?}: it covers from \
             {:?} to {:?}",
            &argument.lower[..lower.len()],
            &argument.upper[..lower.len()]
        ),
    }
}
