//! The ranks that a launcher started.

use std::sync::Mutex;
use std::sync::PoisonError;

use spelt_core::reducers::Sum;
use spelt_core::{Error, ErrorKind, Part, Result, ScanPart, canonical};
use spelt_mpi_library::{Launcher, Library, candidates, launcher};

use crate::alone::Alone;
use crate::communicator::Communicator;
use crate::mpi::{self, Mpi};
use crate::settings::{Switch, device_memory, longest_message, report, switch, timeout};
use crate::wait::Limits;
use crate::wire::Kind;

/// The line about the ranks of this process, once they are open.
static OPENED: Mutex<Option<String>> = Mutex::new(None);

/// Facts of which each changes bits or messages: the ranks of a job have the same.
fn build(longest: usize) -> String {
    let endian = if cfg!(target_endian = "little") { "little" } else { "big" };
    format!(
        "Spelt {}, {endian}-endian, {} bits, {}, messages of up to {longest} bytes",
        env!("CARGO_PKG_VERSION"),
        usize::BITS,
        order()
    )
}

/// The canonical order: its number, and those from which it follows for values of some sizes.
fn order() -> String {
    format!(
        "order {} (tiles of {} and {}, of scans {}; {:?} lanes)",
        canonical::NUMBER,
        Part::<Sum<f32>>::TILE,
        Part::<Sum<f64>>::TILE,
        ScanPart::<Sum<f64>>::TILE,
        [8, 32, 64, 128, 512].map(canonical::lanes)
    )
}

/// Runs a program on the ranks that a launcher started, or on a world of one.
///
/// If `main` returns an error on a rank, the error is printed and the job ends, rather than letting the others wait for that rank.
///
/// # Errors
/// Those of [`Communicator::init`], and that of `main` in a world of one.
///
/// # Examples
/// ```
/// # fn main() -> spelt_core::Result<()> {
/// spelt_mpi::run(|ranks| {
///     println!("rank {} of {}", ranks.rank(), ranks.size());
///     Ok(())
/// })
/// # }
/// ```
pub fn run<T>(main: impl FnOnce(&Communicator) -> Result<T>) -> Result<T> {
    let ranks = Communicator::init()?;
    let result = main(&ranks);
    if let Err(error) = &result {
        ranks.transport.abort(&format!("rank {} ends the job: {error:?}", ranks.rank()));
    }
    result
}

/// The ranks of this process for reports: the library of MPI and its version, or a world of one and the reason.
///
/// # Examples
/// ```
/// assert!(spelt_mpi::configuration().starts_with("ranks: "));
/// ```
#[must_use]
pub fn configuration() -> String {
    let opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    opened.clone().unwrap_or_else(|| {
        "ranks: not opened yet (spelt::mpi::run or Communicator::init opens them)".to_owned()
    })
}

fn note(text: String) {
    *OPENED.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
}

impl Communicator {
    /// The ranks that a launcher started, or a world of one where none did or `SPELT_MPI` is `off`. Once in a process with MPI.
    ///
    /// # Errors
    /// If a launcher is there but no library of MPI, or a library that the launcher does not know (it then sees one rank in each
    /// process); if the ranks differ in Spelt's version, byte order or canonical order; if a variable has an invalid value.
    ///
    /// # Examples
    /// ```
    /// let ranks = spelt_mpi::Communicator::init()?;
    /// ranks.barrier("all have started")?;
    /// println!("rank {} of {}", ranks.rank(), ranks.size());
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn init() -> Result<Self> {
        let (switch, launcher, longest) = (switch()?, launcher(), longest_message()?);
        let limits = Limits { timeout: timeout()?, report: report()? };
        let may_take_device_memory = device_memory()?;
        if switch == Switch::Off || (switch == Switch::Launched && launcher.is_none()) {
            let reason =
                if switch == Switch::Off { "SPELT_MPI is off" } else { "started without a launcher of MPI" };
            note(format!("ranks: 1, {reason}"));
            return Ok(Self::alone());
        }
        let library = Library::open_first(&candidates()).map_err(|failure| {
            let who = launcher.as_ref().map_or("SPELT_MPI is on".to_owned(), ToString::to_string);
            let message = format!(
                "no library of MPI can be opened ({who}): {failure}: install MPI, name its file in SPELT_MPI_LIBRARY, or set SPELT_MPI=off"
            );
            Error::new(ErrorKind::Configuration, message)
        })?;
        let world = library.initialise().map_err(mpi::error)?;
        check_launcher(launcher.as_ref(), world.size(), &library.to_string())?;
        let device_memory = may_take_device_memory && world.takes_device_memory();
        let ranks = Self::new(Box::new(Mpi { world, longest, device_memory }), limits);
        let halos = if device_memory { "directly" } else { "through memory of the host" };
        note(format!(
            "ranks: {} ({} on this machine), this is rank {}\n  MPI: {library}\n  halos on devices travel {halos}",
            ranks.size(),
            ranks.local_size(),
            ranks.rank()
        ));
        agree(&ranks, None)?;
        Ok(ranks)
    }

    /// A world of one, which sends no message.
    ///
    /// # Examples
    /// ```
    /// let ranks = spelt_mpi::Communicator::alone();
    /// assert_eq!(ranks.all_gather_v("words", vec![1])?, [[1]]);
    /// assert_eq!(ranks.sent().messages, 0);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn alone() -> Self {
        Self::new(Box::new(Alone), Limits::default())
    }
}

/// A launcher of another library starts processes that each see a world of one.
fn check_launcher(launcher: Option<&Launcher>, size: usize, library: &str) -> Result<()> {
    let Some(launcher) = launcher else { return Ok(()) };
    match launcher.processes {
        Some(processes) if processes != size => {
            let message = format!(
                "the launcher started {processes} processes ({launcher}), but {library} sees {size}: it is another library's launcher. \
                 Start the program with this library's mpirun, or name the launcher's library in SPELT_MPI_LIBRARY"
            );
            Err(Error::new(ErrorKind::Configuration, message))
        }
        _ => Ok(()),
    }
}

/// The first collective: all ranks were built alike, or none goes on.
pub(crate) fn agree(ranks: &Communicator, other: Option<&str>) -> Result<()> {
    let facts = other.map_or_else(|| build(ranks.transport.longest()), str::to_owned);
    let own = format!("{}\n{facts}", ranks.rank()).into_bytes();
    let agreed = ranks.handshake(own, |left, right| {
        // A difference has three lines and more, and stays.
        let facts =
            |bytes: &[u8]| bytes.split(|byte| *byte == b'\n').skip(1).map(<[u8]>::to_vec).collect::<Vec<_>>();
        let (of_left, of_right) = (facts(left), facts(right));
        match () {
            () if of_left.len() > 1 || of_left == of_right => left.to_vec(),
            () if of_right.len() > 1 => right.to_vec(),
            () => [left, b"\n", right].concat(),
        }
    })?;
    let agreed = String::from_utf8_lossy(&agreed).into_owned();
    let lines: Vec<_> = agreed.lines().collect();
    match lines[..] {
        [left, left_facts, right, right_facts] => {
            let message = format!(
                "the ranks were built differently: rank {left} is {left_facts}; rank {right} is {right_facts}: build all ranks alike"
            );
            Err(Error::new(ErrorKind::Configuration, message))
        }
        _ => Ok(()),
    }
}

impl Communicator {
    fn handshake(&self, own: Vec<u8>, merge: impl Fn(&[u8], &[u8]) -> Vec<u8>) -> Result<Vec<u8>> {
        self.all_reduce_as(Kind::Start, "how the ranks were built", own, |left, right| Ok(merge(left, right)))
    }
}

#[cfg(test)]
mod tests {
    use super::check_launcher;
    use spelt_mpi_library::Launcher;

    #[test]
    fn a_launcher_of_another_library_is_told() {
        let launcher = Launcher { variable: "PMI_SIZE", processes: Some(4), is_open_mpi: false };
        check_launcher(Some(&launcher), 4, "MPICH").expect("its own");
        check_launcher(None, 1, "MPICH").expect("none");
        let error = check_launcher(Some(&launcher), 1, "Open MPI").expect_err("another").to_string();
        assert!(error.contains("4 processes (PMI_SIZE=4), but Open MPI sees 1"), "{error}");
    }
}
