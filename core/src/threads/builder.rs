//! The number of threads and their pinning: builder, then command line, then environment, then the allowed cores.

use super::configuration::{Configuration, Pin, Pinning};
use super::gate::MAX_THREADS;
use super::pool::Pool;
use super::signal::Patience;
use super::topology::{allowed_units, pin_order};
use crate::{Error, ErrorKind, Result, environment, variable};
use core::num::ParseIntError;

/// The name of the builder's setting in messages.
const METHOD: &str = "num_threads";

/// The command line's setting.
const OPTION: &str = "--spelt-num-threads";

/// The environment's setting.
const VARIABLE: &str = "SPELT_NUM_THREADS";

/// Settings of a thread pool, before it is started.
///
/// The number of threads is [`num_threads`](Self::num_threads) if given, otherwise that of the command line
/// ([`arguments`](Self::arguments)), otherwise that of the environment variable `SPELT_NUM_THREADS`, otherwise the
/// number of cores that this process may use.
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Threads};
/// let space = Threads::builder().num_threads(2).build()?;
/// assert_eq!(space.concurrency(), 2);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ThreadsBuilder {
    num_threads: Option<usize>,
    command_line: Option<usize>,
    pin: bool,
}

impl ThreadsBuilder {
    /// A builder without settings, and without pinning.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, ThreadsBuilder};
    /// assert_eq!(ThreadsBuilder::new().num_threads(1).build()?.concurrency(), 1);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the number of threads, including the launching one.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Threads};
    /// assert_eq!(Threads::builder().num_threads(3).build()?.concurrency(), 3);
    /// assert!(Threads::builder().num_threads(0).build().is_err());
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn num_threads(mut self, threads: usize) -> Self {
        self.num_threads = Some(threads);
        self
    }

    /// Takes the setting of the command line.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Threads, ThreadsArguments};
    /// let arguments = ThreadsArguments::parse(["solve", "--spelt-num-threads=2"])?;
    /// assert_eq!(Threads::builder().arguments(&arguments).build()?.concurrency(), 2);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn arguments(mut self, arguments: &ThreadsArguments) -> Self {
        self.command_line = arguments.num_threads.or(self.command_line);
        self
    }

    /// Sets whether workers are pinned, each to its own core; with more threads than allowed cores, none is.
    /// The launching thread belongs to the program and is never pinned.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Threads};
    /// let space = Threads::builder().num_threads(2).pin(true).build()?;
    /// assert_eq!(space.concurrency(), 2);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn pin(mut self, pin: bool) -> Self {
        self.pin = pin;
        self
    }

    /// Starts the threads.
    pub(crate) fn build_pool(self) -> Result<Pool> {
        let allowed_cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        environment::check()?;
        let (threads, decided_by) = self.decide(|| variable::read(VARIABLE), allowed_cores)?;
        let (units, topology) = allowed_units();
        let pinning = if !self.pin {
            Pinning::Off
        } else if threads > units.len() {
            Pinning::TooFewCores
        } else {
            // The first place is left to the launching thread.
            let places = pin_order(&units, threads).into_iter().skip(1);
            Pinning::Workers(places.map(|core| Pin { core, held: false }).collect())
        };
        let patience = if threads <= allowed_cores { Patience::Spin } else { Patience::Yield };
        Pool::new(Configuration { threads, decided_by, allowed_cores, patience, pinning, topology })
    }

    /// The number of threads, and the setting that decided.
    fn decide(
        &self,
        variable: impl FnOnce() -> Result<Option<String>>,
        allowed_cores: usize,
    ) -> Result<(usize, &'static str)> {
        if let Some(threads) = self.num_threads {
            Ok((checked(threads, METHOD)?, METHOD))
        } else if let Some(threads) = self.command_line {
            Ok((checked(threads, OPTION)?, OPTION))
        } else if let Some(value) = variable()? {
            Ok((parsed(&value, VARIABLE)?, VARIABLE))
        } else {
            Ok((allowed_cores.min(MAX_THREADS), "the allowed cores"))
        }
    }
}

/// The settings for threads on a command line.
///
/// # Examples
/// ```
/// use spelt_core::ThreadsArguments;
/// let arguments = ThreadsArguments::parse(["solve", "--spelt-num-threads=4", "mesh.txt"])?;
/// assert_eq!(arguments.num_threads(), Some(4));
/// assert_eq!(arguments.consumed(), [1]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadsArguments {
    num_threads: Option<usize>,
    consumed: Vec<usize>,
}

impl ThreadsArguments {
    /// Looks for `--spelt-num-threads=N` and `--spelt-num-threads N`, up to an argument `--`; the last one counts.
    ///
    /// # Errors
    /// [`ErrorKind::Configuration`] if the number is missing, is not a number, or is not from 1 to 1024.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::ThreadsArguments;
    /// assert_eq!(ThreadsArguments::parse(["solve", "--spelt-num-threads", "4"])?.num_threads(), Some(4));
    /// assert!(ThreadsArguments::parse(["solve", "--spelt-num-threads=many"]).is_err());
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn parse<I>(arguments: I) -> Result<Self>
    where
        I: IntoIterator<Item: AsRef<str>>,
    {
        let mut found = Self::default();
        let mut arguments = arguments.into_iter().enumerate();
        while let Some((position, argument)) = arguments.next() {
            let Some(rest) = argument.as_ref().strip_prefix(OPTION) else {
                if argument.as_ref() == "--" {
                    break;
                }
                continue;
            };
            if let Some(value) = rest.strip_prefix('=') {
                found.num_threads = Some(parsed(value, OPTION)?);
                found.consumed.push(position);
            } else if rest.is_empty() {
                let (next, value) = arguments.next().ok_or_else(|| wrong(OPTION, "the last argument"))?;
                found.num_threads = Some(parsed(value.as_ref(), OPTION)?);
                found.consumed.extend([position, next]);
            }
        }
        Ok(found)
    }

    /// The number of threads, if the command line has one.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::ThreadsArguments;
    /// assert_eq!(ThreadsArguments::parse(["solve", "mesh.txt"])?.num_threads(), None);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn num_threads(&self) -> Option<usize> {
        self.num_threads
    }

    /// The positions of Spelt's arguments, ascending; the others belong to the program.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::ThreadsArguments;
    /// assert_eq!(ThreadsArguments::parse(["solve", "--spelt-num-threads", "4", "mesh.txt"])?.consumed(), [1, 2]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn consumed(&self) -> &[usize] {
        &self.consumed
    }
}

fn parsed(value: &str, setting: &str) -> Result<usize> {
    let threads = value.trim().parse();
    let threads = threads.map_err(|error: ParseIntError| wrong(setting, value).with_source(error))?;
    checked(threads, setting)
}

fn checked(threads: usize, setting: &str) -> Result<usize> {
    if (1..=MAX_THREADS).contains(&threads) { Ok(threads) } else { Err(wrong(setting, &threads.to_string())) }
}

fn wrong(setting: &str, value: &str) -> Error {
    let message = format!("{setting} is `{value}`: give a whole number of threads from 1 to {MAX_THREADS}");
    Error::new(ErrorKind::Configuration, message)
}

#[cfg(all(test, not(spelt_loom)))]
mod tests {
    use super::{ErrorKind, ThreadsArguments, ThreadsBuilder};

    #[test]
    fn builder_before_command_line_before_environment() {
        let arguments = ThreadsArguments::parse(["--spelt-num-threads", "3"]).unwrap();
        let builder = ThreadsBuilder::new;
        let decided = |builder: ThreadsBuilder, variable: Option<&str>| {
            builder.decide(|| Ok(variable.map(str::to_owned)), 5).unwrap()
        };
        assert_eq!(decided(builder().num_threads(2).arguments(&arguments), Some("4")), (2, "num_threads"));
        assert_eq!(decided(builder().arguments(&arguments), Some("4")), (3, "--spelt-num-threads"));
        assert_eq!(decided(builder(), Some(" 4 ")), (4, "SPELT_NUM_THREADS"));
        assert_eq!(decided(builder(), None), (5, "the allowed cores"));
        // A wrong setting that does not decide is none of our business.
        assert_eq!(decided(builder().num_threads(2), Some("many")).0, 2);
    }

    #[test]
    fn wrong_numbers_are_errors_that_say_what_to_do() {
        for value in ["0", "1025", "many", "", "-1", "2.5", "99999999999999999999"] {
            let from_variable = ThreadsBuilder::new().decide(|| Ok(Some(value.to_owned())), 2).unwrap_err();
            let from_option = ThreadsArguments::parse([format!("--spelt-num-threads={value}")]).unwrap_err();
            for (error, setting) in
                [(from_variable, "SPELT_NUM_THREADS"), (from_option, "--spelt-num-threads")]
            {
                assert_eq!(error.kind(), ErrorKind::Configuration);
                let text = error.to_string();
                assert!(
                    text.contains(setting) && text.contains(value) && text.contains("1 to 1024"),
                    "{text}"
                );
            }
        }
        for threads in [0, 1025] {
            let error = ThreadsBuilder::new().num_threads(threads).build_pool().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Configuration);
            assert!(error.to_string().contains(&format!("num_threads is `{threads}`")), "{error}");
        }
    }

    #[test]
    fn command_lines() {
        let parse = |line: &str| ThreadsArguments::parse(line.split(' '));
        let found = |line: &str| parse(line).map(|found| (found.num_threads, found.consumed)).unwrap();
        assert_eq!(found("solve -n 3"), (None, vec![]));
        assert_eq!(
            found("solve --spelt-num-threads 7 x --spelt-num-threads=1024"),
            (Some(1024), vec![1, 2, 4])
        );
        assert_eq!(found("solve -- --spelt-num-threads=2"), (None, vec![]));
        assert_eq!(found("solve --spelt-num-threads-of-another=x"), (None, vec![]));
        assert!(parse("solve --spelt-num-threads").is_err());
        assert!(parse("solve --spelt-num-threads x").is_err());
    }

    #[test]
    fn the_configuration_says_what_was_done() {
        let text = |builder: ThreadsBuilder| builder.build_pool().unwrap().configuration().to_string();
        let one = text(ThreadsBuilder::new().num_threads(1));
        assert!(
            one.contains("threads: 1,") && one.contains("num_threads") && one.contains("pinning: off"),
            "{one}"
        );
        let many = text(ThreadsBuilder::new().num_threads(1024).pin(true));
        assert!(many.contains("not done") && many.contains("do not spin"), "{many}");
        let cores = std::thread::available_parallelism().unwrap().get();
        if cores > 1 {
            let pinned = text(ThreadsBuilder::new().num_threads(2).pin(true));
            assert!(pinned.contains("worker 1 on core") && pinned.contains("spin, then sleep"), "{pinned}");
            assert!(!pinned.contains("failed"), "{pinned}");
        }
    }
}
