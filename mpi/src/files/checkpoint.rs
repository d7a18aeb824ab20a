//! Checkpoints: the state of a program in one folder, for a restart on any number of ranks.

use core::cell::RefCell;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use spelt_core::{
    Error, ErrorKind, Layout, MemorySpace, NpyElement, Portable, ReadView, Result, View, ViewRef,
};

use super::beside::{beside, hidden, io_error};
use crate::communicator::Communicator;

/// A folder with arrays, whose rows are divided among the ranks, and with values that all ranks have. Each array is a `.npy` file.
///
/// [`Communicator::save`] writes one, [`Communicator::restore`] reads it on any number of ranks and with any cuts: the elements keep their bits. The
/// folder is replaced as a whole: a program that ends while it writes leaves the one before.
///
/// # Examples
/// ```
/// use spelt_core::View;
/// use spelt_mpi::InProcess;
/// let folder = std::env::temp_dir().join("spelt-checkpoint");
/// let saved = InProcess::new(2).run(|ranks| {
///     let x = View::from_fn("x", [3], |[i]| (3 * ranks.rank() + i) as f64)?;
///     ranks.save(&folder, |checkpoint| {
///         checkpoint.array("x", &[0, 3, 6], &x)?;
///         checkpoint.value("step", &41_u64)
///     })
/// });
/// saved.into_iter().collect::<Result<Vec<_>, _>>()?;
/// // Later, on three ranks:
/// let restored = InProcess::new(3).run(|ranks| {
///     let checkpoint = ranks.restore(&folder)?;
///     assert_eq!(checkpoint.read_value::<u64>("step")?, 41);
///     checkpoint.read_array::<f64, 1>("x", &[0, 2, 4, 6])
/// });
/// assert_eq!(restored[2].as_ref().expect("no error").to_vec(), [4.0, 5.0]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Checkpoint<'c> {
    ranks: &'c Communicator,
    folder: PathBuf,
    /// The names of what was written: arrays and values have files of the same names.
    written: RefCell<BTreeSet<String>>,
}

impl Communicator {
    /// Writes a [`Checkpoint`]: `write` gives its arrays and values, the same on all ranks. The folder, which all ranks reach by the same path, then
    /// replaces one of its name.
    ///
    /// `write` makes the same calls on all ranks; pass what may fail on one rank alone through [`all_or_none`](Self::all_or_none) first.
    ///
    /// # Errors
    /// If `write` returns one, or the folder cannot be written, or a file that is no folder has its name; all ranks get the error of the first rank that
    /// has one, and can go on.
    ///
    /// # Examples
    /// ```
    /// let ranks = spelt_mpi::Communicator::alone();
    /// let folder = std::env::temp_dir().join("spelt-save");
    /// ranks.save(&folder, |checkpoint| checkpoint.value("time", &0.5))?;
    /// assert_eq!(ranks.restore(&folder)?.read_value::<f64>("time")?, 0.5);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn save(
        &self,
        folder: impl AsRef<Path>,
        write: impl FnOnce(&Checkpoint<'_>) -> Result<()>,
    ) -> Result<()> {
        let folder = folder.as_ref();
        let label = folder.display().to_string();
        let unfinished = Checkpoint { ranks: self, folder: beside(folder), written: RefCell::default() };
        let is_first = self.rank() == 0;
        let made = match is_first {
            true => refuse_file(folder).and_then(|()| new_folder(&unfinished.folder)),
            false => Ok(()),
        };
        self.all_or_none(&label, made)?;
        let written = write(&unfinished);
        self.all_or_none(&label, written)?;
        let replaced = if is_first { replace(folder, &unfinished.folder) } else { Ok(()) };
        self.all_or_none(&label, replaced)
    }

    /// The [`Checkpoint`] in a folder, which all ranks reach by the same path.
    ///
    /// # Errors
    /// If there is none on one rank; all ranks get this error, and can go on. Those of [`Communicator::broadcast`].
    ///
    /// # Complexity
    /// 3 (P - 1) messages.
    ///
    /// # Examples
    /// ```
    /// let ranks = spelt_mpi::Communicator::alone();
    /// let error = ranks.restore("no/such/folder").unwrap_err().to_string();
    /// assert!(error.contains("no/such/folder") && error.contains("rank 0"), "{error}");
    /// ```
    pub fn restore(&self, folder: impl AsRef<Path>) -> Result<Checkpoint<'_>> {
        let (folder, old) = (folder.as_ref(), old(folder.as_ref()));
        let label = folder.display().to_string();
        // A program that ended between the two renames of a replacement has left the old one there. One rank decides which one all read: a network file
        // system may show others an earlier state.
        let takes_old = self.rank() == 0 && !folder.is_dir() && old.is_dir();
        let takes_old = self.broadcast(&label, 0, vec![u8::from(takes_old)])? == [1];
        let folder = if takes_old { old } else { folder.to_owned() };
        let found = match fs::metadata(&folder) {
            Ok(metadata) if metadata.is_dir() => {
                Ok(Checkpoint { ranks: self, folder, written: RefCell::default() })
            }
            Ok(_) => Err(no_folder(&folder)),
            Err(error) => Err(io_error(&folder, "opening the checkpoint", error)),
        };
        self.all_or_none(&label, found)
    }
}

impl Checkpoint<'_> {
    /// Writes an array under a name, from the rows of all ranks: rank r has those from `cuts[r]` to `cuts[r + 1]`.
    ///
    /// # Errors
    /// As [`Communicator::write_npy`]; also if the name is not one of a file, or an array or value was written under it before.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::View;
    /// let ranks = spelt_mpi::Communicator::alone();
    /// let folder = std::env::temp_dir().join("spelt-save-array");
    /// ranks.save(&folder, |checkpoint| checkpoint.array("x", &[0, 2], &View::<f32, 2>::zeros("x", [2, 5])?))?;
    /// assert_eq!(ranks.restore(&folder)?.extents::<f32, 2>("x")?, [2, 5]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn array<T, const R: usize, M, L>(
        &self,
        name: &str,
        cuts: &[usize],
        rows: &impl ReadView<T, R, M, L>,
    ) -> Result<()>
    where
        T: NpyElement,
        M: MemorySpace,
        L: Layout,
    {
        let rows: ViewRef<'_, T, R, M, L> = rows.read();
        let file = self.file(name)?;
        // No message is needed: all ranks make the same calls.
        if self.written.borrow().contains(name) {
            let message =
                format!("the checkpoint already has an array or a value `{name}`: give each another name");
            return Err(Error::new(ErrorKind::Configuration, message));
        }
        self.ranks.write_npy(file, cuts, &rows)?;
        self.written.borrow_mut().insert(name.to_owned());
        Ok(())
    }

    /// Writes a value that all ranks have under a name: rank 0 writes its own.
    ///
    /// # Errors
    /// As [`Checkpoint::array`].
    ///
    /// # Examples
    /// ```
    /// let ranks = spelt_mpi::Communicator::alone();
    /// let folder = std::env::temp_dir().join("spelt-save-value");
    /// ranks.save(&folder, |checkpoint| checkpoint.value("time and step", &(0.5, 3_u32)))?;
    /// assert_eq!(ranks.restore(&folder)?.read_value::<(f64, u32)>("time and step")?, (0.5, 3));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn value(&self, name: &str, value: &impl Portable) -> Result<()> {
        let mut bytes = Vec::new();
        value.write(&mut bytes);
        let own = if self.ranks.rank() == 0 { bytes.len() } else { 0 };
        let mut cuts = vec![bytes.len(); self.ranks.size() + 1];
        cuts[0] = 0;
        bytes.truncate(own);
        self.array(name, &cuts, &View::from_vec("value", [own], bytes)?)
    }

    /// The extents of an array.
    ///
    /// # Errors
    /// If it is not there, or has another type or rank; all ranks get the error of the first rank that has one.
    ///
    /// # Examples
    /// ```
    /// let ranks = spelt_mpi::Communicator::alone();
    /// let folder = std::env::temp_dir().join("spelt-extents");
    /// ranks.save(&folder, |checkpoint| checkpoint.value("n", &7_u64))?;
    /// assert!(ranks.restore(&folder)?.extents::<f32, 2>("x").is_err());
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn extents<T: NpyElement, const R: usize>(&self, name: &str) -> Result<[usize; R]> {
        let extents = self.file(name).and_then(View::<T, R>::npy_extents);
        self.ranks.all_or_none(name, extents)
    }

    /// The rows from `cuts[r]` to `cuts[r + 1]` of an array, on each rank r. Cuts and number of ranks need not be those of the time when it was written.
    ///
    /// # Errors
    /// As [`Communicator::read_npy`].
    ///
    /// # Examples
    /// ```
    /// use spelt_core::View;
    /// let ranks = spelt_mpi::Communicator::alone();
    /// let folder = std::env::temp_dir().join("spelt-read-array");
    /// ranks.save(&folder, |checkpoint| checkpoint.array("x", &[0, 2], &View::from_fn("x", [2], |[i]| i as i8)?))?;
    /// assert_eq!(ranks.restore(&folder)?.read_array::<i8, 1>("x", &[0, 2])?.to_vec(), [0, 1]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn read_array<T: NpyElement, const R: usize>(
        &self,
        name: &str,
        cuts: &[usize],
    ) -> Result<View<T, R>> {
        self.ranks.read_npy(self.file(name)?, cuts)
    }

    /// A value, on all ranks.
    ///
    /// # Errors
    /// If it is not there, or is not a value of this type; all ranks get the error of the first rank that has one.
    ///
    /// # Examples
    /// ```
    /// let ranks = spelt_mpi::Communicator::alone();
    /// let folder = std::env::temp_dir().join("spelt-read-value");
    /// ranks.save(&folder, |checkpoint| checkpoint.value("n", &7_u64))?;
    /// assert!(ranks.restore(&folder)?.read_value::<[u64; 2]>("n").is_err());
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn read_value<V: Portable>(&self, name: &str) -> Result<V> {
        let read = self.file(name).and_then(View::<u8, 1>::read_npy).and_then(|bytes| {
            let mut bytes = &bytes.into_vec()[..];
            let value = V::read(&mut bytes).filter(|_| bytes.is_empty());
            value.ok_or_else(|| {
                let kind = core::any::type_name::<V>();
                Error::new(
                    ErrorKind::Format,
                    format!("the value `{name}` of the checkpoint is not one of {kind}"),
                )
            })
        });
        self.ranks.all_or_none(name, read)
    }

    fn file(&self, name: &str) -> Result<PathBuf> {
        if !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', '\0']) {
            return Ok(self.folder.join(format!("{name}.npy")));
        }
        let message = format!("`{name}` is not a name of a file: use letters, digits and spaces");
        Err(Error::new(ErrorKind::Configuration, message))
    }
}

/// The name of a folder while another one takes its place.
fn old(folder: &Path) -> PathBuf {
    hidden(folder, ".old")
}

/// An error if a file that is no folder has this name: it is not ours to replace.
fn refuse_file(folder: &Path) -> Result<()> {
    match folder.exists() && !folder.is_dir() {
        true => Err(no_folder(folder)),
        false => Ok(()),
    }
}

fn no_folder(path: &Path) -> Error {
    let message = format!("`{}` is a file, and a checkpoint is a folder: give another name", path.display());
    Error::new(ErrorKind::Io, message)
}

/// An empty folder in place of one that an earlier program left.
fn new_folder(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)
            .map_err(|error| io_error(folder, "removing an unfinished checkpoint", error))?;
    }
    fs::create_dir_all(folder).map_err(|error| io_error(folder, "making the checkpoint", error))
}

/// Puts the finished folder in place of the one before.
fn replace(folder: &Path, finished: &Path) -> Result<()> {
    let failed = |error| io_error(folder, "replacing the checkpoint before", error);
    let old = old(folder);
    if folder.exists() {
        if old.exists() {
            fs::remove_dir_all(&old).map_err(failed)?;
        }
        fs::rename(folder, &old).map_err(failed)?;
    }
    fs::rename(finished, folder).map_err(failed)?;
    if old.exists() { fs::remove_dir_all(&old).map_err(failed) } else { Ok(()) }
}
