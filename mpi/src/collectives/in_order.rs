//! Reductions and prefixes over the ranks, in their order.

use spelt_core::Result;

use super::span;
use crate::Communicator;
use crate::envelope::Operation;

impl Communicator {
    /// The bytes of all ranks, merged in the order of the ranks, on all ranks.
    ///
    /// `merge(left, right)` merges the bytes of neighbouring groups of ranks. It must be associative, to the last bit: then the result
    /// does not depend on the number of ranks.
    ///
    /// # Errors
    /// As [`barrier`](Self::barrier); and those of `merge`, on the rank where they occur: the others wait for it until the timeout.
    ///
    /// # Complexity
    /// 2 ⌈log2 P⌉ rounds, up and down a binomial tree; 2 (P - 1) messages in all.
    ///
    /// # Examples
    /// ```
    /// use spelt_mpi::LocalWorld;
    /// let found = LocalWorld::new(5).run(|ranks| {
    ///     ranks.reduce_in_order("digits", vec![b'0' + ranks.rank() as u8], |mut left, right| {
    ///         left.extend(right);
    ///         Ok(left)
    ///     })
    /// });
    /// assert!(found.into_iter().all(|digits| digits.unwrap().unwrap() == b"01234"));
    /// ```
    pub fn reduce_in_order(
        &self,
        label: &str,
        mut bytes: Vec<u8>,
        mut merge: impl FnMut(Vec<u8>, Vec<u8>) -> Result<Vec<u8>>,
    ) -> Result<Vec<u8>> {
        let call = self.collective(Operation::Reduce, label, 0);
        let (rank, size) = (self.rank(), self.size());
        let span = span(rank, size);
        let mut distance = 1;
        while distance < span && rank + distance < size {
            let right = self.take(&call, self.expect(rank + distance)?)?;
            bytes = merge(bytes, right)?;
            distance *= 2;
        }
        if rank > 0 {
            let posted = self.post(&call, rank - span, &bytes)?;
            self.finish(&call, posted)?;
        }
        self.broadcast_in(&call, 0, bytes)
    }

    /// The bytes of all ranks before this one, merged in the order of the ranks; `None` on the first.
    ///
    /// `merge` is as for [`reduce_in_order`](Self::reduce_in_order).
    ///
    /// # Errors
    /// As [`reduce_in_order`](Self::reduce_in_order).
    ///
    /// # Complexity
    /// ⌈log2 P⌉ rounds: Hillis and Steele, *Data parallel algorithms*, 1986.
    ///
    /// # Examples
    /// ```
    /// use spelt_mpi::LocalWorld;
    /// let found = LocalWorld::new(4).run(|ranks| {
    ///     ranks.exclusive_scan_in_order("digits", vec![b'0' + ranks.rank() as u8], |mut left, right| {
    ///         left.extend(right);
    ///         Ok(left)
    ///     })
    /// });
    /// let found: Vec<_> = found.into_iter().map(|digits| digits.unwrap().unwrap()).collect();
    /// assert_eq!(found, [None, Some(b"0".to_vec()), Some(b"01".to_vec()), Some(b"012".to_vec())]);
    /// ```
    pub fn exclusive_scan_in_order(
        &self,
        label: &str,
        bytes: Vec<u8>,
        mut merge: impl FnMut(Vec<u8>, Vec<u8>) -> Result<Vec<u8>>,
    ) -> Result<Option<Vec<u8>>> {
        let call = self.collective(Operation::Scan, label, 0);
        let (rank, size) = (self.rank(), self.size());
        // The bytes of the ranks from `rank - distance` on: up to this one, and before it.
        let (mut to_here, mut before) = (bytes, None);
        let mut distance = 1;
        while distance < size {
            let posted = match rank + distance < size {
                true => Some(self.post(&call, rank + distance, &to_here)?),
                false => None,
            };
            if rank >= distance {
                let left = self.take(&call, self.expect(rank - distance)?)?;
                before = Some(match before {
                    None => left.clone(),
                    Some(before) => merge(left.clone(), before)?,
                });
                to_here = merge(left, to_here)?;
            }
            posted.map_or(Ok(()), |posted| self.finish(&call, posted))?;
            distance *= 2;
        }
        Ok(before)
    }
}
