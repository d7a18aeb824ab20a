//! Every program at a small size, on every space, against its plain reference; sizes that programs cannot have; the command line.

use std::path::Path;

use clap::CommandFactory;
use spelt::AnyHost;
use spelt::prelude::*;
use spelt_programs::options::Options;
use spelt_programs::peer::{self, Build};
use spelt_programs::{CHECKS, Setup, all};

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

#[test]
fn every_program_in_the_folder_is_in_the_table() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/programs");
    let names =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut with_peer: Vec<_> =
        names.filter_map(|name| name.strip_suffix(".cpp").map(|name| name.replace('_', "-"))).collect();
    let kokkos = std::fs::read_dir(format!("{folder}/kokkos")).unwrap();
    let mut with_kokkos: Vec<_> = kokkos
        .map(|entry| entry.unwrap().file_name().into_string().unwrap().replace(".cpp", "").replace('_', "-"))
        .collect();
    let mut cases: Vec<_> = all().iter().map(|case| case.name.to_owned()).collect();
    with_peer.sort();
    cases.sort();
    with_kokkos.sort();
    assert_eq!(cases, with_peer);
    assert_eq!(cases, with_kokkos);
}

/// Before the C++, which would read and write beyond the arrays, is compiled or run.
#[test]
fn sizes_that_a_program_cannot_have_are_refused_with_the_reason() {
    let setup = Setup::new(1, None).unwrap();
    for (name, size, remedy) in [
        ("laplace3d", 2, "choose 3 or more"),
        ("stencil3d", 2, "choose 3 or more"),
        ("heat2d", 1, "choose 3 or more"),
        ("jacobi", 1, "choose 3 or more"),
        ("mini-weather", 1, "choose 8 or more"),
        ("bitonic-sort", 1000, "choose a power of two"),
        ("atomic-reduction", 1000, "choose a multiple of 1024"),
    ] {
        let case = all().into_iter().find(|case| case.name == name).unwrap();
        let reason = (case.variants[0].race)(&setup, size).err();
        assert_eq!(reason, Some(format!("the size is {size}: {remedy}")), "{name}");
    }
}

/// A library is compiled again where the text of its source has changed.
#[test]
fn the_text_of_a_peer_names_all_that_its_code_depends_on() {
    let text = |source, build, compiler, processor| peer::text(source, build, compiler, processor);
    let first = text("int x;", Build::Exact, "g++ 13", "A");
    assert!(first.lines().next().unwrap().starts_with("// ") && first.ends_with("\nint x;"), "{first}");
    assert!(first.contains("-march=native") && !first.contains("-ffast-math"), "{first}");
    for other in [
        text("int y;", Build::Exact, "g++ 13", "A"),
        text("int x;", Build::Fast, "g++ 13", "A"),
        text("int x;", Build::Kokkos(Path::new("/a")), "g++ 13", "A"),
        text("int x;", Build::Exact, "g++ 14", "A"),
        text("int x;", Build::Exact, "g++ 13", "B"),
    ] {
        assert_ne!(first, other);
    }
    assert_eq!(text("", Build::Exact, "g++\\\n13", "A"), text("", Build::Exact, "g++  13", "A"));
}

#[test]
fn the_command_line_is_consistent() {
    Options::command().debug_assert();
}
