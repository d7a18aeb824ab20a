//! Whole Views: from one rank to another, and from one to all.

use spelt_core::{Element, Layout, MemorySpace, Portable, ReadView, Result, WriteView};

use super::elements::Between;
use super::on_device::{payload, room, take};
use crate::communicator::Communicator;
use crate::schedules::{Tree, broadcast_from, broadcast_to};
use crate::transport::Channel;
use crate::wire::Kind;

impl Communicator {
    /// Sends the elements of a View, in any memory and layout, to rank `to`, which calls [`Communicator::receive_view`] with the same label
    /// and a View of this type and extents. Returns when they have left.
    ///
    /// Long messages leave when the other rank receives, as those of [`Communicator::send`].
    ///
    /// # Errors
    /// If `to` is not another rank, there is no memory for the message, or the transfer fails.
    ///
    /// # Complexity
    /// One message of the View's bytes, which are copied once: those of a device into a block of its memory that is made for the message, where
    /// messages [take](Self::takes_device_memory) that, and through the host otherwise.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::View;
    /// use spelt_mpi::InProcess;
    /// let sums = InProcess::new(2).run(|ranks| {
    ///     let mut v = View::from_fn("v", [2, 3], |[i, j]| (10 * i + j) * (1 - ranks.rank()))?;
    ///     match ranks.rank() {
    ///         0 => ranks.send_view("v", 1, &v)?,
    ///         _ => ranks.receive_view("v", 0, &mut v)?,
    ///     }
    ///     Ok(v.iter().sum::<usize>())
    /// });
    /// assert_eq!(sums.into_iter().collect::<Result<Vec<_>, _>>()?, [36, 36]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn send_view<T, const R: usize, M, L>(
        &self,
        label: &str,
        to: usize,
        view: &impl ReadView<T, R, M, L>,
    ) -> Result<()>
    where
        T: Element + Portable,
        M: MemorySpace,
        L: Layout,
    {
        self.check_other(to, label)?;
        let bytes = payload(self, view.read())?;
        let call = self.point(Kind::ViewPoint, true, to, label);
        self.ongoing(Channel::Points, call, |ongoing| ongoing.send(to, bytes))
    }

    /// Waits for the elements that rank `from` sends with the same label, and puts them into this View, of any memory and layout.
    ///
    /// # Errors
    /// If `from` is not another rank, its next message has another label, its View another type or other extents (the error names both
    /// ranks), or the transfer fails.
    ///
    /// # Complexity
    /// As [`Communicator::send_view`].
    ///
    /// # Examples
    /// ```
    /// use spelt_core::View;
    /// use spelt_mpi::InProcess;
    /// let results = InProcess::new(2).run(|ranks| {
    ///     let mut v = View::<f64, 1>::zeros("v", [3 + ranks.rank()])?;
    ///     if ranks.rank() == 0 { ranks.send_view("v", 1, &v) } else { ranks.receive_view("v", 0, &mut v) }
    /// });
    /// let error = results[1].as_ref().unwrap_err().to_string();
    /// assert!(error.contains("rank 0 sent [3] of f64, where rank 1 has [4] of f64"));
    /// ```
    pub fn receive_view<T, const R: usize, M, L>(
        &self,
        label: &str,
        from: usize,
        view: &mut impl WriteView<T, R, M, L>,
    ) -> Result<()>
    where
        T: Element + Portable,
        M: MemorySpace,
        L: Layout,
    {
        self.check_other(from, label)?;
        let between = Between { label, from, to: self.rank() };
        let call = self.point(Kind::ViewPoint, false, from, label);
        self.ongoing(Channel::Points, call, |ongoing| {
            ongoing.post(from, room(self, view.read())?)?;
            let message = ongoing.arrived()?.pop().expect("one was posted");
            take(self, between, view.write(), &message)
        })
    }

    /// Copies the elements of rank `root`'s View into those of all ranks, which have its type and extents, in any memory and layout.
    ///
    /// # Errors
    /// If `root` is not a rank, a View has another type or other extents (the error names both ranks), a rank makes another call, or a transfer
    /// fails.
    ///
    /// # Complexity
    /// P - 1 messages of the View's bytes in log2 P steps (binomial tree).
    ///
    /// # Examples
    /// ```
    /// use spelt_core::View;
    /// use spelt_mpi::InProcess;
    /// let all = InProcess::new(3).run(|ranks| {
    ///     let mut table = View::from_fn("table", [4], |[i]| (i * ranks.rank()) as f64)?;
    ///     ranks.broadcast_view("table", 2, &mut table)?;
    ///     Ok::<Vec<f64>, spelt_core::Error>(table.to_vec())
    /// });
    /// for table in all {
    ///     assert_eq!(table?, [0.0, 2.0, 4.0, 6.0]);
    /// }
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn broadcast_view<T, const R: usize, M, L>(
        &self,
        label: &str,
        root: usize,
        view: &mut impl WriteView<T, R, M, L>,
    ) -> Result<()>
    where
        T: Element + Portable,
        M: MemorySpace,
        L: Layout,
    {
        self.check_rank(root, "root", label)?;
        let (tree, is_root) = (Tree::new(self, root), self.rank() == root);
        let between = Between { label, from: root, to: self.rank() };
        self.collective(Kind::ViewBroadcast, root, label, |ongoing| {
            if is_root {
                return broadcast_to(ongoing, tree, payload(self, view.read())?);
            }
            let message = broadcast_from(ongoing, tree, room(self, view.read())?)?;
            take(self, between, view.write(), &message)
        })
    }
}
