//! The process that watches the one with the cases: a crash or a hang there is a result here.

use std::io::{BufRead, BufReader, IsTerminal};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressDrawTarget};

use crate::Options;
use crate::targets::Target;

/// The number of accepted cases, or which case failed, how, and how to repeat it.
pub(crate) fn run(target: &Target, options: &Options) -> Result<core::result::Result<u64, String>> {
    (target.prepare)();
    let mut child = start(target, options)?;
    let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let (sender, receiver) = channel();
    std::thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| sender.send(line)));
    let bar = ProgressBar::new(options.cases);
    if !std::io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    let mut case = options.first;
    loop {
        match receiver.recv_timeout(Duration::from_secs(options.limit)) {
            Ok(line) => match line.strip_prefix("accepted ") {
                Some(accepted) => {
                    let accepted = accepted.parse().context("the worker's last line")?;
                    child.wait().context("waiting for the worker")?;
                    bar.finish_and_clear();
                    return Ok(Ok(accepted));
                }
                None => case = line.parse().context("a line of the worker")?,
            },
            Err(RecvTimeoutError::Timeout) => {
                child.kill().context("ending the worker")?;
                child.wait().context("waiting for the worker")?;
                return Ok(Err(failure(
                    target,
                    options,
                    case,
                    &format!("took more than {} s", options.limit),
                )));
            }
            Err(RecvTimeoutError::Disconnected) => {
                let status = child.wait().context("waiting for the worker")?;
                return Ok(Err(failure(target, options, case, &format!("ended its process: {status}"))));
            }
        }
        bar.set_position(case - options.first);
    }
}

fn start(target: &Target, options: &Options) -> Result<Child> {
    let program = std::env::current_exe().context("the path of this program")?;
    Command::new(program)
        .args([target.name, "--worker"])
        .args(["--seed", &options.seed.to_string()])
        .args(["--first", &options.first.to_string()])
        .args(["--cases", &options.cases.to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start the worker")
}

fn failure(target: &Target, options: &Options, case: u64, how: &str) -> String {
    let (name, seed) = (target.name, options.seed);
    format!(
        "{name}: case {case} of seed {seed} {how}; to repeat it: \
         cargo run --release -p spelt-fuzz -- {name} --seed {seed} --first {case} --cases 1"
    )
}
