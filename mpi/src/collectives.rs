//! The collectives, from messages between two ranks.

use std::rc::Rc;

use spelt_core::{Error, ErrorKind, Result};

use crate::communicator::{Communicator, Ongoing};
use crate::pieces::{by_rank, join, split};
use crate::wire::Kind;

/// 1, 2, 4, .. below `size`.
fn steps(size: usize) -> impl DoubleEndedIterator<Item = usize> {
    (0..usize::BITS - size.saturating_sub(1).leading_zeros()).map(|bit| 1 << bit)
}

/// Numbers of ranks as if `root` were rank 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tree {
    root: usize,
    size: usize,
    /// This rank's number in the tree.
    own: usize,
}

impl Tree {
    pub(crate) fn new(ranks: &Communicator, root: usize) -> Self {
        let size = ranks.size();
        Self { root, size, own: (ranks.rank() + size - root) % size }
    }

    fn rank(&self, number: usize) -> usize {
        (number + self.root) % self.size
    }

    /// The distance to the parent: the lowest bit of the own number. The root has none.
    fn to_parent(self) -> Option<usize> {
        (self.own != 0).then(|| 1 << self.own.trailing_zeros())
    }

    /// The distances to the children that there are, ascending.
    fn to_children(self) -> impl DoubleEndedIterator<Item = usize> {
        let end = self.to_parent().unwrap_or(self.size);
        steps(self.size).filter(move |step| *step < end && self.own + step < self.size)
    }
}

impl Communicator {
    /// Waits until all ranks have called it.
    ///
    /// # Errors
    /// If a rank makes another call, or a transfer fails.
    ///
    /// # Complexity
    /// log2 P messages for each of P ranks, in log2 P steps (dissemination).
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
    pub fn gather(&self, label: &str, root: usize, bytes: Vec<u8>) -> Result<Option<Vec<Vec<u8>>>> {
        self.check_rank(root, "root", label)?;
        let tree = Tree::new(self, root);
        self.collective(Kind::Gather, root, label, |ongoing| {
            let mut parts = vec![(self.rank(), bytes)];
            for step in tree.to_children() {
                parts.extend(split(&ongoing.receive(tree.rank(tree.own + step))?, tree.size)?);
            }
            match tree.to_parent() {
                Some(step) => ongoing.send(tree.rank(tree.own - step), join(&parts)).map(|()| None),
                None => by_rank(parts, tree.size).map(Some),
            }
        })
    }

    /// This rank's element of the bytes that rank `root` gives, one element for each rank. Those of other ranks do not matter.
    ///
    /// # Errors
    /// If `root` is not a rank or does not give one element for each rank, a rank makes another call, or a transfer fails.
    ///
    /// # Complexity
    /// P - 1 messages in log2 P steps (binomial tree).
    pub fn scatter(&self, label: &str, root: usize, bytes: Vec<Vec<u8>>) -> Result<Vec<u8>> {
        self.check_rank(root, "root", label)?;
        let tree = Tree::new(self, root);
        if tree.own == 0 {
            self.check_parts(bytes.len(), label)?;
        }
        self.collective(Kind::Scatter, root, label, |ongoing| {
            let mut parts = match tree.to_parent() {
                Some(step) => split(&ongoing.receive(tree.rank(tree.own - step))?, tree.size)?,
                None => bytes.into_iter().enumerate().collect(),
            };
            for step in tree.to_children().rev() {
                let is_below = |rank: usize| (rank + tree.size - tree.root) % tree.size >= tree.own + step;
                let (below, own): (Vec<_>, _) = parts.into_iter().partition(|(rank, _)| is_below(*rank));
                ongoing.send(tree.rank(tree.own + step), join(&below))?;
                parts = own;
            }
            let (_, own) = parts.pop().ok_or_else(|| Error::new(ErrorKind::Format, "a rank got no bytes"))?;
            Ok(own)
        })
    }

    /// The bytes of all ranks, on all ranks; lengths may differ.
    ///
    /// # Errors
    /// If a rank makes another call, or a transfer fails.
    ///
    /// # Complexity
    /// log2 P messages for each of P ranks, in log2 P steps (Bruck and others, 1997).
    pub fn all_gather_v(&self, label: &str, bytes: Vec<u8>) -> Result<Vec<Vec<u8>>> {
        let (rank, size) = (self.rank(), self.size());
        self.collective(Kind::AllGather, 0, label, |ongoing| {
            // Those of ranks rank, rank + 1, ..
            let mut parts = vec![(rank, bytes)];
            for step in steps(size) {
                let count = step.min(size - step);
                ongoing.send((rank + size - step) % size, join(&parts[..count]))?;
                parts.extend(split(&ongoing.receive((rank + step) % size)?, size)?);
            }
            by_rank(parts, size)
        })
    }

    /// Sends the element `bytes[r]` to each rank r, and returns those for this rank, by sender.
    ///
    /// # Errors
    /// If there is not one element for each rank, a rank makes another call, or a transfer fails.
    ///
    /// # Complexity
    /// P - 1 messages for each of P ranks, which carry nothing but their receiver's bytes.
    pub fn all_to_all_v(&self, label: &str, mut bytes: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>> {
        self.check_parts(bytes.len(), label)?;
        let (rank, size) = (self.rank(), self.size());
        self.collective(Kind::AllToAll, 0, label, |ongoing| {
            let mut received = vec![Vec::new(); size];
            received[rank] = core::mem::take(&mut bytes[rank]);
            for step in 1..size {
                let (to, from) = ((rank + step) % size, (rank + size - step) % size);
                ongoing.send(to, core::mem::take(&mut bytes[to]))?;
                received[from] = ongoing.receive(from)?;
            }
            Ok(received)
        })
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
    pub fn exclusive_prefix(
        &self,
        label: &str,
        bytes: Vec<u8>,
        mut merge: impl FnMut(&[u8], &[u8]) -> Result<Vec<u8>>,
    ) -> Result<Option<Vec<u8>>> {
        let (rank, size) = (self.rank(), self.size());
        self.collective(Kind::ExclusivePrefix, 0, label, |ongoing| {
            // The ranks rank - step + 1 ..= rank, and those without this one.
            let (mut with_own, mut before) = (Rc::new(bytes), None::<Vec<u8>>);
            for step in steps(size) {
                if rank + step < size {
                    ongoing.send(rank + step, Rc::clone(&with_own))?;
                }
                if rank >= step {
                    let left = ongoing.receive(rank - step)?;
                    with_own = Rc::new(merge(&left, &with_own)?);
                    before = Some(match before {
                        Some(before) => merge(&left, &before)?,
                        None => left,
                    });
                }
            }
            Ok(before)
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

pub(crate) fn broadcast(ongoing: &mut Ongoing<'_>, tree: Tree, bytes: Vec<u8>) -> Result<Vec<u8>> {
    let bytes = Rc::new(match tree.to_parent() {
        Some(step) => ongoing.receive(tree.rank(tree.own - step))?,
        None => bytes,
    });
    for step in tree.to_children().rev() {
        ongoing.send(tree.rank(tree.own + step), Rc::clone(&bytes))?;
    }
    Ok(Rc::unwrap_or_clone(bytes))
}

/// The merged bytes on the root of a tree whose numbers are the ranks.
pub(crate) fn reduce(
    ongoing: &mut Ongoing<'_>,
    tree: Tree,
    mut bytes: Vec<u8>,
    mut merge: impl FnMut(&[u8], &[u8]) -> Result<Vec<u8>>,
) -> Result<Option<Vec<u8>>> {
    for step in tree.to_children() {
        let right = ongoing.receive(tree.rank(tree.own + step))?;
        bytes = merge(&bytes, &right)?;
    }
    match tree.to_parent() {
        Some(step) => ongoing.send(tree.rank(tree.own - step), bytes).map(|()| None),
        None => Ok(Some(bytes)),
    }
}
