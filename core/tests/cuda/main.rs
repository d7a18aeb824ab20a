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

use spelt_core::Cuda;

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
