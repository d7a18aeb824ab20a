//! The cores that threads are bound to.
//!
//! A team of all threads of the pool runs once, and each thread reads what the system says about it. [`Threads::builder`] pins workers, each to
//! a core of its own; the thread that launches belongs to the program and stays free. Kernels on hosts alone may capture references, as
//! this one does, and ask the system.
//!
//! The same lines as those of Kokkos's exercise hpcbind, which prints where OpenMP's threads run; after them, the processing units on which
//! each thread may run. It needs Linux:
//! ```text
//! cargo run --release --example hpcbind -- -threads 2
//! cargo run --release --example hpcbind -- -threads 2 -unpinned
//! ```
#![forbid(unsafe_code)]

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::process::ExitCode;
use std::sync::Mutex;

use getopts::Options;
use spelt::SpaceChoice;
use spelt::prelude::*;

use common::{CommandLine, say, wrong};

fn main() -> ExitCode {
    let mut options = Options::new();
    options.optopt("", "threads", "threads; default: SPELT_NUM_THREADS, or the allowed cores", "COUNT");
    options.optflag("", "unpinned", "leave the threads to the system");
    let line = CommandLine::parse("Prints where each thread of the pool is bound", 0, options);
    let space = line.space();
    if space != SpaceChoice::Threads {
        wrong(format!("-space `{space}`: only the space threads has threads to bind"));
    }
    common::exit_code(run(line.option("threads"), !line.is_given("unpinned")))
}

fn run(threads: Option<usize>, pin: bool) -> spelt::Result<()> {
    let builder = Threads::builder().pin(pin);
    let space = threads.map_or(builder.clone(), |threads| builder.num_threads(threads)).build()?;
    let places = Mutex::new(BTreeMap::new());
    let team = space.team(1, space.concurrency());
    parallel_for("where am I", team, (), |team, ()| {
        places.lock().expect("no thread panics").insert(team.team_rank(), where_am_i());
    })?;
    let places = places.into_inner().expect("no thread panics");
    for (rank, place) in &places {
        match place {
            Some((place, _)) => say!("{rank:3} of {:3} : {place}\n", space.concurrency()),
            None => say!("Unable to detect binding\n"),
        }
    }
    for (rank, place) in &places {
        if let Some((_, allowed)) = place {
            say!("{rank:3} bound to: {allowed}\n");
        }
    }
    let configuration = space.configuration();
    if let Some(pinning) = configuration.lines().find(|line| line.starts_with("pinning")) {
        say!("{pinning}\n");
    }
    Ok(())
}

/// The core and the processing unit on which the calling thread runs, and the units on which it may run, by the numbers of
/// Linux. Kokkos's exercise has those of the library hwloc, and -1 for a core that is not known too.
fn where_am_i() -> Option<(String, String)> {
    let stat = fs::read_to_string("/proc/thread-self/stat").ok()?;
    // The name of the thread, in brackets, may have blanks. After it the processing unit is field 37 of the rest.
    let unit = stat.rsplit_once(')')?.1.split_whitespace().nth(36)?;
    let core = fs::read_to_string(format!("/sys/devices/system/cpu/cpu{unit}/topology/core_id"));
    let core = core.as_deref().map_or("-1", str::trim);
    let status = fs::read_to_string("/proc/thread-self/status").ok()?;
    let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
    Some((format!("core: {core:>3} pu: {unit:>3}"), allowed.trim().to_owned()))
}
