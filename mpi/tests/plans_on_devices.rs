//! Plans of Views in the memory of devices, sent directly and through memory of the host: `cargo gpu test -p spelt-mpi --test plans_on_devices`.
//!
//! Without a driver, and in a program that plain cargo has built, nothing is compared.

#[path = "../src/device_transfers.rs"]
mod device_transfers;
#[path = "plans_on_devices/short_memory.rs"]
mod short_memory;

use device_transfers::{Counts, Outcome};
use spelt_core::reducers::{Reducer, Sum};
use spelt_core::{Cuda, Error, ExecutionSpace, Result, Serial};
use spelt_mpi::{Communicator, InProcess};

/// Ranks with rows of their own and without, and one whose only row all others want.
const CUTS: [usize; 6] = [0, 3, 4, 9, 9, 17];
const ROWS: usize = 17;
const RANKS: usize = 5;

/// Neither commutative nor associative: each order of joins has another value.
#[derive(Clone, Copy)]
struct Digits;

impl Reducer for Digits {
    type Value = u64;
    type Output = u64;
    fn init(&self) -> u64 {
        0
    }
    fn join(&self, into: &mut u64, from: &u64) {
        *into = into.wrapping_mul(31).wrapping_add(*from);
    }
    fn finish(&self, value: u64) -> u64 {
        value
    }
}

/// The rows that a rank wants: those of its own too, some of them twice. Rank 4 wants none.
fn wanted(rank: usize) -> Vec<usize> {
    let count = if rank == 4 { 0 } else { 11 + rank };
    (0..count).map(|number| if number == 0 { 3 } else { (number * number * 5 + 3 * rank) % ROWS }).collect()
}

fn transfers<S: ExecutionSpace>(ranks: &Communicator, space: &S) -> Result<Outcome<u64>> {
    let rank = ranks.rank();
    let (first, rows) = (CUTS[rank], CUTS[rank + 1] - CUTS[rank]);
    let plan = ranks.plan("rows", space, &CUTS, &wanted(rank))?;
    let ghosts = plan.ghosts();
    let mut x = space.view_from_fn("x", [rows, 3], |[i, j]| (100 * (first + i) + j) as u64)?;
    let mut y = space.view_from_fn("y", [rows], |[i]| (first + i) as f64 / 3.0)?;
    let odd = space.view_from_fn("odd", [rows, 5], |[i, j]| (10 * (first + i) + j) as u8)?;
    let flags = space.view_from_fn("flags", [rows], |[i]| (first + i) % 3 == 0)?;
    let long = space.view_from_fn("long", [rows, 700], |[i, j]| (1000 * (first + i) + j) as u64)?;
    let nothing = space.view_from_fn("nothing", [rows, 0], |_| 0_u64)?;
    let mut x_ghosts = space.zeros::<u64, 2>("x ghosts", [ghosts, 3])?;
    let mut y_ghosts = space.zeros::<f64, 1>("y ghosts", [ghosts])?;
    let mut odd_ghosts = space.zeros::<u8, 2>("odd ghosts", [ghosts, 5])?;
    let mut flag_ghosts = space.zeros::<bool, 1>("flag ghosts", [ghosts])?;
    let mut long_ghosts = space.zeros::<u64, 2>("long ghosts", [ghosts, 700])?;
    let mut no_ghosts = space.zeros::<u64, 2>("no ghosts", [ghosts, 0])?;

    let mut elements = Vec::new();
    let mut counts = Counts::new(ranks);
    plan.forward("aligned", ((&x, &mut x_ghosts), (&y, &mut y_ghosts)))?;
    counts.count();
    elements.extend(x_ghosts.to_host()?.to_vec());
    elements.extend(y_ghosts.to_host()?.iter().map(|y| y.to_bits()));
    plan.back("joined", ((&x_ghosts, &mut x, Digits), (&y_ghosts, &mut y, Sum::<f64>::new())))?;
    counts.count();
    elements.extend(x.to_host()?.to_vec());
    elements.extend(y.to_host()?.iter().map(|y| y.to_bits()));
    // The blocks of the first transfer are used again, and hold other rows.
    plan.forward("again", [(&x, &mut x_ghosts)])?;
    plan.forward("and again", ((&x, &mut x_ghosts), (&y, &mut y_ghosts)))?;
    counts.count();
    elements.extend(x_ghosts.to_host()?.to_vec());
    // Above the longest message of one of the worlds.
    plan.forward("long", (&long, &mut long_ghosts))?;
    elements.extend(long_ghosts.to_host()?.to_vec());
    plan.forward("nothing", (&nothing, &mut no_ghosts))?;
    counts.count();
    // 5 bytes a row, and u64 behind them.
    plan.forward("not aligned", ((&odd, &mut odd_ghosts), (&x, &mut x_ghosts)))?;
    counts.count();
    elements.extend(odd_ghosts.to_host()?.iter().map(|odd| u64::from(*odd)));
    plan.forward("another form", ((&y, &mut y_ghosts), (&flags, &mut flag_ghosts)))?;
    counts.count();
    elements.extend(flag_ghosts.to_host()?.iter().map(|flag| u64::from(*flag)));
    Ok(counts.outcome(elements))
}

/// The number of devices; none in a program without device code.
fn devices() -> usize {
    if !Cuda::has_device_code() {
        println!("not run: plain cargo has built the program");
        return 0;
    }
    device_transfers::devices()
}

#[test]
fn rows_are_sent_directly() {
    let devices = devices();
    if devices == 0 {
        return;
    }
    let worlds = device_transfers::in_each_world(
        RANKS,
        |ranks| transfers(ranks, &Serial::new()),
        |ranks| transfers(ranks, &Cuda::new(ranks.rank() % devices)?),
    );
    for (rank, [expected, staged, mixed, direct]) in worlds.into_iter().enumerate() {
        assert!(staged.staged.iter().all(|bytes| *bytes > 0), "rank {rank}: {staged:?}");
        // Some messages have as many rows of 5 bytes as make the next ones aligned.
        assert_eq!(direct.staged[..4], [0; 4], "rank {rank}");
        assert!(direct.staged[4] > 0 && direct.staged[4] <= staged.staged[4], "rank {rank}: {direct:?}");
        assert_eq!(direct.staged[5], staged.staged[5]);
        // The header with the shapes, and the rows behind it; what passes through the host fits into one piece with it.
        for transfer in 0..3 {
            assert_eq!(direct.sent[transfer], 2 * expected.sent[transfer], "rank {rank}");
            let pieces = if rank == 1 { 1 } else { 2 };
            assert_eq!(mixed.sent[transfer], pieces * expected.sent[transfer], "rank {rank}");
        }
        assert_eq!(direct.sent[5], expected.sent[5]);
    }
}

#[test]
fn a_rank_dies_at_each_operation() {
    let devices = devices();
    if devices == 0 {
        return;
    }
    let whole = device_transfers::a_rank_dies_at_each_operation(RANKS, |ranks| {
        transfers(ranks, &Cuda::new(ranks.rank() % devices)?)
    });
    // Eight transfers with two neighbours and more, most of them with two pieces out and in for each.
    assert!(whole > 8 * 4, "{whole}");
}

#[test]
fn other_types_of_the_same_size_are_told() {
    let devices = devices();
    if devices == 0 {
        return;
    }
    let results = InProcess::new(2).with_device_memory().run(|ranks| {
        let space = Cuda::new(ranks.rank() % devices)?;
        let plan = ranks.plan("other", &space, &[0, 1, 2], &[1 - ranks.rank()])?;
        let shape = if ranks.rank() == 0 { [1, 6] } else { [1, 3] };
        if ranks.rank() == 0 {
            plan.forward("other", (&space.zeros::<f32, 2>("x", shape)?, &mut space.zeros("ghosts", shape)?))
        } else {
            plan.forward("other", (&space.zeros::<u64, 2>("x", shape)?, &mut space.zeros("ghosts", shape)?))
        }
    });
    for error in
        results.into_iter().map(|result: Result<(), Error>| result.expect_err("types differ").to_string())
    {
        assert!(error.contains("[1, 6] of f32") && error.contains("[1, 3] of u64"), "{error}");
    }
}
