//! Random input for everything that takes input: files, texts, command lines, the environment, sequences of calls.
//!
//! ```sh
//! cargo run --release -p spelt-fuzz -- npy                      # 10 000 cases
//! cargo run --release -p spelt-fuzz -- all --seed 7 --cases 500
//! ```
//!
//! A case depends only on the seed and its number. The cases run in a separate process, so a case that panics,
//! crashes or hangs is named with the command that repeats it.
//!
//! Damaged bitcode, which may crash LLVM, is tried where the process is that reads it: `cargo-spelt/tests/device_builds/damage.rs`.
//!
//! | file | concept |
//! |---|---|
//! | `targets/` | one target a file: its input, and the properties that must hold |
//! | `mutate.rs` | small changes of bytes and words |
//! | `worker.rs` | the process that runs the cases |
//! | `supervise.rs` | the process that watches it |

mod mutate;
mod supervise;
mod targets;
mod worker;

use std::process::ExitCode;

use clap::Parser;
use targets::{TARGETS, Target};

/// Feeds a target with random input.
#[derive(Debug, Parser)]
#[command(name = "spelt-fuzz", version)]
struct Options {
    /// The target, or `all`.
    target: String,
    /// The seed of all cases.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The number of the first case.
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// The number of cases to run.
    #[arg(long, default_value_t = 10_000)]
    cases: u64,
    /// Seconds that a case may take.
    #[arg(long, default_value_t = 60)]
    limit: u64,
    /// Runs the cases in this process.
    #[arg(long, hide = true)]
    worker: bool,
}

fn main() -> anyhow::Result<ExitCode> {
    if let Some(code) = targets::environment::child() {
        return Ok(code);
    }
    let options = Options::parse();
    let chosen: Vec<&Target> =
        TARGETS.iter().filter(|target| options.target == "all" || options.target == target.name).collect();
    if chosen.is_empty() {
        let names: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
        anyhow::bail!("there is no target `{}`: choose all, {}", options.target, names.join(", "));
    }
    if options.worker {
        worker::run(chosen[0], &options)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut code = ExitCode::SUCCESS;
    for target in chosen {
        match supervise::run(target, &options)? {
            Ok(accepted) => println!("{}: {} cases, {accepted} accepted", target.name, options.cases),
            Err(failure) => {
                println!("{failure}");
                code = ExitCode::FAILURE;
            }
        }
    }
    Ok(code)
}
