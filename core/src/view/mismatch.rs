//! The panics of Views: cold, out of line, and naming label, index and extents.

/// Index outside the extents.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn index(label: &str, index: &[usize], extents: &[usize]) -> ! {
    panic!("view `{label}`: index {index:?} is out of the extents {extents:?}")
}

/// Dimension not below the rank.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn dimension(label: &str, dimension: usize, rank: usize) -> ! {
    panic!("view `{label}`: there is no dimension {dimension}: the rank is {rank}")
}
