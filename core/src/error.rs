//! The one error type of Spelt.

use core::fmt;

/// What went wrong, with the values, and what to do about it.
///
/// The message is a sentence for people; [`Error::kind`] is for programs. A launch that returns an error has
/// run no iteration and changed no View.
///
/// # Examples
/// ```
/// use spelt_core::{Error, ErrorKind};
/// let error = Error::new(ErrorKind::Configuration, "SPELT_NUM_THREADS is `many`: give a whole number above 0");
/// assert_eq!(error.kind(), ErrorKind::Configuration);
/// ```
pub struct Error {
    kind: ErrorKind,
    message: String,
    kernel: Option<String>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// The sort of an [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A View does not cover the indices that a kernel gives it, or a copy joins different extents.
    Extents,
    /// A product of extents, a byte size or an iteration count does not fit.
    Overflow,
    /// A policy asks for what the space cannot do: team size, vector length, scratch, a tile of zero.
    Policy,
    /// Memory could not be had.
    OutOfMemory,
    /// A wrong setting: environment, command line or builder.
    Configuration,
    /// Reading or writing a file failed.
    Io,
    /// A file or buffer does not hold what it should.
    Format,
    /// A layout or stride does not allow the operation.
    Layout,
    /// A device cannot be used: no driver, no such device, a driver that is too old or refuses a call.
    Driver,
    /// Something failed on a device: a kernel panicked or touched what it must not, now or before.
    Device,
    /// The program has no code for the device, or not this kernel's.
    DeviceCode,
}

/// A result whose error is Spelt's.
pub type Result<T, E = Error> = core::result::Result<T, E>;

impl Error {
    /// An error of this kind with this message.
    #[must_use]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), kernel: None, source: None }
    }

    /// The same error, caused by `source`.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// The same error, said of the kernel with this label.
    #[must_use]
    pub fn in_kernel(mut self, label: &str) -> Self {
        self.kernel = Some(label.to_owned());
        self
    }

    /// The sort of error, for programs that react to it.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The label of the kernel whose launch failed, if a launch failed.
    #[must_use]
    pub fn kernel(&self) -> Option<&str> {
        self.kernel.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kernel {
            Some(label) => write!(f, "kernel `{label}`: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

/// The message, and what caused it: what `main` prints when it returns the error.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self} ({:?})", self.kind)?;
        match &self.source {
            Some(source) => write!(f, ", caused by: {source}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| &**source as &(dyn std::error::Error + 'static))
    }
}
