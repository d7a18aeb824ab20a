use super::{SIZES, on_all};
use spelt_mpi::{Communicator, InProcess, Sent};

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
