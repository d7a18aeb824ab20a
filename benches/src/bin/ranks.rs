//! Reductions and heat steps on ranks, beside C with the same library of MPI: `benches/mpi/README.md`.

use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use spelt::mpi::{Communicator, DistributedView, Mpi};
use spelt::prelude::*;
use spelt_benches::machine;
use spelt_benches::mpi::{Heat, Peer};
use spelt_benches::options::size;
use spelt_benches::statistics::Spread;

/// Times reductions and heat steps on ranks beside C, in turns within one run.
#[derive(Clone, Debug, Parser)]
#[command(version)]
struct Options {
    /// The compiler of the library that the ranks use
    #[arg(long, default_value = "mpicc")]
    mpicc: String,

    /// The number of turns of each contender
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,

    /// Sums in a turn
    #[arg(long, default_value_t = 2000)]
    sums: usize,

    /// Heat steps in a turn, for boxes of up to 64 cells a side; larger ones have fewer
    #[arg(long, default_value_t = 100)]
    steps: usize,

    /// Cells along a side of the boxes
    #[arg(long, value_delimiter = ',', value_parser = size, default_value = "64,128,192")]
    sizes: Vec<usize>,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let result = spelt::mpi::run(|ranks| {
        compare(ranks, &options)
            .map_err(|message| spelt::Error::new(spelt::ErrorKind::Configuration, message))
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn compare(ranks: &Communicator, options: &Options) -> Result<(), String> {
    let peer = Peer::on_ranks(ranks, &options.mpicc)?;
    let space = Mpi::new(ranks, Serial::new());
    let is_root = ranks.rank() == 0;
    if is_root {
        println!(
            "{}\n{}, {}, load {}",
            spelt::mpi::configuration(),
            machine::processor(),
            machine::cores(),
            machine::load()
        );
        println!("the peer: {}\n", peer.version());
        println!("| {} ranks | C | Spelt | |\n|---|---:|---:|---:|", ranks.size());
    }
    let (mut of_peer, mut of_spelt) = (Vec::new(), Vec::new());
    for _ in 0..options.rounds {
        peer.sums(ranks, options.sums, &mut of_peer)?;
        sums(&space, options.sums, &mut of_spelt).map_err(|error| error.to_string())?;
    }
    if is_root {
        let [peer, spelt] = [of_peer, of_spelt].map(Spread::of);
        let longer = (spelt.median - peer.median) * 1e6;
        println!(
            "| sum of one `f64` of each rank | {} | {} | {longer:+.2} us |",
            microseconds(peer),
            microseconds(spelt)
        );
    }
    for n in &options.sizes {
        let [peer, spelt] = heat(&space, &peer, *n, options)?.map(Spread::of);
        if is_root {
            let ratio = spelt.median / peer.median;
            println!(
                "| heat step, {n} x {n} x {n} | {} | {} | {ratio:.2} |",
                microseconds(peer),
                microseconds(spelt)
            );
        }
    }
    Ok(())
}

/// The median with its quartiles.
fn microseconds(Spread { low, median, high }: Spread) -> String {
    format!("{:.2} ({:.2} to {:.2}) us", median * 1e6, low * 1e6, high * 1e6)
}

/// Sums of one number of each rank. Appends the seconds of each.
fn sums(space: &Mpi<'_, Serial>, count: usize, seconds: &mut Vec<f64>) -> spelt::Result<()> {
    let size = space.ranks().size();
    space.ranks().barrier("sums")?;
    for _ in 0..count {
        let start = Instant::now();
        let sum = parallel_reduce(
            "sum",
            space.range(0..size),
            (),
            move |_, sum, ()| *sum += 1.0,
            Sum::<f64>::new(),
        )?;
        seconds.push(start.elapsed().as_secs_f64());
        assert_eq!(sum, size as f64);
    }
    Ok(())
}

/// The temperature of a cell at the start: `peer.c` has the same.
fn start([i, j, k]: [usize; 3]) -> f64 {
    ((i * 31 + j * 17 + k * 7) % 23) as f64
}

/// Seconds of steps in C and by Spelt, whose temperatures are the same to rounding.
fn heat(space: &Mpi<'_, Serial>, peer: &Peer, n: usize, options: &Options) -> Result<[Vec<f64>; 2], String> {
    let told = |error: spelt::Error| error.to_string();
    let steps = (options.steps * 64_usize.pow(3) / n.max(64).pow(3)).max(2);
    let mut x = space.view_from_fn("x", [n; 3], start).map_err(told)?;
    let mut y = space.view_from_fn("y", [n; 3], start).map_err(told)?;
    let mut by_hand = Heat::new(peer, n, x.partition(), space.ranks())?;
    let [mut of_peer, mut of_spelt] = [Vec::new(), Vec::new()];
    // The first turn of each warms up.
    for round in 0..=options.rounds {
        by_hand.steps(steps, &mut of_peer)?;
        step(space, [&mut x, &mut y], steps, &mut of_spelt).map_err(told)?;
        if round == 0 {
            of_peer.clear();
            of_spelt.clear();
        }
    }
    let own = x.own();
    for (cell, by_hand) in own.as_view().iter().zip(by_hand.cells()) {
        if (cell - by_hand).abs() > 1e-9 {
            return Err(format!("a cell is {cell}, and {by_hand} in C"));
        }
    }
    Ok([of_peer, of_spelt])
}

/// Heat steps of the first View, with room in the second. Appends the seconds of each.
fn step(
    space: &Mpi<'_, Serial>,
    [x, y]: [&mut DistributedView<f64, 3>; 2],
    count: usize,
    seconds: &mut Vec<f64>,
) -> spelt::Result<()> {
    let n = x.extents()[0];
    space.ranks().barrier("steps")?;
    for _ in 0..count {
        let start = Instant::now();
        let inner = space.md_range([1..n - 1, 1..n - 1, 1..n - 1]);
        parallel_for("heat", inner, (x.halo::<1>(), &mut *y), move |i, (x, mut y)| {
            let neighbours = x.at(i, [-1, 0, 0])
                + x.at(i, [1, 0, 0])
                + x.at(i, [0, -1, 0])
                + x.at(i, [0, 1, 0])
                + x.at(i, [0, 0, -1])
                + x.at(i, [0, 0, 1]);
            y[i] = x[i] + 0.1 * (neighbours - 6.0 * x[i]);
        })?;
        std::mem::swap(x, y);
        seconds.push(start.elapsed().as_secs_f64());
    }
    Ok(())
}
