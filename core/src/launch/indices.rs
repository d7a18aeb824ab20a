//! The index spaces of launches: ranges, boxes and leagues.

use spelt_access::KernelArgs;
#[cfg(feature = "cuda")]
use spelt_kernels_gpu::index_space::{IndexBox, IndexRange, IndexSpace};
use spelt_order::cursor::{Boxed, Line, Place};
use spelt_policies::{Iterate, MdRangePolicy, RangePolicy, Schedule, TeamPolicy};

use super::ExecutionSpace;
use super::league_limits;
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
impl<S: ExecutionSpace, V> OnSpace for TeamPolicy<&S, V> {
    type Space = S;
}

/// The corners of an index space: the first index, and one past the last, in each dimension.
pub(crate) type Corners<const N: usize> = ([usize; N], [usize; N]);

/// The index space of a policy: a box of indices with `N` components, in a fixed order.
///
/// # Safety
/// `count` is the number of indices between the corners, `place` maps distinct offsets below it to distinct indices there,
/// and `check_covered` rejects every argument that would be accessed out of bounds: the launch makes witnesses on this basis.
pub unsafe trait Indices<const N: usize>: OnSpace {
    /// An iteration on the host.
    type Place: Place<N>;

    /// The indices on a device.
    #[cfg(feature = "cuda")]
    type OnDevice: IndexSpace<Index = [usize; N]>;

    /// Whether tiles and the order of dimensions apply.
    const IS_BOX: bool;

    /// The space that the policy is bound to.
    fn space(&self) -> &Self::Space;

    /// Checks that the space supports the policy, and returns the number of iterations.
    ///
    /// # Errors
    /// [`ErrorKind::Overflow`] if they cannot be counted, [`ErrorKind::Policy`] if the policy exceeds a limit of the space.
    fn count(&self, label: &str) -> Result<usize>;

    /// The corners; arguments must cover the indices between them.
    fn corners(&self) -> Corners<N>;

    /// The place at `offset` in the box with these corners, which is not empty.
    fn place(corners: &Corners<N>, offset: usize) -> Self::Place;

    /// The indices for reductions and scans on a device, which advance by 1 or by `stride`.
    ///
    /// `parallel_for` runs every index between the corners.
    #[cfg(feature = "cuda")]
    fn on_device(corners: &Corners<N>, stride: usize) -> Self::OnDevice;

    /// Checks that the arguments cover the indices.
    ///
    /// # Errors
    /// [`ErrorKind::Extents`] if one of them does not.
    #[inline(always)]
    fn check_covered<A: KernelArgs>(&self, label: &str, args: &A, corners: &Corners<N>) -> Result<()> {
        covered::check(label, args, &corners.0, &corners.1)
    }

    /// The number of iterations, or tiles, that a thread takes at a time, if the program sets it.
    fn chunk(&self) -> Option<usize>;

    /// How units are distributed over threads.
    fn schedule(&self) -> Schedule;

    /// The extents of the tiles of a box, if the program sets them.
    fn tile(&self) -> Option<[usize; N]> {
        None
    }

    /// The order of a box's dimensions: which index varies fastest.
    fn iterate(&self) -> Iterate {
        Iterate::Right
    }
}

// SAFETY: the offsets of a range are the distances from its start.
unsafe impl<S: ExecutionSpace> Indices<1> for RangePolicy<&S> {
    type Place = Line;
    #[cfg(feature = "cuda")]
    type OnDevice = IndexRange;
    const IS_BOX: bool = false;

    #[inline(always)]
    fn space(&self) -> &S {
        RangePolicy::<&S>::space(self)
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
    fn place(corners: &Corners<1>, offset: usize) -> Line {
        Line { index: corners.0[0] + offset }
    }
    #[cfg(feature = "cuda")]
    fn on_device(corners: &Corners<1>, _stride: usize) -> IndexRange {
        IndexRange { first: corners.0[0] }
    }
    #[inline(always)]
    fn chunk(&self) -> Option<usize> {
        self.chunk_size()
    }
    #[inline(always)]
    fn schedule(&self) -> Schedule {
        self.schedule_kind()
    }
}

// SAFETY: the extents of the box decompose an offset, and their product, the count, is checked for overflow.
unsafe impl<S: ExecutionSpace, const N: usize> Indices<N> for MdRangePolicy<&S, N> {
    type Place = Boxed<N>;
    #[cfg(feature = "cuda")]
    type OnDevice = IndexBox<N>;
    const IS_BOX: bool = true;

    #[inline(always)]
    fn space(&self) -> &S {
        MdRangePolicy::<&S, N>::space(self)
    }
    #[inline(always)]
    fn count(&self, label: &str) -> Result<usize> {
        self.len().ok_or_else(|| {
            Error::new(
                ErrorKind::Overflow,
                format!(
                    "the md_range {:?} has more iterations than a `usize` can count: split it",
                    self.ranges()
                ),
            )
            .in_kernel(label)
        })
    }
    #[inline(always)]
    fn corners(&self) -> Corners<N> {
        (self.ranges().map(|range| range.start), self.ranges().map(|range| range.end))
    }
    #[inline(always)]
    fn place((lower, upper): &Corners<N>, offset: usize) -> Boxed<N> {
        Boxed::new(*lower, *upper, offset)
    }
    #[cfg(feature = "cuda")]
    fn on_device((lower, upper): &Corners<N>, stride: usize) -> IndexBox<N> {
        IndexBox::new(*lower, *upper, stride)
    }
    #[inline(always)]
    fn chunk(&self) -> Option<usize> {
        self.chunk_size()
    }
    #[inline(always)]
    fn schedule(&self) -> Schedule {
        self.schedule_kind()
    }
    #[inline(always)]
    fn tile(&self) -> Option<[usize; N]> {
        self.tile_extents()
    }
    #[inline(always)]
    fn iterate(&self) -> Iterate {
        self.iteration()
    }
}

/// A league is the range of its ranks; a View must cover it in its first dimension, and nested loops check the others.
// SAFETY: offsets are league ranks; the first dimension is checked here and the others by each nested loop.
unsafe impl<S: ExecutionSpace, V> Indices<1> for TeamPolicy<&S, V> {
    type Place = Line;
    #[cfg(feature = "cuda")]
    type OnDevice = IndexRange;
    const IS_BOX: bool = false;

    #[inline(always)]
    fn space(&self) -> &S {
        TeamPolicy::<&S, V>::space(self)
    }
    #[inline(always)]
    fn count(&self, label: &str) -> Result<usize> {
        league_limits::check(label, self)?;
        Ok(self.league_size())
    }
    #[inline(always)]
    fn corners(&self) -> Corners<1> {
        ([0], [self.league_size()])
    }
    #[inline(always)]
    fn place(_corners: &Corners<1>, offset: usize) -> Line {
        Line { index: offset }
    }
    #[cfg(feature = "cuda")]
    fn on_device(_corners: &Corners<1>, _stride: usize) -> IndexRange {
        IndexRange { first: 0 }
    }
    #[inline(always)]
    fn check_covered<A: KernelArgs>(&self, label: &str, args: &A, _corners: &Corners<1>) -> Result<()> {
        covered::check_league(label, args, self.league_size())
    }
    #[inline(always)]
    fn chunk(&self) -> Option<usize> {
        self.chunk_size()
    }
    #[inline(always)]
    fn schedule(&self) -> Schedule {
        self.schedule_kind()
    }
}
