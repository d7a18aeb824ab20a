//! Copies and work of the host beside a kernel on a device.
//!
//! A kernel on the device computes `a` from `b`. Meanwhile the host copies `b`, makes its own share of the result, and copies that to the
//! device, where another kernel adds it to `a`. Each launch on the device returns at once, so the first kernel is still running when the
//! copies begin. They are work of another instance, and wait for those kernels alone that use the same Views.
//!
//! The same program as Kokkos's tutorial 07_Overlapping_DeepCopy, with the number of elements as an option, and a check of all of them.
//! SYNCH is 1 for copies beside the kernel, 2 for copies that follow it, and 0 for none, which leaves out the host's share. On a host a launch
//! returns when it has run, so nothing overlaps there, and the numbers are the same. The defaults take 4 GB:
//! ```text
//! cargo gpu run --release --example overlapping_deep_copy -- 1 100000000 -space cuda
//! ```
#![forbid(unsafe_code)]

mod common;

use std::process::ExitCode;

use getopts::Options;
use spelt::prelude::*;
use spelt::{Reach, Timer, math};

use common::{CommandLine, general, say, wrong, wrong_result};

/// The element of `b`.
const VALUE: f64 = 1.3513;
/// The kernel on the device adds one power less than this.
const ITERATIONS: i32 = 20;

/// When copies between the host and the device are made.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Synch {
    /// Never.
    Without,
    /// By another instance, beside the kernel.
    Beside,
    /// By the kernel's instance, after it.
    After,
}

fn main() -> ExitCode {
    let brief = "Usage: overlapping_deep_copy [SYNCH] [SIZE]: copies (SYNCH 1: beside a kernel, 2: after it, 0: none) of SIZE elements; \
                 defaults 1 and 100000000";
    let line = CommandLine::parse(brief, 2, Options::new());
    let synch = match line.positional(0, "SYNCH", 1) {
        0 => Synch::Without,
        1 => Synch::Beside,
        2 => Synch::After,
        other => wrong(format!("SYNCH `{other}`: choose 0, 1 or 2")),
    };
    let size = line.positional(1, "SIZE", 100_000_000);
    if size == 0 {
        wrong("SIZE `0`: the program prints the first element, so choose 1 or more");
    }
    common::exit_code(match line.space() {
        #[cfg(feature = "cuda")]
        spelt::SpaceChoice::Cuda(number) => spelt::Cuda::new(number).and_then(|device| {
            run(&device, &device.instance()?, &spelt::SpaceChoice::Threads.on_host()?, size, synch)
        }),
        host => host.on_host().and_then(|space| run(&space, &space, &space, size, synch)),
    })
}

fn run<D, H>(device: &D, copies: &D, host: &H, size: usize, synch: Synch) -> spelt::Result<()>
where
    D: ExecutionSpace,
    H: ExecutionSpace + Reach<D::Pinned>,
{
    let mut d_a = device.zeros::<f64, 1>("Device A", [size])?;
    let mut d_b = device.zeros::<f64, 1>("Device B", [size])?;
    let mut d_tmp = device.zeros::<f64, 1>("Device tmp", [size])?;
    let mut h_a = device.pinned_zeros::<f64, 1>("Host A", [size])?;
    let mut h_b = device.pinned_zeros::<f64, 1>("Host B", [size])?;

    device.fill(&mut d_a, 0.0)?;
    device.fill(&mut d_b, VALUE)?;

    // Waits for the fills.
    let timer = Timer::new(device)?;
    parallel_for("ComputeADevice", device.range(0..size), (&mut d_a, &d_b), move |i, (mut a, b)| {
        for _ in 1..ITERATIONS {
            a[i] += math::pow(b[i], 1.0 + 1.0 / f64::from(ITERATIONS));
        }
    })?;

    // The kernel reads `d_b`, as the copy does: neither waits for the other.
    match synch {
        Synch::Without => {}
        Synch::Beside => copies.deep_copy(&mut h_b, &d_b)?,
        Synch::After => device.deep_copy(&mut h_b, &d_b)?,
    }

    // On the host, while the kernel on the device may still be running.
    parallel_for("FillHost", host.range(0..size), &mut h_a, |i, mut a| a[i] = 0.0)?;
    parallel_for("ComputeAHost", host.range(0..size), (&mut h_a, &h_b), |i, (mut a, b)| a[i] += b[i])?;

    match synch {
        Synch::Without => {}
        Synch::Beside => copies.deep_copy(&mut d_tmp, &h_a)?,
        Synch::After => device.deep_copy(&mut d_tmp, &h_a)?,
    }
    // Waits for the kernel. The copies have ended.
    say!("Time {}\n", general(timer.seconds()?));

    // Waits for the copy to `d_tmp`, whichever instance made it.
    parallel_for("MergeDevice", device.range(0..size), (&mut d_a, &d_tmp), |i, (mut a, tmp)| a[i] += tmp[i])?;
    device.deep_copy(&mut h_a, &d_a)?;
    say!("h_a(0): {} ( Correct: 27.4154 )\n", general(h_a[0]));
    check(h_a.iter().copied(), synch)
}

/// Each element is the device's share, computed here once more, and the host's, if there was a copy.
fn check(mut found: impl Iterator<Item = f64>, synch: Synch) -> spelt::Result<()> {
    let power = math::pow(VALUE, 1.0 + 1.0 / f64::from(ITERATIONS));
    let of_device = (1..ITERATIONS).fold(0.0, |sum, _| sum + power);
    let expected = if synch == Synch::Without { of_device } else { of_device + VALUE };
    match found.position(|value| value != expected) {
        None => Ok(()),
        Some(place) => Err(wrong_result(format!("element {place} of A is not {expected}"))),
    }
}
