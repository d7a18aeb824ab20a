//! A tool that keeps events as lines.

use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};

use spelt_core::tools::{self, AllocationEvent, CopyEvent, FenceEvent, FillEvent, LaunchEvent, Tool};

/// Keeps the events of one thread, as lines.
#[derive(Clone)]
pub(crate) struct Lines {
    thread: ThreadId,
    lines: Arc<Mutex<Vec<String>>>,
}

impl Lines {
    pub(crate) fn installed() -> Self {
        let lines = Self { thread: thread::current().id(), lines: Arc::default() };
        tools::install("lines", lines.clone());
        lines
    }

    pub(crate) fn add(&self, line: String) -> u64 {
        if thread::current().id() != self.thread {
            return 0;
        }
        let mut lines = self.lines.lock().expect("no panic");
        lines.push(line);
        lines.len() as u64
    }

    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.lines.lock().expect("no panic"))
    }
}

impl Tool for Lines {
    fn begin_launch(&self, launch: &LaunchEvent<'_>) -> u64 {
        let LaunchEvent { pattern, label, space, iterations, read_bytes, written_bytes, .. } = launch;
        self.add(format!("{} {label} {space} {iterations} {read_bytes} {written_bytes}", pattern.name()))
    }
    fn end_launch(&self, launch: &LaunchEvent<'_>, id: u64) {
        self.add(format!("end {} of line {id}", launch.label));
    }
    fn begin_copy(&self, copy: &CopyEvent<'_>) -> u64 {
        let CopyEvent { to_label, to_memory, from_label, from_memory, bytes, .. } = copy;
        self.add(format!("copy {from_label} {from_memory} {to_label} {to_memory} {bytes}"))
    }
    fn end_copy(&self, copy: &CopyEvent<'_>, id: u64) {
        self.add(format!("end copy {} of line {id}", copy.to_label));
    }
    fn enter_region(&self, name: &str) -> u64 {
        self.add(format!("enter {name}"))
    }
    fn leave_region(&self, name: &str, id: u64) {
        self.add(format!("leave {name} of line {id}"));
    }
    fn allocate(&self, allocation: &AllocationEvent<'_>) {
        let AllocationEvent { label, memory, bytes, address, .. } = allocation;
        assert!(*address != 0, "an address");
        self.add(format!("allocate {label} {memory} {bytes}"));
    }
    fn release(&self, allocation: &AllocationEvent<'_>) {
        let AllocationEvent { label, memory, bytes, .. } = allocation;
        self.add(format!("release {label} {memory} {bytes}"));
    }
    fn begin_fill(&self, fill: &FillEvent<'_>) -> u64 {
        let FillEvent { label, memory, bytes, is_new, .. } = fill;
        let kind = if *is_new { "initialise" } else { "fill" };
        self.add(format!("{kind} {label} {memory} {bytes}"))
    }
    fn end_fill(&self, fill: &FillEvent<'_>, id: u64) {
        self.add(format!("end fill {} of line {id}", fill.label));
    }
    fn begin_fence(&self, fence: &FenceEvent<'_>) -> u64 {
        self.add(format!("{} {}", fence.label, fence.space))
    }
    fn end_fence(&self, fence: &FenceEvent<'_>, id: u64) {
        self.add(format!("end {} of line {id}", fence.label));
    }
    fn metadata(&self, key: &str, value: &str) {
        self.add(format!("{key} is {value}"));
    }
    fn mark(&self, name: &str) {
        self.add(format!("mark {name}"));
    }
}
