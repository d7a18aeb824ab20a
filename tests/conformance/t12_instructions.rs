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
    searches();
}

/// Searches of lines and boxes whose loops differ: lines shorter than the lanes, as long, longer, and longer than a block; zeros of both signs
/// and NaN are among the numbers.
fn searches() {
    let space = Serial::new();
    for [rows, columns] in
        [[1, 5], [1, 100], [1, 4097], [700, 10], [100, 16], [100, 17], [90, 100], [5, 2000]]
    {
        let number = |[i, j]: [usize; 2]| match (i * columns + j) * 7919 % 103 {
            0 => f64::NAN,
            k if k < 9 => 0.0_f64.copysign(k as f64 - 4.5),
            k => k as f64,
        };
        let x = space.view_from_fn("x", [rows, columns], number).expect("memory");
        let line =
            space.view_from_fn("line", [rows * columns], |[k]| number([k / columns, k % columns]) as f32);
        let line = line.expect("memory");
        for _ in 0..3 {
            let all = space.md_range([0..rows, 0..columns]);
            let ends =
                parallel_map_reduce("ends", all, &x, |i, x| x[i], MinMaxLoc::at_index()).expect("covered");
            println!("bits {ends:?}");
            let all = space.range(0..rows * columns);
            let least = parallel_map_reduce("least", all, &line, |i, x| x[i], MinLoc::at_index());
            println!("bits {:?}", least.expect("covered"));
        }
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
