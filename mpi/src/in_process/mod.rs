//! Ranks as threads of this process, for tests.

mod bell;
mod faults;
mod mailbox;
mod rank;

pub(crate) use rank::Transfer;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use spelt_core::{Error, ErrorKind, Result};

use crate::communicator::Communicator;
use crate::init::agree;
use crate::wait::Limits;
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
    limits: Limits,
    reports: Option<Arc<Mutex<Vec<String>>>>,
    faults: Faults,
    /// Whether messages take the memory of devices.
    device_memory: bool,
    builds: Vec<(usize, String)>,
}

impl InProcess {
    /// A world of this number of ranks.
    ///
    /// # Panics
    /// If there are none.
    ///
    /// # Examples
    /// ```
    /// let ranks = spelt_mpi::InProcess::new(3).run(|ranks| Ok(ranks.size()));
    /// assert_eq!(ranks.into_iter().collect::<Result<Vec<_>, _>>()?, [3, 3, 3]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn new(ranks: usize) -> Self {
        assert!(ranks > 0, "a world has a rank");
        Self {
            ranks,
            limits: Limits::default(),
            reports: None,
            faults: Faults::default(),
            device_memory: false,
            builds: Vec::new(),
        }
    }

    /// Each message arrives after up to `most` tests by its receiver, by a number that follows from the seed.
    ///
    /// # Examples
    /// ```
    /// let results = spelt_mpi::InProcess::new(3).delays(42, 100).run(|ranks| ranks.barrier("late"));
    /// assert!(results.iter().all(Result::is_ok));
    /// ```
    #[must_use]
    pub fn delays(mut self, seed: u64, most: u32) -> Self {
        self.faults.delays = Some((seed, most));
        self
    }

    /// Messages above this number of bytes leave only when they are received, as with the rendezvous of MPI's libraries.
    ///
    /// # Examples
    /// ```
    /// let results = spelt_mpi::InProcess::new(2).rendezvous_above(0).run(|ranks| {
    ///     let other = 1 - ranks.rank();
    ///     // Two sends that come before the receives would wait for ever.
    ///     ranks.exchange("swap", vec![(other, vec![1])], &[other])
    /// });
    /// assert!(results.iter().all(Result::is_ok));
    /// ```
    #[must_use]
    pub fn rendezvous_above(mut self, bytes: usize) -> Self {
        self.faults.eager = bytes;
        self
    }

    /// The most bytes of one message: longer payloads are cut, as with MPI at 1 GiB.
    ///
    /// # Panics
    /// If it is below 4096, the length of a message's first piece.
    ///
    /// # Examples
    /// ```
    /// let messages = spelt_mpi::InProcess::new(2).longest_message(4096).run(|ranks| {
    ///     let before = ranks.sent().messages;
    ///     ranks.broadcast("long", 0, vec![0; 10_000])?;
    ///     Ok(ranks.sent().messages - before)
    /// });
    /// // The header, and three pieces behind it.
    /// assert_eq!(messages[0].as_ref().expect("no error"), &4);
    /// ```
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

    /// Messages take the memory of devices, as those of a library of MPI that says so.
    ///
    /// # Examples
    /// ```
    /// let takes = spelt_mpi::InProcess::new(1).with_device_memory().run(|ranks| Ok(ranks.takes_device_memory()));
    /// assert!(takes[0].as_ref().expect("no error"));
    /// ```
    #[must_use]
    pub fn with_device_memory(mut self) -> Self {
        self.device_memory = true;
        self
    }

    /// A wait for another rank that takes longer is an error, as with `SPELT_MPI_TIMEOUT`.
    ///
    /// # Examples
    /// ```
    /// use std::time::Duration;
    /// let results = spelt_mpi::InProcess::new(2).timeout(Duration::from_millis(50)).run(|ranks| match ranks.rank() {
    ///     0 => ranks.receive("a message that nothing sends", 1),
    ///     _ => Ok(ranks.gather("words", 1, Vec::new())?.unwrap_or_default().concat()),
    /// });
    /// assert!(results[0].is_err() && results[1].is_err());
    /// ```
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.limits.timeout = Some(timeout);
        self
    }

    /// A wait for another rank that takes longer is reported, and again after twice the time, as with `SPELT_MPI_REPORT`; other reports are made too.
    /// They are appended to `to`, in place of standard error.
    ///
    /// # Examples
    /// ```
    /// use std::{sync::{Arc, Mutex}, thread::sleep, time::Duration};
    /// let reports = Arc::new(Mutex::new(Vec::new()));
    /// let world = spelt_mpi::InProcess::new(2).reports(Duration::from_millis(5), &reports);
    /// let waits = "rank 0 in barrier `start` (number 1) waits for rank 1";
    /// let is_reported = || reports.lock().unwrap().iter().any(|report: &String| report.contains(waits));
    /// let results = world.run(|ranks| {
    ///     // Rank 1 comes late: when the wait for it has been reported.
    ///     while ranks.rank() == 1 && !is_reported() {
    ///         sleep(Duration::from_millis(1));
    ///     }
    ///     ranks.barrier("start")
    /// });
    /// assert!(is_reported() && results.iter().all(Result::is_ok));
    /// ```
    #[must_use]
    pub fn reports(mut self, after: Duration, to: &Arc<Mutex<Vec<String>>>) -> Self {
        self.limits.report = Some(after);
        self.reports = Some(Arc::clone(to));
        self
    }

    /// The rank panics when it starts this send or receive, counted from 0.
    ///
    /// # Examples
    /// ```
    /// let results = spelt_mpi::InProcess::new(2).dies_at(1, 4).run(|ranks| {
    ///     (0..10).try_for_each(|_| ranks.barrier("step"))
    /// });
    /// assert_eq!(results[0].as_ref().unwrap_err().to_string(), "rank 1 panicked: it was to die at operation 4");
    /// ```
    #[must_use]
    pub fn dies_at(mut self, rank: usize, operation: u64) -> Self {
        self.faults.dies = Some((rank, operation));
        self
    }

    /// The rank stops at this send or receive, counted from 0, until the job ends.
    ///
    /// # Examples
    /// ```
    /// use std::time::Duration;
    /// let world = spelt_mpi::InProcess::new(2).timeout(Duration::from_millis(100)).silent_at(1, 4);
    /// let results = world.run(|ranks| (0..10).try_for_each(|_| ranks.barrier("step")));
    /// assert!(results[0].as_ref().unwrap_err().to_string().contains("waits for rank 1"));
    /// ```
    #[must_use]
    pub fn silent_at(mut self, rank: usize, operation: u64) -> Self {
        self.faults.silent = Some((rank, operation));
        self
    }

    /// The rank says that it was built as `build` describes, in place of the truth.
    ///
    /// # Examples
    /// ```
    /// let results = spelt_mpi::InProcess::new(2).built_as(1, "Spelt 0.0.1").run(|_| Ok(()));
    /// assert!(results[0].as_ref().unwrap_err().to_string().contains("rank 1 is Spelt 0.0.1"));
    /// ```
    #[must_use]
    pub fn built_as(mut self, rank: usize, build: &str) -> Self {
        self.builds.push((rank, build.to_owned()));
        self
    }

    /// Runs `main` on each rank, and returns the results by rank. That of a rank that panics is an error with the panic's message.
    ///
    /// # Examples
    /// ```
    /// let results = spelt_mpi::InProcess::new(2).run(|ranks| {
    ///     assert_eq!(ranks.rank(), 0, "an assertion of rank 1");
    ///     Ok(())
    /// });
    /// assert!(results[1].as_ref().unwrap_err().to_string().contains("an assertion of rank 1"));
    /// ```
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
            let transport =
                Rank::new(Arc::clone(world), rank, self.faults, self.device_memory, self.reports.clone());
            let ranks = Communicator::new(Box::new(transport), self.limits);
            agree(&ranks, build)?;
            // What comes after this is the program's: messages of two ranks do not overtake one another.
            ranks.transport.restart_steps();
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
