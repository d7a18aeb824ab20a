//! The accessors of `&x`, `&mut x` and `x.along::<0>()` of a distributed View, and the witnesses that index distributed Views.

use core::fmt;
use core::ops::{Index, IndexMut};

use spelt_core::{
    AlongAccess, HaloAccess, HaloShape, Idx, Mut, NestedIdx, OriginAccess, OriginWitness, Ref, Right,
};

/// A witness that indexes distributed Views of rank `R` in a launch branded `'k`: an [`Idx`], or a [`NestedIdx`] of a team.
///
/// The accessors of distributed Views take nothing else: a rank has its own rows, and copies of those that a halo reaches.
///
/// # Examples
/// A function for kernels to call:
/// ```
/// use spelt_mpi::{DistributedAccess, DistributedWitness};
/// fn square<'k>(x: DistributedAccess<'k, f64, 2>, i: impl DistributedWitness<'k, 2>) -> f64 {
///     x[i] * x[i]
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the index of this iteration, and a rank has its own rows of a distributed View alone",
    label = "not the witness of this iteration",
    note = "to read neighbours, pass `x.halo::<1>()`; to read within the own row, `x.by_rows()`",
    note = "to read or change rows at any indices, list them: `ranks.plan(..)` fetches these rows into a View, and brings contributions back"
)]
pub trait DistributedWitness<'k, const R: usize>: OriginWitness<'k, R> {
    // The brackets of accessors call these, so that an error names this trait alone.
    #[doc(hidden)]
    fn read<'a, T>(self, access: &'a OriginAccess<Ref<'k, T, R, Right>, R>) -> &'a T;
    #[doc(hidden)]
    fn read_written<'a, T>(self, access: &'a OriginAccess<Mut<'k, T, R, Right>, R>) -> &'a T;
    #[doc(hidden)]
    fn write<'a, T>(self, access: &'a mut OriginAccess<Mut<'k, T, R, Right>, R>) -> &'a mut T;
    #[doc(hidden)]
    fn read_halo<'a, T, W: HaloShape<R>>(
        self,
        access: &'a OriginAccess<HaloAccess<'k, T, R, W, Right>, R>,
    ) -> &'a T;
}

macro_rules! witnesses {
    ($([$($life:tt)*] $witness:ty;)*) => {$(
        impl<'k, $($life)* const R: usize> DistributedWitness<'k, R> for $witness {
            #[inline(always)]
            fn read<'a, T>(self, access: &'a OriginAccess<Ref<'k, T, R, Right>, R>) -> &'a T {
                &access[self]
            }
            #[inline(always)]
            fn read_written<'a, T>(self, access: &'a OriginAccess<Mut<'k, T, R, Right>, R>) -> &'a T {
                &access[self]
            }
            #[inline(always)]
            fn write<'a, T>(self, access: &'a mut OriginAccess<Mut<'k, T, R, Right>, R>) -> &'a mut T {
                &mut access[self]
            }
            #[inline(always)]
            fn read_halo<'a, T, W: HaloShape<R>>(
                self,
                access: &'a OriginAccess<HaloAccess<'k, T, R, W, Right>, R>,
            ) -> &'a T {
                &access[self]
            }
        }

        impl<'k, $($life)* T, const R: usize> Index<$witness> for DistributedAlongAccess<'k, T> {
            type Output = T;
            #[inline(always)]
            fn index(&self, index: $witness) -> &T {
                &self.access[index]
            }
        }
    )*};
}
witnesses! {
    [] Idx<'k, R>;
    ['j,] NestedIdx<'k, 'j, R>;
}

/// A View with all its rows in one memory, which no distributed View is: the bound of [`DistributedView::lookup`](crate::DistributedView::lookup).
///
/// # Examples
/// ```compile_fail,E0277
/// fn any<V: spelt_mpi::AllRows>(_: V) {}
/// let ranks = spelt_mpi::Communicator::alone();
/// any(spelt_mpi::Mpi::new(&ranks, spelt_core::Serial::new()).zeros::<f64, 1>("x", [3])?);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "a rank has its own rows of `{Self}` alone: no kernel reads it at any index",
    label = "divided among ranks",
    note = "list the rows: `ranks.plan(..)` fetches these rows into a View, which a kernel reads by `ghosts.lookup()`",
    note = "to read neighbours, pass `x.halo::<1>()`; a View that is the same on all ranks comes from the local space"
)]
pub trait AllRows: sealed::Sealed {}

/// As [`AllRows`], of a View that a kernel changes: the bound of [`DistributedView::scatter`](crate::DistributedView::scatter) and
/// [`atomic`](crate::DistributedView::atomic).
///
/// # Examples
/// ```compile_fail,E0277
/// fn any<V: spelt_mpi::AllRowsMut>(_: V) {}
/// let ranks = spelt_mpi::Communicator::alone();
/// any(spelt_mpi::Mpi::new(&ranks, spelt_core::Serial::new()).zeros::<f64, 1>("x", [3])?);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "a rank has its own rows of `{Self}` alone: no kernel changes it at any index",
    label = "divided among ranks",
    note = "list the rows: a kernel writes a contribution for each into a View, and `plan.back(.., (&contributions, &mut rows, reducer))` joins \
            them, with the same bits on any number of ranks",
    note = "`ranks.plan(..)` makes the plan; a View that is the same on all ranks comes from the local space"
)]
pub trait AllRowsMut: sealed::Sealed {}

mod sealed {
    pub trait Sealed {}
}

/// Reads a distributed View at the witness, in a kernel.
///
/// # Examples
/// ```
/// use spelt_core::{Serial, parallel_for};
/// use spelt_mpi::{Communicator, DistributedAccess, DistributedWitness, Mpi};
/// fn square<'k>(x: DistributedAccess<'k, f64, 1>, i: impl DistributedWitness<'k, 1>) -> f64 {
///     x[i] * x[i]
/// }
/// let ranks = Communicator::alone();
/// let space = Mpi::new(&ranks, Serial::new());
/// let x = space.view_from_fn("x", [3], |[i]| i as f64)?;
/// let mut y = space.zeros::<f64, 1>("y", [3])?;
/// parallel_for("squares", space.range(0..3), (&x, &mut y), |i, (x, mut y)| y[i] = square(x, i))?;
/// assert_eq!(y.own().as_view().to_vec(), [0.0, 1.0, 4.0]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub struct DistributedAccess<'k, T, const R: usize> {
    access: OriginAccess<Ref<'k, T, R, Right>, R>,
}

/// Writes a distributed View at the witness, in a kernel.
///
/// # Examples
/// ```
/// use spelt_core::{Idx, Serial, parallel_for};
/// use spelt_mpi::{Communicator, DistributedMutAccess, Mpi};
/// fn double<'k>(i: Idx<'k, 1>, mut x: DistributedMutAccess<'k, f64, 1>) {
///     x[i] *= 2.0;
/// }
/// let ranks = Communicator::alone();
/// let space = Mpi::new(&ranks, Serial::new());
/// let mut x = space.view_from_fn("x", [3], |[i]| i as f64)?;
/// parallel_for("double", space.range(0..3), &mut x, double)?;
/// assert_eq!(x.own().as_view().to_vec(), [0.0, 2.0, 4.0]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub struct DistributedMutAccess<'k, T, const R: usize> {
    access: OriginAccess<Mut<'k, T, R, Right>, R>,
}

/// Reads a distributed View of rank 1 at the first component of the witness, in a kernel.
///
/// # Examples
/// ```
/// use spelt_core::{Idx, Serial, parallel_for};
/// use spelt_mpi::{Communicator, DistributedAlongAccess, DistributedMutAccess, Mpi};
/// fn lift<'k>(i: Idx<'k, 2>, (heights, mut y): (DistributedAlongAccess<'k, f64>, DistributedMutAccess<'k, f64, 2>)) {
///     y[i] += heights[i];
/// }
/// let ranks = Communicator::alone();
/// let space = Mpi::new(&ranks, Serial::new());
/// let heights = space.view_from_fn("heights", [2], |[i]| i as f64)?;
/// let mut y = space.zeros_on::<f64, 2>(heights.partition(), "y", [2, 2])?;
/// parallel_for("lift", space.md_range([0..2, 0..2]), (heights.along::<0>(), &mut y), lift)?;
/// assert_eq!(y.own().as_view().to_vec(), [0.0, 0.0, 1.0, 1.0]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub struct DistributedAlongAccess<'k, T> {
    access: OriginAccess<AlongAccess<'k, T, 0, Right>, 1>,
}

macro_rules! accessors {
    ($($name:ident $(<$rank:ident>)?, $local:ty;)*) => {$(
        impl<T $(, const $rank: usize)?> fmt::Debug for $name<'_, T $(, $rank)?> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
        impl<'k, T $(, const $rank: usize)?> $name<'k, T $(, $rank)?> {
            #[inline(always)]
            pub(crate) fn new(access: $local) -> Self {
                Self { access }
            }
        }
    )*};
}
accessors! {
    DistributedAccess<R>, OriginAccess<Ref<'k, T, R, Right>, R>;
    DistributedMutAccess<R>, OriginAccess<Mut<'k, T, R, Right>, R>;
    DistributedAlongAccess, OriginAccess<AlongAccess<'k, T, 0, Right>, 1>;
}

impl<T, const R: usize> Clone for DistributedAccess<'_, T, R> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, const R: usize> Copy for DistributedAccess<'_, T, R> {}
impl<T> Clone for DistributedAlongAccess<'_, T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for DistributedAlongAccess<'_, T> {}

impl<'k, T, const R: usize, I: DistributedWitness<'k, R>> Index<I> for DistributedAccess<'k, T, R> {
    type Output = T;
    #[inline(always)]
    fn index(&self, index: I) -> &T {
        index.read(&self.access)
    }
}

impl<'k, T, const R: usize, I: DistributedWitness<'k, R>> Index<I> for DistributedMutAccess<'k, T, R> {
    type Output = T;
    #[inline(always)]
    fn index(&self, index: I) -> &T {
        index.read_written(&self.access)
    }
}

impl<'k, T, const R: usize, I: DistributedWitness<'k, R>> IndexMut<I> for DistributedMutAccess<'k, T, R> {
    #[inline(always)]
    fn index_mut(&mut self, index: I) -> &mut T {
        index.write(&mut self.access)
    }
}
