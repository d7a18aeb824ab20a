//! The peer in C on ranks: compiled by the library's `mpicc`, and loaded into the process of each rank.

use std::ffi::{c_char, c_int, c_long};
use std::path::PathBuf;
use std::process::Command;

use libloading::{Library, Symbol};
use spelt::mpi::{Communicator, Partition};

/// The peer's source.
const SOURCE: &str = include_str!("../mpi/peer.c");

/// Room for the library's version.
const VERSION: usize = 256;

/// The loaded peer.
#[derive(Debug)]
pub struct Peer {
    library: Library,
    version: String,
}

impl Peer {
    /// Compiles the peer on the first rank of each machine, and loads it on all ranks.
    ///
    /// # Errors
    /// With the compiler's output if it fails, or if it belongs to another library than the one that the ranks use.
    pub fn on_ranks(ranks: &Communicator, mpicc: &str) -> Result<Self, String> {
        if spelt::mpi::configuration().contains("the ABI of MPI 5") {
            let told =
                "the peer has the interface of MPICH or Open MPI: name such a library in SPELT_MPI_LIBRARY";
            return Err(told.to_owned());
        }
        let library =
            std::env::current_exe().map_err(|error| error.to_string())?.with_file_name("libpeer.so");
        let compiled = if ranks.local_rank() == 0 { compile(mpicc, library.clone()) } else { Ok(()) };
        let compiled =
            compiled.map_err(|message| spelt::Error::new(spelt::ErrorKind::Configuration, message));
        ranks.all_or_none("the peer", compiled).map_err(|error| error.to_string())?;
        // SAFETY: it was compiled from the source above, which has no initialisers.
        let library = unsafe { Library::new(&library) }.map_err(|error| error.to_string())?;
        let mut text = [0_u8; VERSION];
        // SAFETY: the function has this signature in the source, and writes at most `VERSION` bytes, the last of which is 0.
        let other = unsafe {
            let version: Symbol<'_, unsafe extern "C" fn(*mut c_char, c_int) -> c_int> =
                symbol(&library, "peer_version")?;
            version(text.as_mut_ptr().cast(), VERSION as c_int)
        };
        match other {
            0 => {}
            1 => {
                return Err(format!(
                    "`{mpicc}` compiles for another library than the ranks use: choose it by --mpicc"
                ));
            }
            _ => return Err("the ranks do not use MPI: start them by mpirun, or set SPELT_MPI=on".to_owned()),
        }
        let version = String::from_utf8_lossy(&text).into_owned();
        let version = version.split(['\n', '\0']).next().unwrap_or_default().replace('\t', " ");
        Ok(Self { library, version })
    }

    /// The version of its library.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Sums of one number of each rank. Appends the seconds of each.
    ///
    /// # Errors
    /// If the sum is wrong.
    pub fn sums(&self, ranks: &Communicator, count: usize, seconds: &mut Vec<f64>) -> Result<(), String> {
        let count_in_c = c_int::try_from(count).map_err(|error| error.to_string())?;
        let before = seconds.len();
        seconds.resize(before + count, 0.0);
        // SAFETY: the function has this signature in the source, and writes `count` numbers; all ranks call it.
        let sum = unsafe {
            let sums: Symbol<'_, unsafe extern "C" fn(c_int, *mut f64) -> f64> =
                symbol(&self.library, "peer_sums")?;
            sums(count_in_c, seconds[before..].as_mut_ptr())
        };
        if sum == ranks.size() as f64 {
            Ok(())
        } else {
            Err(format!("C finds the sum {sum} of {} ranks", ranks.size()))
        }
    }
}

/// A function of the peer.
///
/// # Safety
/// It has this type in the source.
unsafe fn symbol<'l, T>(library: &'l Library, name: &str) -> Result<Symbol<'l, T>, String> {
    // SAFETY: the type is the function's, by this function's contract.
    unsafe { library.get(name.as_bytes()) }.map_err(|error| error.to_string())
}

fn compile(mpicc: &str, library: PathBuf) -> Result<(), String> {
    let source = library.with_file_name("peer.c");
    std::fs::write(&source, SOURCE).map_err(|error| format!("{}: {error}", source.display()))?;
    let output = Command::new(mpicc)
        .args(["-std=c11", "-O3", "-march=native", "-shared", "-fPIC"])
        .args([source.as_os_str(), "-o".as_ref(), library.as_os_str()])
        .output()
        .map_err(|error| {
            format!("`{mpicc}` cannot be run: {error}: install the library's compiler, or name it by --mpicc")
        })?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("`{mpicc}` failed:\n{}", String::from_utf8_lossy(&output.stderr)))
}

/// The heat equation by hand.
#[derive(Debug)]
pub struct Heat<'p> {
    peer: &'p Peer,
    /// The peer's struct, which it alone reads.
    heat: *mut u8,
    cells: usize,
}

impl<'p> Heat<'p> {
    /// A box of n * n * n cells.
    ///
    /// # Errors
    /// If a rank has no plane.
    pub fn new(
        peer: &'p Peer,
        n: usize,
        partition: &Partition,
        ranks: &Communicator,
    ) -> Result<Self, String> {
        let (rank, own) = (ranks.rank(), partition.rows(ranks.rank()));
        if (0..ranks.size()).any(|rank| partition.rows(rank).is_empty()) {
            return Err(format!("{n} planes are too few for {} ranks", ranks.size()));
        }
        let neighbour =
            |rank: Option<usize>| rank.filter(|rank| *rank < ranks.size()).map_or(-1, |rank| rank as c_int);
        type New = unsafe extern "C" fn(c_long, c_long, c_long, c_int, c_int) -> *mut u8;
        // SAFETY: the function has this signature in the source; the planes are those of a box of these extents.
        let heat = unsafe {
            let new: Symbol<'_, New> = symbol(&peer.library, "peer_heat")?;
            let [below, above] = [rank.checked_sub(1), rank.checked_add(1)].map(neighbour);
            new(n as c_long, own.start as c_long, own.end as c_long, below, above)
        };
        Ok(Self { peer, heat, cells: own.len() * n * n })
    }

    /// Some steps. Appends the seconds of each.
    ///
    /// # Errors
    /// If there are more than C can count.
    pub fn steps(&mut self, count: usize, seconds: &mut Vec<f64>) -> Result<(), String> {
        let count_in_c = c_int::try_from(count).map_err(|error| error.to_string())?;
        let before = seconds.len();
        seconds.resize(before + count, 0.0);
        type Steps = unsafe extern "C" fn(*mut u8, c_int, *mut f64);
        // SAFETY: the function has this signature in the source, and writes `count` numbers; `heat` is the struct that it made.
        unsafe {
            let steps: Symbol<'_, Steps> = symbol(&self.peer.library, "peer_heat_steps")?;
            steps(self.heat, count_in_c, seconds[before..].as_mut_ptr());
        }
        Ok(())
    }

    /// The cells of this rank.
    ///
    /// # Panics
    /// If the peer lacks the function.
    #[must_use]
    pub fn cells(&self) -> &[f64] {
        type Cells = unsafe extern "C" fn(*const u8) -> *const f64;
        // SAFETY: the function has this signature in the source, and returns the address of that number of cells, which stay until
        // `self` is changed or dropped.
        unsafe {
            let cells: Symbol<'_, Cells> =
                symbol(&self.peer.library, "peer_heat_cells").expect("the source has it");
            core::slice::from_raw_parts(cells(self.heat), self.cells)
        }
    }
}

impl Drop for Heat<'_> {
    fn drop(&mut self) {
        // SAFETY: the function has this signature in the source; `heat` is the struct that it made, which is not used again.
        unsafe {
            if let Ok(end) = symbol::<unsafe extern "C" fn(*mut u8)>(&self.peer.library, "peer_heat_end") {
                end(self.heat);
            }
        }
    }
}
