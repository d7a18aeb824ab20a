//! Bytes from each rank to each.

use spelt_core::{Error, ErrorKind, Result};

use crate::Communicator;
use crate::envelope::Operation;

impl Communicator {
    /// The row that each rank has for this one, in the order of the ranks; `rows` has one for each rank.
    ///
    /// # Errors
    /// As [`barrier`](Self::barrier), and if `rows` has another number of rows than there are ranks.
    ///
    /// # Complexity
    /// P - 1 messages of each rank, all under way at once.
    ///
    /// # Examples
    /// ```
    /// use spelt_mpi::LocalWorld;
    /// let found = LocalWorld::new(3).run(|ranks| {
    ///     ranks.all_to_all_v("pairs", (0..3).map(|to| vec![ranks.rank() as u8, to]).collect())
    /// });
    /// assert_eq!(found[2].as_ref().unwrap().as_ref().unwrap(), &[[0, 2], [1, 2], [2, 2]]);
    /// ```
    pub fn all_to_all_v(&self, label: &str, mut rows: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>> {
        let call = self.collective(Operation::AllToAll, label, 0);
        let (rank, size) = (self.rank(), self.size());
        if rows.len() != size {
            let what = format!("{call}: {} rows were given for {size} ranks", rows.len());
            return Err(Error::new(ErrorKind::Communication, what));
        }
        let mut found = vec![Vec::new(); size];
        found[rank] = core::mem::take(&mut rows[rank]);
        let mut pending = Vec::new();
        for distance in 1..size {
            let (to, from) = ((rank + distance) % size, (rank + size - distance) % size);
            pending.push((from, self.expect(from)?, self.post(&call, to, &rows[to])?));
            rows[to] = Vec::new();
        }
        for (from, expected, posted) in pending {
            found[from] = self.take(&call, expected)?;
            self.finish(&call, posted)?;
        }
        Ok(found)
    }
}
