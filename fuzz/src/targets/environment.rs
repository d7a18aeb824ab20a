//! Spelt's environment variables with any value: a program makes its space and launches, or gets an error that names the
//! variable.

use std::process::{Command, ExitCode};

use fastrand::Rng;
use spelt::prelude::*;

use super::Outcome;
use crate::mutate::NUMBERS;

const VARIABLES: &[&str] = &["SPELT_SPACE", "SPELT_NUM_THREADS", "SPELT_ISA"];

const WORDS: &[&str] = &[
    "serial",
    "Serial",
    " threads ",
    "rayon",
    "cuda",
    "cuda:0",
    "cuda:99999999999999999999",
    "cuda:",
    "cuda:-1",
    "baseline",
    "avx2",
    "AVX512",
    "avx512 ",
    "all",
    "4",
    " 3 ",
    "+2",
    "2.0",
    "\t",
    "\u{1F600}",
    "threads,rayon",
];

/// The variable that makes a child of this program the one whose environment is tried.
const CHILD: &str = "SPELT_FUZZ_CHILD";

pub(crate) fn case(rng: &mut Rng) -> Outcome {
    let program = std::env::current_exe().expect("the path of this program");
    let mut command = Command::new(program);
    command.args(["environment"]).env(CHILD, "1");
    for variable in VARIABLES {
        match rng.u8(..4) {
            0 => command.env_remove(variable),
            1 => command.env(variable, *rng.choice(NUMBERS).expect("not empty")),
            _ => command.env(variable, *rng.choice(WORDS).expect("not empty")),
        };
    }
    let output = command.output().expect("it can be started");
    let said = String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        Some(0) => Outcome::Accepted,
        Some(1) => {
            assert!(said.contains("SPELT_") || said.contains("feature"), "{command:?} said {said}");
            Outcome::Refused
        }
        _ => panic!("{command:?} ended with {}: {said}", output.status),
    }
}

/// The child's part: `None` in any other process.
pub(crate) fn child() -> Option<ExitCode> {
    std::env::var_os(CHILD)?;
    Some(match sum() {
        Ok(sum) => {
            assert_eq!(sum, 49_995_000);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    })
}

fn sum() -> spelt::Result<usize> {
    with_space!(SpaceChoice::from_env()?, |space| {
        parallel_map_reduce("sum", space.range(0..10_000).chunk(1), (), |i, ()| i.get(), Sum::<usize>::new())
    })
}
