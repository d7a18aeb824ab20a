//! Calls of MPI with one type of handles.

use core::cell::RefCell;
use core::ffi::c_int;

use crate::abi::Constants;
use crate::calls::Calls;
use crate::failure::Failure;
use crate::library::text;
use crate::world::Request;

/// A communicator of Spelt's own, and the requests that are not complete.
#[derive(Debug)]
pub(crate) struct Ranks<H> {
    calls: Calls<H>,
    communicator: H,
    requests: RefCell<Vec<Option<H>>>,
    /// Whether this world initialised MPI, rather than another library of the program.
    finalises: bool,
}

impl<H: Copy> Ranks<H> {
    pub(crate) fn new(calls: Calls<H>, name: &str) -> Result<(Self, [usize; 4]), Failure> {
        let constants = calls.constants;
        let (mut initialised, mut finalised) = (0, 0);
        // SAFETY: MPI allows both calls at any time; they write one integer each.
        unsafe {
            (calls.initialized)(&mut initialised);
            (calls.finalized)(&mut finalised);
        }
        if finalised != 0 {
            return Err(Failure(format!(
                "{name} was finalised in this process, and cannot be initialised again"
            )));
        }
        if initialised == 0 {
            let mut provided = 0;
            // SAFETY: MPI takes null pointers for the command line; it is not initialised yet.
            let code = unsafe {
                (calls.init_thread)(
                    core::ptr::null_mut(),
                    core::ptr::null_mut(),
                    constants.thread_funneled,
                    &mut provided,
                )
            };
            if code != 0 {
                return Err(Failure(format!("{name}: MPI_Init_thread failed with code {code}")));
            }
            if provided < constants.thread_funneled {
                return Err(Failure(format!(
                    "{name} does not support programs with threads (MPI_THREAD_FUNNELED)"
                )));
            }
        }
        let mut ranks = Self {
            calls,
            communicator: constants.world,
            requests: RefCell::default(),
            finalises: initialised == 0,
        };
        let mut own = constants.world;
        // SAFETY: MPI is initialised and the handles are its constants; `own` is a place for a handle.
        ranks.check("MPI_Comm_dup", unsafe { (calls.comm_dup)(constants.world, &mut own) })?;
        ranks.communicator = own;
        // SAFETY: `own` is a communicator of this process, and the constant an error handler.
        ranks.check("MPI_Comm_set_errhandler", unsafe {
            (calls.comm_set_errhandler)(own, constants.errors_return)
        })?;
        let [rank, size] = ranks.numbers(own)?;
        let mut local = own;
        // SAFETY: `own` is a communicator; the other handles and the type are constants of this interface.
        let split = unsafe {
            (calls.comm_split_type)(own, constants.shared_memory, 0, constants.no_info, &mut local)
        };
        ranks.check("MPI_Comm_split_type", split)?;
        let [local_rank, local_size] = ranks.numbers(local)?;
        // SAFETY: `local` is a communicator that the call above made, and it is not used again.
        ranks.check("MPI_Comm_free", unsafe { (calls.comm_free)(&mut local) })?;
        Ok((ranks, [rank, size, local_rank, local_size]))
    }

    /// Whether the library says by its kinds of memory that it takes that of CUDA devices: those of the world, from which the ranks'
    /// communicator is made.
    pub(crate) fn kinds_have_cuda(&self) -> bool {
        let Constants { world, no_info, .. } = self.calls.constants;
        // SAFETY: `new` has initialised MPI, or found it initialised, and the handles are constants of this interface.
        self.calls.memory_kinds.is_some_and(|kinds| unsafe { kinds.have_cuda(world, no_info) })
    }

    /// The rank of this process in a communicator, and its size.
    fn numbers(&self, communicator: H) -> Result<[usize; 2], Failure> {
        let (mut rank, mut size) = (0, 0);
        // SAFETY: the communicator is one of this process; each call writes one integer.
        self.check("MPI_Comm_rank", unsafe { (self.calls.comm_rank)(communicator, &mut rank) })?;
        // SAFETY: as it is for the rank: a communicator of this process and one integer.
        self.check("MPI_Comm_size", unsafe { (self.calls.comm_size)(communicator, &mut size) })?;
        let number = |number: c_int| {
            usize::try_from(number).map_err(|_| Failure(format!("MPI says that rank {rank} is of {size}")))
        };
        Ok([number(rank)?, number(size)?])
    }

    pub(crate) unsafe fn start_send(
        &self,
        to: usize,
        tag: u16,
        bytes: *const u8,
        len: usize,
    ) -> Result<Request, Failure> {
        let (count, to) = (int(len)?, int(to)?);
        let (byte, mut request) = (self.calls.constants.byte, self.calls.constants.no_request);
        // SAFETY: the bytes are readable until the request is complete, by this function's contract; the handles are this library's.
        let code = unsafe {
            (self.calls.isend)(
                bytes.cast(),
                count,
                byte,
                to,
                c_int::from(tag),
                self.communicator,
                &mut request,
            )
        };
        self.check("MPI_Isend", code)?;
        Ok(self.keep(request))
    }

    pub(crate) unsafe fn start_receive(
        &self,
        from: usize,
        tag: u16,
        bytes: *mut u8,
        len: usize,
    ) -> Result<Request, Failure> {
        let (count, from) = (int(len)?, int(from)?);
        let (byte, mut request) = (self.calls.constants.byte, self.calls.constants.no_request);
        // SAFETY: the bytes are writable until the request is complete, by this function's contract; the handles are this library's.
        let code = unsafe {
            (self.calls.irecv)(
                bytes.cast(),
                count,
                byte,
                from,
                c_int::from(tag),
                self.communicator,
                &mut request,
            )
        };
        self.check("MPI_Irecv", code)?;
        Ok(self.keep(request))
    }

    fn keep(&self, handle: H) -> Request {
        let mut requests = self.requests.borrow_mut();
        if let Some(free) = requests.iter().position(Option::is_none) {
            requests[free] = Some(handle);
            return Request { place: Some(free) };
        }
        requests.push(Some(handle));
        Request { place: Some(requests.len() - 1) }
    }

    pub(crate) fn test(&self, request: &mut Request) -> Result<bool, Failure> {
        let Some(place) = request.place else { return Ok(true) };
        let mut requests = self.requests.borrow_mut();
        let slot = &mut requests[place];
        let Some(handle) = slot else { return Ok(true) };
        let mut complete = 0;
        // SAFETY: the handle is a request that MPI made and has not completed; a status is not wanted.
        let code = unsafe { (self.calls.test)(handle, &mut complete, self.calls.constants.no_status) };
        if complete != 0 {
            *slot = None;
            request.place = None;
        }
        self.check("MPI_Test", code)?;
        Ok(complete != 0)
    }

    pub(crate) fn abort(&self, code: i32) {
        // SAFETY: the communicator is one of this process. The call does not return, as a rule.
        unsafe { (self.calls.abort)(self.communicator, code) };
    }

    fn check(&self, call: &str, code: c_int) -> Result<(), Failure> {
        if code == 0 {
            return Ok(());
        }
        // SAFETY: MPI is initialised, and the buffer is longer than any text of an error.
        let words = text(|to, len| unsafe { (self.calls.error_string)(code, to, len) });
        Err(Failure(format!("{call} failed: {words}")))
    }
}

fn int(number: usize) -> Result<c_int, Failure> {
    c_int::try_from(number)
        .map_err(|_| Failure(format!("{number} is above the largest number of a call of MPI")))
}

impl<H> Drop for Ranks<H> {
    fn drop(&mut self) {
        // Finalising waits for the others, and is an error with messages under way: then the process's end tells the launcher.
        if !self.finalises || self.requests.get_mut().iter().any(Option::is_some) {
            return;
        }
        // SAFETY: the communicator is not used again, and no message is under way; this world initialised MPI on this thread.
        unsafe {
            (self.calls.comm_free)(&mut self.communicator);
            (self.calls.finalize)();
        }
    }
}
