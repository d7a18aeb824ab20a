//! Messages that two ranks agree on, and those of neighbours.

use std::rc::Rc;

use spelt_core::Result;

use crate::communicator::Communicator;
use crate::transport::Channel;
use crate::wire::{Call, Kind, Step};

impl Communicator {
    /// Sends bytes to rank `to`, which calls [`Communicator::receive`] with the same label. Returns when the bytes have left.
    ///
    /// Long messages leave when the other rank receives: two ranks that send to each other first may wait for ever. Use
    /// [`Communicator::exchange`] for that.
    ///
    /// # Errors
    /// If `to` is not another rank, or the transfer fails.
    ///
    /// # Examples
    /// ```
    /// use spelt_mpi::InProcess;
    /// let words = InProcess::new(2).run(|ranks| match ranks.rank() {
    ///     0 => ranks.send("word", 1, b"spelt".to_vec()).map(|()| Vec::new()),
    ///     _ => ranks.receive("word", 0),
    /// });
    /// assert_eq!(words[1].as_deref().expect("no error"), b"spelt");
    /// ```
    pub fn send(&self, label: &str, to: usize, bytes: Vec<u8>) -> Result<()> {
        self.check_other(to, label)?;
        let call = self.point(Kind::Point, true, to, label);
        self.ongoing(Channel::Points, call, |ongoing| ongoing.send(to, bytes))
    }

    /// Waits for the bytes that rank `from` sends with the same label.
    ///
    /// # Errors
    /// If `from` is not another rank, its next message has another label, or the transfer fails.
    ///
    /// # Examples
    /// ```
    /// let results = spelt_mpi::InProcess::new(2).run(|ranks| match ranks.rank() {
    ///     0 => ranks.send("mass", 1, vec![1]).map(|()| Vec::new()),
    ///     _ => ranks.receive("energy", 0),
    /// });
    /// let error = results[1].as_ref().unwrap_err().to_string();
    /// assert!(error.contains("rank 0 is in message `mass`") && error.contains("rank 1 is in message `energy`"));
    /// ```
    pub fn receive(&self, label: &str, from: usize) -> Result<Vec<u8>> {
        self.check_other(from, label)?;
        let call = self.point(Kind::Point, false, from, label);
        self.ongoing(Channel::Points, call, |ongoing| ongoing.receive(from))
    }

    /// Sends bytes to some ranks and receives the bytes of the ranks `from`, in that order. All ranks call it, also those without neighbours.
    ///
    /// # Errors
    /// If a rank does not exist, or the transfer fails.
    ///
    /// # Complexity
    /// One message for each element of `to`.
    ///
    /// # Examples
    /// ```
    /// use spelt_mpi::InProcess;
    /// let left_neighbours = InProcess::new(3).run(|ranks| {
    ///     let (rank, size) = (ranks.rank(), ranks.size());
    ///     ranks.exchange("ring", vec![((rank + 1) % size, vec![rank as u8])], &[(rank + size - 1) % size])
    /// });
    /// assert_eq!(left_neighbours[0].as_ref().expect("no error"), &[vec![2]]);
    /// ```
    pub fn exchange(&self, label: &str, to: Vec<(usize, Vec<u8>)>, from: &[usize]) -> Result<Vec<Vec<u8>>> {
        for rank in to.iter().map(|(rank, _)| rank).chain(from) {
            self.check_rank(*rank, "neighbour", label)?;
        }
        let own = self.rank();
        let mut to_itself = std::collections::VecDeque::new();
        self.collective(Kind::Exchange, 0, label, |ongoing| {
            for (rank, bytes) in to {
                if rank == own { to_itself.push_back(bytes) } else { ongoing.send(rank, bytes)? }
            }
            let mut received = Vec::with_capacity(from.len());
            for rank in from {
                let bytes = if *rank == own {
                    to_itself.pop_front().ok_or_else(|| nothing_to_itself(own, label))?
                } else {
                    ongoing.receive(*rank)?
                };
                received.push(bytes);
            }
            Ok(received)
        })
    }

    /// The call of the next message to or from a rank.
    pub(crate) fn point(&self, kind: Kind, is_send: bool, rank: usize, label: &str) -> Call {
        let mut points = self.points.borrow_mut();
        let number = points.entry((is_send, rank)).or_insert(0);
        *number += 1;
        // Two ranks may be between other collective calls.
        Call { own: Step::new(kind, 0, label), sequence: *number - 1, past: Rc::default() }
    }

    pub(crate) fn check_other(&self, rank: usize, label: &str) -> Result<()> {
        self.check_rank(rank, "other rank", label)?;
        if rank == self.rank() {
            let message = format!("`{label}`: rank {rank} sends to itself, or receives from itself");
            return Err(spelt_core::Error::new(spelt_core::ErrorKind::Policy, message));
        }
        Ok(())
    }
}

fn nothing_to_itself(rank: usize, label: &str) -> spelt_core::Error {
    let message = format!("`{label}`: rank {rank} receives from itself what it does not send");
    spelt_core::Error::new(spelt_core::ErrorKind::Policy, message)
}
