//! The instruction set changes no bit: this program, run again with each level that it has.

use std::process::Command;

use spelt::prelude::*;

use crate::t20_golden;

#[test]
#[ignore = "prints the bits of its instruction set for another test"]
fn child_prints_bits() {
    for (name, bits) in t20_golden::all(&Serial::new()) {
        println!("bits {name} {bits:016x}");
    }
}

#[test]
fn every_level_has_the_same_bits() {
    let bits = |level: &str| {
        let this = std::env::current_exe().expect("a test knows its own file");
        let mut command = Command::new(this);
        command.args(["--ignored", "--exact", "--nocapture", "t12_instructions::child_prints_bits"]);
        let output = command.env("SPELT_ISA", level).output().expect("a test can be started");
        assert!(output.status.success(), "{level}");
        let text = String::from_utf8(output.stdout).expect("text");
        let lines: Vec<String> =
            text.lines().filter(|line| line.starts_with("bits")).map(str::to_owned).collect();
        assert!(!lines.is_empty());
        lines
    };
    let baseline = bits("baseline");
    assert_eq!(bits("avx2"), baseline);
    assert_eq!(bits("avx512"), baseline);
}

#[test]
fn an_unknown_level_is_named() {
    let this = std::env::current_exe().expect("a test knows its own file");
    let mut command = Command::new(this);
    command.args(["--ignored", "--exact", "--nocapture", "t12_instructions::child_prints_bits"]);
    let output = command.env("SPELT_ISA", "abacus").output().expect("a test can be started");
    assert!(!output.status.success());
    let text =
        [output.stderr, output.stdout].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(text.contains("SPELT_ISA is \"abacus\": choose baseline, avx2 or avx512"), "{text}");
}
