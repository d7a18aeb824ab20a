//! An empty launch: the cost of waking all threads.

use rayon::prelude::*;
use spelt::prelude::*;

use super::{Case, Made, Variant};
use crate::lineup::{Lineup, Work};
use crate::setup::Setup;

pub(super) const CASE: Case = Case {
    name: "empty",
    hypothesis: "One atomic store wakes spinning workers and one counter brings them back, two hand-overs of a cache \
        line each way: at most 0.9 us, as Kokkos, and less than rayon, whose jobs pass through queues.",
    size: "n",
    variants: &[Variant { name: "one iteration a thread", width: 1, sizes: &[0], race }],
};

fn race(setup: &Setup, _: usize) -> Made {
    let (space, threads) = (setup.space.clone(), setup.threads);
    let lineup = Lineup::new((), Work { bytes: 0, elements: 0 }, |(), ()| Ok(()))
        .with("Spelt", move |()| {
            // A requested chunk is not too small to be distributed.
            parallel_for("empty", space.range(0..threads).chunk(1), (), |i, ()| {
                core::hint::black_box(i.get());
            })
            .expect("there is nothing that could fail");
        })
        .with("rayon", move |()| {
            (0..threads).into_par_iter().for_each(|i| {
                core::hint::black_box(i);
            });
        })
        .with_limit(&setup.limit, |limit, ()| limit.empty())
        .with_remote("Kokkos", setup.peer("empty", "f64", 1));
    Ok(Box::new(lineup))
}
