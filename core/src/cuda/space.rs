//! The execution space.

use core::convert::Infallible;
use core::fmt;
use core::mem::MaybeUninit;
use core::ops::Range;
use core::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use spelt_access::{Element, Idx, KernelArgs, Layout};
use spelt_kernels_gpu::team::tuning;
use spelt_reducers::at_index::Extremes;
use spelt_reducers::{MapReducer, Reducer};

use super::context::{self, Context};
use super::memory::{CudaHostPinnedSpace, CudaManagedSpace, CudaSpace, DeviceBuffer, Source};
use super::patterns::league::shared_scratch;
use super::patterns::parallel_reduce::Cut;
use super::patterns::{
    Board, Workspace, parallel_for, parallel_reduce, parallel_scan, reduce_part, scan_part, team_scan, teams,
};
use super::stream::{Mark, Stream};
use super::times;
use super::{code, construct, driver};
use crate::Result;
use crate::launch::{
    Contribution, ExecutionSpace, Indices, IsLocation, Launches, Mapping, Outlet, PartState, Prepared,
    PreparedLeague, ScanPass, ScanState, SpaceFacts,
};
use crate::reach::Reach;
use crate::reach::sealed::Sealed;
use crate::spaces::partition;
use crate::team::Team;
use crate::view::{CopyStream, UninitView, View};

/// Runs kernels on a CUDA device, in the order in which they are launched.
///
/// A launch returns before its kernel has run. Later uses of the same Views wait automatically: a kernel on this or another
/// instance, a copy, a free. [`fence`](ExecutionSpace::fence) waits for everything, which is useful for measurements, and to
/// report errors where they happen. A launch with a View that the host can access ([`CudaHostPinnedSpace`],
/// [`CudaManagedSpace`]) returns only when its kernel has finished.
///
/// Closures run on the device only in programs built by `cargo spelt`; everything else works in any program.
///
/// # Errors
/// If a kernel panics, overflows or makes an invalid access, the first call that waits for it or comes after it returns an error
/// of the kind [`ErrorKind::Device`](crate::ErrorKind::Device). By CUDA's rules, nothing works on the device after that until
/// every space and View of the device is dropped; other spaces continue to work. A program that ends, or drops all of them,
/// without a [`fence`](ExecutionSpace::fence) does not see the last failures.
///
/// # Examples
/// ```no_run
/// use spelt_core::{Cuda, ExecutionSpace, deep_copy};
/// let space = Cuda::new(0)?;
/// let x = space.view_from_fn("x", [1 << 20], |[i]| i as f64)?;
/// let mut y = space.zeros::<f64, 1>("y", [1 << 20])?;
/// deep_copy(&mut y, &x)?;
/// assert_eq!(y.to_host()?[5], 5.0);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub struct Cuda {
    pub(super) stream: Arc<Stream>,
    pub(super) workspace: Mutex<Workspace>,
    pub(super) board: Mutex<Board>,
    /// The iterations of each thread of a range in `parallel_for`, if a test overrides the tuned number; otherwise 0.
    each: AtomicU32,
}

impl Cuda {
    /// A space on device `device`, counted from 0.
    ///
    /// # Errors
    /// [`ErrorKind::Driver`](crate::ErrorKind::Driver) if there is no driver, no such device, or the driver is too old;
    /// [`ErrorKind::Device`](crate::ErrorKind::Device) if something has failed on the device before.
    pub fn new(device: usize) -> Result<Self> {
        crate::environment::check()?;
        Ok(Self {
            stream: Stream::new(Context::of(device)?)?,
            workspace: Mutex::default(),
            board: Mutex::default(),
            each: AtomicU32::new(0),
        })
    }

    /// Another instance on the same device, whose kernels may run beside those of this one.
    ///
    /// Views do not belong to an instance: any instance may use any View, and instances wait for one another where necessary.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn instance(&self) -> Result<Self> {
        Ok(Self {
            stream: Stream::new(self.context().clone())?,
            workspace: Mutex::default(),
            board: Mutex::default(),
            each: AtomicU32::new(0),
        })
    }

    /// The number of the device.
    #[must_use]
    pub fn device(&self) -> usize {
        self.context().number()
    }

    /// The number of devices that the driver finds.
    ///
    /// # Errors
    /// [`ErrorKind::Driver`](crate::ErrorKind::Driver) if there is no driver, or the driver does not start.
    ///
    /// # Examples
    /// A process of several on one machine takes the device of its local rank:
    /// ```no_run
    /// use spelt_core::Cuda;
    /// # let local_rank = 3;
    /// let space = Cuda::new(local_rank % Cuda::count()?.max(1))?;
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn count() -> Result<usize> {
        context::devices()
    }

    /// A space on each device, in the order of their numbers.
    ///
    /// A kernel reaches the Views of its own device. [`deep_copy`](crate::deep_copy()) and [`to_space`](crate::View::to_space) copy Views from one
    /// device to another.
    ///
    /// # Errors
    /// As [`new`](Self::new). If there are no devices, the list is empty.
    ///
    /// # Examples
    /// ```no_run
    /// use spelt_core::{Cuda, ExecutionSpace};
    /// for (number, space) in Cuda::all()?.iter().enumerate() {
    ///     let x = space.view_from_fn("x", [1000], |[i]| (1000 * number + i) as f64)?;
    ///     assert_eq!((space.device(), x.to_host()?[1]), (number, (1000 * number + 1) as f64));
    /// }
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn all() -> Result<Vec<Self>> {
        (0..Self::count()?).map(Self::new).collect()
    }

    /// Whether this program has device code, which `cargo spelt` adds. Without it, closures cannot run on a device.
    #[must_use]
    pub fn has_device_code() -> bool {
        code::embedded_target().is_some()
    }

    /// The architecture and the PTX version of this program's device code, such as `sm_80` and `7.0`.
    #[doc(hidden)]
    #[must_use]
    pub fn device_code_target() -> Option<(String, String)> {
        code::embedded_target().map(|target| (target.arch, target.version))
    }

    /// Cuts reductions into blocks of `warps` warps that each run `steps` rows of tiles, for tests: the bits do not depend on it.
    #[doc(hidden)]
    pub fn cut_reductions(&self, warps: u32, steps: u32) {
        assert!(warps.is_power_of_two() && warps <= 32 && steps.is_power_of_two() && steps <= 1024);
        context::lock(&self.workspace).cut = Some((warps, steps));
    }

    /// Lets each thread of a `parallel_for` over a range run up to `each` iterations, for tests and benchmarks: 0 for the tuned number.
    #[doc(hidden)]
    pub fn run_iterations_each(&self, each: u32) {
        assert!(each <= 1024, "{each} iterations for each thread: at most 1024");
        self.each.store(each, Ordering::Relaxed);
    }

    /// The iterations of each thread of a `parallel_for` over `len` indices.
    pub(super) fn iterations_each(&self, len: usize) -> u32 {
        match self.each.load(Ordering::Relaxed) {
            0 => spelt_kernels_gpu::tuning::iterations_each(len, self.threads()),
            each => each,
        }
    }

    pub(super) fn context(&self) -> &Arc<Context> {
        self.stream.context()
    }

    /// Device memory for launches on this instance, with unspecified contents.
    pub(crate) fn scratch(&self, bytes: usize) -> Result<DeviceBuffer> {
        DeviceBuffer::new(&self.stream, bytes)
    }

    /// Copies values to `to`, for kernels to come.
    ///
    /// # Safety
    /// `to` is device memory that only this instance's launches use, with room for the values, whose type has no drop glue.
    pub(crate) unsafe fn copy_to_device<T>(&self, from: &[T], to: *mut T) -> Result<()> {
        self.context().bind()?;
        if size_of_val(from) == 0 {
            return Ok(());
        }
        let source = from.as_ptr().expose_provenance() as driver::Address;
        // SAFETY: both have these bytes; the driver has read the values, which are in pageable memory, when this returns.
        unsafe { driver::copy(to.addr() as driver::Address, source, size_of_val(from), self.stream.raw()) }
            .map_err(|fault| self.context().failed("copying values to the device", fault))
    }

    /// Copies the elements that earlier kernels have written to `from`, and returns when the copy is complete.
    ///
    /// # Safety
    /// `from` is device memory of this instance's launches, with `to.len()` elements that they have written.
    pub(crate) unsafe fn copy_to_host<T>(&self, from: *const T, to: &mut [MaybeUninit<T>]) -> Result<()> {
        self.context().bind()?;
        let target = to.as_mut_ptr().expose_provenance() as driver::Address;
        let bytes = size_of_val(to);
        if bytes != 0 {
            // SAFETY: both have these bytes, and `synchronize` below waits for the copy.
            unsafe { driver::copy(target, from.addr() as driver::Address, bytes, self.stream.raw()) }
                .map_err(|fault| self.context().failed("copying a result to the host", fault))?;
        }
        self.stream.synchronize()
    }
}

impl fmt::Debug for Cuda {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cuda {{ device: {}, stream: {} }}", self.device(), self.stream.number())
    }
}

impl Sealed for Cuda {}

impl SpaceFacts for Cuda {
    fn space_name(&self) -> &'static str {
        "Cuda"
    }
    fn device_and_stream(&self) -> (usize, u64) {
        (self.device(), self.stream.number())
    }
    fn wait(&self) -> Result<()> {
        let waited = self.stream.synchronize();
        times::tell();
        waited
    }
    fn threads(&self) -> usize {
        self.context().facts().multiprocessors * self.context().facts().threads_per_multiprocessor
    }
    fn max_team_threads(&self, vector: usize) -> usize {
        let lanes = u32::try_from(vector).ok().filter(|&lanes| lanes > 0);
        lanes.map_or(0, |lanes| tuning::max_threads(lanes) as usize)
    }
    fn recommended_team_threads(&self, league: usize, vector: usize, scratch: bool) -> usize {
        let lanes = u32::try_from(vector).unwrap_or(u32::MAX).max(1);
        tuning::threads(league, lanes, scratch, self.context().facts().for_teams()) as usize
    }
    fn shared_scratch(&self, teams: usize) -> usize {
        shared_scratch(self.context().facts().shared_bytes as usize, teams)
    }
    fn stream_of_copies(&self) -> Option<CopyStream<'_>> {
        Some(CopyStream::new(&self.stream))
    }
}

// SAFETY: the threads of a launch divide its iterations by number, each one once; a thread of a scan makes its two calls for an index one
// after the other. Later work on the arguments, and the release of their memory, is ordered after it by the stream.
unsafe impl Launches for Cuda {
    fn follow(&self, earlier: &Self) -> Result<()> {
        let ticket = earlier.stream.next_ticket() - 1;
        if ticket == 0 {
            return Ok(());
        }
        self.context().bind()?;
        let _order = self.context().order();
        self.stream.wait_for(&Mark { stream: earlier.stream.clone(), ticket })
    }

    fn run_for<I, A, F, const N: usize>(launch: Prepared<'_, A, I, N>, closure: F) -> Result<()>
    where
        I: Indices<N, Space = Self>,
        A: KernelArgs,
        F: for<'k> Fn(Idx<'k, N>, A::Access<'k>) + Sync,
    {
        parallel_for::run(launch, closure)
    }

    fn run_reduce<I, A, G, R, O, const N: usize>(
        launch: Prepared<'_, A, I, N>,
        body: G,
        reducer: R,
        outlet: O,
    ) -> Result<O::Returned>
    where
        I: Indices<N, Space = Self>,
        A: KernelArgs,
        G: Contribution<N, A, R>,
        R: Reducer + Sync,
        R::Value: Send,
        O: Outlet<R>,
    {
        parallel_reduce::run(launch, body, reducer, outlet, Cut::Tiles)
    }

    fn run_map_reduce<I, A, F, M, L, O, const N: usize>(
        launch: Prepared<'_, A, I, N>,
        map: Mapping<F, M, L>,
        reducer: M::Reducer,
        outlet: O,
    ) -> Result<O::Returned>
    where
        I: Indices<N, Space = Self>,
        A: KernelArgs,
        F: for<'k> Fn(Idx<'k, N>, A::Access<'k>) -> M::Item + Sync,
        M: MapReducer<L>,
        M::Reducer: Sync,
        <M::Reducer as Reducer>::Value: Send,
        L: IsLocation<N>,
        O: Outlet<M::Reducer>,
    {
        // Hosts search for extremes whose locations are indices as they run a `parallel_for`.
        let searches = const { <M::Extremes as Extremes<M::Item>>::NUMBER > 0 };
        parallel_reduce::run(
            launch,
            map,
            reducer,
            outlet,
            if searches { Cut::Iterations } else { Cut::Tiles },
        )
    }

    fn run_reduce_part<I, A, G, R, const N: usize>(
        launch: Prepared<'_, A, I, N>,
        iterations: Range<usize>,
        body: G,
        reducer: &R,
        part: &mut PartState<R::Value>,
    ) -> Result<()>
    where
        I: Indices<N, Space = Self>,
        A: KernelArgs,
        G: Contribution<N, A, R>,
        R: Reducer + Sync,
        R::Value: Send,
    {
        reduce_part::run(launch, iterations, body, reducer, part)
    }

    fn run_scan<I, A, F, R, O, const N: usize>(
        launch: Prepared<'_, A, I, N>,
        closure: F,
        reducer: R,
        outlet: O,
    ) -> Result<O::Returned>
    where
        I: Indices<N, Space = Self>,
        A: KernelArgs,
        F: for<'k> Fn(Idx<'k, N>, &mut R::Value, bool, A::Access<'k>) + Sync,
        R: Reducer + Sync,
        R::Value: Clone + Send,
        O: Outlet<R>,
    {
        parallel_scan::run(launch, closure, reducer, outlet)
    }

    fn run_scan_part<I, A, F, R, const N: usize>(
        launch: Prepared<'_, A, I, N>,
        iterations: Range<usize>,
        pass: ScanPass,
        closure: F,
        reducer: &R,
        part: &mut ScanState<R::Value>,
    ) -> Result<()>
    where
        I: Indices<N, Space = Self>,
        A: KernelArgs,
        F: for<'k> Fn(Idx<'k, N>, &mut R::Value, bool, A::Access<'k>) + Sync,
        R: Reducer + Sync,
        R::Value: Clone + Send,
    {
        scan_part::run(&launch, iterations, pass, closure, reducer, part)
    }

    fn run_for_teams<A, F, K>(launch: PreparedLeague<'_, A, Self, K>, closure: F) -> Result<()>
    where
        A: KernelArgs,
        F: for<'k> Fn(&mut Team<'k, Infallible, K>, A::Access<'k>) + Sync,
        K: Sync,
    {
        teams::run_for(launch, closure)
    }

    fn run_reduce_teams<A, F, R, O, K>(
        launch: PreparedLeague<'_, A, Self, K>,
        closure: F,
        reducer: R,
        outlet: O,
    ) -> Result<O::Returned>
    where
        A: KernelArgs,
        F: for<'k> Fn(&mut Team<'k, R::Value, K>, A::Access<'k>) + Sync,
        R: Reducer + Sync,
        R::Value: Send,
        O: Outlet<R>,
        K: Sync,
    {
        teams::run_reduce(launch, closure, reducer, outlet)
    }

    fn run_reduce_teams_part<A, F, R, K>(
        launch: PreparedLeague<'_, A, Self, K>,
        closure: F,
        reducer: &R,
        part: &mut PartState<R::Value>,
    ) -> Result<()>
    where
        A: KernelArgs,
        F: for<'k> Fn(&mut Team<'k, R::Value, K>, A::Access<'k>) + Sync,
        R: Reducer + Sync,
        R::Value: Send,
        K: Sync,
    {
        teams::run_reduce_part(launch, closure, reducer, part)
    }

    fn run_scan_teams<A, F, R, O, K>(
        launch: PreparedLeague<'_, A, Self, K>,
        closure: F,
        reducer: R,
        outlet: O,
    ) -> Result<O::Returned>
    where
        A: KernelArgs,
        F: for<'k> Fn(&mut Team<'k, Infallible, K>, &mut R::Value, bool, A::Access<'k>) + Sync,
        R: Reducer + Sync,
        R::Value: Clone + Send,
        O: Outlet<R>,
        K: Sync,
    {
        team_scan::run(launch, closure, reducer, outlet)
    }

    fn run_scan_teams_part<A, F, R, K>(
        launch: PreparedLeague<'_, A, Self, K>,
        pass: ScanPass,
        closure: F,
        reducer: &R,
        part: &mut ScanState<R::Value>,
    ) -> Result<()>
    where
        A: KernelArgs,
        F: for<'k> Fn(&mut Team<'k, Infallible, K>, &mut R::Value, bool, A::Access<'k>) + Sync,
        R: Reducer + Sync,
        R::Value: Clone + Send,
        K: Sync,
    {
        team_scan::run_part(launch, pass, closure, reducer, part)
    }
}

// SAFETY: kernels on a device reach the memory of devices; a launch checks that it is the same device.
unsafe impl Reach<CudaSpace> for Cuda {}
// SAFETY: every device reaches pinned memory, at the host's address.
unsafe impl Reach<CudaHostPinnedSpace> for Cuda {}
// SAFETY: every device reaches managed memory, at the host's address.
unsafe impl Reach<CudaManagedSpace> for Cuda {}

// SAFETY: its memory spaces are those that its kernels reach.
unsafe impl ExecutionSpace for Cuda {
    type Memory = CudaSpace;
    type Shared = CudaManagedSpace;
    type Pinned = CudaHostPinnedSpace;
    const IS_DEVICE: bool = true;

    fn zeros_in<T: Element, const R: usize, L: Layout>(
        &self,
        _layout: L,
        label: impl Into<String>,
        extents: [usize; R],
    ) -> Result<View<T, R, CudaSpace, L>> {
        construct::zeros(&self.stream, Source::Pool, label.into(), extents)
    }

    fn shared_zeros<T: Element, const R: usize>(
        &self,
        label: impl Into<String>,
        extents: [usize; R],
    ) -> Result<View<T, R, CudaManagedSpace>> {
        self.managed_zeros(label, extents)
    }

    fn pinned_zeros<T: Element, const R: usize>(
        &self,
        label: impl Into<String>,
        extents: [usize; R],
    ) -> Result<View<T, R, CudaHostPinnedSpace>> {
        Self::pinned_zeros(self, label, extents)
    }

    fn message_bytes(&self, len: usize) -> Result<View<u8, 1, CudaSpace>> {
        construct::zeros(&self.stream, Source::Plain, "message".to_owned(), [len])
    }

    /// The function is called on the host, in the order of the indices, and the elements are then copied to the device. So they
    /// have the same bits as on every other space, the function may capture anything, and no device code is needed. If that takes too
    /// long, fill a View of [`zeros`](ExecutionSpace::zeros) in a kernel.
    fn view_from_fn_in<T: Element, const R: usize, L: Layout>(
        &self,
        _layout: L,
        label: impl Into<String>,
        extents: [usize; R],
        f: impl Fn([usize; R]) -> T + Sync,
    ) -> Result<View<T, R, CudaSpace, L>> {
        construct::from_fn(self, label.into(), extents, f)
    }

    fn uninit_in<T: Element, const R: usize, L: Layout>(
        &self,
        _layout: L,
        label: impl Into<String>,
        extents: [usize; R],
    ) -> Result<UninitView<T, R, CudaSpace, L>> {
        // SAFETY: the `UninitView` lets nothing read the elements before they are written.
        Ok(UninitView::new(unsafe { construct::uninit(&self.stream, Source::Pool, label.into(), extents)? }))
    }

    unsafe fn unmanaged_in<T: Element, const R: usize, L: Layout>(
        &self,
        _layout: L,
        label: impl Into<String>,
        extents: [usize; R],
        pointer: *mut T,
    ) -> Result<View<T, R, CudaSpace, L>> {
        // SAFETY: `construct::unmanaged` has the contract of this function, for memory of the space's device.
        unsafe { construct::unmanaged(self, label.into(), extents, pointer) }
    }

    fn partition_by(&self, weights: &[usize]) -> Result<Vec<Self>> {
        partition::check(weights)?;
        weights.iter().map(|_| self.instance()).collect()
    }

    fn configuration(&self) -> String {
        let context = self.context();
        let facts = context.facts();
        let (major, minor) = facts.capability;
        let emulator = if facts.name.starts_with("cuda-emu") { ", which is the emulator" } else { "" };
        let code = match code::embedded_target() {
            Some(target) => format!("PTX {} for {}", target.version, target.arch),
            None => "none: built by plain cargo".to_owned(),
        };
        let stock = match context.bind().map(|()| context.stock().kernels()) {
            Ok(Ok(_)) => spelt_stock::MADE_BY,
            Ok(Err(why)) => why,
            Err(_) => "the device can no longer be used",
        };
        format!(
            "Cuda: device {} of {}, {}{emulator}\n  capability {major}.{minor}, {} multiprocessors, {} MiB of memory\n  \
             driver {}\n  device code: {code}\n  stock kernels: {stock}",
            context.number(),
            Self::count().unwrap_or(0),
            facts.name,
            facts.multiprocessors,
            facts.memory >> 20,
            driver::version_text(context.version()),
        )
    }
}
