//! Every program at a small size, on every space, against its plain reference.

use spelt::AnyHost;
use spelt::prelude::*;
use spelt_programs::{CHECKS, all};

#[test]
fn programs_agree_with_plain_references_on_every_host_space() {
    let threads = Threads::builder().num_threads(3).build().unwrap();
    for space in [AnyHost::from(Serial::new()), AnyHost::from(threads), AnyHost::from(Rayon::new())] {
        for (program, check) in CHECKS {
            check(&space).unwrap_or_else(|error| panic!("{program} on {}: {error}", space.name()));
        }
    }
}

/// On a GPU, or on the emulator.
#[cfg(feature = "cuda")]
#[test]
fn programs_agree_with_plain_references_on_a_device() {
    if !spelt::Cuda::has_device_code() {
        return;
    }
    let space = spelt::Cuda::new(0).unwrap();
    for (program, check) in spelt_programs::programs::CHECKS_ON_DEVICE {
        check(&space).unwrap_or_else(|error| panic!("{program} on a device: {error}"));
    }
}

#[test]
fn every_program_is_checked_and_says_what_is_expected() {
    for case in all() {
        assert!(case.hypothesis.len() > 40 && case.hypothesis.ends_with('.'), "{}", case.name);
        let name = case.name.replace('-', "_");
        assert!(CHECKS.iter().any(|(program, _)| *program == name), "{} is not checked", case.name);
    }
}
