//! `SPELT_TOOLS=log`: a line for each event, before it happens.

use std::sync::atomic::{AtomicU64, Ordering};

use super::event::{AllocationEvent, CopyEvent, ExchangeEvent, FenceEvent, FillEvent, LaunchEvent};
use super::mirror::MirrorEvent;
use super::tool::Tool;

/// Writes a line to standard error for each event, before it happens: the last line names the launch that hangs.
#[derive(Debug, Default)]
pub(super) struct Log {
    launches: AtomicU64,
}

impl Tool for Log {
    fn begin_launch(&self, launch: &LaunchEvent<'_>) -> u64 {
        let number = self.launches.fetch_add(1, Ordering::Relaxed) + 1;
        let LaunchEvent { pattern, label, space, iterations, read_bytes, written_bytes, .. } = launch;
        let pattern = pattern.name();
        eprintln!(
            "spelt: launch {number}: {pattern} `{label}` on {space}, {iterations} iterations, reads {read_bytes} bytes, writes \
             {written_bytes} bytes"
        );
        number
    }

    fn end_launch(&self, launch: &LaunchEvent<'_>, id: u64) {
        eprintln!("spelt: launch {id}: `{}` has ended", launch.label);
    }

    /// The launch that hangs on a device is then the last one that is named.
    fn needs_fences(&self) -> bool {
        true
    }

    fn begin_copy(&self, copy: &CopyEvent<'_>) -> u64 {
        let CopyEvent { to_label, to_memory, from_label, from_memory, bytes, .. } = copy;
        eprintln!("spelt: copy `{from_label}` ({from_memory}) to `{to_label}` ({to_memory}), {bytes} bytes");
        0
    }

    fn allocate(&self, allocation: &AllocationEvent<'_>) {
        let AllocationEvent { label, memory, bytes, .. } = allocation;
        eprintln!("spelt: `{label}` takes {bytes} bytes of {memory}");
    }

    fn release(&self, allocation: &AllocationEvent<'_>) {
        let AllocationEvent { label, memory, bytes, .. } = allocation;
        eprintln!("spelt: `{label}` gives back {bytes} bytes of {memory}");
    }

    fn begin_fill(&self, fill: &FillEvent<'_>) -> u64 {
        let FillEvent { label, memory, bytes, is_new, .. } = fill;
        let purpose = if *is_new { "initialise" } else { "fill" };
        eprintln!("spelt: {purpose} `{label}` in {memory}, {bytes} bytes");
        0
    }

    fn begin_fence(&self, fence: &FenceEvent<'_>) -> u64 {
        eprintln!("spelt: {} begins", fence_name(fence));
        0
    }

    fn end_fence(&self, fence: &FenceEvent<'_>, _id: u64) {
        eprintln!("spelt: {} ends", fence_name(fence));
    }

    fn begin_exchange(&self, exchange: &ExchangeEvent<'_>) -> u64 {
        let ExchangeEvent { kind, label, rank, ranks } = exchange;
        eprintln!("spelt: rank {rank} of {ranks}: {kind} `{label}` begins");
        0
    }

    fn end_exchange(&self, exchange: &ExchangeEvent<'_>, _id: u64) {
        let ExchangeEvent { kind, label, rank, ranks } = exchange;
        eprintln!("spelt: rank {rank} of {ranks}: {kind} `{label}` ends");
    }

    fn synced(&self, side: &MirrorEvent<'_>) {
        eprintln!("spelt: `{}` is up to date in {}", side.label, side.memory);
    }

    fn modified(&self, side: &MirrorEvent<'_>) {
        eprintln!("spelt: `{}` is borrowed to be changed in {}", side.label, side.memory);
    }

    fn metadata(&self, key: &str, value: &str) {
        eprintln!("spelt: metadata `{key}` is `{value}`");
    }

    fn enter_region(&self, name: &str) -> u64 {
        eprintln!("spelt: region `{name}` begins");
        0
    }

    fn leave_region(&self, name: &str, _id: u64) {
        eprintln!("spelt: region `{name}` ends");
    }

    fn start_section(&self, name: &str, _id: u64) {
        eprintln!("spelt: section `{name}` starts");
    }

    fn stop_section(&self, name: &str, _id: u64) {
        eprintln!("spelt: section `{name}` stops");
    }

    fn mark(&self, name: &str) {
        eprintln!("spelt: mark `{name}`");
    }
}

/// A fence in words; one without a label has that of the pattern.
fn fence_name(fence: &FenceEvent<'_>) -> String {
    match fence.label {
        "fence" => format!("fence of {}", fence.space),
        label => format!("fence `{label}` of {}", fence.space),
    }
}
