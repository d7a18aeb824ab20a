//! A device that another part of the program resets, and codes of the driver that say where to look.

use std::process::Command;

use spelt_core::{Cuda, ErrorKind, ExecutionSpace};

/// The name of a variable that says to the tests of a child process that they are to run.
const CHILD: &str = "SPELT_TEST_CHILD";

/// Calls the driver as another library of the program would.
fn reset_device() {
    type Reset = unsafe extern "C" fn(i32) -> i32;
    // SAFETY: the driver is loaded already; its function has this type, and is called by the only thread that uses the device.
    unsafe {
        let driver = libloading::Library::new("libcuda.so.1").expect("the driver");
        let reset = driver.get::<Reset>(b"cuDevicePrimaryCtxReset_v2").expect("the function");
        assert_eq!(reset(0), 0);
    }
}

#[test]
#[ignore = "run by another test, in a separate process"]
fn child_resets_the_device() {
    assert!(std::env::var_os(CHILD).is_some());
    let space = Cuda::new(0).expect("a device");
    let view = space.zeros::<u32, 1>("x", [4]).expect("memory");
    space.fence().expect("nothing has failed");
    reset_device();
    let error = space.fence().and_then(|()| view.to_host().map(|_| ())).expect_err("it is gone");
    assert_eq!(error.kind(), ErrorKind::Device);
    println!("first: {error}");
    println!("then: {}", view.to_host().expect_err("still gone"));
    drop((view, space));
    let space = Cuda::new(0).expect("the device, opened again");
    assert_eq!(
        space.zeros::<u32, 1>("y", [4]).and_then(|y| y.to_host()).expect("zeros").as_slice(),
        Some(&[0; 4][..])
    );
    println!("a View of the device that was opened again");
}

#[test]
fn a_reset_device_says_what_happened() {
    // Only where the emulator is: a device may have other users.
    if crate::space().is_none() || std::env::var_os("SPELT_EMULATOR").is_none() {
        return;
    }
    let this = std::env::current_exe().expect("a test knows its own file");
    let mut child = Command::new(this);
    child.args(["--ignored", "--exact", "--nocapture", "reset::child_resets_the_device"]).env(CHILD, "1");
    let output = child.output().expect("a test can be started");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    let line = |name: &str| text.lines().find(|line| line.contains(name)).unwrap_or_default().to_owned();
    let first = line("first: ");
    for part in [
        "waiting for a stream",
        "CUDA_ERROR_INVALID_HANDLE",
        "has reset the device",
        "Spelt's data on device 0 are lost",
    ] {
        assert!(first.contains(part), "no `{part}` in {first}");
    }
    let then = line("then: ");
    assert!(then.contains("has reset the device") && then.contains("opens the device again"), "{then}");
    assert!(text.contains("that was opened again"), "{text}");
}
