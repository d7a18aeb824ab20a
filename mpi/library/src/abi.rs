//! The three binary interfaces and their constants.

use core::ffi::{c_int, c_void};
use core::fmt;

use crate::calls::Symbols;
use crate::failure::Failure;

/// The binary interface of a library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Abi {
    /// The standard one of MPI 5 (chapter 20).
    Standard,
    /// MPICH's, which Intel MPI, Cray MPICH and MVAPICH share.
    Mpich,
    /// That of Open MPI 4 and 5.
    OpenMpi,
}

impl fmt::Display for Abi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Abi::Standard => "the ABI of MPI 5",
            Abi::Mpich => "the ABI of MPICH",
            Abi::OpenMpi => "the ABI of Open MPI",
        })
    }
}

/// The values of `mpi.h` that calls need, with handles of type `H`: integers in MPICH's ABI, pointers in the others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Constants<H> {
    pub(crate) world: H,
    pub(crate) byte: H,
    pub(crate) no_request: H,
    pub(crate) errors_return: H,
    pub(crate) no_info: H,
    /// `MPI_STATUS_IGNORE`.
    pub(crate) no_status: *mut c_void,
    pub(crate) thread_funneled: c_int,
    /// `MPI_COMM_TYPE_SHARED`.
    pub(crate) shared_memory: c_int,
}

/// The handle or pointer with this value.
fn at(value: usize) -> *mut c_void {
    core::ptr::without_provenance_mut(value)
}

/// `mpi.h` of the MPI-5 ABI, section 20.
pub(crate) fn standard() -> Constants<*mut c_void> {
    Constants {
        world: at(0x101),
        byte: at(0x247),
        no_request: at(0x180),
        errors_return: at(0x143),
        no_info: at(0x130),
        no_status: at(0),
        thread_funneled: 1024,
        shared_memory: 221,
    }
}

/// `mpi.h` of MPICH; the same since the ABI initiative of 2013.
pub(crate) fn mpich() -> Constants<c_int> {
    Constants {
        world: 0x4400_0000,
        byte: 0x4c00_010d,
        no_request: 0x2c00_0000,
        errors_return: 0x5400_0001,
        no_info: 0x1c00_0000,
        no_status: at(1),
        thread_funneled: 1,
        shared_memory: 1,
    }
}

/// `mpi.h` of Open MPI 4 and 5: predefined handles are addresses of the library's variables.
pub(crate) fn open_mpi(symbols: &Symbols) -> Result<Constants<*mut c_void>, Failure> {
    Ok(Constants {
        world: symbols.address("ompi_mpi_comm_world")?,
        byte: symbols.address("ompi_mpi_byte")?,
        no_request: symbols.address("ompi_request_null")?,
        errors_return: symbols.address("ompi_mpi_errors_return")?,
        no_info: symbols.address("ompi_mpi_info_null")?,
        no_status: at(0),
        thread_funneled: 1,
        shared_memory: 0,
    })
}
