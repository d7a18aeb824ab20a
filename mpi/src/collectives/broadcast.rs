//! Bytes from one rank to all.

use spelt_core::Result;

use super::span;
use crate::Communicator;
use crate::envelope::{Call, Operation};

impl Communicator {
    /// The bytes of the rank `root`, on all ranks; those of the others are ignored.
    ///
    /// # Errors
    /// [`ErrorKind::Communication`](spelt_core::ErrorKind::Communication) if there is no such rank, or as
    /// [`barrier`](Self::barrier).
    ///
    /// # Complexity
    /// ⌈log2 P⌉ rounds along a binomial tree; P - 1 messages in all.
    ///
    /// # Examples
    /// ```
    /// use spelt_mpi::LocalWorld;
    /// let found = LocalWorld::new(5).run(|ranks| ranks.broadcast("rank", 3, vec![ranks.rank() as u8]));
    /// assert!(found.into_iter().all(|bytes| bytes.unwrap().unwrap() == [3]));
    /// ```
    pub fn broadcast(&self, label: &str, root: usize, bytes: Vec<u8>) -> Result<Vec<u8>> {
        let call = self.collective(Operation::Broadcast, label, root);
        self.check_root(&call, root)?;
        self.broadcast_in(&call, root, bytes)
    }

    /// A broadcast as a part of this call.
    pub(super) fn broadcast_in(&self, call: &Call<'_>, root: usize, bytes: Vec<u8>) -> Result<Vec<u8>> {
        let (place, size) = (self.place_from(root), self.size());
        let span = span(place, size);
        let bytes = match place {
            0 => bytes,
            _ => self.take(call, self.expect(self.rank_at(root, place - span))?)?,
        };
        let mut posted = Vec::new();
        let mut distance = span / 2;
        while distance > 0 {
            if place + distance < size {
                posted.push(self.post(call, self.rank_at(root, place + distance), &bytes)?);
            }
            distance /= 2;
        }
        posted.into_iter().try_for_each(|posted| self.finish(call, posted))?;
        Ok(bytes)
    }
}
