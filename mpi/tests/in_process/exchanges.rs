//! Exchanges of halos without a launch: at once, and while the ranks make other calls.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use spelt_core::reducers::Sum;
use spelt_core::tools::{self, LaunchEvent, Tool};
use spelt_core::{Between, Result, Serial, View, parallel_for, parallel_map_reduce};
use spelt_mpi::{Communicator, DistributedView, InProcess, Mpi};

use super::distributed::{agreed, partitions};
use super::{SIZES, on_all};

type Rows = (Between<-1, 1>, Between<0, 0>);
type Deep = (Between<-2, 1>, Between<0, 0>);

const COLUMNS: usize = 1100;

/// A View of long rows, whose messages take several pieces.
fn view<'r>(space: &Mpi<'r, Serial>, label: &str, rows: usize) -> Result<DistributedView<u32, 2>> {
    space.view_from_fn(label, [rows, COLUMNS], |[i, j]| (1000 * i + j) as u32)
}

/// A sum over all inner rows of the rows on both sides.
fn read(space: &Mpi<'_, Serial>, x: &mut DistributedView<u32, 2>) -> Result<u64> {
    let rows = x.extents()[0];
    parallel_map_reduce(
        "read",
        space.md_range([1..rows - 1, 0..COLUMNS]),
        x.halo_of::<Rows>(),
        |i, x| u64::from(x.at(i, [-1, 0])) * 3 + u64::from(x.at(i, [1, 0])) * (1 + i.index()[0] as u64),
        Sum::<u64>::new(),
    )
}

fn expected(rows: usize) -> u64 {
    let x = |i: usize, j: usize| (1000 * i + j) as u64;
    (1..rows - 1)
        .flat_map(|i| (0..COLUMNS).map(move |j| x(i - 1, j) * 3 + x(i + 1, j) * (1 + i as u64)))
        .sum()
}

/// After an exchange, launches with its halos send no rows: those of several Views came in one message to each neighbour.
#[test]
fn launches_after_an_exchange_send_nothing() {
    for size in [1, 2, 3, 7] {
        let rows = 2 * size + 1;
        for results in on_all(size, |ranks| {
            let space = Mpi::new(ranks, Serial::new());
            let (mut x, mut z) = (view(&space, "x", rows)?, view(&space, "z", rows)?);
            let mut y = space.zeros::<u32, 2>("y", [rows, COLUMNS])?;
            let bytes = || ranks.sent().bytes;
            let before = bytes();
            space.exchange("ghosts", (x.halo_of::<Rows>(), [z.halo_of::<Deep>()]))?;
            let between = bytes();
            let halos = (x.halo_of::<Rows>(), z.halo_of::<Rows>(), &mut y);
            parallel_for("copy", space.md_range([1..rows - 1, 0..COLUMNS]), halos, |i, (x, z, mut y)| {
                y[i] = x.at(i, [1, 0]) - z.at(i, [1, 0]) + 1;
            })?;
            // Nothing is old.
            space.exchange("again", x.halo_of::<Rows>())?;
            let after = bytes();
            let inner = y.own_rows().filter(|i| (1..rows - 1).contains(i)).count();
            assert_eq!(y.own().as_view().iter().filter(|y| **y == 1).count(), inner * COLUMNS);
            Ok((read(&space, &mut x)?, between - before, after - between))
        }) {
            for (rank, (sum, exchanged, launched)) in results.into_iter().enumerate() {
                let (above, below) = (u64::from(rank + 1 < size), u64::from(rank > 0));
                // Two rows of z and one of x to the rank above, one of each to the rank below.
                assert_eq!(
                    (exchanged, launched),
                    ((3 * above + 2 * below) * 4 * COLUMNS as u64, 0),
                    "rank {rank} of {size}"
                );
                assert_eq!(sum, expected(rows));
            }
        }
    }
}

/// Other calls while rows travel: launches with halos of other Views, reductions, collectives.
#[test]
fn ranks_make_other_calls_while_rows_travel() {
    for size in [1, 2, 3, 7] {
        let rows = 2 * size + 1;
        for results in on_all(size, |ranks| {
            let space = Mpi::new(ranks, Serial::new());
            let (mut x, mut z) = (view(&space, "x", rows)?, view(&space, "z", rows)?);
            let exchange = space.start_exchange("ghosts", x.halo_of::<Rows>())?;
            let other = read(&space, &mut z)?;
            let bytes = ranks.broadcast("bytes", size - 1, vec![ranks.rank() as u8; 9000])?;
            assert_eq!(bytes, vec![(size - 1) as u8; 9000]);
            let inner = exchange.inner(space.md_range([1..rows - 1, 0..COLUMNS]));
            parallel_for("write", inner, &mut z, |i, mut z| z[i] += 1)?;
            exchange.finish()?;
            let before = ranks.sent().bytes;
            // The second one starts on the same channel.
            space.start_exchange("ghosts", z.halo_of::<Rows>())?.finish()?;
            let is_sent = size == 1 || ranks.sent().bytes > before;
            Ok((other, read(&space, &mut x)?, is_sent))
        }) {
            let found = agreed(results.into_iter().map(Ok).collect());
            assert_eq!(found, (expected(rows), expected(rows), true), "{size} ranks");
        }
    }
}

/// Launches that would read what has not come are refused on all ranks, before any message, and the ranks go on.
#[test]
fn wrong_launches_are_told_on_all_ranks() {
    for size in [1, 2, 3] {
        let texts = InProcess::new(size).timeout(Duration::from_secs(60)).run(|ranks| {
            let space = Mpi::new(ranks, Serial::new());
            let make = |label| space.zeros::<f64, 2>(label, [9, 2]);
            let (mut x, mut z, mut ring) =
                (make("x")?, make("z")?, space.zeros::<f64, 2>("ring", [1, 2])?.periodic());
            let mut plain = View::<f64, 2>::zeros("plain", [9, 2])?;
            let all = || space.md_range([2..8, 0..2]);
            let before = ranks.sent();
            let mut texts = Vec::new();
            let mut told = |result: Result<()>| texts.push(result.expect_err("refused").to_string());
            told(space.exchange("a", &x));
            told(space.exchange("b", &mut x));
            told(space.exchange("c", (x.halo_of::<Rows>(), &plain)));
            told(space.exchange("d", (x.halo_of::<Rows>(), &mut plain)));
            told(space.exchange("e", ring.halo_of::<Deep>()));
            assert_eq!(ranks.sent(), before, "no message");

            let mut exchange = space.start_exchange("ghosts", x.halo_of::<Rows>())?;
            let (inner, rim) = (exchange.inner(all()), exchange.rim(all()));
            let mut early = space.zeros::<f64, 2>("early", [9, 2])?;
            let before = ranks.sent();
            told(parallel_for("f", all(), (exchange.halos(), &mut z), |i, (x, mut z)| z[i] = x[i]));
            told(parallel_for("g", rim.clone(), (exchange.halos(), &mut z), |i, (x, mut z)| z[i] = x[i]));
            told(parallel_for("h", inner.clone(), early.halo_of::<Rows>(), |_, _| ()));
            told(parallel_for("i", rim.clone(), early.halo_of::<Rows>(), |_, _| ()));
            let sum = parallel_map_reduce("j", all(), exchange.halos(), |i, x| x[i], Sum::<f64>::new());
            told(sum.map(|_| ()));
            told(space.start_exchange("k", z.halo_of::<Rows>()).map(drop));
            told(space.exchange("l", exchange.halos()));
            assert_eq!(ranks.sent(), before, "no message");
            parallel_for("inner", inner.clone(), (exchange.halos(), &mut z), |i, (x, mut z)| {
                z[i] = x.at(i, [1, 0])
            })?;
            exchange.finish()?;
            parallel_for("rim", rim, (x.halo_of::<Rows>(), &mut z), |i, (x, mut z)| z[i] = x.at(i, [1, 0]))?;
            // Rows from a smaller reach.
            let mut exchange = space.start_exchange("deep", x.halo_of::<Deep>())?;
            told(parallel_for("m", inner, exchange.halos(), |_, _| ()));
            exchange.finish()?;
            Ok::<_, spelt_core::Error>(texts)
        });
        let expected = [
            "`a`: view `x` is not the halo of a distributed View",
            "`b`: view `x` is not the halo of a distributed View",
            "`c`: view `plain` is not the halo of a distributed View",
            "`d`: view `plain` is not the halo of a distributed View",
            "`e`: the halo of view `ring` reaches over 2 and 1 rows, more than the 1",
            "`f`: an exchange of view `x` is under way",
            "`g`: an exchange of view `x` is under way",
            "`h`: the rows of view `early` that other ranks have are old",
            "`i`: the rows of view `early` that other ranks have are old",
            "`j`: an exchange of view `x` is under way",
            "`k`: another exchange is under way",
            "`l`: view `x` is not the halo",
            "`m`: an exchange of view `x` is under way",
        ];
        for texts in texts {
            let texts = texts.expect("no error");
            assert_eq!(texts.len(), expected.len());
            for (text, expected) in texts.iter().zip(expected) {
                assert!(text.contains(expected), "{text}");
            }
        }
    }
}

/// An exchange that is dropped, or forgotten, brings nothing: its messages are nobody's rows.
#[test]
fn an_exchange_that_does_not_end_brings_nothing() {
    for size in [1, 2, 3, 7] {
        let rows = 2 * size + 1;
        for results in on_all(size, |ranks| {
            let space = Mpi::new(ranks, Serial::new());
            let mut x = view(&space, "x", rows)?;
            let change = |x: &mut DistributedView<u32, 2>| {
                parallel_for("change", space.md_range([0..rows, 0..COLUMNS]), x, |i, mut x| {
                    x[i] = (1000 * i.index()[0] + i.index()[1]) as u32;
                })
            };
            x.own_mut().as_view_mut().fill(7);
            drop(space.start_exchange("dropped", x.halo_of::<Rows>())?);
            space.start_exchange("next", x.halo_of::<Rows>())?.finish()?;
            change(&mut x)?;
            let first = read(&space, &mut x)?;
            x.own_mut().as_view_mut().fill(8);
            core::mem::forget(space.start_exchange("forgotten", x.halo_of::<Rows>())?);
            change(&mut x)?;
            let second = read(&space, &mut x)?;
            let refused = space.start_exchange("refused", x.halo_of::<Rows>()).expect_err("one is under way");
            assert!(refused.to_string().contains("was never finished"), "{refused}");
            Ok((first, second))
        }) {
            assert_eq!(
                agreed(results.into_iter().map(Ok).collect()),
                (expected(rows), expected(rows)),
                "{size} ranks"
            );
        }
    }
}

/// A rank that dies at any message of an exchange ends the job.
#[test]
fn a_rank_that_dies_ends_the_exchange() {
    let in_two = |ranks: &Communicator| {
        let space = Mpi::new(ranks, Serial::new());
        let mut x = view(&space, "x", 7)?;
        let mut exchange = space.start_exchange("ghosts", x.halo_of::<Rows>())?;
        let inner = exchange.inner(space.md_range([1..6, 0..COLUMNS]));
        parallel_for("inner", inner, exchange.halos(), |i, x| assert!(x.at(i, [1, 0]) > x[i]))?;
        exchange.finish()?;
        read(&space, &mut x)
    };
    let mut deaths = 0;
    for operation in 0.. {
        let world =
            InProcess::new(3).timeout(Duration::from_secs(30)).longest_message(4096).rendezvous_above(0);
        let results = world.dies_at(1, operation).run(in_two);
        if results.iter().all(Result::is_ok) {
            break;
        }
        assert!(results[1].is_err(), "{results:?}");
        deaths += 1;
    }
    // Two neighbours, messages of two pieces in both directions, and the reduction.
    assert!(deaths > 8, "{deaths}");
}

/// The local launches of rank 0, which only sends.
static PIECES: AtomicUsize = AtomicUsize::new(0);

/// Counts them.
struct Pieces;

impl Tool for Pieces {
    fn begin_launch(&self, launch: &LaunchEvent<'_>) -> u64 {
        PIECES.fetch_add(usize::from(launch.label == "only sent"), SeqCst);
        0
    }
}

/// A rank to which no message comes looks after those that leave: the other one receives in the middle of its inner part.
#[test]
fn a_rank_that_only_sends_looks_after_its_messages() {
    tools::install("pieces of a rank that only sends", Pieces);
    let results = InProcess::new(2).rendezvous_above(0).run(|ranks| {
        let space = Mpi::new(ranks, Serial::new());
        let mut x = view(&space, "x", 80)?;
        let since = std::time::Instant::now();
        while ranks.rank() == 1 && PIECES.load(SeqCst) < 4 {
            assert!(since.elapsed().as_secs() < 30, "rank 0 has made {} launches", PIECES.load(SeqCst));
            std::thread::yield_now();
        }
        let below = x.halo_of::<(Between<-1, 0>, Between<0, 0>)>();
        parallel_for("only sent", space.md_range([1..80, 0..COLUMNS]), below, |i, x| {
            assert!(x.at(i, [-1, 0]) < x[i])
        })
    });
    assert!(results.iter().all(Result::is_ok), "{results:?}");
}

/// A launch over inner rows looks after the messages between its pieces: those that come late have come when it ends.
#[test]
fn rows_come_while_the_inner_part_runs() {
    let come = InProcess::new(2).delays(3, 7).rendezvous_above(0).run(|ranks| {
        let space = Mpi::new(ranks, Serial::new());
        let mut x = view(&space, "x", 80)?;
        let mut exchange = space.start_exchange("ghosts", x.halo_of::<Rows>())?;
        // All rows have been sent.
        ranks.barrier("sent")?;
        let before = exchange.has_come()?;
        let inner = exchange.inner(space.md_range([1..79, 0..1]));
        parallel_for("inner", inner, exchange.halos(), |i, x| assert!(x.at(i, [1, 0]) > x.at(i, [-1, 0])))?;
        let after = exchange.has_come()?;
        exchange.finish()?;
        Ok::<_, spelt_core::Error>((before, after, ranks.late_halos()))
    });
    assert_eq!(agreed(come), (false, true, 0));
}

/// Inner rows and rims are all rows of the policy, once, for any partition.
#[test]
fn inner_rows_and_rims_are_all_rows() {
    let rows = 11;
    for size in SIZES {
        for partition in partitions(rows, size) {
            let counts = InProcess::new(size).run(|ranks| {
                let space = Mpi::new(ranks, Serial::new());
                let mut x = space.zeros_on::<u32, 2>(&partition, "x", [rows, 1])?;
                let mut y = space.zeros_on::<u32, 2>(&partition, "y", [rows, 1])?;
                let exchange = space.start_exchange("ghosts", x.halo_of::<Deep>())?;
                let policy = space.md_range([3..rows - 1, 0..1]);
                for part in [exchange.inner(policy.clone()), exchange.rim(policy)] {
                    parallel_for("count", part, &mut y, |i, mut y| y[i] += 1)?;
                }
                exchange.finish()?;
                let all = space.md_range([0..rows, 0..1]);
                let outside = |i: usize| u32::from(!(3..rows - 1).contains(&i));
                parallel_map_reduce(
                    "count",
                    all,
                    &y,
                    move |i, y| y[i].abs_diff(1 - outside(i.index()[0])),
                    Sum::<u32>::new(),
                )
            });
            assert_eq!(agreed(counts), 0, "{size} ranks, {partition:?}");
        }
    }
}
