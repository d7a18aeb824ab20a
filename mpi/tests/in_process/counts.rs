use core::cell::Cell;

use spelt_core::Result;
use spelt_mpi::{Communicator, InProcess, Sent};

use super::{SIZES, on_all};

/// The messages of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Those of all ranks.
    pub(crate) messages: u64,
    /// The most of one rank.
    pub(crate) most: u64,
    /// The bytes of all.
    pub(crate) bytes: u64,
    /// The length of the longest chain of messages, each sent after the one before had come.
    pub(crate) steps: u64,
}

/// The messages of one call.
pub(crate) fn count(size: usize, call: impl Fn(&Communicator) -> Result<()> + Sync) -> Counts {
    count_from(size, |ranks, start| {
        start();
        call(ranks)
    })
}

/// The messages of a call from `start` on. The steps of all ranks are equal there.
pub(crate) fn count_from(
    size: usize,
    call: impl Fn(&Communicator, &dyn Fn()) -> Result<()> + Sync,
) -> Counts {
    let sent = InProcess::new(size).run(|ranks| {
        let before = Cell::new(None);
        call(ranks, &|| before.set(Some((ranks.sent(), ranks.steps()))))?;
        let (before, first_steps) = before.get().expect("it has started");
        let Sent { messages, bytes } = ranks.sent();
        Ok((messages - before.messages, bytes - before.bytes, [first_steps, ranks.steps()]))
    });
    let sent: Vec<_> = sent.into_iter().map(|sent| sent.expect("no error")).collect();
    let first_steps = sent[0].2[0];
    assert!(sent.iter().all(|sent| sent.2[0] == first_steps), "{sent:?}");
    Counts {
        messages: sent.iter().map(|sent| sent.0).sum(),
        most: sent.iter().map(|sent| sent.0).max().unwrap_or(0),
        bytes: sent.iter().map(|sent| sent.1).sum(),
        steps: sent.iter().map(|sent| sent.2[1] - first_steps).max().unwrap_or(0),
    }
}

/// Numbers of ranks that `size` ranks have, halved as often as possible: rounded down, as trees need it, and up, as exchanges of all do.
pub(crate) fn log2(size: usize) -> [u64; 2] {
    [u64::from(size.ilog2()), u64::from(usize::BITS - (size - 1).leading_zeros())]
}

/// Numbers of ranks from 1 to 64: the small ones, and those around powers of two.
pub(crate) fn sizes() -> impl Iterator<Item = usize> {
    (1..=9).chain([12, 15, 16, 17, 31, 32, 33, 47, 63, 64])
}

#[test]
fn messages_bytes_and_steps() {
    for size in sizes() {
        let (others, all, [down, up]) = (size as u64 - 1, size as u64, log2(size));
        let keep = |left: &[u8], _: &[u8]| Ok(left.to_vec());
        let of = |messages, most, bytes, steps| Counts { messages, most, bytes, steps };
        assert_eq!(count(size, |ranks| ranks.barrier("b")), of(all * up, up, 0, up));
        for root in [0, size / 2, size - 1] {
            let counts = count(size, |ranks| ranks.broadcast("b", root, vec![0; 10]).map(drop));
            assert_eq!(counts, of(others, up, 10 * others, down), "{size} ranks");
            let counts = count(size, |ranks| ranks.gather("g", root, vec![0; 10]).map(drop));
            assert_eq!((counts.messages, counts.most, counts.steps), (others, others.min(1), down));
            let counts = count(size, |ranks| ranks.scatter("s", root, vec![vec![0; 10]; size]).map(drop));
            assert_eq!((counts.messages, counts.most, counts.steps), (others, up, down));
        }
        let counts = count(size, |ranks| ranks.all_reduce("r", vec![0; 24], keep).map(drop));
        assert_eq!((counts.messages, counts.bytes, counts.steps), (2 * others, 48 * others, 2 * down));
        assert!(counts.most <= up.max(1), "{counts:?} of {size}");
        let counts = count(size, |ranks| ranks.reduce("r", vec![0; 8], keep).map(drop));
        assert_eq!(counts, of(others, others.min(1), 8 * others, down));
        let counts = count(size, |ranks| ranks.all_gather_v("g", vec![1]).map(drop));
        assert_eq!((counts.messages, counts.most, counts.steps), (all * up, up, up));
        let counts = count(size, |ranks| ranks.all_to_all_v("a", vec![vec![0; 3]; size]).map(drop));
        assert_eq!(counts, of(all * others, others, 3 * all * others, others));
        let counts = count(size, |ranks| ranks.exclusive_prefix("p", vec![0], keep).map(drop));
        assert_eq!((counts.most, counts.steps), (up, down));
        let counts = count(size, |ranks| ranks.deliver("d", Vec::new()).map(drop));
        assert_eq!(counts, of(all * up, up, 0, up));
        let counts = count(size, |ranks| {
            let right = (ranks.rank() + 1) % size;
            ranks.exchange("e", vec![(right, vec![0; 5])], &[(ranks.rank() + size - 1) % size]).map(drop)
        });
        let messages = if size > 1 { all } else { 0 };
        assert_eq!(counts, of(messages, messages.min(1), 5 * messages, messages.min(1)));
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
    assert_eq!([pieces(4096), pieces(50_000), pieces(200_000)], [26, 3, 2]);
}

/// The pieces of a message travel at the same time.
#[test]
fn pieces_are_one_step() {
    let steps = InProcess::new(2).longest_message(4096).rendezvous_above(0).run(|ranks| {
        ranks.broadcast("long", 0, vec![0; 100_000])?;
        Ok(ranks.steps())
    });
    assert_eq!(steps.into_iter().map(|steps| steps.expect("no error")).collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn a_rank_counts_what_it_sent() {
    for results in on_all(2, |ranks| ranks.broadcast("b", 1, vec![0; 7]).map(|_| ranks.sent())) {
        assert!(results[1].messages > 1 && results[1].bytes >= 7, "{results:?}");
    }
    assert_eq!(SIZES[0], 1);
    assert_eq!(Communicator::alone().steps(), 0);
}
