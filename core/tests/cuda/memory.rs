//! Views in the memory spaces.

use spelt_core::{ErrorKind, ExecutionSpace, Left, Serial, View, deep_copy_scalar, parallel_for};

use crate::space;

#[test]
fn zeros_are_zero_in_every_layout() {
    let Some(space) = space() else { return };
    let view = space.zeros::<f64, 2>("v", [7, 5]).unwrap();
    assert_eq!((view.extents(), view.strides(), view.label()), ([7, 5], [5, 1], "v"));
    assert!(view.to_host().unwrap().iter().all(|element| element.to_bits() == 0));
    let left = space.zeros_in::<u8, 3, _>(Left, "l", [2, 3, 4]).unwrap();
    assert_eq!(left.to_host().unwrap().to_vec(), [0; 24]);
    let scalar = space.zeros::<u64, 0>("s", []).unwrap();
    assert_eq!(scalar.to_host().unwrap()[[]], 0);
}

#[test]
fn elements_come_from_a_function_of_the_host() {
    let Some(space) = space() else { return };
    let captured = String::from("any capture will do");
    let f = |[i, j]: [usize; 2]| (captured.len() + 10 * i + j, i as u8);
    let view = space.view_from_fn_in(Left, "v", [4, 3], f).unwrap();
    assert_eq!(view.to_host().unwrap(), View::from_fn_in(Left, "v", [4, 3], f).unwrap());
}

#[test]
fn views_without_elements_need_no_memory() {
    let Some(space) = space() else { return };
    let mut view = space.zeros::<f64, 2>("v", [0, 5]).unwrap();
    deep_copy_scalar(&mut view, 1.0).unwrap();
    assert!(view.to_host().unwrap().is_empty());
    assert!(space.view_from_fn("w", [3, 0], |[i, j]| i + j).unwrap().to_space(&space).unwrap().is_empty());
    assert!(space.pinned_zeros::<f64, 1>("p", [0]).unwrap().as_slice().unwrap().is_empty());
    assert!(space.managed_zeros::<f64, 1>("m", [0]).unwrap().is_empty());
    let units = space.view_from_fn("u", [3], |_| ()).unwrap();
    assert_eq!(units.to_host().unwrap().len(), 3);
}

#[test]
fn too_much_is_an_error_with_the_numbers() {
    let Some(space) = space() else { return };
    let error = space.zeros::<f64, 1>("huge", [1 << 46]).expect_err("no device has half a petabyte");
    assert_eq!(error.kind(), ErrorKind::OutOfMemory);
    let text = error.to_string();
    for part in ["`huge`", "[70368744177664]", "562949953421312 bytes", "device 0", "free"] {
        assert!(text.contains(part), "no {part} in {text}");
    }
    let error = space.zeros::<f64, 2>("wraps", [1 << 33, 1 << 31]).expect_err("beyond the address space");
    assert_eq!(error.kind(), ErrorKind::Overflow);
    let error = space.managed_zeros::<f64, 1>("huge", [1 << 46]).expect_err("as on the device");
    assert_eq!(error.kind(), ErrorKind::OutOfMemory);
    // The space still works.
    assert_eq!(space.view_from_fn("small", [3], |[i]| i).unwrap().to_host().unwrap().to_vec(), [0, 1, 2]);
}

#[test]
fn memory_that_is_freed_can_be_had_again() {
    let Some(_space) = space() else { return };
    // The emulator, which is the only driver to read the variable, then has less memory than the Views take one after the other.
    let output = std::process::Command::new(std::env::current_exe().expect("a test knows its own file"))
        .args(["--ignored", "--exact", "memory::child_takes_and_frees"])
        .env("CUDA_EMU_MEM", "24M")
        .output()
        .expect("a process");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

#[test]
#[ignore = "wants little memory; another test runs it"]
fn child_takes_and_frees() {
    let space = space().expect("the other test has seen a device");
    let other = space.instance().unwrap();
    for round in 0..16_u8 {
        let space = if round % 2 == 0 { &space } else { &other };
        let mut view = space.zeros::<u8, 1>("block", [4 << 20]).unwrap();
        deep_copy_scalar(&mut view, round).unwrap();
        assert_eq!(view.subview(5..6).to_host().unwrap()[0], round);
    }
}

#[test]
fn host_kernels_use_pinned_and_managed_views() {
    let Some(space) = space() else { return };
    let serial = Serial::new();
    let pinned = space.pinned_from_fn("p", [10], |[i]| i as f64).unwrap();
    let mut managed = space.managed_zeros_in::<f64, 1, _>(Left, "m", [10]).unwrap();
    parallel_for("square", serial.range(0..10), (&pinned, &mut managed), |i, (p, mut m)| m[i] = p[i] * p[i])
        .unwrap();
    assert_eq!(managed.to_vec()[9], 81.0);
    managed.fill(2.0);
    assert_eq!(managed[3], 2.0);
}

#[test]
fn one_value_goes_everywhere() {
    let Some(space) = space() else { return };
    macro_rules! filled {
        ($($value:expr),*) => {$({
            let value = $value;
            let mut view = space.zeros("v", [37]).unwrap();
            deep_copy_scalar(&mut view, value).unwrap();
            assert!(view.to_host().unwrap().iter().all(|element| *element == value));
        })*};
    }
    filled!(7_u8, 0x1234_u16, 1.5_f32, 0.1_f64, -3_i64, u128::MAX - 1, [1_u8, 2, 3], (1_u8, 2_u64), true);
    // Parts with gaps: only their elements change.
    let mut view = space.zeros::<f64, 2>("v", [6, 5]).unwrap();
    deep_copy_scalar(&mut view.subview_mut((1..4, 2)), 0.3).unwrap();
    deep_copy_scalar(&mut view.subview_mut((5, ..)), 4.0).unwrap();
    let expected = View::from_fn("v", [6, 5], |[i, j]| match (i, j) {
        (1..=3, 2) => 0.3,
        (5, _) => 4.0,
        _ => 0.0,
    });
    assert_eq!(view.to_host().unwrap(), expected.unwrap());
    let mut pinned = space.pinned_zeros::<u32, 1>("p", [9]).unwrap();
    deep_copy_scalar(&mut pinned, 6).unwrap();
    assert_eq!(pinned.to_vec(), [6; 9]);
}
