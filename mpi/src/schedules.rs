//! The messages of each collective, once its call has begun: trees, rings and butterflies.

use std::rc::Rc;

use spelt_core::{Error, ErrorKind, Result};

use crate::communicator::Communicator;
use crate::device_memory::DeviceMemory;
use crate::message::{Arrived, Payload};
use crate::ongoing::Ongoing;
use crate::pieces::{Piece, by_rank, join, split};

/// 1, 2, 4, .. below `size`.
pub(crate) fn steps(size: usize) -> impl DoubleEndedIterator<Item = usize> {
    (0..usize::BITS - size.saturating_sub(1).leading_zeros()).map(|bit| 1 << bit)
}

/// Numbers of ranks as if `root` were rank 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tree {
    root: usize,
    pub(crate) size: usize,
    /// This rank's number in the tree.
    pub(crate) own: usize,
}

impl Tree {
    pub(crate) fn new(ranks: &Communicator, root: usize) -> Self {
        let size = ranks.size();
        Self { root, size, own: (ranks.rank() + size - root) % size }
    }

    pub(crate) fn rank(&self, number: usize) -> usize {
        (number + self.root) % self.size
    }

    /// The distance to the parent: the lowest bit of the own number. The root has none.
    pub(crate) fn to_parent(self) -> Option<usize> {
        (self.own != 0).then(|| 1 << self.own.trailing_zeros())
    }

    /// The distances to the children that there are, ascending.
    pub(crate) fn to_children(self) -> impl DoubleEndedIterator<Item = usize> {
        let end = self.to_parent().unwrap_or(self.size);
        steps(self.size).filter(move |step| *step < end && self.own + step < self.size)
    }
}

pub(crate) fn broadcast(ongoing: &mut Ongoing<'_>, tree: Tree, bytes: Vec<u8>) -> Result<Vec<u8>> {
    let bytes = Rc::new(match tree.to_parent() {
        Some(step) => ongoing.receive(tree.rank(tree.own - step))?,
        None => bytes,
    });
    broadcast_to(ongoing, tree, Payload::Host(Rc::clone(&bytes)))?;
    Ok(Rc::unwrap_or_clone(bytes))
}

/// Sends a payload to the ranks below this one in a tree.
pub(crate) fn broadcast_to(ongoing: &mut Ongoing<'_>, tree: Tree, payload: Payload) -> Result<()> {
    tree.to_children().rev().try_for_each(|step| ongoing.send(tree.rank(tree.own + step), payload.clone()))
}

/// The payload from the rank above this one, in the memory of a device if that is given and the message comes from such memory. The ranks below
/// get it too.
pub(crate) fn broadcast_from(
    ongoing: &mut Ongoing<'_>,
    tree: Tree,
    device: Option<Rc<dyn DeviceMemory>>,
) -> Result<Arrived> {
    let step = tree.to_parent().expect("the root has a payload");
    ongoing.post(tree.rank(tree.own - step), device)?;
    let arrived = ongoing.arrived()?.pop().expect("one was posted");
    match arrived {
        Arrived::Host(bytes) => {
            let bytes = Rc::new(bytes);
            broadcast_to(ongoing, tree, Payload::Host(Rc::clone(&bytes)))?;
            Ok(Arrived::Host(Rc::unwrap_or_clone(bytes)))
        }
        Arrived::Device(start, memory) => {
            broadcast_to(ongoing, tree, Payload::Device(start.clone(), Rc::clone(&memory)))?;
            Ok(Arrived::Device(start, memory))
        }
    }
}

/// The merged bytes of the ranks below this one.
pub(crate) fn exclusive_prefix(
    ongoing: &mut Ongoing<'_>,
    rank: usize,
    size: usize,
    bytes: Vec<u8>,
    mut merge: impl FnMut(&[u8], &[u8]) -> Result<Vec<u8>>,
) -> Result<Option<Vec<u8>>> {
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

/// The bytes of all ranks, by number, on the root.
pub(crate) fn gather(ongoing: &mut Ongoing<'_>, tree: Tree, bytes: Vec<u8>) -> Result<Option<Vec<Vec<u8>>>> {
    let mut parts = vec![(tree.rank(tree.own), bytes)];
    for step in tree.to_children() {
        parts.extend(split(&ongoing.receive(tree.rank(tree.own + step))?, tree.size)?);
    }
    match tree.to_parent() {
        Some(step) => ongoing.send(tree.rank(tree.own - step), join(&parts)).map(|()| None),
        None => by_rank(parts, tree.size).map(Some),
    }
}

/// This rank's element of the root's bytes.
pub(crate) fn scatter(ongoing: &mut Ongoing<'_>, tree: Tree, bytes: Vec<Vec<u8>>) -> Result<Vec<u8>> {
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
}

/// The bytes of all ranks, by number, on all ranks.
pub(crate) fn all_gather(
    ongoing: &mut Ongoing<'_>,
    [rank, size]: [usize; 2],
    bytes: Vec<u8>,
) -> Result<Vec<Vec<u8>>> {
    // Those of ranks rank, rank + 1, ..
    let mut parts = vec![(rank, bytes)];
    for step in steps(size) {
        let count = step.min(size - step);
        ongoing.send((rank + size - step) % size, join(&parts[..count]))?;
        parts.extend(split(&ongoing.receive((rank + step) % size)?, size)?);
    }
    by_rank(parts, size)
}

/// The element of this rank of the bytes of all ranks, by sender. `bytes` has one element for each rank.
pub(crate) fn all_to_all(
    ongoing: &mut Ongoing<'_>,
    [rank, size]: [usize; 2],
    mut bytes: Vec<Vec<u8>>,
) -> Result<Vec<Vec<u8>>> {
    let mut received = vec![Vec::new(); size];
    received[rank] = core::mem::take(&mut bytes[rank]);
    for step in 1..size {
        let (to, from) = ((rank + step) % size, (rank + size - step) % size);
        ongoing.send(to, core::mem::take(&mut bytes[to]))?;
        received[from] = ongoing.receive(from)?;
    }
    Ok(received)
}

/// The pieces that ranks have for this one, by sender; those of one sender in its order. The receivers are below `size`.
///
/// A piece travels the distance to its receiver in jumps of 1, 2, 4, .. ranks, so that no rank must know who sends to it (the crystal
/// router of Fox and others, 1988, on any number of ranks).
pub(crate) fn deliver(
    ongoing: &mut Ongoing<'_>,
    [rank, size]: [usize; 2],
    pieces: Vec<Piece>,
) -> Result<Vec<Piece>> {
    // With receiver and sender in one number.
    let mut here: Vec<Piece> = pieces.into_iter().map(|(to, bytes)| (to * size + rank, bytes)).collect();
    for step in steps(size) {
        let jumps = |(key, _): &Piece| ((key / size + size - rank) % size) & step != 0;
        let (away, stays): (Vec<_>, _) = here.into_iter().partition(jumps);
        ongoing.send((rank + step) % size, join(&away))?;
        here = stays;
        here.extend(split(&ongoing.receive((rank + size - step) % size)?, size * size)?);
    }
    here.iter_mut().for_each(|(key, _)| *key %= size);
    here.sort_by_key(|(sender, _)| *sender);
    Ok(here)
}
