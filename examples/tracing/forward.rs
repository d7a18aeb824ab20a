//! Spelt's events as spans and events of the crate `tracing`.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use spelt::tools::{AllocationEvent, CopyEvent, ExchangeEvent, FenceEvent, FillEvent, LaunchEvent, Tool};
use tracing::{Span, debug, info, info_span};

/// Launches, regions, fences and exchanges become spans, which lie in one another as they run; the others become events in the span around
/// them.
#[derive(Debug, Default)]
pub(crate) struct Forward {
    /// The spans that have begun, by the numbers that Spelt gives back at their ends.
    open: Mutex<HashMap<u64, Span>>,
    begun: AtomicU64,
}

impl Forward {
    fn open(&self) -> MutexGuard<'_, HashMap<u64, Span>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Enters the span. A guard as of `Span::enter` would have to be kept on this thread until the end.
    fn enter(&self, span: Span) -> u64 {
        span.with_subscriber(|(id, subscriber)| subscriber.enter(id));
        let number = self.begun.fetch_add(1, Ordering::Relaxed);
        self.open().insert(number, span);
        number
    }

    /// Leaves the span, which ends where it is dropped.
    fn leave(&self, number: u64) {
        let span = self.open().remove(&number);
        if let Some(span) = span {
            span.with_subscriber(|(id, subscriber)| subscriber.exit(id));
        }
    }
}

impl Tool for Forward {
    fn begin_launch(&self, launch: &LaunchEvent<'_>) -> u64 {
        let LaunchEvent { pattern, label, space, iterations, read_bytes, written_bytes, .. } = *launch;
        let pattern = pattern.name();
        self.enter(info_span!("launch", pattern, label, space, iterations, read_bytes, written_bytes))
    }

    fn end_launch(&self, _launch: &LaunchEvent<'_>, number: u64) {
        self.leave(number);
    }

    fn enter_region(&self, name: &str) -> u64 {
        self.enter(info_span!("region", name))
    }

    fn leave_region(&self, _name: &str, number: u64) {
        self.leave(number);
    }

    fn begin_fence(&self, fence: &FenceEvent<'_>) -> u64 {
        let FenceEvent { label, space, .. } = *fence;
        self.enter(info_span!("fence", label, space))
    }

    fn end_fence(&self, _fence: &FenceEvent<'_>, number: u64) {
        self.leave(number);
    }

    fn begin_exchange(&self, exchange: &ExchangeEvent<'_>) -> u64 {
        let ExchangeEvent { kind, label, rank, ranks, .. } = *exchange;
        self.enter(info_span!("exchange", kind, label, rank, ranks))
    }

    fn end_exchange(&self, _exchange: &ExchangeEvent<'_>, number: u64) {
        self.leave(number);
    }

    fn begin_copy(&self, copy: &CopyEvent<'_>) -> u64 {
        let CopyEvent { to_label, to_memory, from_label, from_memory, bytes, .. } = *copy;
        info!(from_label, from_memory, to_label, to_memory, bytes, "copy");
        0
    }

    fn begin_fill(&self, fill: &FillEvent<'_>) -> u64 {
        let FillEvent { label, memory, bytes, is_new, .. } = *fill;
        debug!(label, memory, bytes, is_new, "fill");
        0
    }

    fn allocate(&self, allocation: &AllocationEvent<'_>) {
        let AllocationEvent { label, memory, bytes, .. } = *allocation;
        debug!(label, memory, bytes, "allocate");
    }

    fn release(&self, allocation: &AllocationEvent<'_>) {
        let AllocationEvent { label, memory, bytes, .. } = *allocation;
        debug!(label, memory, bytes, "release");
    }

    fn mark(&self, name: &str) {
        info!(name, "mark");
    }

    fn metadata(&self, key: &str, value: &str) {
        info!(key, value, "metadata");
    }
}
