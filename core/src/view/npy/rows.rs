//! Rows of an array in a `.npy` file, the indices of its first dimension: read and written apart from the others.

use core::ops::Range;
use std::fs::{File, OpenOptions};
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use spelt_access::{Layout, Left, Right};

use super::element;
use super::header::Header;
use super::{BUFFER, NpyElement, format_error, io_error};
use crate::view::index::has_order_of;
use crate::view::{HostAccessible, HostSpace, View, ViewMut, ViewRef};
use crate::{Error, ErrorKind, Result};

/// An array in a file: its header, and the place of its first element.
struct Array<const R: usize> {
    file: BufReader<File>,
    name: String,
    header: Header,
    extents: [usize; R],
    first: u64,
}

impl<const R: usize> Array<R> {
    fn open<T: NpyElement>(path: &Path, options: &OpenOptions) -> Result<Self> {
        const { assert!(R > 0, "an array of rank 0 has no rows") };
        let name = path.display().to_string();
        let file = options.open(path).map_err(|error| io_error(&name, "opening it", error))?;
        let mut file = BufReader::with_capacity(BUFFER, file);
        let header = Header::read(&name, &mut file)?;
        header.check::<T>(&name)?;
        let extents = header.extents::<T, R>(&name)?;
        let first =
            file.stream_position().map_err(|error| io_error(&name, "looking for its elements", error))?;
        Ok(Self { file, name, header, extents, first })
    }

    /// The error of rows that the array does not have.
    fn check_rows(&self, rows: &Range<usize>) -> Result<()> {
        if rows.start <= rows.end && rows.end <= self.extents[0] {
            return Ok(());
        }
        let message = format!(
            "npy `{}`: the rows {rows:?} are asked for, but the extents are {:?}",
            self.name, self.extents
        );
        Err(Error::new(ErrorKind::Extents, message))
    }

    /// Moves to an element, counted in the order of the file.
    fn seek<T>(&mut self, element: usize) -> Result<()> {
        let place = (element as u64)
            .checked_mul(size_of::<T>() as u64)
            .and_then(|bytes| bytes.checked_add(self.first))
            .ok_or_else(|| format_error(&self.name, "it is too long for the addresses of files"))?;
        let moved = self.file.seek(SeekFrom::Start(place));
        moved.map(drop).map_err(|error| io_error(&self.name, "looking for a row", error))
    }
}

/// The extents with another number of rows.
fn with_rows<const R: usize>(rows: usize, mut extents: [usize; R]) -> [usize; R] {
    extents[0] = rows;
    extents
}

impl<T: NpyElement, const R: usize, L: Layout> View<T, R, HostSpace, L> {
    /// The extents of the array in a `.npy` file, without its elements.
    ///
    /// # Errors
    /// As [`View::read_npy`], but for those of elements.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::View;
    /// let path = std::env::temp_dir().join("spelt-npy-extents.npy");
    /// View::<f64, 2>::zeros("a", [3, 4])?.write_npy(&path)?;
    /// assert_eq!(View::<f64, 2>::npy_extents(&path)?, [3, 4]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn npy_extents(path: impl AsRef<Path>) -> Result<[usize; R]> {
        Ok(Array::<R>::open::<T>(path.as_ref(), OpenOptions::new().read(true))?.extents)
    }

    /// The rows `rows` of the array in a `.npy` file, the indices of its first dimension, as a View whose label is the file's name without the
    /// ending. No other rows are read.
    ///
    /// # Errors
    /// As [`View::read_npy`], except that the length of the file is not looked at beyond these rows; [`ErrorKind::Extents`] if the array does not
    /// have the rows.
    ///
    /// # Complexity
    /// O(len) of the result. Files in Fortran order take a read for each index behind the first.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::View;
    /// let path = std::env::temp_dir().join("spelt-npy-rows.npy");
    /// View::from_fn("a", [10, 2], |[i, j]| 10 * i + j)?.write_npy(&path)?;
    /// assert_eq!(View::<usize, 2>::read_npy_rows(&path, 3..5)?.to_vec(), [30, 31, 40, 41]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn read_npy_rows(path: impl AsRef<Path>, rows: Range<usize>) -> Result<Self> {
        let path = path.as_ref();
        let mut array = Array::<R>::open::<T>(path, OpenOptions::new().read(true))?;
        array.check_rows(&rows)?;
        let label = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let extents = with_rows(rows.len(), array.extents);
        if array.header.fortran && !has_order_of::<Right, Left, R>(array.extents) {
            let mut view = View::<T, R, HostSpace, Left>::zeros_in(Left, label, extents)?;
            let columns = view.as_mut_slice().expect("a View that owns its memory is dense");
            for (number, column) in columns.chunks_exact_mut(rows.len().max(1)).enumerate() {
                array.seek::<T>(number * array.extents[0] + rows.start)?;
                array.read(column)?;
            }
            return view.to_layout(L::default());
        }
        let mut view = View::<T, R>::zeros(label, extents)?;
        if !view.is_empty() {
            array.seek::<T>(rows.start * (view.len() / rows.len()))?;
            array.read(view.as_mut_slice().expect("a View that owns its memory is dense"))?;
        }
        if has_order_of::<L, Right, R>(extents) {
            return Self::from_vec_in(L::default(), view.label().to_owned(), extents, view.into_vec());
        }
        view.to_layout(L::default())
    }

    /// Makes a `.npy` file for an array of these extents, in the order of the indices, with zeros: its rows are written by
    /// [`write_npy_rows`](View::write_npy_rows), by any number of processes. A file of this name is replaced.
    ///
    /// # Errors
    /// [`ErrorKind::Io`] if the file cannot be written; [`ErrorKind::Overflow`] if the extents exceed the address space.
    ///
    /// # Complexity
    /// O(1) where the file system has sparse files.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::View;
    /// let path = std::env::temp_dir().join("spelt-npy-create.npy");
    /// View::<f32, 1>::create_npy(&path, [5])?;
    /// View::from_vec("two", [2], vec![1.5_f32, 2.5])?.write_npy_rows(&path, 3)?;
    /// assert_eq!(View::<f32, 1>::read_npy(&path)?.to_vec(), [0.0, 0.0, 0.0, 1.5, 2.5]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn create_npy(path: impl AsRef<Path>, extents: [usize; R]) -> Result<()> {
        let name = path.as_ref().display().to_string();
        let bytes = crate::view::checked_count::<T>(&name, &extents)? * size_of::<T>();
        let header = Header::bytes::<T>(false, &extents);
        let written = File::create(path).and_then(|mut file| {
            file.write_all(&header)?;
            file.set_len(header.len() as u64 + bytes as u64)
        });
        written.map_err(|error| io_error(&name, "making it", error))
    }
}

impl<const R: usize> Array<R> {
    /// Reads the next elements.
    fn read<T: NpyElement>(&mut self, to: &mut [T]) -> Result<()> {
        let mut buffer = vec![0; (BUFFER / size_of::<T>()).max(1) * size_of::<T>()];
        for places in to.chunks_mut(buffer.len() / size_of::<T>()) {
            let bytes = &mut buffer[..size_of_val(places)];
            self.file
                .read_exact(bytes)
                .map_err(|error| io_error(&self.name, "its elements end too early", error))?;
            for (place, bytes) in places.iter_mut().zip(bytes.chunks_exact(size_of::<T>())) {
                *place = T::decode(bytes, self.header.big_endian).ok_or_else(|| {
                    format_error(
                        &self.name,
                        format_args!(
                            "an element has the bytes {bytes:?}, which are not a valid {}",
                            element::name::<T>()
                        ),
                    )
                })?;
            }
        }
        Ok(())
    }
}

impl<T: NpyElement, const R: usize, M: HostAccessible, L: Layout> ViewRef<'_, T, R, M, L> {
    fn write_rows(self, path: &Path, first: usize) -> Result<()> {
        let mut array = Array::<R>::open::<T>(path, OpenOptions::new().read(true).write(true))?;
        array.check_rows(&(first..first.saturating_add(self.extents()[0])))?;
        let unwritable = array.header.big_endian && size_of::<T>() > 1
            || array.header.fortran && !has_order_of::<Right, Left, R>(array.extents);
        if unwritable || with_rows(self.extents()[0], array.extents) != self.extents() {
            let message = format_args!(
                "rows of extents {:?} cannot be written into its array of extents {:?}: make it by `create_npy` with the same extents behind \
                 the first, little-endian and in the order of the indices",
                self.extents(),
                array.extents
            );
            return Err(format_error(&array.name, message));
        }
        let row = self.extents()[1..].iter().product::<usize>();
        array.seek::<T>(first.saturating_mul(row))?;
        let Array { file, name, .. } = array;
        let mut file = file.into_inner();
        let failed = |error| io_error(&name, "writing its rows", error);
        let mut buffer = Vec::with_capacity(BUFFER);
        for element in self.iter() {
            element.encode(&mut buffer);
            if buffer.len() + size_of::<T>() > BUFFER {
                file.write_all(&buffer).map_err(failed)?;
                buffer.clear();
            }
        }
        file.write_all(&buffer).and_then(|()| file.sync_data()).map_err(failed)
    }
}

macro_rules! writing_rows {
    ($($view:ident [$($param:tt)*];)*) => {$(
        impl<$($param)* T: NpyElement, const R: usize, M: HostAccessible, L: Layout> $view<$($param)* T, R, M, L> {
            /// Writes the View in place of the rows from `first` on, the indices of the first dimension, of the array in a `.npy` file, made by
            /// [`View::create_npy`]. Other rows stay, and may be written by other processes at the same time.
            ///
            /// # Errors
            /// [`ErrorKind::Io`] if the file cannot be written; [`ErrorKind::Extents`] if the array does not have the rows;
            /// [`ErrorKind::Format`] if it is not a file of such an array.
            ///
            /// # Complexity
            /// O(len); `size_bytes` bytes are written.
            ///
            /// # Examples
            /// ```no_run
            /// use spelt_core::View;
            /// View::<u8, 2>::create_npy("a.npy", [3, 2])?;
            /// View::from_fn("row", [1, 2], |[_, j]| j as u8 + 1)?.write_npy_rows("a.npy", 1)?;
            /// assert_eq!(View::<u8, 2>::read_npy("a.npy")?.to_vec(), [0, 0, 1, 2, 0, 0]);
            /// # Ok::<(), spelt_core::Error>(())
            /// ```
            pub fn write_npy_rows(&self, path: impl AsRef<Path>, first: usize) -> Result<()> {
                self.view().write_rows(path.as_ref(), first)
            }
        }
    )*};
}
writing_rows! { View []; ViewRef ['a,]; ViewMut ['a,]; }
