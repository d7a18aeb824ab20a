//! The checks that parts of reductions and of scans share, with their messages.

use core::ops::Range;

use crate::{Error, ErrorKind, Result};

/// The error of a call that is wrong here.
pub(super) fn refused(message: String) -> Error {
    Error::new(ErrorKind::Policy, message)
}

/// The error of a part that a panic has lost.
#[cold]
pub(super) fn lost() -> Error {
    refused("a launch that extended this part has panicked, and its values are lost".to_owned())
}

/// Checks that a part of `n` iterations may begin with iteration `begin`, in tiles of `tile`.
pub(super) fn begins(n: usize, begin: usize, tile: usize) -> Result<()> {
    if begin > n {
        return Err(refused(format!("a part cannot begin at iteration {begin} of {n}")));
    }
    if !begin.is_multiple_of(tile) && begin != n {
        return Err(refused(format!(
            "a part of {n} iterations cannot begin at {begin}, inside a tile of {tile}: begin at a multiple, or go on from the \
             `take_carry` of the part on the left"
        )));
    }
    Ok(())
}

/// Checks that parts of `n` iterations each are neighbours: the last iterations of one, and those of the other.
pub(super) fn neighbours(n: [usize; 2], [left, right]: [Range<usize>; 2]) -> Result<()> {
    if n[0] != n[1] {
        return Err(refused(format!(
            "parts of different reductions: one of {} iterations, and one of {}",
            n[0], n[1]
        )));
    }
    if left.end != right.start {
        return Err(refused(format!(
            "parts of a reduction of {} iterations that are no neighbours: {left:?} and {right:?}",
            n[0]
        )));
    }
    Ok(())
}

/// Checks that a part has all of `n` iterations.
pub(super) fn complete(n: usize, range: Range<usize>) -> Result<()> {
    if range != (0..n) {
        return Err(refused(format!("iterations are missing: the part has {range:?} of {n}")));
    }
    Ok(())
}

/// The iterations that a launch of `count` appends to a part with `range` of `n` iterations: `some` of them, or all.
pub(super) fn appended(
    label: &str,
    count: usize,
    some: Option<Range<usize>>,
    n: usize,
    range: Range<usize>,
) -> Result<Range<usize>> {
    let iterations = some.unwrap_or(0..count);
    if iterations.start > iterations.end || iterations.end > count {
        let message = format!("the policy has {count} iterations, not {iterations:?}");
        return Err(refused(message).in_kernel(label));
    }
    if iterations.len() > n - range.end {
        let message = format!(
            "{} iterations are more than the part can append: it has {range:?} of {n}",
            iterations.len()
        );
        return Err(refused(message).in_kernel(label));
    }
    Ok(iterations)
}
