//! A program with device code embedded by the device build, though without a kernel: it is found, and missing kernels are
//! reported.
#![cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]

use spelt_core::{Cuda, ErrorKind, ExecutionSpace, parallel_for};

// A length, the text, a NUL. Weak, so that a device build of this very test puts its own in place.
core::arch::global_asm!(
    ".pushsection .rodata.spelt_test_code, \"a\"",
    ".balign 8",
    ".weak __spelt_device_code",
    "__spelt_device_code:",
    ".8byte 78f - 77f",
    "77: .ascii \".version 7.1\\n.target sm_72\\n.address_size 64\\n\"",
    "78: .byte 0",
    ".popsection",
);

#[test]
fn device_code_is_found_in_the_program() {
    match Cuda::count() {
        Ok(1..) => {}
        none => return println!("not run, as there is no device: {none:?}"),
    }
    let space = Cuda::new(0).unwrap();
    let text = space.configuration();
    assert!(text.contains("device code: PTX "), "{text}");
    let own = text.contains("PTX 7.1 for sm_72");
    // A device build leaves the kernels out of its host's half.
    assert_eq!(own, !cfg!(spelt_host_pass));
    let mut view = space.zeros::<f64, 1>("v", [4]).unwrap();
    match parallel_for("set", space.range(0..4), &mut view, |i, mut v| v[i] = 1.0) {
        Ok(()) => assert!(!own, "there is no kernel in this code"),
        Err(error) => {
            assert!(own, "{error}");
            assert_eq!((error.kind(), error.kernel()), (ErrorKind::DeviceCode, Some("set")));
            assert!(error.to_string().contains("built from other sources"), "{error}");
        }
    }
}
