//! The accessor of `x.halo::<H>()` of a distributed View.

use core::fmt;
use core::ops::Index;

use spelt_core::{HaloAccess, HaloShape, OriginAccess, Right};

use super::access::DistributedWitness;

/// Reads a distributed View at the witness and at the offsets of the shape `W`, in a kernel.
///
/// Offsets may lead to rows of other ranks, of which the launch has fetched copies. Unlike [`HaloAccess`], it reads no other index: a copy
/// that the shape does not reach may be old.
///
/// # Examples
/// A function of a stencil, for a kernel to call:
/// ```
/// use spelt_core::Around;
/// use spelt_mpi::{DistributedHaloAccess, DistributedWitness};
/// fn slope<'k>(x: DistributedHaloAccess<'k, f64, 1, Around<1>>, i: impl DistributedWitness<'k, 1>) -> f64 {
///     (x.at(i, [1]) - x.at(i, [-1])) / 2.0
/// }
/// ```
pub struct DistributedHaloAccess<'k, T, const R: usize, W> {
    access: OriginAccess<HaloAccess<'k, T, R, W, Right>, R>,
}

impl<T, const R: usize, W> Clone for DistributedHaloAccess<'_, T, R, W>
where
    Self: Copy,
{
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<'k, T, const R: usize, W> Copy for DistributedHaloAccess<'k, T, R, W> where
    OriginAccess<HaloAccess<'k, T, R, W, Right>, R>: Copy
{
}

impl<T, const R: usize, W> fmt::Debug for DistributedHaloAccess<'_, T, R, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DistributedHaloAccess").finish_non_exhaustive()
    }
}

impl<'k, T, const R: usize, W: HaloShape<R>> DistributedHaloAccess<'k, T, R, W> {
    #[inline(always)]
    pub(crate) fn new(access: OriginAccess<HaloAccess<'k, T, R, W, Right>, R>) -> Self {
        Self { access }
    }

    /// The element at distance `offset` from the witness.
    ///
    /// # Panics
    /// If the offset is not in the shape. A constant offset costs no test.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Serial, parallel_for};
    /// use spelt_mpi::{Communicator, Mpi};
    /// let ranks = Communicator::alone();
    /// let world = Mpi::new(&ranks, Serial::new());
    /// let mut x = world.view_from_fn("x", [4], |[i]| (i * i) as f64)?;
    /// let mut y = world.zeros::<f64, 1>("y", [4])?;
    /// parallel_for("slopes", world.range(1..3), (x.halo::<1>(), &mut y), |i, (x, mut y)| y[i] = x.at(i, [1]) - x[i])?;
    /// assert_eq!(y.own().as_view().to_vec(), [0.0, 3.0, 5.0, 0.0]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn at(&self, index: impl DistributedWitness<'k, R>, offset: [isize; R]) -> T
    where
        T: Copy,
    {
        self.access.at(index, offset)
    }
}

impl<'k, T, const R: usize, W: HaloShape<R>, I: DistributedWitness<'k, R>> Index<I>
    for DistributedHaloAccess<'k, T, R, W>
{
    type Output = T;
    #[inline(always)]
    fn index(&self, index: I) -> &T {
        index.read_halo(&self.access)
    }
}
