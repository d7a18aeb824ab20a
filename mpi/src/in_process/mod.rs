//! Ranks as threads of this process, for tests.

mod faults;
mod mailbox;
mod rank;

pub(crate) use rank::Transfer;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use spelt_core::{Error, ErrorKind, Result};

use crate::communicator::Communicator;
use crate::init::agree;
use faults::Faults;
use mailbox::World;
use rank::Rank;

/// Ranks as threads of this process, which send one another messages as processes do through MPI: for tests.
///
/// By default messages arrive at once. Delays and reorderings follow from a seed: messages from different ranks may overtake one another,
/// those between two ranks never do. A rank can be made to die or to fall silent at an operation (the start of a send or receive).
///
/// # Examples
/// ```
/// use spelt_mpi::InProcess;
/// let results = InProcess::new(5).delays(42, 20).run(|ranks| ranks.all_gather_v("names", vec![ranks.rank() as u8]));
/// for result in results {
///     assert_eq!(result?, [[0], [1], [2], [3], [4]]);
/// }
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct InProcess {
    ranks: usize,
    timeout: Option<Duration>,
    faults: Faults,
    builds: Vec<(usize, String)>,
}

impl InProcess {
    /// A world of this number of ranks.
    ///
    /// # Panics
    /// If there are none.
    #[must_use]
    pub fn new(ranks: usize) -> Self {
        assert!(ranks > 0, "a world has a rank");
        Self { ranks, timeout: None, faults: Faults::default(), builds: Vec::new() }
    }

    /// Each message arrives after up to `most` tests by its receiver, by a number that follows from the seed.
    #[must_use]
    pub fn delays(mut self, seed: u64, most: u32) -> Self {
        self.faults.delays = Some((seed, most));
        self
    }

    /// Messages above this number of bytes leave only when they are received, as with the rendezvous of MPI's libraries.
    #[must_use]
    pub fn rendezvous_above(mut self, bytes: usize) -> Self {
        self.faults.eager = bytes;
        self
    }

    /// The most bytes of one message: longer payloads are cut, as with MPI at 1 GiB.
    ///
    /// # Panics
    /// If it is below 4096, the length of a message's first piece.
    #[must_use]
    pub fn longest_message(mut self, bytes: usize) -> Self {
        assert!(
            bytes >= crate::wire::FIRST,
            "the first piece of a message has up to {} bytes",
            crate::wire::FIRST
        );
        self.faults.longest = bytes;
        self
    }

    /// A wait for another rank that takes longer is an error, as with `SPELT_MPI_TIMEOUT`.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// The rank panics when it starts this send or receive, counted from 0.
    #[must_use]
    pub fn dies_at(mut self, rank: usize, operation: u64) -> Self {
        self.faults.dies = Some((rank, operation));
        self
    }

    /// The rank stops at this send or receive, counted from 0, until the job ends.
    #[must_use]
    pub fn silent_at(mut self, rank: usize, operation: u64) -> Self {
        self.faults.silent = Some((rank, operation));
        self
    }

    /// The rank says that it was built as `build` describes, in place of the truth.
    #[must_use]
    pub fn built_as(mut self, rank: usize, build: &str) -> Self {
        self.builds.push((rank, build.to_owned()));
        self
    }

    /// Runs `main` on each rank, and returns the results by rank. That of a rank that panics is an error with the panic's message.
    pub fn run<T: Send>(&self, main: impl Fn(&Communicator) -> Result<T> + Sync) -> Vec<Result<T>> {
        let world = Arc::new(World::new(self.ranks));
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..self.ranks)
                .map(|rank| {
                    let (world, main) = (Arc::clone(&world), &main);
                    scope.spawn(move || self.run_rank(&world, rank, main))
                })
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().expect("panics are caught on the thread"))
                .collect()
        })
    }

    fn run_rank<T>(
        &self,
        world: &Arc<World>,
        rank: usize,
        main: impl Fn(&Communicator) -> Result<T>,
    ) -> Result<T> {
        let build = self.builds.iter().find(|(built, _)| *built == rank).map(|(_, build)| build.as_str());
        let on_ranks = || {
            let transport = Rank::new(Arc::clone(world), rank, self.faults);
            let ranks = Communicator::new(Box::new(transport), self.timeout);
            agree(&ranks, build)?;
            main(&ranks)
        };
        let result = catch_unwind(AssertUnwindSafe(on_ranks)).unwrap_or_else(|payload| {
            let message = format!("rank {rank} panicked: {}", words(&*payload));
            world.fail(&message);
            Err(Error::new(ErrorKind::Communication, message))
        });
        world.end_rank();
        result
    }
}

/// The message of a panic.
fn words(payload: &(dyn Any + Send)) -> &str {
    match (payload.downcast_ref::<String>(), payload.downcast_ref::<&str>()) {
        (Some(words), _) => words,
        (None, Some(words)) => words,
        (None, None) => "without a message",
    }
}
