//! The bytes of all ranks, on one or on all.

use spelt_core::Result;

use super::{bundle, span};
use crate::Communicator;
use crate::envelope::{Call, Operation};

impl Communicator {
    /// The bytes of each rank, in the order of the ranks, on the rank `root`; nothing on the others.
    ///
    /// # Errors
    /// As [`broadcast`](Self::broadcast).
    ///
    /// # Complexity
    /// ⌈log2 P⌉ rounds along a binomial tree; P - 1 messages in all. Bytes pass through at most ⌈log2 P⌉ ranks.
    ///
    /// # Examples
    /// ```
    /// use spelt_mpi::LocalWorld;
    /// let found = LocalWorld::new(3).run(|ranks| ranks.gather("rows", 1, vec![7; ranks.rank()]));
    /// let found: Vec<_> = found.into_iter().map(|rows| rows.unwrap().unwrap()).collect();
    /// assert_eq!(found, [None, Some(vec![vec![], vec![7], vec![7, 7]]), None]);
    /// ```
    pub fn gather(&self, label: &str, root: usize, bytes: Vec<u8>) -> Result<Option<Vec<Vec<u8>>>> {
        let call = self.collective(Operation::Gather, label, root);
        self.check_root(&call, root)?;
        self.gather_in(&call, root, bytes)
    }

    /// The bytes of each rank, in the order of the ranks, on all ranks: each may have another number of them.
    ///
    /// # Errors
    /// As [`barrier`](Self::barrier).
    ///
    /// # Complexity
    /// 2 ⌈log2 P⌉ rounds, up and down a binomial tree.
    ///
    /// # Examples
    /// ```
    /// use spelt_mpi::LocalWorld;
    /// let found = LocalWorld::new(3).run(|ranks| ranks.all_gather_v("rows", vec![7; ranks.rank()]));
    /// assert!(found.into_iter().all(|rows| rows.unwrap().unwrap() == [vec![], vec![7], vec![7, 7]]));
    /// ```
    pub fn all_gather_v(&self, label: &str, bytes: Vec<u8>) -> Result<Vec<Vec<u8>>> {
        let call = self.collective(Operation::Gather, label, 0);
        let rows = self.gather_in(&call, 0, bytes)?;
        bundle::unpack(&self.broadcast_in(&call, 0, bundle::pack(rows.unwrap_or_default().iter()))?)
    }

    fn gather_in(&self, call: &Call<'_>, root: usize, bytes: Vec<u8>) -> Result<Option<Vec<Vec<u8>>>> {
        let (place, size) = (self.place_from(root), self.size());
        let span = span(place, size);
        // The rows of the places from this one on.
        let mut rows = vec![bytes];
        let mut distance = 1;
        while distance < span && place + distance < size {
            let received = self.take(call, self.expect(self.rank_at(root, place + distance))?)?;
            rows.extend(bundle::unpack(&received)?);
            distance *= 2;
        }
        if place > 0 {
            let posted = self.post(call, self.rank_at(root, place - span), &bundle::pack(rows.iter()))?;
            return self.finish(call, posted).map(|()| None);
        }
        rows.rotate_right(root);
        Ok(Some(rows))
    }
}
