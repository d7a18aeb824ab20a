//! The space itself.

use spelt_core::{Cuda, Error, ErrorKind, ExecutionSpace, Serial, SpaceChoice, View, deep_copy, with_space};

use crate::space;

#[test]
fn a_machine_without_a_driver_is_told_what_to_do() {
    if let Err(error) = Cuda::count() {
        assert_eq!(error.kind(), ErrorKind::Driver);
        let text = error.to_string();
        assert!(
            text.contains("driver") && (text.contains("cargo spelt") || text.contains("newer")),
            "{text}"
        );
        assert_eq!(Cuda::new(0).expect_err("no driver").to_string(), text);
    }
}

#[test]
fn devices_are_counted_from_0() {
    let Some(space) = space() else { return };
    assert_eq!(space.device(), 0);
    let count = Cuda::count().unwrap();
    let error = Cuda::new(count).expect_err("one too far");
    assert_eq!(error.kind(), ErrorKind::Driver);
    assert!(error.to_string().contains(&format!("no CUDA device {count}")), "{error}");
}

#[test]
fn the_configuration_says_what_the_device_is() {
    let Some(space) = space() else { return };
    let text = space.configuration();
    for part in ["Cuda: device 0", "capability", "multiprocessors", "MiB", "driver", "device code: "] {
        assert!(text.contains(part), "no {part} in {text}");
    }
    assert_eq!(text.contains("device code: none"), !Cuda::has_device_code(), "{text}");
    assert!(space.concurrency() >= 1024);
    assert_eq!(space.instance().unwrap().device(), 0);
}

#[test]
fn choices_make_spaces() {
    fn solve<S: ExecutionSpace>(space: &S) -> Result<String, Error> {
        space.fence()?;
        Ok(space.configuration())
    }
    match with_space!("cuda".parse::<SpaceChoice>().unwrap(), |space| solve(&space)) {
        Ok(text) => assert!(text.starts_with("Cuda")),
        Err(error) => assert_eq!(error.kind(), ErrorKind::Driver),
    }
}

#[test]
fn generic_code_makes_copies_anywhere() {
    fn there_and_back<S: ExecutionSpace>(space: &S) -> Result<Vec<f64>, Error> {
        let host = View::from_fn("x", [5, 3], |[i, j]| (10 * i + j) as f64)?;
        let there = host.subview((1..4, ..)).to_space(space)?;
        let mut other = space.zeros::<f64, 2>("other", there.extents())?;
        deep_copy(&mut other, &there)?;
        let mut back = other.host_mirror()?;
        deep_copy(&mut back, &other)?;
        deep_copy(&mut other, &back)?;
        Ok(other.to_host()?.to_vec())
    }
    let expected = there_and_back(&Serial::new()).unwrap();
    let Some(space) = space() else { return };
    assert_eq!(there_and_back(&space).unwrap(), expected);
}

#[test]
fn device_code_is_asked_for_when_a_kernel_starts() {
    let Some(space) = space() else { return };
    if Cuda::has_device_code() {
        println!("not run, as `cargo spelt` built this program");
        return;
    }
    let mut view = space.zeros::<f64, 1>("v", [4]).unwrap();
    let error = spelt_core::parallel_for("set", space.range(0..4), &mut view, |i, mut v| v[i] = 1.0)
        .expect_err("plain cargo built this test");
    assert_eq!((error.kind(), error.kernel()), (ErrorKind::DeviceCode, Some("set")));
    assert!(error.to_string().contains("cargo spelt"), "{error}");
}
