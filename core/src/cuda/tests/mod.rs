//! Launches of device code written by hand, on the machine's device or emulator.
//!
//! Tests that break a context run in a separate process, because the device cannot be used afterwards.

mod breaking;
pub(super) mod kernels;
mod launching;
mod memory;
mod staged;
mod times;

use spelt_access::{Element, RawView, Right};

use super::{Cuda, Launch, Uses};

/// A space on device 0; `None`, with a note, on a machine without driver or device, unless an emulator was requested.
pub(super) fn space() -> Option<Cuda> {
    match Cuda::count() {
        Ok(1..) => Some(Cuda::new(0).expect("the driver has this device")),
        none => {
            assert!(std::env::var_os("SPELT_EMULATOR").is_none(), "there is no emulator: {none:?}");
            println!("not run, as there is no device: {none:?}");
            None
        }
    }
}

/// A launch over `count` elements.
fn over<'a>(label: &'a str, count: usize, uses: &'a Uses<'a>) -> Launch<'a> {
    let blocks = u32::try_from(count.div_ceil(64)).unwrap();
    Launch { label, blocks, threads: 64, shared_bytes: 0, uses }
}

/// The address of the first element.
fn start<T: Element, const R: usize>(raw: RawView<T, R, Right>) -> *mut T {
    raw.pointer()
}
