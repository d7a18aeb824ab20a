//! The kinds of memory that a library takes, by the info of its communicators: the way of MPI 4.1.

use core::ffi::{c_char, c_int, c_void};

use crate::calls::Symbols;

/// The key of the info (MPI 4.1, section 11.4.3).
const KEY: &core::ffi::CStr = c"mpi_memory_alloc_kinds";

/// Characters of the longest value that is read. Source: `MPI_MAX_INFO_VAL` of MPICH and of the standard's interface; Open MPI's is smaller.
const LONGEST_VALUE: usize = 1024;

/// The functions that read a communicator's info, which libraries before MPI 4.0 lack, for handles of type `H`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemoryKinds<H> {
    get_info: unsafe extern "C" fn(H, *mut H) -> c_int,
    get_string: unsafe extern "C" fn(H, *const c_char, *mut c_int, *mut c_char, *mut c_int) -> c_int,
    free: unsafe extern "C" fn(*mut H) -> c_int,
}

impl<H: Copy> MemoryKinds<H> {
    /// # Safety
    /// The library's handles have type `H`.
    pub(crate) unsafe fn of(symbols: &Symbols) -> Option<Self> {
        let address = |symbol| symbols.address(symbol).ok();
        let get_info = address("MPI_Comm_get_info")?;
        let get_string = address("MPI_Info_get_string")?;
        let free = address("MPI_Info_free")?;
        // SAFETY: the functions have these signatures in the MPI standard since 4.0, with handles of type `H` by this function's
        // contract; the addresses are not null, and the library is never closed.
        unsafe {
            Some(Self {
                get_info: core::mem::transmute::<*mut c_void, unsafe extern "C" fn(H, *mut H) -> c_int>(
                    get_info,
                ),
                get_string: core::mem::transmute::<
                    *mut c_void,
                    unsafe extern "C" fn(H, *const c_char, *mut c_int, *mut c_char, *mut c_int) -> c_int,
                >(get_string),
                free: core::mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut H) -> c_int>(free),
            })
        }
    }

    /// Whether the memory of CUDA devices is among the kinds of this communicator; `no_info` is the interface's `MPI_INFO_NULL`.
    ///
    /// # Safety
    /// MPI is initialised, and the handles are its own.
    pub(crate) unsafe fn have_cuda(self, communicator: H, no_info: H) -> bool {
        let mut info = no_info;
        // SAFETY: MPI is initialised and the communicator its own, by this function's contract; `info` is a place for a handle.
        if unsafe { (self.get_info)(communicator, &mut info) } != 0 {
            return false;
        }
        let mut value = [0_u8; LONGEST_VALUE + 1];
        let (mut len, mut is_there) = (LONGEST_VALUE as c_int, 0);
        // SAFETY: `info` is the handle that the call above made; the key ends with 0, and MPI writes at most `len` characters, the 0 at their
        // end among them.
        let code = unsafe {
            (self.get_string)(info, KEY.as_ptr(), &mut len, value.as_mut_ptr().cast(), &mut is_there)
        };
        // SAFETY: `info` is the handle that the call above made, and is not used again.
        unsafe { (self.free)(&mut info) };
        let end = value.iter().position(|byte| *byte == 0).unwrap_or(LONGEST_VALUE);
        code == 0 && is_there != 0 && names_cuda(&String::from_utf8_lossy(&value[..end]))
    }
}

/// Whether a list of kinds, such as `mpi,system,cuda:host:device`, has the memory of CUDA devices: a kind without restrictors has all of its own.
fn names_cuda(kinds: &str) -> bool {
    kinds.split(',').any(|kind| {
        let mut words = kind.split(':').map(str::trim);
        let is_cuda = words.next().is_some_and(|word| word.eq_ignore_ascii_case("cuda"));
        let mut restrictors = words.filter(|word| !word.is_empty()).peekable();
        is_cuda
            && (restrictors.peek().is_none() || restrictors.any(|word| word.eq_ignore_ascii_case("device")))
    })
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_VALUE, MemoryKinds, names_cuda};
    use core::ffi::{c_char, c_int};

    #[test]
    fn the_memory_of_devices_is_a_kind_of_its_own() {
        for (kinds, expected) in [
            ("", false),
            ("mpi,system", false),
            ("cuda", true),
            ("mpi,system,cuda", true),
            ("mpi, CUDA ,system", true),
            ("system,cuda:device", true),
            ("system,cuda:host:device", true),
            ("system,cuda:host,cuda:device", true),
            ("cuda:host", false),
            ("cuda:managed,mpi", false),
            ("rocm:device,level_zero:device", false),
            ("mycuda,cudart", false),
            ("mpi:cuda", false),
            ("cuda:", true),
        ] {
            assert_eq!(names_cuda(kinds), expected, "{kinds}");
        }
    }

    /// Handles of the functions below: communicator `n` has the info `n`, unless `n` is below 0.
    unsafe extern "C" fn get_info(communicator: c_int, info: *mut c_int) -> c_int {
        if communicator < 0 {
            return 5;
        }
        // SAFETY: the caller gives a place for the handle.
        unsafe { *info = communicator };
        0
    }

    /// Info 1 has the memory of devices, 2 has that of the host, 3 fails, and others have no such key.
    unsafe extern "C" fn get_string(
        info: c_int,
        key: *const c_char,
        len: *mut c_int,
        value: *mut c_char,
        is_there: *mut c_int,
    ) -> c_int {
        let kinds = match info {
            1 | 3 => c"system,cuda:device",
            2 => c"mpi,system",
            _ => return 0,
        };
        // SAFETY: the caller gives a key that ends with 0, and places for the length, the characters and the flag.
        unsafe {
            assert_eq!(core::ffi::CStr::from_ptr(key), c"mpi_memory_alloc_kinds");
            let bytes = kinds.to_bytes_with_nul();
            assert!(bytes.len() <= *len as usize && *len as usize <= LONGEST_VALUE);
            value.copy_from_nonoverlapping(bytes.as_ptr().cast(), bytes.len());
            (*len, *is_there) = (bytes.len() as c_int, 1);
        }
        if info == 3 { 16 } else { 0 }
    }

    unsafe extern "C" fn free(info: *mut c_int) -> c_int {
        // SAFETY: the caller gives a place with a handle.
        unsafe { *info = -1 };
        0
    }

    #[test]
    fn the_info_of_a_communicator_decides() {
        let kinds = MemoryKinds { get_info, get_string, free };
        for (communicator, expected) in [(1, true), (2, false), (3, false), (4, false), (-1, false)] {
            // SAFETY: these functions need no library.
            assert_eq!(unsafe { kinds.have_cuda(communicator, -1) }, expected, "communicator {communicator}");
        }
    }
}
