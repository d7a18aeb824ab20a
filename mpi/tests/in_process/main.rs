//! The collectives on threads: results, counts, and what goes wrong.

mod collectives;
mod counts;
mod distributed;
mod failures;
mod parts;

use spelt_core::Result;
use spelt_mpi::{Communicator, InProcess};

/// Numbers of ranks of which each tree looks different.
const SIZES: [usize; 7] = [1, 2, 3, 5, 7, 8, 64];

/// Worlds of this size: at once, late and out of order, with rendezvous, and with cut messages.
fn worlds(size: usize) -> Vec<InProcess> {
    let world = InProcess::new(size).timeout(std::time::Duration::from_secs(60));
    let late = world.clone().delays(7 + size as u64, 40);
    let rendezvous = late.clone().rendezvous_above(0).longest_message(4096);
    vec![world, late, rendezvous]
}

/// The results of all ranks, which all succeed, in each world.
fn on_all<T: Send>(size: usize, main: impl Fn(&Communicator) -> Result<T> + Sync) -> Vec<Vec<T>> {
    let results =
        |world: InProcess| world.run(&main).into_iter().map(|result| result.expect("no error")).collect();
    worlds(size).into_iter().map(results).collect()
}

/// The bytes of a rank: lengths differ, some are empty, some long.
fn bytes_of(rank: usize) -> Vec<u8> {
    let len = [0, 1, 5, 4000, 20_000][rank % 5];
    (0..len).map(|at| (at * 31 + rank) as u8).collect()
}
