//! For tests: transfers between Views in the memory of devices, sent directly and through memory of the host, compared with those of the host.
//!
//! The test of plans has this file as its own module, so it names the crate's items by `super`.

use spelt_core::{Cuda, Result};

use super::{Communicator, InProcess};

/// The devices; none, with a note, on a machine without a driver, unless an emulator was asked for.
pub(crate) fn devices() -> usize {
    match Cuda::count() {
        Ok(count @ 1..) => count,
        none => {
            assert!(std::env::var_os("SPELT_EMULATOR").is_none(), "there is no emulator: {none:?}");
            println!("not run, as there is no device: {none:?}");
            0
        }
    }
}

/// The elements that one rank has after transfers, and for each transfer the messages that it sent and the bytes that were staged.
#[derive(Debug, PartialEq)]
pub(crate) struct Outcome<E> {
    pub(crate) elements: Vec<E>,
    pub(crate) sent: Vec<u64>,
    pub(crate) staged: Vec<u64>,
}

/// Counts messages and staged bytes between transfers.
pub(crate) struct Counts<'r> {
    ranks: &'r Communicator,
    sent: Vec<u64>,
    staged: Vec<u64>,
}

impl<'r> Counts<'r> {
    /// Begins before the first transfer.
    pub(crate) fn new(ranks: &'r Communicator) -> Self {
        let mut counts = Self { ranks, sent: Vec::new(), staged: Vec::new() };
        counts.count();
        counts
    }

    /// Ends a transfer, and begins the next.
    pub(crate) fn count(&mut self) {
        self.sent.push(self.ranks.sent().messages);
        self.staged.push(self.ranks.staged());
    }

    pub(crate) fn outcome<E>(self, elements: Vec<E>) -> Outcome<E> {
        let differences = |counts: &[u64]| counts.windows(2).map(|pair| pair[1] - pair[0]).collect();
        Outcome { elements, sent: differences(&self.sent), staged: differences(&self.staged) }
    }
}

/// The outcomes of each of `ranks` ranks: on the host; on devices, through memory of the host; the same directly, but with rank 1 on the host;
/// and directly, with messages cut into pieces. The elements of all are the same, and nothing is staged on the host.
pub(crate) fn in_each_world<E: PartialEq + core::fmt::Debug + Send>(
    ranks: usize,
    on_host: impl Fn(&Communicator) -> Result<Outcome<E>> + Sync,
    on_device: impl Fn(&Communicator) -> Result<Outcome<E>> + Sync,
) -> Vec<[Outcome<E>; 4]> {
    fn outcomes<E: Send>(
        world: &InProcess,
        run: impl Fn(&Communicator) -> Result<Outcome<E>> + Sync,
    ) -> Vec<Outcome<E>> {
        world.run(run).into_iter().map(|outcome| outcome.expect("no error")).collect()
    }
    let world = InProcess::new(ranks).delays(7, 20).rendezvous_above(100);
    let expected = outcomes(&world, &on_host);
    let staged = outcomes(&world, &on_device);
    let mixed = outcomes(&world.clone().with_device_memory(), |ranks| match ranks.rank() {
        1 => on_host(ranks),
        _ => on_device(ranks),
    });
    let direct = outcomes(&world.longest_message(4096).with_device_memory(), &on_device);
    let worlds = expected.into_iter().zip(staged).zip(mixed).zip(direct);
    let worlds = worlds.map(|(((expected, staged), mixed), direct)| [expected, staged, mixed, direct]);
    let worlds: Vec<_> = worlds.collect();
    assert_eq!(worlds.len(), ranks);
    for (rank, [expected, staged, mixed, direct]) in worlds.iter().enumerate() {
        for outcome in [staged, mixed, direct] {
            assert_eq!(outcome.elements, expected.elements, "rank {rank}");
        }
        assert_eq!(expected.staged.iter().sum::<u64>(), 0, "rank {rank}");
        assert_eq!(staged.sent, expected.sent, "rank {rank}");
    }
    worlds
}

/// Rank 2 of `ranks` dies at each of its operations, and all that have an error name it. Returns the number of operations.
pub(crate) fn a_rank_dies_at_each_operation<T: core::fmt::Debug + Send>(
    ranks: usize,
    run: impl Fn(&Communicator) -> Result<T> + Sync,
) -> u64 {
    for operation in 0.. {
        let world = InProcess::new(ranks).with_device_memory().dies_at(2, operation);
        let results = world.run(&run);
        if results.iter().all(Result::is_ok) {
            return operation;
        }
        let error = results[2].as_ref().expect_err("it has died").to_string();
        assert_eq!(error, format!("rank 2 panicked: it was to die at operation {operation}"));
        for error in results.iter().filter_map(|result| result.as_ref().err()) {
            assert!(error.to_string().contains("rank 2 panicked"), "{error}");
        }
    }
    unreachable!("transfers end")
}
