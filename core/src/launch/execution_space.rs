//! [`ExecutionSpace`]: the operations that a space offers to programs.

use core::fmt::Debug;
use core::ops::Range;

use spelt_access::{Element, Layout, Right};
use spelt_policies::{MdRangePolicy, RangePolicy, SignedPolicy, TeamPolicy, TeamSize};

use super::Launches;
use crate::Result;
use crate::reach::Reach;
use crate::tools::{self, FenceEvent};
use crate::view::{
    CopyFrom, HostAccessible, HostSpace, MemorySpace, ReadView, UninitView, View, WriteView, copy_all,
    filling,
};

/// A space that runs kernels: [`Serial`](crate::Serial), `Threads`, `Rayon`, [`AnyHost`](crate::AnyHost) or `Cuda`.
///
/// Generic code takes it as a parameter, `fn solve<S: ExecutionSpace>(space: &S)`; results are the same bits on
/// every space.
///
/// # Safety
/// Sealed. Kernels of the space reach the memory of `Memory` and `Shared`, and `IS_DEVICE` is true exactly where they run on a device:
/// it decides how arguments are lowered.
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Result, Serial, parallel_map_reduce, reducers::Sum};
/// fn solve<S: ExecutionSpace>(space: &S) -> Result<f64> {
///     let x = space.view_from_fn("x", [100], |[i]| i as f64)?;
///     parallel_map_reduce("sum", space.range(0..100), &x, |i, x| x[i], Sum::<f64>::new())
/// }
/// assert_eq!(solve(&Serial::new())?, 4950.0);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub unsafe trait ExecutionSpace:
    Launches
    + Reach<<Self as ExecutionSpace>::Memory>
    + Reach<<Self as ExecutionSpace>::Shared>
    + Debug
    + Send
    + Sync
    + Sized
{
    /// The memory space of its Views; copies to and from the host, and within it, are possible.
    type Memory: MemorySpace
        + CopyFrom<HostSpace>
        + CopyFrom<<Self as ExecutionSpace>::Memory>
        + CopyFrom<<Self as ExecutionSpace>::Pinned>;

    /// Memory that both its kernels and the host reach: Kokkos's `SharedSpace`.
    type Shared: HostAccessible;

    /// Memory of the host for copies to and from `Memory`: Kokkos's `SharedHostPinnedSpace`.
    type Pinned: HostAccessible + CopyFrom<<Self as ExecutionSpace>::Memory>;

    /// Whether kernels run on a device rather than on threads of the host.
    ///
    /// It is a constant: code in `if const { !S::IS_DEVICE }` is not compiled for a device.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::ExecutionSpace;
    /// fn block_len<S: ExecutionSpace>(_space: &S) -> usize {
    ///     if S::IS_DEVICE { 256 } else { 8192 }
    /// }
    /// assert_eq!(block_len(&spelt_core::Serial::new()), 8192);
    /// ```
    const IS_DEVICE: bool = false;

    /// A View of zeros in this space's memory. The threads that run kernels touch its pages first.
    ///
    /// # Errors
    /// [`ErrorKind::Overflow`](crate::ErrorKind::Overflow) if the extents do not fit,
    /// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory) if there is not enough memory.
    ///
    /// # Complexity
    /// Writes every byte once.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Serial};
    /// let v = Serial::new().zeros::<f64, 2>("v", [3, 4])?;
    /// assert_eq!(v.len(), 12);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    fn zeros<T: Element, const R: usize>(
        &self,
        label: impl Into<String>,
        extents: [usize; R],
    ) -> Result<View<T, R, Self::Memory>> {
        self.zeros_in(Right, label, extents)
    }

    /// [`zeros`](Self::zeros) with another layout.
    ///
    /// # Errors
    /// As [`zeros`](Self::zeros).
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Left, Serial};
    /// let v = Serial::new().zeros_in::<f64, 2, _>(Left, "v", [3, 4])?;
    /// assert_eq!(v.strides(), [1, 3]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    fn zeros_in<T: Element, const R: usize, L: Layout>(
        &self,
        layout: L,
        label: impl Into<String>,
        extents: [usize; R],
    ) -> Result<View<T, R, Self::Memory, L>>;

    /// A View of zeros in memory that the host can index too, for programs that set up the data of kernels on the host.
    ///
    /// On host spaces it is the same as [`zeros`](Self::zeros). Elsewhere such memory is slower for one side or both, and
    /// launches that use it return only when they have finished.
    ///
    /// # Errors
    /// As [`zeros`](Self::zeros); [`ErrorKind::Policy`](crate::ErrorKind::Policy) if the device shares no memory.
    ///
    /// # Complexity
    /// Writes every byte once.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Serial};
    /// let mut v = Serial::new().shared_zeros::<f64, 1>("v", [3])?;
    /// v[1] = 2.0;
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    fn shared_zeros<T: Element, const R: usize>(
        &self,
        label: impl Into<String>,
        extents: [usize; R],
    ) -> Result<View<T, R, Self::Shared>>;

    /// A View of zeros in memory of the host from which copies to this space, and back, are fastest: buffers of messages and files.
    ///
    /// For a device its pages are pinned, so that the device copies them itself; pin no more than copies need. On host spaces it is the
    /// same as [`zeros`](Self::zeros).
    ///
    /// # Errors
    /// As [`zeros`](Self::zeros).
    ///
    /// # Complexity
    /// Writes every byte once.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Serial, deep_copy};
    /// let space = Serial::new();
    /// let x = space.view_from_fn("x", [3], |[i]| i as f64)?;
    /// let mut buffer = space.pinned_zeros::<f64, 1>("buffer", [3])?;
    /// deep_copy(&mut buffer, &x)?;
    /// assert_eq!(buffer[2], 2.0);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    fn pinned_zeros<T: Element, const R: usize>(
        &self,
        label: impl Into<String>,
        extents: [usize; R],
    ) -> Result<View<T, R, Self::Pinned>>;

    /// [`zeros`](Self::zeros) in memory that other processes can open, for messages that a library of MPI takes from a device.
    ///
    /// Memory of a device comes from its pool otherwise, of which such libraries cannot make a handle for another process. Taking this
    /// memory and dropping it may wait for all work of the device, so keep it. On host spaces it is the same as [`zeros`](Self::zeros).
    #[doc(hidden)]
    fn message_bytes(&self, len: usize) -> Result<View<u8, 1, Self::Memory>> {
        self.zeros("message", [len])
    }

    /// A View whose element at each index is `f(index)`, filled in parallel on this space.
    ///
    /// # Errors
    /// As [`zeros`](Self::zeros).
    ///
    /// # Panics
    /// If `f` panics; the memory is freed.
    ///
    /// # Complexity
    /// Work O(len) calls, span O(len / threads); writes every byte once.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Serial};
    /// let v = Serial::new().view_from_fn("v", [3, 4], |[i, j]| (10 * i + j) as f64)?;
    /// assert_eq!(v[[2, 3]], 23.0);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    fn view_from_fn<T: Element, const R: usize>(
        &self,
        label: impl Into<String>,
        extents: [usize; R],
        f: impl Fn([usize; R]) -> T + Sync,
    ) -> Result<View<T, R, Self::Memory>> {
        self.view_from_fn_in(Right, label, extents, f)
    }

    /// [`view_from_fn`](Self::view_from_fn) with another layout.
    ///
    /// # Errors
    /// As [`zeros`](Self::zeros).
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Left, Serial};
    /// let v = Serial::new().view_from_fn_in(Left, "v", [2, 2], |[i, j]| 10 * i + j)?;
    /// assert_eq!(v.as_slice(), Some(&[0, 10, 1, 11][..]));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    fn view_from_fn_in<T: Element, const R: usize, L: Layout>(
        &self,
        layout: L,
        label: impl Into<String>,
        extents: [usize; R],
        f: impl Fn([usize; R]) -> T + Sync,
    ) -> Result<View<T, R, Self::Memory, L>>;

    /// Copies every element of `from` to the same index of `to`, with all threads of this space: Kokkos's `deep_copy` with an
    /// execution space.
    ///
    /// The Views may be in any memory, and have any layout. The result is that of [`deep_copy`](crate::deep_copy()), which copies on the
    /// calling thread, as this function does for few elements, and where the host cannot reach both memories. A device copies by its
    /// own means.
    ///
    /// On a device, the copy is work of this instance. Between Views of the device, the function returns before the copy is done, as a
    /// launch does: later uses of the Views wait for it; other work does not. If the host reaches one of the Views, the function returns
    /// when the copy is done: the borrow of that View ends then, and host code reads and writes it without asking any device. That holds
    /// for page-locked and managed memory too. The function waits for the earlier uses of the device's View, but not for later work of the
    /// instances that used it. So a copy runs beside kernels that were launched before it on another instance, with other Views or with
    /// Views that both only read. A space of the host copies a View of a device as [`deep_copy`](crate::deep_copy()) does.
    ///
    /// # Errors
    /// [`ErrorKind::Extents`](crate::ErrorKind::Extents) if the extents differ; nothing is copied then. Any error that a device
    /// reports.
    ///
    /// # Complexity
    /// Work O(len), span O(len / threads); `size_bytes` bytes are read and as many written.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Left, Serial};
    /// let space = Serial::new();
    /// let a = space.view_from_fn("a", [2, 3], |[i, j]| 10 * i + j)?;
    /// let mut b = space.zeros_in::<usize, 2, _>(Left, "b", [2, 3])?;
    /// space.deep_copy(&mut b, &a)?;
    /// assert_eq!(b.as_slice(), Some(&[0, 10, 1, 11, 2, 12][..]));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    fn deep_copy<T, const R: usize, M1, M2, L1, L2>(
        &self,
        to: &mut impl WriteView<T, R, M1, L1>,
        from: &impl ReadView<T, R, M2, L2>,
    ) -> Result<()>
    where
        T: Element,
        M1: MemorySpace + CopyFrom<M2>,
        M2: MemorySpace,
        L1: Layout,
        L2: Layout,
    {
        copy_all(to.write(), from.read(), self.stream_of_copies())
    }

    /// Sets every element of `view` to `value`, with all threads of this space: Kokkos's `deep_copy` of a value with an execution
    /// space.
    ///
    /// The View may be in any memory, and have any layout. Few elements are written by the calling thread. On a device, the fill is work of
    /// this instance, and the function may return before it is done; later uses of the View wait for it.
    ///
    /// # Errors
    /// Any error that a device reports.
    ///
    /// # Complexity
    /// Work O(len), span O(len / threads); `size_bytes` bytes are written.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Serial, subview::All};
    /// let space = Serial::new();
    /// let mut v = space.zeros::<i32, 2>("v", [2, 2])?;
    /// space.fill(&mut v.subview_mut((All, 1)), 3)?;
    /// assert_eq!(v.to_vec(), [0, 3, 0, 3]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    fn fill<T, const R: usize, M, L>(&self, view: &mut impl WriteView<T, R, M, L>, value: T) -> Result<()>
    where
        T: Element,
        M: MemorySpace,
        L: Layout,
    {
        let view = view.write();
        let _fill = filling(&view.view(), false);
        M::fill_elements(view, value, self.stream_of_copies())
    }

    /// Memory for a View in this space, which [`parallel_fill`](crate::parallel_fill()) fills: Kokkos's
    /// `view_alloc(WithoutInitializing, label)`.
    ///
    /// # Errors
    /// As [`zeros`](Self::zeros).
    ///
    /// # Complexity
    /// O(1): writes nothing.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Serial, parallel_fill};
    /// let space = Serial::new();
    /// let table = space.uninit("table", [2, 3])?;
    /// let table = parallel_fill("add", space.md_range([0..2, 0..3]), table, (), |i, ()| i.get()[0] + i.get()[1])?;
    /// assert_eq!(table.to_vec(), [0, 1, 2, 1, 2, 3]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    fn uninit<T: Element, const R: usize>(
        &self,
        label: impl Into<String>,
        extents: [usize; R],
    ) -> Result<UninitView<T, R, Self::Memory>> {
        self.uninit_in(Right, label, extents)
    }

    /// [`uninit`](Self::uninit) with another layout.
    ///
    /// # Errors
    /// As [`zeros`](Self::zeros).
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Left, Serial, parallel_fill};
    /// let space = Serial::new();
    /// let table = space.uninit_in(Left, "table", [2, 2])?;
    /// let table = parallel_fill("number", space.md_range([0..2, 0..2]), table, (), |i, ()| i.get()[0])?;
    /// assert_eq!(table.as_slice(), Some(&[0, 1, 0, 1][..]));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    fn uninit_in<T: Element, const R: usize, L: Layout>(
        &self,
        layout: L,
        label: impl Into<String>,
        extents: [usize; R],
    ) -> Result<UninitView<T, R, Self::Memory, L>>;

    /// A View over memory that other code owns and frees: Kokkos's unmanaged View.
    ///
    /// It is a View like any other: `&mut` to it is exclusive, and launches that use it are ordered. Dropping it frees nothing; on a device,
    /// dropping it waits for the work that uses the memory. For a slice of the host, [`ViewRef::from_slice`](crate::ViewRef::from_slice) and
    /// [`ViewMut::from_slice`](crate::ViewMut::from_slice) do the same in safe code. For rows with padding, make a View of the padded rows
    /// and take a [`subview`](View::subview).
    ///
    /// # Errors
    /// [`ErrorKind::Layout`](crate::ErrorKind::Layout) if the pointer is null or not aligned,
    /// [`ErrorKind::Overflow`](crate::ErrorKind::Overflow) if the extents do not fit. A View without elements accepts any pointer.
    ///
    /// # Safety
    /// - `pointer` points to one element of `T` for each index, contiguous in the order of the layout (in [`Right`] the last index varies
    ///   fastest), in one allocation, and may be used to read and write all of them. On a host space, all threads may use the memory. On
    ///   a device, it is memory of the space's device, in its primary context, as `cudaMalloc` allocates it.
    /// - Every element is initialised and a valid value of `T`: any bits for numbers, but not for `bool`, `char` and enums.
    /// - Work that other code has started on the memory has ended, on devices too.
    /// - Until the View is dropped, the memory stays allocated, and no other code writes it. While the View is written, through `&mut`, no
    ///   other code reads it. Work of this View that is still pending counts as part of it: after a [`fence`](Self::fence) there is none.
    /// - If the View is never dropped ([`forget`](core::mem::forget)), these conditions hold forever.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Serial, parallel_for};
    /// let space = Serial::new();
    /// let mut foreign = vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    /// // SAFETY: six numbers in the order of `Right`, which nothing else uses until the View is dropped.
    /// let mut y = unsafe { space.unmanaged("y", [2, 3], foreign.as_mut_ptr())? };
    /// parallel_for("double", space.md_range([0..2, 0..3]), &mut y, |i, mut y| y[i] *= 2.0)?;
    /// drop(y);
    /// assert_eq!(foreign, [2.0, 4.0, 6.0, 8.0, 10.0, 12.0]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    unsafe fn unmanaged<T: Element, const R: usize>(
        &self,
        label: impl Into<String>,
        extents: [usize; R],
        pointer: *mut T,
    ) -> Result<View<T, R, Self::Memory>> {
        // SAFETY: `unmanaged_in` has this contract, for the layout `Right`.
        unsafe { self.unmanaged_in(Right, label, extents, pointer) }
    }

    /// [`unmanaged`](Self::unmanaged) with another layout.
    ///
    /// # Errors
    /// As [`unmanaged`](Self::unmanaged).
    ///
    /// # Safety
    /// As for [`unmanaged`](Self::unmanaged).
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Left, Serial};
    /// let mut columns = [1, 2, 3, 4];
    /// // SAFETY: four numbers in the order of `Left`, which nothing else uses until the View is dropped.
    /// let x = unsafe { Serial::new().unmanaged_in(Left, "x", [2, 2], columns.as_mut_ptr())? };
    /// assert_eq!(x[[0, 1]], 3);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    unsafe fn unmanaged_in<T: Element, const R: usize, L: Layout>(
        &self,
        layout: L,
        label: impl Into<String>,
        extents: [usize; R],
        pointer: *mut T,
    ) -> Result<View<T, R, Self::Memory, L>>;

    /// Waits until all launches on this space have finished. Launches on host spaces have finished when they return.
    ///
    /// # Errors
    /// The error of a pending launch.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Serial};
    /// let space = Serial::new();
    /// space.fence()?;
    /// assert_eq!(space.concurrency(), 1);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    fn fence(&self) -> Result<()> {
        let _begun = tools::is_heard().then(|| {
            let ((device, stream), space) = (self.device_and_stream(), self.name());
            tools::begin_fence(FenceEvent { label: "fence", space, device, stream })
        });
        self.wait()
    }

    /// The name: `Serial`, `Threads`, `Rayon` or `Cuda`. An [`AnyHost`](crate::AnyHost) has the name of the space that was chosen.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{AnyHost, ExecutionSpace, Serial};
    /// assert_eq!(Serial::new().name(), "Serial");
    /// assert_eq!(AnyHost::from(Serial::new()).name(), "Serial");
    /// ```
    fn name(&self) -> &'static str {
        self.space_name()
    }

    /// The space's configuration as text, line by line.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Serial};
    /// assert!(Serial::new().configuration().starts_with("Serial"));
    /// ```
    fn configuration(&self) -> String;

    /// Prints [`configuration`](Self::configuration) to standard output.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Serial};
    /// let space = Serial::new();
    /// space.print_configuration();
    /// assert!(!space.configuration().is_empty());
    /// ```
    fn print_configuration(&self) {
        println!("{}", self.configuration());
    }

    /// The number of threads that may run iterations at the same time.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Serial};
    /// assert_eq!(Serial::new().concurrency(), 1);
    /// ```
    fn concurrency(&self) -> usize {
        self.threads()
    }

    /// Parts of this space that run kernels at the same time, one for each weight: Kokkos's `partition_space`.
    ///
    /// Each part is a space of its own; results have the same bits on it as on the whole. Launches on a host return when they have
    /// finished, so that parts work at the same time if several threads of the program launch, each on its part.
    ///
    /// | space | parts |
    /// |---|---|
    /// | `Threads` | pools of their own, which divide the number of threads by weight, and the cores of pinned threads. The threads that launch on a part count among its threads |
    /// | [`Serial`](crate::Serial), `Rayon` | copies, regardless of the weights: a launch runs on its caller, or rayon distributes it over the pool |
    /// | `Cuda` | instances on the same device, each with its own stream, regardless of the weights |
    ///
    /// # Errors
    /// [`ErrorKind::Configuration`](crate::ErrorKind::Configuration) if there are no weights, a weight is 0, or there are fewer threads than
    /// parts; errors of the system or a driver that makes the threads or streams.
    ///
    /// # Complexity
    /// Starts threads, or makes streams: keep the parts.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Threads, parallel_for};
    /// let space = Threads::builder().num_threads(4).build()?;
    /// let [most, rest] = space.partition([3, 1])?;
    /// assert_eq!((most.concurrency(), rest.concurrency()), (3, 1));
    /// let mut x = space.zeros::<usize, 1>("x", [1000])?;
    /// let mut y = space.zeros::<usize, 1>("y", [1000])?;
    /// std::thread::scope(|scope| {
    ///     let other = scope.spawn(|| parallel_for("y", rest.range(0..1000), &mut y, |i, mut y| y[i] = i.get()));
    ///     parallel_for("x", most.range(0..1000), &mut x, |i, mut x| x[i] = i.get())?;
    ///     other.join().expect("no panic")
    /// })?;
    /// assert_eq!(x, y);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    fn partition<const K: usize>(&self, weights: [usize; K]) -> Result<[Self; K]> {
        let parts = self.partition_by(&weights)?.try_into();
        Ok(parts.unwrap_or_else(|_| unreachable!("a part for each weight")))
    }

    /// [`partition`](Self::partition) into a number of parts that is known at run time.
    ///
    /// # Errors
    /// As [`partition`](Self::partition).
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Threads};
    /// let space = Threads::builder().num_threads(2).build()?;
    /// assert_eq!(space.partition_by(&[1; 2])?.len(), 2);
    /// let error = space.partition_by(&[1; 3]).unwrap_err();
    /// assert!(error.to_string().contains("2 threads cannot be divided among 3 parts"));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    fn partition_by(&self, weights: &[usize]) -> Result<Vec<Self>>;

    /// A policy over the indices of `range`.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Serial};
    /// assert_eq!(Serial::new().range(2..10).len(), 8);
    /// ```
    fn range(&self, range: Range<usize>) -> RangePolicy<&Self> {
        RangePolicy::new(self, range)
    }

    /// The box of indices of `ranges`, of rank 1 to 8.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Serial};
    /// assert_eq!(Serial::new().md_range([0..3, 2..6]).extents(), [3, 4]);
    /// ```
    fn md_range<const R: usize>(&self, ranges: [Range<usize>; R]) -> MdRangePolicy<&Self, R> {
        MdRangePolicy::new(self, ranges)
    }

    /// A policy over the indices of `range`, which may begin below 0: the range of a View with an origin.
    ///
    /// The closure gets a [`SignedIdx`](crate::SignedIdx), which indexes the accessors of [`OffsetView`](crate::OffsetView)s. Other Views are read
    /// by number.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
    /// let space = Serial::new();
    /// let mut x = space.zeros::<isize, 1>("x", [5])?.with_origin([-2])?;
    /// parallel_for("number", space.signed_range(x.range()), &mut x, |i, mut x| x[i] = i.get())?;
    /// assert_eq!(x.as_view().to_vec(), [-2, -1, 0, 1, 2]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    fn signed_range(&self, range: Range<isize>) -> SignedPolicy<RangePolicy<&Self>, 1> {
        SignedPolicy::over_range(self, range)
    }

    /// The box of indices of `ranges`, which may begin below 0, of rank 1 to 8: the ranges of a View with an origin.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Serial};
    /// assert_eq!(Serial::new().signed_md_range([-1..3, 2..6]).len(), Some(16));
    /// ```
    fn signed_md_range<const R: usize>(
        &self,
        ranges: [Range<isize>; R],
    ) -> SignedPolicy<MdRangePolicy<&Self, R>, R> {
        SignedPolicy::over_box(self, ranges)
    }

    /// A league of `league` teams of `size` threads, or [`AUTO`](crate::AUTO).
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{AUTO, ExecutionSpace, Serial};
    /// assert_eq!(Serial::new().team(100, AUTO).league_size(), 100);
    /// ```
    fn team(&self, league: usize, size: impl Into<TeamSize>) -> TeamPolicy<&Self> {
        TeamPolicy::new(self, league, size)
    }
}
