//! Messages through a library of MPI.

use std::time::Duration;

use spelt_core::{Error, ErrorKind, Result};
use spelt_mpi_library::{Failure, World};

use crate::transport::{Channel, Request, Transport};

/// The time that MPI has to end the job.
const PATIENCE: Duration = Duration::from_secs(3);

/// The exit code of a job that a rank ends: that of a Rust program that panics.
const EXIT_CODE: i32 = 101;

/// The world of an initialised library.
#[derive(Debug)]
pub(crate) struct Mpi {
    pub(crate) world: World,
    /// Bytes of the longest message.
    pub(crate) longest: usize,
    /// Whether calls are given the memory of devices.
    pub(crate) device_memory: bool,
}

/// MPI's own sentence as Spelt's error.
pub(crate) fn error(failure: Failure) -> Error {
    Error::new(ErrorKind::Communication, failure.to_string())
}

// SAFETY: MPI uses a transfer's memory until the request is complete, and `World::test` passes on MPI's answer.
unsafe impl Transport for Mpi {
    fn rank(&self) -> usize {
        self.world.rank()
    }

    fn size(&self) -> usize {
        self.world.size()
    }

    fn local(&self) -> (usize, usize) {
        (self.world.local_rank(), self.world.local_size())
    }

    fn longest(&self) -> usize {
        self.longest
    }

    fn takes_device_memory(&self) -> bool {
        self.device_memory
    }

    unsafe fn start_send(
        &self,
        to: usize,
        channel: Channel,
        bytes: *const u8,
        len: usize,
    ) -> Result<Request> {
        // SAFETY: by this function's contract the bytes stay until the request is complete.
        unsafe { self.world.start_send(to, channel as u16, bytes, len) }.map(Request::Mpi).map_err(error)
    }

    unsafe fn start_receive(
        &self,
        from: usize,
        channel: Channel,
        bytes: *mut u8,
        len: usize,
    ) -> Result<Request> {
        // SAFETY: by this function's contract the bytes are the transfer's alone until the request is complete.
        unsafe { self.world.start_receive(from, channel as u16, bytes, len) }.map(Request::Mpi).map_err(error)
    }

    fn test(&self, request: &mut Request) -> Result<bool> {
        match request {
            Request::Mpi(request) => self.world.test(request).map_err(error),
            Request::InProcess(_) => unreachable!("a communicator has one transport"),
        }
    }

    fn abort(&self, message: &str) {
        // A second message would repeat what the panic has printed.
        if !std::thread::panicking() {
            eprintln!("{message}");
        }
        // MPI_Abort of MPICH 4.0 waits for ranks that make no call: a process that dies is noticed by every launcher.
        std::thread::spawn(|| {
            std::thread::sleep(PATIENCE);
            std::process::abort();
        });
        self.world.abort(EXIT_CODE);
    }
}
