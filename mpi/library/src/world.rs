//! The ranks of an initialised library, and messages of bytes between them.

use core::ffi::{c_int, c_void};
use core::marker::PhantomData;
use core::sync::atomic::{AtomicBool, Ordering};

use crate::device_support::DeviceSupport;
use crate::failure::Failure;
use crate::library::AnyCalls;
use crate::ranks::Ranks;

/// Whether this process has initialised MPI: it may only once.
static INITIALISED: AtomicBool = AtomicBool::new(false);

/// The ranks of an initialised library of MPI. Calls come from the thread that initialised it; dropping it finalises MPI.
///
/// # Examples
/// ```
/// use spelt_mpi_library::{Library, candidates, launcher};
/// if launcher().is_some() && let Ok(library) = Library::open_first(&candidates()) {
///     let world = library.initialise()?;
///     println!("rank {} of {}", world.rank(), world.size());
/// }
/// # Ok::<(), spelt_mpi_library::Failure>(())
/// ```
#[derive(Debug)]
pub struct World {
    ranks: AnyRanks,
    rank: usize,
    size: usize,
    local_rank: usize,
    local_size: usize,
    takes_device_memory: bool,
    /// MPI's calls come from one thread: neither `Send` nor `Sync`.
    _one_thread: PhantomData<*const ()>,
}

/// A message under way. A request that is forgotten leaves its message to MPI, and the memory must stay.
#[derive(Debug)]
pub struct Request {
    /// Its place among the world's requests, until it is complete: the place is then another's.
    pub(crate) place: Option<usize>,
}

#[derive(Debug)]
enum AnyRanks {
    Integers(Ranks<c_int>),
    Pointers(Ranks<*mut c_void>),
}

/// Calls the method of either type of handles.
macro_rules! either {
    ($world:expr, $ranks:ident => $value:expr) => {
        match &$world.ranks {
            AnyRanks::Integers($ranks) => $value,
            AnyRanks::Pointers($ranks) => $value,
        }
    };
}

impl World {
    pub(crate) fn new(calls: AnyCalls, device_support: DeviceSupport, name: &str) -> Result<Self, Failure> {
        if INITIALISED.swap(true, Ordering::SeqCst) {
            return Err(Failure(
                "MPI was initialised before in this process: keep the first world, and use it".to_owned(),
            ));
        }
        let (ranks, numbers) = match calls {
            AnyCalls::Integers(calls) => {
                let (ranks, numbers) = Ranks::new(calls, name)?;
                (AnyRanks::Integers(ranks), numbers)
            }
            AnyCalls::Pointers(calls) => {
                let (ranks, numbers) = Ranks::new(calls, name)?;
                (AnyRanks::Pointers(ranks), numbers)
            }
        };
        let [rank, size, local_rank, local_size] = numbers;
        // SAFETY: `Ranks::new` has initialised MPI, or found it initialised.
        let takes_device_memory = unsafe { device_support.is_taken() };
        let mut world =
            Self { ranks, rank, size, local_rank, local_size, takes_device_memory, _one_thread: PhantomData };
        world.takes_device_memory |= either!(world, ranks => ranks.kinds_have_cuda());
        Ok(world)
    }

    /// This process's number, below [`World::size`].
    #[must_use]
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The number of processes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// This process's number among those that share its machine's memory.
    #[must_use]
    pub fn local_rank(&self) -> usize {
        self.local_rank
    }

    /// The number of processes that share its machine's memory.
    #[must_use]
    pub fn local_size(&self) -> usize {
        self.local_size
    }

    /// Whether the library says that its calls take the memory of CUDA devices: by `MPIX_GPU_query_support`, by
    /// `MPIX_Query_cuda_support`, or by the info `mpi_memory_alloc_kinds` of MPI 4.1. `false` where it has none of them.
    #[must_use]
    pub fn takes_device_memory(&self) -> bool {
        self.takes_device_memory
    }

    /// Starts to send `len` bytes to rank `to`.
    ///
    /// # Errors
    /// If `len` is above 2 GiB - 1, or MPI refuses.
    ///
    /// # Safety
    /// `bytes` points to `len` readable bytes, which neither change nor go until [`World::test`] says that the request is complete.
    pub unsafe fn start_send(
        &self,
        to: usize,
        tag: u16,
        bytes: *const u8,
        len: usize,
    ) -> Result<Request, Failure> {
        // SAFETY: by this function's contract, the bytes stay as they are until the request is complete.
        either!(self, ranks => unsafe { ranks.start_send(to, tag, bytes, len) })
    }

    /// Starts to receive a message of at most `len` bytes from rank `from`.
    ///
    /// # Errors
    /// If `len` is above 2 GiB - 1, or MPI refuses.
    ///
    /// # Safety
    /// `bytes` points to `len` writable bytes that nothing else uses until [`World::test`] says that the request is complete.
    pub unsafe fn start_receive(
        &self,
        from: usize,
        tag: u16,
        bytes: *mut u8,
        len: usize,
    ) -> Result<Request, Failure> {
        // SAFETY: by this function's contract, the bytes are MPI's alone until the request is complete.
        either!(self, ranks => unsafe { ranks.start_receive(from, tag, bytes, len) })
    }

    /// Whether the request is complete. After that, `true` again.
    ///
    /// # Errors
    /// If the transfer failed.
    pub fn test(&self, request: &mut Request) -> Result<bool, Failure> {
        either!(self, ranks => ranks.test(request))
    }

    /// Ends all processes of the job at once, with this exit code.
    pub fn abort(&self, code: i32) -> ! {
        either!(self, ranks => ranks.abort(code));
        std::process::exit(code)
    }
}
