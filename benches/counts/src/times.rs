//! Times of launches on a GPU, and of copies of the same size in the same run.
//!
//! A turn is a batch of launches with a fence after it, long enough that the fence's own time is lost in it; kernel and copy
//! take turns, so that a disturbance affects both. The time of the host is that of the calls only, into a stream that
//! is idle and with room for all of them.

use std::time::{Duration, Instant};

use spelt::prelude::*;
use spelt_harness::statistics::Spread;

use super::kernels::{Kernel, Setup};

/// The desired time of a batch. A fence takes some ten microseconds, half a percent of it.
const BATCH: Duration = Duration::from_millis(2);

/// The most launches of a batch.
const MAX_LAUNCHES: u32 = 10_000;

/// The most launches whose calls are timed. A device takes about a thousand before the host has to wait.
const CALLS: u32 = 100;

/// The most batches that these are: long launches have fewer.
const CALL_BATCHES: u32 = 10;

/// The times of a kernel's launches.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// Its name in tables.
    pub name: &'static str,
    /// Iterations.
    pub elements: usize,
    /// Bytes that it must read and write at least.
    pub bytes: usize,
    /// Of one launch, in a batch. Unit: seconds.
    pub launch: Spread,
    /// Of one copy on the device that reads and writes as many bytes, in a batch. Unit: seconds.
    pub copy: Spread,
    /// The copy's time over the launch's, turn by turn.
    pub ratio: Spread,
    /// Of one launch and a fence after it. Unit: seconds.
    pub alone: Spread,
    /// Of one call on the host. Unit: seconds.
    pub call: Spread,
}

/// The time of one of `launches` calls and, if it `waits`, of their work.
fn batch(
    space: &Cuda,
    launches: u32,
    waits: bool,
    mut launch: impl FnMut() -> spelt::Result<()>,
) -> spelt::Result<f64> {
    let start = Instant::now();
    for _ in 0..launches {
        launch()?;
    }
    let called = start.elapsed();
    space.fence()?;
    let time = if waits { start.elapsed() } else { called };
    Ok(time.as_secs_f64() / f64::from(launches))
}

/// Launches that take as long as a batch should.
fn launches(one: f64) -> u32 {
    (BATCH.as_secs_f64() / one.max(1e-9)).ceil().clamp(1.0, f64::from(MAX_LAUNCHES)) as u32
}

/// Times a kernel over `n` elements in `rounds` turns.
///
/// # Errors
/// The failure.
pub fn time(space: &Cuda, setup: Setup<Cuda>, n: usize, rounds: usize) -> spelt::Result<Times> {
    let mut kernel: Kernel<'_> = setup(space, n)?;
    let words = (kernel.bytes / (2 * size_of::<u64>())).max(1);
    let from = space.zeros::<u64, 1>("from", [words])?;
    let mut to = space.zeros::<u64, 1>("to", [words])?;
    let mut copy = || deep_copy(&mut to, &from);

    // Untimed first: code is loaded, and room made.
    batch(space, 2, true, || kernel.launch())?;
    batch(space, 2, true, &mut copy)?;
    let kernels = launches(batch(space, 3, true, || kernel.launch())?);
    let copies = launches(batch(space, 3, true, &mut copy)?);
    let calls = CALLS.min(CALL_BATCHES * kernels);
    let [mut launched, mut copied, mut ratios, mut alone, mut called] = [const { Vec::new() }; 5];
    for _ in 0..rounds {
        let launch = batch(space, kernels, true, || kernel.launch())?;
        // Not after the copy, which may run on another engine of the device.
        alone.push(batch(space, 1, true, || kernel.launch())?);
        called.push(batch(space, calls, false, || kernel.launch())?);
        let copy = batch(space, copies, true, &mut copy)?;
        launched.push(launch);
        copied.push(copy);
        ratios.push(copy / launch);
    }
    Ok(Times {
        name: kernel.name,
        elements: kernel.elements,
        bytes: kernel.bytes,
        launch: Spread::of(launched),
        copy: Spread::of(copied),
        ratio: Spread::of(ratios),
        alone: Spread::of(alone),
        call: Spread::of(called),
    })
}

/// The most elements for which results are compared with the host's.
const MAX_CHECKED: usize = 1_000_000;

/// Compares the results of one launch with the host's, bit for bit, unless that would take long.
///
/// # Errors
/// The failure as text.
pub fn check(space: &Cuda, on_device: Setup<Cuda>, on_host: Setup<Serial>, n: usize) -> Result<(), String> {
    if n > MAX_CHECKED {
        return Ok(());
    }
    let fault = |error: spelt::Error| error.to_string();
    let host = Serial::new();
    let (mut kernel, mut wanted) = (on_device(space, n).map_err(fault)?, on_host(&host, n).map_err(fault)?);
    kernel.launch().and_then(|()| wanted.launch()).map_err(fault)?;
    if kernel.bits().map_err(fault)? != wanted.bits().map_err(fault)? {
        return Err(format!("{kernel:?}: the device's bits are not the host's"));
    }
    Ok(())
}

/// The heading of a table of times, in Markdown.
pub const HEADING: &str = "\
| kernel | n | a launch, us | GB/s | a copy as large, us | GB/s | of the copy's bandwidth | a launch and a fence, us | a call on the host, us |
|---|---:|---:|---:|---:|---:|---:|---:|---:|";

/// A row of that table.
#[must_use]
pub fn row(times: &Times) -> String {
    let gigabytes = |seconds: f64| times.bytes as f64 / seconds / 1e9;
    format!(
        "| {} | {} | {:.2} | {:.1} | {:.2} | {:.1} | **{:.2}** ({:.2} to {:.2}) | {:.2} | {:.2} |",
        times.name,
        times.elements,
        1e6 * times.launch.median,
        gigabytes(times.launch.median),
        1e6 * times.copy.median,
        gigabytes(times.copy.median),
        times.ratio.median,
        times.ratio.low,
        times.ratio.high,
        1e6 * times.alone.median,
        1e6 * times.call.median,
    )
}
