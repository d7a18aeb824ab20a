//! [`Tool`], and the events that it gets.

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
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct LaunchEvent<'a> {
    /// The pattern.
    pub pattern: Pattern,
    /// The label.
    pub label: &'a str,
    /// The space's name.
    pub space: &'static str,
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
    /// The label of the View that is read.
    pub from_label: &'a str,
    /// The name of its memory space.
    pub from_memory: &'static str,
    /// The size of the elements that are copied. Unit: bytes.
    pub bytes: u64,
}

/// A tool that listens to a program's launches, copies and regions: see [`install`](super::install).
///
/// All methods have a default that does nothing. They may be called by several threads at once. Each `begin_..` returns a number, which
/// the tool gets back at the end. A begin always has its end, on the same thread, also where a kernel panics or a launch fails; ends come
/// in reverse order of their begins.
///
/// A tool may launch and copy itself: that makes no events. If a method panics, the tool is named on standard error and not called any
/// more; the program continues.
///
/// # Examples
/// ```
/// use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
/// use spelt_core::{ExecutionSpace, Serial, parallel_for, tools};
///
/// static LAUNCHES: AtomicU64 = AtomicU64::new(0);
/// struct Count;
/// impl tools::Tool for Count {
///     fn begin_launch(&self, _: &tools::LaunchEvent<'_>) -> u64 {
///         LAUNCHES.fetch_add(1, Relaxed)
///     }
/// }
///
/// tools::install("count", Count);
/// parallel_for("nothing", Serial::new().range(0..3), (), |_, ()| {})?;
/// assert_eq!(LAUNCHES.load(Relaxed), 1);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub trait Tool: Send + Sync + 'static {
    /// A launch begins: its arguments have been checked, no iteration has run.
    fn begin_launch(&self, launch: &LaunchEvent<'_>) -> u64 {
        let _ = launch;
        0
    }

    /// A launch has ended. On a device its kernels may still run, unless the tool [needs fences](Self::needs_fences).
    fn end_launch(&self, launch: &LaunchEvent<'_>, id: u64) {
        let _ = (launch, id);
    }

    /// A copy begins.
    fn begin_copy(&self, copy: &CopyEvent<'_>) -> u64 {
        let _ = copy;
        0
    }

    /// A copy has ended.
    fn end_copy(&self, copy: &CopyEvent<'_>, id: u64) {
        let _ = (copy, id);
    }

    /// A region begins.
    fn enter_region(&self, name: &str) -> u64 {
        let _ = name;
        0
    }

    /// A region has ended.
    fn leave_region(&self, name: &str, id: u64) {
        let _ = (name, id);
    }

    /// A point in time that the program marks.
    fn mark(&self, name: &str) {
        let _ = name;
    }

    /// Whether a device finishes its work before each begin and end of a launch, so that the time between is the kernel's.
    ///
    /// Asked once, when the tool is installed.
    fn needs_fences(&self) -> bool {
        false
    }

    /// The program ends, or calls `std::process::exit`. Not called where it aborts.
    fn finish(&self) {}
}
