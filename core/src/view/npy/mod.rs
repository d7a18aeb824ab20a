//! Views to and from NumPy's `.npy` files.
//!
//! The format is NumPy's own description, `numpy.lib.format`, versions 1.0 to 3.0: a magic string, a Python
//! dictionary with the element type, the order and the shape, then the elements. Both byte orders and both orders of
//! elements are read; little-endian 1.0 is written, in Fortran order for [`Left`](spelt_access::Left). Nothing in a
//! file is trusted: everything invalid is an error that names it.

mod element;
mod header;
mod rows;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use spelt_access::{Layout, Left, Right};

pub use element::NpyElement;
use header::Header;

use super::index::has_order_of;
use super::{View, ViewMut, ViewRef};
use crate::view::{HostAccessible, HostSpace};
use crate::{Error, ErrorKind, Result};

/// Size of the buffer between file and View. Unit: bytes. Source: a power of two that fits second-level caches.
const BUFFER: usize = 1 << 16;

fn format_error(name: &str, message: impl core::fmt::Display) -> Error {
    Error::new(ErrorKind::Format, format!("npy `{name}`: {message}"))
}

fn io_error(name: &str, doing: &str, error: io::Error) -> Error {
    let kind = if error.kind() == io::ErrorKind::UnexpectedEof { ErrorKind::Format } else { ErrorKind::Io };
    Error::new(kind, format!("npy `{name}`: {doing}: {error}")).with_source(error)
}

impl<T: NpyElement, const R: usize, L: Layout> View<T, R, HostSpace, L> {
    /// The array in a `.npy` file, as a View whose label is the file's name without the ending.
    ///
    /// The file's order need not be the View's; elements are put where they belong.
    ///
    /// # Errors
    /// [`ErrorKind::Io`] if the file cannot be read; [`ErrorKind::Format`] if it is malformed, cut short or too long,
    /// or holds another element type or rank (the message has the actual and the requested one);
    /// [`ErrorKind::Overflow`] or [`ErrorKind::OutOfMemory`] if the array does not fit in memory.
    ///
    /// # Examples
    /// ```no_run
    /// use spelt_core::View;
    /// let a = View::<f64, 2>::read_npy("a.npy")?;
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn read_npy(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let file = File::open(path).map_err(|error| io_error(&name, "opening it", error))?;
        let mut file = io::BufReader::with_capacity(BUFFER, file);
        let label = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let view = Self::read(&name, label, &mut file)?;
        match io::copy(&mut file.take(1), &mut io::sink()) {
            Ok(0) => Ok(view),
            Ok(_) => Err(format_error(
                &name,
                format_args!("there are bytes behind the last element of the shape {:?}", view.extents()),
            )),
            Err(error) => Err(io_error(&name, "looking for its end", error)),
        }
    }

    /// The array at the front of `reader`, as a View with this label; bytes after the array are left unread.
    ///
    /// # Errors
    /// As [`View::read_npy`], except that bytes after the array are not an error.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::View;
    /// let a = View::from_fn("a", [2, 3], |[i, j]| (i + j) as f32)?;
    /// let mut bytes = Vec::new();
    /// a.write_npy_to(&mut bytes)?;
    /// assert_eq!(View::<f32, 2>::read_npy_from("b", &bytes[..])?, a);
    /// assert!(View::<f32, 1>::read_npy_from("c", &bytes[..]).is_err());
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn read_npy_from(label: impl Into<String>, mut reader: impl Read) -> Result<Self> {
        let label = label.into();
        Self::read(&label.clone(), label, &mut reader)
    }

    fn read(name: &str, label: String, reader: &mut impl Read) -> Result<Self> {
        let header = Header::read(name, reader)?;
        header.check::<T>(name)?;
        let extents: [usize; R] = header.extents::<T, R>(name)?;
        // The View has the memory order of the file; otherwise a View in that order is copied.
        let same_order = if header.fortran {
            has_order_of::<L, Left, R>(extents)
        } else {
            has_order_of::<L, Right, R>(extents)
        };
        if same_order {
            return Self::read_elements(name, label, extents, header.big_endian, reader);
        }
        if header.fortran {
            View::<T, R, HostSpace, Left>::read_elements(name, label, extents, header.big_endian, reader)?
                .to_layout(L::default())
        } else {
            View::<T, R, HostSpace, Right>::read_elements(name, label, extents, header.big_endian, reader)?
                .to_layout(L::default())
        }
    }

    fn read_elements(
        name: &str,
        label: String,
        extents: [usize; R],
        big_endian: bool,
        reader: &mut impl Read,
    ) -> Result<Self> {
        // SAFETY: the loop below writes every element before the View is returned; on an error it is dropped unread.
        let mut view = unsafe { Self::uninit(label, extents)? };
        let (pointer, len) = (view.raw_mut().pointer(), view.len());
        let size = size_of::<T>();
        let mut buffer = vec![0_u8; (BUFFER / size * size).min(len * size)];
        let mut done = 0;
        while done < len {
            let bytes = (len - done).saturating_mul(size).min(buffer.len());
            let chunk = &mut buffer[..bytes];
            let doing = "its elements end too early";
            reader.read_exact(chunk).map_err(|error| {
                let wanted = len * size;
                io_error(name, &format!("{doing}, the shape {extents:?} takes {wanted} bytes"), error)
            })?;
            for bytes in chunk.chunks_exact(size) {
                let Some(value) = T::decode(bytes, big_endian) else {
                    return Err(format_error(
                        name,
                        format_args!(
                            "element {done} has the bytes {bytes:?}, which are not a valid {}",
                            element::name::<T>()
                        ),
                    ));
                };
                // SAFETY: `done < len`, and an owned View is dense: these are its elements in memory order.
                unsafe { pointer.add(done).write(value) };
                done += 1;
            }
        }
        Ok(view)
    }
}

impl<T: NpyElement, const R: usize, M: HostAccessible, L: Layout> ViewRef<'_, T, R, M, L> {
    fn write_to(self, name: &str, writer: &mut impl Write) -> Result<()> {
        // The format has two orders of elements; Views in any other are written in the order of the indices.
        let row_major = has_order_of::<L, Right, R>(self.extents());
        let slice = self.as_slice().filter(|_| row_major || has_order_of::<L, Left, R>(self.extents()));
        let column_major = !row_major && slice.is_some();
        let failed = |error| io_error(name, "writing it", error);
        writer.write_all(&Header::bytes::<T>(column_major, &self.extents())).map_err(failed)?;
        let mut buffer = Vec::with_capacity(BUFFER);
        let mut put = |element: &T| -> Result<()> {
            element.encode(&mut buffer);
            if buffer.len() + size_of::<T>() > BUFFER {
                writer.write_all(&buffer).map_err(failed)?;
                buffer.clear();
            }
            Ok(())
        };
        match slice {
            Some(slice) => slice.iter().try_for_each(&mut put)?,
            None => self.iter().try_for_each(&mut put)?,
        }
        writer.write_all(&buffer).and_then(|()| writer.flush()).map_err(failed)
    }

    fn write_file(self, path: &Path) -> Result<()> {
        let name = path.display().to_string();
        let failed = |error| io_error(&name, "writing it", error);
        // A link stays a link: its target is replaced.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let (temporary, file) = create_beside(&target).map_err(failed)?;
        let written = self.write_and_close(&name, file, &target, &temporary.0);
        if written.is_ok() {
            core::mem::forget(temporary);
        }
        written
    }

    fn write_and_close(self, name: &str, mut file: File, target: &Path, temporary: &Path) -> Result<()> {
        self.write_to(name, &mut file)?;
        let failed = |error| io_error(name, "writing it", error);
        if let Ok(existing) = fs::metadata(target) {
            file.set_permissions(existing.permissions()).map_err(failed)?;
        }
        file.sync_all().map_err(failed)?;
        drop(file);
        fs::rename(temporary, target).map_err(failed)
    }
}

/// A file that is removed again unless this value is forgotten.
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        // Best effort: the error that led here is the one to report.
        let _ = fs::remove_file(&self.0);
    }
}

/// A new file in the folder of `target`, under an unused name.
fn create_beside(target: &Path) -> io::Result<(Temporary, File)> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let file_name = target.file_name().ok_or_else(|| io::Error::other("the path names no file"))?;
    loop {
        let mut name = std::ffi::OsString::from(".");
        name.push(file_name);
        name.push(format!(".{}-{}.tmp", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed)));
        let path = target.with_file_name(name);
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => return Ok((Temporary(path), file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

macro_rules! writing {
    ($($view:ident [$($param:tt)*];)*) => {$(
        impl<$($param)* T: NpyElement, const R: usize, M: HostAccessible, L: Layout> $view<$($param)* T, R, M, L> {
            /// Writes the View to a `.npy` file, which NumPy reads with `np.load`.
            ///
            /// The file is replaced as a whole or not at all: the bytes go to a temporary file in the same folder, which is
            /// then renamed. An existing file stays unchanged until then.
            ///
            /// # Errors
            /// [`ErrorKind::Io`] if the file cannot be written.
            ///
            /// # Complexity
            /// O(len); `size_bytes` bytes and a header are written.
            ///
            /// # Examples
            /// ```no_run
            /// use spelt_core::View;
            /// View::<f64, 2>::zeros("a", [3, 4])?.write_npy("a.npy")?;
            /// # Ok::<(), spelt_core::Error>(())
            /// ```
            pub fn write_npy(&self, path: impl AsRef<Path>) -> Result<()> {
                self.view().write_file(path.as_ref())
            }

            /// Writes the View in the `.npy` format.
            ///
            /// # Errors
            /// [`ErrorKind::Io`] if `writer` reports an error.
            ///
            /// # Examples
            /// ```
            /// use spelt_core::View;
            /// let v = View::from_fn("v", [2, 3], |[i, j]| (i + j) as f32)?;
            /// let mut bytes = Vec::new();
            /// v.write_npy_to(&mut bytes)?;
            /// assert!(bytes.starts_with(b"\x93NUMPY"));
            /// assert_eq!(View::<f32, 2>::read_npy_from("v", &bytes[..])?, v);
            /// # Ok::<(), spelt_core::Error>(())
            /// ```
            pub fn write_npy_to(&self, mut writer: impl Write) -> Result<()> {
                self.view().write_to(self.label(), &mut writer)
            }
        }
    )*};
}
writing! { View []; ViewRef ['a,]; ViewMut ['a,]; }
