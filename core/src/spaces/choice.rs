//! Choosing a space at run time.

use core::fmt;
use core::str::FromStr;

#[cfg(feature = "rayon")]
use super::Rayon;
#[cfg(feature = "threads")]
use super::Threads;
use super::{AnyHost, Serial};
use crate::{Error, ErrorKind, Result, environment, variable};

/// The environment's setting.
const VARIABLE: &str = "SPELT_SPACE";

/// The advice about its values.
const CHOICES: &str = "choose serial, threads, rayon, cuda or cuda:1, or leave it unset";

/// The name of an execution space, given on the command line or in `SPELT_SPACE`.
///
/// # Examples
/// ```
/// use spelt_core::SpaceChoice;
/// assert_eq!("rayon".parse::<SpaceChoice>()?, SpaceChoice::Rayon);
/// assert_eq!("cuda:1".parse::<SpaceChoice>()?, SpaceChoice::Cuda(1));
/// assert!("abacus".parse::<SpaceChoice>().is_err());
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SpaceChoice {
    /// [`Serial`](crate::Serial).
    Serial,
    /// `Threads`, with its own pool.
    #[default]
    Threads,
    /// `Rayon`, on the program's rayon pool.
    Rayon,
    /// `Cuda`, on the device of this number: `cuda` is device 0, `cuda:1` the next.
    Cuda(usize),
}

impl SpaceChoice {
    /// The choices that do not need a device, in the order in which messages list them.
    pub const HOST: [Self; 3] = [Self::Serial, Self::Threads, Self::Rayon];

    /// The choice of `SPELT_SPACE`; [`Threads`](Self::Threads) if the variable is unset or empty.
    ///
    /// # Errors
    /// [`ErrorKind::Configuration`] if it does not name a space.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::SpaceChoice;
    /// if std::env::var_os("SPELT_SPACE").is_none() {
    ///     assert_eq!(SpaceChoice::from_env()?, SpaceChoice::Threads);
    /// }
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn from_env() -> Result<Self> {
        match variable::read(VARIABLE)? {
            None => Ok(Self::default()),
            Some(name) => Self::named(&name).ok_or_else(|| variable::wrong(VARIABLE, &name, CHOICES)),
        }
    }

    /// The space of this name, in upper or lower case.
    fn named(name: &str) -> Option<Self> {
        let lower = name.to_lowercase();
        if let Some(host) = Self::HOST.into_iter().find(|choice| choice.to_string() == lower) {
            return Some(host);
        }
        match lower.strip_prefix("cuda")? {
            "" => Some(Self::Cuda(0)),
            rest => rest.strip_prefix(':')?.parse().ok().map(Self::Cuda),
        }
    }

    /// The space of the host that this names.
    ///
    /// # Errors
    /// [`ErrorKind::Configuration`] if the space is not part of this build, cannot be made, or is not one of the host's.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{AnyHost, ExecutionSpace, SpaceChoice};
    /// let space: AnyHost = SpaceChoice::Serial.on_host()?;
    /// assert_eq!(space.name(), "Serial");
    /// assert!(SpaceChoice::Cuda(0).on_host().is_err());
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn on_host(self) -> Result<AnyHost> {
        environment::check()?;
        match self {
            Self::Serial => Ok(Serial::new().into()),
            #[cfg(feature = "threads")]
            Self::Threads => Ok(Threads::new()?.into()),
            #[cfg(feature = "rayon")]
            Self::Rayon => Ok(Rayon::new().into()),
            Self::Cuda(_) => Err(Error::new(
                ErrorKind::Configuration,
                format!("`{self}` is not a space of the host: choose serial, threads or rayon"),
            )),
            #[cfg(not(all(feature = "threads", feature = "rayon")))]
            other => Err(other.not_built()),
        }
    }

    /// The error for a space that is not part of this build.
    #[doc(hidden)]
    #[must_use]
    pub fn not_built(self) -> Error {
        let feature = match self {
            Self::Cuda(_) => "cuda".to_owned(),
            host => host.to_string(),
        };
        Error::new(
            ErrorKind::Configuration,
            format!(
                "this program was built without the space `{self}`: build it with the feature `{feature}`"
            ),
        )
    }
}

impl FromStr for SpaceChoice {
    type Err = Error;
    fn from_str(name: &str) -> Result<Self> {
        Self::named(name.trim()).ok_or_else(|| {
            Error::new(
                ErrorKind::Configuration,
                format!("`{name}` is not a space: choose serial, threads, rayon or cuda"),
            )
        })
    }
}

impl fmt::Display for SpaceChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Serial => "serial",
            Self::Threads => "threads",
            Self::Rayon => "rayon",
            Self::Cuda(0) => "cuda",
            Self::Cuda(device) => return write!(f, "cuda:{device}"),
        })
    }
}

/// Runs an expression with the space that a [`SpaceChoice`] names: generic code, chosen at run time.
///
/// The expression is a `Result` whose error type implements `From<Error>`. It is compiled once for the host, where the space is an
/// [`AnyHost`](crate::AnyHost), and once for devices.
///
/// # Errors
/// [`ErrorKind::Configuration`](crate::ErrorKind::Configuration) if the space is not part of this build, or cannot be
/// made.
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Result, SpaceChoice, parallel_reduce, reducers::Sum, with_space};
/// fn solve<S: ExecutionSpace>(space: &S) -> Result<usize> {
///     parallel_reduce("sum", space.range(0..5), (), |i, sum, ()| *sum += i.get(), Sum::<usize>::new())
/// }
/// let choice: SpaceChoice = "serial".parse()?;
/// assert_eq!(with_space!(choice, |space| solve(&space))?, 10);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[macro_export]
macro_rules! with_space {
    ($choice:expr, |$space:ident| $body:expr) => {
        match $choice {
            $crate::SpaceChoice::Cuda(device) => $crate::__with_cuda!(device, $space, $body),
            host => match host.on_host() {
                ::core::result::Result::Ok($space) => $body,
                ::core::result::Result::Err(error) => {
                    ::core::result::Result::Err(::core::convert::From::from(error))
                }
            },
        }
    };
}

#[cfg(feature = "cuda")]
#[doc(hidden)]
#[macro_export]
macro_rules! __with_cuda {
    ($device:ident, $space:ident, $body:expr) => {
        match $crate::Cuda::new($device) {
            ::core::result::Result::Ok($space) => $body,
            ::core::result::Result::Err(error) => {
                ::core::result::Result::Err(::core::convert::From::from(error))
            }
        }
    };
}

#[cfg(not(feature = "cuda"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __with_cuda {
    ($device:ident, $space:ident, $body:expr) => {
        ::core::result::Result::Err(::core::convert::From::from(
            $crate::SpaceChoice::Cuda($device).not_built(),
        ))
    };
}
