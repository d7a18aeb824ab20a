//! The accessor of `view.scatter()`: contributions to any index, in a replica for each part of the launch, or atomic.

use core::cell::Cell;
use core::fmt;
use core::marker::PhantomData;

use crate::{Layout, Right};
use spelt_reducers::{Max, Min, MinMaxElement, Prod, ProdElement, Reducer, Sum, SumElement};

use crate::access::Brand;
use crate::{AsIndex, AtZero, Contribution, Contributions, Element, Origin, RawView, atomic, failure};

/// A scattered View in the form that a launch copies into a kernel.
///
/// With replicas, that of part `p` begins `p * distance` elements after that of part 0, and the flag `touched[p * FLAGS_APART]` is false
/// until it holds values. If `op` has no [neutral](Reducer::neutral) value, each replica is followed by a `bool` for each
/// element, which is set by the first contribution. An `op` may answer differently each time, so `flags` keeps the answer
/// from the time of the allocation, and all elements of a touched replica are initialised.
///
/// # Examples
/// ```
/// use spelt_access::{RawScatter, RawView, Right};
/// use spelt_reducers::Sum;
/// let mut numbers = [1, 4, 9];
/// let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
/// assert_eq!(RawScatter::atomic(raw, Sum::new()).replicas, 0);
/// ```
pub struct RawScatter<T, const R: usize, L, Op> {
    /// The target of the contributions.
    pub target: RawView<T, R, L>,
    /// The replica of part 0, with dense strides; unspecified if there are no replicas.
    pub replica: RawView<T, R, L>,
    /// The distance between replicas, in elements.
    pub distance: usize,
    /// One flag for each replica, [`FLAGS_APART`](Self::FLAGS_APART) from the next.
    pub touched: *mut bool,
    /// The number of replicas; 0 makes every contribution atomic.
    pub replicas: usize,
    /// Whether each replica is followed by flags for its elements.
    pub flags: bool,
    /// The reducer that joins contributions.
    pub op: Op,
    /// Whether a device joins contributions in the order of a host, where their order matters.
    pub in_order: bool,
    /// The number of contributions for which a device is asked to have room; 0: its own choice.
    pub room: usize,
    /// On a device, room for contributions that are joined when the launch is over.
    #[doc(hidden)]
    pub kept: Contributions<T>,
}

/// Work on the scattered Views of a launch on a device.
#[doc(hidden)]
pub trait ScatterVisitor {
    /// The reason why it cannot be done.
    type Error;

    /// Does it for one of them.
    ///
    /// # Errors
    /// If it cannot be done.
    fn visit<T, const R: usize, L, Op>(
        &mut self,
        raw: &mut RawScatter<T, R, L, Op>,
    ) -> Result<(), Self::Error>
    where
        T: Element,
        L: Layout,
        Op: Reducer<Value = T> + Copy + Send + Sync;
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
        f.debug_struct("RawScatter").field("replicas", &self.replicas).finish_non_exhaustive()
    }
}

// SAFETY: pointers, which access nothing by themselves; code that dereferences one proves that it may, as for `RawView`.
unsafe impl<T: Send, const R: usize, L, Op: Send> Send for RawScatter<T, R, L, Op> {}
// SAFETY: a shared reference gives copies of the pointers, which access nothing by themselves, and access to the operation,
// which is `Sync`.
unsafe impl<T: Sync, const R: usize, L, Op: Sync> Sync for RawScatter<T, R, L, Op> {}

impl<T: Element, const R: usize, L: Layout, Op: Reducer<Value = T>> RawScatter<T, R, L, Op> {
    /// Whether no order of contributions changes a bit, so that a device need not keep them.
    #[doc(hidden)]
    pub const IN_ANY_ORDER: bool = Op::EXACT && Op::REORDERABLE;

    /// The distance between the flags of two replicas. Unit: flags. Source: consecutive parts usually run on one thread, so at this distance
    /// the flags of up to eight threads lie in separate cache lines, and a launch clears eight lines only. If all flags were in one line, each part
    /// that begins would take it from the other threads (docs/benchmarks/programs.md).
    pub const FLAGS_APART: usize = 8;

    /// Whether contributions by `op` need a flag for each element.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::{RawScatter, Right};
    /// use spelt_reducers::Sum;
    /// assert!(!RawScatter::<f64, 1, Right, Sum<f64>>::needs_flags(&Sum::new()));
    /// ```
    #[inline(always)]
    pub fn needs_flags(op: &Op) -> bool {
        size_of::<T>() != 0 && op.neutral().is_none()
    }

    /// Whether there are flags and `op` still needs them; usually a constant for the compiler.
    #[inline(always)]
    fn uses_flags(&self) -> bool {
        Self::needs_flags(&self.op) && self.flags
    }

    /// The size, in elements, of a replica of `len` elements, with its flags if it has any.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::{RawScatter, Right};
    /// use spelt_reducers::Sum;
    /// assert_eq!(RawScatter::<f64, 1, Right, Sum<f64>>::replica_len(false, 100), 100);
    /// assert_eq!(RawScatter::<f64, 1, Right, Sum<f64>>::replica_len(true, 100), 113);
    /// ```
    pub fn replica_len(flags: bool, len: usize) -> usize {
        if flags { len.saturating_add(len.div_ceil(size_of::<T>().max(1))) } else { len }
    }

    /// A scattered View without replicas: contributions to `target` are atomic.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::{RawScatter, RawView, Right};
    /// use spelt_reducers::Sum;
    /// let mut numbers = [1, 4, 9];
    /// let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// assert_eq!(RawScatter::atomic(raw, Sum::new()).target.len(), 3);
    /// ```
    pub const fn atomic(target: RawView<T, R, L>, op: Op) -> Self {
        Self {
            target,
            replica: target,
            distance: 0,
            touched: core::ptr::null_mut(),
            replicas: 0,
            flags: false,
            op,
            in_order: false,
            room: 0,
            kept: Contributions::NONE,
        }
    }

    /// Joins the replicas into the target, in ascending order.
    ///
    /// # Safety
    /// The launch is over, and nothing else uses the View or the replicas.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::{RawScatter, RawView, Right};
    /// use spelt_reducers::Sum;
    /// let (mut numbers, mut replica, mut touched) = ([1, 4, 9], [10, 0, 20], [true]);
    /// let view = |numbers: &mut [i32; 3]| RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// let (target, replica) = (view(&mut numbers), view(&mut replica));
    /// let scatter = RawScatter { replica, touched: touched.as_mut_ptr(), replicas: 1, ..RawScatter::atomic(target, Sum::new()) };
    /// // SAFETY: there is one replica with its flag, and nothing else uses the numbers.
    /// unsafe { scatter.join() };
    /// assert_eq!(numbers, [11, 4, 29]);
    /// ```
    pub unsafe fn join(&self) {
        let extents = self.target.extents();
        let len = self.target.len();
        let dense = self.target.strides() == self.replica.strides();
        for part in 0..self.replicas {
            // SAFETY: there are `replicas` flags, at this distance.
            if !unsafe { self.touched.add(part * Self::FLAGS_APART).read() } {
                continue;
            }
            // SAFETY: there are as many replicas as flags.
            let replica = unsafe { self.replica.pointer().add(part * self.distance) };
            let mut index = [0; R];
            for place in 0..len {
                let offset = if dense { place } else { L::offset(index, &self.replica.strides()) };
                let into = if dense {
                    // SAFETY: the target has the replica's strides, so it is also dense.
                    unsafe { self.target.pointer().add(place) }
                } else {
                    // SAFETY: `step` keeps the index in the extents.
                    unsafe { self.target.at(index) }
                };
                if !dense {
                    step(&mut index, extents);
                }
                // SAFETY: flags follow the `len` elements, and those of a touched replica are initialised.
                if self.uses_flags() && !unsafe { replica.add(len).cast::<bool>().add(offset).read() } {
                    continue;
                }
                // SAFETY: the offset is in the replica, which is dense, touched and thus initialised.
                let from = unsafe { replica.add(offset).read() };
                // SAFETY: `into` is an element of the View, which nothing else uses.
                let held = unsafe { into.read() };
                let mut joined = held;
                self.op.join(&mut joined, &from);
                // SAFETY: `into` is the element that was just read, and nothing else uses the View.
                unsafe { into.write(if self.op.is_neutral(&from) { held } else { joined }) };
            }
        }
    }
}

/// Advances to the next index; the last dimension varies fastest.
fn step<const R: usize>(index: &mut [usize; R], extents: [usize; R]) {
    for dimension in (0..R).rev() {
        index[dimension] += 1;
        if index[dimension] < extents[dimension] {
            return;
        }
        index[dimension] = 0;
    }
}

/// A View to which every iteration contributes, at any index and by value.
///
/// An index is an integer (rank 1), an array of them or a witness, and is checked. Contributions cannot be read in the launch.
///
/// # Examples
/// ```
/// # use spelt_access::{RawScatter, RawView, Right, ScatterAccess};
/// # let mut numbers = [1, 4, 9];
/// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
/// # // SAFETY: nothing else uses the numbers.
/// # let y = unsafe { ScatterAccess::new(&RawScatter::atomic(raw, spelt_reducers::Sum::new()), 0) };
/// // For the View [1, 4, 9]:
/// y.add(2, 10);
/// y.add(2, 10);
/// assert_eq!(numbers, [1, 4, 29]);
/// ```
pub struct ScatterAccess<'k, T, const R: usize, L = Right, Op = Sum<T>, O = AtZero> {
    raw: RawScatter<T, R, L, Op>,
    origin: O,
    /// The number of the iteration, and of its contributions so far, where contributions are kept.
    number: usize,
    calls: Cell<u32>,
    brand: Brand<'k, T>,
    /// The replica is written without atomics by the one thread that runs its part, so the accessor stays there.
    stays: PhantomData<*const T>,
}

impl<T, const R: usize, L, Op, O> fmt::Debug for ScatterAccess<'_, T, R, L, Op, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ScatterAccess { .. }")
    }
}

impl<'k, T: Element, const R: usize, L: Layout, Op: Reducer<Value = T> + Copy>
    ScatterAccess<'k, T, R, L, Op>
{
    /// The accessor of an iteration of part `part`.
    ///
    /// # Safety
    /// While the launch branded `'k` runs, only this accessor and those of other iterations access the View and the
    /// replicas; `part` is below the number of replicas, if there are any, and no two threads work on one
    /// part at the same time. Where contributions are kept, `part` is the number of the iteration.
    #[doc(hidden)]
    #[inline(always)]
    pub unsafe fn new(raw: &RawScatter<T, R, L, Op>, part: usize) -> Self {
        // SAFETY: this function has the same contract.
        unsafe { Self::from_origin(raw, part, AtZero) }
    }
}

impl<'k, T: Element, const R: usize, L: Layout, Op: Reducer<Value = T> + Copy, O: Origin<R>>
    ScatterAccess<'k, T, R, L, Op, O>
{
    /// As [`new`](ScatterAccess::new), with indices that begin at `origin`.
    ///
    /// # Safety
    /// As [`new`](ScatterAccess::new).
    #[doc(hidden)]
    #[inline(always)]
    pub unsafe fn from_origin(raw: &RawScatter<T, R, L, Op>, part: usize, origin: O) -> Self {
        let mut raw = *raw;
        if raw.replicas != 0 {
            let first = raw.replica.pointer().wrapping_add(part * raw.distance);
            raw.replica = RawView::new(first, raw.replica.extents(), raw.replica.strides());
            raw.touched = raw.touched.wrapping_add(part * RawScatter::<T, R, L, Op>::FLAGS_APART);
        }
        Self { raw, origin, number: part, calls: Cell::new(0), brand: PhantomData, stays: PhantomData }
    }

    /// The number of indices in dimension `dimension`.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{RawScatter, RawView, Right, ScatterAccess};
    /// # let mut numbers = [1, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let y = unsafe { ScatterAccess::new(&RawScatter::atomic(raw, spelt_reducers::Sum::new()), 0) };
    /// // For the View [1, 4, 9]:
    /// assert_eq!(y.extent(0), 3);
    /// ```
    #[inline(always)]
    pub fn extent(&self, dimension: usize) -> usize {
        self.raw.target.extents()[dimension]
    }

    /// Joins `value` to the element at `index`.
    ///
    /// # Panics
    /// If the index is out of bounds; the message names View, extents and kernel.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{RawScatter, RawView, Right, ScatterAccess};
    /// # let mut numbers = [1, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let y = unsafe { ScatterAccess::new(&RawScatter::atomic(raw, spelt_reducers::Max::new()), 0) };
    /// // For the View [1, 4, 9]:
    /// y.update(0, 5);
    /// assert_eq!(numbers, [5, 4, 9]);
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn update(&self, index: impl AsIndex<R>, value: T) {
        let index = index.as_index();
        let (raw, place) = (&self.raw, self.origin.place(index));
        if !raw.target.contains(place) {
            failure::beyond(raw.target.pointer() as usize, index);
        }
        let index = place;
        if raw.replicas == 0 {
            if const { !RawScatter::<T, R, L, Op>::IN_ANY_ORDER } && raw.kept.room != 0 {
                let call = self.calls.replace(self.calls.get().wrapping_add(1));
                let element = L::offset(index, &raw.target.strides());
                // SAFETY: the launch has made the room, and the count is valid while it runs.
                unsafe { raw.kept.keep(Contribution { element, number: self.number, call, value }) };
                return;
            }
            // SAFETY: in bounds, and without replicas all contributions are atomic.
            let _ = unsafe {
                atomic::try_update(raw.target.at(index), |mut old| {
                    raw.op.join(&mut old, &value);
                    Some(old)
                })
            };
            return;
        }
        // SAFETY: the flag belongs to this part, on which one thread works at a time.
        if unsafe { !raw.touched.read() } {
            // SAFETY: the replica is dense, and it and its flags belong to this part.
            unsafe { reset(raw.replica.pointer(), raw.replica.len(), raw.flags, raw.touched, raw.op) };
        }
        // SAFETY: in bounds of the replica, which has the View's extents.
        let place = unsafe { raw.replica.at(index) };
        if raw.uses_flags() {
            let first = raw.replica.pointer();
            // SAFETY: both pointers are in the replica, whose elements have a size, and one flag for each follows.
            let started =
                unsafe { first.add(raw.replica.len()).cast::<bool>().offset(place.offset_from(first)) };
            // SAFETY: `reset` has initialised the flags; flag and element belong to this part.
            unsafe {
                if !started.replace(true) {
                    place.write(value);
                    return;
                }
            }
        }
        // SAFETY: the replica belongs to this part, and `reset` has initialised the element; no reference to it exists, so
        // `join` may even contribute in between.
        let mut joined = unsafe { place.read() };
        raw.op.join(&mut joined, &value);
        // SAFETY: the replica belongs to this part, on which one thread works at a time, and `place` is the element that
        // was just read.
        unsafe { place.write(joined) };
    }
}

/// Fills a replica with the neutral value, or with zeros if there is none, clears its flags, and marks it as touched.
///
/// Its parameters are values, so that the accessor can stay in registers.
///
/// # Safety
/// There are `len` elements at `replica`, followed by flags if `flags` is true, and nothing else uses them or `touched`.
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
                // SAFETY: `place` is below `len`, the number of elements at `replica`, which nothing else uses.
                unsafe { replica.add(place).write(neutral) };
            }
        }
        // SAFETY: there are `len` elements at `replica`, which nothing else uses. Zeros are a value of every `Element`.
        None => unsafe { replica.write_bytes(0, len) },
    }
    if flags {
        // SAFETY: `flags` says that `len` flags follow the `len` elements, and zero is `false`.
        unsafe { replica.add(len).cast::<bool>().write_bytes(0, len) };
    }
    // SAFETY: `touched` is this replica's flag, which nothing else uses.
    unsafe { touched.write(true) };
}

macro_rules! named {
    ($($(#[$doc:meta])* $op:ident $bound:ident $name:ident;)*) => {$(
        impl<'k, T: Element + $bound, const R: usize, L: Layout, O: Origin<R>> ScatterAccess<'k, T, R, L, $op<T>, O> {
            $(#[$doc])*
            ///
            /// # Panics
            /// If the index is out of bounds; the message names View, extents and kernel.
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
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{RawScatter, RawView, Right, ScatterAccess};
    /// # let mut numbers = [1, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let y = unsafe { ScatterAccess::new(&RawScatter::atomic(raw, spelt_reducers::Sum::new()), 0) };
    /// // For the View [1, 4, 9]:
    /// y.add(2, 5);
    /// assert_eq!(numbers, [1, 4, 14]);
    /// ```
    Sum SumElement add;
    /// Multiplies the element at `index` by `value`; integers wrap.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{RawScatter, RawView, Right, ScatterAccess};
    /// # let mut numbers = [1, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let y = unsafe { ScatterAccess::new(&RawScatter::atomic(raw, spelt_reducers::Prod::new()), 0) };
    /// // For the View [1, 4, 9]:
    /// y.mul(2, 5);
    /// assert_eq!(numbers, [1, 4, 45]);
    /// ```
    Prod ProdElement mul;
    /// Keeps the smaller of the element at `index` and `value`; NaN is ignored.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{RawScatter, RawView, Right, ScatterAccess};
    /// # let mut numbers = [1, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let y = unsafe { ScatterAccess::new(&RawScatter::atomic(raw, spelt_reducers::Min::new()), 0) };
    /// // For the View [1, 4, 9]:
    /// y.min(2, 5);
    /// assert_eq!(numbers, [1, 4, 5]);
    /// ```
    Min MinMaxElement min;
    /// Keeps the larger of the element at `index` and `value`; NaN is ignored.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{RawScatter, RawView, Right, ScatterAccess};
    /// # let mut numbers = [1, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let y = unsafe { ScatterAccess::new(&RawScatter::atomic(raw, spelt_reducers::Max::new()), 0) };
    /// // For the View [1, 4, 9]:
    /// y.max(2, 5);
    /// assert_eq!(numbers, [1, 4, 9]);
    /// ```
    Max MinMaxElement max;
}
