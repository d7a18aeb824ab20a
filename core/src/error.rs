//! Spelt's error type.

use core::fmt;

use spelt_reducers::FailuresValue;

/// An error, with the values involved and the remedy.
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
    /// Apart, so that a `Result` is returned in registers, and each `?` of a program moves one pointer.
    content: Box<Content>,
}

struct Content {
    kind: ErrorKind,
    message: String,
    kernel: Option<String>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// The kind of an [`Error`].
///
/// # Examples
/// ```
/// use spelt_core::{ErrorKind, View};
/// let error = View::from_vec("v", [2, 2], vec![1, 2, 3]).expect_err("4 elements are needed");
/// assert_eq!(error.kind(), ErrorKind::Extents);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A View does not cover the indices of a launch, or the extents of a copy differ.
    Extents,
    /// A product of extents, a size in bytes or a number of iterations overflows.
    Overflow,
    /// A policy requests something that the space does not support: a team size, vector length, scratch, a tile of zero.
    Policy,
    /// There is not enough memory.
    OutOfMemory,
    /// A wrong setting: environment, command line or builder.
    Configuration,
    /// Reading or writing a file failed.
    Io,
    /// The content of a file or buffer is invalid.
    Format,
    /// A layout or stride does not allow the operation.
    Layout,
    /// A device cannot be used: no driver, no such device, a driver that is too old or refuses a call.
    Driver,
    /// A failure on a device: a kernel panicked or made an invalid access, in this or in an earlier call.
    Device,
    /// The program has no code for the device, or none for this kernel.
    DeviceCode,
    /// A message between ranks failed: another rank made another call, ended or does not answer.
    Communication,
    /// A container has no room for more.
    Capacity,
    /// Iterations of a kernel reported failures: see [`Failures`](crate::reducers::Failures).
    Failures,
}

/// A `Result` with Spelt's error type.
///
/// # Examples
/// ```
/// fn threads(text: &str) -> spelt_core::Result<usize> {
///     use spelt_core::{Error, ErrorKind};
///     text.parse().map_err(|error| Error::new(ErrorKind::Configuration, "give a number").with_source(error))
/// }
/// assert_eq!(threads("4")?, 4);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub type Result<T, E = Error> = core::result::Result<T, E>;

impl Error {
    /// An error of this kind with this message.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Error, ErrorKind};
    /// assert_eq!(Error::new(ErrorKind::Io, "the disk is full").to_string(), "the disk is full");
    /// ```
    #[must_use]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self::of(kind, message.into())
    }

    /// Not generic, and never inlined: programs make errors in many places, and seldom.
    #[cold]
    #[inline(never)]
    fn of(kind: ErrorKind, message: String) -> Self {
        Self { content: Box::new(Content { kind, message, kernel: None, source: None }) }
    }

    /// The same error, caused by `source`.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Error, ErrorKind};
    /// use std::error::Error as _;
    /// let cause = "x".parse::<u8>().expect_err("not a number");
    /// let error = Error::new(ErrorKind::Format, "the header is damaged").with_source(cause);
    /// assert!(error.source().is_some());
    /// ```
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.content.source = Some(source.into());
        self
    }

    /// The same error, attributed to the kernel with this label.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Error, ErrorKind};
    /// let error = Error::new(ErrorKind::Policy, "there is no tile").in_kernel("axpy");
    /// assert_eq!(error.to_string(), "kernel `axpy`: there is no tile");
    /// ```
    #[must_use]
    pub fn in_kernel(mut self, label: &str) -> Self {
        self.content.kernel = Some(label.to_owned());
        self
    }

    /// The kind of error, for programs that react to it.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Error, ErrorKind};
    /// assert_eq!(Error::new(ErrorKind::Io, "the disk is full").kind(), ErrorKind::Io);
    /// ```
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.content.kind
    }

    /// The label of the kernel, if a launch failed.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Error, ErrorKind};
    /// let error = Error::new(ErrorKind::Policy, "there is no tile").in_kernel("axpy");
    /// assert_eq!(error.kernel(), Some("axpy"));
    /// ```
    #[must_use]
    pub fn kernel(&self) -> Option<&str> {
        self.content.kernel.as_deref()
    }
}

/// The message has the number of failures and the first of them. For their values, match on [`FailuresValue::ok`] before `?`.
///
/// # Examples
/// ```
/// use spelt_core::{Error, ErrorKind, ExecutionSpace, Serial, View, parallel_reduce, reducers::Failures};
/// fn check<S: ExecutionSpace>(space: &S, x: &View<f64, 1, S::Memory>) -> Result<(), Error> {
///     let policy = space.range(0..x.extent(0));
///     parallel_reduce("check", policy, x, |i, failures, x| {
///         if x[i] < 0.0 {
///             failures.add(i.get(), x[i]);
///         }
///     }, Failures::<f64>::new())?.ok()?;
///     Ok(())
/// }
/// let space = Serial::new();
/// let x = space.view_from_fn("x", [5], |[i]| 2.0 - i as f64)?;
/// let error = check(&space, &x).expect_err("two elements are below zero");
/// assert_eq!(error.kind(), ErrorKind::Failures);
/// assert_eq!(error.to_string(), "2 failures, the first: -1.0 at 3");
/// # Ok::<(), Error>(())
/// ```
impl<E: fmt::Debug, L: fmt::Debug> From<FailuresValue<E, L>> for Error {
    fn from(failures: FailuresValue<E, L>) -> Self {
        Self::new(ErrorKind::Failures, failures.to_string())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.content.kernel {
            Some(label) => write!(f, "kernel `{label}`: {}", self.content.message),
            None => f.write_str(&self.content.message),
        }
    }
}

/// The message and the cause, which `main` prints when it returns the error.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self} ({:?})", self.content.kind)?;
        match &self.content.source {
            Some(source) => write!(f, ", caused by: {source}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.content.source.as_ref().map(|source| &**source as &(dyn std::error::Error + 'static))
    }
}
