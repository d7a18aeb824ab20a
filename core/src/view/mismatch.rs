//! The panics of Views: cold, out of line, and naming label, index and extents.

use spelt_access::failure::Shown;

/// Index outside the extents.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn index(label: &str, index: &[usize], extents: &[usize]) -> ! {
    panic!("view `{label}`: index {:?} is out of the extents {extents:?}", Shown(index))
}

/// Dimension not below the rank.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn dimension(label: &str, dimension: usize, rank: usize) -> ! {
    panic!("view `{label}`: there is no dimension {dimension}: the rank is {rank}")
}

/// Line (row or column) outside the extents.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn line(label: &str, line: &str, index: usize, extents: &[usize]) -> ! {
    panic!("view `{label}`: there is no {line} {index} in the extents {extents:?}")
}

/// An error that the caller did not ask to get.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn error(error: crate::Error) -> ! {
    panic!("{error}")
}

/// Cut outside the extents.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn split(label: &str, dimension: usize, at: usize, extents: &[usize]) -> ! {
    panic!("view `{label}`: cannot cut dimension {dimension} at {at}: the extents are {extents:?}")
}

/// A number of planes that is not the extent.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn planes(label: &str, dimension: usize, planes: usize, extents: &[usize]) -> ! {
    panic!("view `{label}`: dimension {dimension} does not have {planes} planes: the extents are {extents:?}")
}

/// Index outside the indices of a View with an origin.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn outside(label: &str, index: &[isize], ranges: &[core::ops::Range<isize>]) -> ! {
    panic!("view `{label}`: index {index:?} is out of the indices {ranges:?}")
}
