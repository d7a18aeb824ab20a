//! The index spaces of loops: ranges and boxes.

#[cfg(feature = "cuda")]
use spelt_kernels_gpu::index_space::{IndexBox, IndexRange, IndexSpace};
use spelt_order::cursor::{Boxed, Line, Place};
use spelt_policies::{Iterate, MdRangePolicy, RangePolicy, Schedule};

use super::ExecutionSpace;
use super::domain::{Corners, Domain};

/// The index space of a policy: the box of a [`Domain`], in a fixed order.
///
/// # Safety
/// `place` maps distinct offsets below the count to distinct indices between the corners: the launch makes witnesses on this
/// basis.
pub unsafe trait Indices<const N: usize>: Domain<N> {
    /// An iteration on the host.
    type Place: Place<N>;

    /// The indices on a device.
    #[cfg(feature = "cuda")]
    type OnDevice: IndexSpace<Index = [usize; N]>;

    /// Whether tiles and the order of dimensions apply.
    const IS_BOX: bool;

    /// The space that the policy is bound to.
    fn space(&self) -> &Self::Space;

    /// The place at `offset` in the box with these corners, which is not empty.
    fn place(corners: &Corners<N>, offset: usize) -> Self::Place;

    /// The indices for reductions and scans on a device, which advance by 1 or by `stride`.
    ///
    /// `parallel_for` runs every index between the corners.
    #[cfg(feature = "cuda")]
    fn on_device(corners: &Corners<N>, stride: usize) -> Self::OnDevice;

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

// SAFETY: an offset below the product of the extents, the count, decomposes into one index of the box.
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
