//! An opened library of MPI.

use core::ffi::{c_char, c_int, c_void};
use core::fmt;

use crate::abi::{self, Abi};
use crate::calls::{Calls, Symbols};
use crate::device_support::DeviceSupport;
use crate::failure::Failure;
use crate::world::World;

/// Characters of the longest texts that MPI writes: the larger of the three interfaces' `MPI_MAX_LIBRARY_VERSION_STRING`.
pub(crate) const LONGEST_TEXT: usize = 8192;

/// An opened library of MPI, not yet initialised.
///
/// # Examples
/// ```
/// use spelt_mpi_library::{Library, candidates};
/// if let Ok(library) = Library::open_first(&candidates()) {
///     println!("{} has {}", library.version(), library.abi());
/// }
/// ```
#[derive(Debug)]
pub struct Library {
    name: String,
    version: String,
    abi: Abi,
    calls: AnyCalls,
    device_support: DeviceSupport,
}

/// The functions with either type of handle.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AnyCalls {
    Integers(Calls<c_int>),
    Pointers(Calls<*mut c_void>),
}

impl Library {
    /// Opens the library in this file, by the rules of the system's loader.
    ///
    /// # Errors
    /// If there is no such file, or it lacks a function of MPI.
    pub fn open(name: &str) -> Result<Self, Failure> {
        let symbols = Symbols::open(name)?;
        let is_standard = name.rsplit('/').next().is_some_and(|file| file.contains("mpi_abi"));
        let abi = match symbols.address("ompi_mpi_comm_world") {
            _ if is_standard => Abi::Standard,
            Ok(_) => Abi::OpenMpi,
            Err(_) => Abi::Mpich,
        };
        // SAFETY: handles are pointers in the standard interface and in Open MPI's, and integers in MPICH's, which is every library
        // that has neither the standard's file name nor Open MPI's variables.
        let calls = unsafe {
            match abi {
                Abi::Standard => AnyCalls::Pointers(Calls::load(&symbols, abi::standard())?),
                Abi::OpenMpi => AnyCalls::Pointers(Calls::load(&symbols, abi::open_mpi(&symbols)?)?),
                Abi::Mpich => AnyCalls::Integers(Calls::load(&symbols, abi::mpich())?),
            }
        };
        let get_library_version = match &calls {
            AnyCalls::Integers(calls) => calls.get_library_version,
            AnyCalls::Pointers(calls) => calls.get_library_version,
        };
        // SAFETY: MPI allows this call before it is initialised; the text is at most as long as the buffer.
        let version = text(|to, len| unsafe { get_library_version(to, len) });
        let device_support = DeviceSupport::of(&symbols);
        Ok(Self {
            name: symbols.name().to_owned(),
            version: first_line(&version),
            abi,
            calls,
            device_support,
        })
    }

    /// Opens the first of these files that is a library of MPI.
    ///
    /// # Errors
    /// If none is: why not, for each of them.
    pub fn open_first(names: &[String]) -> Result<Self, Failure> {
        let mut reasons = Vec::new();
        for name in names {
            match Self::open(name) {
                Ok(library) => return Ok(library),
                Err(failure) => reasons.push(failure.0),
            }
        }
        Err(Failure(reasons.join("; ")))
    }

    /// The file's name, as it was given.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The library's name and version, in its own words.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Its binary interface.
    #[must_use]
    pub fn abi(&self) -> Abi {
        self.abi
    }

    /// Initialises MPI in this process, for calls from this thread.
    ///
    /// # Errors
    /// If MPI was initialised by this function before (it is once in a process), or was finalised, or refuses.
    pub fn initialise(&self) -> Result<World, Failure> {
        World::new(self.calls, self.device_support, &self.name)
    }
}

impl fmt::Display for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}, {})", self.version, self.name, self.abi)
    }
}

/// A text that a function of MPI writes, with its length.
pub(crate) fn text(write: impl FnOnce(*mut c_char, *mut c_int) -> c_int) -> String {
    let mut buffer = vec![0_u8; LONGEST_TEXT + 1];
    let mut len = 0;
    if write(buffer.as_mut_ptr().cast(), &mut len) != 0 {
        return String::new();
    }
    let end = buffer.iter().position(|byte| *byte == 0).unwrap_or(LONGEST_TEXT);
    String::from_utf8_lossy(&buffer[..end]).trim().to_owned()
}

/// The part of a version text that names library and version: MPICH's goes on with how it was built, Open MPI's with who built it.
fn first_line(version: &str) -> String {
    let line = version.lines().next().unwrap_or_default();
    let line = line.split(", package").next().unwrap_or_default();
    line.replace("Version:", "").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::first_line;

    #[test]
    fn the_version_is_one_line() {
        assert_eq!(first_line("MPICH Version:      4.0.2\nMPICH Release date: Thu"), "MPICH 4.0.2");
        assert_eq!(first_line("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4"), "Open MPI v4.1.4");
        assert_eq!(first_line(""), "");
    }
}
