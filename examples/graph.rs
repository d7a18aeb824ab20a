//! A graph of launches, made once and replayed.
//!
//! An exchange with neighbours in the manner of MPI: for each of them, elements at random indices are packed into a buffer, transferred,
//! and unpacked. The three steps are a branch of a graph. On a device, branches run beside one another; on a host, one after the other.
//! The first replay makes the graph, and already runs it; the others give the same nodes again, which are compared with those of the first.
//!
//! The same program as Kokkos's exercise graph, with a check of the result, and with ghosts of its own for each neighbour: there, the
//! branches write the same ghosts, and read them, at the same time. Transfers are printed once the graph exists, as Kokkos, whose graph
//! runs nothing before, prints them. The numbers of elements, neighbours, elements to send, repetitions:
//! ```text
//! cargo run --release --example graph -- -N 20000 -neighs 6 -nsend 5000 -nrepeat 10 -space threads
//! ```
#![forbid(unsafe_code)]

mod common;

use std::process::{ExitCode, exit};

use getopts::Options;
use spelt::prelude::*;
use spelt::random::{Random, fill_uniform};
use spelt::{Graph, Node};

use common::{CommandLine, say, wrong};

fn main() -> ExitCode {
    let mut options = Options::new();
    options.optopt("N", "", "elements; default 20000", "N");
    options.optopt("", "neighs", "neighbours; default 6", "COUNT");
    options.optopt("", "nsend", "elements to send to each neighbour; default 5000", "COUNT");
    options.optopt("", "nrepeat", "repetitions; default 10", "COUNT");
    let line = CommandLine::parse("Packs, transfers and unpacks elements by a graph of launches", 0, options);
    let user = line.option("N");
    if let Some(n) = user {
        say!("  User N is {n}\n");
    }
    let n = user.unwrap_or(20_000);
    let (neighbours, send) = (line.option("neighs").unwrap_or(6), line.option("nsend").unwrap_or(5000));
    let nrepeat = line.option("nrepeat").unwrap_or(10);
    if n == 0 && send > 0 {
        wrong(format!("-N `0`: there are no elements to send {send} of"));
    }
    common::exit_code(with_space!(line.space(), |space| run(&space, n, neighbours, send, nrepeat)))
}

/// The Views of one neighbour.
struct Neighbour<S: ExecutionSpace> {
    pack_ids: View<usize, 1, S::Memory>,
    send_buffer: View<f64, 1, S::Memory>,
    receive_buffer: View<f64, 1, S::Memory>,
    ghosts: View<f64, 1, S::Memory>,
}

impl<S: ExecutionSpace> Neighbour<S> {
    fn new(space: &S, number: usize, n: usize, send: usize) -> spelt::Result<Self> {
        let mut pack_ids = space.zeros("PackIDs", [send])?;
        if send > 0 {
            fill_uniform(space, &mut pack_ids, Random::new(5_374_857).step(number as u64), 0..n)?;
        }
        Ok(Self {
            pack_ids,
            send_buffer: space.zeros(format!("SendBuf {number}"), [send])?,
            receive_buffer: space.zeros(format!("RecvBuf {number}"), [send])?,
            ghosts: space.zeros("Ghosts", [send])?,
        })
    }

    /// The branch of this neighbour: each step takes the node that it follows, and returns its own. Its transfer may be printed.
    fn exchange(
        &mut self,
        root: Node<'_, S>,
        space: &S,
        data: &View<f64, 1, S::Memory>,
        print: bool,
    ) -> spelt::Result<()> {
        let Self { pack_ids, send_buffer, receive_buffer, ghosts } = self;
        let range = || space.range(0..pack_ids.len());
        let (pack_range, transfer_range, unpack_range) = (range(), range(), range());
        let pack = (data.lookup(), &*pack_ids, &mut *send_buffer);
        let packed =
            root.then_parallel_for("Pack One", pack_range, pack, move |i, (data, ids, mut buffer)| {
                buffer[i] = data[ids[i]];
            })?;
        let transfer = (&mut *receive_buffer, &*send_buffer);
        let transferred = packed
            .then_parallel_for("Transfer", transfer_range, transfer, move |i, (mut to, from)| {
                to[i] = from[i]
            })?
            .then("HostThing", |_| {
                if print {
                    say!("HostTransfer {} {}\n", receive_buffer.label(), send_buffer.label());
                }
                Ok(())
            })?;
        let unpack = (&mut *ghosts, &*receive_buffer);
        transferred
            .then_parallel_for("Unpack", unpack_range, unpack, move |i, (mut to, from)| to[i] = from[i])?;
        Ok(())
    }
}

fn run<S: ExecutionSpace>(
    space: &S,
    n: usize,
    neighbours: usize,
    send: usize,
    nrepeat: usize,
) -> spelt::Result<()> {
    say!("Execute with {n} {neighbours} {send} {nrepeat}\n");
    let mut data = space.zeros::<f64, 1>("Data", [n])?;
    parallel_for("Init Data", space.range(0..n), &mut data, move |i, mut data| data[i] = i.get() as f64)?;
    let all = (0..neighbours).map(|number| Neighbour::new(space, number, n, send));
    let mut all = all.collect::<spelt::Result<Vec<_>>>()?;

    let mut timer = Timer::new(space)?;
    let mut graph = Graph::new(space);
    let mut replay = |print| {
        graph.replay(|root| all.iter_mut().try_for_each(|one| one.exchange(root, space, &data, print)))
    };
    replay(false)?;
    let time_create = timer.seconds()?;
    say!("Graph Create Done\n");

    timer.reset()?;
    for _ in 0..nrepeat {
        replay(true)?;
        space.fence()?;
    }
    let time = timer.seconds()?;
    say!("Graph Runtime: {:.6} {:.6}\n", time * 1000.0, time_create * 1000.0);

    for one in &all {
        let args = (&one.ghosts, &one.pack_ids);
        let wrong = parallel_reduce(
            "Check",
            space.range(0..send),
            args,
            move |i, wrong, (ghosts, ids)| *wrong += usize::from(ghosts[i] != ids[i] as f64),
            Sum::<usize>::new(),
        )?;
        if wrong > 0 {
            say!("  Error: {wrong} of the elements in {} are wrong\n", one.receive_buffer.label());
            exit(1);
        }
    }
    Ok(())
}
