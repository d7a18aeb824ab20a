//! [`Tool`]: the trait of all tools.

use super::event::{
    AllocationEvent, CopyEvent, DeviceWorkEvent, ExchangeEvent, FenceEvent, FillEvent, LaunchEvent,
};
use super::mirror::MirrorEvent;

/// A tool that listens to a program's launches, memory, copies and regions: see [`install`](super::install).
///
/// All methods have a default that does nothing. They may be called by several threads at once. Each `begin_..` returns a number, which
/// the tool gets back at the end. A begin always has its end, on the same thread, also where a kernel panics or a launch fails; ends come
/// in reverse order of their begins, but for regions whose guards are dropped in another order.
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

    /// A device has finished work of a launch, some time ago: told on any thread, for tools that [ask for
    /// it](Self::needs_device_times).
    fn device_work(&self, work: &DeviceWorkEvent<'_>) {
        let _ = work;
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

    /// Memory of a View has been allocated.
    fn allocate(&self, allocation: &AllocationEvent<'_>) {
        let _ = allocation;
    }

    /// Memory of a View is about to be freed, or leaves it for a `Vec`.
    fn release(&self, allocation: &AllocationEvent<'_>) {
        let _ = allocation;
    }

    /// A View is about to be filled.
    fn begin_fill(&self, fill: &FillEvent<'_>) -> u64 {
        let _ = fill;
        0
    }

    /// A View has been filled. On a device the work may still run.
    fn end_fill(&self, fill: &FillEvent<'_>, id: u64) {
        let _ = (fill, id);
    }

    /// The program waits for a space.
    fn begin_fence(&self, fence: &FenceEvent<'_>) -> u64 {
        let _ = fence;
        0
    }

    /// The wait is over.
    fn end_fence(&self, fence: &FenceEvent<'_>, id: u64) {
        let _ = (fence, id);
    }

    /// A collective or exchange between ranks begins. Its launches are told as well.
    fn begin_exchange(&self, exchange: &ExchangeEvent<'_>) -> u64 {
        let _ = exchange;
        0
    }

    /// A collective or exchange has ended.
    fn end_exchange(&self, exchange: &ExchangeEvent<'_>, id: u64) {
        let _ = (exchange, id);
    }

    /// A side of a `Mirrored` has been brought up to date, by a copy that has been told before.
    fn synced(&self, side: &MirrorEvent<'_>) {
        let _ = side;
    }

    /// A side of a `Mirrored` is borrowed to be changed: it is the newer one from now on.
    fn modified(&self, side: &MirrorEvent<'_>) {
        let _ = side;
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

    /// A [section](super::section) is created. The number that this returns is given to the other three.
    fn create_section(&self, name: &str) -> u64 {
        let _ = name;
        0
    }

    /// A section starts; others may be running.
    fn start_section(&self, name: &str, id: u64) {
        let _ = (name, id);
    }

    /// A section stops.
    fn stop_section(&self, name: &str, id: u64) {
        let _ = (name, id);
    }

    /// A section is no longer used.
    fn destroy_section(&self, name: &str, id: u64) {
        let _ = (name, id);
    }

    /// A point in time that the program marks.
    fn mark(&self, name: &str) {
        let _ = name;
    }

    /// A fact about the program's run, such as its input.
    fn metadata(&self, key: &str, value: &str) {
        let _ = (key, value);
    }

    /// Whether a device finishes its work before each begin and end of a launch, so that the time between is the kernel's.
    ///
    /// Asked once, when the tool is installed.
    fn needs_fences(&self) -> bool {
        false
    }

    /// Whether host threads note their [shares](super::Share) of each launch, which its end then has.
    ///
    /// Asked once, when the tool is installed.
    fn needs_shares(&self) -> bool {
        false
    }

    /// Whether these must be the shares of all launches. A tool that takes means may say no: it gets those of the first 64 launches of each
    /// thread and of one in 32 later ones, for a 32nd of the time.
    ///
    /// Asked once, when the tool is installed, if it needs shares.
    fn needs_all_shares(&self) -> bool {
        true
    }

    /// Whether devices measure their work, by events on their streams: nothing waits for it.
    ///
    /// Asked once, when the tool is installed.
    fn needs_device_times(&self) -> bool {
        false
    }

    /// The program ends, or calls `std::process::exit`. Not called where it aborts.
    fn finish(&self) {}
}
