//! The memory of CUDA devices: Views, copies, and the order of operations. On a machine without driver or device each test says
//! so and ends.

mod copies;
mod devices;
#[cfg(target_os = "linux")]
mod kokkos_tools;
#[allow(dead_code)]
#[path = "../tools/lines.rs"]
mod lines;
mod memory;
mod plain;
mod reset;
mod spaces;
mod tools;
mod trace;

use spelt_core::{Cuda, CudaSpace, ExecutionSpace, View};

/// A space on device 0; nothing, with a note, on a machine without driver or device, unless an emulator was asked for.
fn space() -> Option<Cuda> {
    match Cuda::count() {
        Ok(1..) => Some(Cuda::new(0).expect("the driver has this device")),
        none => {
            assert!(std::env::var_os("SPELT_EMULATOR").is_none(), "there is no emulator: {none:?}");
            println!("not run, as there is no device: {none:?}");
            None
        }
    }
}

/// Kernels under way on a second stream of the first device and on two devices, and the Views that they fill with 0.1.
fn fills_on_three_streams() -> ([Cuda; 3], [View<f64, 1, CudaSpace>; 3]) {
    let [first, second] = [0, 1].map(|device| Cuda::new(device).expect("a device"));
    let spaces = [first.instance().expect("a stream"), first, second];
    let mut views = spaces.each_ref().map(|space| space.zeros("x", [1000]).expect("memory"));
    for (space, x) in spaces.iter().zip(&mut views) {
        // Its elements are written by a kernel, since no pattern of up to four bytes repeats in them.
        space.fill(x, 0.1).expect("a fill");
    }
    (spaces, views)
}
