//! A world in one process: its ranks are threads, for tests and for development without MPI.

mod rank;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

pub use rank::LocalRank;
use rank::Shared;

use crate::Communicator;

/// A world whose ranks are threads of this process, with faults that a test asks for.
///
/// Delays follow from the seed and the numbers of messages, not from time: a message arrives after some calls of
/// [`test`](crate::Transport::test), and some messages are sent only when they are received, as MPI does with long ones. Messages of
/// different ranks overtake one another; those of one rank do not.
///
/// # Examples
/// ```
/// use spelt_mpi::LocalWorld;
/// let sums = LocalWorld::new(4).run(|ranks| {
///     let numbers = ranks.all_gather_v("numbers", vec![ranks.rank() as u8])?;
///     Ok::<u8, spelt_core::Error>(numbers.iter().map(|number| number[0]).sum())
/// });
/// assert!(sums.into_iter().all(|sum| sum.unwrap().unwrap() == 6));
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct LocalWorld {
    size: usize,
    seed: Option<u64>,
    fault: Option<Fault>,
    timeout: Option<Duration>,
}

/// The failure of a rank at one of its messages.
#[derive(Clone, Copy, Debug)]
struct Fault {
    rank: usize,
    message: u64,
    silent: bool,
}

impl LocalWorld {
    /// A world of `size` ranks, in which messages arrive at once.
    ///
    /// # Panics
    /// If `size` is 0.
    ///
    /// # Examples
    /// ```
    /// use spelt_mpi::LocalWorld;
    /// let sizes = LocalWorld::new(3).run(|ranks| ranks.size());
    /// assert_eq!(sizes.into_iter().map(|size| size.unwrap()).collect::<Vec<_>>(), [3, 3, 3]);
    /// ```
    pub fn new(size: usize) -> Self {
        assert!(size > 0, "a world has at least one rank");
        Self { size, seed: None, fault: None, timeout: None }
    }

    /// Delays messages, as the seed says.
    ///
    /// # Examples
    /// ```
    /// use spelt_mpi::LocalWorld;
    /// assert!(LocalWorld::new(2).delays(7).run(|ranks| ranks.barrier("end").is_ok()).into_iter().all(|ok| ok.unwrap()));
    /// ```
    pub fn delays(self, seed: u64) -> Self {
        Self { seed: Some(seed), ..self }
    }

    /// Makes `rank` panic when it sends or receives its message of this number, counted from 0.
    ///
    /// # Examples
    /// ```
    /// use spelt_mpi::LocalWorld;
    /// let ends = LocalWorld::new(2).panics(1, 0).run(|ranks| ranks.barrier("end").is_ok());
    /// assert!(!ends[0].as_ref().unwrap() && ends[1].is_err());
    /// ```
    pub fn panics(self, rank: usize, message: u64) -> Self {
        Self { fault: Some(Fault { rank, message, silent: false }), ..self }
    }

    /// Makes `rank` fall silent from its message of this number on, counted from 0: it neither sends nor receives.
    ///
    /// # Examples
    /// ```
    /// use spelt_mpi::LocalWorld;
    /// let second = std::time::Duration::from_millis(50);
    /// let ends = LocalWorld::new(2).falls_silent(1, 0).timeout(second).run(|ranks| ranks.barrier("end").is_ok());
    /// assert!(ends.into_iter().all(|end| !end.unwrap()));
    /// ```
    pub fn falls_silent(self, rank: usize, message: u64) -> Self {
        Self { fault: Some(Fault { rank, message, silent: true }), ..self }
    }

    /// Ends waits after this time.
    ///
    /// # Examples
    /// ```
    /// use spelt_mpi::LocalWorld;
    /// let ends = LocalWorld::new(2).timeout(std::time::Duration::from_millis(10)).run(|ranks| match ranks.rank() {
    ///     0 => ranks.receive("never", 1).is_ok(),
    ///     _ => false,
    /// });
    /// assert!(!ends[0].as_ref().unwrap());
    /// ```
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout: Some(timeout), ..self }
    }

    /// Runs `program` on each rank and returns their results in the order of the ranks: that of a rank that panicked is the panic.
    ///
    /// # Examples
    /// ```
    /// use spelt_mpi::LocalWorld;
    /// let ranks = LocalWorld::new(2).run(|ranks| ranks.rank());
    /// assert_eq!(ranks.into_iter().map(|rank| rank.unwrap()).collect::<Vec<_>>(), [0, 1]);
    /// ```
    pub fn run<T: Send>(&self, program: impl Fn(Communicator) -> T + Sync) -> Vec<std::thread::Result<T>> {
        self.run_transports(|transport| {
            let communicator = Communicator::new(Box::new(transport));
            program(match self.timeout {
                Some(timeout) => communicator.with_timeout(timeout),
                None => communicator,
            })
        })
    }

    /// The rank of a world of one.
    pub(crate) fn only_rank(&self) -> LocalRank {
        LocalRank::new(0, self, Arc::new(Shared::new(1)))
    }

    /// [`run`](Self::run) for programs that send and receive bytes by themselves.
    ///
    /// # Examples
    /// ```
    /// use spelt_mpi::{LocalWorld, Transport};
    /// let sizes = LocalWorld::new(2).run_transports(|world| world.size());
    /// assert_eq!(sizes.into_iter().map(|size| size.unwrap()).collect::<Vec<_>>(), [2, 2]);
    /// ```
    pub fn run_transports<T: Send>(
        &self,
        program: impl Fn(LocalRank) -> T + Sync,
    ) -> Vec<std::thread::Result<T>> {
        let shared = Arc::new(Shared::new(self.size));
        std::thread::scope(|scope| {
            let ranks: Vec<_> = (0..self.size)
                .map(|rank| {
                    let (program, shared) = (&program, &shared);
                    scope.spawn(move || {
                        let transport = LocalRank::new(rank, self, shared.clone());
                        let result = catch_unwind(AssertUnwindSafe(|| program(transport)));
                        if let Err(panic) = &result {
                            shared.end(rank, &format!("it panicked: {}", text_of(&**panic)));
                        }
                        shared.returns(rank);
                        result
                    })
                })
                .collect();
            ranks.into_iter().map(|rank| rank.join().unwrap_or_else(Err)).collect()
        })
    }
}

/// The message of a panic.
fn text_of(panic: &(dyn core::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a message")
}
