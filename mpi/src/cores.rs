//! The threads of all ranks of a machine, and its cores.

use std::thread::available_parallelism;

use crate::communicator::Communicator;

/// The cores that Linux has on this machine, whatever this process may use; elsewhere `None`.
fn of_machine() -> Option<usize> {
    listed(&std::fs::read_to_string("/sys/devices/system/cpu/online").ok()?)
}

/// The number of numbers in a list such as `0-3,8`.
fn listed(text: &str) -> Option<usize> {
    let count = |part: &str| -> Option<usize> {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        Some(last.checked_sub(first)? + 1)
    };
    text.trim().split(',').map(count).sum()
}

/// A sentence if ranks on one machine have more threads than cores. A rank may use `own` of the machine's cores.
fn crowded(ranks: usize, threads: usize, own: usize, machine: Option<usize>) -> Option<String> {
    // A launcher that binds ranks gives each its own cores, all of which the machine has.
    let bound = machine.is_some_and(|machine| own < machine && own.saturating_mul(ranks) <= machine);
    let (sharing, whose) = if bound { (1, "each rank has") } else { (ranks, "this machine has") };
    (threads.saturating_mul(sharing) > own).then(|| {
        let counted =
            |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
        let fitting = (own / sharing).max(1);
        let cure =
            if fitting < threads { format!("set SPELT_NUM_THREADS={fitting} or ") } else { String::new() };
        let (each, cores) = (counted(threads, "thread"), counted(own, "core"));
        format!(
            "{ranks} ranks on this machine run {each} each, where {whose} {cores}: {cure}start fewer ranks"
        )
    })
}

impl Communicator {
    /// The threads of this machine's ranks exceed its cores: a sentence that says so, if each rank has this number of threads.
    ///
    /// The cores are those that this process may use. Where a launcher has bound each rank to some of the machine's cores, they are compared with the
    /// threads of one rank. [`Mpi::new`](crate::Mpi::new) prints the sentence for the threads of its space, once on each machine.
    ///
    /// # Examples
    /// ```
    /// let ranks = spelt_mpi::Communicator::alone();
    /// assert_eq!(ranks.oversubscribed(1), None);
    /// assert!(ranks.oversubscribed(1_000_000).is_some());
    /// ```
    #[must_use]
    pub fn oversubscribed(&self, threads: usize) -> Option<String> {
        crowded(self.local_size(), threads, available_parallelism().ok()?.get(), of_machine())
    }

    /// Prints that sentence, on the first rank of each machine.
    pub(crate) fn warn_if_oversubscribed(&self, threads: usize) {
        if self.local_rank() == 0
            && self.local_size() > 1
            && let Some(words) = self.oversubscribed(threads)
        {
            self.transport.report(&format!("spelt: {words}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{crowded, listed};

    #[test]
    fn lists_of_cores() {
        assert_eq!(["0", "0-3", "0-3,8\n", "1,3,5-6"].map(listed), [Some(1), Some(4), Some(5), Some(4)]);
        assert_eq!(["", "a", "3-1", "0-"].map(listed), [None; 4]);
    }

    #[test]
    fn bound_ranks_are_not_crowded() {
        let words = crowded(4, 8, 8, Some(8)).expect("32 threads");
        assert!(
            words.contains("4 ranks") && words.contains("this machine has 8 cores: set SPELT_NUM_THREADS=2"),
            "{words}"
        );
        assert_eq!(crowded(4, 2, 8, Some(8)), None);
        assert_eq!(crowded(4, 2, 2, Some(8)), None, "each has two of its own");
        let words = crowded(4, 3, 2, Some(8)).expect("three on two");
        assert!(words.contains("each rank has 2 cores: set SPELT_NUM_THREADS=2"), "{words}");
        let words = crowded(4, 1, 2, None).expect("four on two");
        assert!(
            words.contains("run 1 thread each, where this machine has 2 cores: start fewer ranks"),
            "{words}"
        );
        let words = crowded(2, 1, 1, None).expect("two on one");
        assert!(words.contains("where this machine has 1 core: start fewer ranks"), "{words}");
        assert!(crowded(8, 1, 2, Some(8)).is_some(), "two of eight cores, eight ranks: they share them");
    }
}
