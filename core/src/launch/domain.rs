//! The iterations of a launch and the arguments' share in them: the part that ranges, boxes and leagues have in common.

use core::fmt;
use core::ops::{Deref, Range};

use spelt_access::KernelArgs;
use spelt_policies::{Iterate, MdRangePolicy, RangePolicy, SignedPolicy, TeamPolicy};

use super::ExecutionSpace;
use super::league_limits;
use super::team_sizes::requested;
use crate::tools::Unset;
use crate::{Error, ErrorKind, Result, covered};

/// A policy bound to a space.
pub trait OnSpace {
    /// The space.
    type Space: ExecutionSpace;
}

impl<S: ExecutionSpace> OnSpace for RangePolicy<&S> {
    type Space = S;
}
impl<S: ExecutionSpace, const R: usize> OnSpace for MdRangePolicy<&S, R> {
    type Space = S;
}
impl<P: OnSpace, const R: usize> OnSpace for SignedPolicy<P, R> {
    type Space = P::Space;
}
impl<S: ExecutionSpace, V> OnSpace for TeamPolicy<&S, V> {
    type Space = S;
}
// For `Domain` alone: no pattern takes one.
#[diagnostic::do_not_recommend]
impl<S: ExecutionSpace, V> OnSpace for &TeamPolicy<&S, V> {
    type Space = S;
}

/// The corners of a box of indices: the first index, and one past the last, in each dimension.
pub(crate) type Corners<const N: usize> = ([usize; N], [usize; N]);

/// How a launch compares the indices of its policy with its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indexing {
    /// In all dimensions, from 0.
    Range,
    /// In all dimensions, from the first index of a policy that may begin below 0.
    SignedRange,
    /// League ranks, in the first dimension.
    League,
}

/// The iterations of a policy: indices with `N` components, counted, between two corners.
///
/// # Safety
/// `count` is the number of indices between the corners, and `check_covered` rejects every argument that would be accessed out of
/// bounds: the launch makes witnesses on this basis. Whether it rejects one depends on nothing but `INDEXING`, the corners, `first`, and what
/// the [`Description`](spelt_access::Description)s of the argument say about the indices that it covers: graphs compare these.
pub unsafe trait Domain<const N: usize>: OnSpace {
    /// The policy's reference to its space.
    type Reference: Deref<Target = Self::Space> + Copy;

    /// The policy's reference.
    fn reference(&self) -> Self::Reference;
    /// How `check_covered` compares indices and arguments.
    const INDEXING: Indexing = Indexing::Range;

    /// The number that is added to the indices between the corners.
    #[inline(always)]
    fn first(&self) -> [isize; N] {
        [0; N]
    }

    /// Checks that the space supports the policy, and returns the number of iterations.
    ///
    /// # Errors
    /// [`ErrorKind::Overflow`] if they cannot be counted, [`ErrorKind::Policy`] if the policy exceeds a limit of the space.
    fn count(&self, label: &str) -> Result<usize>;

    /// The corners; arguments must cover the indices between them.
    fn corners(&self) -> Corners<N>;

    /// The settings that the program has left open, for launches on hosts whose settings may be chosen.
    #[inline(always)]
    fn unset(&self) -> Option<Unset> {
        None
    }

    /// Checks that the arguments cover the indices.
    ///
    /// # Errors
    /// [`ErrorKind::Extents`] if one of them does not.
    #[inline(always)]
    fn check_covered<A: KernelArgs>(&self, label: &str, args: &A, corners: &Corners<N>) -> Result<()> {
        covered::check(label, args, &corners.0, &corners.1)
    }
}

// SAFETY: the length of a range is the number of indices between its ends, where the arguments are checked.
unsafe impl<'s, S: ExecutionSpace> Domain<1> for RangePolicy<&'s S> {
    type Reference = &'s S;

    #[inline(always)]
    fn reference(&self) -> &'s S {
        self.space()
    }
    #[inline(always)]
    fn count(&self, _label: &str) -> Result<usize> {
        Ok(self.len())
    }
    #[inline(always)]
    fn corners(&self) -> Corners<1> {
        let range = self.range();
        ([range.start], [range.end])
    }
    #[inline(always)]
    fn unset(&self) -> Option<Unset> {
        Some(Unset { chunk: self.chunk_size().is_none(), schedule: self.given_schedule().is_none() })
    }
}

// SAFETY: the count is the product of the extents, checked for overflow; the arguments are checked between the corners.
unsafe impl<'s, S: ExecutionSpace, const N: usize> Domain<N> for MdRangePolicy<&'s S, N> {
    type Reference = &'s S;

    #[inline(always)]
    fn reference(&self) -> &'s S {
        self.space()
    }
    #[inline(always)]
    fn count(&self, label: &str) -> Result<usize> {
        self.len().ok_or_else(|| too_many("md_range", &self.ranges(), label))
    }
    #[inline(always)]
    fn corners(&self) -> Corners<N> {
        let (mut lower, mut upper) = ([0; N], [0; N]);
        for (dimension, range) in self.ranges().iter().enumerate() {
            (lower[dimension], upper[dimension]) = (range.start, range.end);
        }
        (lower, upper)
    }
    /// Those of a box in the order of its indices: tiles of the program's own have chunks of their own.
    #[inline(always)]
    fn unset(&self) -> Option<Unset> {
        let is_plain = self.tile_extents().is_none() && self.iteration() == Iterate::Right;
        is_plain
            .then(|| Unset { chunk: self.chunk_size().is_none(), schedule: self.given_schedule().is_none() })
    }
}

/// The loops run over a box that begins at zero; the closure gets each index plus the policy's first one.
// SAFETY: the count and the corners are those of the policy that begins at zero; arguments are checked between the signed corners, where
// the closure's witnesses are.
unsafe impl<P: Domain<N>, const N: usize> Domain<N> for SignedPolicy<P, N> {
    type Reference = P::Reference;

    #[inline(always)]
    fn reference(&self) -> P::Reference {
        self.zero_based().reference()
    }
    const INDEXING: Indexing = Indexing::SignedRange;

    #[inline(always)]
    fn first(&self) -> [isize; N] {
        self.begin()
    }
    #[inline(always)]
    fn count(&self, label: &str) -> Result<usize> {
        // Its message has the indices that the program gave.
        self.zero_based().count(label).map_err(|_| too_many("signed_md_range", &signed_ranges(self), label))
    }
    #[inline(always)]
    fn corners(&self) -> Corners<N> {
        self.zero_based().corners()
    }
    #[inline(always)]
    fn unset(&self) -> Option<Unset> {
        self.zero_based().unset()
    }
    #[inline]
    fn check_covered<A: KernelArgs>(&self, label: &str, args: &A, corners: &Corners<N>) -> Result<()> {
        let begin = self.begin();
        let end = core::array::from_fn::<_, N, _>(|d| begin[d].wrapping_add_unsigned(corners.1[d]));
        covered::check_signed(label, args, &begin, &end)
    }
}

/// The indices of a signed policy in each dimension.
fn signed_ranges<P: Domain<N>, const N: usize>(policy: &SignedPolicy<P, N>) -> [Range<isize>; N] {
    let (begin, (_, upper)) = (policy.begin(), policy.corners());
    core::array::from_fn(|d| begin[d]..begin[d].wrapping_add_unsigned(upper[d]))
}

#[cold]
fn too_many(policy: &str, ranges: &dyn fmt::Debug, label: &str) -> Error {
    let text = format!("the {policy} {ranges:?} has more iterations than a `usize` can count: split it");
    Error::new(ErrorKind::Overflow, text).in_kernel(label)
}

/// A league is the range of the ranks of its teams; a View must cover it in its first dimension, and nested loops check the others.
///
/// By reference: a launch of few teams feels a copy of the policy, whose wide loads wait for narrow stores just before.
// SAFETY: the indices are the league ranks; the first dimension is checked here and the others by each nested loop.
unsafe impl<'s, S: ExecutionSpace, V> Domain<1> for &TeamPolicy<&'s S, V> {
    type Reference = &'s S;
    const INDEXING: Indexing = Indexing::League;

    #[inline(always)]
    fn reference(&self) -> &'s S {
        self.space()
    }
    #[inline(always)]
    fn count(&self, label: &str) -> Result<usize> {
        league_limits::check(label, self)?;
        Ok(self.ranks().len())
    }
    #[inline(always)]
    fn corners(&self) -> Corners<1> {
        let ranks = self.ranks();
        ([ranks.start], [ranks.end])
    }
    /// Those of a league whose teams have one thread: teams of several are given to groups of threads in turn.
    #[inline(always)]
    fn unset(&self) -> Option<Unset> {
        let is_of_single_threads = !S::IS_DEVICE && requested(self).is_none_or(|size| size == 1);
        is_of_single_threads
            .then(|| Unset { chunk: self.chunk_size().is_none(), schedule: self.given_schedule().is_none() })
    }
    #[inline(always)]
    fn check_covered<A: KernelArgs>(&self, label: &str, args: &A, _corners: &Corners<1>) -> Result<()> {
        covered::check_league(label, args, self.ranks())
    }
}
