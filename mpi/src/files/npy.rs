//! `.npy` files of arrays whose rows are divided among the ranks.

use std::path::Path;

use spelt_core::{Error, ErrorKind, Layout, MemorySpace, NpyElement, ReadView, Result, View, ViewRef};

use super::beside::{beside, put_in_place, remove_beside};
use crate::communicator::Communicator;
use crate::views::elements::on_host;
use crate::views::rows::check_rows;

/// All kinds of errors, whose places in this list travel between the ranks. The first stands for a kind that is missing here.
const KINDS: [ErrorKind; 14] = [
    ErrorKind::Io,
    ErrorKind::Extents,
    ErrorKind::Overflow,
    ErrorKind::Policy,
    ErrorKind::OutOfMemory,
    ErrorKind::Configuration,
    ErrorKind::Format,
    ErrorKind::Layout,
    ErrorKind::Driver,
    ErrorKind::Device,
    ErrorKind::DeviceCode,
    ErrorKind::Communication,
    ErrorKind::Capacity,
    ErrorKind::Failures,
];
const _: () = assert!(KINDS.len() == ErrorKind::Failures as usize + 1, "a kind is missing");

impl Communicator {
    /// Writes an array to a `.npy` file, which NumPy reads with `np.load`: each rank writes its rows, those from `cuts[r]` to `cuts[r + 1]`, to their
    /// place. All ranks reach the file by the same path.
    ///
    /// The file has the bytes of one written by one process, for any number of ranks and any cuts. It is replaced as a whole or not at all: the bytes
    /// go to a file beside it, which is then renamed.
    ///
    /// # Errors
    /// If the cuts do not ascend from 0 or the View does not have its rows. If the file cannot be written by one rank, all ranks get its error, and
    /// can go on. Those of [`Communicator::broadcast`].
    ///
    /// # Complexity
    /// Each rank writes its rows; 6 (P - 1) messages.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::View;
    /// use spelt_mpi::InProcess;
    /// let path = std::env::temp_dir().join("spelt-ranks-write.npy");
    /// let results = InProcess::new(2).run(|ranks| {
    ///     let cuts = [0, 2, 5];
    ///     let (first, past) = (cuts[ranks.rank()], cuts[ranks.rank() + 1]);
    ///     ranks.write_npy(&path, &cuts, &View::from_fn("rows", [past - first], |[i]| (first + i) as f64)?)?;
    ///     // Another division reads the same elements.
    ///     ranks.read_npy::<f64, 1>(&path, &[0, 4, 5])
    /// });
    /// assert_eq!(results[1].as_ref().expect("no error").to_vec(), [4.0]);
    /// assert_eq!(View::<f64, 1>::read_npy(&path)?.to_vec(), [0.0, 1.0, 2.0, 3.0, 4.0]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn write_npy<T, const R: usize, M, L>(
        &self,
        path: impl AsRef<Path>,
        cuts: &[usize],
        rows: &impl ReadView<T, R, M, L>,
    ) -> Result<()>
    where
        T: NpyElement,
        M: MemorySpace,
        L: Layout,
    {
        let path = path.as_ref();
        self.write_rows(path, cuts, rows.read())
    }

    /// The rows from `cuts[r]` to `cuts[r + 1]`, on each rank r, of the array in a `.npy` file, which all ranks reach by the same path.
    /// [`View::npy_extents`] has the number of rows to divide.
    ///
    /// # Errors
    /// If the cuts do not ascend from 0 to the number of the array's rows. If the file cannot be read by one rank, all ranks get its error, and can go
    /// on. Those of [`Communicator::broadcast`].
    ///
    /// # Complexity
    /// Each rank reads its rows alone; 2 (P - 1) messages.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::View;
    /// use spelt_mpi::InProcess;
    /// let path = std::env::temp_dir().join("spelt-ranks-read.npy");
    /// View::from_fn("a", [6, 2], |[i, j]| (10 * i + j) as u16)?.write_npy(&path)?;
    /// let parts = InProcess::new(3).run(|ranks| ranks.read_npy::<u16, 2>(&path, &[0, 1, 1, 6]));
    /// assert_eq!(parts[0].as_ref().expect("no error").to_vec(), [0, 1]);
    /// assert_eq!(parts[1].as_ref().expect("no error").extents(), [0, 2]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn read_npy<T: NpyElement, const R: usize>(
        &self,
        path: impl AsRef<Path>,
        cuts: &[usize],
    ) -> Result<View<T, R>> {
        let path = path.as_ref();
        let label = path.display().to_string();
        let n = self.check_cuts(&label, cuts)?;
        let rows = View::<T, R>::npy_extents(path).and_then(|extents| match extents[0] == n {
            true => View::read_npy_rows(path, cuts[self.rank()]..cuts[self.rank() + 1]),
            false => {
                let message =
                    format!("`{label}`: the cuts end with {n}, but the array has the extents {extents:?}");
                Err(Error::new(ErrorKind::Extents, message))
            }
        });
        self.all_or_none(&label, rows)
    }

    /// The value of this rank if all ranks have one; otherwise the error of the first rank that has one. The ranks can go on then: unlike an error within a
    /// collective, this one is known to all.
    ///
    /// # Errors
    /// That of the first rank with one, its number in the message: kind and message are the same on all ranks. Those of [`Communicator::all_reduce`].
    ///
    /// # Complexity
    /// 2 (P - 1) messages in 2 log2 P steps.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Error, ErrorKind};
    /// use spelt_mpi::InProcess;
    /// let results = InProcess::new(3).run(|ranks| {
    ///     let own = if ranks.rank() == 1 { Err(Error::new(ErrorKind::Io, "no disk")) } else { Ok(7) };
    ///     let all = ranks.all_or_none("opening", own);
    ///     ranks.barrier("the ranks go on")?;
    ///     all
    /// });
    /// for result in results {
    ///     assert_eq!(result.unwrap_err().to_string(), "rank 1: no disk");
    /// }
    /// ```
    pub fn all_or_none<O>(&self, label: &str, own: Result<O>) -> Result<O> {
        self.agreed(label, own)?
    }

    /// The inner result, the same on all ranks, is that of [`all_or_none`](Self::all_or_none). If the call itself fails, others may have agreed on
    /// success.
    pub(super) fn agreed<O>(&self, label: &str, own: Result<O>) -> Result<Result<O>> {
        let mut described = Vec::new();
        if let Err(error) = &own {
            // The kind travels with the text: programs decide by the kind what to do next, which must be the same on all ranks.
            let kind = KINDS.iter().position(|kind| *kind == error.kind()).unwrap_or(0);
            described.push(kind as u8);
            described.extend_from_slice(format!("rank {}: {error}", self.rank()).as_bytes());
        }
        let first = |left: &[u8], right: &[u8]| Ok(if left.is_empty() { right } else { left }.to_vec());
        let first = self.all_reduce(label, described, first)?;
        match (first.split_first(), own) {
            (None, own) => Ok(own),
            (Some((kind, text)), _) => {
                let kind = KINDS.get(usize::from(*kind)).copied().unwrap_or(ErrorKind::Io);
                Ok(Err(Error::new(kind, String::from_utf8_lossy(text).into_owned())))
            }
        }
    }

    /// Writes rows to a file beside `path`, and renames it when all ranks have.
    fn write_rows<T, const R: usize, M, L>(
        &self,
        path: &Path,
        cuts: &[usize],
        rows: ViewRef<'_, T, R, M, L>,
    ) -> Result<()>
    where
        T: NpyElement,
        M: MemorySpace,
        L: Layout,
    {
        let (label, temporary) = (path.display().to_string(), beside(path));
        let n = self.check_cuts(&label, cuts)?;
        let own = cuts[self.rank()]..cuts[self.rank() + 1];
        let checked = check_rows(&label, self.rank(), own.len(), rows);
        let mut extents = rows.extents();
        extents[0] = n;
        let is_first = self.rank() == 0;
        let made = checked.and_then(|()| match is_first {
            true => View::<T, R>::create_npy(&temporary, extents),
            false => Ok(()),
        });
        let written = self.all_or_none(&label, made).and_then(|()| {
            let written = on_host(rows, |rows| rows.write_npy_rows(&temporary, own.start));
            self.all_or_none(&label, written)
        });
        let renamed = match written {
            Ok(()) if is_first => put_in_place(path),
            Err(error) if is_first => {
                remove_beside(path);
                return Err(error);
            }
            other => return other.and_then(|()| self.all_or_none(&label, Ok(()))),
        };
        self.all_or_none(&label, renamed)
    }
}
