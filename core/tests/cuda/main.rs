//! The memory of CUDA devices: Views, copies, and who waits for whom. On a machine without driver or device each test says
//! so and ends.

mod copies;
mod memory;
mod spaces;

use spelt_core::{Cuda, ErrorKind};

/// A space on device 0; nothing, with a note, where there is no driver or device.
fn space() -> Option<Cuda> {
    match Cuda::new(0) {
        Ok(space) => Some(space),
        Err(error) if error.kind() == ErrorKind::Driver => {
            println!("not run: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}
