//! Kernels run in programs of every kind.

use crate::project::Project;

const OWN: &str = "own: [1, 13, 106, 10, 22, 115]";
const OF_A_LIBRARY: &str = "of a library: [0, 0, 1, 7, 2, 5, 8, 16]";

#[test]
fn kernels_of_programs_and_libraries_run_in_both_profiles() {
    let project = Project::new();
    for profile in ["", "--release"] {
        let output = project.spelt(&format!("run {profile} -p program -- one --arch")).succeeded();
        for line in ["feature cuda: true", OWN, OF_A_LIBRARY, "argument: one", "argument: --arch"] {
            assert!(output.out.contains(line), "{line}: {}", output.out);
        }
        let output = project.spelt(&format!("run {profile} -p program --example example")).succeeded();
        assert_eq!(output.out, "example: [0, 1, 4, 9]\n");
        let output = project.spelt(&format!("test {profile} --workspace --tests")).succeeded();
        for test in ["kernels_of_tests_run", "all_checks_are_on", "tests::kernels_of_unit_tests_run"] {
            assert!(output.out.contains(&format!("test {test} ... ok")), "{test}: {}", output.out);
        }
    }
}

#[test]
fn device_passes_leave_out_what_libraries_leave_out_in_theirs() {
    let project = Project::new();
    let output = project.spelt("run -p program").succeeded();
    assert!(output.out.contains("on the host: [1, 2, 3]"), "{}", output.out);
    // Names are plain text in bitcode. The folder may hold that of other programs.
    let mut programs = 0;
    for slot in std::fs::read_dir(project.target().join("spelt/kernels")).expect("the slots") {
        let bitcode = slot.expect("a slot").path().join("crate.bc");
        let Ok(bytes) = std::fs::read(&bitcode) else { continue };
        let has = |name: &str| bytes.windows(name.len()).any(|window| window == name.as_bytes());
        if has("11map_on_host") {
            programs += 1;
            assert!(!has("16loop_of_the_host"), "{}", bitcode.display());
        }
    }
    assert!(programs > 0, "no program calls the function");
}

#[test]
fn plain_builds_stay_apart() {
    let project = Project::new();
    let device = project.spelt("run -p program").succeeded();
    let plain = project.cargo("run -p program");
    assert!(plain.out.contains("feature cuda: false"), "{}", plain.out);
    assert!(plain.err.contains("this program has no device code"), "{}", plain.err);
    let again = project.spelt("run -p program").succeeded();
    assert_eq!(again.compiled(), [""; 0]);
    assert_eq!(again.out, device.out);
}

#[test]
fn wrappers_of_the_user_are_called() {
    let project = Project::new();
    let log = project.path("log");
    let wrapper = project.path("wrapper.sh");
    let text = format!("#!/bin/sh\necho \"$0 $@\" >> {}\nexec \"$@\"\n", log.display());
    std::fs::write(&wrapper, text).expect("a script");
    std::fs::set_permissions(&wrapper, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("a mode");
    for variable in ["RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "CARGO_BUILD_RUSTC_WRAPPER"] {
        std::fs::write(&log, "").expect("a log");
        // A new path of the wrapper makes cargo compile the members of the workspace again, but it knows none but the last.
        project.replace("program/src/main.rs", "fn main", "// Changed.\nfn main");
        let mut command = project.command("run -p program");
        command.env(variable, &wrapper);
        let output = project.run(command).succeeded();
        assert!(output.out.contains(OWN), "{}", output.out);
        let log = std::fs::read_to_string(&log).expect("the log");
        let calls: Vec<&str> = log.lines().filter(|line| line.contains("--crate-name=program")).collect();
        assert_eq!(calls.len(), 1, "{variable}: {log}");
        assert!(calls[0].contains("link-arg="), "{variable}: {log}");
    }
}
