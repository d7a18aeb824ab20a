//! A short run of each target. The numbers of accepted cases are of use by not being all or none: input that is always taken,
//! or never, tries nothing.

use std::process::Command;

/// Runs `cases` of `target` and returns the number of accepted ones.
fn accepted(target: &str, cases: u32) -> u32 {
    let output = Command::new(env!("CARGO_BIN_EXE_spelt-fuzz"))
        .args([target, "--cases", &cases.to_string()])
        .output()
        .expect("it can be started");
    let (out, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}{error}");
    let accepted = out.split_whitespace().nth_back(1).expect("the number of accepted cases");
    accepted.parse().expect("a number")
}

macro_rules! targets {
    ($($name:ident: $target:literal $cases:literal;)*) => {$(
        #[test]
        fn $name() {
            let accepted = accepted($target, $cases);
            assert!(accepted > $cases / 50 && accepted < $cases, "{accepted} of {} accepted", $cases);
        }
    )*};
}
targets! {
    npy: "npy" 1000;
    serde: "serde" 1000;
    ptx: "ptx" 300;
    command_lines: "command-line" 500;
    environment: "environment" 60;
    teams: "teams" 200;
}

#[test]
fn views() {
    assert_eq!(accepted("views", 1000), 1000);
}

#[test]
fn an_unknown_target_is_an_error() {
    let output =
        Command::new(env!("CARGO_BIN_EXE_spelt-fuzz")).arg("nothing").output().expect("it can be started");
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("choose all, npy"));
}
