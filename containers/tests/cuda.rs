//! A tool of Kokkos beside a mirrored View on a device: in a separate process. On a machine without driver or device the test says so and
//! ends.

#![cfg(target_os = "linux")]

#[path = "../../core/tests/tools/kokkos/compiled.rs"]
#[allow(dead_code, reason = "the tests of core use all of it")]
mod compiled;

use spelt_containers::Mirrored;
use spelt_core::{Cuda, Serial, View};

/// The program.
#[test]
#[ignore = "the child of the other test"]
fn child() {
    let space = Cuda::new(0).expect("a device");
    let mut x = Mirrored::<u32, 1, _>::zeros(&space, "x", [3]).expect("memory");
    x.host().expect("no failure");
    x.host_mut().expect("no failure").fill(1);
    x.host_mut().expect("no failure").fill(2);
    x.device().expect("no failure");
    x.device().expect("no failure");
    x.device_mut().expect("no failure");
    assert_eq!(x.host().expect("no failure").to_vec(), [2; 3]);
    x.host_mut().expect("no failure");
    x.discard_host();
    x.device_mut().expect("no failure");
    // Both sides are one View.
    let mut y = Mirrored::from_view(&Serial::new(), View::from_vec("y", [1], vec![7_u8]).expect("one"))
        .expect("no copy");
    y.host_mut().expect("no failure");
    y.device().expect("no failure");
}

#[test]
fn sides_that_are_copied_and_changed_are_told() {
    match Cuda::count() {
        Ok(1..) => {}
        none => {
            assert!(std::env::var_os("SPELT_EMULATOR").is_none(), "there is no emulator: {none:?}");
            println!("not run, as there is no device: {none:?}");
            return;
        }
    }
    let mut child = compiled::program("child", &compiled::library("tool", &[]));
    let output = child.output().expect("the child");
    let wanted = [
        "modify x pointer host",
        "modify x pointer host",
        "copy to Cuda x pointer from Host x pointer 12",
        "end copy",
        "sync x pointer device",
        "modify x pointer device",
        "copy to Host x pointer from Cuda x pointer 12",
        "end copy",
        "sync x pointer host",
        "modify x pointer host",
        "modify x pointer device",
    ];
    let told = compiled::calls_of_tool(&output);
    let of_memory = ["allocate", "deallocate", "for", "end for"];
    let told = told[4..].iter().filter(|line| !of_memory.iter().any(|call| line.starts_with(call)));
    assert_eq!(told.collect::<Vec<_>>(), [&wanted[..], &["finalize"]].concat());
}
