//! Only what has changed is built again.

use crate::project::Project;

#[test]
fn only_what_changed_is_made_again() {
    let project = Project::new();
    let build = "build -p program --bin program";
    project.spelt(build).succeeded();

    let fresh = project.spelt(build).succeeded();
    assert_eq!((fresh.compiled(), fresh.device_linked()), (vec![], vec![]), "{}", fresh.err);

    // The same text, newer: rustc runs, and gives the bitcode that was linked already.
    let main = project.path("program/src/main.rs");
    let text = std::fs::read(&main).expect("the program");
    std::fs::write(&main, &text).expect("the program");
    let same = project.spelt(build).succeeded();
    assert_eq!((same.compiled(), same.device_linked()), (vec!["program"], vec![]), "{}", same.err);

    // A kernel in a library: the library, its dependents, and the link.
    project.replace("middle/src/lib.rs", "plain::collatz(i)", "plain::collatz(i + 1)");
    let changed = project.spelt("run -p program").succeeded();
    assert_eq!(changed.compiled(), ["middle", "program"], "{}", changed.err);
    assert_eq!(changed.device_linked(), ["program"], "{}", changed.err);
    assert!(changed.out.contains("of a library: [0, 1, 7, 2, 5, 8, 16, 3]"), "{}", changed.out);

    // A library without kernels.
    project.replace("plain/src/lib.rs", "steps += 1", "steps += 2");
    let changed = project.spelt("run -p program").succeeded();
    assert_eq!(changed.compiled(), ["middle", "plain", "program"], "{}", changed.err);
    assert!(changed.out.contains("of a library: [0, 2, 14, 4, 10, 16, 32, 6]"), "{}", changed.out);
}

#[test]
fn another_architecture_links_the_program_alone() {
    let project = Project::new();
    let build = "build -p program --bin program";
    let ptx = || project.spelt("ptx own -p program --bin program").succeeded();
    project.spelt(build).succeeded();
    let other = project.spelt(&format!("--arch sm_90 {build}")).succeeded();
    assert_eq!(other.compiled(), ["program"], "{}", other.err);
    assert!(other.device_linked().is_empty() || other.err.contains("sm_90"), "{}", other.err);
    let fresh = project.spelt(&format!("{build} --arch=sm_90")).succeeded();
    assert_eq!(fresh.compiled(), [""; 0], "{}", fresh.err);

    // Back: its PTX is there.
    let back = project.spelt(build).succeeded();
    assert_eq!((back.compiled(), back.device_linked()), (vec!["program"], vec![]), "{}", back.err);
    assert!(ptx().out.contains("/sm_80/kernels.ptx"), "{}", ptx().out);

    // By the environment.
    let mut command = project.command(build);
    command.env("SPELT_ARCH", "sm_90");
    let other = project.run(command).succeeded();
    assert_eq!((other.compiled(), other.device_linked()), (vec!["program"], vec![]), "{}", other.err);
}
