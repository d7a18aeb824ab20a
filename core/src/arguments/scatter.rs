//! `view.scatter()` as an argument.

use core::fmt;
use core::mem::MaybeUninit;

use spelt_access::{
    AtZero, Covers, Description, Element, KernelArg, Layout, Origin, RawScatter, RawView, Right,
    ScatterAccess, ScatterVisitor, Shortage,
};
use spelt_reducers::{Reducer, Sum, SumElement};

use super::view::describe;
use super::{LINE_BYTES, on_writable_views};
use crate::view::{HostSpace, MemorySpace};
use crate::view::{View, ViewMut};

/// The maximum number of replicas, and so of threads that contribute at the same time. Source: the threads of today's larger
/// hosts; with more, joins would dominate small launches.
const MAX_REPLICAS: usize = 64;

/// The minimum number of replicas that is worthwhile.
const MIN_REPLICAS: usize = 8;

/// The maximum total size of more than [`MIN_REPLICAS`] replicas. Unit: bytes. Source: about a last-level
/// cache, from which joining them is fast.
const CACHED_BYTES: usize = 32 << 20;

/// The maximum total size of replicas. Unit: bytes. Source: a negligible part of a host's memory.
const MAX_BYTES: usize = 256 << 20;

/// The distance between the writes of two replicas. Unit: bytes. Source: two cache lines, which processors fetch together.
const APART: usize = 128;

/// A View to which every iteration contributes, at any index: Kokkos's `ScatterView`.
///
/// [`scatter`](View::scatter) adds; [`scatter_with`](View::scatter_with) takes any reducer whose value is an element.
/// The kernel receives a [`ScatterAccess`] with `update(index, value)`, also called `add`, `mul`, `min` or `max`, depending on
/// the reducer. Contributions are joined with the View's elements by the time the launch returns. An element without contributions
/// keeps its bits.
///
/// **Duplicated**, the default: the iterations are cut into contiguous parts, each run in order by one thread into a
/// separate replica, and the replicas join in ascending order. The number of replicas, from 64 down to 8, depends only on the size of
/// the View, so results are **the same bits on every host space, thread count and run, for floats too**. **Atomic**:
/// every contribution changes the View itself. Results have the same bits if no order of joins changes one
/// ([`REORDERABLE`](Reducer::REORDERABLE)), as for integers; those of float sums vary, as does the sign of a zero that is a minimum or
/// maximum. Views of more than 32 MiB, whose 8 replicas would exceed 256 MiB, are atomic unless [`duplicated`](Scatter::duplicated) is called.
///
/// **A device** has too many threads for replicas. Where the order matters, as for sums and extrema of floats, it keeps the contributions until
/// the kernel has run, sorts them, and joins them as the replicas of a host: **the bits are the same**. The launch then waits for the
/// kernel, and takes longer than by atomics, and 24 bytes beside the element for each of 64 contributions of an iteration, up to an eighth of
/// the device's memory: see [`room_for`](Scatter::room_for). Where no order changes a bit, as for integers, contributions are atomic. So are
/// those of **teams** on a device, whose lanes run at the same time: their float sums vary.
///
/// The contributions of one iteration join in the order of its calls. A [`serial_reduce`](crate::serial_reduce()) in it, and a reduction that
/// is nested in a team, call their closures in an unspecified order, so contributions belong beside these.
///
/// # Errors
/// The launch returns [`OutOfMemory`](crate::ErrorKind::OutOfMemory) if there is not enough memory for the replicas or the room. On a device it
/// also does so if a kernel made more contributions than there was room for: the scattered Views whose order matters are then as they were
/// before, and the message has the number. What the kernel wrote into other Views stays there.
///
/// # Panics
/// `update` panics if the index is out of bounds; the message names View, extents and kernel.
///
/// # Complexity
/// Duplicated: a replica for each part, in memory that the first launch allocates and this adapter keeps (pass `&mut
/// scatter` to launch again without allocating), and one join for each element and each replica that was used. A
/// reducer without a [neutral](Reducer::neutral) value takes one more byte for each element of a replica.
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Serial, View, parallel_for, reducers::Max};
/// let space = Serial::new();
/// let mut sums = View::<f64, 1>::zeros("sums", [3])?;
/// parallel_for("sums", space.range(0..10), sums.scatter(), |i, sums| sums.add(i.get() % 3, 0.5))?;
/// assert_eq!(sums.as_slice(), Some(&[2.0, 1.5, 1.5][..]));
/// parallel_for("max", space.range(0..10), sums.scatter_with(Max::new()), |i, most| most.max(i.get() % 3, 1.75))?;
/// assert_eq!(sums.as_slice(), Some(&[2.0, 1.75, 1.75][..]));
/// # Ok::<(), spelt_core::Error>(())
/// ```
///
/// Contributions cannot be read in the launch:
/// ```compile_fail
/// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
/// let mut sums = View::<f64, 1>::zeros("sums", [3])?;
/// parallel_for("no", Serial::new().range(0..3), sums.scatter(), |i, sums| sums.add(0, sums[i]))?;
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[must_use = "an adapter does nothing until a launch takes it"]
pub struct Scatter<
    'v,
    T: Element,
    const R: usize,
    M: MemorySpace = HostSpace,
    L: Layout = Right,
    Op = Sum<T>,
    O = AtZero,
> {
    origin: O,
    view: ViewMut<'v, T, R, M, L>,
    op: Op,
    /// 0 for atomic.
    replicas: usize,
    /// The contributions for which a device has room; 0 for its own choice.
    room: usize,
    memory: Vec<MaybeUninit<T>>,
    touched: Vec<FlagLine>,
}

/// The flags of neighbouring replicas, in one cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct FlagLine {
    /// They are read and written by pointer.
    _flags: [bool; LINE_BYTES],
}

impl<T: Element, const R: usize, M: MemorySpace, L: Layout, Op, O> fmt::Debug
    for Scatter<'_, T, R, M, L, Op, O>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scatter")
            .field("view", &self.view.label())
            .field("replicas", &self.replicas)
            .finish_non_exhaustive()
    }
}

macro_rules! scatter {
    () => {
        /// An argument that lets every iteration add to this View, at any index; see [`Scatter`].
        ///
        /// # Examples
        /// ```
        /// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
        /// let mut sums = View::<f64, 1>::zeros("sums", [2])?;
        /// parallel_for("sums", Serial::new().range(0..5), sums.scatter(), |i, sums| sums.add(i.get() % 2, 0.5))?;
        /// assert_eq!(sums.to_vec(), [1.5, 1.0]);
        /// # Ok::<(), spelt_core::Error>(())
        /// ```
        #[inline]
        pub fn scatter(&mut self) -> Scatter<'_, T, R, M, L>
        where
            T: SumElement,
        {
            self.scatter_with(Sum::new())
        }

        /// An argument that lets every iteration contribute to this View with `op`, at any index; see [`Scatter`].
        ///
        /// # Examples
        /// ```
        /// use spelt_core::{ExecutionSpace, Serial, View, parallel_for, reducers::Min};
        /// let mut least = View::from_vec("least", [2], vec![9_i32, 9])?;
        /// parallel_for("least", Serial::new().range(3..8), least.scatter_with(Min::new()), |i, least| {
        ///     least.min(i.get() % 2, i.get() as i32);
        /// })?;
        /// assert_eq!(least.to_vec(), [4, 3]);
        /// # Ok::<(), spelt_core::Error>(())
        /// ```
        #[inline]
        pub fn scatter_with<Op>(&mut self, op: Op) -> Scatter<'_, T, R, M, L, Op>
        where
            Op: Reducer<Value = T, Output = T> + Copy + Send + Sync,
        {
            Scatter::new(self.view_mut(), op, AtZero)
        }
    };
}
on_writable_views!(scatter, [const R: usize, L: Layout,] R L, MemorySpace);

/// The number of replicas for a View of this size in bytes, 0 for atomic.
fn replicas_for(bytes: usize) -> usize {
    if bytes > MAX_BYTES / MIN_REPLICAS {
        0
    } else {
        (CACHED_BYTES / bytes.max(1)).clamp(MIN_REPLICAS, MAX_REPLICAS)
    }
}

impl<'v, T: Element, const R: usize, M: MemorySpace, L: Layout, Op, O> Scatter<'v, T, R, M, L, Op, O> {
    /// Contributions to `view`, whose indices begin at `origin`.
    pub(super) fn new(view: ViewMut<'v, T, R, M, L>, op: Op, origin: O) -> Self {
        let replicas = replicas_for(view.size_bytes());
        Scatter { origin, view, op, replicas, room: 0, memory: Vec::new(), touched: Vec::new() }
    }

    /// Contributes to `replicas` replicas (at least 1), of any size; at most `replicas` threads work.
    ///
    /// The number of replicas determines the grouping of float sums, so a different number gives different roundings.
    ///
    /// # Examples
    /// ```
    /// let mut sums = spelt_core::View::<f64, 1>::zeros("sums", [2])?;
    /// assert_eq!(sums.scatter().duplicated(4).replicas(), Some(4));
    /// assert_eq!(sums.scatter().duplicated(0).replicas(), Some(1));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn duplicated(mut self, replicas: usize) -> Self {
        self.replicas = replicas.max(1);
        self
    }

    /// Contributes atomically, without replicas.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
    /// let mut counts = View::<u32, 1>::zeros("counts", [2])?;
    /// parallel_for("counts", Serial::new().range(0..5), counts.scatter().atomic(), |i, counts| counts.add(i.get() % 2, 1))?;
    /// assert_eq!(counts.to_vec(), [3, 2]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn atomic(mut self) -> Self {
        self.replicas = 0;
        self
    }

    /// Has room on a device for this number of contributions of a launch, in place of 64 for each iteration.
    ///
    /// Each takes 24 bytes, beside the element. 0 is the default again, which takes at most an eighth of the device's memory. Hosts need no
    /// room.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
    /// let mut sums = View::<f64, 1>::zeros("sums", [2])?;
    /// parallel_for("sums", Serial::new().range(0..5), sums.scatter().room_for(500), |i, sums| {
    ///     (0..100).for_each(|_| sums.add(i.get() % 2, 0.5));
    /// })?;
    /// assert_eq!(sums.to_vec(), [150.0, 100.0]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn room_for(mut self, contributions: usize) -> Self {
        self.room = contributions;
        self
    }

    /// The number of replicas, or `None` for atomic contributions.
    ///
    /// # Examples
    /// ```
    /// let mut sums = spelt_core::View::<f64, 1>::zeros("sums", [2])?;
    /// assert_eq!(sums.scatter().replicas(), Some(64));
    /// assert_eq!(sums.scatter().atomic().replicas(), None);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn replicas(&self) -> Option<usize> {
        (self.replicas != 0).then_some(self.replicas)
    }

    fn text(&self) -> Description<'_>
    where
        O: Origin<R>,
    {
        let (description, origin) = (describe(self.view.view()), self.origin.described());
        Description { adapter: ".scatter()", covers: Covers::Nothing, writes: true, origin, ..description }
    }

    /// The distance between replicas, with flags or without, in elements.
    fn distance(&self, flags: bool) -> usize
    where
        Op: Reducer<Value = T> + Copy,
    {
        let len = RawScatter::<T, R, L, Op>::replica_len(flags, self.view.len());
        len.saturating_add(APART.div_ceil(size_of::<T>().max(1)))
    }

    /// Allocates the replicas and their flags for a launch of this many iterations.
    fn allocate(&mut self, iterations: usize) -> Result<(), Shortage>
    where
        Op: Reducer<Value = T> + Copy,
    {
        // Flags of an earlier launch must not make `finish` join its replicas again.
        self.touched.clear();
        if iterations == 0 {
            return Ok(());
        }
        let flags = RawScatter::<T, R, L, Op>::needs_flags(&self.op);
        let room = self.replicas.saturating_mul(self.distance(flags));
        let lines = self.replicas.div_ceil(LINE_BYTES / RawScatter::<T, R, L, Op>::FLAGS_APART);
        let shortage = Shortage {
            address: self.view.raw_mut().pointer() as usize,
            bytes: room.saturating_mul(size_of::<T>()).saturating_add(lines.saturating_mul(LINE_BYTES)),
        };
        if self.memory.len() < room {
            // Old values are not needed: replicas start empty. Nothing is written here, so that each page is allocated near
            // the thread that first contributes to it.
            self.memory = Vec::new();
            self.memory.try_reserve_exact(room).map_err(|_| shortage)?;
            // SAFETY: `MaybeUninit` needs no initialisation, and the capacity is there.
            unsafe { self.memory.set_len(room) };
        }
        self.touched.try_reserve_exact(lines).map_err(|_| shortage)?;
        self.touched.resize(lines, FlagLine { _flags: [false; LINE_BYTES] });
        Ok(())
    }

    /// Lowers the argument, with the replicas from `allocate`; without replicas, contributions are atomic.
    fn raw(&mut self) -> RawScatter<T, R, L, Op>
    where
        Op: Reducer<Value = T> + Copy,
    {
        let target = self.view.raw_mut();
        if self.touched.is_empty() {
            return RawScatter::atomic(target, self.op);
        }
        // The answer may differ from that at the time of the allocation, hence the assertion.
        let flags = RawScatter::<T, R, L, Op>::needs_flags(&self.op);
        let (extents, distance) = (target.extents(), self.distance(flags));
        assert!(
            self.touched.len() * LINE_BYTES
                >= self.replicas.saturating_mul(RawScatter::<T, R, L, Op>::FLAGS_APART)
                && self.memory.len() >= self.replicas.saturating_mul(distance),
            "a launch prepares its arguments"
        );
        let replica = RawView::new(self.memory.as_mut_ptr().cast(), extents, L::strides(extents));
        let touched = self.touched.as_mut_ptr().cast::<bool>();
        let (replicas, op) = (self.replicas, self.op);
        RawScatter { replica, distance, touched, replicas, flags, ..RawScatter::atomic(target, op) }
    }
}

/// The replicas of a launch, joined when it is over. Only `lower` makes one, which is unsafe.
#[derive(Debug)]
pub struct Replicas<T, const R: usize, L, Op>(RawScatter<T, R, L, Op>);

macro_rules! argument {
    ($([$($life:tt)*] $type:ty;)*) => {$(
        // SAFETY: the accessor checks every index; each part has its own replica in buffers that live as long as
        // the argument, or contributions are atomic; the View is borrowed exclusively.
        unsafe impl<$($life)* T: Element, const R: usize, M: MemorySpace, L: Layout, Op, O> KernelArg for $type
        where
            Op: Reducer<Value = T, Output = T> + Copy + Send + Sync,
            O: Origin<R>,
        {
            type Raw = (RawScatter<T, R, L, Op>, O);
            type Access<'k> = ScatterAccess<'k, T, R, L, Op, O>;
            type Held = Replicas<T, R, L, Op>;
            type Memory = (M, ());
            fn describe<'a>(&'a self, visit: &mut impl FnMut(Description<'a>)) {
                visit(self.text());
            }
            fn parts(&self) -> Option<usize> {
                Scatter::replicas(self)
            }
            fn prepare(&mut self, iterations: usize) -> Result<(), Shortage> {
                self.allocate(iterations)
            }
            unsafe fn lower(&mut self) -> (Self::Raw, Self::Held) {
                let raw = self.raw();
                ((raw, self.origin), Replicas(raw))
            }
            unsafe fn lower_on_device(&mut self) -> (Self::Raw, Self::Held) {
                let (in_order, room) = (self.replicas != 0, self.room);
                let raw = RawScatter { in_order, room, ..RawScatter::atomic(self.view.raw_mut(), self.op) };
                ((raw, self.origin), Replicas(raw))
            }
            #[inline(always)]
            fn scattered<V: ScatterVisitor>(
                raw: &mut Self::Raw,
                visitor: &mut V,
            ) -> core::result::Result<(), V::Error> {
                visitor.visit(&mut raw.0)
            }
            #[inline(always)]
            unsafe fn access<'k>(raw: &Self::Raw, part: usize) -> Self::Access<'k> {
                // SAFETY: by the contract of `access`, the borrow lives, no two threads work on one part, and `part` is
                // below the number of replicas.
                unsafe { ScatterAccess::from_origin(&raw.0, part, raw.1) }
            }
            fn finish(held: Self::Held) {
                // SAFETY: a launch finishes what it lowered, after all iterations and while the argument lives.
                unsafe { held.0.join() }
            }
        }

    )*};
}
argument! {
    ['v,] Scatter<'v, T, R, M, L, Op, O>;
    ['s, 'v,] &'s mut Scatter<'v, T, R, M, L, Op, O>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_chooses_the_strategy() {
        assert_eq!(replicas_for(0), MAX_REPLICAS);
        assert_eq!(replicas_for(CACHED_BYTES / MAX_REPLICAS), MAX_REPLICAS);
        assert_eq!(replicas_for(1 << 20), 32);
        assert_eq!(replicas_for(MAX_BYTES / MIN_REPLICAS), MIN_REPLICAS);
        assert_eq!(replicas_for(MAX_BYTES / MIN_REPLICAS + 1), 0);
    }
}
