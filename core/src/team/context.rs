//! The data shared by the members of a team, and the limits that the launch found.

use core::mem::MaybeUninit;

use spelt_access::{Covers, Description, KernelArgs, MAX_RANK, inlined};

use crate::device::host_only;
use crate::names::Names;

/// Dimensions of the boxes of all ranks from 2 on: nested witnesses have at least two components.
const DIMENSIONS: usize = place_of(MAX_RANK + 1);

/// The place of the first dimension of the boxes of this rank.
const fn place_of(rank: usize) -> usize {
    rank * (rank - 1) / 2 - 1
}

/// The witnesses that all arguments cover: for each rank from 2 on, the first index and one past the last in each dimension.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Written for the ranks that an argument limits: a launch of few teams feels each word.
    lower: [MaybeUninit<usize>; DIMENSIONS],
    upper: [MaybeUninit<usize>; DIMENSIONS],
    /// Whether an argument gives mutable references for nested witnesses.
    written: bool,
    /// The ranks, as bits, that an argument limits.
    limited: u32,
    /// Of these, the ranks whose boxes begin at zero in every dimension and contain all teams.
    whole: u32,
}

impl Limits {
    /// The limits without arguments: none.
    #[inline(always)]
    pub(crate) const fn none() -> Self {
        let unwritten = [const { MaybeUninit::uninit() }; DIMENSIONS];
        Self { lower: unwritten, upper: unwritten, written: false, limited: 0, whole: 0 }
    }

    /// Makes these limits, which were none, those of arguments for teams whose numbers are below `teams`.
    ///
    /// It does not return them: a launch of few teams feels a copy of what was stored just before.
    #[inline(always)]
    pub(crate) fn of<A: KernelArgs>(&mut self, args: &A, teams: usize) -> &Self {
        A::describe(
            args,
            &mut inlined(
                #[inline(always)]
                |argument: Description<'_>| self.add(&argument, teams),
            ),
        );
        self
    }

    /// Narrows the limits to those of one more argument.
    ///
    /// Inlined, it is a few instructions: of most arguments, all but the extents are constants.
    #[inline(always)]
    fn add(&mut self, argument: &Description<'_>, teams: usize) {
        // Pairs may write a View of rank 1, in parts.
        let nested = argument.rank >= 2 || matches!(argument.covers, Covers::Rank(2..));
        self.written |= argument.written && nested;
        match argument.covers {
            Covers::Nothing => {}
            Covers::Rank(rank) => {
                for dimension in 0..rank {
                    let (lower, upper) = argument.covered(dimension);
                    self.narrow(rank, dimension, lower, upper, teams);
                }
            }
            Covers::Along(dimension) => {
                let (lower, upper) = argument.covered(0);
                for rank in dimension + 1..=MAX_RANK {
                    self.narrow(rank, dimension, lower, upper, teams);
                }
            }
        }
    }

    /// Whether teams of the host may have several threads.
    ///
    /// A reference to an element, obtained with a nested witness, can outlive the loop and live as long as the accessor:
    /// `IndexMut` cannot tie it to the witness. The thread of an index depends on the loop, so another thread may get the same
    /// element in a later loop, or in one that begins elsewhere. So if nested loops write, each team runs on one thread.
    pub(crate) fn threads_allowed(&self) -> bool {
        !self.written
    }

    #[inline(always)]
    fn narrow(&mut self, rank: usize, dimension: usize, lower: usize, upper: usize, teams: usize) {
        if rank < 2 {
            return;
        }
        let (first, bit) = (place_of(rank), 1 << rank);
        if self.limited & bit == 0 {
            for place in first..first + rank {
                self.lower[place].write(0);
                self.upper[place].write(usize::MAX);
            }
            self.limited |= bit;
            self.whole |= bit;
        }
        let (before, after) = self.bounds(rank, dimension);
        self.lower[first + dimension].write(before.max(lower));
        self.upper[first + dimension].write(after.min(upper));
        if lower > 0 || (dimension == 0 && upper < teams) {
            self.whole &= !bit;
        }
    }

    /// The first index and one past the last in a dimension of the boxes of a rank that is limited.
    #[inline(always)]
    fn bounds(&self, rank: usize, dimension: usize) -> (usize, usize) {
        // Whole ranks are limited. Named as well, so that where one was found the compiler asks no second time.
        assert!((self.limited | self.whole) & 1 << rank != 0 && dimension < rank);
        let place = place_of(rank) + dimension;
        // SAFETY: `narrow` has written all dimensions of such a rank.
        unsafe { (self.lower[place].assume_init(), self.upper[place].assume_init()) }
    }

    /// Whether all arguments cover the box, which is not empty and has at least two dimensions. The first is the number of a team.
    #[inline(always)]
    fn cover<const R: usize>(&self, lower: &[usize; R], upper: &[usize; R]) -> bool {
        let bit = const { 1 << R };
        // Most launches have nothing else to compare, and leagues of short rows feel each comparison.
        if self.whole & bit != 0 {
            return (1..R).all(|dimension| upper[dimension] <= self.bounds(R, dimension).1);
        }
        if self.limited & bit == 0 {
            return true;
        }
        let mut covered = true;
        for dimension in 0..R {
            let (first, end) = self.bounds(R, dimension);
            covered &= first <= lower[dimension] && upper[dimension] <= end;
        }
        covered
    }
}

/// The data that a launch gives to all its teams.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    /// Names for messages; none on a device.
    pub(crate) names: Option<&'a Names<'a>>,
    pub(crate) limits: &'a Limits,
    pub(crate) league_size: usize,
    pub(crate) vector_length: usize,
    pub(crate) scratch_per_team: usize,
    pub(crate) scratch_per_thread: usize,
}

impl<'a> Context<'a> {
    #[inline(always)]
    pub(crate) fn new(
        names: Option<&'a Names<'a>>,
        limits: &'a Limits,
        league_size: usize,
        vector_length: usize,
        (scratch_per_team, scratch_per_thread): (usize, usize),
    ) -> Self {
        Self { names, limits, league_size, vector_length, scratch_per_team, scratch_per_thread }
    }

    /// Panics unless all arguments cover the nested box, which is not empty.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn check_nested<const R: usize>(&self, lower: [usize; R], upper: [usize; R]) {
        if !self.limits.cover(&lower, &upper) {
            // Copies: otherwise each loop would store the numbers for the message.
            let (lower, upper) = (lower, upper);
            self.not_covered(&lower, &upper);
        }
    }

    /// Panics: a nested loop exceeds the block or segment of its team.
    #[cold]
    #[inline(never)]
    #[track_caller]
    pub(crate) fn beyond_part(&self, league_rank: usize, rank: usize, own: usize, end: usize) -> ! {
        let Some(names) = self.names else {
            panic!(
                "nested loop: it exceeds the block or segment of its team: end it at the accessor's `len()` or `extents()`"
            )
        };
        // SAFETY: only the host has names.
        unsafe { host_only() };
        let (rows, remedy) = if rank == 2 { ("elements", "len()") } else { ("rows", "extents()") };
        panic!(
            "kernel `{}`: nested loop: it ends at {end}, but the part of team {league_rank} has {own} {rows}: end it at the \
             accessor's `{remedy}`",
            names.label()
        )
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn not_covered(&self, lower: &[usize], upper: &[usize]) -> ! {
        let Some(names) = self.names else {
            panic!(
                "nested loop: a View does not cover its indices: enlarge the View, shrink the range, or pass the View \
                 with `.partial()` or `.lookup()`"
            )
        };
        // SAFETY: only the host has names.
        unsafe { host_only() };
        panic!("kernel `{}`: nested loop: {}", names.label(), names.uncovered(lower, upper))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_is_covered_between_both_limits() {
        let mut limits = Limits::none();
        assert!(limits.cover(&[0, 0], &[usize::MAX, usize::MAX]));
        limits.narrow(2, 1, 3, 8, 9);
        limits.narrow(2, 1, 2, 9, 9);
        for (lower, upper, covered) in
            [(3, 8, true), (5, 6, true), (2, 8, false), (3, 9, false), (0, 1, false)]
        {
            assert_eq!(limits.cover(&[7, lower], &[8, upper]), covered, "{lower}..{upper}");
        }
        assert!(limits.cover(&[7, 0, 0], &[8, 9, 9]), "other ranks have their own limits");
        limits.narrow(3, 0, 0, 9, 9);
        limits.narrow(3, 2, 0, 4, 9);
        for (third, covered) in [(4, true), (5, false)] {
            assert_eq!(limits.cover(&[8, 0, 1], &[9, 7, third]), covered, "up to {third}");
        }
        limits.narrow(3, 0, 0, 8, 9);
        for (team, covered) in [(7, true), (8, false)] {
            assert_eq!(limits.cover(&[team, 0, 1], &[team + 1, 7, 4]), covered, "team {team}");
        }
    }
}
