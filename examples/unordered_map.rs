//! A map from global numbers to local ones: kernels insert into it, look numbers up in it, and go through it.
//!
//! The global numbers are made up: those of neighbours are far apart. Inserting more than the map can hold is an error that leaves the map
//! empty. Kokkos's map would keep some of them, depending on the run.
//!
//! The same program as Kokkos's exercise unordered_map:
//! ```text
//! cargo run --release --example unordered_map -- 100000 100000 -space threads
//! ```
#![forbid(unsafe_code)]

mod common;

use std::process::ExitCode;

use getopts::Options;
use spelt::ErrorKind;
use spelt::containers::UnorderedMap;
use spelt::prelude::*;

use common::{CommandLine, say};

fn main() -> ExitCode {
    let brief = "Usage: unordered_map [IDS] [CAPACITY]: IDS numbers in a map for CAPACITY; defaults 100000 and 100000";
    let line = CommandLine::parse(brief, 2, Options::new());
    let (ids, capacity) = (line.positional(0, "IDS", 100_000), line.positional(1, "CAPACITY", 100_000));
    common::exit_code(with_space!(line.space(), |space| run(&space, ids, capacity)))
}

fn run<S: ExecutionSpace>(space: &S, ids: u32, capacity: usize) -> spelt::Result<()> {
    let all = || space.range(0..ids as usize);
    let l2g = space.uninit("local_2_global", [ids as usize])?;
    let l2g = parallel_fill("global ids", all(), l2g, (), |i, ()| (!(i.get() as u64)).swap_bytes())?;

    // No number occurs twice, so any reducer would do.
    let mut g2l = UnorderedMap::<u64, u32, _>::with_capacity(space, "global_2_local", capacity)?;
    let inserted = g2l.insert(space, Min::new(), |g2l| {
        parallel_for("insert", all(), (&l2g, g2l), |i, (l2g, g2l)| g2l.insert(l2g[i], i.get() as u32))
    });
    let exceeded = match inserted {
        Err(error) if error.kind() == ErrorKind::Capacity => true,
        other => {
            other?;
            false
        }
    };
    if exceeded {
        say!("Exceeded UnorderedMap capacity\n");
    }

    // By global number.
    let missing = parallel_map_reduce(
        "find",
        all(),
        (&l2g, &g2l),
        |i, (l2g, g2l)| wrong(g2l.find(l2g[i]), i),
        Sum::new(),
    )?;
    let expected = if exceeded { ids } else { 0 };
    // Through the map, in the order of its keys.
    let (global, local) = g2l.to_sorted(space)?;
    let args = (&global, &local, l2g.lookup());
    let incorrect = parallel_map_reduce(
        "go through",
        space.range(0..global.len()),
        args,
        |i, (global, local, l2g)| u32::from(l2g[local[i]] != global[i]),
        Sum::new(),
    )?;
    if missing != expected || incorrect > 0 || global.len() != (ids - expected) as usize {
        say!("UnorderedMap has incorrect values\n");
    }
    Ok(())
}

/// 1 if the map has not found the local number.
fn wrong(found: Option<u32>, local: spelt::Idx<'_, 1>) -> u32 {
    u32::from(found != Some(local.get() as u32))
}
