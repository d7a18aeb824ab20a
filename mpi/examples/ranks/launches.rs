//! Launches over distributed Views, beside the same launches on one rank, which has those of one process.

use spelt_core::reducers::{MaxLoc, Sum};
use spelt_core::{AUTO, Between, Result, Serial, View, parallel_for, parallel_reduce, parallel_scan};
use spelt_mpi::{Communicator, Mpi, Partition};

/// More than a tile: shares end inside it.
const EXTENTS: [usize; 2] = [61, 83];

/// Numbers of different sizes: sums in another order have other bits.
fn start([i, j]: [usize; 2]) -> f64 {
    let number = i * EXTENTS[1] + j;
    (number * number % 1009) as f64 * [1e-9, 1.0, 3e7][number % 3]
}

/// The results, which are compared to the last bit.
#[derive(Debug, PartialEq)]
struct Results {
    fields: [Vec<u64>; 3],
    sums: Vec<u64>,
    largest: (u64, usize),
}

fn bits(view: &View<f64, 2>) -> Vec<u64> {
    view.iter().map(|value| value.to_bits()).collect()
}

/// Runs a stencil, a scan, a league and a reduction by a tuple.
pub(crate) fn launches(ranks: &Communicator) -> Result<()> {
    for periodic in [false, true] {
        let alone = Communicator::alone();
        let expected = on_ranks(&alone, &Partition::even(EXTENTS[0], 1), periodic)?;
        let uneven: Vec<_> =
            (0..=ranks.size()).map(|rank| EXTENTS[0] * rank * rank / ranks.size().pow(2)).collect();
        for partition in [Partition::even(EXTENTS[0], ranks.size()), Partition::from_cuts(&uneven)?] {
            let found = on_ranks(ranks, &partition, periodic)?;
            assert!(found == expected, "periodic: {periodic}, {partition:?}");
        }
    }
    Ok(())
}

/// The rows that the stencil reaches from the row: two before and one after, around the ring or inside.
fn inner(periodic: bool) -> core::ops::Range<usize> {
    if periodic { 0..EXTENTS[0] } else { 2..EXTENTS[0] - 1 }
}

fn on_ranks(ranks: &Communicator, partition: &Partition, periodic: bool) -> Result<Results> {
    let [rows, columns] = EXTENTS;
    let space = Mpi::new(ranks, Serial::new());
    let mut x = space.view_from_fn_on(partition, "x", EXTENTS, start)?;
    let mut y = space.view_from_fn_on(partition, "y", EXTENTS, start)?;
    if periodic {
        (x, y) = (x.periodic(), y.periodic());
    }
    for _ in 0..3 {
        // Rows on one side alone, and columns on the other.
        let halo = x.halo_of::<(Between<-2, 1>, Between<-1, 0>)>();
        parallel_for(
            "step",
            space.md_range([inner(periodic), 1..columns]),
            (halo, &mut y),
            |i, (x, mut y)| {
                y[i] = 0.5 * x.at(i, [-2, 0]) + x.at(i, [0, -1]) - 0.25 * x.at(i, [1, 0]);
            },
        )?;
        core::mem::swap(&mut x, &mut y);
    }
    let all = || space.md_range([0..rows, 0..columns]);
    let mut prefixes = space.zeros_on::<f64, 2>(partition, "prefixes", EXTENTS)?;
    let total = parallel_scan(
        "scan",
        all(),
        (&x, &mut prefixes),
        |i, sum, last, (x, mut y)| {
            *sum += x[i];
            if last {
                y[i] = *sum;
            }
        },
        Sum::<f64>::new(),
    )?;
    let mut doubled = space.zeros_on::<f64, 2>(partition, "doubled", EXTENTS)?;
    let rows = parallel_reduce(
        "rows",
        space.team(rows, AUTO),
        (&x, &mut doubled),
        |team, (x, mut y)| {
            team.parallel_for(team.thread_range(columns), |ij| y[ij] = 2.0 * x[ij]);
            let sum =
                team.parallel_reduce(team.thread_range(columns), |ij, sum| *sum += x[ij], Sum::<f64>::new());
            team.contribute(sum);
        },
        Sum::<f64>::new(),
    )?;
    let several = (Sum::<f64>::new(), MaxLoc::<f64>::new());
    let (sum, largest) = parallel_reduce(
        "several",
        all(),
        &x,
        |i, (sum, largest), x| {
            let [row, column] = i.index();
            *sum += x[i] / 3.0;
            largest.update(x[i], row * columns + column);
        },
        several,
    )?;
    let whole = |view| Ok::<_, spelt_core::Error>(bits(&space.all_gather("field", view)?));
    Ok(Results {
        fields: [whole(&x)?, whole(&prefixes)?, whole(&doubled)?],
        sums: [total, rows, sum].map(f64::to_bits).to_vec(),
        largest: (largest.val.to_bits(), largest.loc),
    })
}

/// A launch of which no rank tells another one, under other labels, and then a message.
pub(crate) fn without_messages(ranks: &Communicator) -> Result<()> {
    let space = Mpi::new(ranks, Serial::new());
    let label = if ranks.rank() == 0 { "left" } else { "right" };
    parallel_for(label, space.range(0..10), (), |_, ()| {})?;
    ranks.barrier("the next message")
}
