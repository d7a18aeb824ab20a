//! `SPELT_TOOLS=log`: a line for each event, before it happens.

use std::sync::atomic::{AtomicU64, Ordering};

use super::tool::{CopyEvent, LaunchEvent, Tool};

/// Writes a line to standard error for each launch, copy, region and mark, before it happens: the last line names the launch that hangs.
#[derive(Debug, Default)]
pub(super) struct Log {
    launches: AtomicU64,
}

impl Tool for Log {
    fn begin_launch(&self, launch: &LaunchEvent<'_>) -> u64 {
        let number = self.launches.fetch_add(1, Ordering::Relaxed) + 1;
        let LaunchEvent { pattern, label, space, iterations, read_bytes, written_bytes } = launch;
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

    fn begin_copy(&self, copy: &CopyEvent<'_>) -> u64 {
        let CopyEvent { to_label, to_memory, from_label, from_memory, bytes } = copy;
        eprintln!("spelt: copy `{from_label}` ({from_memory}) to `{to_label}` ({to_memory}), {bytes} bytes");
        0
    }

    fn enter_region(&self, name: &str) -> u64 {
        eprintln!("spelt: region `{name}` begins");
        0
    }

    fn leave_region(&self, name: &str, _id: u64) {
        eprintln!("spelt: region `{name}` ends");
    }

    fn mark(&self, name: &str) {
        eprintln!("spelt: mark `{name}`");
    }
}
