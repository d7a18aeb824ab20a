//! The barrier.

use spelt_core::Result;

use crate::Communicator;
use crate::envelope::Operation;

impl Communicator {
    /// Waits until all ranks have called it.
    ///
    /// # Errors
    /// [`ErrorKind::Communication`](spelt_core::ErrorKind::Communication) if a rank makes another call, has ended the job, or is late.
    ///
    /// # Complexity
    /// ⌈log2 P⌉ rounds, in each of which every rank sends one message: Hensgen, Finkel and Manber, *Two algorithms for barrier
    /// synchronization*, 1988.
    ///
    /// # Examples
    /// ```
    /// use spelt_mpi::LocalWorld;
    /// assert!(LocalWorld::new(5).run(|ranks| ranks.barrier("end").is_ok()).into_iter().all(|ok| ok.unwrap()));
    /// ```
    pub fn barrier(&self, label: &str) -> Result<()> {
        let call = self.collective(Operation::Barrier, label, 0);
        let (rank, size) = (self.rank(), self.size());
        let mut distance = 1;
        while distance < size {
            let expected = self.expect((rank + size - distance) % size)?;
            let posted = self.post(&call, (rank + distance) % size, &[])?;
            self.take(&call, expected)?;
            self.finish(&call, posted)?;
            distance *= 2;
        }
        Ok(())
    }
}
