//! The collectives, from messages between two ranks.

use spelt_core::{Error, ErrorKind, Result};

use crate::communicator::Communicator;
use crate::schedules::{self, Tree, broadcast, reduce, steps};
use crate::wire::Kind;

impl Communicator {
    /// Waits until all ranks have called it.
    ///
    /// # Errors
    /// If a rank makes another call, or a transfer fails.
    ///
    /// # Complexity
    /// log2 P messages for each of P ranks, in log2 P steps (dissemination).
    ///
    /// # Examples
    /// ```
    /// use std::sync::atomic::{AtomicUsize, Ordering};
    /// let come = AtomicUsize::new(0);
    /// let seen = spelt_mpi::InProcess::new(3).run(|ranks| {
    ///     come.fetch_add(1, Ordering::Relaxed);
    ///     ranks.barrier("all have come")?;
    ///     Ok(come.load(Ordering::Relaxed))
    /// });
    /// assert_eq!(seen.into_iter().collect::<Result<Vec<_>, _>>()?, [3, 3, 3]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn barrier(&self, label: &str) -> Result<()> {
        let (rank, size) = (self.rank(), self.size());
        self.collective(Kind::Barrier, 0, label, |ongoing| {
            for step in steps(size) {
                ongoing.send((rank + step) % size, Vec::new())?;
                ongoing.receive((rank + size - step) % size)?;
            }
            Ok(())
        })
    }

    /// The bytes of rank `root`, on all ranks. Those of other ranks do not matter.
    ///
    /// # Errors
    /// If `root` is not a rank, a rank makes another call, or a transfer fails.
    ///
    /// # Complexity
    /// P - 1 messages in log2 P steps (binomial tree).
    ///
    /// # Examples
    /// ```
    /// let words = spelt_mpi::InProcess::new(3).run(|ranks| ranks.broadcast("word", 1, vec![ranks.rank() as u8]));
    /// assert_eq!(words.into_iter().collect::<Result<Vec<_>, _>>()?, [[1], [1], [1]]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn broadcast(&self, label: &str, root: usize, bytes: Vec<u8>) -> Result<Vec<u8>> {
        self.check_rank(root, "root", label)?;
        let tree = Tree::new(self, root);
        self.collective(Kind::Broadcast, root, label, |ongoing| broadcast(ongoing, tree, bytes))
    }

    /// The bytes of all ranks, on rank `root`; `None` on the others.
    ///
    /// # Errors
    /// If `root` is not a rank, a rank makes another call, or a transfer fails.
    ///
    /// # Complexity
    /// P - 1 messages in log2 P steps (binomial tree).
    ///
    /// # Examples
    /// ```
    /// let all = spelt_mpi::InProcess::new(3).run(|ranks| ranks.gather("words", 2, vec![7; ranks.rank()]));
    /// assert_eq!(all[0].as_ref().expect("no error"), &None);
    /// assert_eq!(all[2].as_ref().expect("no error"), &Some(vec![vec![], vec![7], vec![7, 7]]));
    /// ```
    pub fn gather(&self, label: &str, root: usize, bytes: Vec<u8>) -> Result<Option<Vec<Vec<u8>>>> {
        self.check_rank(root, "root", label)?;
        let tree = Tree::new(self, root);
        self.collective(Kind::Gather, root, label, |ongoing| schedules::gather(ongoing, tree, bytes))
    }

    /// This rank's element of the bytes that rank `root` gives, one element for each rank. Those of other ranks do not matter.
    ///
    /// # Errors
    /// If `root` is not a rank or does not give one element for each rank, a rank makes another call, or a transfer fails.
    ///
    /// # Complexity
    /// P - 1 messages in log2 P steps (binomial tree).
    ///
    /// # Examples
    /// ```
    /// let own = spelt_mpi::InProcess::new(2).run(|ranks| {
    ///     let all = if ranks.rank() == 0 { vec![vec![1], vec![2, 3]] } else { Vec::new() };
    ///     ranks.scatter("words", 0, all)
    /// });
    /// assert_eq!(own[1].as_ref().expect("no error"), &[2, 3]);
    /// ```
    pub fn scatter(&self, label: &str, root: usize, bytes: Vec<Vec<u8>>) -> Result<Vec<u8>> {
        self.check_rank(root, "root", label)?;
        let tree = Tree::new(self, root);
        if tree.own == 0 {
            self.check_parts(bytes.len(), label)?;
        }
        self.collective(Kind::Scatter, root, label, |ongoing| schedules::scatter(ongoing, tree, bytes))
    }

    /// The bytes of all ranks, on all ranks; lengths may differ.
    ///
    /// # Errors
    /// If a rank makes another call, or a transfer fails.
    ///
    /// # Complexity
    /// log2 P messages for each of P ranks, in log2 P steps (Bruck and others, 1997).
    ///
    /// # Examples
    /// ```
    /// let all = spelt_mpi::InProcess::new(2).run(|ranks| ranks.all_gather_v("words", vec![7; ranks.rank()]));
    /// for words in all {
    ///     assert_eq!(words?, [vec![], vec![7]]);
    /// }
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn all_gather_v(&self, label: &str, bytes: Vec<u8>) -> Result<Vec<Vec<u8>>> {
        let place = [self.rank(), self.size()];
        self.collective(Kind::AllGather, 0, label, |ongoing| schedules::all_gather(ongoing, place, bytes))
    }

    /// Sends the element `bytes[r]` to each rank r, and returns those for this rank, by sender.
    ///
    /// # Errors
    /// If there is not one element for each rank, a rank makes another call, or a transfer fails.
    ///
    /// # Complexity
    /// P - 1 messages for each of P ranks, which carry nothing but their receiver's bytes.
    ///
    /// # Examples
    /// ```
    /// let received = spelt_mpi::InProcess::new(2).run(|ranks| {
    ///     let rank = ranks.rank() as u8;
    ///     ranks.all_to_all_v("words", vec![vec![10 * rank], vec![10 * rank + 1]])
    /// });
    /// assert_eq!(received[1].as_ref().expect("no error"), &[[1], [11]]);
    /// ```
    pub fn all_to_all_v(&self, label: &str, bytes: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>> {
        self.check_parts(bytes.len(), label)?;
        let place = [self.rank(), self.size()];
        self.collective(Kind::AllToAll, 0, label, |ongoing| schedules::all_to_all(ongoing, place, bytes))
    }

    /// Sends bytes to some ranks, which need not know of it, and returns those for this rank, by sender; those of one sender in its order.
    ///
    /// # Errors
    /// If a receiver is not a rank, a rank makes another call, or a transfer fails.
    ///
    /// # Complexity
    /// log2 P messages for each of P ranks, in log2 P steps; bytes travel through up to log2 P ranks (Fox and others, 1988).
    ///
    /// # Examples
    /// ```
    /// use spelt_mpi::InProcess;
    /// // Each rank knows one receiver, and none knows its senders.
    /// let received = InProcess::new(4).run(|ranks| ranks.deliver("to the half", vec![(ranks.rank() / 2, vec![7])]));
    /// assert_eq!(received[1].as_ref().expect("no error"), &[(2, vec![7]), (3, vec![7])]);
    /// assert!(received[3].as_ref().expect("no error").is_empty());
    /// ```
    pub fn deliver(&self, label: &str, bytes: Vec<(usize, Vec<u8>)>) -> Result<Vec<(usize, Vec<u8>)>> {
        for (rank, _) in &bytes {
            self.check_rank(*rank, "receiver", label)?;
        }
        let place = [self.rank(), self.size()];
        self.collective(Kind::Deliver, 0, label, |ongoing| schedules::deliver(ongoing, place, bytes))
    }

    /// The merged bytes of all ranks below this one, in their order; `None` on rank 0.
    ///
    /// `merge` gets the bytes of neighbouring runs of ranks, left and right, and must be associative: then the result does not depend on
    /// the tree.
    ///
    /// # Errors
    /// If `merge` returns one, a rank makes another call, or a transfer fails.
    ///
    /// # Complexity
    /// log2 P messages for each of P ranks, in log2 P steps.
    ///
    /// # Examples
    /// ```
    /// let below = spelt_mpi::InProcess::new(3).run(|ranks| {
    ///     ranks.exclusive_prefix("offsets", vec![ranks.rank() as u8 + 1], |left, right| Ok(vec![left[0] + right[0]]))
    /// });
    /// assert_eq!(below.into_iter().collect::<Result<Vec<_>, _>>()?, [None, Some(vec![1]), Some(vec![3])]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn exclusive_prefix(
        &self,
        label: &str,
        bytes: Vec<u8>,
        merge: impl FnMut(&[u8], &[u8]) -> Result<Vec<u8>>,
    ) -> Result<Option<Vec<u8>>> {
        let (rank, size) = (self.rank(), self.size());
        self.collective(Kind::ExclusivePrefix, 0, label, |ongoing| {
            schedules::exclusive_prefix(ongoing, rank, size, bytes, merge)
        })
    }

    /// The merged bytes of all ranks, in their order, on rank 0; `None` on the others. `merge` is that of
    /// [`Communicator::exclusive_prefix`].
    ///
    /// # Errors
    /// If `merge` returns one, a rank makes another call, or a transfer fails.
    ///
    /// # Complexity
    /// P - 1 messages and merges in log2 P steps (binomial tree in the order of the ranks).
    ///
    /// # Examples
    /// ```
    /// let joined = spelt_mpi::InProcess::new(3).run(|ranks| {
    ///     ranks.reduce("words", vec![ranks.rank() as u8], |left, right| Ok([left, right].concat()))
    /// });
    /// assert_eq!(joined[0].as_ref().expect("no error"), &Some(vec![0, 1, 2]));
    /// ```
    pub fn reduce(
        &self,
        label: &str,
        bytes: Vec<u8>,
        merge: impl FnMut(&[u8], &[u8]) -> Result<Vec<u8>>,
    ) -> Result<Option<Vec<u8>>> {
        let tree = Tree::new(self, 0);
        self.collective(Kind::Reduce, 0, label, |ongoing| reduce(ongoing, tree, bytes, merge))
    }

    /// The merged bytes of all ranks, in their order, on all ranks. `merge` is that of [`Communicator::exclusive_prefix`].
    ///
    /// # Errors
    /// If `merge` returns one, a rank makes another call, or a transfer fails.
    ///
    /// # Complexity
    /// 2 (P - 1) messages and P - 1 merges in 2 log2 P steps (binomial tree in the order of the ranks, and back).
    ///
    /// # Examples
    /// ```
    /// let joined = spelt_mpi::InProcess::new(3).run(|ranks| {
    ///     ranks.all_reduce("words", vec![ranks.rank() as u8], |left, right| Ok([left, right].concat()))
    /// });
    /// for joined in joined {
    ///     assert_eq!(joined?, [0, 1, 2]);
    /// }
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn all_reduce(
        &self,
        label: &str,
        bytes: Vec<u8>,
        merge: impl FnMut(&[u8], &[u8]) -> Result<Vec<u8>>,
    ) -> Result<Vec<u8>> {
        self.all_reduce_as(Kind::AllReduce, label, bytes, merge)
    }

    pub(crate) fn all_reduce_as(
        &self,
        kind: Kind,
        label: &str,
        bytes: Vec<u8>,
        merge: impl FnMut(&[u8], &[u8]) -> Result<Vec<u8>>,
    ) -> Result<Vec<u8>> {
        let tree = Tree::new(self, 0);
        self.collective(kind, 0, label, |ongoing| {
            let merged = reduce(ongoing, tree, bytes, merge)?;
            broadcast(ongoing, tree, merged.unwrap_or_default())
        })
    }

    fn check_parts(&self, parts: usize, label: &str) -> Result<()> {
        if parts == self.size() {
            return Ok(());
        }
        let message =
            format!("`{label}`: {parts} elements are given for {} ranks: give one for each", self.size());
        Err(Error::new(ErrorKind::Extents, message))
    }
}
