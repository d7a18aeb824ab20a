//! The space itself.

use spelt_core::{Cuda, Error, ErrorKind, ExecutionSpace, Serial, SpaceChoice, View, with_space};

use crate::space;

#[test]
fn a_machine_without_a_driver_is_told_what_to_do() {
    if let Err(error) = Cuda::devices() {
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
    let count = Cuda::devices().unwrap();
    let error = Cuda::new(count).expect_err("one too far");
    assert_eq!(error.kind(), ErrorKind::Driver);
    assert!(error.to_string().contains(&format!("no CUDA device {count}")), "{error}");
}

#[test]
fn the_configuration_says_what_the_device_is() {
    let Some(space) = space() else { return };
    let text = space.configuration();
    for part in ["Cuda: device 0", "capability", "multiprocessors", "MiB", "driver", "device code: none"] {
        assert!(text.contains(part), "no {part} in {text}");
    }
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
    fn there_and_back<S: ExecutionSpace>(space: &S) -> Result<Vec<f64>, Error>
    where
        S::Memory: spelt_core::CopyFrom<spelt_core::HostSpace>,
        spelt_core::HostSpace: spelt_core::CopyFrom<S::Memory>,
    {
        let host = View::from_fn("x", [5, 3], |[i, j]| (10 * i + j) as f64)?;
        let there = host.subview((1..4, ..)).to_space(space)?;
        Ok(there.to_host()?.to_vec())
    }
    let expected = there_and_back(&Serial::new()).unwrap();
    let Some(space) = space() else { return };
    assert_eq!(there_and_back(&space).unwrap(), expected);
}
