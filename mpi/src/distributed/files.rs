//! Plans and files of distributed Views, and whole Views on all ranks.

use std::path::Path;

use spelt_core::{
    Element, Error, ErrorKind, ExecutionSpace, MemorySpace, NpyElement, Portable, Result, View,
};

use super::{DistributedView, Mpi, Partition};
use crate::views::elements::replace;
use crate::{CellField, Checkpoint, Grid, Plan};

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
        replace(view.own_mut().into_view(), &rows)?;
        Ok(view)
    }

    /// A copy of a whole View on the hosts of all ranks. All ranks call it.
    ///
    /// # Errors
    /// If there is no memory, a rank makes another call, or a transfer fails.
    ///
    /// # Complexity
    /// log2 P messages for each of P ranks, in log2 P steps; each rank gets all elements.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::Serial;
    /// use spelt_mpi::{InProcess, Mpi};
    /// let wholes = InProcess::new(3).run(|ranks| {
    ///     let space = Mpi::new(ranks, Serial::new());
    ///     space.all_gather("x", &space.view_from_fn("x", [4, 1], |[i, _]| i)?)
    /// });
    /// for whole in wholes {
    ///     assert_eq!(whole?.to_vec(), [0, 1, 2, 3]);
    /// }
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn all_gather<T: Element + Portable, const R: usize, M: MemorySpace>(
        &self,
        label: &str,
        view: &DistributedView<T, R, M>,
    ) -> Result<View<T, R>> {
        self.ranks().all_gather_view(label, &view.own().as_view())
    }

    /// Replaces all elements of a View by those of the whole one that rank `root` gives, with the same extents; the other ranks give `None`. All
    /// ranks call it. [`Mpi::gather`] is the way back.
    ///
    /// # Errors
    /// If `root` is not a rank or gives nothing, the extents differ, a rank makes another call, or a transfer fails.
    ///
    /// # Complexity
    /// P - 1 messages in log2 P steps.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::Serial;
    /// use spelt_mpi::{InProcess, Mpi};
    /// let sums = InProcess::new(2).run(|ranks| {
    ///     let space = Mpi::new(ranks, Serial::new());
    ///     let mut x = space.view_from_fn("x", [4, 1], |[i, _]| i)?;
    ///     let mut whole = space.gather("x", &x, 0)?;
    ///     if let Some(whole) = &mut whole {
    ///         whole[[3, 0]] = 70;
    ///     }
    ///     space.scatter("x", whole.as_ref(), &mut x, 0)?;
    ///     Ok::<usize, spelt_core::Error>(x.own().as_view().iter().sum())
    /// });
    /// assert_eq!(sums.into_iter().collect::<Result<Vec<_>, _>>()?, [1, 72]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn scatter<T: Element + Portable, const R: usize, M: MemorySpace>(
        &self,
        label: &str,
        whole: Option<&View<T, R>>,
        view: &mut DistributedView<T, R, M>,
        root: usize,
    ) -> Result<()> {
        let none = View::zeros("none", [0; R])?;
        if self.ranks().rank() == root && whole.map(View::extents) != Some(view.extents()) {
            let message = format!(
                "`{label}`: rank {root} scatters extents {:?} into view `{}`, which has {:?}",
                whole.map(View::extents),
                view.label(),
                view.extents()
            );
            return Err(Error::new(ErrorKind::Extents, message));
        }
        let partition = view.partition().clone();
        let mut own = view.own_mut();
        self.ranks().scatter_view(
            label,
            root,
            partition.cuts(),
            whole.unwrap_or(&none),
            &mut own.as_view_mut(),
        )
    }

    /// Writes a [`Checkpoint`]; see [`Communicator::save`](crate::Communicator::save). [`Checkpoint::view`] writes distributed Views to it.
    ///
    /// # Errors
    /// Those of [`Communicator::save`](crate::Communicator::save).
    ///
    /// # Examples
    /// ```
    /// use spelt_core::Serial;
    /// use spelt_mpi::{InProcess, Mpi};
    /// let folder = std::env::temp_dir().join("spelt-distributed-save");
    /// let saved = InProcess::new(2).run(|ranks| {
    ///     let space = Mpi::new(ranks, Serial::new());
    ///     let x = space.view_from_fn("x", [5, 2], |[i, j]| (10 * i + j) as f64)?;
    ///     space.save(&folder, |checkpoint| {
    ///         checkpoint.view("x", &x)?;
    ///         checkpoint.value("step", &7_u32)
    ///     })
    /// });
    /// saved.into_iter().collect::<Result<Vec<_>, _>>()?;
    /// let restored = InProcess::new(3).run(|ranks| {
    ///     let space = Mpi::new(ranks, Serial::new());
    ///     let checkpoint = space.restore(&folder)?;
    ///     assert_eq!(checkpoint.read_value::<u32>("step")?, 7);
    ///     space.all_gather("x", &checkpoint.read_view::<f64, 2, _>("x", &space)?)
    /// });
    /// assert_eq!(restored[0].as_ref().expect("no error")[[4, 1]], 41.0);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn save(
        &self,
        folder: impl AsRef<Path>,
        write: impl FnOnce(&Checkpoint<'_>) -> Result<()>,
    ) -> Result<()> {
        self.ranks().save(folder, write)
    }

    /// The [`Checkpoint`] in a folder; see [`Communicator::restore`](crate::Communicator::restore). [`Checkpoint::read_view`] reads distributed
    /// Views from it.
    ///
    /// # Errors
    /// Those of [`Communicator::restore`](crate::Communicator::restore).
    ///
    /// # Examples
    /// ```
    /// use spelt_mpi::{Communicator, Mpi};
    /// let ranks = Communicator::alone();
    /// assert!(Mpi::new(&ranks, spelt_core::Serial::new()).restore("no/such/folder").is_err());
    /// ```
    pub fn restore(&self, folder: impl AsRef<Path>) -> Result<Checkpoint<'_>> {
        self.ranks().restore(folder)
    }

    /// Writes distributed Views as an image for ParaView; see [`Communicator::write_pvti`](crate::Communicator::write_pvti), which also takes the
    /// own rows of other Views.
    ///
    /// # Errors
    /// If none of the Views is distributed, or two are divided at other rows. Those of [`Communicator::write_pvti`](crate::Communicator::write_pvti).
    ///
    /// # Examples
    /// ```
    /// use spelt_core::Serial;
    /// use spelt_mpi::{Grid, InProcess, Mpi};
    /// let path = std::env::temp_dir().join("spelt-distributed.pvti");
    /// let results = InProcess::new(2).run(|ranks| {
    ///     let space = Mpi::new(ranks, Serial::new());
    ///     let heat = space.view_from_fn("heat", [4, 8], |[i, j]| (i + j) as f32)?;
    ///     space.write_pvti(&path, Grid::default(), &[&heat])
    /// });
    /// results.into_iter().collect::<Result<Vec<_>, _>>()?;
    /// let text = std::fs::read_to_string(&path).expect("it was written");
    /// assert!(text.contains(r#"<Piece Extent="0 8 2 4 0 0" Source="spelt-distributed_1.vti"/>"#), "{text}");
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn write_pvti(&self, path: impl AsRef<Path>, grid: Grid, fields: &[&dyn CellField]) -> Result<()> {
        let Some(cuts) = fields.iter().find_map(|field| field.cuts()) else {
            let message =
                format!("`{}`: give at least one distributed View as a field", path.as_ref().display());
            return Err(Error::new(ErrorKind::Extents, message));
        };
        self.ranks().write_pvti(path, grid, cuts, fields)
    }
}

impl Checkpoint<'_> {
    /// Writes a distributed View under a name, as [`Checkpoint::array`] does.
    ///
    /// # Errors
    /// Those of [`Checkpoint::array`].
    ///
    /// # Examples
    /// ```
    /// use spelt_core::Serial;
    /// use spelt_mpi::{Communicator, Mpi};
    /// let (ranks, folder) = (Communicator::alone(), std::env::temp_dir().join("spelt-save-view"));
    /// let space = Mpi::new(&ranks, Serial::new());
    /// let x = space.view_from_fn("x", [3], |[i]| i as i16)?;
    /// space.save(&folder, |checkpoint| checkpoint.view("x", &x))?;
    /// assert_eq!(space.restore(&folder)?.read_array::<i16, 1>("x", &[0, 3])?.to_vec(), [0, 1, 2]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn view<T: NpyElement, const R: usize, M: MemorySpace>(
        &self,
        name: &str,
        view: &DistributedView<T, R, M>,
    ) -> Result<()> {
        self.array(name, view.partition().cuts(), &view.own().as_view())
    }

    /// The array of this name as a View of `space`, divided as those of [`Mpi::zeros`]. The ranks need not be those of the time when it was
    /// written.
    ///
    /// # Errors
    /// Those of [`Checkpoint::extents`] and [`Checkpoint::read_array`].
    ///
    /// # Examples
    /// ```
    /// use spelt_core::Serial;
    /// use spelt_mpi::{Communicator, Mpi};
    /// let (ranks, folder) = (Communicator::alone(), std::env::temp_dir().join("spelt-read-view"));
    /// let space = Mpi::new(&ranks, Serial::new());
    /// let x = space.view_from_fn("x", [3, 2], |[i, j]| (i * j) as f32)?;
    /// space.save(&folder, |checkpoint| checkpoint.view("x", &x))?;
    /// let again = space.restore(&folder)?.read_view::<f32, 2, _>("x", &space)?;
    /// assert_eq!((again.label(), again.own().as_view().to_vec()), ("x", vec![0.0, 0.0, 0.0, 1.0, 0.0, 2.0]));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn read_view<T, const R: usize, S>(
        &self,
        name: &str,
        space: &Mpi<'_, S>,
    ) -> Result<DistributedView<T, R, S::Memory>>
    where
        T: NpyElement + Portable,
        S: ExecutionSpace + 'static,
    {
        let mut view = space.zeros(name, self.extents::<T, R>(name)?)?;
        self.read_into(name, &mut view)?;
        Ok(view)
    }

    /// Replaces all elements of a View by the array of this name, which has its extents.
    ///
    /// # Errors
    /// If it has not; those of [`Checkpoint::read_array`].
    ///
    /// # Examples
    /// ```
    /// use spelt_core::Serial;
    /// use spelt_mpi::{Communicator, Mpi, Partition};
    /// let (ranks, folder) = (Communicator::alone(), std::env::temp_dir().join("spelt-read-into"));
    /// let space = Mpi::new(&ranks, Serial::new());
    /// space.save(&folder, |checkpoint| checkpoint.view("x", &space.view_from_fn("x", [3], |[i]| i as u8)?))?;
    /// let mut x = space.zeros_on::<u8, 1>(&Partition::from_cuts(&[0, 3])?, "x", [3])?;
    /// space.restore(&folder)?.read_into("x", &mut x)?;
    /// assert_eq!(x.own().as_view().to_vec(), [0, 1, 2]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn read_into<T: NpyElement, const R: usize, M: MemorySpace>(
        &self,
        name: &str,
        view: &mut DistributedView<T, R, M>,
    ) -> Result<()> {
        let found = self.extents::<T, R>(name)?;
        if found != view.extents() {
            let message = format!(
                "the array `{name}` of the checkpoint has the extents {found:?}, and view `{}` has {:?}",
                view.label(),
                view.extents()
            );
            return Err(Error::new(ErrorKind::Extents, message));
        }
        let rows = self.read_array::<T, R>(name, view.partition().cuts())?;
        replace(view.own_mut().into_view(), &rows)
    }
}
