use spelt_core::reducers::Sum;
use spelt_core::{Serial, parallel_for, parallel_reduce};
use spelt_mpi::{Communicator, InProcess, Mpi, Sent};

use super::{SIZES, on_all};

/// The messages of one call, summed over the ranks, and the most of one rank.
fn count(size: usize, call: impl Fn(&Communicator) -> spelt_core::Result<()> + Sync) -> (u64, u64, u64) {
    let sent = InProcess::new(size).run(|ranks| {
        let before = ranks.sent();
        call(ranks)?;
        let Sent { messages, bytes } = ranks.sent();
        Ok((messages - before.messages, bytes - before.bytes))
    });
    let sent: Vec<_> = sent.into_iter().map(|sent| sent.expect("no error")).collect();
    let all = |of: fn(&(u64, u64)) -> u64| sent.iter().map(of).sum();
    (all(|sent| sent.0), sent.iter().map(|sent| sent.0).max().unwrap_or(0), all(|sent| sent.1))
}

fn log2_up(size: usize) -> u64 {
    u64::from(usize::BITS - (size - 1).leading_zeros())
}

#[test]
fn messages_and_bytes() {
    for size in SIZES {
        let (others, depth) = (size as u64 - 1, log2_up(size));
        let keep = |left: &[u8], _: &[u8]| Ok(left.to_vec());
        assert_eq!(count(size, |ranks| ranks.barrier("b")), (size as u64 * depth, depth, 0));
        assert_eq!(
            count(size, |ranks| ranks.broadcast("b", 0, vec![0; 10]).map(drop)),
            (others, depth, 10 * others)
        );
        let (messages, most, bytes) = count(size, |ranks| ranks.all_reduce("r", vec![0; 24], keep).map(drop));
        assert_eq!((messages, bytes), (2 * others, 48 * others));
        assert!(most <= depth.max(1), "{most} messages of one rank of {size}");
        assert_eq!(
            count(size, |ranks| ranks.reduce("r", vec![0; 8], keep).map(drop)),
            (others, others.min(1), 8 * others)
        );
        let (messages, most, _) = count(size, |ranks| ranks.all_gather_v("g", vec![1]).map(drop));
        assert_eq!((messages, most), (size as u64 * depth, depth));
        let (messages, most, bytes) =
            count(size, |ranks| ranks.all_to_all_v("a", vec![vec![0; 3]; size]).map(drop));
        assert_eq!((messages, most, bytes), (size as u64 * others, others, 3 * size as u64 * others));
        let (_, most, _) = count(size, |ranks| ranks.exclusive_prefix("p", vec![0], keep).map(drop));
        assert_eq!(most, depth);
    }
}

/// A payload above the first piece is cut at the longest message.
#[test]
fn long_messages_are_cut() {
    let pieces = |longest: usize| {
        let sent = InProcess::new(2).longest_message(longest).run(|ranks| {
            let before = ranks.sent().messages;
            let bytes = ranks.broadcast("long", 0, (0..100_000).map(|at: u32| at as u8).collect())?;
            assert!(bytes.len() == 100_000 && bytes.iter().enumerate().all(|(at, byte)| *byte == at as u8));
            Ok(ranks.sent().messages - before)
        });
        *sent[0].as_ref().expect("no error")
    };
    assert_eq!([pieces(4096), pieces(50_000), pieces(200_000)], [25, 3, 2]);
}

#[test]
fn a_rank_counts_what_it_sent() {
    for results in on_all(2, |ranks| ranks.broadcast("b", 1, vec![0; 7]).map(|_| ranks.sent())) {
        assert!(results[1].messages > 1 && results[1].bytes >= 7, "{results:?}");
    }
}

/// The model of docs/machines.md.
mod model {
    /// The bytes of a part of a sum of `f64` without its nodes.
    const PART: u64 = 57;

    /// The nodes of the canonical tree that cover the tiles `first..end`: aligned powers of two.
    pub(super) fn nodes(mut first: usize, end: usize) -> u64 {
        let mut nodes = 0;
        while first < end {
            let aligned = if first == 0 { usize::MAX } else { 1 << first.trailing_zeros() };
            first += aligned.min(1 << (end - first).ilog2());
            nodes += 1;
        }
        nodes
    }

    /// The bytes of all messages of a reduction over ranks whose shares begin at the tiles `first`, with the number of tiles at the end.
    pub(super) fn bytes_of_reduction(first: &[usize]) -> u64 {
        let (size, tiles) = (first.len() - 1, first[first.len() - 1]);
        let up = (1..size).map(|rank| {
            let below = (rank + (1 << rank.trailing_zeros())).min(size);
            PART + 8 * nodes(first[rank], first[below])
        });
        up.sum::<u64>() + (size as u64 - 1) * (PART + 8 * nodes(0, tiles))
    }

    /// The most bytes of one of its messages.
    pub(super) fn longest_message(tiles: usize) -> u64 {
        PART + 8 * 2 * u64::from(usize::BITS - tiles.leading_zeros())
    }
}

#[test]
fn reductions_take_the_messages_and_bytes_of_the_model() {
    const TILE: usize = 2048;
    for size in 1..=64 {
        for tiles in [size, 5 * size + 3] {
            let first: Vec<_> = (0..=size).map(|rank| tiles * rank / size).collect();
            let (messages, most, bytes) = count(size, |ranks| {
                let space = Mpi::new(ranks, Serial::new());
                let policy = space.range(0..tiles * TILE);
                parallel_reduce("sum", policy, (), |i, sum, ()| *sum += i.get() as f64, Sum::<f64>::new())
                    .map(drop)
            });
            let others = size as u64 - 1;
            assert_eq!(
                (messages, bytes),
                (2 * others, model::bytes_of_reduction(&first)),
                "{tiles} on {size}"
            );
            assert!(
                most <= log2_up(size).max(1) && bytes <= 2 * others * model::longest_message(tiles),
                "{tiles} on {size}"
            );
        }
    }
}

#[test]
fn halos_take_the_messages_and_bytes_of_the_model() {
    for size in 1..=64 {
        let (rows, columns) = (3 * size, 20);
        for periodic in [false, true] {
            let (messages, most, bytes) = count(size, |ranks| {
                let space = Mpi::new(ranks, Serial::new());
                let mut x = space.zeros::<f64, 2>("x", [rows, columns])?;
                if periodic {
                    x = x.periodic();
                }
                let policy = space.md_range([2..rows - 2 + usize::from(rows < 4), 2..columns - 2]);
                parallel_for("step", policy, (x.halo::<2>(), ()), |i, (x, ())| {
                    assert_eq!(x.at(i, [0, 1]), 0.0)
                })
            });
            // Two ranks on a ring are neighbours on both sides, in one message.
            let borders = match (size, periodic) {
                (1, _) => 0,
                (_, false) => size as u64 - 1,
                (_, true) => size as u64,
            };
            let pairs = if (size, periodic) == (2, true) { 1 } else { borders };
            assert_eq!(
                (messages, bytes),
                (2 * pairs, 2 * borders * 2 * 8 * columns as u64),
                "{size}, {periodic}"
            );
            assert!(most <= 2);
        }
    }
}
