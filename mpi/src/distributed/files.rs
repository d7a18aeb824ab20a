//! Plans and files of distributed Views.

use std::path::Path;

use spelt_core::{ExecutionSpace, MemorySpace, NpyElement, Portable, Result, View, deep_copy};

use super::{DistributedView, Mpi, Partition};
use crate::Plan;

impl<S: ExecutionSpace + 'static> Mpi<'_, S> {
    /// A [`Plan`] for Views with the rows of `partition`, of which this rank wants `wanted` as ghosts; see
    /// [`Communicator::plan`](crate::Communicator::plan).
    ///
    /// # Errors
    /// Those of [`Communicator::plan`](crate::Communicator::plan).
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Serial, View};
    /// use spelt_mpi::{InProcess, Mpi};
    /// let firsts = InProcess::new(3).run(|ranks| {
    ///     let world = Mpi::new(ranks, Serial::new());
    ///     let x = world.view_from_fn("x", [7, 2], |[i, j]| 10 * i + j)?;
    ///     let plan = world.plan("ends", x.partition(), &[0, 6])?;
    ///     let mut ghosts = View::zeros("ghosts", [2, 2])?;
    ///     plan.forward("ends", (&x.own().as_view(), &mut ghosts))?;
    ///     Ok::<Vec<usize>, spelt_core::Error>(ghosts.to_vec())
    /// });
    /// assert_eq!(firsts[1].as_ref().expect("no error"), &[0, 1, 60, 61]);
    /// ```
    pub fn plan(&self, label: &str, partition: &Partition, wanted: &[usize]) -> Result<Plan<'_, S>> {
        self.ranks().plan(label, self.local(), partition.cuts(), wanted)
    }

    /// Writes a View to a `.npy` file, each rank its rows; see [`Communicator::write_npy`](crate::Communicator::write_npy).
    ///
    /// # Errors
    /// Those of [`Communicator::write_npy`](crate::Communicator::write_npy).
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Serial, View};
    /// use spelt_mpi::{InProcess, Mpi};
    /// let path = std::env::temp_dir().join("spelt-distributed-write.npy");
    /// let results = InProcess::new(2).run(|ranks| {
    ///     let world = Mpi::new(ranks, Serial::new());
    ///     world.write_npy(&path, &world.view_from_fn("x", [3, 2], |[i, j]| (10 * i + j) as f32)?)
    /// });
    /// results.into_iter().collect::<Result<Vec<_>, _>>()?;
    /// assert_eq!(View::<f32, 2>::read_npy(&path)?.to_vec(), [0.0, 1.0, 10.0, 11.0, 20.0, 21.0]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn write_npy<T, const R: usize, M>(
        &self,
        path: impl AsRef<Path>,
        view: &DistributedView<T, R, M>,
    ) -> Result<()>
    where
        T: NpyElement,
        M: MemorySpace,
    {
        self.ranks().write_npy(path, view.partition().cuts(), &view.own().as_view())
    }

    /// The array in a `.npy` file, each rank its rows, divided as those of [`Mpi::zeros`]; the label is the file's name without the ending.
    ///
    /// # Errors
    /// Those of [`Communicator::read_npy`](crate::Communicator::read_npy).
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Serial, View};
    /// use spelt_mpi::{InProcess, Mpi};
    /// let path = std::env::temp_dir().join("spelt-distributed-read.npy");
    /// View::from_fn("x", [5, 2], |[i, j]| (10 * i + j) as u16)?.write_npy(&path)?;
    /// let rows = InProcess::new(2).run(|ranks| {
    ///     let x = Mpi::new(ranks, Serial::new()).read_npy::<u16, 2>(&path)?;
    ///     assert_eq!(x.label(), "spelt-distributed-read");
    ///     Ok::<Vec<u16>, spelt_core::Error>(x.own().as_view().to_vec())
    /// });
    /// assert_eq!(rows[0].as_ref().expect("no error"), &[0, 1, 10, 11]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn read_npy<T, const R: usize>(
        &self,
        path: impl AsRef<Path>,
    ) -> Result<DistributedView<T, R, S::Memory>>
    where
        T: NpyElement + Portable,
    {
        let path = path.as_ref();
        let label = path.display().to_string();
        let extents = self.ranks().all_or_none(&label, View::<T, R>::npy_extents(path))?;
        let rows = self.ranks().read_npy::<T, R>(path, self.partition(&extents).cuts())?;
        let mut view = self.zeros::<T, R>(rows.label(), extents)?;
        deep_copy(&mut view.own_mut().as_view_mut(), &rows)?;
        Ok(view)
    }
}
