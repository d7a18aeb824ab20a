//! The collectives on threads: results, counts, and what goes wrong.

mod collectives;
mod counts;
mod deaths;
mod distributed;
mod exchanges;
mod failures;
mod files;
mod halos;
mod leagues;
mod model;
mod parts;
mod plans;
mod reducers;
mod sequences;
mod tools;
mod views;
mod whole_views;

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

/// The mixing function of SplitMix64.
fn random(number: usize) -> u64 {
    let number = (number as u64).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb) >> 11
}

/// Numbers over twenty decades: sums in another order have other bits.
fn term(i: usize) -> f64 {
    let random = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 11;
    (random as f64 / (1_u64 << 53) as f64 - 0.5) * 10_f64.powi((i % 20) as i32 - 10)
}

/// Cuts of `n` iterations for `size` ranks: even, at one place, random and sorted.
fn cuts(n: usize, size: usize) -> [Vec<usize>; 3] {
    let mut random: Vec<_> = (0..=size).map(|rank| (rank * 7919 + 13 * size + n / 3) % (n + 1)).collect();
    random.sort_unstable();
    (random[0], random[size]) = (0, n);
    let at_one_place = (0..=size).map(|rank| if rank <= size / 2 && rank < size { 0 } else { n }).collect();
    let even = (0..=size).map(|rank| n * rank / size).collect();
    [even, at_one_place, random]
}
