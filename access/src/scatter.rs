//! The accessor of `view.scatter()`: contributions to any index, kept apart by block or made atomically.

use core::fmt;
use core::marker::PhantomData;

use crate::{Layout, Right};
use spelt_reducers::{Max, Min, MinMaxElement, Prod, ProdElement, Reducer, Sum, SumElement};

use crate::access::Brand;
use crate::{AsIndex, Element, RawView, atomic, failure};

/// A scattered View as a launch copies it into a kernel.
///
/// With replicas, block `b` has the replica that begins `b * distance` elements after `replica`'s first, and the flag
/// `touched[b]`, false until the replica holds values. Where `op` has no [neutral](Reducer::neutral) value, a `bool` for each
/// element lies behind the replica: whether anything was contributed to it. An `op` may answer otherwise each time it is
/// asked, so `flags` has the answer that memory was laid out by, and a touched replica holds values whatever the answer.
pub struct RawScatter<T, const R: usize, L, Op> {
    /// What is contributed to.
    pub target: RawView<T, R, L>,
    /// The replica of block 0, with dense strides; without replicas, nothing in particular.
    pub replica: RawView<T, R, L>,
    /// The distance between replicas, in elements.
    pub distance: usize,
    /// One flag for each replica.
    pub touched: *mut bool,
    /// The number of replicas; 0 makes every contribution atomic.
    pub blocks: usize,
    /// Whether flags for the elements lie behind each replica.
    pub flags: bool,
    /// How contributions join.
    pub op: Op,
}

impl<T, const R: usize, L, Op: Copy> Clone for RawScatter<T, R, L, Op> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, const R: usize, L, Op: Copy> Copy for RawScatter<T, R, L, Op> {}

impl<T, const R: usize, L, Op> fmt::Debug for RawScatter<T, R, L, Op> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawScatter").field("blocks", &self.blocks).finish_non_exhaustive()
    }
}

// SAFETY: pointers without any access of their own, as in `RawView`.
unsafe impl<T: Send, const R: usize, L, Op: Send> Send for RawScatter<T, R, L, Op> {}
// SAFETY: as above.
unsafe impl<T: Sync, const R: usize, L, Op: Sync> Sync for RawScatter<T, R, L, Op> {}

impl<T: Element, const R: usize, L: Layout, Op: Reducer<Value = T>> RawScatter<T, R, L, Op> {
    /// Whether contributions by `op` need a flag for each element.
    #[inline(always)]
    pub fn needs_flags(op: &Op) -> bool {
        size_of::<T>() != 0 && op.neutral().is_none()
    }

    /// Whether there are flags, and `op` still wants them: the compiler knows its answer, mostly.
    #[inline(always)]
    fn uses_flags(&self) -> bool {
        Self::needs_flags(&self.op) && self.flags
    }

    /// The elements that a replica of `len` elements takes, its flags included if it has any.
    pub fn replica_len(flags: bool, len: usize) -> usize {
        if flags { len.saturating_add(len.div_ceil(size_of::<T>().max(1))) } else { len }
    }

    /// Without replicas: contributions to `target` are atomic.
    pub const fn atomic(target: RawView<T, R, L>, op: Op) -> Self {
        Self {
            target,
            replica: target,
            distance: 0,
            touched: core::ptr::null_mut(),
            blocks: 0,
            flags: false,
            op,
        }
    }

    /// Joins the replicas into the target, in ascending order of the blocks.
    ///
    /// # Safety
    /// The launch is over, and nobody else has the View or the replicas.
    pub unsafe fn join(&self) {
        let extents = self.target.extents();
        let len = self.target.len();
        let dense = self.target.strides() == self.replica.strides();
        for block in 0..self.blocks {
            // SAFETY: there are `blocks` flags.
            if !unsafe { self.touched.add(block).read() } {
                continue;
            }
            // SAFETY: there are as many replicas as flags.
            let replica = unsafe { self.replica.pointer().add(block * self.distance) };
            let mut index = [0; R];
            for place in 0..len {
                let offset = if dense { place } else { L::offset(index, &self.replica.strides()) };
                let into = if dense {
                    // SAFETY: the target has the replica's strides, so it is dense too.
                    unsafe { self.target.pointer().add(place) }
                } else {
                    // SAFETY: `step` keeps the index in the extents.
                    unsafe { self.target.at(index) }
                };
                if !dense {
                    step(&mut index, extents);
                }
                // SAFETY: flags lie behind the `len` elements, and those of a touched replica are initialised.
                if self.uses_flags() && !unsafe { replica.add(len).cast::<bool>().add(offset).read() } {
                    continue;
                }
                // SAFETY: the offset is in the replica, which is dense, touched and thus initialised.
                let from = unsafe { replica.add(offset).read() };
                // SAFETY: an element of the View, which nobody else has.
                let held = unsafe { into.read() };
                let mut joined = held;
                self.op.join(&mut joined, &from);
                // SAFETY: as above.
                unsafe { into.write(if self.op.is_neutral(&from) { held } else { joined }) };
            }
        }
    }
}

/// The next index, the last dimension fastest.
fn step<const R: usize>(index: &mut [usize; R], extents: [usize; R]) {
    for dimension in (0..R).rev() {
        index[dimension] += 1;
        if index[dimension] < extents[dimension] {
            return;
        }
        index[dimension] = 0;
    }
}

/// A View that all iterations contribute to, at any index and by value.
///
/// An index is a `usize` (rank 1), `[usize; R]` or a witness, and is checked. What was contributed cannot be read in
/// the launch.
pub struct ScatterAccess<'k, T, const R: usize, L = Right, Op = Sum<T>> {
    raw: RawScatter<T, R, L, Op>,
    brand: Brand<'k, T>,
    /// The replica is written without atomics by the one thread that runs its block, so the accessor stays there.
    stays: PhantomData<*const T>,
}

impl<T, const R: usize, L, Op> fmt::Debug for ScatterAccess<'_, T, R, L, Op> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ScatterAccess { .. }")
    }
}

impl<'k, T: Element, const R: usize, L: Layout, Op: Reducer<Value = T> + Copy>
    ScatterAccess<'k, T, R, L, Op>
{
    /// The accessor of an iteration of block `block`.
    ///
    /// # Safety
    /// While the launch branded `'k` runs, nothing but this accessor and its like in other iterations reaches the View
    /// and the replicas; `block` is below the number of replicas, if there are any, and no two threads work on one
    /// block at a time.
    #[doc(hidden)]
    #[inline(always)]
    pub unsafe fn new(raw: &RawScatter<T, R, L, Op>, block: usize) -> Self {
        let mut raw = *raw;
        if raw.blocks != 0 {
            let first = raw.replica.pointer().wrapping_add(block * raw.distance);
            raw.replica = RawView::new(first, raw.replica.extents(), raw.replica.strides());
            raw.touched = raw.touched.wrapping_add(block);
        }
        Self { raw, brand: PhantomData, stays: PhantomData }
    }

    /// The number of indices in dimension `dimension`.
    #[inline(always)]
    pub fn extent(&self, dimension: usize) -> usize {
        self.raw.target.extents()[dimension]
    }

    /// Joins `value` to the element at `index`.
    ///
    /// # Panics
    /// Out of bounds, with View, extents and kernel.
    #[inline(always)]
    #[track_caller]
    pub fn update(&self, index: impl AsIndex<R>, value: T) {
        let index = index.as_index();
        let raw = &self.raw;
        if !raw.target.contains(index) {
            failure::beyond(raw.target.pointer() as usize, index);
        }
        if raw.blocks == 0 {
            // SAFETY: in bounds, and without replicas all contributions are atomic.
            let _ = unsafe {
                atomic::try_update(raw.target.at(index), |mut old| {
                    raw.op.join(&mut old, &value);
                    Some(old)
                })
            };
            return;
        }
        // SAFETY: the flag is this block's, which one thread at a time works on.
        if unsafe { !raw.touched.read() } {
            // SAFETY: the replica is dense and this block's, as the flags are.
            unsafe { reset(raw.replica.pointer(), raw.replica.len(), raw.flags, raw.touched, raw.op) };
        }
        // SAFETY: in bounds of the replica, which has the View's extents.
        let place = unsafe { raw.replica.at(index) };
        if raw.uses_flags() {
            let first = raw.replica.pointer();
            // SAFETY: both lie in the replica, of elements that have a size, and behind them lie as many flags.
            let started =
                unsafe { first.add(raw.replica.len()).cast::<bool>().offset(place.offset_from(first)) };
            // SAFETY: `reset` has initialised the flags, and both are this block's.
            unsafe {
                if !started.replace(true) {
                    place.write(value);
                    return;
                }
            }
        }
        // SAFETY: the replica is this block's, and the element initialised by `reset`; no reference to it is ever made, so
        // `join` may do what it likes in between.
        let mut joined = unsafe { place.read() };
        raw.op.join(&mut joined, &value);
        // SAFETY: as above.
        unsafe { place.write(joined) };
    }
}

/// Fills a replica with the neutral value, or where there is none with zeros, sets its flags to `false`, and says that it is
/// touched.
///
/// It takes what it needs by value, so that the accessor can stay in registers.
///
/// # Safety
/// There are `len` elements at `replica`, with flags behind them where `flags` says so, and nobody else uses them or `touched`.
#[cold]
#[inline(never)]
unsafe fn reset<T: Element, Op: Reducer<Value = T>>(
    replica: *mut T,
    len: usize,
    flags: bool,
    touched: *mut bool,
    op: Op,
) {
    match op.neutral() {
        Some(neutral) => {
            for place in 0..len {
                // SAFETY: the caller's promise.
                unsafe { replica.add(place).write(neutral) };
            }
        }
        // SAFETY: the caller's promise. Zeros are a value of every `Element`.
        None => unsafe { replica.write_bytes(0, len) },
    }
    if flags {
        // SAFETY: the caller's promise.
        unsafe { replica.add(len).cast::<bool>().write_bytes(0, len) };
    }
    // SAFETY: the caller's promise.
    unsafe { touched.write(true) };
}

macro_rules! named {
    ($($(#[$doc:meta])* $op:ident $bound:ident $name:ident;)*) => {$(
        impl<'k, T: Element + $bound, const R: usize, L: Layout> ScatterAccess<'k, T, R, L, $op<T>> {
            $(#[$doc])*
            ///
            /// # Panics
            /// Out of bounds, with View, extents and kernel.
            #[inline(always)]
            #[track_caller]
            pub fn $name(&self, index: impl AsIndex<R>, value: T) {
                self.update(index, value);
            }
        }
    )*};
}
named! {
    /// Adds `value` to the element at `index`; integers wrap.
    Sum SumElement add;
    /// Multiplies the element at `index` by `value`; integers wrap.
    Prod ProdElement mul;
    /// Keeps the smaller of the element at `index` and `value`; NaN is ignored.
    Min MinMaxElement min;
    /// Keeps the larger of the element at `index` and `value`; NaN is ignored.
    Max MinMaxElement max;
}
