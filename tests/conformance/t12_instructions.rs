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

fn sum<S: ExecutionSpace>(space: &S) -> spelt::Result<f64> {
    parallel_reduce("sum", space.range(0..5), (), |_, sum, ()| *sum += 1.0, Sum::<f64>::new())
}

#[test]
#[ignore = "prints the results of launches for another test"]
fn child_prints_errors() {
    let say = |what: &str, result: spelt::Result<f64>| println!("{what}: {result:?}");
    say("serial", sum(&Serial::new()));
    say("rayon", sum(&Rayon::new()));
    say("threads", Threads::builder().num_threads(2).build().and_then(|space| sum(&space)));
    let team = Serial::new();
    let team = team.team(2, AUTO);
    say("team", parallel_reduce("team", team, (), |team, ()| team.contribute(1.0), Sum::<f64>::new()));
    for choice in SpaceChoice::HOST {
        say(&format!("chosen {choice}"), with_space!(choice, |space| sum(&space)));
    }
}

/// An error where a space is made or a kernel is launched, and no panic in one.
#[test]
fn an_unknown_level_is_named() {
    let errors = |level: &str| {
        let this = std::env::current_exe().expect("a test knows its own file");
        let mut command = Command::new(this);
        command.args(["--ignored", "--exact", "--nocapture", "t12_instructions::child_prints_errors"]);
        let output = command.env("SPELT_ISA", level).output().expect("a test can be started");
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8(output.stdout).expect("text");
        let said =
            "SPELT_ISA is `abacus`: choose baseline, avx2 or avx512, or leave it unset (Configuration)";
        (text.matches(said).count(), text.matches("Ok(").count())
    };
    assert_eq!(errors(" abacus "), (7, 0));
    assert_eq!(errors("Baseline\t"), (0, 7));
    assert_eq!(errors(" "), (0, 7));
}
