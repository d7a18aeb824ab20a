//! The events that tools get.

use core::fmt;
use std::time::Instant;

use spelt_access::Description;

use super::share::Share;
use super::tune::Shape;

/// The pattern of a launch.
///
/// # Examples
/// ```
/// use spelt_core::tools::Pattern;
/// assert_eq!(Pattern::Reduce.name(), "reduce");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Pattern {
    /// `parallel_for` and `parallel_fill`.
    For,
    /// `parallel_reduce` and `parallel_map_reduce`, of all iterations or a part.
    Reduce,
    /// `parallel_scan`, of all iterations or a part.
    Scan,
}

impl Pattern {
    /// The name in tables: `for`, `reduce` or `scan`.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(spelt_core::tools::Pattern::For.name(), "for");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::For => "for",
            Self::Reduce => "reduce",
            Self::Scan => "scan",
        }
    }
}

/// The arguments of a launch.
///
/// # Safety
/// The descriptions are those of [`KernelArgs::describe`](spelt_access::KernelArgs::describe), of arguments that live and are borrowed
/// by the launch, or that of the View that the launch has alone for its result: tools read the Views through them.
pub(crate) unsafe trait Arguments: Sync {
    /// Calls `visit` with the description of each allocation that an argument points into.
    fn visit(&self, visit: &mut dyn FnMut(Description<'_>));
}

/// A launch.
///
/// # Examples
/// ```
/// use spelt_core::tools::{LaunchEvent, Tool};
/// struct Labels;
/// impl Tool for Labels {
///     fn begin_launch(&self, launch: &LaunchEvent<'_>) -> u64 {
///         println!("{} on {}: {} iterations", launch.label, launch.space, launch.iterations);
///         0
///     }
/// }
/// ```
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct LaunchEvent<'a> {
    /// The pattern.
    pub pattern: Pattern,
    /// The label.
    pub label: &'a str,
    /// The space's name.
    pub space: &'static str,
    /// The number of the device, 0 on a host.
    pub device: usize,
    /// The number of the stream on a device, from 1, and 0 on a host.
    pub stream: u64,
    /// Whether a device runs it: the end of the launch is then not that of its kernels, unless the tool
    /// [needs fences](super::Tool::needs_fences).
    pub is_device: bool,
    /// The number of threads of the host that may run iterations at the same time; 0 on a device.
    pub threads: usize,
    /// The number of iterations; of a part, those of the whole.
    pub iterations: usize,
    /// The size of the Views that the launch only reads, each counted once. Unit: bytes.
    ///
    /// A kernel that touches each element once moves that many; one that reads through an index, or only a part, moves fewer or more.
    pub read_bytes: u64,
    /// The size of the Views that the launch writes, each counted once. Unit: bytes.
    ///
    /// A View that is read and written moves them twice.
    pub written_bytes: u64,
    /// Its arguments.
    pub(crate) arguments: &'a dyn Arguments,
    /// The View that gets the result of a reduction or scan, if one does.
    pub(crate) result: Option<&'a dyn Arguments>,
    /// Of a scan, whether its reducer is exact.
    pub(crate) is_exact: bool,
    /// Whether the launch has ended, and that without an error.
    pub(crate) outcome: Option<bool>,
    /// Its shape, at the begin, if settings of it may be chosen.
    pub(crate) shape: Option<&'a Shape>,
    /// The shares of host threads, at the end.
    pub(crate) shares: &'a [Share],
}

impl LaunchEvent<'_> {
    /// The shares of the host's threads, at the end of the launch, if a tool [needs them](super::Tool::needs_shares).
    ///
    /// Empty at the begin, on a device, and for a launch that ran on its caller alone.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::tools::LaunchEvent;
    /// fn units(launch: &LaunchEvent<'_>) -> u64 {
    ///     launch.shares().iter().map(|share| share.units).sum()
    /// }
    /// ```
    #[must_use]
    pub fn shares(&self) -> &[Share] {
        self.shares
    }

    /// Calls `visit` for each View among the arguments, in their order, and then for the one that gets the result, if one does.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::tools::{LaunchEvent, Tool};
    /// struct Written;
    /// impl Tool for Written {
    ///     fn end_launch(&self, launch: &LaunchEvent<'_>, _: u64) {
    ///         launch.for_each_view(|view| {
    ///             if view.is_written {
    ///                 println!("`{}` has written `{}`", launch.label, view.label);
    ///             }
    ///         });
    ///     }
    /// }
    /// ```
    pub fn for_each_view(&self, mut visit: impl FnMut(&LaunchView<'_>)) {
        let visit = &mut |argument: Description<'_>| {
            if argument.address != 0 {
                let (label, adapter, address) = (argument.label, argument.adapter, argument.address);
                let bytes = argument.size_bytes();
                let (is_written, outcome) = (argument.writes, self.outcome);
                visit(&LaunchView {
                    label,
                    adapter,
                    address,
                    bytes,
                    is_written,
                    description: argument,
                    outcome,
                });
            }
        };
        self.arguments.visit(visit);
        if let Some(result) = self.result {
            result.visit(visit);
        }
    }
}

impl fmt::Debug for LaunchEvent<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LaunchEvent")
            .field("pattern", &self.pattern)
            .field("label", &self.label)
            .field("space", &self.space)
            .field("device", &self.device)
            .field("stream", &self.stream)
            .field("is_device", &self.is_device)
            .field("threads", &self.threads)
            .field("iterations", &self.iterations)
            .field("read_bytes", &self.read_bytes)
            .field("written_bytes", &self.written_bytes)
            .finish_non_exhaustive()
    }
}

/// A View that a launch names among its arguments.
///
/// # Examples
/// ```
/// use spelt_core::tools::LaunchView;
/// fn in_words(view: &LaunchView<'_>) -> String {
///     format!("`{}`{} of {} bytes", view.label, view.adapter, view.bytes)
/// }
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct LaunchView<'a> {
    /// The label of the View.
    pub label: &'a str,
    /// The adapter, as in the program, or an empty string.
    pub adapter: &'static str,
    /// The address of the first element.
    pub address: usize,
    /// The size of its elements. Unit: bytes.
    pub bytes: u64,
    /// Whether the launch changes it.
    pub is_written: bool,
    pub(super) description: Description<'a>,
    pub(super) outcome: Option<bool>,
}

/// Work of a device, after it has ended: a kernel, by the device's own clock.
///
/// A launch may have several: each has its label.
///
/// # Examples
/// ```
/// use spelt_core::tools::{DeviceWorkEvent, Tool};
/// struct Kernels;
/// impl Tool for Kernels {
///     fn needs_device_times(&self) -> bool {
///         true
///     }
///     fn device_work(&self, work: &DeviceWorkEvent<'_>) {
///         println!("`{}` took {:?} on device {}", work.label, work.end - work.begin, work.device);
///     }
/// }
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct DeviceWorkEvent<'a> {
    /// The label of the launch.
    pub label: &'a str,
    /// The number of the device.
    pub device: usize,
    /// The number of the stream, from 1, in the order in which the program has made them.
    pub stream: u64,
    /// The begin. The device's clock is compared with the host's once, to some microseconds.
    pub begin: Instant,
    /// The end.
    pub end: Instant,
    /// The size of the Views that the work reads or writes, each counted once. Unit: bytes.
    pub bytes: u64,
}

/// A copy between Views.
///
/// # Examples
/// ```
/// use spelt_core::tools::{CopyEvent, Tool};
/// struct Copies;
/// impl Tool for Copies {
///     fn begin_copy(&self, copy: &CopyEvent<'_>) -> u64 {
///         println!("`{}` to `{}`, {} bytes", copy.from_label, copy.to_label, copy.bytes);
///         0
///     }
/// }
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct CopyEvent<'a> {
    /// The label of the View that is written.
    pub to_label: &'a str,
    /// The name of its memory space.
    pub to_memory: &'static str,
    /// The address of its first element.
    pub to_address: usize,
    /// The label of the View that is read.
    pub from_label: &'a str,
    /// The name of its memory space.
    pub from_memory: &'static str,
    /// The address of its first element.
    pub from_address: usize,
    /// The size of the elements that are copied. Unit: bytes.
    pub bytes: u64,
}

/// Memory of a View, where it is allocated or freed.
///
/// # Examples
/// ```
/// use spelt_core::tools::{AllocationEvent, Tool};
/// struct Memory;
/// impl Tool for Memory {
///     fn allocate(&self, memory: &AllocationEvent<'_>) {
///         println!("`{}` takes {} bytes of {}", memory.label, memory.bytes, memory.memory);
///     }
/// }
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct AllocationEvent<'a> {
    /// The label under which the View was allocated.
    pub label: &'a str,
    /// The name of the memory space.
    pub memory: &'static str,
    /// The address of the first element, on the device where that has its own memory.
    pub address: usize,
    /// The size of the elements. Unit: bytes.
    pub bytes: u64,
}

/// Elements that are all written by a construction (`zeros`, `from_fn`) or a fill.
///
/// # Examples
/// ```
/// use spelt_core::tools::{FillEvent, Tool};
/// struct Fills;
/// impl Tool for Fills {
///     fn begin_fill(&self, fill: &FillEvent<'_>) -> u64 {
///         println!("`{}` in {}: {} bytes", fill.label, fill.memory, fill.bytes);
///         0
///     }
/// }
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct FillEvent<'a> {
    /// The label of the View.
    pub label: &'a str,
    /// The name of its memory space.
    pub memory: &'static str,
    /// The address of the first element.
    pub address: usize,
    /// The size of the elements. Unit: bytes.
    pub bytes: u64,
    /// Whether the View is new: then this is its initialisation.
    pub is_new: bool,
}

/// A wait for the launches of a space: `space.fence()`.
///
/// # Examples
/// ```
/// use spelt_core::tools::{FenceEvent, Tool};
/// struct Fences;
/// impl Tool for Fences {
///     fn begin_fence(&self, fence: &FenceEvent<'_>) -> u64 {
///         println!("fence of {}", fence.space);
///         0
///     }
/// }
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct FenceEvent<'a> {
    /// The name of the fence.
    pub label: &'a str,
    /// The space's name.
    pub space: &'static str,
    /// The number of the device, 0 on a host.
    pub device: usize,
    /// The number of the stream on a device, from 1, and 0 on a host.
    pub stream: u64,
}

/// A collective or an exchange of rows between ranks.
///
/// # Examples
/// ```
/// use spelt_core::tools::{ExchangeEvent, Tool};
/// struct Exchanges;
/// impl Tool for Exchanges {
///     fn begin_exchange(&self, exchange: &ExchangeEvent<'_>) -> u64 {
///         println!("{} `{}` on rank {}", exchange.kind, exchange.label, exchange.rank);
///         0
///     }
/// }
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ExchangeEvent<'a> {
    /// Its kind, such as `broadcast` or `halo`.
    pub kind: &'static str,
    /// The label of the call or launch.
    pub label: &'a str,
    /// The rank that calls it.
    pub rank: usize,
    /// The number of ranks.
    pub ranks: usize,
}
